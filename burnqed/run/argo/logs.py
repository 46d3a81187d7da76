"""Logs of a workflow: from its pods while they exist, else from the store, where every step keeps a copy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.run.argo.access import Access, Document
from burnqed.run.argo.children import children_of, creates
from burnqed.run.argo.nodes import RUNNING, is_over, tasks_of
from burnqed.run.argo.watch import polled
from burnqed.run.works import parameters_of
from burnqed.store import Store

EXECUTOR = " argo=true"
"""Marks the lines that Argo's own program writes into the log of the container that it starts."""


class NoSuchStep(BadInput):
    """A workflow has not run the wanted step."""


@dataclass(frozen=True)
class Wanted:
    """Which logs to show."""

    step: str = ""
    shard: int | None = None
    container: str = "main"

    def covers(self, task: str) -> bool:
        name, _, rest = task.partition("(")
        return (not self.step or self.step == name) and (self.shard is None or rest == f"{self.shard})")


def logs_of_all(access: Access, name: str, wanted: Wanted, *, follow: bool) -> Iterator[tuple[str, str]]:
    """`log_lines` of a workflow. Of one that creates others: of these, one after the other, each line with its workflow's name, and then of its own steps.

    Raises BadInput if no such task has started.
    """
    if not creates(access.get(name)):
        yield from log_lines(access, name, wanted, follow=follow)
        return
    seen: set[str] = set()
    found = False
    for workflow in polled(access, name) if follow else iter([access.get(name)]):
        for child in (each["metadata"]["name"] for each in children_of(access, workflow)):
            if child not in seen:
                seen.add(child)
                for task, line in lines_if_any(access, child, wanted, follow=follow):
                    found = True
                    yield f"{child} {task}", line
    own = {task.task for task in tasks_of(access.get(name))} - {child.removeprefix(f"{name}-") for child in seen}
    for task, line in lines_if_any(access, name, wanted, follow=False):
        if task in own:
            found = True
            yield task, line
    if not found:
        raise BadInput(
            f"Neither {name} nor what it has created has run such a step or shard yet; see `burnqed status {name}`."
        )


def lines_if_any(access: Access, name: str, wanted: Wanted, *, follow: bool) -> Iterator[tuple[str, str]]:
    """`log_lines`; none of a workflow that has run no such task."""
    with suppress(NoSuchStep):
        yield from log_lines(access, name, wanted, follow=follow)


def log_lines(access: Access, name: str, wanted: Wanted, *, follow: bool) -> Iterator[tuple[str, str]]:
    """Yields (task, line) of the wanted logs, task by task. With `follow` it waits for tasks that have not started, and ends with the workflow.

    Raises BadInput if no such task has started.
    """
    printed: set[str] = set()
    for workflow in polled(access, name) if follow else iter([access.get(name)]):
        store: Store | None = None
        for task in tasks_of(workflow):
            for number, attempt in enumerate(task.attempts):
                if attempt.pod in printed or not wanted.covers(task.task) or (follow and attempt.phase == "Pending"):
                    continue
                any_line = False
                for line in access.logs(name, attempt.pod, wanted.container, follow=follow):
                    any_line = True
                    if EXECUTOR not in line:
                        yield task.task, line
                if not any_line and attempt.phase not in RUNNING and "store" in parameters_of(workflow):
                    store = store or store_of(workflow)
                    path = layout_of(workflow).log(name, task.task, number, wanted.container)
                    yield from ((task.task, line) for line in kept(store, path))
                printed.add(attempt.pod)
        if follow and is_over(workflow):
            break
    if not printed:
        known = ", ".join(dict.fromkeys(t.task.partition("(")[0] for t in tasks_of(access.get(name)) if t.attempts))
        raise NoSuchStep(f"{name} has run no such step or shard; its steps so far: {known or 'none'}.")


def kept(store: Store, path: str) -> Iterator[str]:
    """Lines of the store's copy of a log, if there is one."""
    if store.exists(path):
        yield from store.read_text(path).splitlines()


def store_of(workflow: Document) -> Store:
    return Store(parameters_of(workflow)["store"])


def layout_of(workflow: Document) -> Layout:
    parameters = parameters_of(workflow)
    return Layout(parameters["run"], int(parameters.get("iteration", -1)))


def readable(line: str) -> str:
    """A pod's JSON log line as text for people; anything else unchanged."""
    try:
        entry = json.loads(line)
    except ValueError:
        return line
    if not isinstance(entry, dict) or "message" not in entry:
        return line
    text = f"{str(entry.get('time', ''))[11:19]} {str(entry.get('level', ''))[:1].upper()} {entry['message']}"
    return f"{text}\n{entry['traceback']}" if entry.get("traceback") else text
