"""`burnqed run WORKFLOW`: runs a workflow on this machine, with the steps and the order that a cluster would use."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import signal
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from burnqed.cli import options
from burnqed.config import Resolved, resolve
from burnqed.data.theorems import dump_index, read_index
from burnqed.errors import EXIT_TRY_AGAIN, BadInput
from burnqed.evaluate.gates import GateVerdict
from burnqed.evaluate.render import print_iteration, print_summary
from burnqed.evaluate.summary import read_summary
from burnqed.layout import Layout
from burnqed.progress import duration
from burnqed.run.expressions import Phase
from burnqed.run.local import LocalRunner, RunResult
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
    redo: str = typer.Option("", "--redo", help="Steps to do again although they are done, as in search,evaluate."),
) -> None:
    """Run a workflow on this machine."""
    from burnqed_workflows import iteration as iteration_workflow

    if workflow != "iteration":
        raise BadInput(f"There is no workflow {workflow!r}; the workflows are: iteration.")
    resolved = resolve(profile, overrides)
    address = options.absolute(store)
    target = Store(address)
    target.check_writable()
    if theorems is not None:
        resolved = with_theorems(resolved, profile, overrides, keep_index(target, name, theorems))
    built = iteration_workflow.build(resolved.config, store=address, run=name, iteration=iteration, redo=redo)
    layout = Layout(name, iteration)
    runner = LocalRunner(built, logs=lambda file, path: target.upload_file(path, f"{layout.logs}/{file}"), echo=say)
    result = asyncio.run(until_signal(runner))
    conclude(result, target, layout)
    if result.exit_code:
        raise typer.Exit(result.exit_code)


def say(line: str) -> None:
    typer.echo(line, err=True)


async def until_signal(runner: LocalRunner) -> RunResult:
    """Runs to the end; SIGTERM or SIGINT ends the steps in order and exits with 75."""
    running = asyncio.ensure_future(runner.run())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, running.cancel)
    try:
        return await running
    except asyncio.CancelledError:
        say("Stopped; the same command continues.")
        raise typer.Exit(EXIT_TRY_AGAIN) from None


def keep_index(store: Store, run: str, path: Path) -> str:
    """Copies a theorem index into the store, under a name that changes with its content; returns its address there."""
    text = dump_index(read_index(str(path)))
    kept = f"inputs/{path.stem}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
    store.write_text(f"{run}/{kept}", text)
    return kept


def with_theorems(resolved: Resolved, profile: str, overrides: list[str], kept: str) -> Resolved:
    return resolve(profile, [*overrides, f"data.theorems={kept}"])


def conclude(result: RunResult, store: Store, layout: Layout) -> None:
    """What each step did, and the run's results so far."""
    console = Console(width=max(100, shutil.get_terminal_size().columns))
    table = Table(
        "step", "", "time", "attempts", title=f"iteration {layout.iteration} of {layout.run}", title_justify="left"
    )
    for node in result.nodes:
        style = {Phase.SUCCEEDED: "green", Phase.SKIPPED: "dim", Phase.OMITTED: "dim"}.get(node.phase, "red")
        what = (
            "hit" if node.phase is Phase.SKIPPED else node.phase.value + (f" ({node.message})" if node.message else "")
        )
        table.add_row(
            node.name, what, duration(node.seconds) if node.attempts else "", str(node.attempts or ""), style=style
        )
    console.print(table)
    summary = read_summary(store, layout.run)
    if summary is not None and summary.iterations:
        gate = f"{layout.report}/gate.json"
        if result.phase is Phase.SUCCEEDED and store.exists(gate):
            (done,) = (r for r in summary.iterations if r.iteration == layout.iteration)
            verdict = GateVerdict.model_validate_json(store.read_bytes(gate))
            print_iteration(done, summary.iterations, verdict, console)
            console.print()
        print_summary(summary, console)
    if result.phase is Phase.SUCCEEDED:
        for label, path in (
            ("store", layout.run),
            ("model", layout.model),
            ("head", layout.head("final")),
            ("report", f"{layout.report}/index.html"),
        ):
            if store.exists(path):
                console.print(f"{label:<7} {store.locate(path)}", soft_wrap=True, highlight=False)
