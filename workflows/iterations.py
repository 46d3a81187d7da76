"""Several iterations, one after the other, each a workflow of its own.

burnqed run iterations --iters 0..4 --profile demo
burnqed submit iterations --iters 0..4 --gate auto      # ends with the first iteration whose verdict is no
"""

from __future__ import annotations

from hera.workflows import DAG, Workflow

from burnqed.config import RunConfig
from burnqed.layout import iterations_of

from . import iteration
from .children import child, of_iterations
from .templates import new_workflow, parameter


def build(config: RunConfig, *, store: str, run: str, iters: str, redo: str = "", gate: str = "off") -> Workflow:
    """Raises BadInput for `iters` that is no range, and for a step to redo that does not exist."""
    numbers = iterations_of(iters)
    one = iteration.build(config, store=store, run=run, iteration=numbers[0], redo=redo, gate=gate)
    parameters = {"store": store, "run": run, "iters": iters, "redo": redo, "gate": gate}
    with new_workflow("iterations", config, parameters) as workflow:
        template = child(one, config)
        with DAG(name="main"):
            for number in numbers:
                given = {"run": parameter("run"), "iteration": str(number), "config": parameter("config")}
                before = f"iter-{number - 1}.Succeeded" if number > numbers[0] else None
                again = redo if number == numbers[0] else of_iterations(redo)
                template(
                    name=f"iter-{number}", depends=before, arguments={"name": f"iter-{number}", "redo": again, **given}
                )
    return workflow  # type: ignore[no-any-return]
