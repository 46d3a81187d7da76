"""Steps that Lean recorded while it ran a proof, and the pairs that they make.

A step is a goal or goals, a tactic, and what it left. Lean records all of them, those inside others too; what traces proofs hands over the atomic ones,
in their order. Of these, alternatives that failed and tactics that changed nothing teach nothing, a step without `⊢` is none of a proof
(`conv` shows its position instead), and no search may use what the rules for tactics refuse, such as `native_decide`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from burnqed.data.pairs import TacticPair
from burnqed.lean.printed import goals
from burnqed.lean.rules import refusal


class Step(NamedTuple):
    state: str
    """Goals before it, separated by an empty line; empty, or `no goals`, where there are none."""
    tactic: str
    state_after: str


class LeftOut(StrEnum):
    """Why a step makes no pair."""

    STRUCTURE = "holds other steps"
    PIECE = "part of a tactic"
    NO_GOAL = "without a goal"
    UNCHANGED = "changed nothing"
    REFUSED = "not allowed in a search"


def pairs_of(theorem: str, source: str, steps: Iterable[Step]) -> tuple[list[TacticPair], Counter[LeftOut]]:
    """The pairs of a proof's atomic steps, whose depth is their position among those that are left, and what was left out."""
    pairs, left_out = list[TacticPair](), Counter[LeftOut]()
    for step in steps:
        before, after = goals(step.state), goals(step.state_after)
        if not step.tactic.strip() or not before or not all("⊢" in goal for goal in before):
            left_out[LeftOut.NO_GOAL] += 1
        elif before == after:
            left_out[LeftOut.UNCHANGED] += 1
        elif refusal(step.tactic):
            left_out[LeftOut.REFUSED] += 1
        else:
            pairs.append(
                TacticPair(
                    theorem=theorem,
                    state="\n\n".join(before),
                    tactic=step.tactic.strip(),
                    state_after="\n\n".join(after),
                    depth=len(pairs),
                    source=source,
                    num_goals=len(before),
                )
            )
    return pairs, left_out
