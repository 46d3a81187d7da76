"""Before a workflow redoes finished outputs: what that costs, and whether it is intended."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.prompt import Confirm

from burnqed.branch import branches, check_branch, layout_of
from burnqed.config import RunConfig
from burnqed.display import tell
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.progress import duration
from burnqed.record import read_record
from burnqed.remembered import recall
from burnqed.resolve import from_json
from burnqed.run.expressions import substitute
from burnqed.steps.base import Context
from burnqed.steps.plan import Superseded, superseded
from burnqed.steps.redo import parse_redo
from burnqed.steps.table import loop
from burnqed.store import Store

Document = dict[str, Any]
WORTH_ASKING_S = 60.0
SHOWN = 6


def ask(
    tasks: Collection[str], store: Store, layout: Layout, config: RunConfig, redo: str, *, yes: bool = False
) -> None:
    """Says which finished outputs the tasks would redo, and asks for confirmation if they took more than a minute to make, or branches read them.

    With `redo` it says so without asking, unless branches read them. Raises BadInput on a no, and if nobody can be asked.
    """
    steps = [step for step in loop() if step.task in tasks]
    context = Context(store, layout, config, Path(), redo=parse_redo(redo, loop()))
    if not steps or not (lost := superseded(steps, context)).labels:
        return
    is_shared = any(not label.startswith("iterations/") for label in lost.labels)
    readers = [name for name, last in branches(store, layout.run) if is_shared or layout.iteration <= last]
    if lost.seconds < WORTH_ASKING_S and not readers:
        return
    console = Console(stderr=True, soft_wrap=True)
    tell(console, "", sentence(lost, layout))
    if readers:
        tell(console, "", f"The branches {', '.join(readers)} read them in place, and would have to be made anew, too.")
    if yes or (redo and not readers):
        return
    elsewhere = "give --yes to continue, the settings it was made with, or --run NAME for another run"
    if not sys.stdin.isatty():
        raise BadInput(f"Finished work would be redone, and there is nobody to ask; {elsewhere}.")
    if not Confirm.ask("Redo it?", console=console, default=False):
        raise BadInput(f"Nothing was changed; {elsewhere}.")


def ask_all(tasks: Collection[str], store: Store, document: Document, redo: str, *, yes: bool) -> None:
    """`ask` for every iteration that a workflow works on, as far as there is anything of it. Raises BadInput as that does, and as `check_branch` does for a run that is there."""
    works = works_of(document)
    for layout, _ in works:
        if recall(store, layout.run):
            check_branch(store, layout)
    for number, (layout, config) in enumerate(works):
        if number == 0 or read_record(store, layout.at(layout.iteration - 1).report):
            ask(tasks, store, layout, config, redo, yes=yes)


def works_of(document: Document) -> list[tuple[Layout, RunConfig]]:
    """The iteration that a workflow works on, with its settings; those of its children, where it creates others."""
    spec = document["spec"]
    values = {p["name"]: p["value"] for p in spec["arguments"]["parameters"]}
    templates = {template["name"]: template for template in spec["templates"]}
    tasks = [task for template in templates.values() for task in template.get("dag", {}).get("tasks", ())]
    given = [task["arguments"]["parameters"] for task in tasks if "resource" in templates[task["template"]]]
    names = {f"workflow.parameters.{name}": value for name, value in values.items()}
    works = [{p["name"]: substitute(p["value"], names) for p in parameters} for parameters in given] or [values]
    configs = [from_json(work["config"]) for work in works]
    return [(layout_of(w["run"], int(w.get("iteration", -1)), c), c) for w, c in zip(works, configs, strict=True)]


def sentence(lost: Superseded, layout: Layout) -> str:
    price = f" and cost ${lost.dollars:.2f}" if lost.dollars else ""
    more = f", and {len(lost.labels) - SHOWN} more" if len(lost.labels) > SHOWN else ""
    return (
        f"This redoes finished outputs of the run {layout.run!r}, which took {duration(lost.seconds)}{price}: "
        f"{', '.join(lost.labels[:SHOWN])}{more}. The old ones stay in the store until `burnqed store gc` removes them."
    )
