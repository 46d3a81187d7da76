"""The chart's life in a namespace: installed, upgraded, uninstalled."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import helm_python
import pytest
import yaml

from burnqed.resolve import from_json, resolve
from burnqed.run.works import parameters_of
from tests.fixtures.chart import CHART
from tests.fixtures.cluster import Cluster

RELEASE = "burnqed"
STORE = {"uri": "s3://bucket/prefix", "accessKey": "key", "secretKey": "secret"}


@contextmanager
def another_namespace(cluster: Cluster) -> Iterator[str]:
    name = f"{cluster.namespace}-upgrade"
    cluster.access.core.create_namespace({"metadata": {"name": name}})
    try:
        yield name
    finally:
        cluster.access.core.delete_namespace(name)


def objects(namespace: str) -> list[str]:
    """Everything in a namespace, of whatever kind, that bears the release's name."""

    def kubectl(*words: str) -> list[str]:
        return subprocess.run(
            ["kubectl", *words, "-o", "name"], capture_output=True, text=True, check=True
        ).stdout.split()

    kinds = kubectl("api-resources", "--namespaced", "--verbs=list")
    return [name for name in kubectl("get", ",".join(kinds), "--namespace", namespace) if RELEASE in name]


@pytest.mark.timeout(120)
def test_the_next_submission_uses_what_an_upgrade_says_and_an_uninstall_leaves_nothing(cluster: Cluster) -> None:
    def submitted(namespace: str) -> dict[str, str]:
        done = cluster.hera("submit", "iteration", "--iter", "0", "--dry-run", "--namespace", namespace)
        assert done.returncode == 0, done.stderr
        return parameters_of(yaml.safe_load(done.stdout))

    with another_namespace(cluster) as namespace, helm_python.Config(namespace=namespace) as helm:
        helm.install(str(CHART), RELEASE, {"store": STORE, "images": {"tag": "1"}})
        first = submitted(namespace)
        assert from_json(first["config"]) == resolve("small").config
        changed = {"profile": "cluster-7b", "config": {"search": {"budget": 7}}, "images": {"tag": "2"}}
        helm.upgrade(str(CHART), RELEASE, changed, reuse_values=True)
        second = submitted(namespace)
        assert from_json(second["config"]) == resolve("cluster-7b", ["search.budget=7"]).config
        assert (first["worker-image"], second["worker-image"]) == ("burnqed-worker:1", "burnqed-worker:2")
        assert second["store"] == STORE["uri"], "values that an upgrade does not give are kept"
        assert objects(namespace)
        helm.uninstall(RELEASE)
        assert objects(namespace) == []
