"""Proofs of data sets that hold only tactic pairs: the steps of a theorem, in order, under the statement that its first state spells out."""

from __future__ import annotations

from collections.abc import Sequence

from burnqed.data.pairs import TacticPair
from burnqed.data.sets.states import proposition
from burnqed.data.sets.validate import chains
from burnqed.data.trace.replay import KnownProof
from burnqed.lean.printed import goals
from burnqed.lean.protocol import Theorem


def reassembled(steps: Sequence[TacticPair], header: str) -> KnownProof | None:
    """The proof that the steps of one theorem are, for Lean to replay; None where they are not one line of tactics from a root with one goal.

    `steps` are in the order of their depth. What the first state prints may not mean the same when Lean reads it; then the proof does not replay.
    """
    depths = [step.depth for step in steps]
    in_order = depths == list(range(len(steps))) or not any(depth is not None for depth in depths)
    if not steps or not in_order or len(list(chains(steps))) != 1 or len(goals(steps[0].state)) != 1:
        return None
    stated = proposition(steps[0].state)
    if stated is None:
        return None
    introduced = (f"intro {' '.join(stated.names)}",) if stated.names else ()
    theorem = Theorem(name=steps[0].theorem, statement=stated.statement, header=header)
    return KnownProof(theorem, (*introduced, *(step.tactic.strip() for step in steps)))
