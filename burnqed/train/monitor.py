"""How good a head is: every figure with the value that random choice would have.

A head that ranks one positive among its negatives at random is right in 1/(1 + negatives) of the cases, and looks good to anyone who
does not know that number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from burnqed.head.calibration import calibration_error, reliability
from burnqed.head.metric import LEAST_POSITIVES, LEAST_RANK_ACCURACY, Metric, Metrics, standard_error
from burnqed.train.negatives import Kind

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Scored:
    """Energies of n validation positives and of K negatives of each."""

    positive: Floats
    """[n]"""
    negatives: Floats
    """[n, K]"""
    present: NDArray[np.bool_]
    """[n, K]"""
    kinds: NDArray[np.int8]
    """[n, K]: `Kind`."""
    depth: NDArray[np.int64]
    """[n]: tactics from the root; likewise:"""
    remaining: NDArray[np.int64]
    """To the end of the proof."""
    theorem: NDArray[np.int64]
    """Its index."""


def head_metrics(scored: Scored) -> Metrics:
    """rank1, rank1_depth_1/2/3/4+, rank1_siblings, pairwise, sibling_discrimination, auc, energy_gap, calibration_error, depth_correlation; figures without positives are left out.

    All but pairwise and auc are about negatives of the positive's own theorem: search never compares states of two theorems, and those are easily told apart, as most say what
    they are about. pairwise, by which heads are accepted, is over all negatives as they were drawn: a head that fails there is broken, and one that passes need not be good.
    Ties count as a fair draw would decide them, so a head that cannot distinguish states has exactly the chance value.
    """
    rivals = ranked_among(scored)
    own, siblings = rivals["rank1"], rivals["rank1_siblings"]
    everything, scored = scored, replace(scored, present=own)
    depth = np.minimum(scored.depth, 4)[:, None]
    metrics = {
        "rank1": rank1(scored, own),
        **{f"rank1_depth_{d}": rank1(scored, own & (depth == d)) for d in (1, 2, 3)},
        "rank1_depth_4+": rank1(scored, own & (depth == 4)),
        "rank1_siblings": rank1(scored, siblings),
        "pairwise": pairwise(everything, everything.present),
        "sibling_discrimination": pairwise(scored, siblings),
        "auc": auc(everything),
        "energy_gap": energy_gap(scored),
        "calibration_error": calibration(scored),
        "depth_correlation": depth_correlation(scored),
    }
    return {name: metric for name, metric in metrics.items() if metric}


def rank1(scored: Scored, rivals: NDArray[np.bool_]) -> Metric | None:
    """How often the positive has the lowest energy among itself and its rivals; positives without rivals are left out."""
    wins, chances, theorem = wins_of(scored, rivals)
    return mean_metric(wins, chances, chances * (1 - chances), theorem)


def rank_shares(scored: Scored) -> dict[str, dict[int, float]]:
    """Of rank1 and rank1_siblings: by theorem, what its positives add to value − chance, minus what they would if all positives were alike."""
    found = {name: wins_of(scored, rivals) for name, rivals in ranked_among(scored).items()}
    return {name: shares_of(wins - chances, of) for name, (wins, chances, of) in found.items() if len(wins)}


def ranked_among(scored: Scored) -> dict[str, NDArray[np.bool_]]:
    """[n, K]: the negatives of the positive's own theorem (rank1), and its siblings (rank1_siblings)."""
    own = scored.present & (scored.kinds != Kind.OTHER)
    return {"rank1": own, "rank1_siblings": own & (scored.kinds == Kind.SIBLING)}


