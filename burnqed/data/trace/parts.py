"""Part files of a tracing: what is written stays when the tracing is interrupted, and is not made again.

    parts = Parts(store, "pairs.parquet.parts", key)
    await parts.fill(results, total=len(files), label="files", stop=stop, most_bad=0.2)
    PAIRS.write(store, "pairs.parquet", parts.pairs())

Part K is its record `part-K.json`, which is written last: without it there is no part. The record names the files `part-K-NAME.pairs.parquet` and
`part-K-NAME.proofs.parquet` (whole proofs that were found). What is traced at once, a proof or a file of a repository, is an item; every item is in one
part. Of two processes that fill the same parts, such as a lost pod and its successor, the first to write a record keeps it, and the other one stops.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from itertools import chain

import pyarrow as pa
from pydantic import BaseModel, ValidationError

from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.proofs import PROOFS, WholeProof
from burnqed.data.trace.ahead import until
from burnqed.data.trace.steps import LeftOut
from burnqed.errors import BadInput, TryAgain
from burnqed.layout import PART_DIGITS
from burnqed.progress import Progress
from burnqed.store import Store

PER_PART = 500
MOST_BAD = 0.2
"""Share of items that may be bad."""


class Trace(BaseModel):
    """What came of one theorem."""

    theorem: str
    """Name with its source."""
    source: str
    file_path: str = ""
    is_term: bool = False
    """Whether its proof is a term that holds no tactics."""
    pairs: int = 0
    left_out: dict[LeftOut, int] = {}
    """Steps that make no pair."""
    rejected: str = ""
    """Why it has no pairs at all: a cause (`burnqed.data.sets.causes`), or what `items.py` says."""
    message: str = ""
    """Lean's."""


@dataclass(frozen=True)
class Result:
    """What came of one item."""

    item: str
    traces: list[Trace] = field(default_factory=list)
    pairs: list[TacticPair] = field(default_factory=list)
    proofs: list[WholeProof] = field(default_factory=list)
    bad: str = ""
    """Why the item as a whole is skipped."""


class Part(BaseModel):
    """The record of a part."""

    key: str
    name: str
    """Of its files: another one for every writer."""
    items: list[str]
    traces: list[Trace]
    bad: dict[str, str]
    """Reasons by item."""


class Parts:
    """The parts below a prefix. `key`: what they depend on besides their items; parts of another key are written over."""

    def __init__(self, store: Store, prefix: str, key: str) -> None:
        self._store, self._prefix, self._key = store, prefix, key
        self.records: dict[int, Part] = {}
        """By number."""
        for path in store.list(prefix):
            if path.endswith(".json") and (part := self._read(path)):
                self.records[int(path.removesuffix(".json")[-PART_DIGITS:])] = part

    def _read(self, path: str) -> Part | None:
        try:
            part = Part.model_validate_json(self._store.read_bytes(path))
        except ValidationError:
            return None
        return part if part.key == self._key else None

    @property
    def done(self) -> set[str]:
        """The items that are in a part."""
        return {item for part in self.records.values() for item in part.items}

    @property
    def bad(self) -> dict[str, str]:
        """The items that were skipped, with the reasons."""
        return {item: reason for part in self.records.values() for item, reason in part.bad.items()}

    @property
    def traces(self) -> Iterator[Trace]:
        return chain.from_iterable(part.traces for _, part in sorted(self.records.items()))

    def pairs(self) -> Iterator[pa.RecordBatch]:
        return chain.from_iterable(
            PAIRS.read(self._store, self._path(number, f"-{part.name}.pairs.parquet"))
            for number, part in sorted(self.records.items())
        )

    def proofs(self) -> Iterator[pa.RecordBatch]:
        return chain.from_iterable(
            PROOFS.read(self._store, self._path(number, f"-{part.name}.proofs.parquet"))
            for number, part in sorted(self.records.items())
        )

    async def fill(
        self,
        results: AsyncIterator[Result],
        *,
        total: int,
        label: str,
        stop: asyncio.Event,
        per_part: int = PER_PART,
        most_bad: float = 1.0,
    ) -> None:
        """Writes the results, of items that are in no part yet, as they come: parts of at least `per_part` theorems. However it ends, what is traced is
        written. `total`: of items, those in parts included.

        Raises BadInput as soon as more than the share `most_bad` of them is bad, TryAgain when `stop` is set, or when another process fills these parts.
        """
        waiting, bad = list[Result](), self.bad
        rejected = sum(bool(trace.rejected) for trace in self.traces)
        with Progress(total, "trace", label, done=len(self.done)) as progress:
            try:
                _stop_if_bad(bad, most_bad, total, label)
                async for result in until(stop, results):
                    waiting.append(result)
                    bad |= {result.item: result.bad} if result.bad else {}
                    rejected += sum(bool(trace.rejected) for trace in result.traces)
                    progress.advance(rejected=rejected, **({"bad": len(bad)} if bad else {}))
                    _stop_if_bad(bad, most_bad, total, label)
                    if sum(len(one.traces) for one in waiting) >= per_part:
                        full, waiting = waiting, []
                        self._write(full)
            finally:
                if waiting:
                    self._write(waiting)

    def _write(self, results: list[Result]) -> None:
        number = max(self.records, default=-1) + 1
        pairs, proofs = ([x for r in results for x in r.pairs], [x for r in results for x in r.proofs])
        part = Part(
            key=self._key,
            name=uuid.uuid4().hex[:8],
            items=[r.item for r in results],
            traces=[trace for r in results for trace in r.traces],
            bad={r.item: r.bad for r in results if r.bad},
        )
        PAIRS.write(self._store, self._path(number, f"-{part.name}.pairs.parquet"), PAIRS.batches(pairs))
        PROOFS.write(self._store, self._path(number, f"-{part.name}.proofs.parquet"), PROOFS.batches(proofs))
        record = self._path(number, ".json")
        there = self._store.stamp(record)
        if (there and self._read(record)) or not self._store.write_if(
            record, part.model_dump_json(exclude_defaults=True).encode(), there[0] if there else None
        ):
            raise TryAgain(
                f"Another process writes the same parts ({self._store.locate(record)}); the same command continues them."
            )
        self.records[number] = part

    def _path(self, number: int, ending: str) -> str:
        return f"{self._prefix}/part-{number:0{PART_DIGITS}d}{ending}"


def _stop_if_bad(bad: dict[str, str], most_bad: float, total: int, label: str) -> None:
    if len(bad) > most_bad * total:
        item, reason = next(iter(bad.items()))
        raise BadInput(
            f"{len(bad)} of {total} {label} cannot be traced, more than {most_bad:.0%} (the first is {item}: {reason}); where the others are of use, "
            "`burnqed data trace` takes a larger share with --most-bad."
        )
