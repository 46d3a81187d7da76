"""`burnqed store`: copy between stores, and see what one holds."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table

from burnqed import display
from burnqed.cli import options
from burnqed.display import tell
from burnqed.errors import BadInput
from burnqed.layout import Layout, check_name
from burnqed.log import log

if TYPE_CHECKING:
    from burnqed.store import Store

SHOWN = {"digest", "started", "finished", "seconds", "dollars", "facts", "versions", "host", "revision"}
"""Of a record, in `show --json`."""

app = typer.Typer(help="Copy between stores, check one, and see what it holds.", no_args_is_help=True)

MAKE_ANEW = "run the iteration that it belongs to again (`burnqed run iteration --iter N --run RUN`), which makes it anew and keeps the rest"


PLACE = "Folder or s3://BUCKET/PREFIX."
Place = typer.Argument(..., metavar="STORE", help=PLACE)
OnlyRun = typer.Option("", "--run", help="Only this run.")
OnlyIteration = typer.Option(None, "--iter", min=0, help="Only this iteration of the run.")


@app.command()
def copy(
    source: str = typer.Argument(..., metavar="FROM", help=PLACE),
    target: str = typer.Argument(..., metavar="TO", help=PLACE),
    run: str = OnlyRun,
    iteration: int | None = OnlyIteration,
) -> None:
    """Copy a store, a run or an iteration; verified by digest, and continued where it was cut off.

    Example: burnqed store copy runs s3://BUCKET/PREFIX --run main
    """
    from burnqed.copying import copy as copy_store
    from burnqed.store import Store

    here = Store(source)
    copied = copy_store(here, Store(target), below(run, iteration), lambda path: log.info("copied %s", path))
    typer.echo(f"{copied.files} files copied, {copied.there} were there already.")
    if copied.damaged:
        say_damage(here, copied.damaged)
        raise BadInput(
            f"{len(copied.damaged)} of the outputs in {source} are damaged and were not copied; {MAKE_ANEW}."
        )


@app.command()
def verify(uri: str = Place, run: str = OnlyRun, iteration: int | None = OnlyIteration) -> None:
    """Read every file of every finished output and compare it with what was written; what is damaged is made anew by the next workflow.

    Example: burnqed store verify runs --run main
    """
    from burnqed.progress import Progress
    from burnqed.snapshot import Snapshot
    from burnqed.store import Store
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
def show(uri: str = Place, run: str = OnlyRun, as_json: bool = options.Json) -> None:
    """List what a store holds: outputs with what made them, how long that took and how large they are.

    Example: burnqed store show runs --run main
    """
    from burnqed.inventory import amount, inventory, tree
    from burnqed.store import Store

    found = inventory(Store(uri), below(run, None))
    if not found:
        what = f"run {run!r} in {uri}" if run else f"store at {uri}, or it is empty"
        raise BadInput(f"There is no {what}; check the address with --run left out.")
    if as_json:
        rows = [
            {"output": o.path, "state": o.state, "damage": o.damage, "files": o.files, "bytes": o.size}
            | (o.record.model_dump(include=SHOWN) | {"step": o.record.key.step} if o.record else {})
            for o in found
        ]
        typer.echo(display.as_json(rows, indent=1))
        return
    console = Console()
    console.print(tree(found, uri))
    console.print(amount(found), highlight=False)


@app.command()
def gc(
    uri: str = Place,
    run: str = typer.Option(options.DEFAULT_RUN, "--run", help="Of this run."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Delete it."),
) -> None:
    """Say which outputs of a run nothing reads any more, because others took their place; delete them with --yes.

    Example: burnqed store gc runs --run main --yes
    """
    from burnqed import lease
    from burnqed.gc import garbage
    from burnqed.snapshot import Snapshot
    from burnqed.store import Store

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
    if run:
        check_name(run, "a run")
    return run if iteration is None else Layout(run or options.DEFAULT_RUN, iteration).root


def say_damage(store: Store, damaged: dict[str, str]) -> None:
    console = Console(stderr=True)
    for prefix, reason in sorted(damaged.items()):
        tell(console, f"{store.locate(prefix)}: ", reason)
