"""`burnqed store`: copy between stores, and see what one holds."""

from __future__ import annotations

import os
import platform

import typer
from rich.console import Console
from rich.table import Table

from burnqed.cli import options
from burnqed.display import cell, tell
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.log import log
from burnqed.manifest import look
from burnqed.snapshot import Snapshot
from burnqed.store import Store

app = typer.Typer(help="Copy between stores, check one, and see what it holds.", no_args_is_help=True)

MAKE_ANEW = "run the iteration that it belongs to again (`burnqed run iteration --iter N --run RUN`), which makes it anew and keeps the rest"


@app.command()
def copy(
    source: str = typer.Argument(..., metavar="FROM"),
    target: str = typer.Argument(..., metavar="TO"),
    run: str = typer.Option("", "--run", help="Only this run."),
    iteration: int | None = typer.Option(None, "--iter", min=0, help="Only this iteration of the run."),
) -> None:
    """Copy a store, a run or an iteration; verified by digest, and continued where it was cut off."""
    from burnqed.copying import copy as copy_store

    here = Store(source)
    copied = copy_store(here, Store(target), below(run, iteration), lambda path: log.info("copied %s", path))
    typer.echo(f"{copied.files} files copied, {copied.there} were there already.")
    if copied.damaged:
        say_damage(here, copied.damaged)
        raise BadInput(
            f"{len(copied.damaged)} of the outputs in {source} are damaged and were not copied; {MAKE_ANEW}."
        )


@app.command()
def verify(
    uri: str = typer.Argument(..., metavar="STORE"),
    run: str = typer.Option("", "--run", help="Only this run."),
    iteration: int | None = typer.Option(None, "--iter", min=0, help="Only this iteration of the run."),
) -> None:
    """Read every file of every finished output and compare it with what was written; what is damaged is made anew by the next workflow."""
    from burnqed.progress import Progress
    from burnqed.verify import verify as verify_store

    store = Store(uri)
    snapshot = Snapshot(store, [below(run, iteration)])
    units = snapshot.units(below(run, iteration))
    if not units:
        raise BadInput(f"There is no finished output at {store.locate(below(run, iteration))}; check the address.")
    found = []
    with Progress(len(units), "verify", "outputs") as progress:
        for unit in verify_store(store, snapshot, units):
            found.append(unit)
            progress.advance()
    damaged = {unit.prefix: unit.damage for unit in found if unit.damage}
    size = sum(unit.size for unit in found if not unit.damage)
    typer.echo(f"{len(units) - len(damaged)} of {len(units)} outputs ({size / 1e6:.1f} MB) are what was written.")
    if damaged:
        say_damage(store, damaged)
        raise BadInput(f"{len(damaged)} of {len(units)} outputs in {uri} are damaged; {MAKE_ANEW}.")


@app.command()
def show(
    uri: str = typer.Argument(..., metavar="STORE"), run: str = typer.Option("", "--run", help="Only this run.")
) -> None:
    """List the finished outputs with what made them."""
    store = Store(uri)
    table = Table("output", "step", "finished", "seconds", "files", "facts")
    snapshot = Snapshot(store, [run])
    for prefix in snapshot.units(run):
        manifest, damage = look(snapshot, prefix)
        if manifest is None or damage:
            table.add_row(prefix, "", "damaged", "", "", cell(damage))
            continue
        facts = " ".join(f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in manifest.facts.items())
        table.add_row(
            prefix,
            manifest.key.step,
            manifest.finished,
            f"{manifest.seconds:.1f}",
            str(len(manifest.outputs)),
            cell(facts),
        )
    Console().print(table)


@app.command()
def gc(
    uri: str = typer.Argument(..., metavar="STORE"),
    run: str = typer.Option(options.DEFAULT_RUN, "--run", help="Of this run."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Delete it."),
) -> None:
    """Say which outputs of a run nothing reads any more, because others took their place; delete them with --yes."""
    from burnqed import lease
    from burnqed.gc import garbage

    store = Store(uri)

    def show_and_delete() -> None:
        found = list(garbage(Snapshot(store, [run]), run))
        table = Table("output", "", "MB")
        for old in found:
            table.add_row(old.root, old.why, f"{old.size / 1e6:.1f}")
            for path in old.paths if yes else ():
                store.delete(path)
        size = f"{sum(old.size for old in found) / 1e6:.1f} MB"
        if found:
            Console().print(table)
        typer.echo(
            f"{size} were deleted."
            if yes
            else f"{size} can be deleted; --yes does it."
            if found
            else "Nothing to delete."
        )

    if yes:
        with lease.held(store, run, f"`burnqed store gc` on {platform.node()} (process {os.getpid()})"):
            show_and_delete()
    else:
        show_and_delete()


def below(run: str, iteration: int | None) -> str:
    """Where an iteration, a run or, without a name, everything lies."""
    return run if iteration is None else Layout(run or options.DEFAULT_RUN, iteration).root


def say_damage(store: Store, damaged: dict[str, str]) -> None:
    console = Console(stderr=True)
    for prefix, reason in sorted(damaged.items()):
        tell(console, f"{store.locate(prefix)}: ", reason)
