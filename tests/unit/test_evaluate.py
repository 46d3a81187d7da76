"""Figures of evaluations, against small cases worked out by hand."""

from __future__ import annotations

import hashlib
import json
import random
from itertools import combinations

import pytest

from burnqed.errors import BadInput
from burnqed.evaluate.figures import NO_RESULT, benchmark_hash, eval_json, pass_at_k, search_figures
from burnqed.trajectory.schema import ProofStatus, TheoremResult
from tests.fixtures.evaluations import evaluation, failed, proved, theorem, unproved


def test_one_run_answers_for_every_smaller_budget() -> None:
    # a is proved by node 10, b by node 16 (a budget of 16 is enough), c by node 40, d not at all, e cannot be tried
    result = evaluation(
        [
            proved("a", 10, seconds=1.0),
            proved("b", 16, seconds=2.0),
            proved("c", 40, seconds=4.0),
            unproved("d", 64, seconds=8.0),
            failed("e"),
        ],
        budgets=[64, 16, 15],
    )
    b15, b16, b64 = result.budgets
    assert [r.budget for r in result.budgets] == [15, 16, 64]
    assert [r.solved for r in result.budgets] == [1, 2, 3]
    assert [(r.total, r.errors) for r in result.budgets] == [(5, 1)] * 3
    assert [r.rate for r in result.budgets] == [1 / 4, 2 / 4, 3 / 4]
    assert (b15.mean_nodes, b16.mean_nodes, b64.mean_nodes) == (10, 13, 22)
    assert (b64.median_nodes, b16.median_nodes) == (16, 13)
    # at 16 nodes: a and b whole, 16/40 of c, 16/64 of d
    assert b16.mean_seconds == pytest.approx((1 + 2 + 4 * 16 / 40 + 8 * 16 / 64) / 4)
    assert b64.mean_seconds == pytest.approx((1 + 2 + 4 + 8) / 4)
    assert b64.median_seconds == 3
    assert result.cumulative == 3
    assert [o.budget_at_proof for o in result.per_theorem] == [15, 16, 64, None, None]


def test_more_nodes_never_solve_fewer() -> None:
    draw = random.Random(1)
    names = [f"t{i}" for i in range(60)]
    results = [draw.choice([proved(n, draw.randint(1, 300)), unproved(n), failed(n)]) for n in names]
    result = evaluation(results, budgets=range(1, 300, 7))
    solved = [row.solved for row in result.budgets]
    assert solved == sorted(solved)
    assert solved[-1] > solved[0]


def test_what_could_not_be_tried_is_not_unproved() -> None:
    result = evaluation([proved("a", 3), failed("b"), failed("c", reason="Lean crashed")])
    assert [o.status for o in result.per_theorem] == [ProofStatus.PROVED, ProofStatus.ERROR, ProofStatus.ERROR]
    assert result.at_largest.rate == 1.0
    assert result.per_theorem[2].reason == "Lean crashed"
    assert result.search.errors == 2
    assert result.search.unproved == 0


def test_a_theorem_without_a_result_is_an_error() -> None:
    result = evaluation([proved("a", 3)], [theorem("a"), theorem("b")])
    assert result.per_theorem[1].status is ProofStatus.ERROR
    assert result.per_theorem[1].reason == NO_RESULT
    assert result.at_largest.errors == 1


def test_what_the_safety_net_ended_is_neither_solved_nor_tried_to_the_end() -> None:
    cut = unproved("a", 20).model_copy(update={"status": ProofStatus.TIMED_OUT, "reason": "Lean worked for 60 s"})
    found = evaluation([cut, unproved("b", 64), proved("c", 5)])
    assert [(b.budget, b.timed_out, b.errors, b.solved) for b in found.budgets] == [(16, 0, 0, 1), (64, 1, 0, 1)]
    assert found.at_largest.rate == pytest.approx(1 / 3), "it counts as tried"
    assert next((o.name, o.status) for o in found.per_theorem) == ("a", ProofStatus.TIMED_OUT)
    assert (found.search.timed_out, found.search.unproved) == (1, 1)


def test_nothing_could_be_tried_gives_a_rate_of_zero_and_no_means() -> None:
    row = evaluation([failed("a")]).at_largest
    assert (row.solved, row.rate, row.mean_nodes, row.mean_seconds) == (0, 0.0, None, 0.0)


def test_samples_of_a_theorem_are_merged() -> None:
    result = evaluation(
        [
            unproved("a", 64, seconds=4.0, sample=0),
            proved("a", 30, seconds=2.0, sample=1),
            proved("a", 12, seconds=1.0, sample=2),
            failed("b", sample=0),
            unproved("b", 20, sample=1, reason="exhausted"),
            unproved("b", 64, sample=2),
            failed("c", sample=0),
            failed("c", sample=1),
            failed("c", sample=2),
        ],
        samples=3,
    )
    a, b, c = result.per_theorem
    assert (a.status, a.budget_at_proof, a.nodes_at_proof, a.nodes, a.seconds) == (ProofStatus.PROVED, 16, 12, 106, 7.0)
    assert (b.status, b.reason) == (ProofStatus.UNPROVED, "exhausted; budget")
    assert c.status is ProofStatus.ERROR
    assert result.at_largest.errors == 1
    # pass@1: a 2 of 3, b 0 of 2 (one sample could not be tried), c not at all; pass@3: a alone has three
    assert result.pass_n == {"1": pytest.approx((2 / 3 + 0) / 2), "2": pytest.approx((1.0 + 0) / 2), "3": 1.0}
    # 16 nodes: 16/64 of 4 s, 16/30 of 2 s and all of 1 s for a; 16/20 and 16/64 of 4 s for b
    assert result.budgets[0].mean_seconds == pytest.approx((1 + 32 / 30 + 1 + 3.2 + 1) / 2)


