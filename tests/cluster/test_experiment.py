"""A whole experiment in its smallest form, whose pods are killed on the way: `make test-cluster-long`."""

from __future__ import annotations

import pytest

from burnqed.evaluate.experiment import Experiments
from burnqed.run.argo.nodes import phase_of
from tests.fixtures.cluster import Cluster

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
SETTINGS = ("joint.steps=20", "joint.evaluate_every=10", "joint.positives=4", "evaluate.shards=1", "search.shards=1")


def kill(cluster: Cluster, workflow: str) -> None:
    """Kills every pod of a workflow at once, as a lost node does."""
    label = f"workflows.argoproj.io/workflow={workflow}"
    cluster.access.core.delete_collection_namespaced_pod(
        cluster.namespace, label_selector=label, grace_period_seconds=0
    )


def is_in(cluster: Cluster, name: str, step: str) -> bool:
    """Whether the workflow is there, and at this step."""
    names = {each["metadata"]["name"] for each in cluster.access.list()}
    return name in names and cluster.tasks(name).get(step) is not None and cluster.tasks(name)[step].phase == "Running"


def test_an_experiment_survives_the_loss_of_its_pods_and_ends_in_one_report(cluster: Cluster, small: list[str]) -> None:
    words = [*small, *(word for value in SETTINGS for word in ("--set", value))]
    name = cluster.submit("experiment", "--iters", "2", "--run", "asked", *words)
    cluster.wait(name, lambda _: is_in(cluster, f"{name}-iter-0", "sft"), seconds=900)
    kill(cluster, name)
    kill(cluster, f"{name}-iter-0")
    cluster.wait(name, seconds=3000)
    told = cluster.hera("status", name).stdout
    assert phase_of(cluster.access.get(name)) == "Succeeded", told
    assert len(cluster.tasks(name)["iter-0"].attempts) == 2
    found = Experiments.model_validate(cluster.store.read_json("asked/experiment/experiment.json")).results[0]
    assert [arm.name for arm in found.arms] == ["baseline", "A", "S", "B", "C", "control"]
    assert found.missing == []
    assert "<svg" in cluster.store.read_text("asked/experiment/index.html")
    again = cluster.hera("submit", "experiment", "--iters", "2", "--run", "asked", *words, "--watch")
    assert again.returncode == 0, again.stdout[-3000:] + again.stderr[-3000:]
