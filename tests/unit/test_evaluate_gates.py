"""Go/no-go verdicts."""

from __future__ import annotations

import string

import pytest

from burnqed.config import GateConfig
from burnqed.evaluate.gates import GateCheck, GateVerdict, verdict
from burnqed.evaluate.results import HEAD, IterationResult, SearchFigures
from tests.fixtures.evaluations import iteration, solving

TEN = "abcdefghij"
FIFTY = string.ascii_lowercase + string.ascii_uppercase[:24]
FEW = iteration(0, solving("a", TEN)).model_copy(update={"search": SearchFigures(nodes=90, candidates_mean=3.2)})
"""Distinct candidates."""
SURE = {"max_p": 1.0}
"""Values count by their sign."""


def check(found: GateVerdict, name: str) -> GateCheck:
    return next(c for c in found.checks if c.name == name)


def head(name: str, value: float, chance: float, n: int, error: float) -> dict[str, float]:
    return {f"head__{name}": value, f"head__{name}_chance": chance, f"head__{name}_n": n, f"head__{name}_error": error}


def test_an_iteration_that_meets_every_threshold_goes_on() -> None:
    before = iteration(0, solving(FIFTY[:10], FIFTY), solving(FIFTY[:10], FIFTY, variant=HEAD))
    metrics = {
        "sft__evaluation_loss": 0.4,
        "sft__evaluation_loss_n": 500,
        **head("rank1_depth_4+", 0.45, 0.2, 100, 0.04),
        **head("rank1_siblings", 0.5, 0.36, 400, 0.02),
        **head("energy_gap", 0.8, 0.0, 400, 0.1),
        **head("pairwise", 0.9, 0.5, 400, 0.02),
    }
    after = iteration(1, solving(FIFTY[:20], FIFTY), solving(FIFTY[:30], FIFTY, variant=HEAD), **metrics)
    config = GateConfig(min_rate=0.4, min_rate_with_head=0.5, min_gain=0.05, max_loss=0.5, min_rank1_deep=0.4)
    found = verdict(after, [before], config)
    assert found.go
    assert [(c.name, c.value, c.n) for c in found.checks] == [
        ("solve rate without head", 0.4, 50),
        ("solve rate with head", 0.6, 50),
        ("gain from iteration 0 with its head", pytest.approx(0.4), 50),
        ("gain from the head", pytest.approx(0.2), 50),
        ("evaluation loss", 0.4, 500),
        ("rank-1 at depth 4+", 0.45, 100),
        ("rank-1 among siblings", 0.5, 400),
        ("energy gap", 0.8, 400),
        ("head's rank accuracy", 0.9, 400),
    ]


@pytest.mark.parametrize(("gained", "ok"), [(2, False), (5, False), (6, True), (10, True)])
def test_a_gain_counts_only_where_chance_would_hardly_give_it(gained: int, ok: bool) -> None:
    before = iteration(0, solving(FIFTY[:10], FIFTY))
    found = verdict(iteration(1, solving(FIFTY[: 10 + gained], FIFTY)), [before], GateConfig())
    gain = check(found, "gain from iteration 0")
    assert (gain.ok, found.go) == (ok, ok)
    assert gain.value == pytest.approx(gained / 50)
    assert gain.p == pytest.approx(2 / 2**gained)
    assert "p ≤ 0.05" in gain.asked
    if not ok:
        assert "Chance alone" in gain.advice
        assert f"{gained} newly solved, 0 lost" in gain.advice


def test_the_lead_of_a_head_over_chance_counts_only_where_chance_would_hardly_give_it() -> None:
    def siblings(value: float, n: int) -> GateCheck:
        metrics = head("rank1_siblings", value, 0.362, n, (0.362 * 0.638 / n) ** 0.5)
        return check(verdict(iteration(0, solving("a", TEN), **metrics), [], GateConfig()), "rank-1 among siblings")

    little = siblings(0.368, 400)
    assert not little.ok
    assert little.measured == "0.368 (n = 400, chance 0.362, p = 0.4)"
    assert siblings(0.368, 40_000).ok
    assert siblings(0.45, 400).ok


def test_a_head_that_too_few_positives_judge_is_not_shown_as_good() -> None:
    def rank(n: int) -> GateCheck:
        metrics = head("pairwise", 0.878, 0.5, n, 0.08)
        return check(verdict(iteration(0, solving("a", TEN), **metrics), [], GateConfig()), "head's rank accuracy")

    assert (rank(17).ok, rank(20).ok) == (False, True)
    assert "n ≥ 20" in rank(17).asked
    assert "Too few validation positives" in rank(17).advice


