"""Losing a pod, a Lean process or a policy server in the middle of a search loses no result and doubles none."""

from __future__ import annotations

import io
import json
import time
from collections import Counter

import pyarrow.parquet as pq
import pytest
from hera.workflows import DAG
from kubernetes.stream import stream

from burnqed.layout import Layout
from burnqed.run.argo.nodes import TaskNode, is_over, phase_of, tasks_of
from burnqed.store import Store
from burnqed_workflows.templates import RetryPolicy
from tests.cluster.conftest import Cluster
from tests.cluster.test_loop import SETTINGS, submitted
from tests.cluster.test_runners_agree import new, python

LAYOUT = Layout("disrupted", 0)
LONGER = (
    "--set",
    "select.theorems=48",
    "--set",
    "search.budget=12",
    "--set",
    "search.theorems_per_part=1",
    "--set",
    "search.open_theorems=2",
)
KILL = """
import os, psutil, signal
for process in psutil.process_iter():
    if "{word}" in " ".join(process.cmdline()) and process.pid != os.getpid() and process.pid != 1:
        process.send_signal(signal.SIGKILL)
"""


def searching(cluster: Cluster, name: str) -> list[TaskNode]:
    """Shards whose search has begun: their policy server answers and theorems are done."""
    return [
        t
        for t in tasks_of(cluster.access.get(name))
        if t.task.startswith("search(") and t.phase == "Running" and rows(t.task)
    ]


def rows(task: str) -> bool:
    shard = int(task.removeprefix("search(").removesuffix(")"))
    return any(
        f"shard-{shard:04d}-of" in path and path.endswith(".parquet")
        for path in STORE[0].list(LAYOUT.trajectories("main"))
    )


STORE: list[Store] = []


def kill_in(cluster: Cluster, pod: str, container: str, word: str) -> None:
    """Kills the processes of a container whose command line has a word."""
    stream(
        cluster.access.core.connect_get_namespaced_pod_exec, pod, cluster.namespace, container=container,
        command=["python", "-c", KILL.format(word=word)], stdout=True, stderr=True,
    )  # fmt: skip


def next_shard(cluster: Cluster, name: str, seen: set[str]) -> TaskNode:
    """A shard in the middle of its search that was not disrupted yet."""
    while True:
        assert not is_over(cluster.access.get(name)), "the search was over too soon"
        for task in searching(cluster, name):
            if task.task not in seen:
                seen.add(task.task)
                return task
        time.sleep(1)


@pytest.mark.timeout(1800)
def test_the_workflow_succeeds_with_every_theorem_exactly_once(cluster: Cluster) -> None:
    store = Store(cluster.store)
    STORE[:] = [store]
    done = cluster.burnqed("submit", "iteration", "--iter", "0", "--run", LAYOUT.run, *SETTINGS, *LONGER)
    name, seen = submitted(done), set[str]()
    deleted = next_shard(cluster, name, seen)
    cluster.access.core.delete_namespaced_pod(deleted.attempts[-1].pod, cluster.namespace, grace_period_seconds=0)
    lean = next_shard(cluster, name, seen)
    kill_in(cluster, lean.attempts[-1].pod, "main", "supervisor")
    sidecar = next_shard(cluster, name, seen)
    kill_in(cluster, sidecar.attempts[-1].pod, "policy", "serve")
    watched = cluster.burnqed("watch", name)
    assert watched.returncode == 0, watched.stdout[-3000:]
    # Every theorem has one root row, over all files that lie there.
    counts: Counter[str] = Counter()
    for path in store.list(LAYOUT.trajectories("main")):
        if path.endswith(".parquet"):
            part = pq.read_table(io.BytesIO(store.read_bytes(path)), columns=["theorem", "status"]).to_pylist()
            counts.update(row["theorem"] for row in part if row["status"] is not None)
    selection = json.loads(store.read_text(f"{LAYOUT.selection}/selection.json"))
    assert counts == Counter(theorem["name"] for theorem in selection["theorems"])
    # The log says what happened.
    after = {t.task: t for t in tasks_of(cluster.access.get(name))}
    assert len(after[sidecar.task].attempts) == 2
    kept = {path.rpartition("/")[2]: path for path in store.list(LAYOUT.logs)}
    lean_log = "".join(
        store.read_text(path) for file, path in kept.items() if file.startswith(f"{lean.task}-") and "main" in file
    )
    assert "Lean" in lean_log
    sidecar_log = store.read_text(kept[f"{sidecar.task}-0-main.log"])
    assert "policy server" in sidecar_log


@pytest.mark.timeout(600)
def test_an_out_of_memory_kill_is_not_repeated(cluster: Cluster) -> None:
    with new() as workflow:
        greedy = python("greedy", "x = bytearray(600 << 20); print(len(x))", retry=RetryPolicy(2, 1))
        with DAG(name="main"):
            greedy(name="greedy")
    document = workflow.to_dict()
    document["spec"]["arguments"]["parameters"][0]["value"] = f"{cluster.images}/burnqed-worker:test"
    name = cluster.access.create(document)["metadata"]["name"]
    while not is_over(found := cluster.access.get(name)):
        time.sleep(1)
    (task,) = tasks_of(found)
    assert (phase_of(found), len(task.attempts)) == ("Failed", 1)
    assert "OOMKilled" in task.attempts[0].message
