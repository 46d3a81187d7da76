"""What a user gets: the wheel in an empty environment, run in an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.fixtures.shared import ROOT

UV = Path(sys.executable).parent / "uv"
NOT_PASSED_ON = ("PYTHON", "VIRTUAL_ENV", "BURNQED_", "KUBE", "ARGO_")


def sh(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(NOT_PASSED_ON) or k == "BURNQED_CACHE"}
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the installed commands."""
    folder = tmp_path_factory.mktemp("wheel")
    sh(UV, "build", "--quiet", "--wheel", "--out-dir", folder, ROOT, cwd=folder)
    sh(UV, "venv", "--quiet", "--python", sys.executable, folder / "env", cwd=folder)
    (wheel,) = folder.glob("*.whl")
    install = (UV, "pip", "install", "--quiet", "--python", folder / "env/bin/python", "--constraint", ROOT / "requirements.lock")  # fmt: skip
    sh(*install, f"{wheel}[train,cluster]", cwd=folder)
    return folder / "env/bin"


@pytest.mark.timeout(900)
def test_the_wheel_runs_the_smoke_profile_in_an_empty_folder(commands: Path, tmp_path: Path) -> None:
    run = (commands / "burnqed", "run", "iteration", "--iter", "0", "--profile", "smoke", "--store", "here")
    sh(*run, cwd=tmp_path)
    results = json.loads((tmp_path / "here/main/iterations/iter_0/report/results.json").read_text())
    assert {e["variant"] for e in results["evaluations"]} == {"plain", "head"}
    assert all(e["budgets"][-1]["errors"] == 0 for e in results["evaluations"])
    assert (tmp_path / "here/main/iterations/iter_0/report/index.html").stat().st_size > 10_000
    again = sh(*run, cwd=tmp_path)
    assert "miss" not in again.stdout + again.stderr


@pytest.mark.timeout(600)
def test_hera_submit_prints_the_workflow_in_an_empty_folder(commands: Path, tmp_path: Path) -> None:
    sh(commands / "burnqed", "doctor", "--fix", cwd=tmp_path)
    printed = sh(commands / "hera", "submit", "iteration", "--iter", "0", "--dry-run", cwd=tmp_path).stdout
    workflow = yaml.safe_load(printed)
    assert workflow["kind"] == "Workflow"
    assert {"name": "iteration", "value": "0"} in workflow["spec"]["arguments"]["parameters"]
    assert list(tmp_path.iterdir()) == []
