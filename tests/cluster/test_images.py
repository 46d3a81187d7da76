"""What is in the worker's image, seen from a pod that runs it."""

from __future__ import annotations

import json

import pytest

from burnqed.run.argo.nodes import phase_of
from tests.fixtures.cluster import Cluster
from tests.fixtures.small_workflows import single

LOOK = """
import importlib.util, json, os, shutil
sizes = {}
for folder, below, files in os.walk("/"):
    below[:] = [name for name in below if not os.path.ismount(os.path.join(folder, name))]
    for name in files:
        found = os.lstat(os.path.join(folder, name))
        sizes[found.st_dev, found.st_ino] = found.st_size
print(json.dumps({
    "bytes": sum(sizes.values()), "user": os.getuid(),
    "modules": [name for name in ("burnqed", "torch", "pip", "setuptools") if importlib.util.find_spec(name)],
    "programs": [name for name in ("gcc", "make", "git", "uv") if shutil.which(name)],
}))
"""


@pytest.mark.timeout(300)
def test_the_worker_is_small_and_has_neither_torch_nor_build_tools(cluster: Cluster) -> None:
    name = cluster.create(single("look", LOOK))
    assert phase_of(cluster.wait(name)) == "Succeeded"
    seen = json.loads(cluster.hera("logs", name, "--raw").stdout.splitlines()[-1])
    print(f"worker: {seen['bytes'] / 1e9:.2f} GB")
    assert seen["bytes"] <= 1.2e9
    assert seen["user"] == 1000
    assert seen["modules"] == ["burnqed"]
    assert seen["programs"] == []
