"""Benchmarks apart from training: what is held back from it, and one that is added when everything is done."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.data.theorems import dump_index
from burnqed.errors import BadInput
from burnqed.layout import SUCCESS, Layout
from burnqed.lean.core import DEFAULT_HEADER
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.protocol import Theorem
from burnqed.record import output, read_record
from burnqed.remembered import recall
from burnqed.steps import data
from burnqed.steps.base import Context, execute
from burnqed.steps.data import read_pairs, read_proofs
from burnqed.steps.indices import some
from burnqed.steps.known import known_proofs
from burnqed.steps.report import read_result
from burnqed.steps.table import step_named
from burnqed.store import Store
from tests.fixtures.wheel import STORE

LAYOUT = Layout("main", 0)
TRUE = ["∀ n : Nat, n + 0 = n", "∀ a b : Nat, a + b = b + a", "∀ p : Prop, p → p", "∀ n : Nat, n ≤ n + 1"]
UNKNOWN = "∀ x : ℝ, x ^ 2 ≥ 0"


def write_index(file: Path, *statements: str) -> str:
    theorems = [Theorem(name=f"{file.stem}.{i}", statement=statement) for i, statement in enumerate(statements)]
    file.write_text(dump_index(theorems), encoding="utf-8")
    return str(file)


def context(folder: Path, **values: object) -> Context:
    config = RunConfig.model_validate({"data": {"known_proofs": 3, "generated": 0, **values}})
    return Context(Store(str(folder / "store")), LAYOUT, config, folder)


@pytest.mark.asyncio(loop_scope="session")
async def test_what_equals_a_benchmark_or_does_not_elaborate_is_left_out_and_counted(
    steps_lean: EmbeddedLean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(data.log, "propagate", True)
    held_back, *others = some(known_proofs(DEFAULT_HEADER), 3, lambda proof: proof.theorem.name)
    mine = write_index(tmp_path / "mine.json", f" {held_back.theorem.statement}", TRUE[0])
    renamed = TRUE[0].replace("n", "m")
    wanted = write_index(tmp_path / "wanted.json", *TRUE[1:], renamed, UNKNOWN)
    at = context(tmp_path, theorems=wanted, benchmarks={"core": "shipped", "mine": mine})
    await execute(step_named("benchmark"), at)
    await execute(step_named("data"), at)
    folder = output(at.store, LAYOUT.data)
    report = at.store.read_json(f"{folder}/report.json")
    assert report["equal_to_benchmark"] == {"theorems": 1, "proofs": 1}
    assert list(report["unusable"]) == ["wanted.4"]
    assert "wanted.4: The statement does not elaborate: Unknown identifier `ℝ`" in caplog.text
    assert "1 of the 5 statements in" in caplog.text
    assert [t["statement"] for t in at.store.read_json(f"{folder}/theorems.json")["theorems"]] == TRUE[1:]
    proofs = read_proofs(at.store, f"{folder}/proofs.json")
    assert {proof.theorem.name for proof in proofs} == {proof.theorem.name for proof in others}
    paired = {name for batch in read_pairs(at.store, LAYOUT.data) for name in batch["theorem"].to_pylist()}
    assert held_back.theorem.name not in paired


@pytest.mark.asyncio(loop_scope="session")
async def test_an_index_for_another_lean_stops_before_anything_is_replayed(
    steps_lean: EmbeddedLean, tmp_path: Path
) -> None:
    file = write_index(tmp_path / "real.json", *TRUE[:3], UNKNOWN)
    sentence = r"1 of the 4 statements in .*real.* do not elaborate .*\(the first is real\.3: .*ℝ.*\); give a header"
    with pytest.raises(BadInput, match=sentence):
        await execute(step_named("benchmark"), context(tmp_path, benchmarks={"real": file}))
    at = context(tmp_path, theorems=file)
    await execute(step_named("benchmark"), at)
    with pytest.raises(BadInput, match=sentence):
        await execute(step_named("data"), at)
    assert not [path for path in at.store.list(LAYOUT.data) if not path.endswith("_STARTED")]


# ---- added to a finished run


def burnqed(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "burnqed.cli.main", *words], cwd=cwd, capture_output=True, text=True, env={**os.environ})  # fmt: skip


def finished_at(store: Store) -> dict[str, str]:
    """When each unit of the run was made."""
    units = [path.removesuffix(f"/{SUCCESS}") for path in store.list("main") if path.endswith(f"/{SUCCESS}")]
    records = {unit.removeprefix("main/"): read_record(store, unit) for unit in units}
    return {unit: f"{m.digest} {m.finished}" for unit, m in records.items() if m}


@pytest.mark.long
def test_a_benchmark_that_is_added_to_a_finished_run_has_only_its_evaluation_and_the_report_made(
    tmp_path: Path, smoke_run: Path
) -> None:
    shutil.copytree(smoke_run / STORE, tmp_path / STORE)
    store = Store(str(tmp_path / STORE))
    before = finished_at(store)
    known = read_proofs(store, f"{output(store, LAYOUT.data)}/proofs.json")[0]
    write_index(tmp_path / "mine.json", *TRUE, f" {known.theorem.statement}", UNKNOWN)
    evaluated = ["run", "evaluate", "--iter", "0", "--store", STORE]
    done = burnqed(*evaluated, "--benchmark", "mine.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    (tmp_path / "mine.json").unlink()
    after = finished_at(store)
    changed = {unit for unit in after if before.get(unit) != after[unit]}
    shards = {f"iterations/iter_0/evaluation/mine/{variant}/shard-0000-of-0001" for variant in ("plain", "head")}
    assert changed == {"benchmarks/mine", *shards, "iterations/iter_0/report"}

    result = read_result(store, LAYOUT.report)
    assert [(e.benchmark, e.variant) for e in result.evaluations] == [
        ("core", "plain"),
        ("core", "head"),
        ("mine", "plain"),
        ("mine", "head"),
    ]
    for e in result.evaluations[2:]:
        assert e.trained_on == ["mine.4"], "the proof of an equal statement was trained on"
        assert (e.at_largest.total, e.at_largest.errors) == (6, 1)
        assert (e.without_trained[-1].total, e.without_trained[-1].errors) == (5, 1)
    assert [e.trained_on for e in result.evaluations[:2]] == [[], []], "held back from the start"

    rows = json.loads(burnqed("summary", "--store", STORE, "--json", cwd=tmp_path).stdout)["iterations"]
    assert [(row["benchmark"], row["trained_on"], row["errors"]) for row in rows] == [("core", 0, 0), ("mine", 1, 1)]
    settings = recall(store, "main")
    assert settings is not None
    assert list(settings.data.benchmarks) == ["core", "mine"]
    again = burnqed("run", "iteration", "--iter", "0", "--store", STORE, cwd=tmp_path)
    assert again.returncode == 0, again.stderr[-3000:]
    assert finished_at(store) == after, "later commands know it, and have nothing to do"

    write_index(tmp_path / "mine.json", *TRUE)
    refused = burnqed(*evaluated, "--benchmark", "mine.json", cwd=tmp_path)
    assert refused.returncode == 2
    assert "The run has another benchmark 'mine'; give this one a name of its own" in refused.stderr
    assert finished_at(store) == after
