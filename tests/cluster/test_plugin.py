"""Another package's Lean backend and head, in images that are made of ours and its wheel."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import burnqed
from tests.fixtures.cluster import Cluster, publish
from tests.fixtures.shared import ROOT
from tests.fixtures.wheel import UV

TAG = "plugin"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    package = ROOT / "tests/fixtures/plugin"
    subprocess.run([UV, "build", "--quiet", "--wheel", "--out-dir", folder, package], check=True)
    return folder


@pytest.mark.long
@pytest.mark.timeout(900)
def test_an_iteration_searches_with_their_lean_and_trains_and_serves_their_head(
    cluster: Cluster, wheels: Path, small: list[str]
) -> None:
    for image in ("worker", "trainer"):
        ours = f"{cluster.images}/burnqed-{image}:test"
        publish(f"burnqed-{image}:{TAG}", "-f", ROOT / "images/plugins.Dockerfile", "--build-arg", f"IMAGE={ours}", context=wheels)  # fmt: skip
    theirs = ("--image", TAG, "--set", "lean.backend=noted", "--set", "ebm.head=bilinear")
    cluster.submit("iteration", "--iter", "0", "--run", "theirs", "--watch", *small, *theirs)
    (iteration,) = burnqed.Run(cluster.store.uri, "theirs").iterations
    plain, guided = iteration.results.evaluations
    assert plain.lean_version.startswith("noted ")
    (description,) = (
        path for path in cluster.store.list("theirs/iterations/iter_0/ebm/final") if path.endswith("head.json")
    )
    assert cluster.store.read_json(description)["kind"] == "bilinear"
    assert cluster.store.read_json(description)["head_id"] == guided.head
