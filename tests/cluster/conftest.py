"""A namespace of the test cluster with the chart, images built from this checkout, and an S3 server outside.

    make test-cluster        # starts ../shared/cluster unless KUBECONFIG names another cluster

For another cluster (kind, k3d, a managed one): KUBECONFIG, TEST_CLUSTER_REGISTRY (where `make images` pushed to), TEST_CLUSTER_HOST
(an address of this machine that pods reach), and TEST_CLUSTER_ARGO (its Argo server).
"""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import helm_python
import pytest

from burnqed.run.argo.kube import KubeApi
from tests.conftest import ROOT, shared_folder
from tests.fixtures.chart import CHART
from tests.fixtures.s3 import S3Server, serve_s3

NEEDED = ("KUBECONFIG", "TEST_CLUSTER_REGISTRY", "TEST_CLUSTER_HOST", "TEST_CLUSTER_ARGO")
TAG = "test"
SMALL: dict[str, Any] = {
    "worker": {"cpu": "250m", "cpu_limit": "2", "memory": "512Mi", "memory_limit": "4Gi", "scratch": "2Gi"},
    "trainer": {"cpu": "250m", "cpu_limit": "2", "memory": "1Gi", "memory_limit": "6Gi", "scratch": "2Gi"},
    "serving": {"cpu": "250m", "cpu_limit": "2", "memory": "512Mi", "memory_limit": "4Gi"},
    "cluster": {"model_cache_size": "2Gi", "shared_memory": "256Mi"},
    "workflow": {"retry_seconds": 2},
}
"""What fits two cores."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [name for name in NEEDED if not os.environ.get(name)]
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.cluster)
            if missing:
                item.add_marker(
                    pytest.mark.skip(reason=f"needs a cluster: make test-cluster, or set {', '.join(missing)}")
                )


@dataclass(frozen=True)
class Cluster:
    """What tests are given."""

    namespace: str
    argo: str
    images: str
    s3: S3Server
    access: KubeApi

    @property
    def store(self) -> str:
        return f"s3://{self.s3.bucket}/store"

    def burnqed(self, *words: str, through: str = "kube", **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a command with the kubeconfig, or through the Argo server."""
        server = {"ARGO_SERVER": self.argo} if through == "server" else {}
        given = {**os.environ, **server, **environment}
        command = [sys.executable, "-m", "burnqed.cli.main", *words, "--namespace", self.namespace]
        return subprocess.run(command, env=given, capture_output=True, text=True)


@pytest.fixture(scope="session")
def images() -> str:
    """The registry, with both images of this checkout in it."""
    registry = os.environ["TEST_CLUSTER_REGISTRY"]
    tool = shared_folder()
    if tool and (tool / "cluster" / "cluster").is_file():
        for name in ("worker", "trainer"):
            command = [
                tool / "cluster" / "cluster",
                "image",
                f"burnqed-{name}:{TAG}",
                "-f",
                f"images/{name}/Dockerfile",
                ".",
            ]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return registry


@pytest.fixture(scope="session")
def cluster(images: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The chart in a namespace of its own, with the small profile cut down to two cores."""
    namespace = f"burnqed-{uuid.uuid4().hex[:6]}"
    host = os.environ["TEST_CLUSTER_HOST"]
    with (
        serve_s3(tmp_path_factory.mktemp("s3"), host) as s3,
        helm_python.Config(namespace=namespace) as helm,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in s3.environment().items():
            patch.setenv(name, value)
        values = {
            "profile": "small",
            "config": SMALL,
            "images": {"registry": images, "tag": TAG},
            "store": {
                "uri": f"s3://{s3.bucket}/store",
                "endpoint": s3.endpoint,
                "accessKey": s3.key,
                "secretKey": s3.secret,
            },
        }
        helm.install(str(CHART), "burnqed", values, create_namespace=True)
        access = KubeApi(namespace)
        try:
            yield Cluster(namespace, os.environ["TEST_CLUSTER_ARGO"], images, s3, access)
        finally:
            helm.uninstall("burnqed")
            access.core.delete_namespace(namespace)
