"""The workflows that a workflow has created, and what reaches them, too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from burnqed.run.argo.access import Access, Document
from burnqed.run.argo.nodes import is_over, phase_of
from burnqed.run.works import specification_of
from burnqed_workflows.children import PARENT_LABEL

UNSUCCESSFUL = ("Failed", "Error")
STOPPING_S = 60.0
"""How long a workflow that is being stopped may take to end the pods that wait for others."""


def creates(workflow: Document) -> bool:
    """Whether it may create others."""
    return any("resource" in template for template in specification_of(workflow).get("templates") or ())


def children_of(access: Access, workflow: Document) -> list[Document]:
    """Those that it has created so far, oldest first, as `Access.list` gives them."""
    name = workflow["metadata"]["name"]
    return access.list(f"{PARENT_LABEL}={name}")[::-1] if creates(workflow) else []


def at_work(access: Access, workflow: Document) -> list[Document]:
    """The children that have not succeeded, with their nodes."""
    names = [each["metadata"]["name"] for each in children_of(access, workflow) if phase_of(each) != "Succeeded"]
    return [access.get(name) for name in names]


def stop(access: Access, name: str, sleep: Callable[[float], None] = time.sleep) -> None:
    """Stops a workflow, and what it has created: once it is over, as until then it may create more."""
    workflow = access.get(name)
    if not (creates(workflow) and is_over(workflow)):
        access.stop(name)
    until = time.monotonic() + STOPPING_S
    while creates(workflow) and not is_over(workflow) and time.monotonic() < until:
        sleep(1.0)
        workflow = access.get(name)
    for child in children_of(access, workflow):
        if not is_over(child):
            access.stop(child["metadata"]["name"])


def failed(access: Access, workflow: Document) -> Iterator[Document]:
    """The children that failed, with their nodes, and then the workflow itself: in this order a retry reaches them."""
    yield from (child for child in at_work(access, workflow) if phase_of(child) in UNSUCCESSFUL)
    yield workflow
