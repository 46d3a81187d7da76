"""`burnqed data migrate`: whole proofs of another Lean, brought to this one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table

from burnqed import display
from burnqed.cli import options
from burnqed.errors import BadInput

if TYPE_CHECKING:
    from burnqed.data.proofs import WholeProof
    from burnqed.data.sets.migrate import MigrationReport


def migrate(
    source: str = typer.Argument(..., help="Imported proofs: path or address in a store."),
    out: Path = options.Out,
    renames: Path | None = typer.Option(
        None, "--renames", help="YAML table, `old name: new name`.", show_default="none"
    ),
    profile: str = options.Profile,
    overrides: list[str] = options.Set,
) -> None:
    """Check whole proofs in this Lean, with names replaced where needed, and keep those that are accepted.

    Example: burnqed data migrate proofs.parquet --renames renames.yaml --out migrated.parquet
    """
    from burnqed.data.proofs import PROOFS
    from burnqed.data.sets.exporting import format_of
    from burnqed.data.sets.migrate import migrate as migrate_proofs
    from burnqed.data.sets.migrate import read_renames
    from burnqed.lean.backends import open_lean
    from burnqed.resolve import resolve
    from burnqed.store import Store, split_address

    if not out.name.endswith((".parquet", ".jsonl")):
        raise BadInput(f"{out} cannot hold proofs; let --out end in .parquet or .jsonl.")
    table = read_renames(renames) if renames else {}
    store, name = split_address(source)
    if format_of(store, name) is not PROOFS:
        raise BadInput(
            f"{source} holds pairs, and only whole proofs can be migrated; see `burnqed data validate` for pairs."
        )
    proofs = list(PROOFS.rows(PROOFS.read(store, name)))
    if not proofs:
        raise BadInput(f"{source} holds no proofs.")
    target = Store(str(out.resolve().parent))
    target.check_writable()
    journal = out.with_name(f"{out.name}.unfinished")

    async def work() -> tuple[MigrationReport, list[WholeProof]]:
        async with open_lean(resolve(profile, overrides).config.lean) as lean:
            return await migrate_proofs(proofs, lean, table, journal)

    report, accepted = asyncio.run(work())
    show(report, Console())
    target.write_text(
        f"{out.name.partition('.')[0]}.report.json",
        json.dumps(report.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n",
    )
    if not accepted:
        journal.unlink(missing_ok=True)
        raise BadInput(f"No proof of {source} is accepted by {report.lean}, so {out} was not written; see its report.")
    PROOFS.write(target, out.name, PROOFS.batches(accepted))
    journal.unlink(missing_ok=True)
    typer.echo(f"{report.survived:,} of {report.proofs:,} proofs in {out}.")


def show(report: MigrationReport, console: Console) -> None:
    table = Table("", "", show_header=False)
    table.add_row("proofs", f"{report.proofs:,}")
    table.add_row("accepted as written", f"{report.as_written:,}")
    table.add_row("accepted with names replaced", f"{report.after_renames:,}")
    if report.statements_changed:
        table.add_row("of these, in the statement too", f"{report.statements_changed:,}")
    for cause, count in report.causes.items():
        table.add_row(display.cell(f"refused: {cause}"), f"{count:,}")
    for renaming, count in list(report.renames.items())[:10]:
        table.add_row(display.cell(renaming), f"{count:,}")
    console.print(table)
    shown = set[str]()
    for failure in report.failures:
        if failure.cause not in shown:
            shown.add(failure.cause)
            display.tell(console, f"{failure.cause}  ", f"{failure.name}: {failure.message}")
