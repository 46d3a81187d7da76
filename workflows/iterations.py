"""Several iterations, one after the other, each a workflow of its own.

burnqed run iterations --iters 0..4 --profile demo
burnqed submit iterations --iters 0..4 --gate auto      # ends with the first iteration whose verdict is no
"""

from __future__ import annotations

from hera.workflows import DAG, Workflow

from burnqed.config import RunConfig
from burnqed.layout import iterations_of

from . import iteration
from .children import child, in_turn
from .templates import new_workflow


def build(config: RunConfig, *, store: str, run: str, iters: str, redo: str = "", gate: str = "off") -> Workflow:
    """Raises BadInput for `iters` that is no range, and for a step to redo that does not exist."""
    numbers = iterations_of(iters)
    one = iteration.build(config, store=store, run=run, iteration=numbers[0], redo=redo, gate=gate)
    parameters = {"store": store, "run": run, "iters": iters, "redo": redo, "gate": gate}
    with new_workflow("iterations", config, parameters) as workflow:
        template = child(one, config)
        with DAG(name="main"):
            in_turn(template, numbers, redo)
    return workflow  # type: ignore[no-any-return]
