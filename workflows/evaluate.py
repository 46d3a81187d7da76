"""The evaluation of an iteration alone: on another benchmark, or at other budgets.

burnqed submit evaluate --iter 1 --benchmark minif2f=s3://BUCKET/minif2f.json
burnqed submit evaluate --iter 1 --set evaluate.budgets='[100, 300, 600]'
"""

from __future__ import annotations

from hera.workflows import Workflow

from burnqed.config import RunConfig

from .loop import build_loop

TASKS = ("benchmark", "evaluate", "evaluate-search", "report")


def build(config: RunConfig, *, store: str, run: str, iteration: int, redo: str = "", gate: str = "off") -> Workflow:
    return build_loop("evaluate", config, store=store, run=run, iteration=iteration, redo=redo, gate=gate, only=TASKS)
