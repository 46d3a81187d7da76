"""`summary.json` over the iterations of a run."""

from __future__ import annotations

from functools import reduce

from burnqed.evaluate.results import HEAD, IterationResult, Summary
from burnqed.evaluate.summary import accumulate, ever, rows
from tests.fixtures.evaluations import iteration, solving


def summary_of(*results: IterationResult) -> Summary:
    return reduce(accumulate, results, Summary(run="demo"))


def test_iterations_are_kept_in_order_and_replaced_by_number() -> None:
    summary = summary_of(
        iteration(1, solving("ab", "abcd")), iteration(0, solving("a", "abcd")), iteration(1, solving("abc", "abcd"))
    )
    assert [(r.iteration, r.solved) for r in rows(summary)] == [(0, 1), (1, 3)]
    assert Summary.model_validate_json(summary.model_dump_json()) == summary


def test_ever_counts_theorems_over_variants_and_earlier_iterations() -> None:
    first = iteration(0, solving("ab", "abcdef"), solving("c", "abcdef", variant=HEAD))
    second = iteration(1, solving("ad", "abcdef"))
    assert ever(second.evaluations, [first]) == 4
    assert [r.ever for r in rows(summary_of(first, second))] == [3, 4]


def test_replacing_an_iteration_counts_ever_anew_for_the_later_ones() -> None:
    summary = summary_of(
        iteration(0, solving("abc", "abcdef")),
        iteration(1, solving("d", "abcdef")),
        iteration(0, solving("a", "abcdef")),
    )
    assert [r.ever for r in rows(summary)] == [1, 2]


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
