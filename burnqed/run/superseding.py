"""Before a workflow redoes finished outputs: what that costs, and whether it is intended."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from rich.console import Console
from rich.prompt import Confirm

from burnqed.branch import branches, check_branch
from burnqed.config import RunConfig
from burnqed.display import tell
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.progress import duration
from burnqed.remembered import recall
from burnqed.run.works import Document, parameters_of, place_of, works_of
from burnqed.steps.base import Context
from burnqed.steps.models import as_searched
from burnqed.steps.plan import Superseded, superseded
from burnqed.steps.redo import parse_redo
from burnqed.steps.table import loop
from burnqed.store import Store

WORTH_ASKING_S = 60.0
SHOWN = 6


def ask(
    tasks: Collection[str], store: Store, layout: Layout, config: RunConfig, redo: str, *, yes: bool = False
) -> bool:
    """Says which finished outputs the tasks would redo, and asks for confirmation if they took more than a minute to make, or branches read them. Returns whether all is done.

    With `redo` it says so without asking, unless branches read them. Raises BadInput on a no, and if nobody can be asked.
    """
    steps = [step for step in loop() if step.task in tasks]
    context = Context(store, layout, as_searched(store, layout, config), Path(), redo=parse_redo(redo, loop()))
    if not steps or not (lost := superseded(steps, context)).labels:
        return bool(steps) and lost.is_done
    is_shared = any(not label.startswith("iterations/") for label in lost.labels)
    readers = [name for name, last in branches(store, layout.run) if is_shared or layout.iteration <= last]
    if lost.seconds < WORTH_ASKING_S and not readers:
        return False
    console = Console(stderr=True, soft_wrap=True)
    tell(console, "", sentence(lost, layout))
    if readers:
        tell(console, "", f"The branches {', '.join(readers)} read them in place, and would have to be made anew, too.")
    if yes or (redo and not readers):
        return False
    elsewhere = "give --yes to continue, the settings it was made with, or --run NAME for another run"
    if not sys.stdin.isatty():
        raise BadInput(f"Finished work would be redone, and there is nobody to ask; {elsewhere}.")
    if not Confirm.ask("Redo it?", console=console, default=False):
        raise BadInput(f"Nothing was changed; {elsewhere}.")
    return False


def ask_all(tasks: Collection[str], store: Store, document: Document, *, yes: bool) -> None:
    """`ask` for every iteration that a workflow works on, up to the first that has something to do, which decides what the later ones have. Raises BadInput as that does,
    and as `check_branch` does for a run that is there."""
    works = [(*place_of(work), parameters_of(work).get("redo", "")) for work in works_of(document)]
    for layout, _, _ in works:
        if recall(store, layout.run):
            check_branch(store, layout)
    for layout, config, redo in works:
        if not ask(tasks, store, layout, config, redo, yes=yes):
            return


def sentence(lost: Superseded, layout: Layout) -> str:
    price = f" and cost ${lost.dollars:.2f}" if lost.dollars else ""
    more = f", and {len(lost.labels) - SHOWN} more" if len(lost.labels) > SHOWN else ""
    return (
        f"This redoes finished outputs of the run {layout.run!r}, which took {duration(lost.seconds)}{price}: "
        f"{', '.join(lost.labels[:SHOWN])}{more}. The old ones stay in the store until `burnqed store gc` removes them."
    )
