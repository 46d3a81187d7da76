"""What people see on a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from burnqed.config import GateConfig
from burnqed.evaluate.compare import compare
from burnqed.evaluate.gates import verdict
from burnqed.evaluate.parts import breakdown
from burnqed.evaluate.render import print_comparison, print_evaluation, print_iteration, print_summary
from burnqed.evaluate.results import HEAD, PLAIN, EvaluationResult, StepCost
from burnqed.evaluate.summary import summarize
from tests.fixtures.evaluations import evaluation, failed, iteration, proved, solving, unproved

TEN = "abcdefghij"
FIRST = iteration(0, solving("abc", TEN), ever=3)
SECOND = iteration(1, solving("bcd", TEN), solving("bcde", TEN, variant=HEAD, errors="j"), ever=5)


def console() -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=120), out


def test_the_summary_has_a_row_per_iteration() -> None:
    screen, out = console()
    print_summary(summarize([FIRST, SECOND]), screen)
    header, first, second, nothing, columns, *rows = out.getvalue().splitlines()
    assert "without head  with head  ever  errors  timed out" in header
    assert first.split() == ["0", "3", "10", "64", "3", "-", "3", "0", "0"]
    assert second.split() == ["1", "4", "10", "64", "3", "4", "5", "1", "0"]
    assert (nothing, columns.split()) == ("", ["iteration", "without", "head", "with", "head", "ever", "solved"])
    assert [" ".join(row.split()) for row in rows] == [
        "0 3 / 10, 11 to 60% 3 / 10, 11 to 60%",
        "Δ 0 → 1 +0, -30.9% to +30.9% +2, +5.7% to +51.0%",
        "1 3 / 10, 11 to 60% 4 / 9, 19 to 73% 5 / 10, 24 to 76%",
    ]


def test_the_end_of_an_iteration_tells_changes_time_and_gate() -> None:
    screen, out = console()
    cost = [StepCost(step="sft", seconds=90, dollars=0.5), StepCost(step="search", seconds=30, dollars=0.25)]
    result = SECOND.model_copy(update={"cost": cost, "seconds": 100})  # they overlapped
    print_iteration(result, [FIRST], verdict(result, [FIRST], GateConfig(min_rate=0.5)), screen)
    text = out.getvalue()
    assert "iteration 0 → iteration 1 at budget 64: +0 (1 newly solved, 1 lost, p = 1; rate -30.9% to +30.9%)" in text
    assert "without head → with head at budget 64: +1 (1 newly solved, 0 lost, p = 1; rate -16.2% to +35.7%)" in text
    assert "time: 1 min 40 s (sft 1 min 30 s, search 30 s), $0.75" in text
    assert "verdict: no-go" in text
    assert "  gain from iteration 0: Stop" in text


def test_a_comparison_names_the_theorems() -> None:
    screen, out = console()
    print_comparison(compare([("a", solving("abc", TEN)), ("b[x]", solving("cd", TEN))]), screen)
    text = out.getvalue()
    assert "b[x]" in text
    assert "\non core at budget 64, over what could be tried on both sides\n" in text
    assert "newly solved from first to last: d\n" in text
    assert "lost: a, b\n" in text


def test_the_rank_of_a_proofs_next_state_is_shown_where_it_is_known() -> None:
    screen, out = console()
    plain, guided = (evaluation([proved("a", 9, rank=rank), proved("b", 1)]) for rank in (3.25, 1.5))
    print_comparison(compare([("plain", plain), ("guided", guided)]), screen)
    print_evaluation(guided, screen)
    text = out.getvalue()
    assert (
        "plain → guided: mean rank of a proof's next state in the queue 3.2 → 1.5, over what both solve (1)\n" in text
    )
    assert "mean rank of a proof's next state in the queue: 1.5\n" in text
    screen, out = console()
    print_comparison(compare([("a", solving("ab", TEN)), ("b", solving("ab", TEN))]), screen)
    print_evaluation(solving("ab", TEN), screen)
    assert "rank" not in out.getvalue()


def test_several_samples_are_compared_by_pass_n_and_the_parts_of_the_benchmark_are_shown() -> None:
    def of(proofs: dict[str, int]) -> EvaluationResult:
        results = [proved(n, 3, sample=s) if s < count else unproved(n, sample=s) for n, count in proofs.items() for s in (0, 1)]  # fmt: skip
        return evaluation(results, samples=2)

    before, after = of({"x::a": 1, "x::b": 0, "y::c": 2}), of({"x::a": 2, "x::b": 1, "y::c": 2})
    assert before.pass_n == {"1": 0.5, "2": 2 / 3}
    assert before.pass_intervals.keys() == {"1", "2"}
    low, high = before.pass_intervals["2"]
    assert 0 <= low < 2 / 3 < high <= 1
    screen, out = console()
    both = [("old", before), ("new", after)]
    print_comparison(compare(both), screen, breakdown(both, 64))
    text = out.getvalue()
    assert "old → new: pass@2 +33.3%\n" in text, "one theorem that differs is no ground for an interval"
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "source theorems old new first to last, 95%" in lines
    assert any(line.startswith("x 2 1 / 2, 9 to 91% 2 / 2, 34 to 100% +1, ") for line in lines)
    screen, out = console()
    print_evaluation(after, screen)
    assert "pass@2: 100.0% (44 to 100%)" in out.getvalue()


def test_the_change_of_pass_n_has_an_interval_where_enough_theorems_differ() -> None:
    names = [f"t{k}" for k in range(12)]
    before = evaluation([unproved(n, sample=s) for n in names for s in (0, 1)], samples=2)
    after = evaluation([proved(n, 3, sample=s) if n < "t7" else unproved(n, sample=s) for n in names for s in (0, 1)], samples=2)  # fmt: skip
    screen, out = console()
    print_comparison(compare([("old", before), ("new", after)]), screen, [])
    assert "old → new: pass@2 +75.0% (+50.0% to +100.0%)" in out.getvalue()


def test_an_evaluation_tells_why_theorems_could_not_be_tried() -> None:
    screen, out = console()
    results = [proved("a", 3), proved("a", 5, sample=1), unproved("b"), unproved("b", sample=1), failed("c[0]")]
    print_evaluation(evaluation(results, samples=2), screen)
    text = out.getvalue()
    assert "could not be tried: c[0]: the statement does not elaborate" in text
    assert "pass@1: 50.0%" in text


def test_several_benchmarks_have_a_column_and_what_was_trained_on_is_named() -> None:
    mine = [solving("xy", "xyz", benchmark="mine", trained_on="x", variant=v, errors="z") for v in (PLAIN, HEAD)]
    result = iteration(0, solving("abc", TEN), *mine, ever=3)
    screen, out = console()
    print_iteration(result, [], None, screen)
    print_summary(summarize([result]), screen)
    text = out.getvalue()
    assert "mine: trained on 1 of the theorems: x\n" in text
    assert "mine: solved by any variant in any iteration so far: 3" in text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "core, plain 64 3 10 0 0 30.0% 11 to 60% 5.0 4.0" in lines
    assert "mine, head 64 2 3 1 0 100.0% of 2 tried 34 to 100% 5.0 1.0" in lines
    assert "mine, head, not trained on 64 1 2 1 0 100.0% of 1 tried 21 to 100% 5.0 1.0" in lines
    assert "0 core 3 10 64 3 - 3 0 0 0 3" in lines
    assert "0 mine 2 3 64 2 2 2 1 0 1 1" in lines
