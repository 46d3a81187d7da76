"""A figure that measures a head, with its value under random choice."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

LEAST_RANK_ACCURACY = 0.6
"""A head is accepted when its rank accuracy (how often a positive lies below one of its negatives; 0.5 is chance) is above this and its energy gap
positive. From the gates of earlier runs."""
LEAST_POSITIVES = 20
"""With fewer validation positives nothing can be said: a rank accuracy of 0.6 is then within chance."""

LEAST_THEOREMS = 6
"""Fewer are no ground for a standard error over theorems."""

HEALTHY_TEMPERATURE = (0.5, 3.0)
"""Where the temperature of good trainings stayed in earlier runs."""


class Metric(BaseModel):
    """A figure and its value under random choice."""

    model_config = ConfigDict(frozen=True)

    value: float
    chance: float | None
    """None where chance has no meaning (loss, temperature)."""
    count: int
    """Number of positives (or states) behind the figure."""
    error: float | None = None
    """Standard deviation that the figure would have if only chance decided it; positives are assumed to be independent."""
    spread: float | None = None
    """Standard error of value − chance over theorems (see `standard_error`), whose positives may depend on each other (clustered, Liang and Zeger 1986, doi:10.1093/biomet/73.1.13); None
    of a few theorems."""

    def __str__(self) -> str:
        return f"{self.value:.3f}" + (f" (chance {self.chance:.3f})" if self.chance is not None else "")


Metrics = dict[str, Metric]


def standard_error(shares: Sequence[float]) -> float | None:
    """Of a mean, from what each theorem adds to it, minus what it would if all positives were alike; None of fewer than six theorems. As much larger as the quantile of Student's t is
    than 1.96, so that 1.96 times it is an interval of 95 % also for few theorems (expansion 26.7.5 of Abramowitz and Stegun, within 0.2 % of it)."""
    n = len(shares)
    if n < LEAST_THEOREMS:
        return None
    z, free = 1.96, n - 1
    student = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2) + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * free**3)  # fmt: skip
    return student / z * math.sqrt(sum(share * share for share in shares) * n / free)
