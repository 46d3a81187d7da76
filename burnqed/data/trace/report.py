"""The integrity report of a tracing: one document, written beside the pairs and shown as a table."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from pydantic import BaseModel

from burnqed.data.split import unit_interval
from burnqed.data.trace.items import SORRY, UNREADABLE
from burnqed.data.trace.parts import Trace

SAMPLES = 10
EXAMPLES = 20
"""Theorems that the report names for each reason why they have no pairs."""
SHOWN = 8
"""Sources, files and depths that the table shows."""
DEEP = 20
"""Depths from here on are counted together."""


class Rejected(BaseModel):
    """A theorem without pairs."""

    theorem: str
    reason: str
    message: str = ""


class Sample(BaseModel):
    """A pair, for somebody to read."""

    theorem: str
    depth: int | None
    state: str
    tactic: str


class TraceReport(BaseModel):
    """Counts are of theorems, or of pairs where the name says so."""

    source: str
    way: str
    """How it was traced: by `tactics`, `frontend` or `leandojo`, with versions."""
    first_fifth: bool = False
    """Whether only the items of the first sample were to be traced."""
    theorems: int = 0
    traced: int = 0
    """With at least one pair."""
    pairs: int = 0
    duplicates: int = 0
    """Pairs equal to an earlier one of their theorem, which were left out."""
    pairs_by_source: dict[str, int] = {}
    pairs_by_file: dict[str, int] = {}
    pairs_by_depth: dict[str, int] = {}
    tactic_proofs: int = 0
    term_proofs: int = 0
    """Of the theorems that are not rejected: terms that hold no tactics, so that there is nothing to trace."""
    sorry: int = 0
    """Theorems that are rejected for `sorry` or `admit`."""
    rejected: dict[str, int] = {}
    """Theorems without pairs, by the reason, `sorry` among them."""
    examples: list[Rejected] = []
    """The first of each reason."""
    steps_left_out: dict[str, int] = {}
    """Steps of traced theorems that make no pair, by the reason."""
    items: int = 0
    """What was traced at once: files of a repository, or proofs."""
    bad: dict[str, str] = {}
    """Items that were skipped, with the reason."""
    samples: list[Sample] = []

    def refuse(self, refused: Mapping[str, str]) -> None:
        """Counts theorems that cannot be cut out of their file, with the reasons."""
        self.theorems += len(refused)
        self.rejected |= {UNREADABLE: len(refused)} if refused else {}
        named = list(refused.items())[:EXAMPLES]
        self.examples += [Rejected(theorem=name, reason=UNREADABLE, message=why) for name, why in named]

    def text(self) -> str:
        return self.model_dump_json(indent=1) + "\n"

    def lines(self) -> Iterator[tuple[str, str]]:
        """What the table shows: figures that are not zero."""
        yield "theorems", f"{self.theorems:,}"
        yield "traced", f"{self.traced:,}"
        for reason, count in self.rejected.items():
            yield f"rejected: {reason}", f"{count:,}"
        yield "pairs", f"{self.pairs:,}"
        for label, count in {
            "equal pairs left out": self.duplicates,
            "proofs by tactics": self.tactic_proofs,
            "proofs that are terms": self.term_proofs,
            "skipped as bad": len(self.bad),
            **{f"steps left out: {reason}": count for reason, count in self.steps_left_out.items()},
        }.items():
            if count:
                yield label, f"{count:,}"
        for label, counts in (("source", self.pairs_by_source), ("file", self.pairs_by_file)):
            if counts:
                shown = ", ".join(f"{name or '(none)'} {count:,}" for name, count in list(counts.items())[:SHOWN])
                yield (
                    f"pairs by {label}",
                    shown + (f", and {len(counts) - SHOWN:,} others" if len(counts) > SHOWN else ""),
                )
        if self.pairs_by_depth:
            yield "pairs by depth", ", ".join(f"{depth}: {count:,}" for depth, count in self.pairs_by_depth.items())


class Counting:
    """Counts traces, and pairs while they are written."""

    def __init__(self, report: TraceReport, traces: Iterable[Trace]) -> None:
        self.report = report
        self._files = dict[str, str]()
        self._rejected, self._left_out = Counter[str](report.rejected), Counter[str]()
        self._by_source, self._by_file, self._by_depth = Counter[str](), Counter[str](), Counter[int]()
        self._seen: set[int] = set()
        self._samples: list[tuple[float, int, Sample]] = []
        for trace in traces:
            self._count(trace)

    def _count(self, trace: Trace) -> None:
        report = self.report
        report.theorems += 1
        report.traced += bool(trace.pairs)
        report.term_proofs += trace.is_term and not trace.rejected
        report.tactic_proofs += not (trace.is_term or trace.rejected)
        if trace.file_path:
            self._files[trace.theorem] = trace.file_path
        if trace.rejected:
            self._rejected[trace.rejected] += 1
            report.sorry += trace.rejected == SORRY
            if self._rejected[trace.rejected] <= EXAMPLES:
                rejected = Rejected(theorem=trace.theorem, reason=trace.rejected, message=trace.message)
                report.examples.append(rejected)
        for reason, count in trace.left_out.items():
            self._left_out[reason] += count

    def counted(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The pairs without those that a theorem has twice. The report is complete when the last is out."""
        for batch in batches:
            kept = [
                not self._is_known(row)
                for row in batch.select(["theorem", "state", "tactic", "depth", "source"]).to_pylist()
            ]
            yield batch if all(kept) else batch.filter(pa.array(kept, pa.bool_()))
        self._finish()

    def _is_known(self, row: dict[str, Any]) -> bool:
        identity = hash((row["theorem"], row["state"], row["tactic"]))
        if identity in self._seen:
            self.report.duplicates += 1
            return True
        self._seen.add(identity)
        self.report.pairs += 1
        self._by_source[row["source"]] += 1
        self._by_depth[min(DEEP, row["depth"])] += 1
        if self._files:
            self._by_file[self._files.get(row["theorem"], "")] += 1
        rank = -unit_interval("sample", row["theorem"], row["depth"], row["state"], row["tactic"])
        if len(self._samples) < SAMPLES or rank > self._samples[0][0]:
            entry = (rank, self.report.pairs, Sample.model_validate(row))
            (heapq.heappush if len(self._samples) < SAMPLES else heapq.heappushpop)(self._samples, entry)
        return False

    def _finish(self) -> None:
        report = self.report
        report.rejected, report.steps_left_out = dict(self._rejected.most_common()), dict(self._left_out.most_common())
        report.pairs_by_source, report.pairs_by_file = (
            dict(self._by_source.most_common()),
            dict(self._by_file.most_common()),
        )
        report.pairs_by_depth = {f"{d}+" if d == DEEP else str(d): n for d, n in sorted(self._by_depth.items())}
        report.samples = [sample for _, _, sample in sorted(self._samples, key=lambda entry: -entry[0])]
