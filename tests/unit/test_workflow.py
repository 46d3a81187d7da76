"""What every built workflow must be: inside the vocabulary, complete, and one configuration throughout."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from burnqed.resolve import from_json, profiles, resolve
from burnqed.run.expressions import AS_JSON, PLACEHOLDER, names_in
from burnqed.run.vocabulary import check
from burnqed.steps.table import loop
from burnqed_workflows.registry import WORKFLOWS
from burnqed_workflows.retry import RETRY_ANNOTATION
from burnqed_workflows.smoke import SIZES

PROFILES = profiles()


GIVEN = {"iteration": 2, "iters": "0..2", "gate": "auto", "redo": "", "ablate": "", "source": "a/b", "name": "c"}


def built(profile: str = "default", name: str = "iteration", *overrides: str) -> dict[str, Any]:
    definition = WORKFLOWS[name]
    given = {option: GIVEN[option] for option in definition.options}
    if "redo" in given:
        given["redo"] = definition.tasks[0] if definition.tasks else ""
    config = resolve(profile, list(overrides), workflow=name).config
    return dict(definition.build(config, store="s3://b/p", run="r", **given).to_dict())


@pytest.mark.parametrize("name", WORKFLOWS)
@pytest.mark.parametrize("profile", PROFILES)
def test_it_stays_inside_the_vocabulary(profile: str, name: str) -> None:
    check(built(profile, name))


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_container_has_resources_retry_deadline_and_no_rights(name: str) -> None:
    for template in built("default", name)["spec"]["templates"]:
        if "container" not in template:
            continue
        assert template["activeDeadlineSeconds"] > 0
        assert 75 in json.loads(template["metadata"]["annotations"][RETRY_ANNOTATION])["exit_codes"]
        assert template["retryStrategy"]["retryPolicy"] == "Always"
        for container in [template["container"], *template.get("sidecars", [])]:
            for kind in ("limits", "requests"):
                assert container["resources"][kind].keys() >= {"cpu", "memory"}
            assert container["command"] == ["burnqed"]
            assert container["securityContext"]["runAsNonRoot"]
            assert container["securityContext"]["readOnlyRootFilesystem"]
            assert "{{workflow.parameters." in container["image"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_names_are_unique_and_every_reference_resolves(name: str) -> None:
    document = built("default", name)
    templates = document["spec"]["templates"]
    by_name = {t["name"]: t for t in templates}
    assert len(by_name) == len(templates)
    tasks = by_name["main"]["dag"]["tasks"]
    names = [t["name"] for t in tasks]
    assert len(set(names)) == len(names)
    parameters = {f"workflow.parameters.{p['name']}" for p in document["spec"]["arguments"]["parameters"]}
    outputs = {
        f"tasks.{task['name']}.outputs.parameters.{output['name']}"
        for task in tasks
        for output in by_name[task["template"]].get("outputs", {}).get("parameters", [])
    }
    for task in tasks:
        assert task["template"] in by_name
        assert names_in(task.get("depends", "")) <= set(names)
        inputs = {
            f"inputs.parameters.{p['name']}" for p in by_name[task["template"]].get("inputs", {}).get("parameters", [])
        }
        given = {f"inputs.parameters.{p['name']}" for p in task.get("arguments", {}).get("parameters", [])}
        assert given == inputs or "suspend" in by_name[task["template"]]
        for argument in task.get("arguments", {}).get("parameters", []):
            assert set(PLACEHOLDER.findall(argument["value"])) <= {*outputs, *parameters, "item"}
        written = PLACEHOLDER.findall(json.dumps(by_name[task["template"]], ensure_ascii=False))
        used = {".".join(found.groups()) if (found := AS_JSON.fullmatch(name)) else name for name in written}
        assert used <= parameters | inputs | {"retries", "workflow.name", "workflow.uid"}, used
        for field in ("when", "withParam"):
            assert set(PLACEHOLDER.findall(task.get(field, ""))) <= outputs | parameters


OWN_SETTINGS = ("smoke", "experiment", "lean-start", "reset")
"""Workflows that are another with settings of their own."""


@pytest.mark.parametrize("name", [name for name in WORKFLOWS if name not in OWN_SETTINGS])
def test_the_configuration_travels_once_as_one_parameter(name: str) -> None:
    document = built("smoke", name)
    (config,) = (p["value"] for p in document["spec"]["arguments"]["parameters"] if p["name"] == "config")
    assert from_json(config) == resolve("smoke", workflow=name).config
    assert json.dumps(document).count("trajectory_upsample") == 1


def test_every_step_has_a_container_that_runs_it_at_its_stage() -> None:
    commands = set()
    for template in (t for name in ("iteration", "lean-start") for t in built("default", name)["spec"]["templates"]):
        if "container" in template:
            words = template["container"]["args"]
            stage = words[words.index("--stage") + 1] if "--stage" in words else ""
            commands.add((words[1], stage))
    assert commands == {("plan", ""), ("gate", ""), ("release", ""), *((step.name, step.stage) for step in loop())}


def test_when_conditions_are_a_word_on_each_side() -> None:
    for task in next(t for t in built("default")["spec"]["templates"] if t["name"] == "main")["dag"]["tasks"]:
        if "when" in task:
            assert re.fullmatch(r"\{\{\S+\}\} == \w+", task["when"])


def test_a_part_of_the_loop_waits_for_the_nearest_tasks_that_it_has() -> None:
    (main,) = (t for t in built("default", "search")["spec"]["templates"] if t["name"] == "main")
    depends = {task["name"]: task.get("depends") for task in main["dag"]["tasks"]}
    assert depends == {"plan": None, "select": "plan", "search": "(select.Succeeded || select.Skipped)"}


def test_a_smoke_test_keeps_the_profile_but_for_its_sizes() -> None:
    (given,) = (p["value"] for p in built("small", "smoke")["spec"]["arguments"]["parameters"] if p["name"] == "config")
    small, smoke = resolve("small").config.model_dump(), from_json(given).model_dump()
    for section, values in small.items():
        if isinstance(values, dict):
            assert smoke[section] == {**values, **SIZES.get(section, {})}


def test_a_pod_with_gpus_tolerates_their_taint_and_goes_where_its_pool_says() -> None:
    overrides = (
        "serving.gpus=1",
        "serving.node_selector=['cloud.google.com/gke-accelerator=nvidia-l4']",
        "serving.tolerations=['spot=true:NoSchedule']",
        "cluster.model_cache=pvc:models",
        "cluster.queue=team-a",
    )
    document = built("default", "iteration", *overrides)
    by_name = {t["name"]: t for t in document["spec"]["templates"]}
    search, select = by_name["search"], by_name["select"]
    (sidecar,) = search["sidecars"]
    assert sidecar["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert "nvidia.com/gpu" not in search["container"]["resources"]["limits"]
    assert search["nodeSelector"] == {"cloud.google.com/gke-accelerator": "nvidia-l4"}
    assert search["tolerations"] == [
        {"key": "spot", "operator": "Equal", "value": "true", "effect": "NoSchedule"},
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
    ]
    assert not select.keys() & {"nodeSelector", "tolerations", "sidecars"}
    assert {"name": "models", "persistentVolumeClaim": {"claimName": "models"}} in search["volumes"]
    assert document["spec"]["podMetadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "team-a"


def test_only_the_import_of_a_model_sees_the_hub_s_token() -> None:
    for name in WORKFLOWS:
        assert ("burnqed-hub" in json.dumps(built("default", name)["spec"]["templates"])) == (name == "import-model")
