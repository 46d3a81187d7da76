"""`burnqed run WORKFLOW`: runs a workflow on this machine, with the steps and the order that a cluster would use."""

from __future__ import annotations

import hashlib
from pathlib import Path

import typer

from burnqed.cli import options


def add_to(app: typer.Typer) -> None:
    app.command("run")(run)


def run(
    workflow: str = options.Workflow,
    iteration: int | None = options.OptionalIteration,
    profile: str | None = options.RunProfile,
    store: str = options.Store,
    name: str | None = options.OptionalRun,
    overrides: list[str] = options.Set,
    theorems: Path | None = options.Theorems,
    gate: str = options.Gate,
    redo: str = options.Redo,
    max_cost: float | None = options.MaxCost,
    source: str | None = options.Source,
    imported: str | None = options.Name,
    yes: bool = options.Yes,
) -> None:
    """Run a workflow on this machine.

    Example: burnqed run iteration --iter 0 --profile demo --store runs
    """
    options.check_word(workflow, options.WORKFLOWS, "workflow")
    from burnqed.layout import Layout
    from burnqed.remembered import resolve_run
    from burnqed.steps.budget import check_prices
    from burnqed.steps.plan import require_predecessor
    from burnqed.store import Store

    run_name = name or options.default_run(workflow)
    layout = Layout(run_name, -1 if iteration is None else iteration)
    overrides = options.with_cost(overrides, max_cost)
    address = options.absolute(store)
    target = Store(address)
    config = resolve_run(target, run_name, profile, overrides).config
    check_prices(config.cost)
    if workflow in options.OF_ITERATIONS:  # before what takes seconds to load
        require_predecessor(target, layout)
    given = options.for_workflow(workflow, iteration=iteration, gate=gate, redo=redo, source=source, name=imported)
    kept, text = index_to_keep(theorems) if theorems else ("", "")
    from burnqed.run.deleting import ask_to_delete
    from burnqed.run.local import confirm_on_terminal
    from burnqed.run.session import run_here
    from burnqed.run.superseding import ask
    from burnqed_workflows.registry import WORKFLOWS

    if workflow == "clean":
        ask_to_delete(target, layout, yes=yes)
    target.check_writable()
    if theorems is not None:
        target.write_text(f"{run_name}/{kept}", text)
        config = resolve_run(target, run_name, profile, [*overrides, f"data.theorems={kept}"]).config
    built = WORKFLOWS[workflow].build(config, store=address, run=run_name, **given)
    ask(WORKFLOWS[workflow].tasks, target, layout, config, redo, yes=yes)
    code = run_here(built, target, layout, config, (lambda _: True) if workflow == "clean" else confirm_on_terminal)
    if code:
        raise typer.Exit(code)


def index_to_keep(path: Path) -> tuple[str, str]:
    """A theorem index as it goes into the run's folder: its address there, which changes with its content, and its text."""
    from burnqed.data.theorems import dump_index, read_index

    text = dump_index(read_index(str(path)))
    return f"inputs/{path.stem}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json", text
