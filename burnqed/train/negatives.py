"""What the head learns from: states on checked proofs (positives), and for each of them states that are not (negatives).

Positive: a state with goals left on the path of a checked proof, reached from an expanded state of that path. Its negatives are
- siblings: other states that the same expansion led to;
- theorem: other states of the same theorem;
- others: states of other theorems, proved or not, judged against the positive's own root state.
Never negative: a state on any proof of its theorem, a finished state (search handles those before scoring), a tactic that
failed (it has no state). Of theorems without a proof nothing is known to be right or wrong, so their states serve as `others` only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from burnqed.config import EbmConfig


class Kind(IntEnum):
    """Where a negative comes from."""

    SIBLING = 0
    THEOREM = 1
    OTHER = 2


FALLBACK = {
    Kind.SIBLING: (Kind.THEOREM, Kind.OTHER),
    Kind.THEOREM: (Kind.SIBLING, Kind.OTHER),
    Kind.OTHER: (Kind.THEOREM, Kind.SIBLING),
}
"""What stands in for a kind that runs out."""


@dataclass(frozen=True)
class HeadExample:
    """One positive."""

    theorem: str
    goal: str
    """The root state."""
    state: str
    depth: int
    """Tactics from the root."""
    siblings: tuple[str, ...]
    """Distinct states; may be empty."""


@dataclass(frozen=True)
class HeadExamples:
    """All positives, and the other states by theorem."""

    positives: list[HeadExample]
    states: dict[str, tuple[str, ...]]
    """Distinct states of each theorem that lie on none of its proofs, siblings included."""

    @staticmethod
    def from_tables(decisions: Iterable[pa.Table], states: Iterable[pa.Table]) -> HeadExamples:
        """From tables of `burnqed.trajectory.reader` (types DECISIONS and STATES) of any number of searches.

        A choice that several searches made counts once, with the siblings of all; what lies on a proof in one search is no
        negative in another.
        """
        siblings: dict[tuple[str, str, str, str, int], dict[str, None]] = defaultdict(dict)
        on_proof: dict[str, set[str]] = defaultdict(set)
        for table in decisions:
            for row in table.to_pylist():
                key = (row["theorem"], row["goal"], row["parent"], row["positive"], row["depth"])
                siblings[key].update(dict.fromkeys(row["siblings"]))
                on_proof[row["theorem"]].update((row["goal"], row["parent"], row["positive"]))
        rest: dict[str, dict[str, None]] = defaultdict(dict)
        for table in states:
            for theorem, state in zip(table["theorem"].to_pylist(), table["state"].to_pylist(), strict=True):
                if state not in on_proof[theorem]:
                    rest[theorem][state] = None
        positives = [
            HeadExample(theorem, goal, positive, depth, tuple(s for s in found if s not in on_proof[theorem]))
            for (theorem, goal, _, positive, depth), found in siblings.items()
        ]
        return HeadExamples(positives, {theorem: tuple(found) for theorem, found in rest.items() if found})

    def texts(self) -> list[str]:
        """Every state and root state, once."""
        found: dict[str, None] = {}
        for example in self.positives:
            found.update(dict.fromkeys((example.goal, example.state, *example.siblings)))
        for states in self.states.values():
            found.update(dict.fromkeys(states))
        return list(found)


@dataclass(frozen=True)
class NegativeBatch:
    """Negatives of n positives, K for each."""

    rows: NDArray[np.int64]
    """[n, K]: rows of the embedding matrix; 0 where `present` is False."""
    kinds: NDArray[np.int8]
    """[n, K]: `Kind`."""
    present: NDArray[np.bool_]
    """[n, K]: False where a positive has fewer than K negatives."""


class NegativeSampler:
    """Draws negatives without repetition in the configured shares; where a kind runs out, others stand in (FALLBACK).

    positives: the positives to draw for. states: all states by theorem (`others` come from theorems that are not the
    positive's). row: of the embedding matrix, by text.
    """

    def __init__(
        self,
        positives: Sequence[HeadExample],
        states: dict[str, tuple[str, ...]],
        row: dict[str, int],
        config: EbmConfig,
    ) -> None:
        self.count = config.negatives
        self.shares = (config.sibling_share, config.theorem_share)
        self.positive_rows = np.array([row[p.state] for p in positives], dtype=np.int64)
        self.siblings = [np.array([row[s] for s in p.siblings], dtype=np.int64) for p in positives]
        by_theorem = {theorem: np.array([row[s] for s in found], dtype=np.int64) for theorem, found in states.items()}
        none = np.empty(0, dtype=np.int64)
        self.theorem = [
            np.setdiff1d(by_theorem.get(p.theorem, none), own, assume_unique=True)
            for p, own in zip(positives, self.siblings, strict=True)
        ]
        # others: one long list, in which each theorem's states lie together, so that the own ones are skipped by shifting
        self.pool = np.concatenate([*by_theorem.values(), none])
        starts = dict(zip(by_theorem, np.cumsum([0, *map(len, by_theorem.values())]).tolist(), strict=False))
        self.own = [(starts.get(p.theorem, 0), len(by_theorem.get(p.theorem, none))) for p in positives]

    def usable(self) -> list[int]:
        """Indices of the positives that have any negative."""
        own = zip(self.siblings, self.theorem, self.own, strict=True)
        return [i for i, (s, t, (_, length)) in enumerate(own) if len(s) or len(t) or len(self.pool) > length]

    def draw(self, positives: Sequence[int], random: np.random.Generator) -> NegativeBatch:
        """Negatives of the positives with these indices."""
        shape = (len(positives), self.count)
        rows, kinds = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int8)
        present = np.zeros(shape, dtype=np.bool_)
        for i, p in enumerate(positives):
            start, length = self.own[p]
            available = (len(self.siblings[p]), len(self.theorem[p]), len(self.pool) - length)
            wanted = self.plan(available, random)
            others = random.choice(available[Kind.OTHER], wanted[Kind.OTHER], replace=False, shuffle=False)
            drawn = (
                random.choice(self.siblings[p], wanted[Kind.SIBLING], replace=False),
                random.choice(self.theorem[p], wanted[Kind.THEOREM], replace=False),
                self.pool[others + length * (others >= start)],
            )
            n = sum(wanted)
            rows[i, :n] = np.concatenate(drawn)
            kinds[i, :n] = np.repeat((Kind.SIBLING, Kind.THEOREM, Kind.OTHER), wanted)
            # another theorem can pass through the very same state
            present[i, :n] = rows[i, :n] != self.positive_rows[p]
        return NegativeBatch(rows, kinds, present)

    def plan(self, available: tuple[int, int, int], random: np.random.Generator) -> list[int]:
        """How many of each kind: the shares of `count`, rounded by chance, and moved to other kinds where one runs out."""
        siblings = int(self.count * self.shares[0] + random.random())
        theorem = min(self.count - siblings, int(self.count * self.shares[1] + random.random()))
        wanted = [siblings, theorem, self.count - siblings - theorem]
        given = [min(w, a) for w, a in zip(wanted, available, strict=True)]
        for kind, nearest in FALLBACK.items():
            missing = wanted[kind] - min(wanted[kind], available[kind])
            for other in nearest:
                more = min(missing, available[other] - given[other])
                given[other] += more
                missing -= more
        return given
