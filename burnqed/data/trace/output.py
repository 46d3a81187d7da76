"""What a tracing leaves: pairs, the whole proofs and theorems that it found, and its report, from the parts that it wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import pyarrow as pa

from burnqed.data.pairs import PAIRS
from burnqed.data.proofs import PROOFS
from burnqed.data.trace.parts import Parts
from burnqed.data.trace.report import Counting, TraceReport
from burnqed.errors import BadInput
from burnqed.store import Store


def write(parts: Sequence[Parts], report: TraceReport, store: Store, pairs: str) -> None:
    """Writes `pairs`, `STEM.report.json` beside it, and `STEM.proofs.parquet` and `STEM.theorems.json` where whole proofs were found; completes the report.

    Raises BadInput when there is no pair; then only the report is written, or nothing where there are pairs of an earlier tracing, whose report it has.
    """
    stem = pairs.rpartition("/")[0] + "/" * ("/" in pairs) + pairs.rpartition("/")[2].partition(".")[0]
    report.bad = {item: reason for each in parts for item, reason in each.bad.items()}
    report.items = sum(len(each.done) for each in parts)
    counting = Counting(report, chain.from_iterable(each.traces for each in parts))
    traced, is_there = counting.counted(chain.from_iterable(each.pairs() for each in parts)), store.exists(pairs)
    told = f"{pairs} and its report stay as they were" if is_there else f"{pairs} was not written; its report says why"
    try:
        PAIRS.write(store, pairs, _some(traced, report, told))
    finally:
        if report.pairs or not is_there:
            store.write_text(f"{stem}.report.json", report.text())
    if any(len(batch) for each in parts for batch in each.proofs()):
        PROOFS.write(store, f"{stem}.proofs.parquet", chain.from_iterable(each.proofs() for each in parts))
        _write_index(chain.from_iterable(each.proofs() for each in parts), store, f"{stem}.theorems.json")


def _some(batches: Iterable[pa.RecordBatch], report: TraceReport, told: str) -> Iterator[pa.RecordBatch]:
    yield from batches
    if not report.pairs:
        source = f"the first fifth of {report.source}" if report.first_fifth else report.source
        raise BadInput(f"No proof of {source} gave a pair, so {told}.")


def _write_index(proofs: Iterable[pa.RecordBatch], store: Store, path: str) -> None:
    """The theorems of the proofs, one by one: with their headers they are larger than the pairs."""
    with store.writing(path) as file, file.open("w", encoding="utf-8") as index:
        index.write('{"theorems": [')
        separator = "\n"
        for batch in proofs:
            for row in batch.to_pylist():
                theorem = {k: row[k] for k in ("name", "statement", "header", "file_path") if row[k] is not None}
                index.write(separator + json.dumps(theorem, ensure_ascii=False))
                separator = ",\n"
        index.write("\n]}\n")
