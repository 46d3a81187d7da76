"""Options that several commands share, and the groups that the help shows them in."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import typer

from burnqed.errors import BadInput
from burnqed.layout import check_name, iterations_of
from burnqed.workflow_names import OWN_RUN, WORKFLOWS

DEFAULT_RUN = "main"

which = partial(typer.Option, rich_help_panel="Which work")
setting = partial(typer.Option, rich_help_panel="Settings")
how = partial(typer.Option, rich_help_panel="How")
importing = partial(typer.Option, rich_help_panel="Imports")
address = partial(typer.Option, rich_help_panel="Address")
cluster = partial(typer.Option, rich_help_panel="Cluster")
output = partial(typer.Option, rich_help_panel="Output")
rows = partial(typer.Option, rich_help_panel="Rows")
checks = partial(typer.Option, rich_help_panel="Checks")
card = partial(typer.Option, rich_help_panel="Data card")
"""An option in one of the groups."""

GIVING = ("import-data", "trace")
"""Those that add to what a run may be given, which a branch has from another run."""
GATES = ("off", "auto", "ask")


def one_of(words: Sequence[str]) -> Callable[[str], list[str]]:
    """Shell completion from a list of words."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def complete_profile(incomplete: str) -> list[str]:
    from burnqed.resolve import profiles

    return [name for name in profiles() if name.startswith(incomplete)]


def complete_key(incomplete: str) -> list[str]:
    from burnqed.resolve import KEYS

    return [f"{key}=" for key in KEYS if key.startswith(incomplete)]


PROFILES = "demo, smoke, small, …, or the path of a YAML file."
AS_BEFORE = "what the run has used so far, with --set; at first: {}"
RUN_NAME = "Name of the run; runs share nothing, unless one begins --from another."


def profile(default: str | None, show_default: str | bool) -> Any:
    return setting(default, "--profile", help=PROFILES, show_default=show_default, autocompletion=complete_profile)


Store = which(
    "runs", "--store", envvar="BURNQED_STORE", help="Folder or s3://BUCKET/PREFIX for everything that is kept."
)
Run = which(DEFAULT_RUN, "--run", envvar="BURNQED_RUN", help=RUN_NAME)
Profile = profile("default", True)
RunProfile = profile(None, AS_BEFORE.format("default"))
Yes = how(False, "--yes", "-y", help="Do not ask before finished work is redone or deleted.")
Set = setting(
    [], "--set", metavar="KEY=VALUE", help="Overrides one value; may be repeated.", autocompletion=complete_key
)
Gate = how(
    "off",
    "--gate",
    help="After the report: off, auto (a no ends the workflow with an error) or ask (somebody decides).",
    autocompletion=one_of(GATES),
)
Workflow = typer.Argument(..., help=f"One of: {', '.join(WORKFLOWS)}.", autocompletion=one_of(WORKFLOWS))
OptionalIteration = which(None, "--iter", min=0, help="Iteration, from 0.")
Iterations = which(
    None,
    "--iters",
    metavar="FIRST..LAST",
    help="For iterations and experiment: which, as in 0..4, or how many from 0 on, as in 5.",
)
OptionalRun = which(
    None,
    "--run",
    envvar="BURNQED_RUN",
    help=RUN_NAME,
    show_default=f"{DEFAULT_RUN}; for {' and '.join(OWN_RUN)} one of that name, for smoke a new one",
)
Theorems = setting(
    None, "--theorems", help="Theorem index to search.", show_default="the shipped theorems and generated ones"
)
Pairs = setting(
    [],
    "--pairs",
    metavar="FILE[=WEIGHT]",
    help="Tactic pairs (.parquet, .jsonl) to train on instead of the shipped corpus; may be repeated. The weight says how often they count.",
)
Proofs = setting(
    [],
    "--proofs",
    metavar="FILE[=WEIGHT]",
    help="Whole proofs (.parquet, .jsonl) to replay instead of the shipped corpus; may be repeated.",
)
Benchmark = setting(
    None,
    "--benchmark",
    metavar="[NAME=]URI",
    help="Theorem index to evaluate on besides the run's benchmarks, now and later; one that is added after the training changes none.",
    show_default="those of the run, at first the shipped one",
)
Redo = how("", "--redo", help="Steps to do again although they are done, as in search,evaluate.")
Recall = how(
    None,
    "--recall",
    metavar="FILE",
    help="File that keeps the expansions of evaluations: what was asked before, of the same model or of Lean, is not asked again. Those of `burnqed run` add up to 2 GB.",
)
Ablate = which(
    "",
    "--ablate",
    metavar="WHAT,…",
    help="For experiment: heads of iteration 0 that lack something, beside its own: goal, noise, or both.",
)
MaxCost = setting(
    None,
    "--max-cost",
    metavar="DOLLARS",
    help="What the run may cost, by the prices in the section cost.",
    show_default="no limit",
)
From = which(
    None,
    "--from",
    metavar="RUN:N|RUN:base",
    help="Begin as a branch of another run: its data, base model, benchmarks and iterations up to N (none with RUN:base) are read where they are. With its settings, where no profile is given.",
)
Source = importing(
    None,
    "--source",
    help="For import-data, import-model and trace: an address, a model of the hub, or a repository at a commit.",
)
Name = importing(None, "--name", help="For import-data, import-model and trace: the name it gets.")
Json = output(False, "--json", help="Print one JSON document and nothing else.")
Out = typer.Option(..., "--out", help="File to write.")
Header = typer.Option(
    None,
    "--header",
    help="File of Lean commands before every theorem that has no header.",
    show_default="the Lean's own",
)


