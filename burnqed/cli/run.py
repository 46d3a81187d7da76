"""`burnqed run WORKFLOW`: runs a workflow on this machine, with the steps and the order that a cluster would use."""

from __future__ import annotations

import hashlib
from pathlib import Path

import typer

from burnqed.cli import options
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.resolve import resolve
from burnqed.store import Store


def add_to(app: typer.Typer) -> None:
    app.command("run")(run)


def run(
    workflow: str = typer.Argument(..., help="The workflow: iteration."),
    iteration: int = options.Iteration,
    profile: str = options.Profile,
    store: str = options.Store,
    name: str = options.Run,
    overrides: list[str] = options.Set,
    theorems: Path | None = typer.Option(
        None, "--theorems", help="Theorem index to search instead of the shipped one."
    ),
    gate: str = options.Gate,
    redo: str = typer.Option("", "--redo", help="Steps to do again although they are done, as in search,evaluate."),
) -> None:
    """Run a workflow on this machine."""
    if workflow != "iteration":
        raise BadInput(f"There is no workflow {workflow!r}; the workflows are: iteration.")
    options.check_gate(gate)
    config = resolve(profile, overrides).config
    address = options.absolute(store)
    target = Store(address)
    target.check_writable()
    if theorems is not None:
        kept = keep_index(target, name, theorems)
        config = resolve(profile, [*overrides, f"data.theorems={kept}"]).config
    from burnqed.run.session import run_here
    from burnqed_workflows import iteration as iteration_workflow

    built = iteration_workflow.build(config, store=address, run=name, iteration=iteration, redo=redo, gate=gate)
    code = run_here(built, target, Layout(name, iteration))
    if code:
        raise typer.Exit(code)


def keep_index(store: Store, run: str, path: Path) -> str:
    """Copies a theorem index into the store, under a name that changes with its content; returns its address there."""
    from burnqed.data.theorems import dump_index, read_index

    text = dump_index(read_index(str(path)))
    kept = f"inputs/{path.stem}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
    store.write_text(f"{run}/{kept}", text)
    return kept
