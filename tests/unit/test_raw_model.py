"""Iterations without fine-tuning: the model is the one that there is, and what is made of it follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.record import read_record
from burnqed.resolve import resolve
from burnqed.run.contradictions import check_settings
from burnqed.steps import embed, export, sft
from burnqed.steps.models import has_searched
from burnqed.steps.table import SEARCH, loop
from burnqed.steps.trajectories import searched_iterations
from burnqed.store import Store
from tests.fixtures.finished import RUN, Finished

RAW = "sft.enabled=false"
TASKS = [step.task for step in loop()]


def config(*overrides: str) -> RunConfig:
    return resolve("default", overrides).config


def inputs(finished: Finished, prefix: str) -> list[str]:
    record = read_record(finished.store, prefix)
    assert record is not None
    return sorted(name.removeprefix(f"{RUN}/") for name in record.key.inputs)


def go_on(finished: Finished, settings: RunConfig) -> None:
    """Another iteration, with settings of its own."""
    finished.last += 1
    for step in loop():
        at = finished.context(settings).at(stage=step.stage)
        for shard in range(step.work.shards(at)) if step.work.needed(at) else ():
            finished.finish(step, at.at(shard=shard))


def test_a_raw_iteration_0_serves_the_base_model_and_tries_it_first(tmp_path: Path) -> None:
    finished = Finished(Store(str(tmp_path)), config(RAW), last=0)
    here = Layout(RUN, 0)
    assert inputs(finished, here.model) == ["base", "data"]
    assert read_record(finished.store, here.adapter) is None
    assert inputs(finished, here.trivial) == ["iterations/iter_0/model"]
    assert "iterations/iter_0/adapter" not in inputs(finished, here.report)
    assert read_record(finished.store, here.head("final")) is not None
    assert finished.planned(config(RAW)) == []


def test_a_later_raw_iteration_keeps_the_model_that_there_is(tmp_path: Path) -> None:
    finished = Finished(Store(str(tmp_path)), config(), last=0)
    go_on(finished, config(RAW))
    assert inputs(finished, Layout(RUN, 1).model) == ["data", "iterations/iter_0/model"]
    assert read_record(finished.store, Layout(RUN, 1).trivial) is None, "it was tried when it was trained"


def test_training_later_what_was_raw_so_far_makes_the_model_anew(tmp_path: Path) -> None:
    finished = Finished(Store(str(tmp_path)), config(RAW), last=0)
    assert finished.planned(config())[:2] == ["sft", "export"]


def test_the_previous_adapter_is_the_last_that_was_trained(tmp_path: Path) -> None:
    further = config("sft.start=previous_adapter")
    trained = Finished(Store(str(tmp_path / "trained")), config(), last=0)
    go_on(trained, config(RAW))
    assert sft.previous(trained.context(further, 2)) == [f"{RUN}/iterations/iter_0/adapter"]
    raw = Finished(Store(str(tmp_path / "raw")), config(RAW), last=0)
    assert sft.previous(raw.context(further, 1)) == []
    assert sft.previous(raw.context(config("sft.start=merged"), 1)) == [f"{RUN}/iterations/iter_0/model"]


def test_joint_training_is_training_too(tmp_path: Path) -> None:
    finished = Finished(Store(str(tmp_path)), config(RAW), last=0)
    jointly = config(RAW, "joint.enabled=true", "search.enabled=false")
    go_on(finished, jointly)
    assert read_record(finished.store, Layout(RUN, 1).adapter) is None
    assert read_record(finished.store, Layout(RUN, 1).head("search")) is None


def test_iteration_0_searches_unless_it_is_not_to_and_has_no_head(tmp_path: Path) -> None:
    off, no_head = "search.enabled=false", "ebm.enabled=false"
    for overrides, expected in [((off,), True), ((no_head,), True), ((off, no_head), False)]:
        finished = Finished(Store(str(tmp_path / "-".join(overrides))), config(RAW, *overrides), last=0)
        assert has_searched(finished.store, Layout(RUN, 0)) == expected
    assert searched_iterations(finished.context(config(RAW), 1)) == []
    with pytest.raises(BadInput, match="a head has nothing to learn from; make iteration 0 with search.enabled=true"):
        embed.units(finished.context(config(RAW), 1).at(stage=SEARCH))
    finished.store.delete(Layout(RUN, 0).report)
    with pytest.raises(BadInput, match="is not finished; finish the iteration that writes it first"):
        embed.units(finished.context(config(RAW), 1).at(stage=SEARCH))
    assert "trivial-search" not in finished.planned(config(RAW, off, no_head)), "it is there for the search's sake"


@pytest.mark.parametrize(("model", "random"), [("tiny", True), ("folder", False)])
def test_only_weights_that_are_random_may_write_nothing(model: str, random: bool, tmp_path: Path) -> None:
    finished = Finished(Store(str(tmp_path)), config(RAW), last=0)
    settings = config(RAW, f"policy.model={model}")
    (unit,) = export.units(finished.context(settings))
    assert export.is_random(unit) == random


def test_a_model_that_is_not_trained_may_think() -> None:
    thinking = ("policy.thinking=true", "policy.template=kimina")
    check_settings(config(RAW, *thinking), TASKS)
