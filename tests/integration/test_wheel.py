"""What a user gets: the wheel in an empty environment, run in an empty folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from burnqed.head.metric import standard_error
from burnqed.layout import Layout
from burnqed.record import output
from burnqed.store import Store
from tests.fixtures.wheel import STORE, run_smoke, sh


def test_the_wheel_runs_the_smoke_profile_in_an_empty_folder(wheel_commands: Path, smoke_run: Path) -> None:
    store = Store(str(smoke_run / STORE))
    report = Path(store.full(output(store, Layout("main", 0).report)))
    results = json.loads((report / "results.json").read_text())
    assert {e["variant"] for e in results["evaluations"]} == {"plain", "head"}
    assert all(e["budgets"][-1]["errors"] == 0 for e in results["evaluations"])
    for name in ("head.rank1", "head.rank1_siblings"):
        shares = list(results["shares"][name].values())
        assert standard_error(shares) == pytest.approx(results["training"].get(f"{name}_spread"))
    assert (report / "index.html").stat().st_size > 10_000
    assert "miss" not in run_smoke(wheel_commands, smoke_run)
    assert [path.name for path in smoke_run.iterdir()] == [STORE]


def test_hera_submit_prints_the_workflow_in_an_empty_folder(wheel_commands: Path, tmp_path: Path) -> None:
    sh(wheel_commands / "burnqed", "doctor", "--fix", cwd=tmp_path)
    printed = sh(wheel_commands / "hera", "submit", "iteration", "--iter", "0", "--dry-run", cwd=tmp_path).stdout
    workflow = yaml.safe_load(printed)
    assert workflow["kind"] == "Workflow"
    assert {"name": "iteration", "value": "0"} in workflow["spec"]["arguments"]["parameters"]
    assert list(tmp_path.iterdir()) == []
