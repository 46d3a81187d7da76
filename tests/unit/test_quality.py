"""Figures of embeddings: what they see, and what they do not depend on."""

import numpy as np
import pytest
from numpy.typing import NDArray

from burnqed.head.metric import Metric
from burnqed.train.quality import (
    effective_rank,
    embedding_metrics,
    norm_gap,
    picture,
    quality,
    silhouette,
    state_metrics,
    variance_shares,
)
from tests.fixtures.head_examples import Positive, examples_of

Floats = NDArray[np.float32]
NONE = np.empty(0, dtype=np.int64)


def two_classes(apart: float, n: int = 300, d: int = 16, seed: int = 0) -> Floats:
    """n states around one centre, then n around another."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(2 * n, d))
    points[:n, 0] += apart
    return points.astype(np.float32)


def figures(matrix: Floats, seed: int = 0) -> dict[str, float]:
    on, off = np.split(np.arange(len(matrix)), 2)
    held = len(on) // 3
    metrics = embedding_metrics(matrix, on[held:], off[held:], on[:held], off[:held], seed=seed)
    return {name: metric.value for name, metric in metrics.items()}


def test_the_distance_of_the_means_grows_with_scale_and_the_scaled_one_does_not() -> None:
    matrix = two_classes(3.0)
    once, tenfold = figures(matrix), figures(10 * matrix)
    assert tenfold["centroid_l2"] == pytest.approx(10 * once["centroid_l2"], rel=1e-5)
    for name in ("centroid_scaled", "silhouette", "norm_gap", "effective_rank", "variance_1", "linear_probe"):
        assert tenfold[name] == pytest.approx(once[name], rel=1e-4), name
    assert once["centroid_scaled"] == pytest.approx(3.0 / 4.0, rel=0.1)  # 16 dimensions of deviation 1


def test_classes_that_are_told_apart_have_better_figures_than_classes_that_are_not() -> None:
    apart, same = figures(two_classes(6.0)), figures(two_classes(0.0))
    assert apart["linear_probe"] > 0.97
    assert 0.35 < same["linear_probe"] < 0.65
    assert apart["silhouette"] > 0.15
    assert abs(same["silhouette"]) < 0.02
    assert apart["centroid_scaled"] > 5 * same["centroid_scaled"]


def test_what_chance_gives_is_beside_each_figure() -> None:
    matrix = two_classes(0.0)
    metrics = embedding_metrics(matrix, np.arange(300), np.arange(300, 600), NONE, NONE, seed=0)
    for name in ("centroid_l2", "centroid_scaled"):
        assert metrics[name].chance == pytest.approx(metrics[name].value, rel=0.5)


def test_a_collapse_into_few_directions_is_seen() -> None:
    wide = two_classes(3.0, d=32)
    narrow = wide * np.geomspace(1, 1e-4, 32).astype(np.float32)
    assert figures(wide)["effective_rank"] > 25
    assert figures(narrow)["effective_rank"] < 10
    assert figures(narrow)["variance_10"] > 0.97 > figures(wide)["variance_10"]


def test_the_effective_rank_of_equal_variances_is_their_number() -> None:
    assert effective_rank(np.array([0.25, 0.25, 0.25, 0.25, 0.0])) == pytest.approx(4)
    points = np.random.default_rng(0).normal(size=(4_000, 6)) @ np.eye(6, 20)
    assert effective_rank(variance_shares(points)) == pytest.approx(6, rel=0.01)


def test_the_silhouette_is_that_of_its_definition() -> None:
    """Two classes on a line: 0 and 1; 4."""
    one = (4.0 - 1.0) / 4.0
    other = (3.0 - 1.0) / 3.0
    on, off = np.array([[0.0], [1.0]]), np.array([[4.0], [4.0]])
    alone = 1.0  # both points of the second class are in one place
    assert silhouette([on, off]) == pytest.approx((one + other + 2 * alone) / 4)


def test_the_norm_gap_says_which_class_is_longer() -> None:
    near, far = np.array([[1.0, 0.0], [0.0, 1.2]]), np.array([[2.0, 0.0], [0.0, 2.2]])
    assert norm_gap([far, near]) == pytest.approx(1.0 / 0.1)
    assert norm_gap([near, far]) == pytest.approx(-1.0 / 0.1)


def test_embeddings_that_are_all_the_same_have_no_figure_that_divides_by_nothing() -> None:
    metrics = embedding_metrics(np.ones((40, 8), np.float32), np.arange(20), np.arange(20, 40), NONE, NONE, seed=0)
    assert metrics["centroid_l2"].value == 0
    assert "centroid_scaled" not in metrics
    assert picture(np.ones((40, 8), np.float32), np.arange(20), np.arange(20, 40), seed=0) == {}


def test_many_states_are_sampled_and_the_mean_is_over_all() -> None:
    matrix = np.concatenate([two_classes(3.0, n=6_000)[:6_000], two_classes(3.0, n=6_000)[6_000:]])
    once, again = figures(matrix), figures(matrix)
    assert once == again
    exact = np.linalg.norm(matrix[:6_000].mean(axis=0) - matrix[6_000:].mean(axis=0))
    assert once["centroid_l2"] == pytest.approx(exact, rel=1e-5)


# ---- what needs the examples


def test_states_on_one_theorems_proof_and_off_anothers_are_counted() -> None:
    positives = [Positive("t", "g", "s", 1, ("x",)), Positive("u", "h", "x", 1, ("y",))]
    examples = examples_of(positives, {"t": ("x",), "u": ("y",)})
    metrics = state_metrics(examples, np.eye(len(examples.texts), dtype=np.float32), NONE, NONE, seed=0)
    assert metrics["both_ways"].value == 0.5  # x, of s and x


def test_the_distance_within_theorems_is_that_around_which_they_vary_and_nothing_where_there_is_none() -> None:
    """Also of few theorems, where the mean of their differences is far from 0 by chance alone, and of those with many states on one side, which `centroid_scaled` takes for a distance."""
    random = np.random.default_rng(0)
    found: dict[float, list[Metric]] = {}
    lopsided = []
    for apart in (0.0, 1.0):
        for _ in range(20):
            names = [f"t{i}" for i in range(30)]
            on = {t: [f"{t} on {k}" for k in range(1 + 8 * (i % 2))] for i, t in enumerate(names)}
            off = {t: tuple(f"{t} off {k}" for k in range(9 - 8 * (i % 2))) for i, t in enumerate(names)}
            positives = [Positive(t, f"goal {t}", state, 1, ()) for t in names for state in on[t]]
            examples = examples_of(positives, off)
            centre = {t: 3.0 * (i % 2) * np.eye(8)[1] for i, t in enumerate(names)}
            shift = {" on": apart * np.eye(8)[0], " off": np.zeros(8)}
            vectors = [
                sum((shift[k] for k in shift if k in text), np.zeros(8)) + centre[text.split()[text.startswith("goal")]]
                + random.normal(size=8)
                for text in examples.texts
            ]  # fmt: skip
            matrix = np.array(vectors, dtype=np.float32)
            metrics = quality(examples, matrix, np.arange(len(positives)), NONE, seed=0)
            found.setdefault(apart, []).append(metrics["centroid_within"])
            lopsided.append(metrics["centroid_scaled"].value)
    values = {apart: [m.value for m in metrics] for apart, metrics in found.items()}
    # of 8 dimensions, and of a class's theorems, nine tenths of whose states have one centre
    variance = 8 + 0.09 * 3.0**2
    assert np.mean(np.square(values[1.0])) == pytest.approx(1 / variance, rel=0.15)
    assert np.mean(values[0.0]) < 0.1 < 0.5 < min(lopsided)
    assert np.mean([m.spread for m in found[1.0]]) == pytest.approx(np.std(values[1.0]), rel=0.4)


def test_few_theorems_have_no_distance_within() -> None:
    positives = [Positive(f"t{i}", "g", f"on {i}", 1, ()) for i in range(5)]
    examples = examples_of(positives, {f"t{i}": (f"off {i}",) for i in range(5)})
    matrix = np.random.default_rng(0).normal(size=(len(examples.texts), 4)).astype(np.float32)
    assert "centroid_within" not in state_metrics(examples, matrix, NONE, NONE, seed=0)


def test_siblings_that_are_close_are_seen_and_depths_are_told_apart() -> None:
    random = np.random.default_rng(0)
    positives, states = [], {}
    for i in range(60):
        depth = 1 + i % 2
        siblings = tuple(f"sibling {i} {k}" for k in range(3))
        positives.append(Positive(f"t{i}", f"goal {i}", f"state {i}", depth, siblings))
        states[f"t{i}"] = siblings
    examples = examples_of(positives, states)
    vectors = {text: random.normal(size=8) for text in examples.texts}
    for p in positives:
        for sibling in p.siblings:  # of depth 1 they are close, of depth 2 far in one direction
            shift = np.eye(8)[0] * (4.0 if p.depth == 2 else 0.0)
            vectors[sibling] = vectors[p.state] + 0.1 * random.normal(size=8) + shift
    matrix = np.array([vectors[t] for t in examples.texts], dtype=np.float32)
    metrics = state_metrics(examples, matrix, np.arange(20), np.arange(20, 60), seed=0)
    assert metrics["linear_probe_depth_2"].value > metrics["linear_probe_depth_1"].value + 0.2
    assert metrics["centroid_scaled_depth_2"].value > 5 * metrics["centroid_scaled_depth_1"].value
    assert metrics["sibling_distance"].value < 0.8 * (metrics["sibling_distance"].chance or 0)
    assert "centroid_scaled_depth_4+" not in metrics


def test_the_picture_shows_classes_apart_that_are_apart() -> None:
    drawn = picture(two_classes(8.0), np.arange(300), np.arange(300, 600), seed=0)
    assert {name: len(values) for name, values in drawn.items()} == {
        "on_x": 300, "on_y": 300, "off_x": 300, "off_y": 300, "spectrum": 16,
    }  # fmt: skip
    assert abs(np.mean(drawn["on_x"]) - np.mean(drawn["off_x"])) > 1.5
    assert sum(drawn["spectrum"]) == pytest.approx(1, abs=1e-4)
