"""95 % intervals: of a proportion as in the literature, of paired means as their variance says."""

from __future__ import annotations

import math
import random

import pytest

from burnqed.evaluate.intervals import bootstrap, difference, mean_interval, paired, ratio, signed, wilson


@pytest.mark.parametrize(
    ("solved", "total", "low", "high"),
    [(45, 100, 0.3561, 0.5476), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (76, 244, 0.2567, 0.3721)],
)
def test_wilsons_interval_of_a_proportion(solved: int, total: int, low: float, high: float) -> None:
    assert wilson(solved, total) == pytest.approx((low, high), abs=1e-4)


def test_there_is_none_of_nothing() -> None:
    assert wilson(0, 0) is None
    assert paired(0, 0, 0, 0) is None
    assert bootstrap([], [], ratio) is None


@pytest.mark.parametrize(
    ("n", "gained", "lost", "least"),
    [(160, 0.01, 0.0, 930), (40, 0.05, 0.0, 890), (160, 0.03, 0.01, 930), (82, 0.1, 0.05, 930)],
)
def test_the_interval_of_a_gain_covers_it_also_where_few_theorems_differ(
    n: int, gained: float, lost: float, least: int
) -> None:
    """Of 1,000 evaluations, in which half of the theorems are solved either way."""
    draw, covered = random.Random(0), 0
    for _ in range(1_000):
        kinds = draw.choices(["gained", "lost", "both", "neither"], [gained, lost, 0.5, 0.5 - gained - lost], k=n)
        interval = paired(*(kinds.count(kind) for kind in ("both", "lost", "gained", "neither")))
        assert interval
        assert interval[0] < interval[1]
        covered += interval[0] <= gained - lost <= interval[1]
    assert covered >= least


def test_the_interval_of_a_gain_is_turned_with_its_sides() -> None:
    up, down = paired(20, 3, 9, 8), paired(20, 9, 3, 8)
    assert up
    assert down
    assert up == pytest.approx((-down[1], -down[0]))
    assert paired(20, 0, 0, 20) == pytest.approx((-0.1, 0.1), abs=0.07)


def test_a_ratio_is_as_wide_as_its_deviation_says() -> None:
    draw = random.Random(0)
    before = [draw.uniform(10, 20) for _ in range(400)]
    after = [one * draw.uniform(0.5, 1.1) for one in before]
    mean = sum(after) / sum(before)
    residues = [b - mean * a for a, b in zip(before, after, strict=True)]
    half = 1.96 * math.sqrt(sum(r * r for r in residues) / 400 / 400) / (sum(before) / 400)
    interval = bootstrap(before, after, ratio)
    assert interval == pytest.approx((mean - half, mean + half), abs=0.004)
    assert interval == bootstrap(before, after, ratio)
    assert bootstrap(before, [v / 2 for v in before], ratio) == pytest.approx((0.5, 0.5))


def test_what_is_divided_by_nothing_has_no_end() -> None:
    assert bootstrap([0.0] * 6, [1.0] * 6, ratio) == (math.inf, math.inf)


def test_a_few_theorems_that_differ_are_no_ground_for_an_interval() -> None:
    assert bootstrap([64.0] + [10.0] * 40, [40.0] + [10.0] * 40, ratio) is None
    assert bootstrap([256.0] * 5 + [10.0] * 40, [2.0] * 5 + [10.0] * 40, ratio) is None
    assert bootstrap([256.0] * 6 + [10.0] * 40, [2.0] * 6 + [10.0] * 40, ratio) is not None


def test_the_interval_of_a_mean_also_has_a_width_where_nearly_all_theorems_are_alike() -> None:
    assert mean_interval([0.0] * 20) == pytest.approx((0.0, 0.161), abs=0.001)
    assert mean_interval([1.0] * 20) == pytest.approx((0.839, 1.0), abs=0.001)
    assert mean_interval([0.0, 1.0] * 50) == pytest.approx((0.4, 0.6), abs=0.02)
    assert mean_interval([1.0] * 59 + [0.5]) == pytest.approx((0.925, 0.999), abs=0.001), "not narrower than of all"
    assert mean_interval([]) is None


def test_an_end_that_is_nothing_but_for_the_rounding_of_sums_is_zero() -> None:
    """Means of three seeds: with 53 theorems that none proves, 5 and 1 that one more and one fewer does, and 12 that all prove, an end came out at −5.6e-17."""
    before = [0.0] * 53 + [1 / 3] * 5 + [2 / 3] + [1.0] * 12
    after = [0.0] * 53 + [2 / 3] * 5 + [1 / 3] + [1.0] * 12
    assert bootstrap(before, after, difference) == (0.0, pytest.approx(0.042253521))
    assert signed(bootstrap(before, after, difference)) == "+0.0% to +4.2%"
