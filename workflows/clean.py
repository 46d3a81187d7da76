"""Deletes the outputs of an iteration, once somebody has answered yes.

burnqed submit clean --iter 2
"""

from __future__ import annotations

from hera.workflows import DAG, Workflow

from burnqed.config import RunConfig
from burnqed.steps.table import find

from .templates import new_workflow, parameter, question, step


def build(config: RunConfig, *, store: str, run: str, iteration: int) -> Workflow:
    parameters = {"store": store, "run": run, "iteration": str(iteration)}
    with new_workflow("clean", config, parameters) as workflow:
        what = f"iteration {parameter('iteration')} of {parameter('run')} in {parameter('store')}"
        sure = question("sure", "delete", f"Delete {what}?")
        clean = step(find("clean"), config)
        with DAG(name="main"):
            sure(name="sure")
            clean(name="clean", depends="sure.Succeeded", when="{{tasks.sure.outputs.parameters.delete}} == yes")
    return workflow  # type: ignore[no-any-return]
