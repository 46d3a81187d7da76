"""A real cluster: `make test-cluster` starts ../shared/cluster, unless KUBECONFIG names another one (tests/fixtures/cluster.py)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.cluster import Cluster, installed, missing, publish_ours

SMALL = (
    "data.known_proofs=60", "data.generated=60", "data.benchmark_theorems=8", "select.theorems=12", "policy.hidden_size=64", "policy.layers=2",
    "policy.vocabulary=600", "sft.steps=40", "sft.later_steps=20", "sft.warmup_steps=5", "sft.evaluate_every=20", "ebm.steps=40", "search.budget=4",
    "search.candidates=4", "search.shards=2", "search.theorems_per_part=2", "search.noise=false", "negatives.theorems=6", "evaluate.budgets=[2,4]",
    "evaluate.candidates=4", "workflow.parallelism=2",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    absent = missing()
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.cluster)
            # A test's limit is its own, without the images and iterations that fixtures make before it.
            limit = item.get_closest_marker("timeout")
            item.add_marker(pytest.mark.timeout(limit.args[0] if limit else 300, func_only=True), append=False)
            if absent:
                item.add_marker(
                    pytest.mark.skip(reason=f"needs a cluster: make test-cluster, or set {', '.join(absent)}")
                )


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    for image in ("worker", "trainer"):
        publish_ours(image)
    with installed(tmp_path_factory.mktemp("s3")) as found:
        yield found


@pytest.fixture(scope="session")
def small() -> list[str]:
    """Options of `submit` and `run`: the small profile with next to nothing to do, on two shards."""
    return [word for value in SMALL for word in ("--set", value)]


@pytest.fixture(scope="session")
def iterations(cluster: Cluster, small: list[str]) -> list[str]:
    """Names of the finished workflows of iterations 0 and 1 of the run main: the one with the kubeconfig, the other through the Argo server."""
    return [
        cluster.submit("iteration", "--iter", str(i), "--watch", *small, through=way)
        for i, way in enumerate(("kube", "server"))
    ]
