"""The closed vocabulary of workflows: the fields that the local runner acts on, and those that it may ignore, with the reason.

Any other field is an error there: no workflow may mean one thing on a cluster and another on this machine.
"""

from __future__ import annotations

from typing import Any

from burnqed.errors import BadInput

ACTED_ON: dict[str, list[str]] = {
    kind: fields.split()
    for kind, fields in {
        "workflow": "metadata spec",
        "spec": "entrypoint templates arguments parallelism synchronization onExit activeDeadlineSeconds",
        "template": "name inputs outputs container sidecars dag suspend resource retryStrategy activeDeadlineSeconds metadata",
        "container": "name command args env readinessProbe",
        "env": "name value",
        "dag": "tasks",
        "task": "name template depends when withParam arguments",
        "arguments": "parameters",
        "inputs": "parameters",
        "outputs": "parameters",
        "parameter": "name value valueFrom",
        "valueFrom": "path supplied",
        "readinessProbe": "httpGet periodSeconds timeoutSeconds",
        "httpGet": "path port",
        "suspend": "duration",
        "resource": "action manifest successCondition failureCondition",
        "synchronization": "mutexes",
        "mutex": "name",
    }.items()
}

IGNORED: dict[str, dict[str, str]] = {
    "workflow": {"apiVersion": "says that it is for Argo", "kind": "says that it is a workflow"},
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
        "artifactRepositoryRef": "artifacts are copies of what is in the store",
    },
    "template": {
        "volumes": "placement: this machine's own disk is used",
        "nodeSelector": "placement: there is one node here",
        "tolerations": "placement: there is one node here",
        "serviceAccountName": "protection: processes have the rights of the user",
        "executor": "protection: Argo's own container has no counterpart here",
        "podSpecPatch": "protection: Argo's own container has no counterpart here",
    },
    "outputs": {"artifacts": "copies of what is in the store"},
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


KINDS = {
    "templates": "template",
    "sidecars": "container",
    "tasks": "task",
    "parameters": "parameter",
    "mutexes": "mutex",
}
"""What the elements of these fields are; any other field is named after what it holds."""


def check(document: dict[str, Any]) -> None:
    """Raises BadInput at the first field of a workflow (as `Workflow.to_dict` gives it) outside the vocabulary."""
    _check("workflow", document, "the workflow")


def _check(kind: str, fields: dict[str, Any], where: str) -> None:
    for field, value in fields.items():
        if field in IGNORED.get(kind, {}):
            continue
        if field not in ACTED_ON[kind]:
            raise BadInput(
                f"The local runner does not know the field {field!r} of {where}; leave it out, or submit the workflow to a cluster."
            )
        part = KINDS.get(field, field)
        for element in value if isinstance(value, list) else [value]:
            if part in ACTED_ON and isinstance(element, dict):
                named = part in ("template", "task")
                _check(part, element, f"{part} {element.get('name')}" if named else f"{where}.{field}")
