"""The deep tier: theorems whose proofs need several tactics with real choices, each with a proof.

    deep_proofs(seed=0, count=1_000)

Most conclusions need a lemma that is not in sight: stronger than what is to be shown, with numbers that have to be computed (`parts.py`; `theorems.py` puts statements
and proofs together). The others are reached by many steps, of which each can lead astray (`moves.py`). `difficulty.py` measures how deep theorems are. Statements are divided by
skeleton: those for benchmarks share none with any that is trained on.
"""

from __future__ import annotations

from random import Random

from burnqed.data.deep.draft import LONGEST, Draft
from burnqed.data.deep.moves import moves
from burnqed.data.deep.theorems import KINDS
from burnqed.data.skeleton import Distinct, skeleton
from burnqed.data.split import unit_interval
from burnqed.data.trace.replay import KnownProof
from burnqed.errors import BadInput
from burnqed.lean.protocol import Theorem

VERSION = 2
"""Raised when seeds give other theorems than before: what is made from them is then made anew."""
BENCHMARK_SHARE = 0.25
"""Of the skeletons."""
PATIENCE = 20_000
"""Drafts in a row without a new theorem after which nothing more is expected."""
SHARE_OF_MOVES = 0.35


def draft(rng: Random) -> Draft:
    """One theorem."""
    kinds = (moves,) if rng.random() < SHARE_OF_MOVES else KINDS
    while True:
        made = rng.choice(kinds)(rng)
        if made and len(made.tactics) <= LONGEST:
            return made


def deep_proofs(seed: int, count: int, *, benchmark: bool = False) -> list[KnownProof]:
    """`count` distinct theorems with proofs, named `deep::KIND_HASH`, to train on, or to evaluate on; a longer list of the same seed begins
    with the shorter one. Not replayed.

    Raises BadInput when there are not that many.
    """
    rng, distinct = Random(seed), Distinct()
    proofs: list[KnownProof] = []
    vain = 0
    while len(proofs) < count:
        made = draft(rng)
        vain += 1
        if vain > PATIENCE:
            raise BadInput(f"There are only {len(proofs)} deep theorems for seed {seed}; ask for fewer than {count}.")
        if is_held_out(made.statement) != benchmark or (digest := distinct.add(made.statement)) is None:
            continue
        theorem = Theorem(name=f"deep::{made.kind}_{digest}", statement=made.statement)
        proofs.append(KnownProof(theorem, made.tactics))
        vain = 0
    return proofs


def is_held_out(statement: str) -> bool:
    """Whether theorems with the skeleton of this statement are for benchmarks."""
    return unit_interval("deep", skeleton(statement)) < BENCHMARK_SHARE
