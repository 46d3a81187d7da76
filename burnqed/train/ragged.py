"""Rows of different lengths, and distinct values, in arrays of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Ragged:
    """Row i is `values[starts[i]:starts[i + 1]]`."""

    values: Indices
    starts: Indices
    """[rows + 1]"""

    @staticmethod
    def grouped(values: Indices, row: Indices, rows: int) -> Ragged:
        """`row` [values] is the row of each value; the order within a row is kept."""
        starts = np.cumsum([0, *np.bincount(row, minlength=rows)], dtype=np.int64)
        return Ragged(values[np.argsort(row, kind="stable")], starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> Indices:
        return self.values[self.starts[row] : self.starts[row + 1]]

    @property
    def row(self) -> Indices:
        """[values]: the row of each value."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def where(self, kept: NDArray[np.bool_]) -> Ragged:
        """A copy in which all rows but the `kept` [rows] are empty."""
        chosen = kept[self.row]
        return Ragged.grouped(self.values[chosen], self.row[chosen], len(self))


@dataclass(frozen=True)
class Slices:
    """Row i is `values[begin[i]:end[i]]`; rows may overlap, so many of them can share a few values."""

    values: Indices
    begin: Indices
    """[rows]; likewise:"""
    end: Indices

    def __getitem__(self, row: int) -> Indices:
        return self.values[self.begin[row] : self.end[row]]


def distinct(*columns: Indices) -> tuple[Indices, Indices]:
    """Numbers the distinct rows of some columns [n] of whole numbers from -1 on in order of first appearance: the number of each row [n],
    and the first row with each number."""
    number = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        wide = number * (int(column.max(initial=0)) + 2) + column + 1
        _, first, number = np.unique(wide, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[number], first[order]