def wins_of(
    scored: Scored, rivals: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Of the positives that have rivals: whether each has the lowest energy (with ties its chance among them), how likely that is by chance, and its theorem."""
    counts = rivals.sum(axis=1)
    own = scored.positive[:, None]
    beaten = (rivals & (scored.negatives < own)).any(axis=1)
    ties = (rivals & (scored.negatives == own)).sum(axis=1)
    wins = np.where(beaten, 0.0, 1.0 / (1 + ties))
    chances = 1.0 / (1 + counts[counts > 0])
    return wins[counts > 0], chances, scored.theorem[counts > 0]


def pairwise(scored: Scored, rivals: NDArray[np.bool_]) -> Metric | None:
    """Share of its rivals that a positive lies below, averaged over the positives that have any."""
    counts = rivals.sum(axis=1)
    some = counts > 0
    own = scored.positive[:, None]
    above = (scored.negatives > own) + 0.5 * (scored.negatives == own)
    shares = (above * rivals).sum(axis=1)[some] / counts[some]
    by_chance = (counts[some] + 2) / (12 * counts[some])  # variance of a rank drawn from 0 … K, divided by K
    return mean_metric(shares, np.array(0.5), by_chance, scored.theorem[some])


def auc(scored: Scored) -> Metric | None:
    """Probability that a positive lies below a negative of any theorem (Mann-Whitney)."""
    negatives = np.sort(scored.negatives[scored.present])
    if not len(negatives):
        return None
    left, right = (np.searchsorted(negatives, scored.positive, side=side) for side in ("left", "right"))
    value = float((len(negatives) - right + 0.5 * (right - left)).mean() / len(negatives))
    return Metric(value=value, chance=0.5, count=len(scored.positive))


def energy_gap(scored: Scored) -> Metric | None:
    """Mean energy of a positive's negatives minus its own, averaged over the positives; in nats."""
    counts = scored.present.sum(axis=1)
    some = counts > 0
    n, own, rivals = counts[some], scored.positive[some], np.where(scored.present, scored.negatives, 0.0)[some]
    total, squares = own + rivals.sum(axis=1), own**2 + (rivals**2).sum(axis=1)
    gaps = (total - (n + 1) * own) / n
    # as if any of the n + 1 energies could be the positive's
    by_chance = ((n + 1) / n) ** 2 * np.maximum(squares / (n + 1) - (total / (n + 1)) ** 2, 0.0)
    return mean_metric(gaps, np.array(0.0), by_chance, scored.theorem[some])


def calibration(scored: Scored) -> Metric | None:
    """Expected calibration error over the positives that have negatives. It has no value by chance: a head that tells nothing apart is sure of nothing, and rightly so."""
    rows = zip(scored.positive.tolist(), scored.negatives, scored.present, strict=True)
    if not (bins := reliability([own, *rivals[present].tolist()] for own, rivals, present in rows)):
        return None
    return Metric(value=calibration_error(bins), chance=None, count=sum(b.groups for b in bins))


def depth_correlation(scored: Scored) -> Metric | None:
    """Of the positives' energies with the tactics that remain; None where one of the two is the same everywhere, or an energy is not finite."""
    n = len(scored.positive)
    if n < 3 or not np.isfinite(scored.positive).all() or not np.ptp(scored.positive) or not np.ptp(scored.remaining):
        return None
    value = float(np.corrcoef(scored.positive.astype(np.float64), scored.remaining)[0, 1])
    return Metric(value=value, chance=0.0, count=n, error=1 / math.sqrt(n - 1))


def mean_metric(
    values: NDArray[Any], chances: NDArray[Any], variances: NDArray[Any], theorem: NDArray[np.int64]
) -> Metric | None:
    """The mean of the values [n] of these theorems, with these values and variances under random choice; None without values."""
    if not len(values):
        return None
    error = float(np.sqrt(variances.sum()) / len(variances))
    return Metric(
        value=float(values.mean()),
        chance=float(chances.mean()),
        count=len(values),
        error=error,
        spread=standard_error([*shares_of(values - chances, theorem).values()]),
    )


def shares_of(values: NDArray[Any], theorem: NDArray[np.int64]) -> dict[int, float]:
    """What each theorem adds to the mean of values [n], which may depend on each other within it, as a deviation from it; none where all are alike: that would be no error at all."""
    if not np.ptp(values):
        return {}
    theorems, of = np.unique(theorem, return_inverse=True)
    sums = np.bincount(of, weights=values - values.mean()) / len(values)
    return dict(zip(theorems.tolist(), sums.tolist(), strict=True))


def verdict(metrics: Metrics) -> str:
    """Why a head is not accepted; empty when it is."""
    rank, gap = metrics.get("pairwise"), metrics.get("energy_gap")
    if rank is None or gap is None or rank.count < LEAST_POSITIVES:
        return f"{rank.count if rank else 0} validation positives are too few to judge it by ({LEAST_POSITIVES} are needed)"
    if not gap.value > 0:
        return f"its energy gap is {gap.value:.3f}, and must be above 0"
    if not rank.value > LEAST_RANK_ACCURACY:
        return f"its rank accuracy is {rank.value:.3f} (chance 0.5), and must be above {LEAST_RANK_ACCURACY}"
    return ""
