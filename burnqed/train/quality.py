"""How good embeddings are for a head: whether states on proofs can be told from states off them at all, and what fine-tuning did to that.

A distance alone says little: it grows with the scale of the embeddings and with their width. So most figures are divided by the pooled deviation, which is the
root of the mean squared distance of a state from the centre of its class. Figures have the value beside them that random labels would give.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from burnqed.head.metric import LEAST_THEOREMS, Metric, Metrics
from burnqed.train.examples import HeadExamples
from burnqed.train.ragged import Indices, Ragged

Floats = NDArray[np.float32]

SAMPLE = 2_000
"""The most states of each class that go into a figure that needs them all in memory."""
PIECE = 4_096
"""Embeddings that are in memory at once for means."""
SHUFFLES = 10
"""Random labellings behind the chance value of the centroid distance."""
LEAST_STATES = 10
"""With fewer states of a class there is no figure by depth."""
DEPTHS = {"1": (1, 1), "2": (2, 2), "3": (3, 3), "4+": (4, 1 << 30)}


def embedding_metrics(
    matrix: Floats,
    positives: Indices,
    negatives: Indices,
    held_positives: Indices,
    held_negatives: Indices,
    *,
    seed: int,
) -> Metrics:
    """Whether positive and negative states, rows of the matrix [N, d] (of training and of held-out theorems), can be separated at all.

    Over all theorems: `centroid_l2`, the distance between the mean embeddings of the two classes; `centroid_scaled`, the same divided by the pooled
    deviation; `norm_gap`, the difference of their mean norms in deviations of the norm; `silhouette` (Rousseeuw 1987); and of all states together
    `effective_rank` (the exponential of the entropy of the covariance's spectrum, Roy and Vetterli 2007), `variance_1` and `variance_10` (the share of the
    variance in so many principal components). `linear_probe`: accuracy of logistic regression on held-out theorems, with as many positives as
    negatives. Fine-tuning can collapse all of them. Where there are many states, a sample stands for them, except in `centroid_l2`.
    """
    random = np.random.default_rng(seed)
    metrics: Metrics = {}
    on, off = np.concatenate([positives, held_positives]), np.concatenate([negatives, held_negatives])
    if len(on) and len(off):
        everything = np.concatenate([on, off])
        chosen = [np.arange(len(on)), *(random.permutation(len(everything))[: len(on)] for _ in range(SHUFFLES))]
        value, *by_chance = distances(matrix, everything, chosen)
        metrics["centroid_l2"] = Metric(value=value, chance=float(np.mean(by_chance)), count=len(everything))
    n = min(len(positives), len(negatives), SAMPLE)
    m = min(len(held_positives), len(held_negatives), SAMPLE)
    if n and m:
        sets = [
            matrix[part[random.choice(len(part), size, replace=False)]]
            for part, size in ((positives, n), (negatives, n), (held_positives, m), (held_negatives, m))
        ]
        accuracy = linear_probe(
            np.concatenate(sets[:2]), np.repeat([1.0, 0.0], n), np.concatenate(sets[2:]), np.repeat([1.0, 0.0], m)
        )
        metrics["linear_probe"] = Metric(value=accuracy, chance=0.5, count=2 * m)
    if len(on) > 1 and len(off) > 1:
        classes = [matrix[some(part, SAMPLE, random)].astype(np.float64) for part in (on, off)]
        deviation, count = pooled_deviation(classes), sum(map(len, classes))
        if deviation:
            centroid = metrics["centroid_l2"]
            metrics["centroid_scaled"] = Metric(
                value=centroid.value / deviation, chance=(centroid.chance or 0.0) / deviation, count=centroid.count
            )
            metrics["norm_gap"] = Metric(value=norm_gap(classes), chance=0.0, count=count)
            metrics["silhouette"] = Metric(value=silhouette(classes), chance=0.0, count=count)
            spectrum = variance_shares(np.concatenate(classes))
            of_all = {
                "effective_rank": effective_rank(spectrum),
                "variance_1": spectrum[0],
                "variance_10": spectrum[:10].sum(),
            }
            metrics |= {name: Metric(value=float(v), chance=None, count=count) for name, v in of_all.items()}
    return metrics


def state_metrics(
    examples: HeadExamples, matrix: Floats, training: Indices, held_out: Indices, *, seed: int
) -> Metrics:
    """What needs the examples of the states, rows of the matrix [N, d]; `training` and `held_out` are positives.

    `centroid_within`: how far apart the means of states on and off proofs are within a theorem (see `within`), divided by the pooled deviation; unlike `centroid_scaled`
    it does not depend on which theorems have many states on their proofs and which off them.
    `sibling_distance`: the mean distance between a positive and one of its siblings, divided by the pooled deviation, beside that of two random states.
    `both_ways`: the share of the positive states that lie off the proofs of another theorem. `centroid_scaled_depth_1` to `_4+`: the scaled
    distance between the positives of a depth and their siblings. `linear_probe_depth_…`: accuracy on those of held-out theorems, as often a
    positive as a sibling, of a probe that is fitted on all depths.
    """
    random = np.random.default_rng(seed)
    on = np.unique(examples.state[examples.contrasted(np.arange(len(examples)))])
    off = np.unique(examples.states.values)
    both = len(np.intersect1d(on, off))
    metrics: Metrics = {}
    if len(on):
        metrics["both_ways"] = Metric(value=both / len(on), chance=None, count=len(on))
    with_siblings = np.flatnonzero(np.diff(examples.siblings.starts))
    deviation = 0.0
    if len(on) > 1 and len(off) > 1:
        deviation = pooled_deviation([matrix[some(part, SAMPLE, random)].astype(np.float64) for part in (on, off)])
    if deviation and len(differences := theorem_differences(examples, matrix, random)) >= LEAST_THEOREMS:
        apart, error = within(differences / deviation)
        metrics["centroid_within"] = Metric(value=apart, chance=0.0, count=len(differences), spread=error)
    if len(with_siblings) > 1 and deviation:
        drawn = some(with_siblings, SAMPLE, random)
        siblings = np.array([random.choice(examples.siblings[p]) for p in drawn.tolist()])
        own, others = matrix[examples.state[drawn]], matrix[siblings]
        apart, strangers = (float(np.linalg.norm(own - z, axis=1).mean()) for z in (others, random.permutation(others)))
        metrics["sibling_distance"] = Metric(value=apart / deviation, chance=strangers / deviation, count=len(drawn))
    for name, (least, most) in DEPTHS.items():
        here = with_siblings[(examples.depth[with_siblings] >= least) & (examples.depth[with_siblings] <= most)]
        rows = with_siblings_of(examples, here)
        if min(map(len, rows)) >= LEAST_STATES:
            on_it, off_it = (some(part, SAMPLE, random) for part in rows)
            of_depth = embedding_metrics(matrix, on_it, off_it, here[:0], here[:0], seed=seed)
            if scaled := of_depth.get("centroid_scaled"):
                metrics[f"centroid_scaled_depth_{name}"] = scaled
        fitted, judged = (with_siblings_of(examples, part) for part in (training, np.intersect1d(held_out, here)))
        n, m = (min(SAMPLE, *map(len, classes)) for classes in (fitted, judged))
        if n >= LEAST_STATES and m >= LEAST_STATES:
            x, held = (
                np.concatenate([matrix[random.choice(rows, size, replace=False)] for rows in classes])
                for classes, size in ((fitted, n), (judged, m))
            )
            accuracy = linear_probe(x, np.repeat([1.0, 0.0], n), held, np.repeat([1.0, 0.0], m))
            metrics[f"linear_probe_depth_{name}"] = Metric(value=accuracy, chance=0.5, count=2 * m)
    return metrics


def theorem_differences(examples: HeadExamples, matrix: Floats, random: np.random.Generator) -> NDArray[np.float64]:
    """[n, d]: of each theorem that has both (of at most SAMPLE of them), the mean of the states on its proofs minus that of its other states."""
    positives = examples.contrasted(np.arange(len(examples)))
    chosen = some(np.unique(examples.theorem[positives]), SAMPLE, random)
    positives = positives[np.isin(examples.theorem[positives], chosen)]
    on = Ragged.grouped(examples.state[positives], examples.theorem[positives], len(examples.theorems))
    found = [
        matrix[np.unique(on[t])].mean(axis=0, dtype=np.float64)
        - matrix[examples.states[t]].mean(axis=0, dtype=np.float64)
        for t in chosen.tolist()
    ]
    return np.array(found).reshape(len(found), matrix.shape[1])


def within(differences: NDArray[np.float64]) -> tuple[float, float]:
    """The norm of the mean that differences [n, d] are drawn around, and its standard error over them (jackknife, Efron and Stein 1981, doi:10.1214/aos/1176345462).

    The square of the norm of their own mean is on average larger by the variance of that mean, of which nothing is left here: where there is no common difference it is 0
    on average, with negative estimates counted as 0.
    """
    total, squares = differences.sum(axis=0), (differences**2).sum(axis=1)

    def norm(of_sum: Any, of_squares: Any, n: int) -> Any:
        """From the squared norm of the sum of n differences, and the sum of their squared norms."""
        return np.sqrt(np.maximum(of_sum - of_squares, 0.0) / (n * (n - 1)))

    n, whole = len(differences), float((total**2).sum())
    left_out = norm(whole - 2 * differences @ total + squares, squares.sum() - squares, n - 1)
    error = math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))
    return float(norm(whole, float(squares.sum()), n)), error


def with_siblings_of(examples: HeadExamples, positives: Indices) -> tuple[Indices, Indices]:
    """The states of these positives, and their siblings, each once."""
    siblings = [examples.siblings[p] for p in positives.tolist()]
    return np.unique(examples.state[positives]), np.unique(np.concatenate([*siblings, positives[:0]]))


def quality(examples: HeadExamples, matrix: Floats, training: Indices, held_out: Indices, *, seed: int) -> Metrics:
    """`embedding_metrics` and `state_metrics` of the states of the examples; `training` and `held_out` are positives."""
    classes = (*class_rows(examples, training), *class_rows(examples, held_out))
    of_states = state_metrics(examples, matrix, training, held_out, seed=seed)
    return embedding_metrics(matrix, *classes, seed=seed) | of_states


def class_rows(examples: HeadExamples, positives: Indices) -> tuple[Indices, Indices]:
    """Rows of the positive states and of the other states of the same theorems, in order; of theorems that have both."""
    positives = examples.contrasted(positives)
    of_theorems = np.isin(np.arange(len(examples.theorems)), examples.theorem[positives])
    states = np.unique(examples.state[positives])
    return states, np.setdiff1d(examples.states.where(of_theorems).values, states)


def some(rows: Indices, most: int, random: np.random.Generator) -> Indices:
    """At most so many of the rows, at random, in order."""
    return rows if len(rows) <= most else np.sort(random.choice(rows, most, replace=False))


def distances(matrix: Floats, rows: Indices, chosen: Sequence[Indices]) -> list[float]:
    """For each choice among the rows of the matrix: the distance between the means of the chosen and of the others. Reads the matrix piece by piece."""
    labels = np.zeros((len(chosen), len(rows)), dtype=np.bool_)
    for label, of in zip(labels, chosen, strict=True):
        label[of] = True
    inside = np.zeros((len(chosen), matrix.shape[1]))
    total = np.zeros(matrix.shape[1])
    for start in range(0, len(rows), PIECE):
        piece = matrix[rows[start : start + PIECE]].astype(np.float64)
        inside += labels[:, start : start + PIECE].astype(np.float64) @ piece
        total += piece.sum(axis=0)
    count = labels.sum(axis=1, keepdims=True)
    difference = inside / count - (total - inside) / (len(rows) - count)
    return [float(distance) for distance in np.linalg.norm(difference, axis=1)]


def pooled_deviation(classes: Sequence[NDArray[np.float64]]) -> float:
    """Root of the mean squared distance of a state from the centre of its class [n, d], where each class counts the same."""
    return float(np.sqrt(np.mean([z.var(axis=0).sum() for z in classes])))


def norm_gap(classes: Sequence[NDArray[np.float64]]) -> float:
    """Mean norm of the first class minus that of the second, in pooled deviations of the norm."""
    on, off = (np.linalg.norm(z, axis=1) for z in classes)
    return float((on.mean() - off.mean()) / max(np.sqrt((on.var() + off.var()) / 2), 1e-12))


def silhouette(classes: Sequence[NDArray[np.float64]]) -> float:
    """Mean of (b − a) / max(a, b), where a is a state's mean distance to its own class, b that to the other."""
    points = np.concatenate(classes)
    squares = (points**2).sum(axis=1)
    between = np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0.0))
    first = len(classes[0])
    sums = np.stack([between[:, :first].sum(axis=1), between[:, first:].sum(axis=1)], axis=1)
    sizes = np.array([first, len(points) - first])
    own = np.repeat([0, 1], sizes)
    rows = np.arange(len(points))
    a, b = sums[rows, own] / (sizes[own] - 1), sums[rows, 1 - own] / sizes[1 - own]
    return float(((b - a) / np.maximum(np.maximum(a, b), 1e-12)).mean())


