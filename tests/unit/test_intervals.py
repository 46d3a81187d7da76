"""95 % intervals: of a proportion as in the literature, of paired means as their variance says."""

from __future__ import annotations

import math
import random

import pytest

from burnqed.evaluate.intervals import bootstrap, difference, ratio, wilson


@pytest.mark.parametrize(
    ("solved", "total", "low", "high"),
    [(45, 100, 0.3561, 0.5476), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (76, 244, 0.2567, 0.3721)],
)
def test_wilsons_interval_of_a_proportion(solved: int, total: int, low: float, high: float) -> None:
    assert wilson(solved, total) == pytest.approx((low, high), abs=1e-4)


def test_there_is_none_of_nothing() -> None:
    assert wilson(0, 0) is None
    assert bootstrap([], [], difference) is None


def test_paired_differences_are_as_wide_as_their_deviation_says() -> None:
    draw = random.Random(0)
    before = [float(draw.random() < 0.5) for _ in range(400)]
    after = [one if draw.random() < 0.8 else float(draw.random() < 0.7) for one in before]
    gains = [b - a for a, b in zip(before, after, strict=True)]
    mean = sum(gains) / 400
    half = 1.96 * math.sqrt(sum((g - mean) ** 2 for g in gains) / 400 / 400)
    interval = bootstrap(before, after, difference)
    assert interval == pytest.approx((mean - half, mean + half), abs=0.006)
    assert interval == bootstrap(before, after, difference)


def test_pairs_stay_pairs() -> None:
    values = [float(n % 7) for n in range(100)]
    assert bootstrap(values, values, difference) == pytest.approx((0, 0), abs=1e-12)
    assert bootstrap(values, [v / 2 for v in values], ratio) == pytest.approx((0.5, 0.5))


def test_what_is_divided_by_nothing_has_no_end() -> None:
    assert bootstrap([0.0, 0.0], [1.0, 1.0], ratio) == (math.inf, math.inf)
