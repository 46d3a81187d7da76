"""A fan-out of a thousand empty shards on a real cluster: does the workflow object stay small, and what does a shard cost?

    eval "$(../shared/cluster/cluster env)"
    .venv/bin/python -m benchmarks.argo_shards [--shards 1000] [--baseline 100] [--parallelism 8]

Has the same requirements as the tests on a cluster (tests/fixtures/cluster.py). Prints wall time, time per shard (compared with that of the
smaller fan-out in the same run), the size of the workflow as the API stores it (etcd accepts 1.5 MB) and with its nodes unpacked, and the
largest memory of Argo's controller (the kubelet's figure, read every 10 s).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from hera.workflows.models import PodGC

from burnqed.run.argo.kube import GROUP
from burnqed.run.argo.kube import unpacked as unpacked_nodes
from burnqed.run.argo.nodes import is_over, phase_of
from tests.fixtures.cluster import Cluster, installed, missing, publish_ours
from tests.fixtures.small_workflows import fan_out

EVERY_S = 10.0
CONTROLLER = "app=workflow-controller"


@dataclass(frozen=True)
class Figures:
    shards: int
    phase: str
    seconds: float
    stored_bytes: int
    """The largest size of the object, as the API returns it."""
    unpacked_bytes: int
    controller_bytes: int

    @property
    def per_shard(self) -> float:
        return self.seconds / self.shards

    def __str__(self) -> str:
        return (
            f"{self.shards} shards: {self.phase} in {self.seconds:.0f} s, {self.per_shard:.2f} s per shard; workflow at most {self.stored_bytes / 1e3:.0f} kB stored, "
            f"{self.unpacked_bytes / 1e3:.0f} kB unpacked; controller at most {self.controller_bytes / 1e6:.0f} MB"
        )


def controller_memory(cluster: Cluster) -> int:
    """Working set of Argo's controller in bytes, as its node's kubelet measures it."""
    core = cluster.access.core
    (pod,) = core.list_pod_for_all_namespaces(label_selector=CONTROLLER).items
    reply = core.connect_get_node_proxy_with_path(pod.spec.node_name, "stats/summary", _preload_content=False)
    pods = json.loads(reply.data)["pods"]
    (usage,) = (p["memory"] for p in pods if p["podRef"]["name"] == pod.metadata.name)
    return int(usage["workingSetBytes"])


def measure(cluster: Cluster, shards: int, parallelism: int) -> Figures:
    began = time.monotonic()
    name = cluster.create(fan_out(shards, parallelism=parallelism, pod_gc=PodGC(strategy="OnPodSuccess")))
    stored = unpacked = memory = 0
    while True:
        time.sleep(EVERY_S)
        raw = cluster.access.custom.get_namespaced_custom_object(*GROUP, cluster.namespace, "workflows", name)
        stored = max(stored, len(json.dumps(raw)))
        workflow = unpacked_nodes(raw)
        unpacked = max(unpacked, len(json.dumps(workflow)))
        memory = max(memory, controller_memory(cluster))
        if is_over(workflow):
            return Figures(shards, phase_of(workflow), time.monotonic() - began, stored, unpacked, memory)
        print(f"{workflow['status'].get('progress', '')} after {time.monotonic() - began:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, default=1000)
    parser.add_argument("--baseline", type=int, default=100)
    parser.add_argument("--parallelism", type=int, default=8)
    options = parser.parse_args()
    if absent := missing():
        parser.error(f"no cluster: set {', '.join(absent)}; see --help")
    publish_ours("worker")
    with tempfile.TemporaryDirectory() as folder, installed(Path(folder)) as cluster:
        small = measure(cluster, options.baseline, options.parallelism)
        large = measure(cluster, options.shards, options.parallelism)
    print(small)
    print(large)
    print(
        f"a shard of the large one costs {large.per_shard / small.per_shard:.2f} times one of the small one in time, "
        f"{(large.stored_bytes / large.shards) / (small.stored_bytes / small.shards):.2f} times in the object"
    )


if __name__ == "__main__":
    main()
