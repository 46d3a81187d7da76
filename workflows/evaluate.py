"""The evaluation of an iteration alone, for example at other budgets: the earlier one stays until `burnqed store gc`.

burnqed submit evaluate --iter 1 --set evaluate.budgets='[100, 300, 600]'
"""

from __future__ import annotations

from hera.workflows import Workflow

from burnqed.config import RunConfig

from .loop import build_loop

TASKS = ("evaluate", "report")


def build(config: RunConfig, *, store: str, run: str, iteration: int, redo: str = "", gate: str = "off") -> Workflow:
    return build_loop("evaluate", config, store=store, run=run, iteration=iteration, redo=redo, gate=gate, only=TASKS)
