"""How often values occur, and what is told of that."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable
from itertools import accumulate
from math import ceil, floor
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from burnqed.data.filters import cheats

Value = TypeVar("Value", bound=Hashable)

FREQUENT = 10


def add(counts: Counter[Value], column: pa.Array | pa.ChunkedArray) -> None:
    """Counts the values of a column; null is not one."""
    for entry in pc.value_counts(column.drop_null()).to_pylist():
        counts[entry["values"]] += entry["counts"]


def quantile(counts: Counter[int], share: float) -> float:
    """The median for 0.5; 0 of no values."""
    values = sorted(counts)
    ends = list(accumulate(counts[value] for value in values))
    if not ends:
        return 0
    last = (ends[-1] - 1) * share
    low, high = (values[bisect_right(ends, at)] for at in (floor(last), ceil(last)))
    return (low + high) / 2


def spread(counts: Counter[int]) -> dict[str, float]:
    return {
        "median": quantile(counts, 0.5),
        "90 %": quantile(counts, 0.9),
        "most": max(counts, default=0),
    }


def by_size(counts: Counter[int]) -> dict[str, int]:
    """Counts of 0, 1, 2, 3-4, 5-8, 9-16 and so on."""
    found = Counter[int]()
    for value, count in counts.items():
        found[max(0, value - 1).bit_length() + (value > 0)] += count
    return {_range(size): found[size] for size in sorted(found)}


def _range(size: int) -> str:
    if size < 3:
        return str(size)
    return f"{2 ** (size - 2) + 1}-{2 ** (size - 1)}"


def most_common(counts: Counter[str]) -> dict[str, int]:
    return dict(counts.most_common(FREQUENT))


class Tactics:
    """Figures of tactics, and of the states that they are applied to or lead to."""

    def __init__(self) -> None:
        self._words, self._lengths, self._states = Counter[str](), Counter[int](), Counter[int]()
        self._cheats = 0

    def add(self, tactics: pa.Array | pa.ChunkedArray, states: pa.Array | pa.ChunkedArray) -> None:
        add(self._words, pc.struct_field(pc.extract_regex(tactics, r"^[\s·]*(?P<word>\S+)"), 0))
        add(self._lengths, pc.utf8_length(tactics))
        add(self._states, pc.utf8_length(states))
        suspicious = tactics.filter(pc.fill_null(pc.match_substring_regex(tactics, "sorry|admit|cheat"), False))
        self._cheats += sum(map(cheats, suspicious.to_pylist()))

    def facts(self) -> dict[str, object]:
        count = sum(self._lengths.values())
        return {
            "most frequent tactics": most_common(self._words),
            "different first words": len(self._words),
            "tactic characters": spread(self._lengths),
            "state characters": spread(self._states),
            "with sorry or admit": {"tactics": self._cheats, "%": round(100 * self._cheats / max(1, count), 2)},
        }
