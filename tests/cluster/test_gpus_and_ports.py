"""Pods with GPUs that are not there, and what a pod with a policy server answers to whoever reaches it."""

from __future__ import annotations

import json

import pytest

from burnqed.run.argo.nodes import is_over, phase_of, tasks_of
from burnqed_workflows.templates import METRICS_PORT, POLICY_PORT, STATUS_PORT
from tests.fixtures.cluster import Cluster, execute

LOOK = """
import http.client, json, socket
def status(host, port, method, path):
    connection = http.client.HTTPConnection(host, port, timeout=10)
    try:
        connection.request(method, path, "{}", {"Content-Type": "application/json"})
        return connection.getresponse().status
    except ConnectionRefusedError:
        return 0
def listening():
    for file, every in (("tcp", "0" * 8), ("tcp6", "0" * 32)):
        for line in open(f"/proc/net/{file}").readlines()[1:]:
            address, port = line.split()[1].split(":")
            if line.split()[3] == "0A" and (address == every or address == OWN):
                yield int(port, 16)
HOST = socket.gethostbyname(socket.gethostname())
OWN = "".join(f"{int(part):02X}" for part in reversed(HOST.split(".")))
outside = {path: status(HOST, STATUS, method, path) for method, path in (("GET", "/ready"), ("GET", "/metrics"), ("POST", "/generate"), ("POST", "/embed"), ("POST", "/update_weights_from_disk"))}
print("SAW", json.dumps({"listening": sorted(set(listening())), "outside": outside, "policy": [status(host, POLICY, "GET", "/health") for host in (HOST, "127.0.0.1")]}))
"""


@pytest.mark.timeout(1200)
def test_a_pool_whose_gpus_torch_does_not_see_ends_at_once_and_is_not_repeated(
    cluster: Cluster, iterations: list[str], small: list[str]
) -> None:
    """The node only pretends to have GPUs. Then the evaluation is made without them, and its pod looked at."""
    without = {
        "export": ("iteration", "trainer.gpus=1"),
        "evaluate": ("evaluate", "serving.gpus=1"),
    }
    for step, (workflow, setting) in without.items():
        name = cluster.submit(workflow, "--iter", "1", "--redo", step, *small, "--set", setting)
        assert phase_of(cluster.wait(name)) == "Failed"
        failed = next(t for t in cluster.tasks(name).values() if t.task.startswith(step))
        assert [(a.phase, a.message) for a in failed.attempts] == [("Failed", "main: Error (exit code 2)")]
        log = cluster.hera("logs", name, "--step", step).stdout
        assert "pool has 1 GPU(s), and torch sees 0" in log, log
    # A retry does not pretend that it could help.
    refused = cluster.hera("retry", name, "--set", "serving.gpus=0", "--set", "search.seconds=60")
    assert refused.returncode == 2
    assert "A retry cannot change serving.gpus:" in refused.stderr
    assert phase_of(cluster.access.get(name)) == "Failed"
    mended = cluster.submit("evaluate", "--iter", "1", "--redo", "evaluate", *small)
    assert look_into_a_pod(cluster, mended) == {
        "listening": [METRICS_PORT, STATUS_PORT],
        "outside": {
            "/ready": 200,
            "/metrics": 200,
            "/generate": 404,
            "/embed": 404,
            "/update_weights_from_disk": 404,
        },
        "policy": [0, 200],
    }
    assert phase_of(cluster.wait(mended)) == "Succeeded"


def look_into_a_pod(cluster: Cluster, name: str, step: str = "evaluate") -> object:
    """What the policy server of an evaluation, or of another step, answers, seen from its own pod, once it is ready."""

    def ready(workflow: dict[str, object]) -> str:
        assert not is_over(workflow), (
            f"{step} was over too soon: {[(t.task, t.phase, t.message) for t in tasks_of(workflow)]}"
        )
        for task in tasks_of(workflow):
            if task.task.startswith(step) and task.attempts and task.phase == "Running":
                pod = cluster.access.core.read_namespaced_pod(task.attempts[-1].pod, cluster.namespace)
                if all(status.ready for status in pod.status.container_statuses or [None]):
                    return task.attempts[-1].pod
        return ""

    pod = ready(cluster.wait(name, ready, seconds=600))
    script = LOOK.replace("STATUS,", f"{STATUS_PORT},").replace("POLICY,", f"{POLICY_PORT},")
    return json.loads(execute(cluster, pod, "main", script).partition("SAW ")[2])
