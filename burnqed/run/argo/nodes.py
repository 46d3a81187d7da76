"""A workflow's nodes as people think of them: tasks, their shards, attempts, and the pods behind them.

Argo keeps a flat map of nodes: a task with retries is a node of type Retry whose children are the attempts (type Pod); a fan-out is a
TaskGroup whose children have names such as `search(2:5)` (index and value).
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from burnqed.run.argo.access import Document

FAN_OUT = re.compile(r"^(.+)\(\d+:(.+)\)$")
RUNNING = ("Pending", "Running", "")
LONGEST_PREFIX = 253 - 10 - 1
"""Length of a pod's name before `-` and the hash."""


@dataclass(frozen=True)
class Attempt:
    pod: str
    phase: str
    message: str = ""
    template: str = ""
    started: datetime | None = None
    """When Argo created the pod."""
    finished: datetime | None = None


@dataclass
class TaskNode:
    """One task, or one element of a fan-out."""

    task: str
    """`plan`, `search(3)`; the local runner uses the same names."""
    phase: str
    started: datetime | None
    finished: datetime | None
    message: str = ""
    progress: str = ""
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def seconds(self) -> float | None:
        """How long it ran, or has run so far."""
        return ((self.finished or datetime.now(UTC)) - self.started).total_seconds() if self.started else None


def phase_of(workflow: Document) -> str:
    return str(workflow.get("status", {}).get("phase") or "Pending")


def is_over(workflow: Document) -> bool:
    return phase_of(workflow) not in RUNNING


def tasks_of(workflow: Document) -> list[TaskNode]:
    """Tasks in the order in which they started; those that have not started are missing."""
    nodes: dict[str, Document] = workflow.get("status", {}).get("nodes") or {}
    attempts = {child for node in nodes.values() if node["type"] == "Retry" for child in node.get("children") or ()}
    tasks = []
    for node in nodes.values():
        kind = node["type"]
        if kind not in ("Retry", "Suspend", "Skipped") and (kind != "Pod" or node["id"] in attempts):
            continue
        tries = [nodes[c] for c in node.get("children") or () if c in nodes] if kind == "Retry" else [node]
        pods = [child for child in tries if child["type"] == "Pod"]
        pods.sort(key=lambda pod: (pod.get("startedAt") or "~", pod["name"]))
        tried = [attempt(workflow["metadata"]["name"], pod) for pod in pods]
        # When a workflow is stopped, Argo may leave a node running although its last attempt has ended.
        ended = pods[-1] if pods and is_over(workflow) and node.get("phase") in RUNNING else node
        task = TaskNode(
            task=task_name(node["displayName"]),
            phase=ended.get("phase") or "Pending",
            started=time(node.get("startedAt")),
            finished=time(ended.get("finishedAt")),
            message=(tried[-1].message if tried else "") or node.get("message", ""),
            progress=node.get("progress", ""),
            attempts=tried,
        )
        tasks.append(task)
    return sorted(tasks, key=lambda t: (t.started or datetime.max.replace(tzinfo=UTC), t.task))


def attempt(workflow: str, pod: Document) -> Attempt:
    """The attempt that a node of type Pod stands for."""
    phase, message = pod.get("phase") or "Pending", pod.get("message", "")
    started, finished = time(pod.get("startedAt")), time(pod.get("finishedAt"))
    return Attempt(pod_name(workflow, pod), phase, message, template_name(pod), started, finished)


def suspended(workflow: Document) -> list[Document]:
    """Nodes that are waiting for an answer."""
    nodes = (workflow.get("status", {}).get("nodes") or {}).values()
    return [n for n in nodes if n["type"] == "Suspend" and n.get("phase") == "Running"]


def task_name(display: str) -> str:
    """`search(2:5)` to `search(5)`."""
    match = FAN_OUT.match(display)
    return f"{match[1]}({match[2]})" if match else display


def pod_name(workflow: str, node: Document) -> str:
    """The name that Argo gives a node's pod (POD_NAMES=v2, the default): workflow, template, and the hash at the end of the node's id."""
    if node["id"] == workflow:
        return workflow
    return f"{f'{workflow}-{template_name(node)}'[:LONGEST_PREFIX]}-{node['id'].rpartition('-')[2]}"


def template_name(node: Document) -> str:
    return str(node.get("templateName") or (node.get("templateRef") or {}).get("template", ""))


def unpacked(workflow: Document) -> Document:
    """Decompresses the nodes, which are compressed in large workflows; the Argo server does so itself, the API does not."""
    status = workflow.get("status", {})
    if packed := status.get("compressedNodes"):
        status["nodes"] = json.loads(gzip.decompress(base64.b64decode(packed)))
    return workflow


def time(text: Any) -> datetime | None:
    return datetime.fromisoformat(str(text).replace("Z", "+00:00")) if text else None
