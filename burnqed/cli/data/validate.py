"""`burnqed data validate`: does a data set still hold in this Lean?"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table

from burnqed import display
from burnqed.cli import options
from burnqed.errors import BadInput

if TYPE_CHECKING:
    from burnqed.data.sets.validate import Validation


def validate(
    source: str = typer.Argument(..., help="Imported pairs or proofs: path or address in a store."),
    sample: int = typer.Option(50, "--sample", min=1, help="Theorems, or proofs, that are replayed."),
    out: Path | None = typer.Option(
        None,
        "--out",
        help="File for the pairs that replay, with the states that this Lean prints.",
        show_default="none",
    ),
    header: Path | None = options.Header,
    profile: str = options.Profile,
    overrides: list[str] = options.Set,
    as_json: bool = options.Json,
) -> None:
    """Replay a sample of pairs or proofs, and say what no longer works, and why.

    Example: burnqed data validate pairs.parquet --sample 50 --profile single-gpu
    """
    from burnqed.data.pairs import PAIRS, TacticPair
    from burnqed.data.proofs import PROOFS
    from burnqed.data.sets.exporting import format_of
    from burnqed.data.sets.validate import ENOUGH, sampled, sampled_proofs, validate_pairs, validate_proofs
    from burnqed.lean.backends import open_lean
    from burnqed.resolve import resolve
    from burnqed.store import Store, split_address

    store, name = split_address(source)
    kind = format_of(store, name)
    if out and kind is PROOFS:
        raise BadInput("Proofs have no states to write; `burnqed data trace` makes pairs of them. Leave --out out.")
    lean, opened = resolve(profile, overrides).config.lean, options.read_header(header)

    async def work() -> tuple[Validation, list[TacticPair]]:
        async with open_lean(lean) as backend:
            if kind is PROOFS:
                proofs = sampled_proofs(PROOFS.rows(PROOFS.read(store, name)), sample)
                return await validate_proofs(proofs, backend), []
            return await validate_pairs(sampled(PAIRS.rows(PAIRS.read(store, name)), sample), backend, opened)

    validation, replayed = asyncio.run(work())
    if not validation.tried:
        raise BadInput(f"{source} has no rows to replay.")
    if out:
        PAIRS.write(Store(str(out.resolve().parent)), out.name, PAIRS.batches(replayed))
    if as_json:
        typer.echo(display.as_json({**validation.model_dump(mode="json"), "share": validation.share}, indent=1))
        return
    show(validation, Console(), "steps" if kind is PAIRS else "proofs")
    if out:
        typer.echo(f"{len(replayed):,} pairs in {out}.")
    if validation.share < ENOUGH:
        typer.echo(
            f"Only {validation.share:.0%} replay in {validation.lean}: trace the set again (`burnqed data trace`) or bring its proofs here first (`burnqed data migrate`)."
        )


def show(validation: Validation, console: Console, what: str) -> None:
    table = Table("", "", show_header=False)
    table.add_row(display.cell(f"{what} tried"), f"{validation.tried:,} of {validation.theorems:,} theorems")
    table.add_row("replayed", f"{validation.replayed:,} ({validation.share:.0%})")
    if validation.differing:
        table.add_row("with other states", f"{validation.differing:,}")
    for cause, count in validation.causes.items():
        table.add_row(display.cell(f"failed: {cause}"), f"{count:,}")
    for depth, at in sorted(validation.by_depth.items(), key=lambda item: int(item[0].rstrip("+"))):
        table.add_row(f"depth {depth}", f"{at.replayed:,} of {at.tried:,}")
    console.print(table)
    shown = set[str]()
    for failure in validation.failures:
        if failure.cause not in shown:
            shown.add(failure.cause)
            told = f": {failure.tactic}" if failure.tactic else ""
            display.tell(
                console, f"{failure.cause}  ", f"{failure.name}, depth {failure.depth}{told}\n{failure.message}"
            )
