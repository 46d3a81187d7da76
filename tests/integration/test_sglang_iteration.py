"""Whole iterations over the real SGLang, on a processor: `make test-sglang`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from burnqed.library.runs import Run
from burnqed.policy.sglang import COMMAND
from burnqed.trajectory.schema import ProofStatus
from tests.fixtures.sglang_in_trouble import VARIABLE
from tests.fixtures.sglang_pair import REAL

pytestmark = [
    pytest.mark.skipif(not REAL, reason="needs the real SGLang; run `make test-sglang`"),
    pytest.mark.timeout(4_800),
]


def statuses(store: Path) -> dict[str, dict[str, ProofStatus]]:
    [iteration] = Run(store).iterations
    return {e.variant: {t.name: t.status for t in e.per_theorem} for e in iteration.results.evaluations}


def iteration(folder: Path, **environment: str) -> tuple[Path, float]:
    """A smoke iteration's store, and its seconds."""
    settings = ["workflow.policy_server=sglang", "policy.frozen_s=40", "policy.request_timeout_s=60"]
    words = [word for setting in settings for word in ("--set", setting)]
    command = [sys.executable, "-m", "burnqed.cli.main", "run", "iteration", "--iter", "0", "--profile", "smoke"]
    began = time.monotonic()
    done = subprocess.run(
        [*command, "--store", "here", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, COMMAND: REAL, **environment},
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return folder / "here", time.monotonic() - began


def test_a_smoke_iteration_loses_nothing_when_servers_are_killed_freeze_and_are_slow(tmp_path: Path) -> None:
    (sane, troubled) = (tmp_path / name for name in ("sane", "troubled"))
    sane.mkdir()
    troubled.mkdir()
    expected, seconds = iteration(sane)
    in_trouble = f"{sys.executable} -m tests.fixtures.sglang_in_trouble"
    counter = tmp_path / "started"
    found, longer = iteration(
        troubled,
        **{COMMAND: in_trouble, VARIABLE: str(counter), "PYTHONPATH": str(Path.cwd()), "BURNQED_REAL_SGLANG": REAL},
    )
    print(f"a smoke iteration over SGLang: {seconds:.0f} s; with one killed, one frozen and one slow: {longer:.0f} s")
    assert int(counter.read_text()) >= 5, "two were started again"
    assert statuses(found) == statuses(expected)
    assert all(status is not ProofStatus.ERROR for each in statuses(found).values() for status in each.values())
    searched = [Run(store).trajectories(["theorem", "tactic", "state"]).to_pylist() for store in (expected, found)]
    assert sorted(map(str, searched[0])) == sorted(map(str, searched[1]))
