"""What is looked at before a workflow is submitted, and what `retry` changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from burnqed import __version__
from burnqed.cluster_config import PoolConfig
from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.holding import of_pool
from burnqed.layout import Layout
from burnqed.resolve import from_json, resolve
from burnqed.run.argo.access import Settings
from burnqed.run.argo.preflight import (
    Findings,
    check_argo,
    check_backend,
    check_gpus,
    check_images,
    check_nodes,
    check_server,
    check_source,
    check_startup,
    check_store,
    check_version,
)
from burnqed.run.argo.submit import build, retried, tagged
from burnqed.store import Store
from burnqed_workflows.registry import WORKFLOWS
from tests.fixtures.s3 import S3Server

GPU_POOL = ("serving.gpus=1", "serving.cpu=4", "serving.memory=16Gi", 'serving.node_selector=["pool=gpu"]')


def settings(**changed: Any) -> Settings:
    images = {f"{name}-image": f"registry.example:5000/burnqed-{name}:1" for name in ("worker", "trainer", "sglang")}
    return Settings(**{"version": __version__, "profile": "small", "store": "s3://b/p", "images": images, **changed})


def node(**labels: str) -> SimpleNamespace:
    allocatable = {"nvidia.com/gpu": "1", "cpu": "7910m", "memory": "30Gi"}
    return SimpleNamespace(metadata=SimpleNamespace(labels=labels), status=SimpleNamespace(allocatable=allocatable))


def access(*nodes: SimpleNamespace) -> SimpleNamespace:
    return SimpleNamespace(core=SimpleNamespace(list_node=lambda: SimpleNamespace(items=list(nodes))))


@pytest.mark.parametrize(
    ("nodes", "warned"), [([], True), ([node(pool="cpu")], True), ([node(pool="gpu")], False)], ids=["none", "another", "fits"]
)  # fmt: skip
def test_a_pool_with_gpus_that_no_node_can_hold_is_warned_of(nodes: list[SimpleNamespace], warned: bool) -> None:
    found = Findings()
    check_nodes(access(*nodes), resolve("small", list(GPU_POOL)).config, found)
    assert ["pool serving" in warning and "with pool=gpu" in warning for warning in found.warnings] == [True] * warned


def test_the_worker_beside_a_policy_server_has_to_fit_on_its_node() -> None:
    found = Findings()
    check_nodes(access(node(pool="gpu")), resolve("small", [*GPU_POOL, "worker.memory=20Gi"]).config, found)
    assert "20Gi for the worker beside it" in found.warnings[0]


def test_a_number_is_a_quantity_too() -> None:
    assert resolve("small", ["worker.cpu=4"]).config.worker.cpu == "4"


def test_pools_without_gpus_ask_for_no_node() -> None:
    found = Findings()
    check_nodes(access(), resolve("small").config, found)
    assert found.warnings == []


def test_what_a_pool_asks_for_is_priced_as_numbers() -> None:
    pools = [
        PoolConfig(cpu=cpu, memory=memory) for cpu, memory in (("500m", "4Gi"), ("2", "2147483648"), ("1.5", "1.5G"))
    ]
    assert [(of_pool(p).cpus, of_pool(p).gib) for p in pools] == [(0.5, 4), (2, 2), (1.5, 1.5e9 / 2**30)]


def test_a_quantity_that_kubernetes_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="memory"):
        PoolConfig(memory="4 GB")


@pytest.mark.parametrize(("shards", "warned"), [(1, False), (200, True)])
def test_shards_that_hardly_outlast_the_start_of_their_pod_are_warned_of(shards: int, warned: bool) -> None:
    found = Findings()
    check_startup(resolve("small", [f"search.shards={shards}", "search.seconds=60"]).config, found)
    assert bool(found.warnings) == warned


@pytest.mark.parametrize(
    ("workflow", "source", "is_refused"),
    [
        ("trace", "proofs.parquet", True),
        ("trace", "proofs.lean", True),
        ("trace", "./library@" + "0" * 40, True),
        ("import-data", "/home/me/theorems.json", True),
        ("trace", "inputs/proofs.parquet", False),
        ("trace", "s3://b/proofs.jsonl", False),
        ("trace", "https://example.org/lib@" + "0" * 40, False),
        ("import-model", "owner/model", False),
    ],
)
def test_a_source_on_this_machine_is_refused(workflow: str, source: str, is_refused: bool) -> None:
    given = {"source": source, "name": "mine"}
    document = build(workflow, resolve("small").config, settings(), store="s3://b/p", run="r", image=None, given=given)
    with pytest.raises(BadInput, match=r"of this machine, which pods do not see") if is_refused else nullcontext():
        check_source(document)


def test_an_old_argo_is_refused_and_a_new_one_is_not() -> None:
    for version in ("v3.6.0", "v4.0.2", "latest"):
        check_argo(version)
    with pytest.raises(BadInput, match="too old"):
        check_argo("v3.5.14")


def test_a_cluster_whose_server_is_not_seen_is_warned_of_and_one_that_is_too_old_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Labels, names of images and their tags are the installer's own affair."""

    @contextmanager
    def server(_: object) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(version=lambda: version)

    version, found = "v3.7.1", Findings()
    monkeypatch.setattr("burnqed.run.argo.forward.argo_server", server)
    check_server(None, found)
    assert found.warnings == []
    version = "v3.4.0"
    with pytest.raises(BadInput, match=r"v3\.4\.0 is too old"):
        check_server(None, found)

    @contextmanager
    def absent(_: object) -> Iterator[SimpleNamespace]:
        raise BadInput("no pod is ready")
        yield

    monkeypatch.setattr("burnqed.run.argo.forward.argo_server", absent)
    check_server(None, found)
    assert "Argo's version was not checked (no pod is ready)" in found.warnings[0]


