"""The Helm chart and the plain manifests: current, strict about what they are given, and valid for Kubernetes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import helm_python
import kubernetes_validate
import pytest
import yaml

from burnqed.config import RunConfig
from burnqed.resolve import from_json, resolve
from burnqed.run.manifests import VERSION_ANNOTATION, write_templates
from burnqed_workflows.registry import WORKFLOWS
from tests.fixtures.chart import CHART, PROFILES, generate, render
from tests.fixtures.shared import ROOT

STORE = {"uri": "s3://bucket/some/prefix"}
EVERYTHING: dict[str, Any] = {
    "store": {**STORE, "endpoint": "https://s3.example:9000", "accessKey": "k", "secretKey": "s", "ca": "PEM"},
    "images": {"registry": "registry.example/team/", "tag": "1.2.3", "pullSecrets": ["pull"]},
    "hub": {"token": "t"},
    "serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn"}},
    "config": {"search": {"budget": 7}, "workflow": {"parallelism": 9}},
    **{name: {"enabled": True} for name in ("modelCache", "leanCache", "cron", "priorityClasses", "quota", "networkPolicy", "podMonitor", "s3Server")},
}  # fmt: skip
OURS = ("v1", "apps/v1", "batch/v1", "networking.k8s.io/v1", "rbac.authorization.k8s.io/v1", "scheduling.k8s.io/v1")


def find(documents: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    (found,) = (d for d in documents if d["kind"] == kind and d["metadata"]["name"] == name)
    return found


def parameters(template: dict[str, Any]) -> dict[str, str]:
    return {p["name"]: p["value"] for p in template["spec"]["arguments"]["parameters"]}


def test_what_is_checked_in_is_what_the_workflows_give(tmp_path: Path) -> None:
    generate(tmp_path)
    generated = {p.relative_to(tmp_path): p.read_text() for p in tmp_path.rglob("*.yaml")}
    checked_in = {
        p.relative_to(ROOT): p.read_text()
        for p in [*(CHART / "files").rglob("*.yaml"), *(ROOT / "manifests").glob("*.yaml")]
    }
    assert generated.keys() == checked_in.keys()
    changed = [str(path) for path in generated if generated[path] != checked_in[path]]
    assert not changed, "run `make manifests`"


@pytest.mark.parametrize("version", ["1.31", pytest.param("1.34", marks=pytest.mark.long), "1.37"])
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("values", [{"store": STORE}, EVERYTHING], ids=["defaults", "everything"])
def test_objects_pass_kubernetes_own_strict_schemas(values: dict[str, Any], profile: str, version: str) -> None:
    documents = render({**values, "profile": profile})
    checked = [d for d in documents if d["apiVersion"] in OURS]
    assert {d["kind"] for d in documents if d not in checked} <= {"WorkflowTemplate", "CronWorkflow", "PodMonitor"}
    for document in checked:
        kubernetes_validate.validate(document, version, strict=True)


@pytest.mark.parametrize("profile", PROFILES)
def test_pods_of_workflows_are_what_kubernetes_takes(profile: str) -> None:
    """Argo's templates hold pieces of pods: each is checked as the pod it becomes."""
    for template in (d for d in render({"store": STORE, "profile": profile}) if d["kind"] == "WorkflowTemplate"):
        for part in (t for t in template["spec"]["templates"] if "container" in t):
            sidecars = [{k: v for k, v in s.items() if k != "mirrorVolumeMounts"} for s in part.get("sidecars", [])]
            spec = {
                "containers": [{"name": "main", **part["container"]}, *sidecars],
                "volumes": part["volumes"],
                "nodeSelector": part.get("nodeSelector", {}),
                "tolerations": part.get("tolerations", []),
                "securityContext": template["spec"]["securityContext"],
            }
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", **part["metadata"]}, "spec": spec}
            kubernetes_validate.validate(pod, "1.34", strict=True)


def test_the_chart_fills_in_store_images_and_configuration() -> None:
    documents = render({**EVERYTHING, "profile": "small"})
    for name in (name for name, definition in WORKFLOWS.items() if not definition.is_series):
        template = find(documents, "WorkflowTemplate", f"burnqed-{name}")
        given = parameters(template)
        assert template["metadata"]["annotations"][VERSION_ANNOTATION] == yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"]  # fmt: skip
        assert given["store"] == "s3://bucket/some/prefix"
        assert given["worker-image"] == "registry.example/team/burnqed-worker:1.2.3"
        config = from_json(given["config"])
        assert config.workflow.parallelism == 9
        assert config.search.budget == 7
        if name not in ("smoke", "reset"):  # which have settings of their own
            assert config.sft == resolve("small", workflow=name).config.sft
    given = find(documents, "ConfigMap", "burnqed-config")["data"]
    assert yaml.safe_load(given["config.yaml"]) == {
        **EVERYTHING["config"],
        "cluster": {"model_cache": "pvc:burnqed-models", "lean_cache": "pvc:burnqed-lean"},
    }
    assert given["trainer-image"] == "registry.example/team/burnqed-trainer:1.2.3"
    repository = yaml.safe_load(find(documents, "ConfigMap", "burnqed-artifacts")["data"]["default"])["s3"]
    assert (repository["bucket"], repository["endpoint"], repository["insecure"]) == (
        "bucket",
        "s3.example:9000",
        False,
    )
    assert repository["keyFormat"] == "some/prefix/argo-artifacts/{{workflow.name}}/{{pod.name}}"
    assert find(documents, "ServiceAccount", "burnqed")["imagePullSecrets"] == [{"name": "pull"}]