def test_a_figure_of_which_nobody_noted_the_spread_shows_nothing() -> None:
    metrics = {"head__pairwise": 0.9, "head__pairwise_chance": 0.5}
    found = check(verdict(iteration(0, solving("a", TEN), **metrics), [], GateConfig()), "head's rank accuracy")
    assert (found.p, found.ok) == (None, False)


def test_thresholds_may_differ_from_iteration_to_iteration_and_the_last_stays() -> None:
    config = GateConfig(min_rate=[0.3, 0.25])
    asked = [verdict(iteration(n, solving("a", TEN)), [], config).checks[0].threshold for n in range(4)]
    assert asked == [0.3, 0.25, 0.25, 0.25]


@pytest.mark.parametrize(
    ("result", "config", "name", "advice"),
    [
        (iteration(0, solving("", TEN)), GateConfig(min_rate=0.05), "solve rate without head", "loads the right weights"),
        (iteration(0, solving("a", TEN)), GateConfig(min_rate=0.3), "solve rate without head", "prompt format first"),
        (iteration(1, solving("a", TEN)), GateConfig(min_rate=0.25), "solve rate without head", "Stop"),
        (iteration(1, solving("a", TEN)), GateConfig(min_rate_with_head=0.35), "solve rate with head", "not evaluated"),
        (iteration(0, solving("a", TEN), solving("b", TEN, variant=HEAD)), GateConfig(), "gain from the head", "embeddings"),
        (iteration(0, solving("a", TEN), sft__evaluation_loss=0.6), GateConfig(max_loss=0.5), "evaluation loss", "learning rate"),
        (iteration(0, solving("a", TEN)), GateConfig(max_loss=0.5), "evaluation loss", "learning rate"),
        (iteration(0, solving("a", TEN), **head("rank1_depth_4+", 0.2, 0.1, 400, 0.02)), GateConfig(min_rank1_deep=0.25), "rank-1 at depth 4+", "negatives"),
        (FEW, GateConfig(min_candidates=4.0), "distinct candidates", "raise search.temperature"),
        (iteration(0, solving("a", TEN)), GateConfig(min_candidates=4.0), "distinct candidates", "raise search.temperature"),
        (iteration(0, solving("a", TEN), **head("linear_probe", 0.6, 0.5, 400, 0.02)), GateConfig(min_linear_probe=0.65), "linear probe of the embeddings", "train jointly"),
        (iteration(1, solving("a", TEN), **head("centroid_l2", 2.9, 0.1, 400, 0.02)), GateConfig(min_centroid=[1.0, 3.0]), "distance of the mean embeddings", "train jointly"),
        (iteration(0, solving("a", TEN), **head("energy_gap", -0.1, 0.0, 90, 0.1)), GateConfig(), "energy gap", "do not search with it"),
        (iteration(0, solving("a", TEN), **head("pairwise", 0.55, 0.5, 900, 0.01)), GateConfig(), "head's rank accuracy", "chance"),
    ],
)  # fmt: skip
def test_what_falls_short_stops_and_says_what_to_look_at(
    result: IterationResult, config: GateConfig, name: str, advice: str
) -> None:
    found = verdict(result, [], config)
    assert not found.go
    assert [c.name for c in found.failed] == [name]
    assert advice in check(found, name).advice


@pytest.mark.parametrize(
    ("after", "min_gain", "go"),
    [("abc", 0.0, True), ("ac", 0.0, False), ("ab", 0.0, False), ("a", 0.0, False), ("ab", -0.1, True), ("a", -0.1, True),
     ("abc", 0.1, True), ("abc", 0.15, False)],
)  # fmt: skip
def test_a_level_or_falling_solve_rate_stops(after: str, min_gain: float, go: bool) -> None:
    found = verdict(
        iteration(1, solving(after, TEN)), [iteration(0, solving("ab", TEN))], GateConfig(min_gain=min_gain, **SURE)
    )
    assert found.go is go


def test_gains_are_taken_over_what_could_be_tried_on_both_sides() -> None:
    # the second could not try c, which the first solved: that is no loss
    before, after = solving("abc", TEN), solving("abd", TEN, errors="c")
    gain = check(verdict(iteration(1, after), [iteration(0, before)], GateConfig()), "gain from iteration 0")
    assert gain.value == pytest.approx(1 / 9)


def test_another_benchmark_gives_no_gain_to_check() -> None:
    found = verdict(iteration(1, solving("a", "ab")), [iteration(0, solving("a", "abc"))], GateConfig())
    assert found.checks == []
    assert found.go


