"""A workflow on the terminal: its steps, live until it is over, and their outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from burnqed.display import cell, tell
from burnqed.errors import BadInput, TryAgain
from burnqed.progress import duration
from burnqed.run.argo.access import Access, Document
from burnqed.run.argo.children import at_work
from burnqed.run.argo.nodes import TaskNode, is_over, phase_of, suspended, tasks_of
from burnqed.run.session import GATES

POLL_S = 2.0
PATIENCE_S = 120.0
"""How long the cluster may be out of reach."""
STYLES = {"Succeeded": "green", "Skipped": "dim", "Omitted": "dim", "Failed": "red", "Error": "red", "Running": "bold"}


def polled(access: Access, name: str, sleep: Callable[[float], None] = time.sleep) -> Iterator[Document]:
    """Yields the workflow every two seconds until it is over. Waits out short failures to reach the cluster."""
    seen = time.monotonic()
    while True:
        try:
            workflow = access.get(name)
        except TryAgain:
            if time.monotonic() - seen > PATIENCE_S:
                raise
            sleep(POLL_S)
            continue
        seen = time.monotonic()
        yield workflow
        if is_over(workflow):
            return
        sleep(POLL_S)


def watch(access: Access, name: str, console: Console) -> Document:
    """Shows the workflow until it is over, and returns it; without a terminal, prints a line per change."""
    last: Document = {}
    if console.is_terminal:
        with Live(console=console, refresh_per_second=2, transient=True) as live:
            for last in polled(access, name):
                live.update(picture([last, *present(access, last)]))
        console.print(picture([last, *present(access, last)]))
        return last
    shown: dict[str, str] = {}
    for last in polled(access, name):
        for workflow in (last, *present(access, last)):
            of = "" if workflow is last else f"{workflow['metadata']['name']} "
            for task in shown_tasks(workflow):
                line = " ".join(filter(None, (task.phase, task.progress, first_line(task.message))))
                if shown.get(of + task.task) != line:
                    shown[of + task.task] = line
                    tell(console, f"{of}{task.task:<16} ", line)
            for question in questions(workflow):
                if question.plain not in shown:
                    shown[question.plain] = ""
                    console.print(question)
    console.print(table(last))
    return last


def present(access: Access, workflow: Document) -> list[Document]:
    """`at_work`; nothing while the cluster does not answer, or where a child was deleted meanwhile: the next look shows the others."""
    try:
        return at_work(access, workflow)
    except (BadInput, TryAgain):
        return []


def picture(workflows: Sequence[Document]) -> Group:
    """Their steps, and the questions that wait."""
    parts: list[RenderableType] = []
    for workflow in workflows:
        parts += [table(workflow), *questions(workflow)]
    return Group(*parts)


def table(workflow: Document) -> Table:
    """One row per task."""
    rows = Table("step", "", "progress", "time", "attempts", title=cell(title(workflow)), title_justify="left")
    rows.add_column("", no_wrap=True, overflow="ellipsis")
    for task in shown_tasks(workflow):
        what = "hit" if task.phase == "Skipped" else task.phase
        seconds = task.seconds if task.attempts else None
        rows.add_row(
            task.task, what, task.progress if task.phase == "Running" else "", duration(seconds) if seconds is not None else "",
            str(len(task.attempts) or ""), cell(first_line(task.message)) if task.attempts else "", style=STYLES.get(task.phase, ""),
        )  # fmt: skip
    return rows


def title(workflow: Document) -> str:
    message = first_line(workflow.get("status", {}).get("message", ""))
    return " ".join(filter(None, (workflow["metadata"]["name"], phase_of(workflow), message)))


def shown_tasks(workflow: Document) -> list[TaskNode]:
    """All tasks except the gates that nobody asked for."""
    return [t for t in tasks_of(workflow) if t.task not in GATES or t.attempts or t.phase == "Running"]


def questions(workflow: Document) -> list[Text]:
    name = workflow["metadata"]["name"]
    ask = f"waits for an answer: `burnqed approve {name}`, or with --no to reject."
    return [Text(f"{node['displayName']} {ask}", style="yellow") for node in suspended(workflow)]


def first_line(message: str) -> str:
    return message.strip().splitlines()[0] if message.strip() else ""
