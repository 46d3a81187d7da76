"""What a workflow has cost on a real cluster: the bill agrees with the pods as Kubernetes shows them, whatever became of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from kubernetes import watch
from kubernetes.client import V1Pod
from kubernetes.utils.quantity import parse_quantity

from burnqed.layout import Layout, shard_folder
from burnqed.ledger import Account, accounts
from burnqed.run.argo.nodes import is_over, phase_of, tasks_of
from tests.fixtures.cluster import Cluster

LAYOUT = Layout("priced", 0)
CPU_HOUR, MEMORY_HOUR = 3600.0, 360.0
"""Dollars: of a core $1 a second."""
SETTINGS = (f"cost.cpu_hour={CPU_HOUR}", f"cost.memory_hour={MEMORY_HOUR}", "ebm.enabled=false", "search.shards=2",
            "select.theorems=24", "search.budget=12", "search.theorems_per_part=1", "search.open_theorems=2")  # fmt: skip
"""Over the small settings: prices, and a search that lasts long enough to be disturbed."""
ARGOS = ("wait", "init")


@dataclass
class Seen:
    """Pods by their uid, with when those that were deleted were gone."""

    pods: dict[str, V1Pod] = field(default_factory=dict)
    gone: dict[str, datetime] = field(default_factory=dict)

    def dollars(self) -> float:
        return sum(self.dollars_of(uid) for uid in self.pods)

    def dollars_of(self, uid: str) -> float:
        pod = self.pods[uid]
        if not (began := pod.status.start_time):
            return 0.0
        ends = [s.state.terminated.finished_at for s in pod.status.container_statuses or () if s.state.terminated]
        is_over = len(ends) == len(pod.spec.containers)
        seconds = ((max(ends) if is_over else self.gone[uid]) - began).total_seconds()
        hourly = 0.0
        for container in pod.spec.containers:
            if container.name not in ARGOS:
                asked = container.resources.requests
                cpus, memory = (float(parse_quantity(asked[name])) for name in ("cpu", "memory"))
                hourly += cpus * CPU_HOUR + memory / 2**30 * MEMORY_HOUR
        return hourly * seconds / 3600


@contextmanager
def watched(cluster: Cluster, workflow: str) -> Iterator[Seen]:
    """Follows a workflow's pods while the block runs."""
    seen, done = Seen(), threading.Event()

    def follow() -> None:
        label = f"workflows.argoproj.io/workflow={workflow}"
        while not done.is_set():
            stream: Any = watch.Watch().stream(
                cluster.access.core.list_namespaced_pod, cluster.namespace, label_selector=label, timeout_seconds=2
            )
            for event in stream:
                pod = event["object"]
                seen.pods[pod.metadata.uid] = pod
                if event["type"] == "DELETED":
                    seen.gone.setdefault(pod.metadata.uid, datetime.now(UTC))

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join(30)


def account(cluster: Cluster) -> Account:
    (found,) = accounts(cluster.store, LAYOUT.run)
    return found


def shard_at_work(cluster: Cluster, name: str) -> str:
    """The pod of a search that has written a part."""
    while True:
        workflow = cluster.access.get(name)
        assert not is_over(workflow), cluster.hera("status", name).stdout
        for task in tasks_of(workflow):
            step, _, shard = task.task.removesuffix(")").partition("(")
            if step == "search" and shard and task.phase == "Running":
                parts = cluster.store.list(shard_folder(LAYOUT.trajectories("main"), int(shard), 2))
                if any(path.endswith(".parquet") for path in parts):
                    return task.attempts[-1].pod
        time.sleep(1)


@pytest.mark.long
@pytest.mark.timeout(1500)
def test_the_bill_is_what_the_pods_took_also_of_one_that_was_killed_and_of_a_workflow_that_was_retried(
    cluster: Cluster, small: list[str]
) -> None:
    settings = [*small, *(word for value in SETTINGS for word in ("--set", value))]
    name = cluster.submit("iteration", "--iter", "0", "--run", LAYOUT.run, "--max-cost", "3", *settings)
    with watched(cluster, name) as seen:
        # 1. It stops where it has cost what it may, and is billed.
        assert phase_of(cluster.wait(name, seconds=600)) == "Failed"
        failed = [task.task for task in cluster.tasks(name).values() if task.phase == "Failed"]
        assert "raise --max-cost to continue" in cluster.hera("logs", name, "--step", failed[0]).stdout
        first = account(cluster)
        assert all(attempt.billed for attempt in first.attempts)
        # 2. A retry goes on; a pod of its search is killed.
        assert cluster.hera("retry", name, "--set", "cost.max_dollars=1000000").returncode == 0
        cluster.access.core.delete_namespaced_pod(
            shard_at_work(cluster, name), cluster.namespace, grace_period_seconds=0
        )
        assert phase_of(cluster.wait(name, seconds=900)) == "Succeeded"
    # 3. Every pod is in the bill, once.
    last = account(cluster)
    assert all(attempt.billed for attempt in last.attempts)
    assert {a.task for a in last.attempts} >= {"plan", "data", "sft", "search(0)", "search(1)", "report", "release"}
    assert [a for a in first.attempts if a not in last.attempts] == [], "what was billed stays so"
    print(f"bill ${last.dollars:.2f}, pods ${seen.dollars():.2f}, {len(last.attempts)} and {len(seen.pods)} of them")
    assert last.dollars == pytest.approx(seen.dollars(), rel=0.1)
    # 4. People are told.
    told = cluster.hera("logs", name, "--step", f"{name}.onExit").stdout
    assert f"{name} has cost ${last.dollars:.2f}" in told
