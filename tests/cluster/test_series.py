"""Several iterations as workflows that another one creates: a lost pod finds its child again, and retry, logs, answers and stop reach children.

`make test-cluster` stops a series; `make test-cluster-long` also loses pods of one.
"""

from __future__ import annotations

from typing import Any

import pytest

from burnqed.run.argo.nodes import is_over, phase_of, suspended
from tests.fixtures.cluster import Cluster, has_failed, without_secret


def is_there(cluster: Cluster, name: str) -> bool:
    return any(each["metadata"]["name"] == name for each in cluster.access.list())


def wait_for_question(cluster: Cluster, parent: str, child: str) -> dict[str, Any]:
    """The child, once it waits for an answer."""
    cluster.wait(parent, lambda _: is_there(cluster, child))
    return cluster.wait(child, suspended)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_series_survives_a_lost_pod_a_missing_secret_and_is_answered_and_retried_through_its_parent(
    cluster: Cluster, iterations: list[str], small: list[str]
) -> None:
    """Both iterations were done before, so that they only plan and ask."""
    name = cluster.submit("iterations", "--iters", "0..1", "--gate", "ask", *small)
    first = wait_for_question(cluster, name, f"{name}-iter-0")
    (owner,) = first["metadata"]["ownerReferences"]
    assert owner["name"] == name

    pods = cluster.access.core
    label = f"workflows.argoproj.io/workflow={name}"
    pods.delete_collection_namespaced_pod(cluster.namespace, label_selector=label, grace_period_seconds=0)
    cluster.wait(name, lambda _: len(cluster.tasks(name)["iter-0"].attempts) == 2)

    assert f"`burnqed approve {name}-iter-0`" in cluster.hera("status", name).stdout
    with without_secret(cluster):
        answered = cluster.hera("approve", name)
        assert answered.returncode == 0, answered.stderr
        cluster.wait(name, has_failed)
    assert not is_there(cluster, f"{name}-iter-1"), "what follows a failure is not begun"
    logs = cluster.hera("logs", name, "--step", "decision")
    assert f"{name}-iter-0 decision" in logs.stdout, logs.stderr

    done = cluster.hera("retry", name)
    assert done.stdout.splitlines() == [f"{name}-iter-0 runs again.", f"{name} runs again."], done.stderr
    wait_for_question(cluster, name, f"{name}-iter-1")
    again = cluster.access.get(f"{name}-iter-0")
    assert (again["metadata"]["uid"], phase_of(again)) == (first["metadata"]["uid"], "Succeeded")
    assert cluster.hera("approve", name, through="server").returncode == 0
    watched = cluster.hera("watch", name)
    assert watched.returncode == 0, watched.stdout + watched.stderr
    assert "iteration 1" in watched.stdout or "solved" in watched.stdout


@pytest.mark.long
@pytest.mark.timeout(600)
def test_stopping_a_series_stops_what_it_has_created(cluster: Cluster, iterations: list[str], small: list[str]) -> None:
    name = cluster.submit("iterations", "--iters", "0..1", "--gate", "ask", *small)
    wait_for_question(cluster, name, f"{name}-iter-0")
    assert cluster.hera("stop", name, through="server").returncode == 0
    assert phase_of(cluster.wait(f"{name}-iter-0", is_over)) == "Failed"
    assert phase_of(cluster.wait(name, is_over)) == "Failed"
    assert not is_there(cluster, f"{name}-iter-1")
