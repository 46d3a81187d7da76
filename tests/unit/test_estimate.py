"""What a workflow would take: rates of earlier iterations, times what it has to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from burnqed.cli.main import app
from burnqed.config import RunConfig
from burnqed.holding import Holding
from burnqed.layout import Layout
from burnqed.ledger import Account, Attempt
from burnqed.resolve import resolve
from burnqed.run.works import place_of, works_of
from burnqed.steps.estimate import (
    DOCUMENTED_SMALL,
    JOINT,
    SMALL,
    Estimate,
    Rate,
    amount_of,
    documented,
    estimate,
    measure,
    once,
)
from burnqed.steps.table import loop
from burnqed_workflows import experiment

TASKS = [step.task for step in loop()]
HELD = Holding(cpus=4, gib=16, gpus=2)
SETTINGS = ["cost.gpu_hour=3", "search.shards=4", "workflow.parallelism=2"]


def config(*overrides: str) -> RunConfig:
    return resolve("demo", [*SETTINGS, *overrides]).config


def attempt(task: str, seconds: float) -> Attempt:
    return Attempt(task=task, began=0.0, seconds=seconds, held=HELD, dollars=0.0)


def measured(*attempts: Attempt) -> dict[str, Rate]:
    rates: dict[str, Rate] = {}
    measure(rates, attempts, config(), 0)
    return rates


def row(found: Estimate, task: str) -> tuple[float, float]:
    """Seconds of work, and of wall time."""
    (only,) = (row for row in found.rows if row.task == task)
    return only.seconds[1], only.wall[1]


def test_work_of_the_same_size_takes_as_long_and_twice_the_nodes_twice_as_long() -> None:
    rates = measured(*(attempt(f"search({i})", 100.0) for i in range(4)))
    found = estimate([(Layout("r", 0), config())], rates, TASKS)
    assert row(found, "search") == pytest.approx((400.0, 200.0)), "four shards, two at a time"
    twice = estimate([(Layout("r", 0), config("search.budget=16"))], rates, TASKS)
    assert row(twice, "search") == pytest.approx((800.0, 400.0))


def test_hours_of_gpus_and_dollars_are_those_of_what_was_held() -> None:
    (only,) = estimate([(Layout("r", 0), config())], measured(attempt("sft", 3600.0)), TASKS).rows
    assert (only.gpu_hours[1], only.dollars[1]) == pytest.approx((2.0, 6.0))
    assert only.dollars[0] < only.dollars[1] < only.dollars[2]


def test_what_a_command_found_finished_or_made_for_another_time_counts_once() -> None:
    def account(began: float, *seconds: float, task: str = "search(0)") -> Account:
        attempts = [attempt(task, each).model_copy(update={"began": began + i}) for i, each in enumerate(seconds)]
        return Account(iteration=0, attempts=attempts)

    again = [account(900.0, 9.0), account(0.0, 300.0), account(500.0, 60.0, 70.0), account(0.0, 50.0, task="search(1)")]
    found = once(again)
    assert sorted(each.seconds for each in found[0]) == [50.0, 60.0, 70.0], "a retry in one command went on"


def test_the_range_covers_what_was_measured() -> None:
    rates = measured(attempt("sft", 100.0))
    measure(rates, [attempt("sft", 300.0)], config(), 0)
    (only,) = estimate([(Layout("r", 0), config())], rates, TASKS).rows
    assert only.seconds == pytest.approx((70.0, 200.0, 450.0))


def test_evaluations_that_recalled_what_others_had_asked_are_no_measure_where_there_is_another() -> None:
    rates = measured(attempt("evaluate", 100.0), attempt("sft", 100.0))
    measure(rates, [attempt("evaluate", 20.0), attempt("sft", 60.0)], config(), 1, recalled=True)
    assert len(rates["evaluate"].seconds) == 1
    assert len(rates["sft"].seconds) == 2
    alone: dict[str, Rate] = {}
    measure(alone, [attempt("evaluate", 20.0)], config(), 1, recalled=True)
    assert len(alone["evaluate"].seconds) == 1
    measure(alone, [attempt("evaluate", 100.0)], config(), 1)
    assert alone["evaluate"].range == rates["evaluate"].range, "in whatever order"


def test_the_same_at_another_stage_is_a_better_measure_than_what_was_recalled() -> None:
    rates = measured(attempt("evaluate", 100.0))
    measure(rates, [attempt("evaluate-search", 5.0)], config(), 1, recalled=True)
    settings = config("evaluate.search_head=true")
    (only,) = estimate([(Layout("r", 1), settings)], rates, ["evaluate-search"]).rows
    nodes, guided = (amount_of(task, settings, 0) for task in ("evaluate", "evaluate-search"))
    assert only.seconds[1] == pytest.approx(100.0 / nodes * guided)


def test_what_was_never_measured_is_named_and_in_no_figure() -> None:
    found = estimate(
        [(Layout("r", 1), config("joint.enabled=true"))],
        measured(attempt("sft", 100.0), attempt("ebm-final", 10.0)),
        TASKS,
    )
    assert {row.task for row in found.rows} == {"ebm-search", "ebm-final"}, "the same at both stages"
    assert JOINT in found.unknown, "joint training takes longer than fine-tuning"
    assert "evaluate-search" not in found.unknown, "this iteration has none"
    assert not {"benchmark", "data", "base"} & {*found.unknown}, "an iteration shares them with the first"


def test_an_experiment_has_its_branches_which_do_not_search() -> None:
    document = experiment.build(config(), store="s", run="r", iters="2").to_dict()
    rates = measured(*(attempt(task, 60.0) for task in ("sft", "search(0)", "data", "report")))
    found = estimate([place_of(work) for work in works_of(document)], rates, TASKS)
    pods = {row.task: row.pods for row in found.rows}
    assert pods == {"data": 1, "sft": 3, "search": 2 * 4, "report": 5}, "the baseline trains and searches nothing"
    assert JOINT in found.unknown


def test_documented_rates_of_large_models_are_of_a_gpu() -> None:
    large = resolve("cluster-7b").config
    tuned, encoded = estimate([(Layout("r", 0), large)], documented(large, {}), TASKS).rows
    assert (tuned.task, encoded.task) == ("sft", "embed-final")
    assert 1.0 < tuned.gpu_hours[1] < 24.0
    assert encoded.gpu_hours[1] == pytest.approx(encoded.amount / 86 / 3600)


def test_an_experiment_with_the_small_model_can_be_estimated_before_anything_was_run(tmp_path: Path) -> None:
    words = ["estimate", "experiment", "--iters", "3", "--profile", "demo", "--store", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told.pop("source") == f"{tmp_path} has no finished iteration of main; all documented for {SMALL}"
    found = Estimate.model_validate(told)
    assert found.unknown == []
    assert all(row.is_documented for row in found.rows)
    low, _, high = found.total("wall")
    assert low < 133 * 60 < high, "what it took on two cores (docs/results.md)"
    assert found.total("gpu_hours") == (0.0, 0.0, 0.0)


def test_documented_rates_are_as_much_slower_as_what_was_measured() -> None:
    rates = documented(config(), {"sft": Rate([3 * DOCUMENTED_SMALL["sft"]])})
    assert rates[JOINT].seconds == pytest.approx([3 * DOCUMENTED_SMALL[JOINT]])


def test_nothing_is_documented_for_a_tiny_model_of_another_size() -> None:
    assert documented(config("policy.hidden_size=224", "policy.heads=7"), {}) == {}


def test_shards_side_by_side_do_not_end_sooner_where_one_had_the_whole_machine() -> None:
    for is_documented, factor in ((True, 1.0), (False, 0.5)):
        rates = {"search": Rate([1.0], HELD, is_documented=is_documented)}
        (only,) = estimate([(Layout("r", 0), config("search.shards=2"))], rates, ["search"]).rows
        assert only.wall[1] == pytest.approx(factor * only.seconds[1])


def test_the_range_of_a_documented_rate_is_wider_as_the_machine_is_another_one() -> None:
    ranges = [
        estimate([(Layout("r", 0), config())], {"sft": Rate([1.0], HELD, is_documented=is_documented)}, TASKS)
        .rows[0]
        .seconds
        for is_documented in (False, True)
    ]
    assert ranges[0][1] == ranges[1][1]
    assert ranges[1][0] < ranges[0][0] < ranges[0][2] < ranges[1][2]


def test_what_a_run_has_not_measured_is_taken_from_what_is_documented_and_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "burnqed.steps.estimate.rates_of", lambda *_: {"search": Rate([1.0], HELD), "embed-search": Rate([1.0], HELD)}
    )
    words = ["estimate", "iteration", "--iter", "1", "--profile", "cluster-7b", "--store", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["source"] == (
        "measured in main, on what it ran on; those of sft, embed-final documented for a model of 7 billion parameters on an A100"
    )
    assert {"sft", "search", "embed-search", "embed-final"} <= {row["task"] for row in found["rows"]}
