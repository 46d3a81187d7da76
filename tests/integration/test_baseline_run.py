"""The workflows around a run, in the smoke profile: a baseline; a lean start, whose iteration is then finished and compared with the baseline; and a reset of the next one.

`make test-workflows` runs them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from burnqed.evaluate.gates import GateVerdict
from burnqed.evaluate.lean_start import LeanStart
from burnqed.layout import Layout
from burnqed.record import output, read_record
from burnqed.remembered import recall
from burnqed.steps.facts import SftFacts, TrivialFacts
from burnqed.store import Store

pytestmark = [
    pytest.mark.skipif("BURNQED_WORKFLOWS" not in os.environ, reason="take seven minutes; run `make test-workflows`"),
    pytest.mark.timeout(1200),
]
SIZES = ("search.noise=false", "search.shards=1", "negatives.theorems=8", "data.benchmark_theorems=4")
BASELINE, LEAN_START = Layout("baseline", 0), Layout("lean-start", 0)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(str(tmp_path_factory.mktemp("runs")))


def burnqed(store: Store, *words: str, code: int = 0) -> str:
    command = [sys.executable, "-m", "burnqed.cli.main", "run", *words, "--store", store.uri]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


def sizes(*more: str) -> list[str]:
    return [word for value in (*SIZES, *more) for word in ("--set", value)]


def test_a_baseline_tries_the_raw_model_searches_trains_a_head_and_evaluates(store: Store) -> None:
    said = burnqed(store, "baseline", "--profile", "smoke", *sizes())
    assert "the raw model proves 0 of 16 trivial theorems" in said
    tried = read_record(store, BASELINE.trivial)
    assert tried is not None
    assert TrivialFacts.of(tried).theorems == 16
    assert not store.exists(BASELINE.adapter)
    for made in (
        BASELINE.trajectories("main"),
        BASELINE.trajectories("replay"),
        BASELINE.head("final"),
        BASELINE.report,
    ):
        assert any(path.endswith("_SUCCESS") for path in store.list(made)), made
    assert "misses" not in burnqed(store, "baseline").replace("miss, because", "misses"), (
        "it continues with its settings"
    )


def test_a_lean_start_judges_the_head_by_the_theorems_that_it_was_not_trained_on(store: Store, tmp_path: Path) -> None:
    said = burnqed(store, "lean-start", "--profile", "smoke", *sizes())
    folder = output(store, LEAN_START.lean_start)
    found = LeanStart.model_validate(store.read_json(f"{folder}/lean-start.json"))
    assert found.theorems == 12
    assert 0 < found.trained_on < 12
    assert found.held_out.tried == 12 - found.trained_on
    assert found.every.tried == 12
    assert f"{found.verdict}: {found.reason}" in said
    assert found.reason[1:40] in store.read_text(f"{folder}/index.html")
    assert not store.exists(LEAN_START.report)


def test_its_iteration_is_finished_and_compared_with_the_baseline(store: Store) -> None:
    said = burnqed(store, "iteration", "--iter", "0", "--run", "lean-start", "--set", "gate.baseline='baseline:0'")
    assert "sft: miss" not in said
    judged = GateVerdict.model_validate(store.read_json(f"{output(store, LEAN_START.report)}/gate.json"))
    gain = next(check for check in judged.checks if check.name == "gain from the baseline with its head")
    assert gain.n == 4


def test_a_reset_starts_from_the_base_model_and_the_run_keeps_its_settings(store: Store) -> None:
    before = recall(store, "lean-start")
    burnqed(store, "reset", "--iter", "1", "--run", "lean-start", "--set", "sft.steps=20", "--set", "select.theorems=4")
    record = read_record(store, Layout("lean-start", 1).adapter)
    assert record is not None
    facts = SftFacts.of(record)
    assert (facts.start, facts.steps) == ("base", 20)
    assert recall(store, "lean-start") == before
    assert any("/ebm/search/" in path for path in store.list("lean-start/iterations/iter_1"))
