"""An experiment on this machine: its branches are trained beside a run that is there, one of them is killed, and the same command ends in one report.

`make test-workflows` runs it. `make test` walks the same workflows without their processes (test_children.py, test_experiment.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from burnqed.evaluate.experiment import Experiments
from burnqed.store import Store
from tests.fixtures.wheel import STORE

WORDS = [
    *("run", "experiment", "--iters", "2", "--profile", "smoke", "--store", STORE, "--ablate", "goal"),
    *("--set", "joint.steps=10", "--set", "joint.evaluate_every=5", "--set", "ebm.steps=60"),
]  # fmt: skip
COMMAND = [sys.executable, "-m", "burnqed.cli.main", *WORDS]


def kill_in(words: str, folder: Path) -> None:
    """Starts the experiment and kills it, and nothing else, once it prints these words; what it has started ends by itself."""
    log = folder / "killed.log"
    with log.open("wb") as output:
        process = subprocess.Popen(COMMAND, cwd=folder, stdout=output, stderr=output)
    while words not in log.read_text(errors="replace"):
        assert process.poll() is None, log.read_text()[-3000:]
        time.sleep(0.1)
    family = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    assert psutil.wait_procs(family, timeout=10)[1] == []


@pytest.mark.timeout(1800)
@pytest.mark.skipif("BURNQED_WORKFLOWS" not in os.environ, reason="takes seven minutes; run `make test-workflows`")
def test_an_experiment_that_was_killed_in_a_branch_continues_to_its_report_and_leaves_iteration_0_alone(
    tmp_path: Path, smoke_run: Path
) -> None:
    shutil.copytree(smoke_run / STORE, tmp_path / STORE)
    store = Store(str(tmp_path / STORE))
    before = {path: store.digest(path) for path in store.list("main/iterations/iter_0")}
    kill_in("joint: iteration 1 of main-joint", tmp_path)

    done = subprocess.run(COMMAND, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert {path: store.digest(path) for path in store.list("main/iterations/iter_0") if "/logs/" not in path} == {
        path: digest for path, digest in before.items() if "/logs/" not in path
    }
    (found,) = Experiments.model_validate(store.read_json("main/experiment/experiment.json")).results
    assert [arm.name for arm in found.arms] == ["baseline", "A", "S", "B", "C", "control", "A without goal"]
    assert found.missing == []
    assert {path.split("/")[0] for path in store.list("")} >= {"main", "main-raw", "main-joint", "main-control"}
    for branch in ("raw", "joint", "control", "without-goal"):
        kinds = {path.split("/")[3] for path in store.list(f"main-{branch}/iterations")}
        assert not kinds & {"trajectories", "selection"}, "a branch does not search"
    assert store.exists("main-joint/iterations/iter_1/ebm/search/_SUCCESS")
    assert not store.files("main-without-goal/iterations/iter_1/adapter"), "an ablation keeps the model of iteration 0"
    assert f"verdict: {found.verdict}" in done.stdout + done.stderr

    again = subprocess.run(COMMAND, cwd=tmp_path, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr[-3000:]
    assert "miss" not in again.stderr
