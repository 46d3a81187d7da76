"""What several sources have in common: theorems by name, statements up to renaming, states by their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.int64]

WHAT = ("names", "statements", "states")


class Keys:
    """What one source can have in common with others, as hashes of this process: a million texts take 8 MB."""

    def __init__(self) -> None:
        self._hashes: dict[str, list[Hashes]] = {what: [] for what in WHAT}

    def add(self, what: str, texts: Iterable[str]) -> None:
        """`what`: one of WHAT."""
        self._hashes[what].append(np.unique(np.fromiter(map(hash, texts), dtype=np.int64)))

    def all(self, what: str) -> Hashes:
        parts = self._hashes[what]
        return np.unique(np.concatenate(parts)) if parts else np.array([], dtype=np.int64)


def overlaps(sources: dict[str, Keys]) -> Iterator[dict[str, object]]:
    """For each two sources, how many names, statements and states are in both."""
    held = {name: {what: keys.all(what) for what in WHAT} for name, keys in sources.items()}
    for first, second in combinations(held, 2):
        common = {what: len(np.intersect1d(held[first][what], held[second][what])) for what in WHAT}
        yield {"first": first, "second": second, **common}
