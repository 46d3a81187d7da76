"""Options that several commands share."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

from burnqed.errors import BadInput
from burnqed.files import read_given
from burnqed.resolve import nearest

DEFAULT_RUN = "main"

Store = typer.Option(
    "runs", "--store", envvar="BURNQED_STORE", help="Folder or s3://BUCKET/PREFIX for everything that is kept."
)
Run = typer.Option(DEFAULT_RUN, "--run", envvar="BURNQED_RUN", help="Name of the run; runs do not share anything.")
Iteration = typer.Option(..., "--iter", min=0, help="Iteration, from 0.")
Profile = typer.Option("default", "--profile", help="demo, smoke, small, …, or the path of a YAML file.")
RunProfile = typer.Option(
    None,
    "--profile",
    help="demo, smoke, small, …, or the path of a YAML file. [default: what the run has used so far, with --set; at first: default]",
)
Yes = typer.Option(False, "--yes", "-y", help="Do not ask before finished work is made anew.")
Set = typer.Option([], "--set", metavar="KEY=VALUE", help="Overrides one value; may be repeated.")
Gate = typer.Option(
    "off",
    "--gate",
    help="After the report: off, auto (a no ends the workflow with an error) or ask (somebody decides).",
)
Workflow = typer.Argument(..., help="iteration, search, evaluate, import-data, import-model, smoke or clean.")
OptionalIteration = typer.Option(None, "--iter", min=0, help="Iteration, from 0.")
OptionalRun = typer.Option(
    None,
    "--run",
    envvar="BURNQED_RUN",
    help="Name of the run; runs do not share anything. [default: main; for smoke a new one]",
)
Theorems = typer.Option(None, "--theorems", help="Theorem index to search instead of the shipped one.")
Redo = typer.Option("", "--redo", help="Steps to do again although they are done, as in search,evaluate.")
MaxCost = typer.Option(
    None, "--max-cost", metavar="DOLLARS", help="What the run may cost, by the prices in the section cost."
)
Source = typer.Option(None, "--source", help="For import-data and import-model: an address, or a model of the hub.")
Name = typer.Option(None, "--name", help="For import-data and import-model: the name it gets.")
Json = typer.Option(False, "--json", help="Print one JSON document and nothing else.")
Header = typer.Option(None, "--header", help="Lean commands before every theorem that has no header.")


def for_workflow(workflow: str, **given: Any) -> dict[str, Any]:
    """What of the options a workflow takes. Raises BadInput for an unknown workflow or gate, and for a missing option."""
    from burnqed_workflows.registry import WORKFLOWS

    if workflow not in WORKFLOWS:
        near = nearest(workflow, list(WORKFLOWS))
        raise BadInput(f"There is no workflow {workflow!r}{near}; choose one of: {', '.join(WORKFLOWS)}.")
    if given["gate"] not in ("off", "auto", "ask"):
        raise BadInput(f"There is no gate {given['gate']!r}; give --gate off, auto or ask.")
    taken = WORKFLOWS[workflow].options
    for option in sorted(taken):
        if taken[option] and given[option] is None:
            flag = "iter" if option == "iteration" else option
            raise BadInput(f"The workflow {workflow} needs --{flag}; see `burnqed run --help`.")
    return {option: value for option, value in given.items() if option in taken}


def with_cost(overrides: list[str], most: float | None) -> list[str]:
    return overrides if most is None else [*overrides, f"cost.max_dollars={most}"]


def default_run(workflow: str) -> str:
    """`main`; a name of its own for every smoke test, which deletes its run."""
    return f"smoke-{datetime.now(UTC):%Y%m%d-%H%M%S}" if workflow == "smoke" else DEFAULT_RUN


def read_header(file: Path | None) -> str | None:
    """The Lean commands that `--header` names."""
    return read_given(file, "header file", "a file of Lean commands") if file else None


def absolute(store: str) -> str:
    """The store's address, good for processes in other folders."""
    return store if "://" in store else str(Path(store).expanduser().resolve())
