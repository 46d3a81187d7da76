"""Losing a pod, a Lean process or a policy server in the middle of a search loses no result and doubles none."""

from __future__ import annotations

import io
import subprocess
import time
from collections import Counter

import pyarrow.parquet as pq
import pytest

from burnqed.copying import copy
from burnqed.layout import Layout, shard_folder
from burnqed.run.argo.nodes import TaskNode, is_over, phase_of, tasks_of
from burnqed.steps.select import read_selection
from burnqed.store import Store
from tests.fixtures.cluster import Cluster, execute
from tests.fixtures.small_workflows import out_of_memory

LAYOUT = Layout("main", 0)
SEARCHED, SHARDS = LAYOUT.trajectories("main"), 4
LONGER = (
    "select.theorems=48",
    f"search.shards={SHARDS}",
    "search.budget=12",
    "search.theorems_per_part=1",
    "search.open_theorems=2",
)
"""Over the small settings: a search that lasts long enough to be disturbed."""
KILL = """
import os, psutil, signal
for process in psutil.process_iter():
    if "{word}" in " ".join(process.cmdline()) and process.pid not in (1, os.getpid()):
        process.send_signal(signal.SIGKILL)
"""


def parts(store: Store, folder: str = SEARCHED) -> list[str]:
    """The files of the main search, or of one shard's folder."""
    return [path for path in store.list(folder) if path.endswith(".parquet")]


def next_shard(cluster: Cluster, store: Store, name: str, seen: set[str]) -> TaskNode:
    """A shard in the middle of its search that was not disturbed yet."""
    while True:
        workflow = cluster.access.get(name)
        assert not is_over(workflow), "the search was over too soon"
        for task in tasks_of(workflow):
            step, _, shard = task.task.removesuffix(")").partition("(")
            searching = step == "search" and shard and task.phase == "Running" and task.task not in seen
            if searching and parts(store, shard_folder(SEARCHED, int(shard), SHARDS)):
                seen.add(task.task)
                return task
        time.sleep(1)


@pytest.mark.timeout(1800)
def test_the_search_succeeds_with_every_theorem_exactly_once(
    cluster: Cluster, iterations: list[str], small: list[str]
) -> None:
    """In a copy of the run, with its model, so that other tests have what they had."""
    store = Store(f"s3://{cluster.s3.bucket}/disrupted")
    copy(cluster.store, store, LAYOUT.run)
    store.delete(SEARCHED)
    settings = [*small, *(word for value in LONGER for word in ("--set", value))]
    name, seen = cluster.submit("search", "--iter", "0", "--store", store.uri, *settings), set[str]()
    followed = cluster.command("logs", name, "--step", "search", "--shard", "3", "--follow")
    with subprocess.Popen(followed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as log:
        deleted = next_shard(cluster, store, name, seen)
        cluster.access.core.delete_namespaced_pod(deleted.attempts[-1].pod, cluster.namespace, grace_period_seconds=0)
        lean = next_shard(cluster, store, name, seen)
        execute(cluster, lean.attempts[-1].pod, "main", KILL.format(word="supervisor"))
        sidecar = next_shard(cluster, store, name, seen)
        execute(cluster, sidecar.attempts[-1].pod, "policy", KILL.format(word="serve"))
        watched = cluster.hera("watch", name)
        live, _ = log.communicate(timeout=60)
    assert watched.returncode == 0, watched.stdout[-3000:] + cluster.hera("logs", name, "--step", "search").stdout
    # Every theorem has one root row, over all files that lie there.
    counts: Counter[str] = Counter()
    for path in parts(store):
        rows = pq.read_table(io.BytesIO(store.read_bytes(path)), columns=["theorem", "status"]).to_pylist()
        counts.update(row["theorem"] for row in rows if row["status"] is not None)
    selection = read_selection(store, LAYOUT.selection)
    assert counts == Counter(theorem.name for theorem in selection.theorems)
    # The logs say what happened.
    after = cluster.tasks(name)
    assert [len(after[task.task].attempts) for task in (lean, sidecar)] == [1, 2]
    # Argo may run a pod that is gone again as the same attempt.
    again = f"{deleted.task}-{len(after[deleted.task].attempts) - 1}-main"
    logs = f"{LAYOUT.logs}/{name}"
    assert "was begun before" in store.read_text(f"{logs}/{again}.log")
    assert "the Lean process ended" in store.read_text(f"{logs}/{lean.task}-0-main.log")
    assert "policy server" in store.read_text(f"{logs}/{sidecar.task}-0-main.log")
    assert log.returncode == 0
    assert "search(3) │" in live
    assert "done in" in live


@pytest.mark.timeout(600)
def test_an_out_of_memory_kill_is_not_repeated(cluster: Cluster) -> None:
    found = cluster.wait(cluster.create(out_of_memory()))
    (task,) = tasks_of(found)
    assert (phase_of(found), len(task.attempts)) == ("Failed", 1)
    assert "OOMKilled" in task.attempts[0].message
