"""Comparisons: like with like only, paired counts, McNemar's test, and where results are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from burnqed.errors import BadInput
from burnqed.evaluate.compare import compare, from_head, from_previous, mcnemar
from burnqed.evaluate.read import read_results
from burnqed.evaluate.results import HEAD, EvaluationResult, IterationResult
from tests.fixtures.evaluations import evaluation, iteration, proved, solving, theorem, unproved


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [
        (0, 0, 1.0),
        (5, 0, 2 / 32),
        (0, 5, 2 / 32),
        (3, 3, 1.0),
        (10, 2, 2 * (1 + 12 + 66) / 4096),
        (6, 16, 0.052478790283203125),  # R: binom.test(6, 22)
        (25, 10, 0.016673),  # R: binom.test(10, 35)
    ],
)
def test_mcnemar_is_the_exact_two_sided_binomial_test(gained: int, lost: int, p: float) -> None:
    assert mcnemar(gained, lost) == pytest.approx(p, rel=1e-4)


def test_mcnemar_holds_for_large_counts() -> None:
    assert mcnemar(3_000, 3_000) == 1.0
    assert 0 <= mcnemar(3_000, 2_000) < 1e-40


def test_a_comparison_names_what_is_newly_solved_and_what_is_lost() -> None:
    found = compare(
        [("0", solving("abc", "abcdefgh")), ("1", solving("bcdef", "abcdefgh")), ("2", solving("abcdefg", "abcdefgh"))]
    )
    first, second = found.changes
    assert (first.newly_solved, first.lost, first.both, first.tried) == (["d", "e", "f"], ["a"], 2, 8)
    assert (second.newly_solved, second.lost) == (["a", "g"], [])
    assert found.first_to_last.newly_solved == ["d", "e", "f", "g"]
    assert found.first_to_last.net == 4
    assert found.first_to_last.p == pytest.approx(2 / 16)
    assert [s.solved for s in found.sides] == [{16: 3, 64: 3}, {16: 5, 64: 5}, {16: 7, 64: 7}]
    assert found.sides[1].rate == 5 / 8


def test_a_theorem_that_could_not_be_tried_on_one_side_is_neither_gained_nor_lost() -> None:
    change = compare([("0", solving("a", "abc", errors="b")), ("1", solving("bc", "abc", errors="a"))]).first_to_last
    assert (change.newly_solved, change.lost, change.tried) == (["c"], [], 1)


def test_only_common_budgets_are_compared_and_pairs_are_taken_at_the_largest() -> None:
    names = [theorem("a"), theorem("b")]
    before = evaluation([proved("a", 5), proved("b", 200)], names, budgets=[8, 32, 300])
    after = evaluation([unproved("a"), proved("b", 20)], names, budgets=[8, 32])
    found = compare([("before", before), ("after", after)])
    assert found.budgets == [8, 32]
    assert [s.solved for s in found.sides] == [{8: 1, 32: 1}, {8: 0, 32: 1}]
    assert (found.first_to_last.newly_solved, found.first_to_last.lost) == (["b"], ["a"])


def test_nodes_until_the_proof_are_compared_too_and_what_is_not_solved_counts_as_the_budget() -> None:
    def of(a: int, b: int, copies: str) -> EvaluationResult:
        results = [r for x in copies for r in (proved(f"a{x}", a), proved(f"b{x}", b), unproved(f"c{x}"))]
        return evaluation(results, budgets=[16])

    change = compare([("before", of(8, 40, "123")), ("after", of(4, 12, "123"))]).first_to_last
    assert change.effort == (4 + 12 + 16) / (8 + 16 + 16)
    assert change.effort_interval
    assert change.effort_interval[0] < change.effort < change.effort_interval[1]
    few = compare([("before", of(8, 40, "1")), ("after", of(4, 12, "1"))]).first_to_last
    assert (few.effort, few.effort_interval) == (change.effort, None), "two theorems that differ"
    assert change.gain
    assert change.gain[0] <= 1 / 3 <= change.gain[1]


def test_ranks_on_the_path_are_compared_over_what_both_solve() -> None:
    before = evaluation([proved("a", 8, rank=4.0), proved("b", 4, rank=2.0), proved("c", 3, rank=9.0), proved("d", 40, rank=9.0), proved("e", 1)])  # fmt: skip
    after = evaluation([proved("a", 4, rank=1.0), proved("b", 4, rank=3.0), unproved("c"), proved("d", 2, rank=8.0), proved("e", 1, rank=1.0)], budgets=[16])  # fmt: skip
    change = compare([("before", before), ("after", after)]).first_to_last
    assert (change.path_rank, change.ranked, change.both) == ((3.0, 2.0), 2, 3)
    none = compare([("before", solving("a", "ab")), ("after", solving("a", "ab"))]).first_to_last
    assert (none.path_rank, none.ranked) == (None, 0)


def test_different_benchmarks_are_refused_and_both_hashes_named() -> None:
    one, two = solving("a", "ab"), solving("a", "abc")
    with pytest.raises(BadInput) as refusal:
        compare([("one", one), ("two", two)])
    assert one.benchmark_hash in str(refusal.value)
    assert two.benchmark_hash in str(refusal.value)


def test_results_without_a_common_budget_are_refused() -> None:
    with pytest.raises(BadInput, match="no budget in common"):
        compare([("a", evaluation([proved("t", 1)], budgets=[8])), ("b", evaluation([proved("t", 1)], budgets=[9]))])


def test_a_single_result_is_refused() -> None:
    with pytest.raises(BadInput, match="two results"):
        compare([("a", solving("a", "a"))])


def test_differing_settings_are_noted() -> None:
    other = solving("a", "ab").model_copy(update={"temperature": 0.6})
    assert compare([("0", solving("a", "ab")), ("1", other)]).notes == ["temperature differs: 1.0, 0.6"]


def test_so_are_differing_settings_of_policy_and_lean() -> None:
    here, there = ({"lean.heartbeats": 40_000}, {"lean.heartbeats": 40_000, "policy.template": "kimina"})
    a, b = (solving("a", "ab").model_copy(update={"made_with": settings}) for settings in (here, there))
    assert compare([("0", a), ("1", b)]).notes == ['policy.template differs: default, "kimina"']
    assert compare([("0", a), ("1", solving("a", "ab"))]).notes == [
        "other settings are known of 1 of the 2 evaluations"
    ]


def test_what_decides_a_search_is_noted_once_and_its_budgets_are_not() -> None:
    found = {"evaluate.budgets": [64], "evaluate.temperature": 1.0, "evaluate.tokens": None, "search.beta": 1.0}
    a, b = (
        solving("a", "ab").model_copy(update={"made_with": found | other, "temperature": other["evaluate.temperature"]})
        for other in ({"evaluate.temperature": 1.0}, {"evaluate.budgets": [16], "evaluate.temperature": 0.6, "evaluate.tokens": 200, "search.beta": 15.0})
    )  # fmt: skip
    notes = ["temperature differs: 1.0, 0.6", "evaluate.tokens differs: null, 200", "search.beta differs: 1.0, 15.0"]
    assert compare([("0", a), ("1", b)]).notes == notes


# ---- iterations


def test_the_change_from_the_previous_iteration_prefers_the_heads() -> None:
    before = iteration(0, solving("a", "abc"), solving("ab", "abc", variant=HEAD))
    after = iteration(1, solving("a", "abc"), solving("abc", "abc", variant=HEAD))
    change = from_previous(after, [before])
    assert change is not None
    names = "iteration 0 with its head", "iteration 1 with its head"
    assert (change.before, change.after, change.newly_solved) == (*names, ["c"])


def test_there_is_no_change_without_a_comparable_predecessor() -> None:
    after = iteration(2, solving("a", "abc"))
    assert from_previous(after, []) is None
    assert from_previous(after, [iteration(0, solving("a", "abc"))]) is None
    assert from_previous(after, [iteration(1, solving("a", "abcd"))]) is None
    assert from_head(after) is None


def write(folder: Path, result: IterationResult | EvaluationResult) -> str:
    folder.mkdir(parents=True)
    (folder / "results.json").write_text(result.model_dump_json())
    return str(folder)


def test_results_are_found_at_an_iteration_its_report_its_file_and_an_evaluation(tmp_path: Path) -> None:
    first = tmp_path / "demo/iterations/iter_0"
    report = write(first / "report", iteration(0, solving("a", "abc")))
    other = write(tmp_path / "evaluated", solving("abc", "abc"))
    for address in (str(first), f"{first}/", report, f"{report}/results.json", f"file://{first}"):
        found = compare(read_results([address, other]))
        assert [s.label for s in found.sides] == ["demo iteration 0", "evaluated"]
        assert found.first_to_last.newly_solved == ["b", "c"]


def test_heads_are_compared_where_all_have_one_and_plain_ones_otherwise(tmp_path: Path) -> None:
    both = [solving("a", "abc"), solving("ab", "abc", variant=HEAD)]
    a = write(tmp_path / "a", iteration(0, *both))
    b = write(tmp_path / "b", iteration(1, *both))
    c = write(tmp_path / "c", iteration(2, solving("abc", "abc")))
    assert [s.variant for s in compare(read_results([a, b])).sides] == ["head", "head"]
    assert [s.variant for s in compare(read_results([a, b, c])).sides] == ["plain", "plain", "plain"]
    assert [s.variant for s in compare(read_results([a, b], "plain")).sides] == ["plain", "plain"]
    with pytest.raises(BadInput, match=r"not all results have the variant 'head'.*c: plain"):
        compare(read_results([a, c], "head"))


def test_two_single_evaluations_may_differ_in_the_head(tmp_path: Path) -> None:
    plain, head = write(tmp_path / "x", solving("a", "ab")), write(tmp_path / "y", solving("ab", "ab", variant=HEAD))
    found = compare(read_results([plain, head]))
    assert found.notes == ["variant differs: plain, head"]
    assert found.first_to_last.newly_solved == ["b"]


def test_equal_labels_are_told_apart_by_their_address(tmp_path: Path) -> None:
    addresses = [write(tmp_path / run / "iter_0", iteration(0, solving("a", "ab"))) for run in ("x", "y")]
    assert [s.label for s in compare(read_results(addresses)).sides] == addresses


@pytest.mark.parametrize("text", ["{}", "not json", '{"evaluations": []}'])
def test_a_file_that_holds_no_results_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(BadInput, match="neither an iteration's results"):
        compare(read_results([str(tmp_path), str(tmp_path)]))


def test_an_address_without_results_is_refused_with_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no results at .*; give an iteration's folder"):
        compare(read_results([str(tmp_path / "nothing"), str(tmp_path)]))


def test_benchmarks_are_chosen_by_name_or_the_first_of_equal_content(tmp_path: Path) -> None:
    core, mine = solving("a", "abc"), solving("x", "xyz", benchmark="mine")
    a = write(tmp_path / "a", iteration(0, core, mine))
    b = write(tmp_path / "b", iteration(1, core, mine))
    only = write(tmp_path / "only", solving("xy", "xyz", benchmark="the same under another name"))
    assert compare(read_results([a, b])).benchmark == "core"
    assert compare(read_results([a, b], benchmark="mine")).benchmark == "mine"
    assert compare(read_results([a, only])).first_to_last.newly_solved == ["y"]
    assert compare(read_results([a, only], benchmark="mine")).first_to_last.newly_solved == ["y"]
    with pytest.raises(BadInput, match="on a benchmark 'mien'; choose one of: core, mine"):
        read_results([a, b], benchmark="mien")
    with pytest.raises(BadInput, match="different benchmarks"):
        compare(read_results([a, only], benchmark="core"))


def test_what_a_model_was_trained_on_is_no_gain_and_is_named() -> None:
    found = compare([("0", solving("c", "abc")), ("1", solving("ab", "abc", trained_on="ac"))])
    assert (found.first_to_last.newly_solved, found.first_to_last.lost, found.first_to_last.tried) == (["b"], [], 1)
    (note,) = found.notes
    assert (
        note
        == "1 was trained on 2 of the theorems (a, c), so changes leave them out; of the other 1 it solves 1 (100.0%)"
    )


def test_what_had_probe_tactics_is_no_gain_over_what_had_none() -> None:
    before, after = solving("a", "abc"), solving("abc", "abc").model_copy(update={"probe_tactics": True})
    assert from_previous(iteration(1, after), [iteration(0, before)]) is None
    assert compare([("0", before), ("1", after)]).notes == ["probe tactics differs: False, True"]


def test_results_without_a_budget_are_damaged(tmp_path: Path) -> None:
    place = write(tmp_path / "e", solving("a", "abc").model_copy(update={"budgets": []}))
    with pytest.raises(BadInput, match="is damaged"):
        read_results([place, place])


@pytest.mark.parametrize("names", ["ab", "abb"])
def test_results_that_lost_a_theorem_or_have_one_twice_are_damaged(names: str, tmp_path: Path) -> None:
    whole = solving("a", "abc")
    outcomes = {o.name: o for o in whole.per_theorem}
    place = write(tmp_path / "e", whole.model_copy(update={"per_theorem": [outcomes[name] for name in names]}))
    with pytest.raises(BadInput, match="is damaged: its theorems are not as many as its totals say"):
        read_results([place, place])
