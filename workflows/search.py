"""The search of an iteration alone, with the model and head in the store.

burnqed submit search --iter 1
"""

from __future__ import annotations

from hera.workflows import Workflow

from burnqed.config import RunConfig

from .loop import build_loop

TASKS = ("select", "search")


def build(config: RunConfig, *, store: str, run: str, iteration: int, redo: str = "") -> Workflow:
    return build_loop("search", config, store=store, run=run, iteration=iteration, redo=redo, only=TASKS)
