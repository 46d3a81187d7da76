"""What is sent to the cluster: valid for Argo and Kubernetes, with no more rights than needed, and small however many shards."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest
import yaml

from burnqed.resolve import resolve
from burnqed.run.argo.nodes import phase_of, tasks_of
from burnqed.run.argo.submit import build
from burnqed_workflows.registry import WORKFLOWS
from tests.fixtures.cluster import Cluster
from tests.fixtures.small_workflows import fan_out
from tests.unit.test_workflow import GIVEN, PROFILES

SHARDS = 24


def document(name: str, profile: str) -> dict[str, object]:
    given = {option: GIVEN[option] for option in WORKFLOWS[name].options}
    return build(name, resolve(profile, workflow=name).config, None, store="s3://b/p", run="r", image=None, given=given)


@pytest.mark.parametrize("name", WORKFLOWS)
@pytest.mark.parametrize("profile", PROFILES)
def test_argo_and_the_cluster_accept_every_workflow(cluster: Cluster, name: str, profile: str, tmp_path: Path) -> None:
    workflow = document(name, profile)
    file = tmp_path / "workflow.yaml"
    file.write_text(yaml.safe_dump(workflow))
    argo = shutil.which("argo")
    assert argo, "the cluster's environment puts it on PATH"
    linted = subprocess.run([argo, "lint", "--offline", str(file)], capture_output=True, text=True)
    assert linted.returncode == 0, linted.stdout + linted.stderr
    cluster.access.create(workflow, dry_run=True)


def test_the_executor_may_report_results_the_exit_handler_read_workflows_and_nobody_anything_else(
    cluster: Cluster,
) -> None:
    account = f"system:serviceaccount:{cluster.namespace}:burnqed"
    command = ["kubectl", "auth", "can-i", "--list", "--namespace", cluster.namespace, "--as", account]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[1:]
    granted = {line.split()[0]: line[line.rindex("[") + 1 : -1] for line in listed if line and not line.startswith(" ")}
    everybody = {
        "selfsubjectreviews.authentication.k8s.io",
        "selfsubjectaccessreviews.authorization.k8s.io",
        "selfsubjectrulesreviews.authorization.k8s.io",
    }
    assert {k: v for k, v in granted.items() if k not in everybody} == {
        "workflowtaskresults.argoproj.io": "create patch",
        "workflows.argoproj.io": "get",
    }


@pytest.mark.timeout(600)
def test_every_container_of_a_pod_is_without_rights(cluster: Cluster) -> None:
    """Also those that Argo adds."""
    name = cluster.submit("import-data", "--source", cluster.absent, "--name", "x")
    label = f"workflows.argoproj.io/workflow={name}"
    while not (pods := cluster.access.core.list_namespaced_pod(cluster.namespace, label_selector=label).items):
        time.sleep(0.5)
    pod = pods[0].spec
    assert pod.automount_service_account_token is False
    assert pod.security_context.run_as_non_root
    for container in [*pod.init_containers, *pod.containers]:
        security = container.security_context
        assert security.read_only_root_filesystem, container.name
        assert security.allow_privilege_escalation is False, container.name
        assert security.capabilities.drop == ["ALL"], container.name
    assert phase_of(cluster.wait(name)) == "Failed", "what it imports is missing, and it says so"
    assert cluster.absent in cluster.hera("logs", name).stdout


@pytest.mark.timeout(1200)
def test_many_shards_of_an_empty_step_complete_in_a_small_object(cluster: Cluster) -> None:
    """`benchmarks/argo_shards.py` has a thousand."""
    found = cluster.wait(cluster.create(fan_out(SHARDS, parallelism=6)), seconds=1000)
    assert phase_of(found) == "Succeeded"
    assert len(tasks_of(found)) == SHARDS + 2
    assert len(json.dumps(found)) < 3_500 * SHARDS
