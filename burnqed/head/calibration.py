"""How far a head's probabilities can be believed: when it finds its choice 80 % likely, it should be right in 80 % of the cases.

Among a state on a proof and others, the softmax of the negative energies says how likely each is the right one: that is what InfoNCE trains. A group is the energies of
such states, the right one's first. The expected calibration error is that of Guo et al. 2017, "On Calibration of Modern Neural Networks" (arXiv:1706.04599).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

BINS = 10


class Bin(NamedTuple):
    """Groups whose most likely member has about the same probability."""

    confidence: float
    """Mean of that probability."""
    accuracy: float
    """How often that member is the right one."""
    groups: int


def reliability(groups: Iterable[Sequence[float]]) -> list[Bin]:
    """Groups of at least two by their confidence, in tenths; tenths without any are left out, and so are groups with energies that are not finite, which say nothing."""
    bins: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for group in groups:
        if len(group) > 1 and all(map(math.isfinite, group)):
            confidence, is_right = choice(group)
            bins[math.ceil(BINS * confidence)].append((confidence, is_right))
    return [
        Bin(fmean(confidence for confidence, _ in found), fmean(is_right for _, is_right in found), len(found))
        for _, found in sorted(bins.items())
    ]


def choice(group: Sequence[float]) -> tuple[float, float]:
    """The probability of the most likely member, and whether it is the right one; among equals as often as a fair draw would have it."""
    lowest = min(group)
    likeliest = 1 / sum(math.exp(lowest - energy) for energy in group)
    return likeliest, (group[0] == lowest) / group.count(lowest)


def calibration_error(bins: Sequence[Bin]) -> float:
    """|accuracy − confidence|, averaged over the groups."""
    return sum(b.groups * abs(b.accuracy - b.confidence) for b in bins) / sum(b.groups for b in bins)
