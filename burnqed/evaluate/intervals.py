"""95 % intervals of figures over theorems."""

from __future__ import annotations

import math
from collections import Counter
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
DIGITS = 9
"""An end that is 0 but for the rounding of sums is 0: only one above it shows a gain."""
FEWEST = 6
"""Fewer theorems than this that differ are no ground for a bootstrap: what they have in common would be taken for certain."""


def wilson(solved: float, total: int, z: float = 1.96) -> Interval | None:
    """Of a proportion (Wilson 1927, doi:10.2307/2276774); None of nothing."""
    if not total:
        return None
    rate, spread = solved / total, z * z / total
    centre = rate + spread / 2
    half = z * math.sqrt(rate * (1 - rate) / total + spread / (4 * total))
    return max(0.0, (centre - half) / (1 + spread)), min(1.0, (centre + half) / (1 + spread))


def paired(both: int, lost: int, gained: int, neither: int) -> Interval | None:
    """Of the difference of two proportions over the same theorems, after minus before (Newcombe 1998, doi:10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C,
    method 10): unlike a bootstrap, it also has a width where few theorems differ, or none. None of nothing."""
    n = both + lost + gained + neither
    before, after = wilson(both + lost, n), wilson(both + gained, n)
    if before is None or after is None:
        return None
    one, other = (both + lost) / n, (both + gained) / n
    margins = (both + lost) * (gained + neither) * (both + gained) * (lost + neither)
    agreement = both * neither - lost * gained
    corrected = agreement if agreement < 0 else max(0.0, agreement - n / 2)
    phi = corrected / math.sqrt(margins) if margins else 0.0

    def spread(of_one: float, of_other: float) -> float:
        return math.sqrt(max(0.0, of_one**2 - 2 * phi * of_one * of_other + of_other**2))

    down, up = spread(before[1] - one, other - after[0]), spread(one - before[0], after[1] - other)
    return rounded(other - one - down), rounded(other - one + up)


def bootstrap(before: Sequence[float], after: Sequence[float], figure: Figure) -> Interval | None:
    """Of a figure of paired means (Efron 1979): theorems are drawn anew, with replacement, 10,000 times, by the same seed each time.

    `before` and `after` have a value for each theorem, in the same order (where there are several seeds, its mean over them, because a
    theorem's seeds are not independent); `figure` takes the means of the resamples, shape [n], and gives the figure for each. None where fewer than FEWEST differ.
    """
    if sum(one != other for one, other in zip(before, after, strict=True)) < FEWEST:
        return None
    return _resampled(before, after, figure)


def _resampled(before: Sequence[float], after: Sequence[float], figure: Figure) -> Interval:
    n = len(before)
    values = np.array([before, after], dtype=np.float64)
    draw = np.random.default_rng(SEED)
    found = []
    for _ in range(0, RESAMPLES, CHUNK):
        one, other = values[:, draw.integers(n, size=(CHUNK, n))].mean(axis=2)
        found.append(figure(one, other))
    low, high = np.quantile(np.concatenate(found), [0.025, 0.975], method="nearest")
    return rounded(float(low)), rounded(float(high))


def rounded(end: float) -> float:
    """Without a zero's sign."""
    return round(end, DIGITS) + 0.0


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Of the mean of rates, one for each theorem, by bootstrap over theorems; Wilson's where fewer than FEWEST differ from the others. None of nothing."""
    if len(values) - max(Counter(values).values(), default=0) < FEWEST:
        return wilson(sum(values), len(values))
    return _resampled(values, values, lambda _, means: means)


def around(value: float, error: float, *, is_rate: bool) -> Interval:
    """Of a figure with this standard error; a rate ends at 0 and 1."""
    low, high = value - 1.96 * error, value + 1.96 * error
    return (max(0.0, low), min(1.0, high)) if is_rate else (low, high)


def ratio(before: Means, after: Means) -> Means:
    """Infinite where nothing is divided by."""
    return np.divide(after, before, out=np.full_like(after, math.inf), where=before > 0)


def difference(before: Means, after: Means) -> Means:
    return after - before


def signed(interval: Interval | None) -> str:
    """Of a difference: `-3.0% to +21.0%`; empty without one."""
    return f"{interval[0]:+.1%} to {interval[1]:+.1%}" if interval else ""


def percent(interval: Interval | None) -> str:
    """`18 to 33%`; empty without one."""
    return f"{100 * interval[0]:.0f} to {100 * interval[1]:.0f}%" if interval else ""
