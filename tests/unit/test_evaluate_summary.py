"""`summary.json` over the iterations of a run."""

from __future__ import annotations

from burnqed.evaluate.results import HEAD, IterationResult, Summary
from burnqed.evaluate.summary import ever, rows, summarize
from tests.fixtures.evaluations import iteration, solving


def summary_of(*results: IterationResult) -> Summary:
    return summarize(results)


def test_iterations_are_kept_in_order() -> None:
    summary = summary_of(iteration(1, solving("abc", "abcd")), iteration(0, solving("a", "abcd")))
    assert [(r.iteration, r.solved) for r in rows(summary)] == [(0, 1), (1, 3)]
    assert Summary.model_validate_json(summary.model_dump_json()) == summary


def test_ever_counts_theorems_over_variants_and_earlier_iterations() -> None:
    first = iteration(0, solving("ab", "abcdef"), solving("c", "abcdef", variant=HEAD))
    second = iteration(1, solving("ad", "abcdef"))
    assert ever(second.evaluations, [first]) == {"core": 4}
    assert [r.ever for r in rows(summary_of(first, second))] == [3, 4]


def test_ever_is_counted_anew_whatever_an_iteration_was_told_when_it_was_made() -> None:
    later = iteration(1, solving("d", "abcdef")).model_copy(update={"ever": {"core": 4}})
    assert [r.ever for r in rows(summary_of(later, iteration(0, solving("a", "abcdef"))))] == [1, 2]


def test_another_benchmark_does_not_count_into_ever() -> None:
    summary = summary_of(iteration(0, solving("abc", "abc")), iteration(1, solving("d", "abcd")))
    assert [r.ever for r in rows(summary)] == [3, 1]


def test_a_row_tells_with_and_without_head_and_errors() -> None:
    (row,) = rows(
        summary_of(iteration(3, solving("a", "abcd", errors="d"), solving("ab", "abcd", errors="cd", variant=HEAD)))
    )
    assert (row.solved, row.total, row.budget, row.without_head, row.with_head, row.errors) == (2, 4, 64, 1, 2, 2)
    (row,) = rows(summary_of(iteration(0, solving("a", "abcd"))))
    assert row.with_head is None


def test_each_benchmark_has_a_row_and_counts_for_itself() -> None:
    first = iteration(0, solving("ab", "abcd"))
    second = iteration(1, solving("c", "abcd"), solving("xy", "xyz", benchmark="mine", trained_on="x"))
    found = [(r.iteration, r.benchmark, r.solved, r.ever) for r in rows(summary_of(first, second))]
    assert found == [(0, "core", 2, 2), (1, "core", 1, 3), (1, "mine", 2, 2)]
    assert [(r.trained_on, r.solved_untrained) for r in rows(summary_of(second))] == [(0, 1), (1, 1)]
