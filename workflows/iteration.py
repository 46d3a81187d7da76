"""One iteration of the loop: plan, data, select, train, search, train the head again, evaluate, report.

    burnqed run iteration --iter 0 --profile demo      # on this machine
    burnqed submit iteration --iter 0                  # on a cluster

`plan` reads the store and says which steps have to run; the others are skipped, because their outputs exist.
"""

from __future__ import annotations

from hera.workflows import Workflow

from burnqed.config import RunConfig

from .loop import build_loop


def build(config: RunConfig, *, store: str, run: str, iteration: int, redo: str = "", gate: str = "off") -> Workflow:
    return build_loop("iteration", config, store=store, run=run, iteration=iteration, redo=redo, gate=gate)
