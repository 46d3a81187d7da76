"""Known proofs as searches that went straight to their ends: states on proofs to learn from (`ebm.known_proofs`), which cost no replay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pyarrow as pa

from burnqed.data.pairs import TacticPair
from burnqed.data.sets.validate import sampled
from burnqed.train.examples import COLUMNS
from burnqed.trajectory.schema import SCHEMA

LONGEST = 1_000
"""Tactics of a proof; longer ones are left out."""
PATHS = pa.schema([SCHEMA.field(name) for name in COLUMNS])


def known_paths(pairs: Iterable[TacticPair], most: int) -> pa.Table:
    """Rows of `PATHS`, of the proofs of at most `most` theorems, which a hash of their names chooses. A theorem whose pairs are not one line of tactics from its root state is left out.

    The last tactic may be missing among the pairs, as closers are mostly left out (`data.closer_keep`); then one more ends the proof.
    """
    rows = [row for steps in sampled(pairs, most, most_steps=LONGEST + 1) if is_line(steps) for row in path(steps)]
    return pa.Table.from_pylist(rows, PATHS)


def is_line(steps: Sequence[TacticPair]) -> bool:
    is_linked = all(before.state_after == after.state for before, after in pairwise(steps))
    return (
        all(step.state for step in steps)
        and is_linked
        and [step.depth for step in steps] == list(range(len(steps)))
        and len(steps) <= LONGEST
    )


def path(steps: Sequence[TacticPair]) -> list[dict[str, object]]:
    last = steps[-1].state_after
    states = [*(step.state for step in steps), *([last] if last else []), ""]
    return [
        {
            "theorem": steps[0].theorem,
            "state": state,
            "sample": 0,
            "state_id": depth,
            "parent_id": depth - 1 if depth else None,
            "depth": depth,
            "is_terminal": not state,
            "on_proof_path": True,
        }
        for depth, state in enumerate(states)
    ]
