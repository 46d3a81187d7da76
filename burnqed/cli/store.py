"""`burnqed store`: copy between stores, and see what one holds."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.table import Table

from burnqed.cli import options
from burnqed.display import cell
from burnqed.layout import SUCCESS, Layout
from burnqed.log import log
from burnqed.manifest import read_manifest
from burnqed.store import Store
from burnqed.store import copy as copy_store

app = typer.Typer(help="Copy between stores, and see what one holds.", no_args_is_help=True)


@app.command()
def copy(
    source: str = typer.Argument(..., metavar="FROM"),
    target: str = typer.Argument(..., metavar="TO"),
    run: str = typer.Option("", "--run", help="Only this run."),
    iteration: int | None = typer.Option(None, "--iter", min=0, help="Only this iteration of the run."),
) -> None:
    """Copy a store, a run or an iteration; verified by digest, and continued where it was cut off."""
    prefix = run if iteration is None else Layout(run or options.DEFAULT_RUN, iteration).root
    copied, there = copy_store(Store(source), Store(target), prefix, lambda path: log.info("copied %s", path))
    typer.echo(f"{copied} files copied, {there} were there already.")


@app.command()
def show(
    uri: str = typer.Argument(..., metavar="STORE"), run: str = typer.Option("", "--run", help="Only this run.")
) -> None:
    """List the finished outputs with what made them."""
    store = Store(uri)
    table = Table("output", "step", "finished", "seconds", "files", "facts")
    for path in store.list(run):
        if not path.endswith(f"/{SUCCESS}"):
            continue
        prefix = path.removesuffix(f"/{SUCCESS}")
        manifest = read_manifest(store, prefix)
        assert manifest is not None
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
