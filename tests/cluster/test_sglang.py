"""The real SGLang beside our encode server, in pods: `make test-cluster-sglang`.

Its image cannot be had here, and a processor's SGLang (../shared/sglang) is 6 GB: the policy servers run in the trainer's image, and see it in a
folder of the node. No chart does that; the test adds it to the workflow that `burnqed submit` would send.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from burnqed.library.runs import Run
from burnqed.policy.sglang import COMMAND
from burnqed.run.argo.access import Document
from burnqed.run.argo.nodes import is_over, phase_of, tasks_of
from burnqed.run.argo.submit import build, resolved
from burnqed.trajectory.schema import ProofStatus
from burnqed_workflows.templates import METRICS_PORT, STATUS_PORT
from tests.cluster.test_gpus_and_ports import look_into_a_pod
from tests.fixtures.cluster import Cluster

HOME = os.environ.get("BURNQED_CLUSTER_SGLANG", "")
"""Folder on the node, in which `sglang-cpu install` has put it."""
SETTINGS = (
    "workflow.policy_server=sglang", "workflow.parallelism=1", "search.shards=1", "evaluate.shards=1", "serving.memory_limit=8Gi",
    "cluster.shared_memory=1Gi", "policy.request_timeout_s=300", "policy.frozen_s=300",
)  # fmt: skip
MINUTES = 40

pytestmark = [
    pytest.mark.skipif(not HOME, reason="needs SGLang on the node; run `make test-cluster-sglang`"),
    pytest.mark.timeout(MINUTES * 60),
]


def command() -> str:
    """Starts it with the image's own Python, of the same version as the one that it was installed for."""
    [packages] = Path(HOME).glob("venv/lib/python*/site-packages")
    variables = {
        "PYTHONPATH": packages,
        "SGLANG_USE_CPU_ENGINE": 1,
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": 1,
        "TRANSFORMERS_OFFLINE": 1,
        "OMP_NUM_THREADS": 1,
        "TORCHDYNAMO_DISABLE": 1,  # the image has no C++ compiler
    }
    words = ["env", *(f"{name}={value}" for name, value in variables.items()), "/usr/local/bin/python"]
    return " ".join([*words, "-m", "sglang.launch_server", "--max-total-tokens", "65536"])


def with_sglang(workflow: Document, image: str) -> Document:
    """The workflow with the node's SGLang in its policy servers, which have this image."""
    for parameter in workflow["spec"]["arguments"]["parameters"]:
        if parameter["name"] == "sglang-image":
            parameter["value"] = image
    volume: dict[str, Any] = {"name": "sglang", "hostPath": {"path": HOME, "type": "Directory"}}
    for template in workflow["spec"]["templates"]:
        for server in template.get("sidecars", []):
            server["env"].append({"name": COMMAND, "value": command()})
            server["volumeMounts"] = [{"name": "sglang", "mountPath": HOME, "readOnly": True}]
            template["volumes"].append(volume)
    return workflow


def test_an_iteration_over_sglang_goes_through_and_answers_nobody_outside_its_pods(
    cluster: Cluster, small: list[str]
) -> None:
    settings = cluster.access.settings()
    config = resolved(settings, None, [*small[1::2], *SETTINGS])
    given = {"iteration": 0, "redo": "", "gate": "off"}
    workflow = build("iteration", config, settings, store=cluster.store.uri, run="sglang", image=None, given=given)
    began = time.monotonic()
    name = cluster.access.create(with_sglang(workflow, settings.images["trainer-image"]))["metadata"]["name"]

    def is_reached(found: Document) -> bool:
        return is_over(found) or any(task.startswith("search") for task in cluster.tasks(name))

    cluster.wait(name, is_reached, MINUTES * 60)
    seen = look_into_a_pod(cluster, name, "search")
    found = cluster.wait(name, seconds=MINUTES * 60)
    log = cluster.hera("logs", name, "--step", "search", "--shard", "0", "--container", "policy").stdout
    assert phase_of(found) == "Succeeded", [(t.task, t.phase, t.message) for t in tasks_of(found)] + [log[-4000:]]
    print(f"an iteration over SGLang in pods: {time.monotonic() - began:.0f} s")
    outside = {"/ready": 200, "/metrics": 200, "/generate": 404, "/embed": 404, "/update_weights_from_disk": 404}
    assert seen == {"listening": [METRICS_PORT, STATUS_PORT], "outside": outside, "policy": [0, 200]}

    assert "sglang" in log
    assert "POST /generate" in log, "SGLang's own line"
    [iteration] = Run(cluster.store.uri, "sglang").iterations
    evaluated = [theorem.status for e in iteration.results.evaluations for theorem in e.per_theorem]
    assert len(evaluated) == 16
    assert ProofStatus.ERROR not in evaluated
    assert len(iteration.trajectories(["theorem"]))