def check_word(word: str, known: Sequence[str], what: str) -> None:
    """Raises BadInput for an unknown word, naming the nearest known one."""
    if word not in known:
        from burnqed.resolve import nearest

        raise BadInput(f"There is no {what} {word!r}{nearest(word, known)}; choose one of: {', '.join(known)}.")


def for_workflow(workflow: str, **given: Any) -> dict[str, Any]:
    """The given options that a workflow takes. Raises BadInput for an unknown workflow or gate, a missing option, and one that the workflow does not take."""
    check_word(workflow, WORKFLOWS, "workflow")
    check_word(given["gate"], GATES, "gate")
    from burnqed_workflows.registry import WORKFLOWS as DEFINED

    taken = DEFINED[workflow].options
    for option in sorted(given):
        flag = "iter" if option == "iteration" else option
        if taken.get(option) and given[option] is None:
            raise BadInput(f"The workflow {workflow} needs --{flag}; see `burnqed run --help`.")
        if option not in taken and given[option] not in (None, "", "off"):
            raise BadInput(f"The workflow {workflow} takes no --{flag}; leave it out.")
    if given["name"]:
        check_name(given["name"], "an import")
    return {option: value for option, value in given.items() if option in taken}


def first_of(workflow: str, iteration: int | None, iters: str | None) -> int:
    """The first iteration that a workflow is about; of those that are iteration 0 of a run of their own, 0; for one that is about none, -1. Raises BadInput for `iters` that is no range."""
    if iters is not None:
        return iterations_of(iters)[0]
    if workflow in OWN_RUN:
        return 0
    return -1 if iteration is None else iteration


def with_cost(overrides: list[str], most: float | None) -> list[str]:
    return overrides if most is None else [*overrides, f"cost.max_dollars={most}"]


def with_origin(overrides: list[str], origin: str | None) -> list[str]:
    return (
        overrides if origin is None else [*overrides, f"data.origin={json.dumps(origin)}"]
    )  # quoted: YAML would take 12:0 for a number


def default_run(workflow: str) -> str:
    """`main`, or the workflow's own; a new name for every smoke test, which deletes its run."""
    if workflow == "smoke":
        return f"smoke-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    return workflow if workflow in OWN_RUN else DEFAULT_RUN


def read_header(file: Path | None) -> str | None:
    """The Lean commands that `--header` names."""
    from burnqed.files import read_given

    return read_given(file, "header file", "a file of Lean commands") if file else None


def absolute(store: str) -> str:
    """The store's address, valid in any working folder. Raises BadInput for the home of an unknown user."""
    if not store or "://" in store:
        return store
    try:
        return str(Path(store).expanduser().resolve())
    except RuntimeError:
        raise BadInput(f"There is no such home as in {store!r}; give a folder, or s3://BUCKET/PREFIX.") from None
