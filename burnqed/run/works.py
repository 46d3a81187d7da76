"""The workflows that work on something: a workflow itself, or those that it will create, as `burnqed submit` or `burnqed run` would have built them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from burnqed.branch import layout_of
from burnqed.config import RunConfig
from burnqed.layout import Layout
from burnqed.resolve import from_json
from burnqed.run.expressions import substitute

Document = dict[str, Any]
NAMELESS = {"workflow.name": "NAME", "workflow.uid": "NAME"}
"""A workflow's name is known once it is created."""


def works_of(document: Document, changed: Mapping[str, str] | None = None) -> list[Document]:
    """In their order; with `changed` values of workflow parameters."""
    spec = specification_of(document)
    values = parameters_of(document) | dict(changed or {})
    templates = {template["name"]: template for template in spec["templates"]}
    tasks = [task for template in templates.values() for task in template.get("dag", {}).get("tasks", ())]
    creating = [task for task in tasks if "resource" in templates[task["template"]]]
    if not creating:
        parameters = [{"name": name, "value": value} for name, value in values.items()]
        return [{**document, "spec": {**spec, "arguments": {"parameters": parameters}}}]
    names = NAMELESS | {f"workflow.parameters.{name}": value for name, value in values.items()}
    works = []
    for task in creating:
        inputs = {
            f"inputs.parameters.{p['name']}": substitute(p["value"], names) for p in task["arguments"]["parameters"]
        }
        works.append(json.loads(substitute(templates[task["template"]]["resource"]["manifest"], names | inputs)))
    return works


def specification_of(workflow: Document) -> Document:
    """The specification: the stored one if the workflow refers to a template."""
    return dict(workflow.get("status", {}).get("storedWorkflowTemplateSpec") or workflow.get("spec", {}))


def parameters_of(workflow: Document) -> dict[str, str]:
    """Values of the workflow's parameters."""
    specified = (specification_of(workflow).get("arguments") or {}).get("parameters") or []
    own = (workflow.get("spec", {}).get("arguments") or {}).get("parameters") or []
    return {p["name"]: str(p.get("value", p.get("default", ""))) for p in [*specified, *own]}


def place_of(document: Document) -> tuple[Layout, RunConfig]:
    """Where it works, and with which settings."""
    values = parameters_of(document)
    config = from_json(values["config"])
    return layout_of(values["run"], int(values.get("iteration", -1)), config), config


def tasks_in(document: Document) -> list[str]:
    """The names of its templates, among which are the tasks of the loop that it has."""
    return [template["name"] for template in document["spec"]["templates"]]
