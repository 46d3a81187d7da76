"""The workflows that a workflow has created, and what reaches them, too."""

from __future__ import annotations

from collections.abc import Iterator

from burnqed.run.argo.access import Access, Document
from burnqed.run.argo.nodes import is_over, phase_of, specification_of
from burnqed_workflows.children import PARENT_LABEL

UNSUCCESSFUL = ("Failed", "Error")


def creates(workflow: Document) -> bool:
    """Whether it may create others."""
    return any("resource" in template for template in specification_of(workflow).get("templates") or ())


def children_of(access: Access, workflow: Document) -> list[Document]:
    """Those that it has created so far, oldest first, as `Access.list` gives them."""
    if not creates(workflow):
        return []
    name = workflow["metadata"]["name"]
    created = [each for each in access.list() if (each["metadata"].get("labels") or {}).get(PARENT_LABEL) == name]
    return created[::-1]


def at_work(access: Access, workflow: Document) -> list[Document]:
    """The children that have not succeeded, with their nodes."""
    names = [each["metadata"]["name"] for each in children_of(access, workflow) if phase_of(each) != "Succeeded"]
    return [access.get(name) for name in names]


def stop(access: Access, name: str) -> None:
    """Stops a workflow, so that it creates no more, and then what it has created."""
    access.stop(name)
    for child in children_of(access, access.get(name)):
        if not is_over(child):
            access.stop(child["metadata"]["name"])


def failed(access: Access, workflow: Document) -> Iterator[Document]:
    """The children that failed, with their nodes, and then the workflow itself: in this order a retry reaches them."""
    yield from (child for child in at_work(access, workflow) if phase_of(child) in UNSUCCESSFUL)
    yield workflow
