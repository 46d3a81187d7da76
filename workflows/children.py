"""Workflows that create others. A child is a whole workflow: it is watched, retried and stopped like any other.

A child's template holds its manifest as JSON, in which braces are written as `\\u007b`: Argo would fill the child's own placeholders with its parent's values.
What comes from the parent is a placeholder. The owner is written here, because Argo decodes a manifest that it adds one to.
"""

from __future__ import annotations

import json
from typing import Any

import hera.workflows as hera
from hera.workflows import Workflow
from hera.workflows import models as argo

from burnqed.config import RunConfig
from burnqed.steps.table import present_name

from .retry import RetryPolicy
from .templates import COMPONENT_LABEL, ITERATION_LABEL, LOCKED, RUN_LABEL, parameter

PARENT_LABEL = "burnqed.dev/parent"
INPUTS = ("name", "run", "iteration", "config", "redo")
"""What a task gives to its child; the end of its name, and parameters that differ from the parent's."""
CONFIG_OF = "config-"
"""Begins the names of parameters with the configurations of children that have one of their own."""
PATCH = {
    "initContainers": [{"name": "init", "volumeMounts": [{"name": "tmp-dir-argo", "mountPath": "/tmp"}]}],
    "containers": [{"name": "main", "securityContext": LOCKED}],
}
"""Argo's program also writes the manifest into the first container's /tmp, where the root is read-only."""
SHARED = ("benchmark", "data", "base")
"""Steps whose outputs all iterations of a run share."""
SUCCESS, FAILURE = "status.phase == Succeeded", "status.phase in (Failed, Error)"


def child(workflow: Workflow, config: RunConfig) -> hera.Resource:
    """A template that creates the workflow and waits for its end, as `PARENT-NAME`. An attempt that finds it there waits for it."""
    retry = RetryPolicy(config.workflow.retries, config.workflow.retry_seconds)
    account = config.cluster.parent_account
    return hera.Resource(
        name="child",
        inputs=[hera.Parameter(name=name) for name in INPUTS],
        action="apply",
        manifest=manifest(workflow.to_dict()),
        success_condition=SUCCESS,
        failure_condition=FAILURE,
        service_account_name=account,
        executor=argo.ExecutorConfig(service_account_name=account),
        pod_spec_patch=json.dumps(PATCH),
        retry_strategy=retry.strategy(),
        annotations=retry.annotation(),
        labels={COMPONENT_LABEL: "child"},
    )


def in_turn(template: hera.Resource, numbers: range, redo: str) -> None:
    """Adds a task to the DAG for each iteration, which begins when the one before has succeeded."""
    for number in numbers:
        is_first = number == numbers[0]
        template(
            name=f"iter-{number}",
            depends=None if is_first else f"iter-{number - 1}.Succeeded",
            arguments={
                "name": f"iter-{number}",
                "run": parameter("run"),
                "iteration": str(number),
                "config": parameter("config"),
                "redo": redo if is_first else of_iterations(redo),
            },
        )


def of_iterations(redo: str) -> str:
    """What a later iteration of the same run, or a branch, does again: not what it shares with the first."""
    return ",".join(name for name in redo.split(",") if present_name(name.strip()) not in SHARED)


def manifest(document: dict[str, Any]) -> str:
    """The workflow as JSON with its parent's placeholders; those of the document itself are escaped."""
    spec = {key: value for key, value in document["spec"].items() if key != "arguments"}
    owner = {"apiVersion": document["apiVersion"], "kind": document["kind"], "name": "{{workflow.name}}"}
    metadata = {
        "name": "{{workflow.name}}-{{inputs.parameters.name}}",
        "labels": {
            **document["metadata"]["labels"],
            PARENT_LABEL: "{{workflow.name}}",
            RUN_LABEL: "{{inputs.parameters.run}}",
            ITERATION_LABEL: "{{inputs.parameters.iteration}}",
        },
        "ownerReferences": [{**owner, "uid": "{{workflow.uid}}", "controller": True}],
    }
    parameters = [
        f'{{"name": "{p["name"]}", "value": {given(p["name"])} }}' for p in document["spec"]["arguments"]["parameters"]
    ]
    escaped = json.dumps(spec).replace("{{", "\\u007b\\u007b")
    kind = f'"apiVersion": "{document["apiVersion"]}", "kind": "{document["kind"]}"'
    arguments = f'"arguments": {{"parameters": [{", ".join(parameters)}]}}'
    return f'{{{kind}, "metadata": {json.dumps(metadata)}, "spec": {escaped[:-1]}, {arguments}}} }}'


def given(name: str) -> str:
    """The placeholder for a parameter of the child, as JSON."""
    return f"{{{{=toJson({'inputs' if name in INPUTS else 'workflow'}.parameters['{name}'])}}}}"
