"""The deep tier: theorems whose proofs need several tactics with real choices, each with a proof.

    deep_proofs(seed=0, count=1_000)
    deep_proofs(seed=0, count=1_000, kinds=["moves"])

Most conclusions need a lemma that is not in sight: stronger than what is to be shown, with numbers that have to be computed (`parts.py`; `theorems.py` puts statements
and proofs together). The others are reached by many steps, of which each can lead astray (`moves.py`). `difficulty.py` measures how deep theorems are. Statements are divided by
skeleton, the order of which counts for moves alone: those for benchmarks share none with any that is trained on, and these none with the benchmark `shipped`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from random import Random

from burnqed.data.deep.moves import LONGEST, moves
from burnqed.data.deep.theorems import KINDS
from burnqed.data.draft import Draft, collected
from burnqed.data.skeleton import Distinct, skeleton, unordered
from burnqed.data.split import unit_interval
from burnqed.data.theorems import shipped_benchmark
from burnqed.data.trace.replay import KnownProof
from burnqed.lean.protocol import Theorem

VERSION = 4
"""Raised when seeds give other theorems than before: what is made from them is then made anew."""
BENCHMARK_SHARE = 0.25
"""Of the skeletons."""
SHARE_OF_MOVES = 0.35


def draft(rng: Random) -> Draft:
    """One theorem."""
    kinds = (moves,) if rng.random() < SHARE_OF_MOVES else KINDS
    while True:
        made = rng.choice(kinds)(rng)
        if made and len(made.tactics) <= LONGEST:
            return made


def deep_proofs(
    seed: int, count: int, *, benchmark: bool = False, kinds: Collection[str] = (), apart_from: Iterable[Theorem] = ()
) -> list[KnownProof]:
    """`count` distinct theorems with proofs, named `deep::KIND_HASH`, to train on, or to evaluate on; a longer list of the same seed begins
    with the shorter one, and one of some `kinds` has what a list of all kinds has of them. They share no skeleton with the theorems that they are `apart_from`. Not replayed.

    Raises BadInput when there are not that many.
    """
    others = apart_from if benchmark else [*shipped_benchmark(), *apart_from]
    tested = {form(theorem.statement) for theorem in others for form in (skeleton, unordered)}

    def draw(rng: Random) -> Draft | None:
        made = draft(rng)
        shape = shape_of(made)
        is_held_out = unit_interval("deep", shape) < BENCHMARK_SHARE
        is_wanted = (made.kind in kinds or not kinds) and is_held_out == benchmark and shape not in tested
        return made if is_wanted else None

    return collected(draw, seed, count, "deep", Distinct())


def shape_of(made: Draft) -> str:
    """By which theorems are divided. The sides of equations, the spellings of inequalities and the order of summands are drawn at random, which makes twins of some theorems; those
    about moves have none of these: none of 1,240 to train on has the words of one in a benchmark."""
    return skeleton(made.statement) if made.kind == "moves" else unordered(made.statement)
