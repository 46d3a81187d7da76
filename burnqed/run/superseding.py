"""Before a workflow redoes finished outputs: what that costs, and whether it is intended."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from rich.console import Console
from rich.prompt import Confirm

from burnqed.config import RunConfig
from burnqed.display import tell
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.progress import duration
from burnqed.steps.base import Context
from burnqed.steps.plan import Superseded, superseded
from burnqed.steps.redo import parse_redo
from burnqed.steps.table import loop
from burnqed.store import Store

WORTH_ASKING_S = 60.0
SHOWN = 6


def ask(
    tasks: Collection[str], store: Store, layout: Layout, config: RunConfig, redo: str, *, yes: bool = False
) -> None:
    """Says which finished outputs the tasks would redo, and asks for confirmation if they took more than a minute to make.

    With `redo` it says so without asking. Raises BadInput on a no, and if nobody can be asked.
    """
    steps = [step for step in loop() if step.task in tasks]
    context = Context(store, layout, config, Path(), redo=parse_redo(redo, loop()))
    if not steps or (lost := superseded(steps, context)).seconds < WORTH_ASKING_S:
        return
    console = Console(stderr=True, soft_wrap=True)
    tell(console, "", sentence(lost, layout))
    if yes or redo:
        return
    elsewhere = "give --yes to continue, the settings it was made with, or --run NAME for another run"
    if not sys.stdin.isatty():
        raise BadInput(f"Finished work would be redone, and there is nobody to ask; {elsewhere}.")
    if not Confirm.ask("Redo it?", console=console, default=False):
        raise BadInput(f"Nothing was changed; {elsewhere}.")


def sentence(lost: Superseded, layout: Layout) -> str:
    price = f" and cost ${lost.dollars:.2f}" if lost.dollars else ""
    more = f", and {len(lost.labels) - SHOWN} more" if len(lost.labels) > SHOWN else ""
    return (
        f"This redoes finished outputs of the run {layout.run!r}, which took {duration(lost.seconds)}{price}: "
        f"{', '.join(lost.labels[:SHOWN])}{more}. The old ones stay in the store until `burnqed store gc` removes them."
    )
