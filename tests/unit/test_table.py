"""What a newcomer does to add a step: a row in the table, and one file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from burnqed.config import RunConfig
from burnqed.holding import of_machine
from burnqed.layout import Layout
from burnqed.ledger import accounts
from burnqed.record import read_record
from burnqed.resolve import resolve
from burnqed.steps.base import Context
from burnqed.steps.plan import plan
from burnqed.steps.table import STEPS, Step, find, loop
from burnqed.store import Store

ROOT = Path(__file__).parents[2]
ROW = 'Step("count", after=("sft",), reads=("data.generated",), pool="trainer", policy=True, sharded=True, stage="count"),'
FILE = """
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.facts import Facts


class CountFacts(Facts):
    count: int


def units(context: Context) -> list[Unit]:
    return [Unit(f"{context.layout.root}/count")]


async def run(context: Context, unit: Unit) -> CountFacts:
    context.store.write_text(f"{unit.root}/count.txt", str(context.config.data.generated))
    return CountFacts(count=context.config.data.generated)


WORK = Work(units, run)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one more step, before the report."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT / "burnqed", folder / "burnqed")
    shutil.copytree(ROOT / "workflows", folder / "burnqed_workflows")
    table = folder / "burnqed/steps/table.py"
    before = '    Step("report", '
    assert table.read_text().count(before) == 1
    table.write_text(table.read_text().replace(before, f"    {ROW}\n{before}"))
    (folder / "burnqed/steps/count.py").write_text(FILE)
    return folder


def burnqed(package: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(package), "COLUMNS": "300"}
    command = [sys.executable, "-m", "burnqed.cli.main", *words]
    done = subprocess.run(command, cwd=package, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_its_name_and_that_it_has_shards_are_in_the_help(package: Path) -> None:
    text = " ".join(burnqed(package, "step", "--help").split())
    assert "evaluate, count, report" in text
    assert "For search, replay, evaluate, count and trace: which part." in text


def test_the_plan_asks_for_it_and_a_redo_may_name_it(package: Path) -> None:
    words = ("step", "plan", "--iter", "0", "--store", str(package / "planned"), "--redo")
    said = burnqed(package, *words, "count")
    assert "iterations/iter_0/count: miss, because a redo was asked for" in said
    assert "choose one of: " not in said
    assert "(did you mean 'count'?); the steps are " in burnqed(package, *words, "cuont")


def test_it_is_made_once_and_has_its_price(package: Path) -> None:
    words = ("step", "count", "--iter", "0", "--store", str(package / "store"), "--set", "cost.cpu_hour=3600")
    assert "iterations/iter_0/count: done in" in burnqed(package, *words, "--set", "data.generated=7")
    store, layout = Store(str(package / "store")), Layout("main", 0)
    record = read_record(store, f"{layout.root}/count")
    assert record
    assert (record.key.step, record.key.settings) == ("count", {"data.generated": 7})
    assert "iterations/iter_0/count: hit" in burnqed(package, *words, "--set", "data.generated=7")
    attempts = [attempt for account in accounts(store, "main") for attempt in account.attempts]
    assert [attempt.task for attempt in attempts] == ["count(0)", "count(0)"]
    assert attempts[0].dollars == pytest.approx(of_machine().cpus * attempts[0].seconds)
    assert "counted from 0, so none is number 1" in burnqed(package, *words, "--shard", "1")


def test_the_workflow_runs_it_where_its_row_says(package: Path) -> None:
    burnqed(package, "manifests", "--out", "templates")
    document = yaml.safe_load((package / "templates/iteration.yaml").read_text())
    templates = {template["name"]: template for template in document["spec"]["templates"]}
    tasks = {task["name"]: task for task in templates["main"]["dag"]["tasks"]}
    assert tasks["count"]["depends"] == "(sft.Succeeded || sft.Skipped)"
    assert tasks["count"]["withParam"] == "{{tasks.plan.outputs.parameters.count-shards}}"
    count = templates["count"]
    assert count["container"]["image"] == "{{workflow.parameters.trainer-image}}"
    assert count["container"]["resources"]["requests"]["memory"] == RunConfig().trainer.memory
    assert [sidecar["name"] for sidecar in count["sidecars"]] == ["policy"]
    assert "count-shards" in [output["name"] for output in templates["plan"]["outputs"]["parameters"]]


# ---- the table itself


def test_every_row_has_its_work() -> None:
    for row in STEPS:
        assert row.work if isinstance(row, Step) else row.command


def test_every_step_waits_for_tasks_that_stand_before_it() -> None:
    before: set[str] = set()
    for step in loop():
        assert before.issuperset(step.after), step.task
        before.add(step.task)


def test_the_replay_of_known_proofs_is_found_by_its_former_name_too() -> None:
    assert find("negatives") is find("negatives", "negatives") is find("replay")


def test_a_workflow_that_was_submitted_under_the_former_name_finds_what_its_plan_has_to_say(tmp_path: Path) -> None:
    context = Context(Store(str(tmp_path)), Layout("main", 0), resolve("smoke").config, tmp_path)
    outputs = plan(loop(), context)
    assert outputs["negatives-shards"] == outputs["replay-shards"] != "[]"
