"""`kill -9` at moments spread over a run: nothing is lost, nothing is counted twice, nothing stays alive.

make test-kill        # ten kills; `make test` does one
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest

from burnqed.layout import Layout
from burnqed.steps.select import read_selection
from burnqed.store import Store
from tests.fixtures.wheel import STORE

KILLS = int(os.environ.get("BURNQED_KILLS", "0"))
RUN = ["run", "iteration", "--iter", "0", "--profile", "smoke", "--store"]
WITHOUT_HEAD = ["--set", "ebm.enabled=false"]
"""Less of what follows the search."""


def start(store: Path, log: Path, options: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "burnqed.cli.main", *RUN, str(store), *options],
            env={**os.environ, "TMPDIR": str(store.parent)},
            stdout=output,
            stderr=output,
        )


def phase(log: Path) -> str:
    """The step that is running."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if "│" in line]
    return lines[-1].partition("│")[0].strip() if lines else ""


def kill(process: subprocess.Popen[bytes]) -> int:
    """Kills the runner alone. Returns how many of its descendants are alive 5 s later."""
    family = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    _, alive = psutil.wait_procs(family, timeout=5)
    return len(alive)


def root_rows(store: Path, variant: str) -> Counter[str]:
    """How often each theorem has a root row, over all part files that lie there."""
    counts: Counter[str] = Counter()
    for part in (store / "main/iterations/iter_0/trajectories" / variant).rglob("*.parquet"):
        rows = pq.read_table(part, columns=["theorem", "status"])
        counts.update(
            t for t, s in zip(rows["theorem"].to_pylist(), rows["status"].to_pylist(), strict=True) if s is not None
        )
    return counts


def run_with_kills(tmp_path: Path, waits: list[tuple[str, float]], options: Sequence[str] = ()) -> list[str]:
    """Starts the run, waits for a step and then so many seconds, kills it; again for each wait; then lets the same command end.

    Returns the steps that were hit. The raw rows, without de-duplication, must hold every theorem exactly once.
    """
    store, killed_in = tmp_path / "killed", []
    for number, (step, delay) in enumerate(waits):
        log = tmp_path / f"killed-{number}.log"
        process = start(store, log, options)
        while process.poll() is None and not phase(log).startswith(step):
            time.sleep(0.05)
        wait_until = time.monotonic() + delay
        while process.poll() is None and time.monotonic() < wait_until:
            time.sleep(0.05)
        if process.poll() is None:
            killed_in.append(phase(log))
            assert kill(process) == 0, f"descendants alive after a kill in {killed_in[-1]}"
    log = tmp_path / "last.log"
    process = start(store, log, options)
    assert process.wait() == 0, log.read_text()[-3000:]
    names = {t.name for t in read_selection(Store(str(store)), Layout("main", 0).selection).theorems}
    for variant in ("main", "noise"):
        assert root_rows(store, variant) == Counter(dict.fromkeys(names, 1))
    return killed_in


@pytest.mark.long
def test_a_run_that_was_killed_in_its_search_loses_and_doubles_nothing(tmp_path: Path, smoke_run: Path) -> None:
    """The small version of `make test-kill`; what comes before the search is there already."""
    shutil.copytree(smoke_run / STORE, tmp_path / "killed")
    shutil.rmtree(tmp_path / "killed/main/iterations/iter_0/trajectories")
    killed_in = run_with_kills(tmp_path, [("search", 6.0)], WITHOUT_HEAD)
    assert [step[:6] for step in killed_in] == ["search"]


@pytest.mark.timeout(3600)
@pytest.mark.skipif(not KILLS, reason="takes minutes; `make test-kill` runs it")
def test_killing_the_run_again_and_again_loses_and_doubles_nothing(tmp_path: Path) -> None:
    # 1. An undisturbed run: its duration, and the times at which its search began and ended.
    log = tmp_path / "reference.log"
    began, times = time.monotonic(), {}
    process = start(tmp_path / "reference", log)
    while process.poll() is None:
        times.setdefault(phase(log) if log.exists() else "", time.monotonic() - began)
        time.sleep(0.05)
    assert process.returncode == 0, log.read_text()[-3000:]
    duration = time.monotonic() - began
    searching = (times["search(0)"], times["replay(0)"])
    # 2. Kills drawn over that time: some before the search, at least half within it, the others after it. The machine's speed
    # changes from run to run, so those within wait for the search to begin; each leaves work for the next.
    draw = random.Random(7)
    anywhere = [draw.uniform(0, duration) for _ in range(KILLS // 2)]
    within = KILLS - len(anywhere)
    share = (searching[1] - searching[0]) / (2 * within)
    waits = [("", m) for m in anywhere if m < searching[0]]
    waits += [("search", draw.uniform(0, share)) for _ in range(within)]
    waits += [("", m - searching[0]) for m in anywhere if m >= searching[0]]
    killed_in = run_with_kills(tmp_path, waits)
    assert sum(step.startswith("search") for step in killed_in) >= within, killed_in
    print(
        f"killed in {killed_in}; an undisturbed run takes {duration:.0f} s, its search {searching[1] - searching[0]:.0f} s"
    )
