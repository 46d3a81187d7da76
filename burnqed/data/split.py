"""Which theorems are for validation and which for training: decided by the theorem's name alone, never by pair.

All states of a theorem fall on the same side, in every iteration and on every machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Protocol, TypeVar


class OfTheorem(Protocol):
    @property
    def theorem(self) -> str: ...


T = TypeVar("T", bound=OfTheorem)


def unit_interval(*parts: object) -> float:
    """A number in [0, 1) that is a fixed function of `parts`."""
    digest = hashlib.sha256("\0".join(map(str, parts)).encode()).digest()
    # 53 bits, as many as a float holds: more would round up to 1
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def is_validation(theorem: str, fraction: float) -> bool:
    """Whether a theorem belongs to the share `fraction` that is never trained on.

    The salt keeps this apart from sharding, which hashes the same name.
    """
    return unit_interval("validation", theorem) < fraction


def split(items: Iterable[T], fraction: float) -> tuple[list[T], list[T]]:
    """Training and validation items, in their order."""
    training: list[T] = []
    validation: list[T] = []
    for item in items:
        (validation if is_validation(item.theorem, fraction) else training).append(item)
    return training, validation
