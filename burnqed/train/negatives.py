"""Draws negatives for each positive of `burnqed.train.examples`: states that are not on a proof, for each state that is.

- siblings: other states that the same expansion led to;
- theorem: other states of the same theorem;
- earlier: states on the way to the positive, which are farther from the end of the same proof (if `ebm.earlier_share` asks for them);
- expanded: states that the search which found the proof expanded before the positive: the mistakes that it made (if `ebm.expanded_share` asks for them);
- others: states of other theorems, proved or not, judged against the positive's own root state.
Nothing is known about the states of theorems without a proof, so they serve as `others` only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from burnqed.config import EbmConfig
from burnqed.train.examples import HeadExamples
from burnqed.train.ragged import Indices, Ragged


class Kind(IntEnum):
    """Where a negative comes from."""

    SIBLING = 0
    THEOREM = 1
    OTHER = 2
    EARLIER = 3
    EXPANDED = 4


FALLBACK = {
    Kind.SIBLING: (Kind.THEOREM, Kind.OTHER),
    Kind.THEOREM: (Kind.SIBLING, Kind.OTHER),
    Kind.OTHER: (Kind.THEOREM, Kind.SIBLING),
}
"""The kinds that replace one that runs out."""


@dataclass(frozen=True)
class NegativeBatch:
    """K negatives for each of n positives."""

    rows: NDArray[np.int64]
    """[n, K]: rows of the embedding matrix; 0 where `present` is False."""
    kinds: NDArray[np.int8]
    """[n, K]: `Kind`."""
    present: NDArray[np.bool_]
    """[n, K]: False where a positive has fewer than K negatives."""


def harder(drawn: NegativeBatch, pool: NegativeBatch, energies: NDArray[np.float32], share: float) -> NegativeBatch:
    """The negatives drawn [n, K], of which the last ones, this share of K, are replaced by those of the pool [n, K'] with the lowest energies [n, K'] that
    are not among the others. Those that are drawn come in random order within their kinds, so their mixture stays what it was."""
    rows, kinds, present = drawn.rows.copy(), drawn.kinds.copy(), drawn.present.copy()
    width = rows.shape[1]
    for i, order in enumerate(np.where(pool.present, energies, np.inf).argsort(axis=1)):
        places = np.flatnonzero(present[i])
        number = round(share * len(places))
        replaced = places[np.round(np.linspace(0, len(places) - 1, number)).astype(np.int64)] if number else places[:0]
        kept = set(rows[i, np.setdiff1d(np.arange(width), replaced)].tolist())
        best = [j for j in order.tolist() if pool.present[i, j] and int(pool.rows[i, j]) not in kept][: len(replaced)]
        replaced = replaced[: len(best)]
        rows[i, replaced], kinds[i, replaced] = pool.rows[i, best], pool.kinds[i, best]
    return NegativeBatch(rows, kinds, present)


def some(states: Indices, wanted: float, most: int, random: np.random.Generator) -> Indices:
    """So many of the states, rounded randomly; no more than `most`, or than there are. Nothing is drawn where none is wanted."""
    if not wanted:
        return states[:0]
    return random.choice(states, min(len(states), most, int(wanted + random.random())), replace=False)


class NegativeSampler:
    """Draws negatives without repetition in the configured shares; where a kind runs out, others replace it (FALLBACK).

    positives: the positives of the examples to draw for. states: the states, by theorem, from which negatives are drawn (`others` from
    other theorems than the positive's).
    """

    def __init__(self, examples: HeadExamples, positives: Indices, states: Ragged, config: EbmConfig) -> None:
        self.count = config.negatives
        self.shares = (config.sibling_share, config.theorem_share)
        self.earlier_share, self.expanded_share = config.earlier_share, config.expanded_share
        self.examples, self.positives = examples, positives
        self.positive_rows = examples.state[positives]
        theorems = examples.theorem[positives].tolist()
        self.siblings = [examples.siblings[p] for p in positives.tolist()]
        self.theorem = [
            np.setdiff1d(states[t], own, assume_unique=True) for t, own in zip(theorems, self.siblings, strict=True)
        ]
        # others: one long list in which each theorem's states are adjacent, so the positive's own are skipped by shifting
        self.pool = states.values
        self.own = [(int(states.starts[t]), len(states[t])) for t in theorems]

    def usable(self) -> list[int]:
        """Indices of the positives that have any negative."""
        own = zip(self.siblings, self.theorem, self.own, strict=True)
        return [i for i, (s, t, (_, length)) in enumerate(own) if len(s) or len(t) or len(self.pool) > length]

    def draw(self, positives: Sequence[int], random: np.random.Generator, times: int = 1) -> NegativeBatch:
        """Negatives of the positives with these indices; `times` as many as configured."""
        count = self.count * times
        shape = (len(positives), count)
        rows, kinds = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int8)
        present = np.zeros(shape, dtype=np.bool_)
        for i, p in enumerate(positives):
            start, length = self.own[p]
            of = int(self.positives[p])
            earlier = some(self.examples.earlier[of], count * self.earlier_share, count, random)
            expanded = some(self.examples.expanded[of], count * self.expanded_share, count - len(earlier), random)
            siblings, theorem = self.siblings[p], self.theorem[p]
            if len(expanded):  # they are states of the theorem, siblings perhaps
                siblings, theorem = (np.setdiff1d(s, expanded, assume_unique=True) for s in (siblings, theorem))
            available = (len(siblings), len(theorem), len(self.pool) - length)
            wanted = self.plan(available, random, count - len(earlier) - len(expanded))
            others = random.choice(available[Kind.OTHER], wanted[Kind.OTHER], replace=False, shuffle=False)
            drawn = (
                random.choice(siblings, wanted[Kind.SIBLING], replace=False),
                random.choice(theorem, wanted[Kind.THEOREM], replace=False),
                self.pool[others + length * (others >= start)],
                earlier,
                expanded,
            )
            n = sum(map(len, drawn))
            rows[i, :n] = np.concatenate(drawn)
            kinds[i, :n] = np.repeat(tuple(Kind), [len(d) for d in drawn])
            # another theorem can pass through the very same state
            present[i, :n] = rows[i, :n] != self.positive_rows[p]
        return NegativeBatch(rows, kinds, present)

    def plan(self, available: tuple[int, int, int], random: np.random.Generator, count: int) -> list[int]:
        """How many of each kind: the shares of `count`, rounded randomly, and moved to other kinds where one runs out."""
        siblings = int(count * self.shares[0] + random.random())
        theorem = min(count - siblings, int(count * self.shares[1] + random.random()))
        wanted = [siblings, theorem, count - siblings - theorem]
        planned = [min(w, a) for w, a in zip(wanted, available, strict=True)]
        for kind, nearest in FALLBACK.items():
            missing = max(0, wanted[kind] - available[kind])
            for other in nearest:
                more = min(missing, available[other] - planned[other])
                planned[other] += more
                missing -= more
        return planned
