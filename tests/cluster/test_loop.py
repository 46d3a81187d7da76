"""The loop on a real Argo: two iterations, everything hit the second time, the report in the UI, logs with and without pods. With `make test-cluster-long` also smoke,
whose steps are those of an iteration."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from burnqed.layout import Layout
from burnqed.record import read_record
from tests.fixtures.cluster import Cluster


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_a_smoke_test_goes_through_and_leaves_nothing_behind(cluster: Cluster) -> None:
    done = cluster.hera("submit", "smoke", "--run", "smoke-test", "--watch")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert f"{done.stdout.splitlines()[0]} Succeeded" in done.stdout
    assert cluster.store.list("smoke-test") == []


@pytest.mark.timeout(1800)
def test_two_iterations_succeed_and_a_local_run_finds_everything_done(
    cluster: Cluster, iterations: list[str], small: list[str], tmp_path: Path
) -> None:
    for iteration, name in enumerate(iterations):
        found = cluster.tasks(name)
        assert {f"search({shard})" for shard in range(2)} <= found.keys()
        assert {task.phase for task in found.values()} <= {"Succeeded", "Skipped", "Omitted"}
        assert read_record(cluster.store, Layout("main", iteration).report)
    # The same steps on this machine read the same store: equal keys, so equal inputs, configuration and kinds of result.
    words = ["run", "iteration", "--iter", "1", "--profile", "small", "--store", cluster.store.uri, *small]
    command = [sys.executable, "-m", "burnqed.cli.main", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "miss" not in done.stderr
    assert "iter_1/report: hit" in done.stderr


@pytest.mark.timeout(600)
def test_the_second_time_everything_is_hit_within_two_minutes_and_no_policy_server_starts(
    cluster: Cluster, iterations: list[str], small: list[str]
) -> None:
    began = time.monotonic()
    name = cluster.submit("iteration", "--iter", "1", "--watch", *small)
    assert time.monotonic() - began < 120
    assert {task for task, node in cluster.tasks(name).items() if node.attempts} == {"plan", f"{name}.onExit"}
    log = cluster.hera("logs", name, "--step", "plan").stdout
    assert "hit" in log
    assert "miss" not in log


@pytest.mark.timeout(300)
def test_argo_serves_the_report_as_a_page(cluster: Cluster, iterations: list[str]) -> None:
    nodes = cluster.access.get(iterations[0])["status"]["nodes"].values()
    (node,) = (n for n in nodes if n["type"] == "Pod" and n["displayName"].startswith("report"))
    path = f"artifact-files/{cluster.namespace}/workflows/{iterations[0]}/{node['id']}/outputs/report"
    reply = httpx.get(f"{cluster.argo}/{path}", follow_redirects=True, timeout=60)
    assert reply.status_code == 200, reply.text[:500]
    assert reply.headers["content-type"].startswith("text/html")
    assert "<svg" in reply.text


@pytest.mark.timeout(300)
def test_logs_are_there_after_the_pods_are_gone(cluster: Cluster, iterations: list[str]) -> None:
    label = f"workflows.argoproj.io/workflow={iterations[0]}"
    cluster.access.core.delete_collection_namespaced_pod(
        cluster.namespace, label_selector=label, grace_period_seconds=0
    )
    afterwards = cluster.hera("logs", iterations[0], "--step", "search", "--shard", "1", "--raw")
    assert afterwards.returncode == 0, afterwards.stderr
    entries = [json.loads(line) for line in afterwards.stdout.splitlines()]
    assert {(e["workflow"], e["task"], e["run"], e["iteration"]) for e in entries} == {
        (iterations[0], "search(1)", "main", 0)
    }
    assert any("done in" in str(e["message"]) for e in entries)
    policy = cluster.hera("logs", iterations[0], "--step", "search", "--shard", "1", "--container", "policy")
    assert "serving" in policy.stdout
