"""The loop on a real Argo: smoke, two iterations, everything hit the second time, the report in the UI, logs without pods."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from burnqed.layout import Layout
from burnqed.manifest import read_manifest
from burnqed.run.argo.nodes import TaskNode, tasks_of
from burnqed.store import Store
from tests.cluster.conftest import Cluster

SIZES = (
    "data.known_proofs=60", "data.generated=60", "data.benchmark_theorems=8", "select.theorems=12", "policy.hidden_size=64", "policy.layers=2",
    "policy.vocabulary=600", "sft.steps=40", "sft.later_steps=20", "sft.warmup_steps=5", "sft.evaluate_every=20", "ebm.steps=40", "search.budget=4",
    "search.candidates=4", "search.shards=4", "search.theorems_per_part=2", "search.noise=false", "negatives.theorems=6", "evaluate.budgets=[2,4]",
    "evaluate.candidates=4", "workflow.parallelism=2",
)  # fmt: skip
"""The small profile with next to nothing to do, on four shards, two at a time."""
SETTINGS = [word for size in SIZES for word in ("--set", size)]


def submitted(done: subprocess.CompletedProcess[str]) -> str:
    """The workflow's name: the first line of standard output."""
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout.splitlines()[0]


def tasks(cluster: Cluster, name: str) -> dict[str, TaskNode]:
    return {task.task: task for task in tasks_of(cluster.access.get(name))}


@pytest.fixture(scope="module")
def iterations(cluster: Cluster) -> list[str]:
    """Names of the workflows of iterations 0 and 1: the one with the kubeconfig, the other through the Argo server."""
    return [
        submitted(cluster.burnqed("submit", "iteration", "--iter", str(i), "--watch", *SETTINGS, through=way))
        for i, way in enumerate(("kube", "server"))
    ]


@pytest.mark.timeout(1200)
def test_a_smoke_test_goes_through_and_leaves_nothing_behind(cluster: Cluster) -> None:
    done = cluster.burnqed("submit", "smoke", "--run", "smoke-test", "--watch")
    name = submitted(done)
    assert f"{name} Succeeded" in done.stdout
    assert Store(cluster.store).list("smoke-test") == []


@pytest.mark.timeout(1800)
def test_two_iterations_succeed_and_give_what_a_local_run_gives(
    cluster: Cluster, iterations: list[str], tmp_path: Path
) -> None:
    for iteration, name in enumerate(iterations):
        found = tasks(cluster, name)
        assert {f"search({shard})" for shard in range(4)} <= found.keys()
        assert {task.phase for task in found.values()} <= {"Succeeded", "Skipped", "Omitted"}
        manifest = read_manifest(Store(cluster.store), Layout("main", iteration).report)
        assert manifest is not None
    # The same steps of the same store on this machine find everything done.
    command = [
        sys.executable,
        "-m",
        "burnqed.cli.main",
        "run",
        "iteration",
        "--iter",
        "1",
        "--profile",
        "small",
        "--store",
        cluster.store,
    ]
    done = subprocess.run([*command, *SETTINGS], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "miss" not in done.stderr
    assert "iter_1/report: hit" in done.stderr


@pytest.mark.timeout(600)
def test_the_second_time_everything_is_hit_within_two_minutes_and_no_policy_server_starts(
    cluster: Cluster, iterations: list[str]
) -> None:
    began = time.monotonic()
    name = submitted(cluster.burnqed("submit", "iteration", "--iter", "1", "--watch", *SETTINGS))
    assert time.monotonic() - began < 120
    found = tasks(cluster, name)
    assert [task for task, node in found.items() if node.attempts] == ["plan"]
    log = cluster.burnqed("logs", name, "--step", "plan").stdout
    assert "hit" in log
    assert "miss" not in log


@pytest.mark.timeout(300)
def test_argo_serves_the_report_as_a_page(cluster: Cluster, iterations: list[str]) -> None:
    workflow = cluster.access.get(iterations[0])
    (node,) = (
        n for n in workflow["status"]["nodes"].values() if n["type"] == "Pod" and n["displayName"].startswith("report")
    )
    path = f"artifact-files/{cluster.namespace}/workflows/{iterations[0]}/{node['id']}/outputs/report"
    reply = httpx.get(f"{cluster.argo}/{path}", follow_redirects=True, timeout=60)
    assert reply.status_code == 200, reply.text[:500]
    assert reply.headers["content-type"].startswith("text/html")
    assert "<svg" in reply.text


@pytest.mark.timeout(300)
def test_logs_are_there_after_the_pods_are_gone(cluster: Cluster, iterations: list[str]) -> None:
    while_there = cluster.burnqed("logs", iterations[0], "--step", "search", "--shard", "3", "--raw")
    label = f"workflows.argoproj.io/workflow={iterations[0]}"
    cluster.access.core.delete_collection_namespaced_pod(
        cluster.namespace, label_selector=label, grace_period_seconds=0
    )
    afterwards = cluster.burnqed("logs", iterations[0], "--step", "search", "--shard", "3", "--raw")
    assert afterwards.returncode == 0, afterwards.stderr
    entries = [json.loads(line) for line in afterwards.stdout.splitlines()]
    assert {(e["task"], e["run"], e["iteration"]) for e in entries} == {("search(3)", "main", 0)}
    assert any("done in" in str(e["message"]) for e in entries)
    if while_there.stdout:
        assert set(afterwards.stdout.splitlines()) >= {
            line for line in while_there.stdout.splitlines() if "done in" in line
        }
    policy = cluster.burnqed("logs", iterations[0], "--step", "search", "--shard", "3", "--container", "policy")
    assert "serving" in policy.stdout
