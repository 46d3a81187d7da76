"""What a user gets: the wheel in an empty environment, run in an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixtures.shared import ROOT

UV = Path(sys.executable).parent / "uv"


def sh(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("PYTHON", "VIRTUAL_ENV", "BURNQED_STORE", "BURNQED_RUN"))
    }
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done


@pytest.mark.timeout(900)
def test_the_wheel_runs_the_smoke_profile_in_an_empty_folder(tmp_path: Path) -> None:
    sh(UV, "build", "--quiet", "--wheel", "--out-dir", tmp_path / "dist", ROOT, cwd=tmp_path)
    wheel = next((tmp_path / "dist").glob("*.whl"))
    sh(UV, "venv", "--quiet", "--python", sys.executable, tmp_path / "env", cwd=tmp_path)
    python = tmp_path / "env" / "bin" / "python"
    sh(
        UV,
        "pip",
        "install",
        "--quiet",
        "--python",
        python,
        "--constraint",
        ROOT / "requirements.lock",
        f"{wheel}[train]",
        cwd=tmp_path,
    )
    empty = tmp_path / "empty"
    empty.mkdir()
    burnqed = tmp_path / "env" / "bin" / "burnqed"
    run = (burnqed, "run", "iteration", "--iter", "0", "--profile", "smoke", "--store", "here")
    sh(*run, cwd=empty)
    results = json.loads((empty / "here/main/iterations/iter_0/report/results.json").read_text())
    assert {e["variant"] for e in results["evaluations"]} == {"plain", "head"}
    assert all(e["budgets"][-1]["errors"] == 0 for e in results["evaluations"])
    assert (empty / "here/main/iterations/iter_0/report/index.html").stat().st_size > 10_000
    again = sh(*run, cwd=empty)
    assert "miss" not in again.stdout + again.stderr
