"""Statements to search beyond the shipped corpus: a seeded generator over families of templates.

    burnqed data generate --count 3000 --seed 0 --out generated.json

Nothing is checked before the search: most statements are true by construction or were seen to hold for small numbers, a few are
false or out of reach, as in any collection of conjectures. None equals a theorem of the corpus or of the benchmark up to
renaming and spacing, and at most five of all of them share a skeleton.
"""

from __future__ import annotations

import re
from random import Random

from burnqed.data.corpus import load_corpus
from burnqed.data.families import FAMILIES
from burnqed.data.skeleton import Distinct
from burnqed.data.theorems import shipped_benchmark
from burnqed.errors import BadInput
from burnqed.lean.protocol import Theorem

UNIT = re.compile(r"(?<!\^ )\b1 \* | \+ 0\b")
"""What nobody writes: a factor of one, a term of zero."""
PATIENCE = 1_000
"""Drafts in a row without a new statement after which a family counts as exhausted."""


def generate(seed: int, count: int) -> list[Theorem]:
    """`count` distinct statements, named `generated::FAMILY_HASH`; a longer list of the same seed begins with the shorter one.

    Raises BadInput when the templates cannot make that many.
    """
    known = [t.statement for t in shipped_benchmark()] + [proof.theorem.statement for proof in load_corpus()]
    distinct = Distinct(known)
    rng = Random(seed)
    families, weights = list(FAMILIES), [weight for weight, _ in FAMILIES.values()]
    theorems: list[Theorem] = []
    exhausted: set[str] = set()
    while len(theorems) < count:
        if len(exhausted) == len(families):
            raise BadInput(
                f"The generator has only {len(theorems)} statements for seed {seed}; ask for fewer than {count}."
            )
        family = rng.choices(families, weights)[0]
        for _ in range(PATIENCE):
            draft = rng.choice(FAMILIES[family][1])(rng)
            statement = draft and UNIT.sub("", draft)
            if statement is None or (digest := distinct.add(statement)) is None:
                continue
            theorems.append(Theorem(name=f"generated::{family}_{digest}", statement=statement))
            break
        else:
            exhausted.add(family)
    return theorems
