"""Exercises: theorems of the kinds that textbooks and competitions ask for, each with a proof of one to a dozen tactics.

    exercises(seed=0, count=800)

The shipped corpus has one proof for an idea; these have many, with other numbers, names, spellings and orders. Statement and proof are drawn together, so that nothing has to be
searched. As with all known proofs, one that does not replay is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from burnqed.data.corpus import load_corpus
from burnqed.data.draft import Draft, collected
from burnqed.data.exercises import algebra, divisors, existence, functions, order, powers, residues
from burnqed.data.skeleton import Distinct
from burnqed.data.theorems import shipped_benchmark
from burnqed.data.trace.replay import KnownProof

Kind = Callable[[Random], Draft | None]

VERSION = 2
"""Raised when seeds give other theorems than before: what is made from them is then made anew."""
PER_SKELETON = 8
"""Exercises that may share a skeleton, those of the corpus included."""
TOPICS: tuple[tuple[Kind, ...], ...] = tuple(
    topic.KINDS for topic in (residues, powers, algebra, order, divisors, functions, existence)
)


VARIABLES = re.compile(r"^∀ (\w+(?: \w+)* : \w+), ")


def draft(rng: Random) -> Draft | None:
    """One theorem, sometimes with implicit variables; None where what was drawn makes none."""
    made = rng.choice(rng.choice(TOPICS))(rng)
    if made and rng.random() < 0.1:
        return replace(made, statement=VARIABLES.sub(r"∀ {\1}, ", made.statement))
    return made


def exercises(seed: int, count: int) -> list[KnownProof]:
    """`count` distinct theorems with proofs, named `exercise::KIND_HASH`; a longer list of the same seed begins with the shorter one. None equals one of the corpus or of the shipped
    benchmark. Not replayed.

    Raises BadInput when there are not that many.
    """
    known = [t.statement for t in shipped_benchmark()] + [proof.theorem.statement for proof in load_corpus()]
    return collected(draft, seed, count, "exercise", Distinct(known, PER_SKELETON))
