"""Go/no-go verdicts."""

from __future__ import annotations

import pytest

from burnqed.config import GateConfig
from burnqed.evaluate.gates import GateCheck, GateVerdict, verdict
from burnqed.evaluate.results import HEAD, IterationResult
from tests.fixtures.evaluations import iteration, solving

TEN = "abcdefghij"


def check(found: GateVerdict, name: str) -> GateCheck:
    return next(c for c in found.checks if c.name == name)


def test_an_iteration_that_meets_every_threshold_goes_on() -> None:
    before = iteration(0, solving("abc", TEN), solving("abcd", TEN, variant=HEAD))
    metrics = {
        "sft__evaluation_loss": 0.4,
        "head__rank1_depth_4+": 0.45,
        "head__energy_gap": 0.8,
        "head__pairwise": 0.9,
    }
    after = iteration(1, solving("abcd", TEN), solving("abcde", TEN, variant=HEAD), **metrics)
    config = GateConfig(min_rate=0.4, min_rate_with_head=0.5, min_gain=0.05, max_loss=0.5, min_rank1_deep=0.4)
    found = verdict(after, [before], config)
    assert found.go
    assert [(c.name, c.value) for c in found.checks] == [
        ("solve rate without head", 0.4),
        ("solve rate with head", 0.5),
        ("gain from iteration 0", pytest.approx(0.1)),
        ("gain from the head", pytest.approx(0.1)),
        ("evaluation loss", 0.4),
        ("rank-1 at depth 4+", 0.45),
        ("energy gap", 0.8),
        ("head's rank accuracy", 0.9),
    ]


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
        (iteration(0, solving("a", TEN), **{"head__rank1_depth_4+": 0.2}), GateConfig(min_rank1_deep=0.25), "rank-1 at depth 4+", "negatives"),
        (iteration(0, solving("a", TEN), head__energy_gap=-0.1), GateConfig(), "energy gap", "do not search with it"),
        (iteration(0, solving("a", TEN), head__pairwise=0.55), GateConfig(), "head's rank accuracy", "chance"),
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
        iteration(1, solving(after, TEN)), [iteration(0, solving("ab", TEN))], GateConfig(min_gain=min_gain)
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
