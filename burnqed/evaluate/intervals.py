"""95 % intervals of figures over theorems."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Interval = tuple[float, float]
Means = npt.NDArray[np.float64]
Figure = Callable[[Means, Means], Means]
RESAMPLES = 10_000
SEED = 0
CHUNK = 1_000
"""Resamples that are drawn at once."""


def wilson(solved: int, total: int, z: float = 1.96) -> Interval | None:
    """Of a proportion (Wilson 1927, doi:10.2307/2276774); None of nothing."""
    if not total:
        return None
    rate, spread = solved / total, z * z / total
    centre = rate + spread / 2
    half = z * math.sqrt(rate * (1 - rate) / total + spread / (4 * total))
    return max(0.0, (centre - half) / (1 + spread)), min(1.0, (centre + half) / (1 + spread))


def bootstrap(before: Sequence[float], after: Sequence[float], figure: Figure) -> Interval | None:
    """Of a figure of paired means (Efron 1979): theorems are drawn anew, with replacement, 10,000 times, by the same seed each time.

    `before` and `after` have a value for each theorem, in the same order (where there are several seeds, its mean over them, because a
    theorem's seeds are not independent); `figure` takes the means of the resamples, shape [n], and gives the figure for each. None of nothing.
    """
    n = len(before)
    if n == 0:
        return None
    values = np.array([before, after], dtype=np.float64)
    draw = np.random.default_rng(SEED)
    found = []
    for _ in range(0, RESAMPLES, CHUNK):
        one, other = values[:, draw.integers(n, size=(CHUNK, n))].mean(axis=2)
        found.append(figure(one, other))
    low, high = np.quantile(np.concatenate(found), [0.025, 0.975], method="nearest")
    return float(low), float(high)


def difference(before: Means, after: Means) -> Means:
    return after - before


def ratio(before: Means, after: Means) -> Means:
    """Infinite where nothing is divided by."""
    return np.divide(after, before, out=np.full_like(after, math.inf), where=before > 0)


def percent(interval: Interval | None) -> str:
    """`18 to 33%`; empty without one."""
    return f"{100 * interval[0]:.0f} to {100 * interval[1]:.0f}%" if interval else ""
