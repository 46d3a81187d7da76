"""`burnqed store`: copy between stores, check one, and see what it holds."""

from __future__ import annotations

import os
import platform
from contextlib import nullcontext
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
"""Fields of a record in `show --json`."""

app = typer.Typer(help="Copy between stores, check one, and see what it holds.", no_args_is_help=True)

REMAKE = "run their iteration again (`burnqed run iteration --iter N --run RUN`), which remakes them and keeps the rest"
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
    """Copy a store, a run or an iteration; verified by digest, and resumed where an earlier copy was cut off.

    Example: burnqed store copy runs s3://BUCKET/PREFIX --run main
    """
    from burnqed.copying import copy as copy_store
    from burnqed.store import Store

    here = Store(source)
    copied = copy_store(here, Store(target), below(run, iteration), lambda path: log.info("copied %s", path))
    typer.echo(f"{copied.files} files copied, {copied.there} were there already.")
    if damaged := copied.damaged:
        say_damage(here, damaged)
        raise BadInput(f"{len(damaged)} of the outputs in {source} are damaged and were not copied; {REMAKE}.")


@app.command()
def verify(uri: str = Place, run: str = OnlyRun, iteration: int | None = OnlyIteration) -> None:
    """Read every file of every finished output and compare it with what was written; the next workflow remakes what is damaged.

    Example: burnqed store verify runs --run main
    """
    from burnqed.progress import Progress
    from burnqed.snapshot import Snapshot
    from burnqed.store import Store
    from burnqed.verify import verify as verify_store

    store = Store(uri)
    prefix = below(run, iteration)
    snapshot = Snapshot(store, [prefix])
    units = snapshot.units(prefix)
    if not units:
        raise BadInput(f"There is no finished output at {store.locate(prefix)}; check the address.")
    damaged, size = {}, 0
    with Progress(len(units), "verify", "outputs") as progress:
        for unit in verify_store(store, snapshot, units):
            if unit.damage:
                damaged[unit.prefix] = unit.damage
            else:
                size += unit.size
            progress.advance()
    typer.echo(f"{len(units) - len(damaged)} of {len(units)} outputs ({size / 1e6:.1f} MB) are what was written.")
    if damaged:
        say_damage(store, damaged)
        raise BadInput(f"{len(damaged)} of {len(units)} outputs in {uri} are damaged; {REMAKE}.")


@app.command()
def show(uri: str = Place, run: str = OnlyRun, as_json: bool = options.Json) -> None:
    """List what a store holds: outputs, the steps that made them, how long that took and how large they are.

    Example: burnqed store show runs --run main
    """
    from burnqed.inventory import amount, inventory, tree
    from burnqed.store import Store

    outputs = inventory(Store(uri), below(run, None))
    if not outputs:
        what = f"run {run!r} in {uri}" if run else f"store at {uri}, or it is empty"
        raise BadInput(f"There is no {what}; check the address with --run left out.")
    if as_json:
        rows = [
            {"output": o.path, "state": o.state, "damage": o.damage, "files": o.files, "bytes": o.size}
            | (o.record.model_dump(include=SHOWN) | {"step": o.record.key.step} if o.record else {})
            for o in outputs
        ]
        typer.echo(display.as_json(rows, indent=1))
        return
    console = Console()
    console.print(tree(outputs, uri))
    console.print(amount(outputs), highlight=False)


@app.command()
def gc(
    uri: str = Place,
    run: str = typer.Option(options.DEFAULT_RUN, "--run", help="The run."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Delete them."),
) -> None:
    """List the outputs of a run that nothing reads any more because others replaced them; --yes deletes them.

    Example: burnqed store gc runs --run main --yes
    """
    from burnqed import lease
    from burnqed.gc import garbage
    from burnqed.snapshot import Snapshot
    from burnqed.store import Store

    store = Store(uri)

    who = f"`burnqed store gc` on {platform.node()} (process {os.getpid()})"
    with lease.held(store, run, who) if yes else nullcontext():
        table, size = Table("output", "", "MB"), 0
        for old in list(garbage(Snapshot(store, [run]), run)):
            table.add_row(old.root, old.why, f"{old.size / 1e6:.1f}")
            size += old.size
            for path in old.paths if yes else ():
                store.delete(path)
    if table.rows:
        Console().print(table)
    action = "were deleted." if yes else "can be deleted; --yes does it."
    typer.echo(f"{size / 1e6:.1f} MB {action}" if yes or table.rows else "Nothing to delete.")


def below(run: str, iteration: int | None) -> str:
    """The folder of an iteration or a run; without a name, of everything."""
    if run:
        check_name(run, "a run")
    return run if iteration is None else Layout(run or options.DEFAULT_RUN, iteration).root


def say_damage(store: Store, damaged: dict[str, str]) -> None:
    console = Console(stderr=True)
    for prefix, reason in sorted(damaged.items()):
        tell(console, f"{store.locate(prefix)}: ", reason)
