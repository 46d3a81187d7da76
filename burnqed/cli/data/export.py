"""`burnqed data export`: pairs, proofs and theorems for others."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import typer

from burnqed.cli import options
from burnqed.errors import BadInput


def export(
    source: str = typer.Argument(
        ..., help="Pairs or proofs (.parquet, .jsonl), or a theorem index (.json): path or address in a store."
    ),
    out: Path = typer.Option(..., "--out", help="Folder to write; it may not exist yet."),
    form: Literal["hub"] = typer.Option("hub", "--format", help="hub: Parquet by split with a data card."),
    licence: str = options.card(..., "--licence", help="As the hub writes it, as in apache-2.0."),
    name: str = options.card("", "--name", help="Title of the data card.", show_default="the folder's name"),
    made_from: list[str] = options.card([], "--from", help="What it was made from; may be repeated."),
    lean: str = options.card("", "--lean", help="Version of Lean that it was made with."),
    validation: float = options.rows(
        0.0, "--validation", min=0, max=0.5, help="Share of theorems that become a split of their own."
    ),
) -> None:
    """Write a folder that can be loaded as a data set, and published.

    Example: burnqed data export pairs.parquet --licence apache-2.0 --out my-pairs
    """
    from burnqed.data.sets.exporting import export as export_rows
    from burnqed.store import Store, split_address

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out} is there already; give a folder that is new or empty.")
    store, path = split_address(source)
    target = Store(str(out.resolve()))
    counts = export_rows(
        store,
        path,
        target,
        name=name or out.resolve().name,
        licence=licence,
        sources=made_from,
        lean=lean,
        validation=validation,
    )
    told = ", ".join(f"{count:,} rows in {split}" for split, count in counts.items())
    typer.echo(f"{told}, in {out}; its README.md is the data card.")
