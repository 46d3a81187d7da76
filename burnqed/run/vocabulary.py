"""The closed vocabulary of workflows: what the local runner acts on, and what it may ignore, with the reason.

Any other field is an error there: no workflow may mean one thing on a cluster and another on this machine.
"""

from __future__ import annotations

from typing import Any

from burnqed.errors import BadInput

ACTED_ON: dict[str, frozenset[str]] = {
    "workflow": frozenset({"metadata", "spec"}),
    "spec": frozenset(
        {"entrypoint", "templates", "arguments", "parallelism", "synchronization", "onExit", "activeDeadlineSeconds"}
    ),
    "template": frozenset(
        {
            "name",
            "inputs",
            "outputs",
            "container",
            "sidecars",
            "dag",
            "suspend",
            "retryStrategy",
            "activeDeadlineSeconds",
            "metadata",
        }
    ),
    "container": frozenset({"name", "command", "args", "env", "readinessProbe"}),
    "env": frozenset({"name", "value"}),
    "dag": frozenset({"tasks"}),
    "task": frozenset({"name", "template", "depends", "when", "withParam", "arguments"}),
    "arguments": frozenset({"parameters"}),
    "inputs": frozenset({"parameters"}),
    "outputs": frozenset({"parameters"}),
    "parameter": frozenset({"name", "value", "valueFrom"}),
    "valueFrom": frozenset({"path", "supplied"}),
    "readinessProbe": frozenset({"httpGet", "periodSeconds", "timeoutSeconds"}),
    "httpGet": frozenset({"path", "port"}),
    "suspend": frozenset({"duration"}),
    "synchronization": frozenset({"mutexes"}),
    "mutex": frozenset({"name"}),
}

IGNORED: dict[str, dict[str, str]] = {
    "workflow": {
        "apiVersion": "says that it is for Argo",
        "kind": "says that it is a workflow",
    },
    "spec": {
        "serviceAccountName": "protection: processes have the rights of the user",
        "automountServiceAccountToken": "protection: there is no token here",
        "executor": "protection: Argo's own container has no counterpart here",
        "securityContext": "protection: processes have the rights of the user",
        "podMetadata": "placement: there are no pods to label",
        "podPriorityClassName": "placement: nothing is scheduled here",
        "podSpecPatch": "placement and protection of pods; the local runner has its own grace period",
        "podGC": "processes leave nothing behind",
        "ttlStrategy": "no workflow object is kept here",
        "artifactRepositoryRef": "artifacts are copies of what lies in the store",
    },
    "template": {
        "volumes": "placement: this machine's own disk is used",
        "nodeSelector": "placement: there is one node here",
        "tolerations": "placement: there is one node here",
    },
    "outputs": {
        "artifacts": "copies of what lies in the store",
    },
    "parameter": {
        "enum": "the terminal asks for yes or no",
        "default": "the terminal asks for yes or no",
        "description": "for Argo's user interface",
    },
    "container": {
        "envFrom": "placement: the user's own environment is used",
        "mirrorVolumeMounts": "placement: the containers of a pod share its folder here",
        "ports": "placement: nothing connects to a process from outside",
        "image": "placement: processes use the installed package",
        "imagePullPolicy": "placement: processes use the installed package",
        "resources": "placement: nothing is scheduled here",
        "volumeMounts": "placement: this machine's own disk is used",
        "securityContext": "protection: processes have the rights of the user",
    },
}


def check(document: dict[str, Any]) -> None:
    """Raises BadInput at the first field of a workflow (as `Workflow.to_dict` gives it) outside the vocabulary."""
    _known("workflow", document, "the workflow")
    spec = document["spec"]
    _known("spec", spec, "spec")
    _parameters("arguments", spec, "spec")
    if "synchronization" in spec:
        _known("synchronization", spec["synchronization"], "spec.synchronization")
        for mutex in spec["synchronization"].get("mutexes", []):
            _known("mutex", mutex, "spec.synchronization.mutexes")
    for template in spec["templates"]:
        where = f"template {template.get('name')}"
        _known("template", template, where)
        for side in ("inputs", "outputs"):
            _parameters(side, template, where)
        for container in [template["container"]] if "container" in template else []:
            _container(container, f"{where}.container")
        for container in template.get("sidecars", []):
            _container(container, f"{where}.sidecars")
        if "suspend" in template:
            _known("suspend", template["suspend"], f"{where}.suspend")
        if "dag" in template:
            _known("dag", template["dag"], f"{where}.dag")
            for task in template["dag"]["tasks"]:
                _known("task", task, f"task {task.get('name')}")
                _parameters("arguments", task, f"task {task.get('name')}")


def _known(kind: str, fields: dict[str, Any], where: str) -> None:
    for field in fields:
        if field not in ACTED_ON[kind] and field not in IGNORED.get(kind, {}):
            raise BadInput(
                f"The local runner does not know the field {field!r} of {where}; leave it out, or submit the workflow to a cluster."
            )


def _parameters(kind: str, owner: dict[str, Any], where: str) -> None:
    if fields := owner.get(kind):
        _known(kind, fields, f"{where}.{kind}")
        for parameter in fields.get("parameters", []):
            _known("parameter", parameter, f"{where}.{kind}")
            if "valueFrom" in parameter:
                _known("valueFrom", parameter["valueFrom"], f"{where}.{kind}")


def _container(fields: dict[str, Any], where: str) -> None:
    _known("container", fields, where)
    for variable in fields.get("env", []):
        _known("env", variable, f"{where}.env")
    if probe := fields.get("readinessProbe"):
        _known("readinessProbe", probe, f"{where}.readinessProbe")
        _known("httpGet", probe["httpGet"], f"{where}.readinessProbe.httpGet")
