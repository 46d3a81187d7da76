"""The head's training data, from trajectories: positives, and the other states of each theorem.

    examples = HeadExamples.from_tables(read_parts(store, paths, COLUMNS))

Positive: a state with goals left on the path of a checked proof, reached from another state of that path. Its siblings are the other
states that the same expansion led to. A state from which tactics that were tried lead to the end of a proof is never a negative, however it was reached, whether or not the
search went that way: the positive's sibling may well need one tactic more, and come to the same state. Neither is a finished state (search handles those before scoring) nor a
tactic that failed (it has no state).

Arrow turns theorems and states into numbers, part by part; everything after that works on arrays of numbers. Rows that teach nothing (tactics that
failed, finished paths that the check refused) are forgotten at once, and texts wait in a file: ten million rows fit into about 1.4 gigabytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from burnqed.data.split import is_validation
from burnqed.train.ragged import Indices, Ragged, Slices, distinct
from burnqed.train.texts import Texts
from burnqed.trajectory.schema import SCHEMA

NUMBERS = ["sample", "state_id", "parent_id", "depth", "visit_order", "is_terminal", "on_proof_path"]
COLUMNS = ["theorem", "state", "reason", *NUMBERS]
"""The columns of a trajectory that are needed."""
ABSENT = -1
"""Stands for null."""


@dataclass(frozen=True)
class HeadExamples:
    """n positives, and the other states by theorem. A state is its index in `texts`, a theorem that in `theorems`."""

    texts: Sequence[str]
    """All states and root states, each once."""
    theorems: list[str]
    theorem: Indices
    """[n]: that of each positive; likewise:"""
    goal: Indices
    """The root state."""
    state: Indices
    depth: Indices
    """Tactics from the root."""
    remaining: Indices
    """Tactics to the end of the first proof that the choice was found on."""
    siblings: Ragged
    """[n]: distinct states; may be empty."""
    earlier: Slices
    """[n]: states on the way from the root state to the positive, without either; may be empty."""
    expanded: Slices
    """[n]: distinct other states that the search which found the positive expanded before it, in that order; may be empty."""
    states: Ragged
    """[theorems]: distinct other states, from which no tried tactics lead to the end of a proof; siblings included."""

    def __len__(self) -> int:
        return len(self.state)

    def held_out(self, fraction: float) -> NDArray[np.bool_]:
        """[theorems]: which of them are held out for validation."""
        return np.array([is_validation(theorem, fraction) for theorem in self.theorems], dtype=np.bool_)

    def contrasted(self, positives: Indices) -> Indices:
        """Those of the positives whose theorem also has other states. From the others one would learn which theorems were searched."""
        return positives[np.diff(self.states.starts)[self.theorem[positives]] > 0]

    @property
    def digest(self) -> str:
        """Of all the data, in hexadecimal."""
        digest = hashlib.sha256()
        for texts in (self.texts, self.theorems):
            for text in texts:
                digest.update(hashlib.sha256(text.encode()).digest())
        for array in (self.theorem, self.goal, self.state, self.depth, self.remaining):
            digest.update(array.tobytes())
        for ragged in (self.siblings, self.states):
            digest.update(ragged.starts.tobytes() + ragged.values.tobytes())
        for slices in (self.earlier, self.expanded):
            digest.update(slices.values.tobytes() + slices.begin.tobytes() + slices.end.tobytes())
        return digest.hexdigest()

    @staticmethod
    def from_tables(tables: Iterable[pa.Table]) -> HeadExamples:
        """From tables with the COLUMNS, each of which holds whole searches.

        A choice that several searches made counts once, with the siblings from all of them; a state from which one search came to the end of a
        proof is not a negative in another.
        """
        rows = Rows.read(tables)
        # 1. Choices: the steps of checked proofs to a state with goals left
        start, parent, positive, end = rows.steps()
        theorem = rows.theorem[positive]
        goal, before, after = rows.state[start], rows.state[parent], rows.state[positive]
        choice, once = distinct(theorem, goal, before, after, rows.depth[positive])
        # 2. Rows with other states
        of_theorem, _ = distinct(rows.theorem, rows.state)
        is_other = ~rows.is_terminal & ~rows.provable(of_theorem)[of_theorem]
        # 3. Each choice's siblings, and each theorem's states, once, in the order of the rows
        child, step = rows.children(parent, is_other)
        first = distinct(choice[step], rows.state[child])[1]
        siblings = Ragged.grouped(rows.state[child][first], choice[step][first], len(once))
        other = np.flatnonzero(is_other)
        other = other[distinct(of_theorem[other])[1]]
        theorems = np.concatenate([rows.theorem[other], theorem[once]])
        theorem, named = distinct(theorems)
        states = Ragged.grouped(rows.state[other], theorem[: len(other)], len(named))
        expanded = rows.expanded_before(positive[once], is_other)
        # The steps of a path lie together, in order, and have the same start
        is_first = np.diff(start, prepend=-1) != 0
        earlier = Slices(after, np.maximum.accumulate(np.where(is_first, np.arange(len(start)), 0))[once], once)
        # 4. Texts in order of first appearance: root, positive and siblings of each choice, then the other states
        goal, after = goal[once], after[once]
        choices = np.concatenate([np.arange(len(once)), np.arange(len(once)), siblings.row])
        by_choice = Ragged.grouped(np.concatenate([goal, after, siblings.values]), choices, len(once))
        met = np.concatenate([by_choice.values, states.values])
        met = met[distinct(met)[1]]
        number = np.full(len(rows.texts), ABSENT, dtype=np.int64)
        number[met] = np.arange(len(met))
        return HeadExamples(
            texts=rows.texts.take(met),
            theorems=rows.theorems.take(pa.array(theorems[named])).to_pylist(),
            theorem=theorem[len(other) :],
            goal=number[goal],
            state=number[after],
            depth=rows.depth[positive[once]],
            remaining=rows.depth[end[once]] - rows.depth[positive[once]],
            siblings=Ragged(number[siblings.values], siblings.starts),
            earlier=Slices(number[earlier.values], earlier.begin, earlier.end),
            expanded=Slices(number[expanded.values], expanded.begin, expanded.end),
            states=Ragged(number[states.values], states.starts),
        )


@dataclass(frozen=True)
class Rows:
    """The rows of trajectories that matter, as arrays [rows]: states with goals left, ends that no check refused, and the paths of proofs."""

    theorems: pa.Array
    texts: Texts
    """The states, each once."""
    theorem: Indices
    """In `theorems`; likewise:"""
    state: Indices
    search: Indices
    """Number of the search."""
    state_id: Indices
    parent_id: Indices
    depth: Indices
    visit_order: Indices
    is_terminal: NDArray[np.bool_]
    on_path: NDArray[np.bool_]

    @staticmethod
    def read(tables: Iterable[pa.Table]) -> Rows:
        texts, names = Texts(), list[pa.Array]()
        numbers: list[list[NDArray[np.generic]]] = []
        met: list[NDArray[np.uint64]] = []  # hashes of the texts of each table, as they are in `texts`
        states: list[NDArray[np.int32]] = []
        lengths, number = [], 0
        for table in chain([SCHEMA.empty_table()], tables):
            is_open = pc.and_not(pc.is_valid(table["state"]), table["is_terminal"])
            is_closed = pc.and_(table["is_terminal"], pc.is_null(table["reason"]))
            rows = table.filter(pc.or_(pc.or_(is_open, is_closed), table["on_proof_path"]))
            lengths.append(len(rows))
            names.append(encoded(rows["theorem"]))
            numbers.append([filled(rows[name]) for name in NUMBERS])
            state = encoded(rows["state"])
            found = state.dictionary.to_pylist()
            texts.extend(found)
            met.append(np.array([short_hash(text) for text in found], dtype=np.uint64))
            states.append(
                (state.indices.cast(pa.int32()).fill_null(ABSENT - number).to_numpy() + number).astype(np.int32)
            )
            number += len(found)
        theorems, theorem = indices(names)
        _, first, same = np.unique(np.concatenate(met), return_index=True, return_inverse=True)
        place_of_text = np.concatenate(states)
        state_numbers = np.append(same, ABSENT)[place_of_text]  # ABSENT is the last
        sample, state_id, parent_id, depth, visit_order, is_terminal, on_path = (
            np.concatenate(column) for column in zip(*numbers, strict=True)
        )
        place, _ = distinct(np.repeat(np.arange(len(lengths)), lengths), theorem)
        return Rows(
            theorems=theorems,
            texts=texts.take(first),
            theorem=theorem,
            state=state_numbers,
            search=distinct(place, sample)[0],
            state_id=state_id,
            parent_id=parent_id,
            depth=depth,
            visit_order=visit_order,
            is_terminal=is_terminal.astype(np.bool_),
            on_path=on_path.astype(np.bool_),
        )

    @cached_property
    def parent(self) -> Indices:
        """[rows]: the row of each row's parent; ABSENT at the root."""
        width = int(self.state_id.max(initial=0)) + 1
        keys, wanted = self.search * width + self.state_id, self.search * width + self.parent_id
        order = np.argsort(keys)
        rows = order[np.minimum(np.searchsorted(keys[order], wanted), max(len(keys) - 1, 0))]
        return np.where((self.parent_id != ABSENT) & (keys[rows] == wanted), rows, ABSENT)

    def provable(self, state: Indices) -> NDArray[np.bool_]:
        """[states]: whether tactics that were tried, in one search or in several, lead from it to the end of a proof; `state` [rows] numbers the states of each theorem."""
        found = np.zeros(int(state.max(initial=-1)) + 1, dtype=np.bool_)
        found[state[self.on_path | self.is_terminal]] = True
        child = np.flatnonzero(self.parent != ABSENT)
        child, before = state[child], state[self.parent[child]]
        known = 0
        while known < (known := int(np.count_nonzero(found))):
            found[before[found[child]]] = True
        return found

    def steps(self) -> tuple[Indices, Indices, Indices, Indices]:
        """Four rows for each step on a path to a state with goals left: the path's first row, the rows before and after the step, and the path's last row."""
        path = np.flatnonzero(self.on_path)
        number, _ = distinct(self.search[path])
        order = np.lexsort((self.depth[path], number))
        path, number = path[order], number[order]
        is_first = np.diff(number, prepend=-1) != 0
        firsts = np.flatnonzero(is_first)
        of = np.cumsum(is_first) - 1
        after = np.flatnonzero(~is_first & ~self.is_terminal[path])
        lasts = np.append(firsts[1:], len(path)) - 1
        return path[firsts[of[after]]], path[after - 1], path[after], path[lasts[of[after]]]

    def children(self, parent: Indices, chosen: NDArray[np.bool_]) -> tuple[Indices, Indices]:
        """The chosen rows whose parent is one of the `parent` rows [steps], with the step; ordered by step, then by row."""
        step_at = np.full(len(self.state) + 1, ABSENT, dtype=np.int64)  # ABSENT is the last
        step_at[parent] = np.arange(len(parent))
        step = np.where(chosen, step_at[self.parent], ABSENT)
        child = np.flatnonzero(step != ABSENT)
        child = child[np.argsort(step[child], kind="stable")]
        return child, step[child]

    def expanded_before(self, row: Indices, chosen: NDArray[np.bool_]) -> Slices:
        """[row]: the chosen states that the search of each of these rows expanded before it. All rows of a search share its states, as it may expand thousands."""
        width = int(self.visit_order.max(initial=0)) + 1
        found = np.flatnonzero(chosen & (self.visit_order != ABSENT))
        when = self.search[found] * width + self.visit_order[found]
        order = np.argsort(when)
        order = order[distinct(self.search[found[order]], self.state[found[order]])[1]]
        when, first = when[order], self.search[row] * width
        begin, end = (np.searchsorted(when, time) for time in (first, first + np.maximum(self.visit_order[row], 0)))
        return Slices(self.state[found[order]], begin, end)


def filled(column: pa.ChunkedArray) -> NDArray[np.int32]:
    """A column of whole numbers or truth values, with ABSENT for null."""
    values: NDArray[np.int32] = column.cast(pa.int32()).fill_null(ABSENT).to_numpy()
    return values


def encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """The texts of a column as numbers."""
    return column.cast(pa.large_string()).dictionary_encode().unify_dictionaries().combine_chunks()


def short_hash(text: str) -> int:
    """64 bits: of ten million states, two have the same with a probability of one in 400,000."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def indices(chunks: list[pa.DictionaryArray]) -> tuple[pa.Array, Indices]:
    """The distinct texts of all chunks, and the index of each text; ABSENT for null."""
    together = pa.chunked_array(chunks).unify_dictionaries()
    numbers = [chunk.indices.cast(pa.int64()).fill_null(ABSENT).to_numpy() for chunk in together.chunks]
    return together.chunk(0).dictionary, np.concatenate(numbers)
