"""What is known of token sequences that were processed lately, for others that begin like one of them.

    recent = Recent(most_bytes=256 << 20)
    recent.add(tokens, known, size)
    length, known = recent.longest(tokens)

States of one search share their hypotheses, a successor most of its state, and further draws at a state the whole prompt.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections import OrderedDict
from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

LEAST_KNOWN = 16
"""The fewest tokens that two sequences must have in common for it to be worth while."""


class Recent(Generic[T]):
    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.bytes = 0
        self._kept: OrderedDict[tuple[int, ...], tuple[T, int]] = OrderedDict()
        """By sequence, the latest last; with the size in bytes."""
        self._sorted: list[tuple[int, ...]] = []

    def __contains__(self, tokens: Sequence[int]) -> bool:
        return tuple(tokens) in self._kept

    def longest(self, tokens: Sequence[int]) -> tuple[int, T | None]:
        """How many of the first tokens are known, all but the last at most, and what is known of the sequence that begins with them."""
        whole = tuple(tokens)
        at = bisect(self._sorted, whole)
        best, latest, all_but_last = 0, None, np.array(whole[:-1])
        # nothing has more in common with it than its neighbours in this order
        for other in self._sorted[max(at - 1, 0) : at + 1]:
            if (length := in_common(all_but_last, np.array(other))) > best:
                best, latest = length, other
        if latest is None or best < LEAST_KNOWN:
            return 0, None
        self._kept.move_to_end(latest)
        return best, self._kept[latest][0]

    def add(self, tokens: Sequence[int], known: T, size: int) -> None:
        """Keeps what is known of a sequence, and forgets what was used longest ago when there is no room for it."""
        whole = tuple(tokens)
        if whole in self._kept or size > self.most_bytes:
            return
        self._kept[whole] = known, size
        insort(self._sorted, whole)
        self.bytes += size
        while self.bytes > self.most_bytes:
            oldest, (_, freed) = self._kept.popitem(last=False)
            del self._sorted[bisect(self._sorted, oldest) - 1]
            self.bytes -= freed

    def clear(self) -> None:
        self._kept.clear()
        self._sorted.clear()
        self.bytes = 0


def in_common(one: NDArray[np.int64], other: NDArray[np.int64]) -> int:
    """The number of first tokens in which two sequences agree."""
    n = min(len(one), len(other))
    different = np.flatnonzero(one[:n] != other[:n])
    return int(different[0]) if len(different) else n
