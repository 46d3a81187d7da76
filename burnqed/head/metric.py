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
    """Standard error of value − chance over theorems, whose positives may depend on each other (clustered, Liang and Zeger 1986, doi:10.1093/biomet/73.1.13); None of a few theorems."""

    def __str__(self) -> str:
        return f"{self.value:.3f}" + (f" (chance {self.chance:.3f})" if self.chance is not None else "")


Metrics = dict[str, Metric]


def standard_error(shares: Sequence[float]) -> float | None:
    """Of a mean, from what each theorem adds to it, minus what it would if all positives were alike; None of fewer than six theorems."""
    n = len(shares)
    return math.sqrt(sum(share * share for share in shares) * n / (n - 1)) if n >= LEAST_THEOREMS else None
