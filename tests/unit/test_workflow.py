"""What every built workflow must be: inside the vocabulary, complete, and one configuration throughout."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from burnqed.resolve import from_json, profiles, resolve
from burnqed.run.expressions import PLACEHOLDER, names_in
from burnqed.run.vocabulary import check
from burnqed.steps.registry import STEPS
from burnqed_workflows import iteration
from burnqed_workflows.loop import PARTS
from burnqed_workflows.templates import RETRY_ANNOTATION

PROFILES = ["default", *profiles()]


def built(profile: str) -> dict[str, Any]:
    workflow = iteration.build(resolve(profile).config, store="s3://b/p", run="r", iteration=2)
    return dict(workflow.to_dict())


@pytest.mark.parametrize("profile", PROFILES)
def test_it_stays_inside_the_vocabulary(profile: str) -> None:
    check(built(profile))


def test_every_container_has_resources_retry_deadline_and_no_rights() -> None:
    for template in built("default")["spec"]["templates"]:
        if "container" not in template:
            continue
        assert template["activeDeadlineSeconds"] > 0
        assert 75 in json.loads(template["metadata"]["annotations"][RETRY_ANNOTATION])["exit_codes"]
        assert template["retryStrategy"]["retryPolicy"] == "Always"
        for container in [template["container"], *template.get("sidecars", [])]:
            assert container["resources"]["limits"]["memory"]
            assert container["resources"]["requests"]["cpu"]
            assert container["command"] == ["burnqed"]
            assert container["securityContext"]["runAsNonRoot"]
            assert container["securityContext"]["readOnlyRootFilesystem"]


def test_names_are_unique_and_every_reference_resolves() -> None:
    document = built("default")
    templates = document["spec"]["templates"]
    by_name = {t["name"]: t for t in templates}
    assert len(by_name) == len(templates)
    tasks = by_name["main"]["dag"]["tasks"]
    names = [t["name"] for t in tasks]
    assert len(set(names)) == len(names)
    parameters = {f"workflow.parameters.{p['name']}" for p in document["spec"]["arguments"]["parameters"]}
    outputs = {
        f"tasks.{name}.outputs.parameters.{output['name']}"
        for name in ("plan", "decide")
        for output in by_name[name]["outputs"]["parameters"]
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
            assert set(PLACEHOLDER.findall(argument["value"])) <= {*outputs, "item"}
        used = set(PLACEHOLDER.findall(json.dumps(by_name[task["template"]], ensure_ascii=False)))
        assert used <= parameters | inputs | {"retries"}, used
        for field in ("when", "withParam"):
            assert set(PLACEHOLDER.findall(task.get(field, ""))) <= outputs | parameters


def test_the_configuration_travels_once_as_one_parameter() -> None:
    document = built("smoke")
    (config,) = (p["value"] for p in document["spec"]["arguments"]["parameters"] if p["name"] == "config")
    assert from_json(config) == resolve("smoke").config
    assert json.dumps(document).count("known_proofs") == 1


def test_plan_says_something_about_every_condition_and_every_fan_out() -> None:
    named = [f"{s.name}-shards" if s.sharded else s.task(stage) for s, stage in STEPS]
    assert named == [part.output for part in PARTS]


def test_every_step_has_a_container_that_runs_it_at_its_stage() -> None:
    commands = set()
    for template in built("default")["spec"]["templates"]:
        if "container" in template:
            words = template["container"]["args"]
            stage = words[words.index("--stage") + 1] if "--stage" in words else ""
            commands.add((words[1], stage))
    assert commands == {("plan", ""), ("gate", ""), *((s.name, stage) for s, stage in STEPS)}


def test_when_conditions_are_a_word_on_each_side() -> None:
    for task in next(t for t in built("default")["spec"]["templates"] if t["name"] == "main")["dag"]["tasks"]:
        if "when" in task:
            assert re.fullmatch(r"\{\{\S+\}\} == \w+", task["when"])