def test_without_a_word_the_chart_has_the_profile_that_needs_neither_gpus_nor_an_imported_model() -> None:
    documents = render({"store": STORE})
    assert find(documents, "ConfigMap", "burnqed-config")["data"]["profile"] == "small"
    assert from_json(parameters(find(documents, "WorkflowTemplate", "burnqed-iteration"))["config"]) == resolve("small").config  # fmt: skip


def test_no_artifact_is_declared_where_none_is_kept() -> None:
    documents = render({"store": STORE, "artifacts": {"enabled": False}})
    template = find(documents, "WorkflowTemplate", "burnqed-iteration")
    assert "artifactRepositoryRef" not in template["spec"]
    assert not [t for t in template["spec"]["templates"] if "artifacts" in t.get("outputs", {})]
    config = yaml.safe_load(find(documents, "ConfigMap", "burnqed-config")["data"]["config.yaml"])
    assert config == {"cluster": {"artifacts": None}}


def test_the_templates_use_the_shared_volume_of_models_where_there_is_one() -> None:
    for enabled, kind in ((False, "emptyDir"), (True, "persistentVolumeClaim")):
        documents = render({"store": STORE, "profile": "small", "modelCache": {"enabled": enabled}})
        templates = find(documents, "WorkflowTemplate", "burnqed-iteration")["spec"]["templates"]
        volumes = [v for t in templates for v in t.get("volumes", []) if v["name"] == "models"]
        assert volumes
        assert {frozenset(v) for v in volumes} == {frozenset({"name", kind})}
        claims = [d["metadata"]["name"] for d in documents if d["kind"] == "PersistentVolumeClaim"]
        assert claims == ["burnqed-models"] * enabled


def test_pods_that_run_lean_read_mathlib_s_from_its_volume_where_there_is_one(tmp_path: Path) -> None:
    def mounts(document: dict[str, Any]) -> dict[str, Any]:
        """By template that runs Lean: the volume, and how it is mounted."""
        return {
            t["name"]: [p for p in [*t["volumes"], *t["container"]["volumeMounts"]] if p["name"] == "lean"]
            for t in document["spec"]["templates"]
            if "container" in t and "worker" in t["container"]["image"]
        }

    def of_chart(enabled: bool) -> dict[str, Any]:
        documents = render({"store": STORE, "profile": "small", "leanCache": {"enabled": enabled}})
        claims = [d["metadata"]["name"] for d in documents if d["kind"] == "PersistentVolumeClaim"]
        assert claims == ["burnqed-lean"] * enabled
        return mounts(find(documents, "WorkflowTemplate", "burnqed-iteration"))

    volume = {"name": "lean", "persistentVolumeClaim": {"claimName": "burnqed-lean", "readOnly": True}}
    mounted = of_chart(True)
    assert mounted["search"] == [volume, {"name": "lean", "mountPath": "/opt/burnqed/pantograph", "readOnly": True}]
    write_templates(tmp_path, "small", ["cluster.lean_cache=pvc:burnqed-lean"])
    assert mounted == mounts(yaml.safe_load((tmp_path / "iteration.yaml").read_text()))
    assert not any(of_chart(False).values())


def test_nothing_secret_is_in_a_config_map_and_no_secret_is_made_without_keys() -> None:
    documents = render(EVERYTHING)
    maps = json.dumps([d for d in documents if d["kind"] == "ConfigMap"])
    assert '"k"' not in maps and '"s"' not in maps  # noqa: PT018
    tokens = ["burnqed.service-account-token", "burnqed-parent.service-account-token"]
    assert [d["metadata"]["name"] for d in render({"store": STORE}) if d["kind"] == "Secret"] == tokens


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"store": STORE, "profil": "small"}, "profil"),
        ({"store": STORE, "profile": "smal"}, "profile"),
        ({"store": {"uri": "gs://bucket"}}, "uri"),
        ({"store": {**STORE, "endpoint": "s3.example:9000"}}, "endpoint"),
        ({"store": STORE, "config": {"serach": {}}}, "serach"),
        ({"store": STORE, "modelCache": {"size": "big"}}, "size"),
        ({}, "store.uri is required"),
    ],
)
def test_wrong_values_are_refused_by_name(values: dict[str, Any], word: str) -> None:
    with pytest.raises(helm_python.HelmError, match=word):
        render(values)


def test_every_section_of_the_configuration_can_be_given() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text())
    assert set(schema["properties"]["config"]["properties"]) == set(RunConfig.model_fields) - {"profile"}


def test_the_chart_passes_helm_s_own_lint(tmp_path: Path) -> None:
    shutil.copytree(CHART, tmp_path / "burnqed")
    report = helm_python.lint(str(tmp_path / "burnqed"), values={"store": STORE})
    info = 1
    assert not [message for message in report["messages"] if message["severity"] > info]


def test_the_chart_s_versions_are_the_package_s() -> None:
    from burnqed import __version__

    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert (chart["version"], chart["appVersion"]) == (__version__, __version__)
