"""Which tactic pairs are worth training on: the same rules for every source.

    filter = PairFilter(config.data, held.leak_of_state)
    for batch in pairs():
        filter.look(batch)          # first pass: which theorems are rejected
    kept = map(filter.keep, pairs())

A theorem is rejected as a whole when one of its tactics cheats, or when it is a benchmark's; single pairs are dropped on their own account. Two
passes over batches, so that pairs need not fit into memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from burnqed.config import DataConfig
from burnqed.data.split import unit_interval
from burnqed.policy.prompt import blank_comments

CLOSERS = frozenset({"rfl", "simp", "trivial", "decide", "exact?"})
"""One-token tactics that close so many goals that a model trained on all of them proposes little else."""

_CHEAT = re.compile(r"(?<![\w'])(?:sorry|admit|cheat|sorryAx)(?![\w'])")


class Dropped(StrEnum):
    """Why a pair is left out."""

    CHEAT = "theorem_with_sorry"
    BENCHMARK = "theorem_of_a_benchmark"
    NO_GOALS = "no_goals"
    NO_TURNSTILE = "no_turnstile"
    EMPTY_TACTIC = "empty_tactic"
    TOO_LONG = "state_too_long"
    CLOSER = "closer"


def cheats(tactic: str) -> bool:
    """Whether sorry, admit, cheat or sorryAx occurs in the tactic as a word, outside comments."""
    return _CHEAT.search(tactic) is not None and _CHEAT.search(blank_comments(tactic)) is not None


class PairFilter:
    """Looks at all pairs, then keeps those to train on.

    is_held: whether a root state is a benchmark's statement. seed: decides which closers are among the kept share.
    """

    def __init__(self, config: DataConfig, is_held: Callable[[str], object] | None = None, seed: int = 0) -> None:
        self.config, self.is_held, self.seed = config, is_held, seed
        self.rejected: dict[str, Dropped] = {}
        """Theorems that are left out as a whole."""
        self.dropped: Counter[Dropped] = Counter()
        """Pairs left out so far, by reason."""
        self._last = ""

    def look(self, batch: pa.RecordBatch) -> None:
        theorems = batch["theorem"]
        suspicious = pc.match_substring_regex(batch["tactic"], "sorry|admit|cheat")
        for row in np.flatnonzero(suspicious.to_numpy(zero_copy_only=False)).tolist():
            if cheats(batch["tactic"][row].as_py()):
                self.rejected[theorems[row].as_py()] = Dropped.CHEAT
        if self.is_held is None or not len(batch):
            return
        names = theorems.to_pylist()
        depth = pc.fill_null(batch["depth"], -1).to_numpy(zero_copy_only=False)
        # where the data set does not say, a theorem's first row has its root
        is_root = [
            at == 0 or (at < 0 and name != before)
            for at, name, before in zip(depth.tolist(), names, [self._last, *names], strict=False)
        ]
        self._last = names[-1]
        roots = np.flatnonzero(is_root)
        for row, state in zip(roots.tolist(), batch["state"].take(pa.array(roots)).to_pylist(), strict=True):
            if names[row] not in self.rejected and self.is_held(state):
                self.rejected[names[row]] = Dropped.BENCHMARK

    def keep(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The pairs to train on, in their order."""
        states = batch["state"]
        no_goals = pc.match_substring(states, "no goals").to_numpy(zero_copy_only=False)
        turnstile = pc.match_substring(states, "⊢").to_numpy(zero_copy_only=False)
        too_long = pc.greater(pc.utf8_length(states), self.config.max_state_chars).to_numpy(zero_copy_only=False)
        kept = np.ones(len(batch), dtype=np.bool_)
        for row, (theorem, text) in enumerate(
            zip(batch["theorem"].to_pylist(), batch["tactic"].to_pylist(), strict=True)
        ):
            tactic = blank_comments(text).strip()
            reason = self.rejected.get(theorem)
            if reason is None:
                if not tactic:
                    reason = Dropped.EMPTY_TACTIC
                elif no_goals[row]:
                    reason = Dropped.NO_GOALS
                elif not turnstile[row]:
                    reason = Dropped.NO_TURNSTILE
                elif too_long[row]:
                    reason = Dropped.TOO_LONG
                elif tactic in CLOSERS and self._drawn(theorem, states[row].as_py(), tactic) >= self.config.closer_keep:
                    reason = Dropped.CLOSER
            if reason is not None:
                self.dropped[reason] += 1
                kept[row] = False
        return batch if kept.all() else batch.filter(pa.array(kept))

    def _drawn(self, theorem: str, state: str, tactic: str) -> float:
        return unit_interval("closer", self.seed, theorem, state, tactic)
