"""The loop on the backend `pantograph`, over a stand-in that hangs, crashes and answers garbage: the smoke iteration ends with everything that it should hold.

`make test-pantograph` runs it: minutes. `make test` has its parts: equal searches (test_search_equal.py), a soak (test_pantograph_backend.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from burnqed.lean.pantograph.project import opened
from burnqed.library.runs import Run
from burnqed.trajectory.schema import ProofStatus
from tests.fixtures import pantograph

FAULTS = {"hang": 0.0005, "crash": 0.005, "garbage": 0.005, "half_line": 0.005, "second_line": 0.005, "slow_start": 0.2}


@pytest.mark.timeout(3_000)
@pytest.mark.skipif("BURNQED_PANTOGRAPH_LOOP" not in os.environ, reason="takes minutes; run `make test-pantograph`")
def test_a_smoke_iteration_on_a_faulty_pantograph_loses_nothing(tmp_path: Path) -> None:
    project = pantograph.project(tmp_path / "project", seed=2, **FAULTS)
    settings = ["lean.backend=pantograph", f"lean.project={project}", "lean.workers=2", "lean.tactic_timeout_s=20"]
    words = [word for setting in settings for word in ("--set", setting)]
    command = [
        sys.executable,
        "-m",
        "burnqed.cli.main",
        "run",
        "iteration",
        "--iter",
        "0",
        "--profile",
        "smoke",
        "--store",
        "here",
        *words,
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    [iteration] = Run(tmp_path / "here").iterations
    for evaluated in iteration.results.evaluations:
        assert evaluated.lean_version == opened(project).version
        assert len(evaluated.per_theorem) == 8
        assert [t.name for t in evaluated.per_theorem if t.status is ProofStatus.ERROR] == []
    searched = {row["theorem"] for row in iteration.trajectories(["theorem"]).to_pylist()}
    assert len(searched) == 6
