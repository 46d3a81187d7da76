"""`burnqed data trace`: repositories and whole proofs become tactic pairs."""

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
from burnqed.log import log
from burnqed.signals import on_signal

if TYPE_CHECKING:
    from burnqed.data.trace.parts import Parts
    from burnqed.data.trace.report import TraceReport


def trace(
    source: str = typer.Argument(
        ...,
        help="A repository at a commit, URL@COMMIT; or proofs: imported ones (.parquet, .jsonl), a .lean file, or a JSON list of {name, statement, proof, header?}.",
    ),
    out: Path = options.Out,
    by: str = options.how(
        "",
        "--by",
        help="How proofs are traced: tactics or frontend.",
        show_default="frontend with Mathlib's Lean, else tactics",
    ),
    namespace: str = typer.Option(
        "", "--source", help="The origin that the pairs name.", show_default="the repository's name, or traced"
    ),
    first_fifth: bool = options.rows(
        False,
        "--first-fifth",
        help="Only a fixed fifth, so that training can start; without it, the command goes on from there.",
    ),
    most_bad: float | None = options.rows(
        None, "--most-bad", min=0, max=1, help="Share of a repository's files that may be bad.", show_default="0.2"
    ),
    disk: float | None = options.how(
        None, "--disk", min=0, metavar="GB", help="What has to be free to trace a repository.", show_default="100"
    ),
    profile: str = options.Profile,
    overrides: list[str] = options.Set,
) -> None:
    """Trace a repository or whole proofs: one tactic pair per step (Parquet, or JSON lines in a file .jsonl), and a report beside them.

    Example: burnqed data trace proofs.lean --out pairs.parquet
    """
    from burnqed.data.trace import leandojo
    from burnqed.data.trace.items import proofs_at
    from burnqed.data.trace.leandojo import Repository
    from burnqed.data.trace.output import write
    from burnqed.data.trace.parts import MOST_BAD
    from burnqed.data.trace.report import TraceReport
    from burnqed.data.trace.tracing import everything, is_first, trace_proofs, trace_repository
    from burnqed.data.trace.ways import Way, version_of
    from burnqed.resolve import resolve
    from burnqed.store import Store

    if not out.name.endswith((".parquet", ".jsonl")):
        raise BadInput(f"{out} cannot hold pairs; let --out end in .parquet or .jsonl.")
    if by:
        options.check_word(by, list(Way), "way to trace")
    config, is_wanted = resolve(profile, overrides).config.lean, is_first if first_fifth else everything
    store, folder = Store(str(out.resolve().parent)), f"{out.name}.parts"
    store.check_writable()

    async def proofs() -> tuple[TraceReport, Parts]:
        if disk is not None or most_bad is not None:
            raise BadInput("--disk and --most-bad are about repositories; leave them out.")
        way = Way(by) if by else Way.usual(config)
        given = await proofs_at(source, config, namespace or "traced")
        report = TraceReport(source=source, first_fifth=first_fifth, way=f"{way} ({version_of(way, config)})")
        report.refuse(given.refused)
        return report, await trace_proofs(given, way, config, store, folder, is_wanted, stop=stopping())

    async def repository() -> tuple[TraceReport, Parts]:
        if by:
            raise BadInput("Repositories are traced by LeanDojo; leave --by out.")
        meant = Repository.parse(source)
        report = TraceReport(source=source, first_fifth=first_fifth, way=f"leandojo ({leandojo.version()})")
        return report, await trace_repository(
            meant,
            namespace or meant.name,
            store,
            folder,
            is_wanted,
            stop=stopping(),
            disk_gb=leandojo.NEEDED_GB if disk is None else disk,
            most_bad=MOST_BAD if most_bad is None else most_bad,
        )

    report, parts = asyncio.run(repository() if Repository.is_meant(source) else proofs())
    try:
        write([parts], report, store, out.name)
    finally:
        for rejected in report.examples:
            log.warning("%s is left out: %s", rejected.theorem, rejected.message.strip() or rejected.reason)
    if not first_fifth:
        store.delete(folder)
    show(report, Console())
    typer.echo(
        f"{report.pairs:,} pairs of {report.traced:,} theorems in {out}; {sum(report.rejected.values()):,} were left out."
    )
    if first_fifth:
        typer.echo(
            f"The same command without --first-fifth traces the rest; {folder} beside {out.name} keeps what is done."
        )


def stopping() -> asyncio.Event:
    """Set by the first Ctrl-C or SIGTERM."""
    stop = asyncio.Event()
    on_signal(stop.set)
    return stop


def show(report: TraceReport, console: Console) -> None:
    """The report as a table, and what was skipped and the samples under it."""
    table = Table("", "", show_header=False)
    for label, value in report.lines():
        table.add_row(display.cell(label), display.cell(value))
    console.print(table)
    for item, reason in list(report.bad.items())[:10]:
        display.tell(console, "bad  ", f"{item}: {reason}")
    for sample in report.samples:
        display.tell(console, f"{sample.theorem}  ", f"{sample.state}\n  {sample.tactic}")
