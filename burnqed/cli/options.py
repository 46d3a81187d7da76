"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import typer

from burnqed.errors import BadInput

DEFAULT_RUN = "main"

Store = typer.Option(
    "runs", "--store", envvar="BURNQED_STORE", help="Folder or s3://BUCKET/PREFIX for everything that is kept."
)
Run = typer.Option(DEFAULT_RUN, "--run", envvar="BURNQED_RUN", help="Name of the run; runs do not share anything.")
Iteration = typer.Option(..., "--iter", min=0, help="Iteration, from 0.")
Profile = typer.Option("default", "--profile", help="demo, smoke, small, …, or the path of a YAML file.")
Set = typer.Option([], "--set", metavar="KEY=VALUE", help="Overrides one value; may be repeated.")
Gate = typer.Option(
    "off",
    "--gate",
    help="After the report: off, auto (a no ends the workflow with an error) or ask (somebody decides).",
)
Json = typer.Option(False, "--json", help="Print one JSON document and nothing else.")
Header = typer.Option(None, "--header", help="Lean commands before every theorem that has no header.")


def check_gate(gate: str) -> None:
    if gate not in ("off", "auto", "ask"):
        raise BadInput(f"There is no gate {gate!r}; give --gate off, auto or ask.")


def read_header(file: Path | None) -> str | None:
    """The Lean commands that `--header` names. Raises BadInput when there is no such file."""
    if file is not None and not file.is_file():
        raise BadInput(f"There is no header file {file}; give a file of Lean commands.")
    return file.read_text(encoding="utf-8") if file else None


def absolute(store: str) -> str:
    """The store's address, good for processes in other folders."""
    return store if "://" in store else str(Path(store).expanduser().resolve())
