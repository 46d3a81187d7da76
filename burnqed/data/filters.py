"""Which tactic pairs are worth training on: the same rules for every source.

A theorem is rejected as a whole when one of its tactics cheats; single pairs are dropped on their own account.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from burnqed.config import DataConfig
from burnqed.data.pairs import TacticPair
from burnqed.data.split import unit_interval
from burnqed.policy.prompt import blank_comments

CLOSERS = frozenset({"rfl", "simp", "trivial", "decide", "exact?"})
"""One-token tactics that close so many goals that a model trained on all of them proposes little else."""

_CHEAT = re.compile(r"(?<![\w'])(?:sorry|admit|cheat|sorryAx)(?![\w'])")


class Dropped(StrEnum):
    """Why a pair is left out."""

    CHEAT = "theorem_with_sorry"
    NO_GOALS = "no_goals"
    NO_TURNSTILE = "no_turnstile"
    EMPTY_TACTIC = "empty_tactic"
    TOO_LONG = "state_too_long"
    CLOSER = "closer"


@dataclass(frozen=True)
class Filtered:
    pairs: list[TacticPair]
    dropped: Counter[Dropped]
    """Pairs left out, by reason."""


def cheats(tactic: str) -> bool:
    """Whether sorry, admit, cheat or sorryAx occurs in the tactic as a word, outside comments."""
    return _CHEAT.search(blank_comments(tactic)) is not None


def reason_to_drop(pair: TacticPair, config: DataConfig, seed: int) -> Dropped | None:
    """Why a pair of an honest theorem is left out, or None when it is kept."""
    tactic = blank_comments(pair.tactic).strip()
    if not tactic:
        return Dropped.EMPTY_TACTIC
    if "no goals" in pair.state:
        return Dropped.NO_GOALS
    if "⊢" not in pair.state:
        return Dropped.NO_TURNSTILE
    if len(pair.state) > config.max_state_chars:
        return Dropped.TOO_LONG
    if tactic in CLOSERS and unit_interval("closer", seed, pair.theorem, pair.state, tactic) >= config.closer_keep:
        return Dropped.CLOSER
    return None


def filter_pairs(pairs: Iterable[TacticPair], config: DataConfig, seed: int = 0) -> Filtered:
    """The pairs to train on, in their order. `seed` decides which closers are among the kept share."""
    everything = list(pairs)
    cheating = {pair.theorem for pair in everything if cheats(pair.tactic)}
    kept: list[TacticPair] = []
    dropped: Counter[Dropped] = Counter()
    for pair in everything:
        reason = Dropped.CHEAT if pair.theorem in cheating else reason_to_drop(pair, config, seed)
        if reason is None:
            kept.append(pair)
        else:
            dropped[reason] += 1
    return Filtered(kept, dropped)