def test_a_chart_of_another_version_is_warned_of() -> None:
    found = Findings()
    check_version(settings(version="0.0.1"), found)
    assert "0.0.1" in found.warnings[0]


def test_an_iteration_whose_predecessor_is_missing_is_refused_where_the_store_can_be_read(s3: S3Server) -> None:
    found = Findings()
    check_store(f"s3://{s3.bucket}/preflight", Layout("main", 0), found)
    with pytest.raises(BadInput, match="Iteration 0 of the run 'main'.*--iter 0"):
        check_store(f"s3://{s3.bucket}/preflight", Layout("main", 1), found)
    assert found.warnings == []


def test_a_store_that_cannot_be_read_from_here_is_left_to_the_first_step(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    found = Findings()
    check_store(f"s3://{s3.bucket}/preflight", Layout("main", 1), found)
    assert "Neither the store nor the settings of the run were checked from here" in found.warnings[0]


def test_a_lean_backend_that_only_the_images_have_is_left_to_the_first_step(tmp_path: Path) -> None:
    found = Findings(store=Store(str(tmp_path)))
    check_backend(RunConfig(), found)
    assert found.store
    assert found.warnings == []
    check_backend(RunConfig.model_validate({"lean": {"backend": "theirs"}}), found)
    assert "'theirs' is not installed here" in found.warnings[0]
    assert found.store is None


def test_a_folder_is_no_store_for_pods() -> None:
    with pytest.raises(BadInput, match="pods do not see"):
        check_store("runs", Layout("main", 0), Findings())


def document(image: str | None = None, **changed: Any) -> dict[str, Any]:
    return build("iteration", resolve("small").config, settings(**changed), store="s3://b/p", run="main", image=image, given={"iteration": 1})  # fmt: skip


def images(workflow: dict[str, Any]) -> dict[str, str]:
    return {p["name"]: p["value"] for p in workflow["spec"]["arguments"]["parameters"] if p["name"].endswith("-image")}


def test_images_are_the_chart_s_with_the_tag_that_was_given() -> None:
    assert images(document())["worker-image"] == "registry.example:5000/burnqed-worker:1"
    assert images(document("2"))["trainer-image"] == "registry.example:5000/burnqed-trainer:2"
    assert tagged("registry.example:5000/burnqed-worker", "2") == "registry.example:5000/burnqed-worker:2"


def test_a_workflow_whose_image_has_no_name_is_refused() -> None:
    check_images(document())
    with pytest.raises(BadInput, match="No image is given for trainer-image"):
        check_images(document(images={"worker-image": "w:1", "trainer-image": "", "sglang-image": ""}))


def test_sglang_s_pod_has_the_gpus_that_the_model_is_divided_among() -> None:
    divided = ["workflow.policy_server=sglang", "policy.tensor_parallel=2", "policy.data_parallel=2"]
    with pytest.raises(BadInput, match=r"need 4 GPUs, and serving.gpus is 1; set serving.gpus=4"):
        check_gpus(resolve("small", [*divided, "serving.gpus=1"]).config)
    check_gpus(resolve("small", [*divided, "serving.gpus=4"]).config)
    check_gpus(resolve("small", [*divided, "workflow.policy_server=embedded"]).config)


def test_so_has_a_training_in_several_processes() -> None:
    with pytest.raises(BadInput, match="trainer.gpus is 2; set trainer.gpus=4"):
        check_gpus(resolve("small", ["sft.processes=4", "trainer.gpus=2"]).config)
    check_gpus(resolve("small", ["sft.processes=4", "trainer.gpus=4"]).config)


def test_a_run_s_name_has_to_be_a_label() -> None:
    with pytest.raises(BadInput, match="cannot name a run"):
        build("iteration", resolve("small").config, None, store="s3://b/p", run="a run", image=None, given={"iteration": 0})  # fmt: skip


def test_a_retry_changes_images_and_configuration_and_nothing_else() -> None:
    assert retried(document(), None, []) == {}
    assert retried(document(), "3", []).keys() == {"worker-image", "trainer-image", "sglang-image"}
    changed = retried(document(), None, ["search.budget=7"])
    assert changed.keys() == {"config"}
    before, after = resolve("small").config, from_json(changed["config"])
    assert after == before.model_copy(update={"search": before.search.model_copy(update={"budget": 7})})


FIXED = (
    "worker.memory=9Gi", "trainer.gpus=1", "serving.node_selector=[a=b]", "cluster.pull_policy=Always", "cluster.model_cache=pvc:x",
    "workflow.parallelism=7", "workflow.step_hours=1", "workflow.retries=0", "workflow.policy_server=sglang",
)  # fmt: skip
FREE = (
    "search.seconds=7",
    "data.benchmarks.core=inputs/mended.json",
    "lean.memory_mb=900",
    "workflow.sglang_memory=0.4",
    "cost.max_dollars=3",
    "worker.cpu=2",
)
PLANNED = ("search.shards=9", "ebm.enabled=false", "search.noise=false", "data.benchmarks.mine=inputs/mine.json")


def test_a_retry_refuses_by_name_what_is_part_of_the_pods() -> None:
    """The last of what is free says what is so already."""
    assert retried(document(), None, list(FREE)).keys() == {"config"}
    names = ", ".join(override.partition("=")[0] for override in FIXED)
    with pytest.raises(BadInput, match=f"A retry cannot change {names}: .*submit the workflow again"):
        retried(document(), None, [*FREE, *FIXED])


def test_a_retry_refuses_what_the_plan_has_decided_once_it_has() -> None:
    before, after = document(), document()
    after["status"] = {"nodes": {"n": {"id": "n", "name": "w.plan", "displayName": "plan", "type": "Pod", "phase": "Succeeded", "templateName": "plan"}}}  # fmt: skip
    after["metadata"]["name"] = "w"
    for override in PLANNED:
        assert retried(before, None, [override]).keys() == {"config"}
        with pytest.raises(BadInput, match=f"A retry cannot change {override.partition('=')[0]}"):
            retried(after, None, [override])


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_workflow_can_be_retried_with_another_value(name: str) -> None:
    given = {
        "iteration": 1,
        "iters": "2",
        "gate": "off",
        "redo": "",
        "ablate": "",
        "source": "a/b",
        "name": "c",
    }
    options = {option: given[option] for option in WORKFLOWS[name].options}
    config = resolve("small", workflow=name).config
    workflow = build(name, config, settings(), store="s3://b/p", run="main", image=None, given=options)
    changed = retried(workflow, None, ["lean.memory_mb=900"])
    assert {key.partition("-")[0] for key in changed} == {"config"}
    assert all('"memory_mb":900' in value for value in changed.values())
    with pytest.raises(BadInput, match=r"workflow\.step_hours"):
        retried(workflow, None, ["workflow.step_hours=1"])
