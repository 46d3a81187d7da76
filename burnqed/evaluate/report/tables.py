"""The report's tables of one benchmark over iterations, and by its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from burnqed.evaluate.course import course, names
from burnqed.evaluate.parts import breakdown
from burnqed.evaluate.results import SEARCH_HEAD, VARIANTS, IterationResult


@dataclass(frozen=True)
class Table:
    """Cells are text, or Markup where they have their own. Columns of numbers are aligned right, with digits of equal width."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 1
    """How many columns from the left are text."""


def course_table(iterations: Sequence[IterationResult]) -> Table:
    """Iterations so far, and what changed from one to the next, on one benchmark."""
    rows = course(iterations)
    series = names(rows)
    return Table(("iteration", *series), [(row.label, *(signs(row.text(name)) for name in series)) for row in rows])


def part_tables(result: IterationResult, earlier: Sequence[IterationResult]) -> list[Table]:
    """What is solved of the benchmark's parts."""
    now = result.evaluations
    before = [e for r in earlier for e in r.evaluations if e.benchmark_hash == now[0].benchmark_hash]
    shown = [(VARIANTS[e.variant], e) for e in now if e.variant != SEARCH_HEAD]
    compared = ("by the head",) if len(shown) > 1 else ()
    tables = []
    for found in breakdown(shown, min(e.at_largest.budget for _, e in shown), before):
        rows = [
            (p.name, f"{p.theorems:,}", *(rate.text for rate in p.rates), *([signs(p.change)] if compared else []))
            for p in found.parts
        ]
        tables.append(Table((found.by, "theorems", *(label for label, _ in shown), *compared), rows))
    return tables


def signs(text: str) -> str:
    """With a minus sign in place of a hyphen."""
    return text.replace("-", "−")
