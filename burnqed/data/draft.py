"""What a generator of theorems with proofs makes, and collections of it without repetitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from burnqed.data.skeleton import Distinct
from burnqed.data.trace.replay import KnownProof
from burnqed.errors import BadInput
from burnqed.lean.protocol import Theorem

PATIENCE = 20_000
"""Drafts in a row without a new theorem after which nothing more is expected."""


@dataclass(frozen=True)
class Draft:
    """A theorem: its kind, closed statement and tactics."""

    kind: str
    statement: str
    tactics: tuple[str, ...]


def collected(
    draw: Callable[[Random], Draft | None], seed: int, count: int, tier: str, distinct: Distinct
) -> list[KnownProof]:
    """`count` theorems with proofs, named `TIER::KIND_HASH`, of which `distinct` refuses none; a longer list of the same seed begins with the shorter one. Not replayed.

    Raises BadInput when there are not that many.
    """
    rng = Random(seed)
    proofs: list[KnownProof] = []
    vain = 0
    while len(proofs) < count:
        vain += 1
        if vain > PATIENCE:
            raise BadInput(
                f"There are only {len(proofs)} {tier} theorems like that for seed {seed}; ask for fewer than {count}."
            )
        made = draw(rng)
        if made is None or (digest := distinct.add(made.statement)) is None:
            continue
        proofs.append(KnownProof(Theorem(name=f"{tier}::{made.kind}_{digest}", statement=made.statement), made.tactics))
        vain = 0
    return proofs