def variance_shares(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of the variance [min(n, d)] in the principal components of points [n, d], the largest first."""
    variances = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) ** 2
    shares: NDArray[np.float64] = variances / max(variances.sum(), 1e-300)
    return shares


def effective_rank(shares: NDArray[np.float64]) -> float:
    positive = shares[shares > 0]
    return float(np.exp(-(positive * np.log(positive)).sum()))


def linear_probe(x: Floats, y: NDArray[np.float64], held_x: Floats, held_y: NDArray[np.float64]) -> float:
    """Accuracy on held-out data of L2-regularised logistic regression on standardised features."""
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-6
    features, held = (torch.from_numpy(((part - mean) / scale).astype(np.float32)) for part in (x, held_x))
    target = torch.from_numpy(y.astype(np.float32))
    weight = torch.zeros(features.shape[1], requires_grad=True)
    bias = torch.zeros((), requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=200, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        value = F.binary_cross_entropy_with_logits(features @ weight + bias, target) + 1e-2 * weight.square().sum()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimizer.step(loss)  # type: ignore[arg-type, no-untyped-call]
    with torch.no_grad():
        predicted = (held @ weight + bias > 0).numpy()
    return float((predicted == (held_y > 0.5)).mean())


def picture(matrix: Floats, on: Indices, off: Indices, *, seed: int, most: int = 1_000) -> dict[str, list[float]]:
    """Two principal components of at most `most` states of each class, as a report draws them, and the shares of the variance in the first 50.

    `on_x`, `on_y`, `off_x`, `off_y`, in deviations of the first component; `spectrum`.
    """
    random = np.random.default_rng(seed)
    classes = [matrix[some(part, most, random)].astype(np.float64) for part in (on, off)]
    points = np.concatenate(classes)
    points = points - points.mean(axis=0)
    _, singular, axes = np.linalg.svd(points, full_matrices=False)
    if len(singular) < 2 or not singular[0]:
        return {}
    plane = points @ axes[:2].T * (np.sqrt(len(points)) / singular[0])
    shares = singular**2 / (singular**2).sum()
    drawn = {
        f"{name}_{axis}": [round(float(v), 3) for v in part[:, i]]
        for name, part in zip(("on", "off"), np.split(plane, [len(classes[0])]), strict=True)
        for i, axis in enumerate("xy")
    }
    return drawn | {"spectrum": [round(float(share), 6) for share in shares[:50]]}
