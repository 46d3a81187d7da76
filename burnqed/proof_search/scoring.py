"""The order of the search: which open state is expanded next. Finished states never get here (they are checked at once)."""

from __future__ import annotations

import math

from burnqed.proof_search.settings import SearchSettings


def priority(settings: SearchSettings, path_log_prob: float, depth: int, energy: float | None) -> float:
    """α · (Σ log p over the path) / depth^λ − β · min(1, depth/d₀) · energy; larger is expanded sooner.

    `depth` ≥ 1 counts tactics from the root. `energy` is None without a head, and then counts nothing.
    """
    value = settings.alpha * path_log_prob / math.pow(depth, settings.length_exponent)
    if energy is not None:
        value -= settings.beta * min(1.0, depth / settings.energy_depth) * energy
    return value
