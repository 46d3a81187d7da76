"""`burnqed data import`: data sets of others, and theorem indices, checked and brought into our formats."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.table import Table

from burnqed import display
from burnqed.cli import options
from burnqed.errors import BadInput

if TYPE_CHECKING:
    from burnqed.config import LeanConfig
    from burnqed.data.sets.catalogue import DataSet
    from burnqed.data.sets.reading import Reading
    from burnqed.data.sets.report import ImportReport
    from burnqed.lean.protocol import Theorem


def import_set(
    source: str = typer.Argument(
        ..., help="File or folder, address in a store or on the web, `hub`, or hub:OWNER/NAME@REVISION."
    ),
    out: Path = options.Out,
    sets: list[str] = options.rows(
        [],
        "--set",
        metavar="NAME or KEY=VALUE",
        help="A data set that is known by name (docs/datasets.md). With a =, as elsewhere: overrides one value; may be repeated.",
        autocompletion=options.complete_key,
    ),
    columns: str = options.rows(
        "",
        "--columns",
        metavar="TARGET=COLUMN,…",
        help="Which column is what, as in theorem=full_name,state=goal.before.",
    ),
    each: str = options.rows(
        "", "--each", metavar="COLUMN", help="A column that holds a list: every element is a row."
    ),
    where: list[str] = options.rows(
        [], "--where", metavar="COLUMN=VALUE", help="Only rows with this value; may be repeated."
    ),
    namespace: str = options.rows("", "--source", help="What the names begin with, as `github` in github::Nat.foo."),
    split: str = options.rows("", "--split", help="Only this split."),
    against: list[str] = options.checks(
        [],
        "--against",
        metavar="[NAME=]INDEX",
        help="Benchmark whose statements are left out, `shipped`, `shipped-deep` or `shipped-moves`; may be repeated.",
    ),
    header: Path | None = options.Header,
    elaborate: bool = options.checks(True, help="Have Lean elaborate every statement of a theorem index."),
    allow_import: list[str] = options.checks(
        [], "--allow-import", metavar="MODULE", help="A module that headers may import; may be repeated."
    ),
    most_bad: float = options.checks(0.1, "--most-bad", min=0, max=1, help="Share of rows that may be bad."),
    profile: str = options.Profile,
) -> None:
    """Import a data set by name or by its columns, or check a theorem index.

    Example: burnqed data import minif2f.jsonl --set minif2f --split test --profile single-gpu --out minif2f.json
    """
    from burnqed.resolve import resolve

    named = [text for text in sets if "=" not in text]
    if len(named) > 1:
        raise BadInput(f"--set names {len(named)} data sets ({', '.join(named)}); import them one by one.")
    name, lean = "".join(named), resolve(profile, [text for text in sets if "=" in text]).config.lean
    if not name and not columns:
        import_index(source, out, header, elaborate, lean)
        return
    from burnqed.data.sets.catalogue import Kind, known
    from burnqed.data.sets.leaks import Held
    from burnqed.data.sets.reading import Reading
    from burnqed.data.sets.report import ImportReport
    from burnqed.lean.backends import open_lean

    if name:
        options.check_word(name, list(known()), "data set")
    data_set = described(known()[name] if name else None, columns, each, where, namespace)
    endings = (".json",) if data_set.kind is Kind.THEOREMS else (".parquet", ".jsonl")
    if not out.name.endswith(endings):
        raise BadInput(f"{out} cannot hold {data_set.kind}; let --out end in {' or '.join(endings)}.")
    reading = Reading(
        data_set,
        ImportReport(data_set=name, source=source, kind=data_set.kind, licence=data_set.licence, lean=data_set.lean),
        held=Held(dict(benchmark(text) for text in against)),
        split=split,
        given_header=options.read_header(header),
        default_header=open_lean(lean).default_header,
        allowed_imports=allow_import,
        most_bad=most_bad,
    )
    write(source, out, reading, lean if elaborate else None)
    show(reading.report, Console())
    typer.echo(
        f"{reading.report.imported:,} {data_set.kind} in {out}; what was found is in {report_path(out).name} beside it."
    )


def described(base: DataSet | None, columns: str, each: str, where: list[str], namespace: str) -> DataSet:
    """The data set that the options describe, on top of a named one. Raises BadInput."""
    from pydantic import ValidationError

    from burnqed.data.sets.catalogue import DataSet, kind_of

    mapped = dict(_assignment(part, "--columns", "theorem=full_name") for part in columns.split(",") if part.strip())
    conditions: dict[str, list[str]] = {}
    for text in where:
        column, value = _assignment(text, "--where", "status=proved")
        conditions.setdefault(column, []).append(value)
    document: dict[str, Any] = {
        "title": "",
        "kind": kind_of(mapped),
        "source": "imported",
        "columns": {},
        "proofs": "none",
    }
    document |= dict.fromkeys(("lean", "licence", "rows", "verified"), "")
    if base:
        document = base.model_dump()
    changes: dict[str, Any] = {"each": each, "where": conditions, "source": namespace}
    document |= {key: value for key, value in changes.items() if value}
    document["columns"] = {**document["columns"], **mapped}
    try:
        return DataSet.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where_to = f"--{'source' if first['loc'] == ('source',) else 'columns'}"
        raise BadInput(f"{where_to}: {first['msg'].removeprefix('Value error, ')}.") from None


def _assignment(text: str, option: str, example: str) -> tuple[str, str]:
    key, equals, value = (part.strip() for part in text.partition("="))
    if not (key and equals and value):
        raise BadInput(f"{option} takes NAME=VALUE, as in {example}, not {text!r}.")
    return key, value


def report_path(out: Path) -> Path:
    return out.with_name(f"{out.name.partition('.')[0]}.report.json")


def write(source: str, out: Path, reading: Reading, lean: LeanConfig | None) -> None:
    """Writes the rows and the report. With a Lean, the statements of a theorem index are elaborated. Raises BadInput, with nothing written."""
    import hashlib
    from collections.abc import Iterator
    from typing import cast

    from burnqed.data.pairs import PAIRS, TacticPair
    from burnqed.data.proofs import PROOFS, WholeProof
    from burnqed.data.sets.catalogue import Kind
    from burnqed.data.sets.places import located
    from burnqed.data.theorems import dump_index
    from burnqed.evaluate.figures import benchmark_hash
    from burnqed.store import Store

    report, store = reading.report, Store(str(out.resolve().parent))
    with located(source, reading.data_set) as files:
        for file, path, _ in files:
            with path.open("rb") as opened:
                report.files[file] = hashlib.file_digest(opened, "sha256").hexdigest()
        records = reading.records(files)
        if report.kind is Kind.PAIRS:
            PAIRS.write(store, out.name, PAIRS.batches(cast(Iterator[TacticPair], records)))
        elif report.kind is Kind.PROOFS:
            PROOFS.write(store, out.name, PROOFS.batches(cast(Iterator[WholeProof], records)))
        else:
            theorems = list(cast("Iterator[Theorem]", records))
            if lean is not None:
                theorems = elaborated(theorems, reading.data_set, report, lean, source)
            report.imported = len(theorems)
            report.benchmark_hash = benchmark_hash(theorems, reading.default_header)
            store.write_text(out.name, dump_index(theorems))
    store.write_text(report_path(out).name, report.text())


def elaborated(
    theorems: list[Theorem], data_set: DataSet, report: ImportReport, lean: LeanConfig, source: str
) -> list[Theorem]:
    """Notes which statements do not elaborate; those of a benchmark stay. Raises BadInput when they are more than a fifth, or their headers import what this Lean lacks."""
    from burnqed.data.importing import failing
    from burnqed.data.sets.imports import modules
    from burnqed.lean.backends import open_lean

    backend = open_lean(lean)
    imported = dict.fromkeys(module for header in {t.header or "" for t in theorems} for module in modules(header))
    if absent := [module for module in imported if not backend.has_module(module)]:
        raise BadInput(
            f"The headers import {', '.join(absent[:5])}, which the {backend.name} Lean does not have, so no statement can be elaborated; "
            "choose a profile with another Lean (--profile), or import them unchecked (--no-elaborate)."
        )

    async def check() -> dict[str, str]:
        async with backend as entered:
            return await failing(theorems, entered, source, asyncio.Event())

    report.not_elaborating = asyncio.run(check())
    report.elaborated = True
    if data_set.benchmark:
        return theorems
    return [t for t in theorems if t.name not in report.not_elaborating]


def benchmark(text: str) -> tuple[str, list[Theorem]]:
    """A benchmark of `--against`, with its name."""
    from burnqed.data.theorems import read_index

    given, equals, location = text.partition("=")
    location = location if equals else text
    return given if equals else Path(location).stem, read_index(location)


def show(report: ImportReport, console: Console) -> None:
    """The report as a table, and the bad rows and leaked names under it."""
    table = Table("", "", show_header=False)
    for label, value in report.lines():
        table.add_row(display.cell(label), display.cell(value))
    console.print(table)
    for bad in report.bad_rows[:10]:
        display.tell(console, "bad  ", str(bad))
    for reason, names in report.names.items():
        if reason.startswith("in the benchmark"):
            display.tell(console, f"{reason}  ", ", ".join(names[:20]) + (", …" if len(names) > 20 else ""))
    for name, reason in list(report.not_elaborating.items())[:10]:
        display.tell(console, "does not elaborate  ", f"{name}: {reason}")


def import_index(file: str, out: Path, header: Path | None, elaborate: bool, lean: LeanConfig) -> None:
    """Checks a theorem index: duplicates and statements that do not elaborate are left out."""
    from burnqed.data.importing import distinct, elaborating
    from burnqed.data.theorems import dump_index, read_index
    from burnqed.lean.backends import open_lean
    from burnqed.store import Store

    theorems = read_index(file, options.read_header(header))
    different = distinct(theorems)

    async def check() -> list[Theorem]:
        async with open_lean(lean) as backend:
            return await elaborating(different, backend)

    kept = asyncio.run(check()) if elaborate else different
    if not kept:
        raise BadInput(f"No statement of {file} elaborates; check its header.")
    Store(str(out.resolve().parent)).write_text(out.name, dump_index(kept))
    typer.echo(
        f"{len(kept)} theorems in {out}; left out: {len(theorems) - len(different)} equal to another, "
        f"{len(different) - len(kept)} that do not elaborate."
    )
