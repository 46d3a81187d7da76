"""`burnqed store`: copy between stores, and see what one holds."""

from __future__ import annotations

import typer
from rich.console import Console

from burnqed import display
from burnqed.cli import options
from burnqed.errors import BadInput
from burnqed.layout import Layout, check_name

SHOWN = {"digest", "started", "finished", "seconds", "dollars", "facts", "versions", "host"}
"""Of a manifest, in `show --json`."""

app = typer.Typer(help="Copy between stores, and see what one holds.", no_args_is_help=True)


@app.command()
def copy(
    source: str = typer.Argument(..., metavar="FROM", help="Folder or s3://BUCKET/PREFIX."),
    target: str = typer.Argument(..., metavar="TO", help="Folder or s3://BUCKET/PREFIX."),
    run: str = typer.Option("", "--run", help="Only this run."),
    iteration: int | None = typer.Option(None, "--iter", min=0, help="Only this iteration of the run."),
) -> None:
    """Copy a store, a run or an iteration; verified by digest, and continued where it was cut off.

    Example: burnqed store copy runs s3://BUCKET/PREFIX --run main
    """
    from burnqed.log import log
    from burnqed.store import Store
    from burnqed.store import copy as copy_store

    if run:
        check_name(run, "a run")
    prefix = run if iteration is None else Layout(run or options.DEFAULT_RUN, iteration).root
    copied, there = copy_store(Store(source), Store(target), prefix, lambda path: log.info("copied %s", path))
    typer.echo(f"{copied} files copied, {there} were there already.")


@app.command()
def show(
    uri: str = typer.Argument(..., metavar="STORE", help="Folder or s3://BUCKET/PREFIX."),
    run: str = typer.Option("", "--run", help="Only this run."),
    as_json: bool = options.Json,
) -> None:
    """List what a store holds: outputs with what made them, how long that took and how large they are.

    Example: burnqed store show runs --run main
    """
    from burnqed.inventory import amount, inventory, tree
    from burnqed.store import Store

    if run:
        check_name(run, "a run")
    found = inventory(Store(uri), run)
    if not found:
        what = f"run {run!r} in {uri}" if run else f"store at {uri}, or it is empty"
        raise BadInput(f"There is no {what}; check the address with --run left out.")
    if as_json:
        rows = [
            {"output": o.path, "state": o.state, "files": o.files, "bytes": o.size}
            | (o.manifest.model_dump(include=SHOWN) | {"step": o.manifest.key.step} if o.manifest else {})
            for o in found
        ]
        typer.echo(display.as_json(rows, indent=1))
        return
    console = Console()
    console.print(tree(found, uri))
    console.print(amount(found), highlight=False)
