"""The workflow baseline: what it may be built with, its first step, and the comparison with it."""

from __future__ import annotations

import logging
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from burnqed.cli import options
from burnqed.config import TRIVIAL
from burnqed.data.theorems import shipped_benchmark
from burnqed.errors import BadInput
from burnqed.lean.protocol import TacticStatus
from burnqed.resolve import resolve
from burnqed.run.works import place_of, tasks_in, works_of
from burnqed.steps import report
from burnqed.steps.trivial import Sample, Tried, Trivial, complain
from burnqed.store import Store
from burnqed.trajectory.schema import ProofStatus
from burnqed_workflows import baseline
from tests.fixtures.finished import Finished


def test_it_is_iteration_0_of_a_run_of_its_own() -> None:
    config = resolve("demo", workflow="baseline").config
    (work,) = works_of(baseline.build(config, store="s", run="baseline").to_dict())
    layout, settings = place_of(work)
    assert (layout.run, layout.iteration) == (options.default_run("baseline"), 0)
    assert settings == config
    assert not settings.sft.enabled
    assert {"trivial-search", "search", "replay", "ebm-final", "evaluate", "report", "gate"} <= {*tasks_in(work)}


def test_the_raw_model_is_tried_before_it_searches_and_after_it_is_there() -> None:
    built = baseline.build(resolve("demo", workflow="baseline").config, store="s", run="b").to_dict()
    (main,) = (t for t in built["spec"]["templates"] if t["name"] == "main")
    depends = {task["name"]: task.get("depends", "") for task in main["dag"]["tasks"]}
    assert "export.Succeeded" in depends["trivial-search"]
    assert "trivial-search.Succeeded" in depends["embed-search"]
    assert "ebm-search.Succeeded" in depends["search"]


def test_a_run_that_trains_its_model_gets_no_baseline() -> None:
    with pytest.raises(BadInput, match="give --run NAME for a run of its own"):
        baseline.build(resolve("demo").config, store="s", run="main")


# ---- trivial theorems


def tried(name: str, *tactics: str, status: ProofStatus = ProofStatus.UNPROVED, reason: str = "") -> Tried:
    samples = [Sample(tactic=tactic, status=TacticStatus.ERROR) for tactic in tactics]
    return Tried(name=name, statement="True", status=status, reason=reason, samples=samples)


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    logging.getLogger("burnqed").propagate = True
    return caplog


def test_there_are_sixteen_and_their_names_say_what_they_are() -> None:
    theorems = shipped_benchmark("", TRIVIAL)
    assert len(theorems) == 16
    assert all(theorem.name.startswith("trivial::") for theorem in theorems)


def test_a_model_that_proves_none_is_told_by_what_it_wrote(said: pytest.LogCaptureFixture) -> None:
    found = Trivial(theorems=[tried("a", "I think that\nwe", "Sure!"), tried("b", "Sure!", "1", "2", "3")])
    with pytest.raises(BadInput) as error:
        complain(found)
    assert "\n" not in str(error.value)
    for word in ("'I think that we' (error), 'Sure!' (error)", "and 1 others", "policy.template", "Lean"):
        assert word in str(error.value)
    assert "a: True: 'I think that we' (error)" in said.text


def test_a_lean_that_starts_none_is_told_apart_from_a_model_that_proves_none() -> None:
    broken = Trivial(theorems=[tried("a", status=ProofStatus.ERROR, reason="Lean failed at the start")])
    with pytest.raises(BadInput, match=r"could be tried: Lean failed at the start; check Lean"):
        complain(broken)
    with pytest.raises(BadInput, match="it wrote no tactic"):
        complain(Trivial(theorems=[tried("a")]))


# ---- gate.baseline


def test_iteration_0_is_made_from_the_report_of_the_baseline_and_later_ones_are_not(tmp_path: Path) -> None:
    finished = Finished(Store(str(tmp_path)))
    config = resolve("default", ["gate.baseline='other:0'"]).config
    with pytest.raises(BadInput, match=r"gate\.baseline is other:0, and .* has no finished report of that"):
        report.baseline(finished.context(config, 0))
    shutil.copytree(tmp_path / "main", tmp_path / "other")
    assert report.baseline(finished.context(config, 0)) == ["other/iterations/iter_0/report"]
    assert report.baseline(finished.context(config, 1)) == []
    with pytest.raises(BadInput, match="is the run itself"):
        report.baseline(replace(finished.context(resolve("default", ["gate.baseline='main:0'"]).config, 0)))


def test_a_baseline_that_names_no_iteration_is_refused() -> None:
    with pytest.raises(BadInput, match="write RUN:N"):
        resolve("default", ["gate.baseline=other"])
