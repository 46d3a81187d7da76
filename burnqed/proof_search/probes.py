"""Whether a probe tactic, of those that go with the Lean at hand (`LeanBackend.probe_tactics`), proves a theorem on its own.

A theorem is probe-easy when one of them proves it from the root, alone or after `intros`. Such theorems teach nothing; they are
the baseline that every comparison states. Search can also try them at every expanded state (`search.probe_tactics`).
"""

from __future__ import annotations

from collections.abc import Sequence

from burnqed.lean.protocol import LeanBackend, TacticStatus, Theorem
from burnqed.log import log

APART = ("nofun",)
"""Tactics that `first` does not survive: they report some failures without raising them."""

UNDECIDED = (TacticStatus.TIMEOUT, TacticStatus.CRASH)
"""Outcomes that say nothing about the theorem."""

NONE_PROVES = "no probe tactic proves this"


def all_at_once(probes: Sequence[str]) -> str:
    """One tactic block that tries the probes, alone and after `intros`, and fails with NONE_PROVES when none of them proves the goal."""
    closers = " | ".join(f"({tactic}; done)" for tactic in probes if tactic not in APART)
    return f'first | {closers} | (intros; first | {closers}) | fail "{NONE_PROVES}"'


async def probe_easy(theorem: Theorem, lean: LeanBackend) -> bool | None:
    """Whether one probe tactic proves the theorem, checked as a whole proof; None (which counts as no) where another attempt might say otherwise: the
    clock ran out, or Lean crashed.

    Nearly all are tried in one request. When one of them runs out of heartbeats or recursion depth, `first` does not go on to the next; only
    then are they tried one by one. A theorem that does not elaborate is not probe-easy, nor is one on which a probe runs out of time: heartbeats
    end whatever is easy, and each of the others might take as long.
    """
    started = await lean.start(theorem)
    if (root := started.state) is None:
        return None if started.status in UNDECIDED else False
    undecided = False
    try:
        block = all_at_once(lean.probe_tactics)
        to_try = [block]
        for proof in to_try:
            outcome = await lean.apply(root, f"{proof}\ndone")
            undecided |= outcome.status in UNDECIDED
            if outcome.state is not None:
                verdict = await lean.check(theorem, proof)
                if verdict.accepted:
                    return True
                undecided |= verdict.could_not_check
            if outcome.status is TacticStatus.TIMEOUT:
                log.warning(
                    "%s counts as hard: a probe tactic on it ended neither by itself nor by heartbeats", theorem.name
                )
                return None
            if proof is block:
                apart = [tactic for tactic in lean.probe_tactics if tactic in APART]
                one_by_one = apart if NONE_PROVES in outcome.message else lean.probe_tactics
                to_try += [before + tactic for before in ("", "intros\n") for tactic in one_by_one]
        return None if undecided else False
    finally:
        await lean.release(root)
