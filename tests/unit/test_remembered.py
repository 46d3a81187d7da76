"""A run knows itself: without a profile it goes on with its own settings, and what would make finished work anew is asked first."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.prompt import Confirm

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.record import read_record
from burnqed.remembered import recall, remember, remember_benchmarks, resolve_run, settings_for
from burnqed.resolve import resolve
from burnqed.run import superseding
from burnqed.steps.table import loop
from burnqed.store import Store
from tests.fixtures.finished import RUN, Finished

CHART = {"search": {"budget": 5}, "workflow": {"parallelism": 3}, "worker": {"cpu": "7"}}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


def test_a_run_goes_on_with_its_profile_and_what_was_set(store: Store) -> None:
    assert recall(store, RUN) is None
    first = resolve_run(store, RUN, "demo", ["search.budget=77"]).config
    remember(store, RUN, first)
    assert resolve_run(store, RUN, None, []).config == first
    again = resolve_run(store, RUN, None, ["search.depth=9"])
    assert (again.config.profile, again.config.search.budget, again.config.search.depth) == ("demo", 77, 9)
    assert (again.origin["search.budget"], again.origin["search.depth"]) == ("the run", "--set")
    assert resolve_run(store, RUN, "smoke", []).config == resolve("smoke").config
    assert resolve_run(store, "another", None, []).config == RunConfig()


def test_of_a_chart_a_run_that_goes_on_takes_how_work_is_done(store: Store) -> None:
    remember(store, RUN, resolve("demo").config)
    config = resolve_run(store, RUN, None, [], CHART).config
    assert (config.workflow.parallelism, config.worker.cpu) == (3, "7")
    assert config.search == resolve("demo").config.search
    assert resolve_run(store, RUN, "demo", [], CHART).config.search.budget == 5


def test_settings_that_cannot_be_read_are_one_sentence(store: Store) -> None:
    for text in ("{", '{"serch": {}}', "\udcff"):
        store.write_bytes(f"{RUN}/run.json", text.encode("utf-8", "surrogateescape"))
        with pytest.raises(BadInput, match=r"run\.json does not tell the settings of the run .*; give --profile"):
            recall(store, RUN)
        remember(store, RUN, config := resolve("smoke").config)
        assert recall(store, RUN) == config


def test_a_run_that_goes_on_with_other_settings_says_so(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="burnqed")
    for profile in ("smoke", "smoke", "small"):
        assert "other settings" not in caplog.text
        remember(store, RUN, resolve(profile).config)
    assert "continues with other settings from now on" in caplog.text


@pytest.fixture
def finished(store: Store) -> Finished:
    """An iteration whose search took ten minutes."""
    here = Finished(store, last=0)
    prefixes = [
        p.removesuffix("/_SUCCESS") for p in store.list(Layout(RUN, 0).trajectories("main")) if p.endswith("/_SUCCESS")
    ]
    for prefix in prefixes[:1]:
        record = read_record(store, prefix)
        assert record is not None
        store.write_text(f"{prefix}/_SUCCESS", record.model_copy(update={"seconds": 600.0, "dollars": 1.5}).model_dump_json())  # fmt: skip
    return here


def ask(finished: Finished, overrides: Sequence[str] = (), redo: str = "", tasks: Sequence[str] | None = None, *, yes: bool = False) -> None:  # fmt: skip
    tasks = [step.task for step in loop()] if tasks is None else tasks
    superseding.ask(tasks, finished.store, Layout(RUN, 0), resolve(None, overrides).config, redo, yes=yes)


def test_what_took_more_than_a_minute_is_not_made_anew_without_a_question(
    finished: Finished, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = ["data.generated=7"]  # from which all else is made, but for the search, which is kept
    ask(finished)
    ask(finished, changed)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys, "stdin", open("/dev/null"))  # noqa: SIM115
    ask(finished, redo="search")
    said = capsys.readouterr().err
    assert "10 min" in said
    assert "$1.50" in said
    assert "iterations/iter_0/trajectories/main/shard-0000-of-" in said
    assert "stay in the store" in said


def lengthen(finished: Finished, task_prefix: str) -> None:
    record = read_record(finished.store, task_prefix)
    assert record is not None
    finished.store.write_text(f"{task_prefix}/_SUCCESS", record.model_copy(update={"seconds": 600.0}).model_dump_json())  # fmt: skip


@pytest.mark.parametrize("answer", [True, False])
def test_a_person_decides_and_nobody_is_bad_input(
    finished: Finished, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    lengthen(finished, Layout(RUN, 0).adapter)
    changed = ["sft.steps=7"]
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False)
    with pytest.raises(BadInput, match="--yes"):
        ask(finished, changed)
    ask(finished, changed, yes=True)
    ask(finished, changed, tasks=["report"])
    ask(finished, changed, tasks=[])
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(Confirm, "ask", lambda *_, **__: answer)
    if answer:
        ask(finished, changed)
    else:
        with pytest.raises(BadInput, match="Nothing was changed"):
            ask(finished, changed)


def test_benchmarks_that_are_added_are_remembered_and_nothing_else(store: Store) -> None:
    remember_benchmarks(store, RUN, RunConfig())
    assert recall(store, RUN) is None, "a run begins with its first iteration"
    remember(store, RUN, resolve("demo", ["data.benchmarks.mine=a.json"]).config)
    part = resolve("smoke", ["data.benchmarks.mine=b.json", "data.benchmarks.other=c.json"]).config
    remember_benchmarks(store, RUN, part)
    found = recall(store, RUN)
    assert found == resolve("demo", ["data.benchmarks.mine=a.json", "data.benchmarks.other=c.json"]).config


def test_a_model_is_used_with_the_settings_of_its_run_but_not_with_its_policy_server(store: Store) -> None:
    served = ["policy.generate_url=http://elsewhere:1", "policy.score_url=http://elsewhere:1"]
    remember(store, RUN, resolve("demo", ["search.beta=15", *served]).config)
    model = f"{store.uri}/{Layout(RUN, 1).model}"
    assert settings_for(model) == resolve("demo", ["search.beta=15"]).config
    for other in (f"{model}/", f"{store.uri}/{RUN}/base", f"{store.uri}/{RUN}/base/"):
        assert settings_for(other) == settings_for(model)
    for outside in (
        model.replace(RUN, "unknown"),
        f"{store.uri}/{RUN}/data",
        "org/bert-base",
        "s3://models/base",
        "/main/base",
        "/",
    ):
        assert settings_for(outside) is None


def test_a_model_may_be_named_from_the_folder_of_its_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(store, RUN, resolve("demo").config)
    monkeypatch.chdir(store.uri)
    assert settings_for(Layout(RUN, 0).model) == resolve("demo").config
