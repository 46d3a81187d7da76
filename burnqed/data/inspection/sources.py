"""A source of any kind: told apart by its ending and its columns.

source = Source("pairs.parquet")
facts, examples = source.describe(3)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from burnqed.data.inspection.overlaps import Keys
from burnqed.data.inspection.pairs import describe_pairs
from burnqed.data.inspection.theorems import describe_proofs, describe_theorems
from burnqed.data.inspection.trajectories import Row, describe_trajectories, search_rows
from burnqed.data.pairs import PAIRS
from burnqed.data.rows import BATCH, LINES, RowFormat, chunks
from burnqed.data.sets.exporting import columns_of, format_with
from burnqed.data.sets.leaks import form
from burnqed.data.sets.states import proposition
from burnqed.data.theorems import read_index
from burnqed.errors import BadInput
from burnqed.lean.protocol import Theorem
from burnqed.store import Store, split_address
from burnqed.trajectory.finished import finished_parts
from burnqed.trajectory.reader import read_parts

INDEX, TRAJECTORIES = "theorems", "trajectories"


class Source:
    """A theorem index, pairs, whole proofs, a part of trajectories, or a folder with finished searches. Methods raise BadInput."""

    def __init__(self, location: str) -> None:
        self.location = location

    @cached_property
    def _place(self) -> tuple[Store, str]:
        return split_address(self.location)

    @cached_property
    def kind(self) -> str | RowFormat[Any]:
        if self.location.endswith(".json"):
            return INDEX
        store, name = self._place
        if name.endswith((".parquet", LINES)):
            names = columns_of(store, name)
            return TRAJECTORIES if {"state_id", "tactic_status"} <= names else format_with(names, self.location)
        files = store.files(name)
        return TRAJECTORIES if files and name not in files else INDEX

    def describe(self, examples: int) -> tuple[dict[str, object], list[str]]:
        """Figures by what they are of, and some of what it holds, as text."""
        kind = self.kind
        if kind is INDEX:
            return describe_theorems(self._theorems(), examples)
        if kind is TRAJECTORIES:
            return describe_trajectories(self._tables, examples)
        if kind is PAIRS:
            return describe_pairs(self._batches, examples)
        return describe_proofs(self._rows(), examples)

    def search(self, theorem: str, sample: int) -> list[Row]:
        """The rows of one search."""
        if self.kind is not TRAJECTORIES:
            raise BadInput(f"{self.location} holds no searches; give trajectories, or a folder that has them.")
        return search_rows(self._tables(), theorem, sample)

    def keys(self) -> Keys:
        """What it can have in common with others."""
        keys, kind = Keys(), self.kind
        if kind is TRAJECTORIES:
            for table in self._tables(["theorem", "state", "root_state", "status"]):
                keys.add("states", pc.unique(table["state"]).drop_null().to_pylist())
                roots = table.filter(pc.is_valid(table["status"]))
                keys.add("names", roots["theorem"].to_pylist())
                keys.add("statements", stated(roots["root_state"].drop_null().to_pylist()))
        elif kind is PAIRS:
            last = ""
            for batch in self._batches():
                names, depths = batch["theorem"].to_pylist(), batch["depth"].to_pylist()
                # where the data set does not say, a theorem's first row has its root
                is_root = [
                    depth == 0 or (depth is None and name != before)
                    for name, before, depth in zip(names, [last, *names], depths, strict=False)
                ]
                last = names[-1] if names else last
                keys.add("names", names)
                keys.add("states", batch["state"].to_pylist())
                keys.add("statements", stated(batch["state"].filter(pa.array(is_root, pa.bool_())).to_pylist()))
        else:
            for theorems in chunks(self._theorems() if kind is INDEX else self._rows(), BATCH):
                keys.add("names", (theorem.name for theorem in theorems))
                keys.add("statements", (form(theorem.statement) for theorem in theorems))
        return keys

    def _theorems(self) -> list[Theorem]:
        return read_index(self.location)

    def _tables(self, columns: list[str] | None = None) -> Iterator[pa.Table]:
        store, name = self._place
        return read_parts(store, [name] if name.endswith(".parquet") else finished_parts(self.location), columns)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        assert isinstance(self.kind, RowFormat)
        return self.kind.read(*self._place)

    def _rows(self) -> Iterator[Any]:
        assert isinstance(self.kind, RowFormat)
        return self.kind.rows(self._batches())


def stated(states: list[str]) -> Iterator[str]:
    """Root states as statements; those that cannot be read back are left out."""
    return (form(found.statement) for state in states if (found := proposition(state)))