def test_the_rank_on_the_path_is_that_of_the_quickest_sample_and_means_are_over_what_is_proved() -> None:
    found = [
        *(proved("a", nodes, sample=s, rank=rank) for s, (nodes, rank) in enumerate([(40, 9.0), (12, 2.0)])),
        *(proved(name, nodes, rank=rank) for name, nodes, rank in (("b", 60, 4.0), ("one step", 1, None), ("late", 100, 7.0))),
        unproved("c"),
    ]  # fmt: skip
    result = evaluation(found, samples=2)
    assert [o.path_rank for o in result.per_theorem] == [2.0, 4.0, None, None, None]
    assert [row.path_rank for row in result.budgets] == [2.0, 3.0]
    assert evaluation([unproved("c")]).at_largest.path_rank is None


def test_a_proof_beyond_the_largest_budget_does_not_count() -> None:
    result = evaluation([proved("a", 100)])
    assert result.per_theorem[0].status is ProofStatus.UNPROVED
    assert result.per_theorem[0].proof is None
    assert (result.cumulative, result.pass_n) == (0, {"1": 0.0})


@pytest.mark.parametrize(("n", "c", "k"), [(1, 1, 1), (5, 2, 3), (6, 0, 2), (6, 5, 2), (8, 3, 8)])
def test_pass_at_k_is_the_share_of_subsets_that_hold_a_success(n: int, c: int, k: int) -> None:
    subsets = list(combinations(range(n), k))
    expected = sum(any(i < c for i in subset) for subset in subsets) / len(subsets)
    assert pass_at_k(n, c, k) == pytest.approx(expected)


def test_the_benchmark_hash_depends_on_names_headers_and_statements_but_not_on_their_order() -> None:
    a, b = theorem("a", "1 = 1", header=None), theorem("b", "2 = 2", header="open Nat\n")
    expected = hashlib.sha256(b'[["a", "", "1 = 1"], ["b", "open Nat\\n", "2 = 2"]]').hexdigest()
    assert benchmark_hash([a, b], "") == benchmark_hash([b, a], "") == expected
    others = [
        benchmark_hash([a, b], "open Nat\n"),
        benchmark_hash([theorem("a", "1 = 2", header=None), b], ""),
        benchmark_hash([theorem("c", "1 = 1", header=None), b], ""),
        benchmark_hash([a], ""),
    ]
    assert len({expected, *others}) == 5


def test_a_result_of_another_benchmark_is_refused() -> None:
    with pytest.raises(BadInput, match="'x', which is not in core"):
        evaluation([proved("x", 1)], [theorem("a")])


def test_two_results_for_one_sample_are_never_counted() -> None:
    with pytest.raises(ValueError, match="several results"):
        evaluation([proved("a", 1), unproved("a")])


def test_search_figures_weigh_candidates_by_nodes_and_add_up_the_rest() -> None:
    figures = search_figures([proved("a", 10), unproved("b", 30), unproved("c", 30), failed("d")])
    assert (figures.theorems, figures.proved, figures.unproved, figures.errors) == (4, 1, 2, 1)
    assert (figures.candidates_min, figures.candidates_max) == (1, 8)
    assert figures.candidates_mean == pytest.approx((5 * 10 + 3 * 30 + 3 * 30) / 70)
    assert figures.lean_errors == {"error": 20, "timeout": 2}
    assert (figures.nodes, figures.lean_calls, figures.seconds) == (70, 280, 9.0)
    assert (figures.generation_s, figures.lean_s, figures.scoring_s) == (0.8, 1.0, 0.0)
    assert search_figures([]).candidates_mean == 0.0


def test_eval_json_is_the_documented_document() -> None:
    results: list[TheoremResult] = [proved("a", 40), unproved("b"), failed("c")]
    document = json.loads(json.dumps(eval_json(evaluation(results))))
    assert (document["solved"], document["total"], document["errors"]) == (1, 3, 1)
    assert [t["status"] for t in document["theorems"]] == ["proved", "unproved", "error"]
    assert {"name", "status", "proof", "nodes", "lean_calls", "seconds"} <= document["theorems"][0].keys()
    assert document["theorems"][0]["proof"].startswith("intro n")
    assert [row["solved"] for row in document["budgets"]] == [0, 1]


def test_figures_are_told_apart_from_theorems_that_were_trained_on() -> None:
    found = [proved("a", 3), proved("b", 40), unproved("c"), failed("d")]
    result = evaluation(found, trained_on={"a", "d", "of another benchmark"})
    assert result.trained_on == ["a", "d"]
    assert [(row.solved, row.total, row.errors) for row in result.budgets] == [(1, 4, 1), (2, 4, 1)]
    assert [(row.solved, row.total, row.errors) for row in result.without_trained] == [(0, 2, 0), (1, 2, 0)]
    assert evaluation(found).untrained == result.at_largest
    assert evaluation(found, trained_on=set("abcd")).untrained is None


@pytest.mark.parametrize(
    ("results", "share"),
    [
        ([proved("a", 1), unproved("b")], "50.0%"),
        ([proved("a", 1), failed("b")], "100.0% of 1 tried"),
        ([failed("a")], "none tried"),
    ],
)
def test_a_rate_says_of_how_many_it_is_where_not_all_could_be_tried(results: list[TheoremResult], share: str) -> None:
    assert evaluation(results).at_largest.share == share