def test_theorems_that_were_trained_on_count_for_nothing() -> None:
    before = iteration(0, solving("", TEN))
    found = verdict(iteration(1, solving("abcde", TEN, trained_on="abcd")), [before], GateConfig(min_rate=0.4, **SURE))
    assert [(c.n, c.ok) for c in found.checks] == [(6, False), (6, True)]
    assert check(found, "gain from iteration 0").value == pytest.approx(1 / 6)


def test_gates_look_at_the_first_benchmark() -> None:
    before = iteration(0, solving("xyz", "xyz", benchmark="mine"), solving("a", TEN))
    after = iteration(1, solving("abcde", TEN, errors="j"), solving("", "xyz", benchmark="mine"))
    found = verdict(after, [before], GateConfig(min_rate=0.5, **SURE))
    assert found.go
    assert [c.measured for c in found.checks] == [
        "0.556 (0.267 to 0.811, n = 9, 1 not tried)",
        "0.444 (0.010 to 0.716, n = 9, p = 0.12)",
    ]


# ---- several iterations together


def series(*solved: int) -> list[IterationResult]:
    return [iteration(n, solving(FIFTY[:count], FIFTY)) for n, count in enumerate(solved)]


@pytest.mark.parametrize(
    ("solved", "go"),
    [((10, 14, 17), True), ((10, 18, 18), True), ((10, 10, 10), False), ((10, 14, 10), False), ((10, 12, 13), False), ((10, 10, 17), True)],
)  # fmt: skip
def test_several_iterations_that_gain_nothing_together_stop_and_one_level_iteration_does_not(
    solved: tuple[int, ...], go: bool
) -> None:
    *earlier, last = series(*solved)
    found = verdict(last, earlier, GateConfig(min_gain=-0.2, plateau=2))
    plateau = check(found, "gain over 2 iterations")
    assert (plateau.ok, found.go) == (go, go)
    assert plateau.value == pytest.approx((solved[-1] - solved[0]) / 50)
    if not go:
        assert ("Chance alone" if solved[-1] > solved[0] else "gained nothing together") in plateau.advice


def test_a_plateau_is_no_matter_before_there_are_as_many_iterations() -> None:
    first, second = series(10, 10)
    config = GateConfig(min_gain=-0.2, plateau=2)
    assert verdict(first, [], config).checks == []
    assert [c.name for c in verdict(second, [first], config).checks] == ["gain from iteration 0"]


def test_the_loss_is_judged_once_the_weights_have_been_trained_for_so_many_steps() -> None:
    def checks(**steps: float) -> list[tuple[str, bool]]:
        found = verdict(iteration(0, solving("a", TEN), sft__evaluation_loss=0.6, **steps), [], GateConfig(max_loss=0.5, loss_after=2_000))  # fmt: skip
        return [(c.name, c.ok) for c in found.checks]

    assert checks(sft__trained_steps=1_500) == []
    assert checks(sft__trained_steps=2_300) == [("evaluation loss", False)]
    assert checks() == [("evaluation loss", False)], "of an earlier version, which did not count them"


# ---- a baseline


def test_iteration_0_is_compared_with_a_baseline_as_later_ones_are_with_the_previous() -> None:
    baseline = iteration(0, solving(FIFTY[:10], FIFTY), run="baseline")
    found = verdict(iteration(0, solving(FIFTY[:20], FIFTY)), [], GateConfig(), baseline=baseline)
    gain = check(found, "gain from the baseline")
    assert (gain.value, gain.n, gain.ok) == (pytest.approx(0.2), 50, True)
    assert not check(verdict(baseline, [], GateConfig(), baseline=baseline), "gain from the baseline").ok


def test_a_baseline_counts_by_its_theorems_whatever_it_calls_them() -> None:
    after = iteration(0, solving(FIFTY[:20], FIFTY, benchmark="core"))
    renamed = iteration(0, solving("1", "12345"), solving(FIFTY[:10], FIFTY, benchmark="mine"))
    found = verdict(after, [], GateConfig(), baseline=renamed)
    assert check(found, "gain from the baseline").n == 50


def test_a_baseline_on_other_theorems_is_no_silent_success() -> None:
    found = verdict(iteration(0, solving("a", TEN)), [], GateConfig(), baseline=iteration(0, solving("a", FIFTY)))
    gain = check(found, "gain from the baseline")
    assert not gain.ok
    assert gain.measured == "not measured"
    assert "same theorems" in gain.advice
