"""A workflow's cost by Argo's record: which pods there were, how long, and what they held."""

from __future__ import annotations

import base64
import gzip
import json
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from burnqed.cluster_config import CostConfig
from burnqed.errors import BadInput
from burnqed.holding import Holding, of_machine, of_pools, of_template
from burnqed.layout import Layout
from burnqed.ledger import Account, Attempt, accounts
from burnqed.machine import visible_gpus
from burnqed.resolve import resolve
from burnqed.run.argo import bill as billing
from burnqed.run.argo.bill import bill, pods_of
from burnqed.run.argo.nodes import unpacked
from burnqed.steps.table import find
from burnqed.store import Store
from tests.unit.test_workflow import built

NOW = datetime(2026, 1, 1, 0, 10, tzinfo=UTC)
GPU_POOLS = ("worker.cpu=2", "worker.memory=4Gi", "serving.cpu=500m", "serving.memory=48Gi", "serving.gpus=2",
             "trainer.cpu=8", "trainer.memory=64Gi", "trainer.gpus=1")  # fmt: skip
SEARCHING = Holding(cpus=2.5, gib=52, gpus=2)


def at(minute: int) -> str:
    return f"2026-01-01T00:{minute:02d}:00Z"


def node(name: str, kind: str, *children: str, template: str = "", **more: Any) -> dict[str, Any]:
    return {
        "id": name, "name": f"w-1.{name}", "displayName": name, "type": kind, "phase": "Succeeded", "children": list(children),
        "templateName": template, **more,
    }  # fmt: skip


@pytest.fixture
def workflow() -> dict[str, Any]:
    """A shard whose first pod was deleted, and an exit handler that runs."""
    nodes = [
        node("search(0:3)", "Retry", "search(0:3)(0)", "search(0:3)(1)", template="search", startedAt=at(1)),
        node("search(0:3)(0)", "Pod", template="search", startedAt=at(1), finishedAt=at(4), message="pod deleted"),
        node("search(0:3)(1)", "Pod", template="search", startedAt=at(4), finishedAt=at(9)),
        node("w-1.onExit", "Retry", "w-1.onExit(0)", template="release", startedAt=at(9)),
        node("w-1.onExit(0)", "Pod", template="release", startedAt=at(9), phase="Running"),
        node("sft", "Skipped", startedAt=at(1), finishedAt=at(1)),
    ]
    document = built("default", "iteration", *GPU_POOLS)
    return {**document, "metadata": {"name": "w-1"}, "status": {"nodes": {n["id"]: n for n in nodes}}}


def test_every_pod_of_every_attempt_is_billed_with_all_its_containers(workflow: dict[str, Any]) -> None:
    found = [(pod.task, pod.ended - pod.began, pod.held) for pod in pods_of(workflow, NOW)]
    exit_handler = Holding(cpus=2, gib=4, gpus=0)
    assert found == [("search(3)", 180, SEARCHING), ("search(3)", 300, SEARCHING), ("release", 60, exit_handler)]


def test_a_workflow_of_a_template_and_a_large_one_are_read_like_any_other(workflow: dict[str, Any]) -> None:
    status = workflow["status"]
    packed = base64.b64encode(gzip.compress(json.dumps(status.pop("nodes")).encode())).decode()
    stored = {
        **workflow,
        "spec": {"workflowTemplateRef": {"name": "burnqed-iteration"}},
        "status": {"compressedNodes": packed, "storedWorkflowTemplateSpec": workflow["spec"]},
    }
    assert len(pods_of(unpacked(stored), NOW)) == 3
    with pytest.raises(BadInput, match="database"):
        pods_of({**workflow, "status": {"offloadNodeStatusVersion": "fnv:1"}}, NOW)


def test_a_step_in_a_pod_says_the_same_of_itself_as_its_template() -> None:
    config = resolve("default", list(GPU_POOLS)).config
    templates = [t for t in built("default", "iteration", *GPU_POOLS)["spec"]["templates"] if "container" in t]
    assert {t["name"] for t in templates} >= {"search", "replay", "evaluate", "sft", "data"}
    for template in templates:
        _, name, *words = template["container"]["args"]
        stage = words[words.index("--stage") + 1] if "--stage" in words else ""
        assert of_pools(config, find(name, stage).pools) == of_template(template), template["name"]
    by_name = {t["name"]: of_template(t) for t in templates}
    assert by_name["search"] == by_name["replay"] == by_name["evaluate"] == SEARCHING
    assert by_name["base"] == by_name["sft"] == Holding(cpus=8, gib=64, gpus=1)
    prices = CostConfig(cpu_hour=0.04, memory_hour=0.005, gpu_hour=2.0)
    assert SEARCHING.dollars(prices, 7200) == pytest.approx(2 * (0.1 + 0.26 + 4.0))


def test_on_one_machine_the_process_holds_the_machine_and_a_shard_its_part() -> None:
    whole, part = of_machine(), of_machine(shares=4)
    assert whole.cpus > 0
    assert whole.gib > 0
    assert whole.cpus == pytest.approx(4 * part.cpus)


def test_the_gpus_of_this_machine_are_those_that_a_process_may_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("nvidia0", "nvidia1", "nvidia2", "nvidiactl", "nvidia-uvm", "null"):
        (tmp_path / name).touch()
    for chosen, seen in (("0,2", 2), ("", 0), ("-1", 0), ("0,1,2,3", 3)):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", chosen)
        assert visible_gpus(tmp_path) == seen
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert visible_gpus(tmp_path) == 3


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A run whose workflow has an estimate."""
    store = Store(str(tmp_path))
    estimate = Attempt(task="search(3)", began=datetime.fromisoformat(at(1)).timestamp() + 9, seconds=99, held=SEARCHING, dollars=7)  # fmt: skip
    store.write_text(Layout("main").account("w-1"), Account(iteration=0, attempts=[estimate]).model_dump_json())
    return store


def test_the_exit_handler_replaces_estimates(
    store: Store, workflow: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(billing, "own_workflow", lambda name: workflow)
    bill(store, Layout("main", 0), "w-1", CostConfig(gpu_hour=3600))
    (found,) = accounts(store, "main")
    assert [(a.task, a.seconds, a.dollars) for a in found.attempts][:2] == [("search(3)", 180, 360), ("search(3)", 300, 600)]  # fmt: skip
    assert all(a.billed for a in found.attempts)


def test_a_record_that_nobody_expects_ends_nothing(
    store: Store, workflow: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    del workflow["spec"]["templates"]
    monkeypatch.setattr(billing, "own_workflow", lambda name: workflow)
    bill(store, Layout("main", 0), "w-1", CostConfig())
    assert accounts(store, "main")[0].dollars == 7


def test_where_the_cluster_says_nothing_the_estimates_stay_and_that_is_said(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger("burnqed").propagate = True
    bill(store, Layout("main", 0), "w-1", CostConfig())
    assert "the cost of w-1 remains an estimate: the pod has no token for the cluster" in caplog.text
    (found,) = accounts(store, "main")
    assert found.dollars == 7
