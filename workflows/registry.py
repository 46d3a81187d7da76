"""All workflows by name, with the arguments of each besides configuration, store and run."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from hera.workflows import Workflow

from burnqed.steps.table import whole

from . import (
    baseline,
    clean,
    evaluate,
    experiment,
    import_data,
    import_model,
    iteration,
    iterations,
    lean_start,
    reset,
    search,
    smoke,
    trace,
)

COMMON = ("config", "store", "run")
ITERATION = tuple(step.task for step in whole())


@dataclass(frozen=True)
class Definition:
    build: Callable[..., Workflow]
    tasks: tuple[str, ...] = ()
    """Tasks of the loop that it runs, or its children do, if a plan finds work for them."""
    is_series: bool = False
    """Whether it creates others, as many as it is told to: it can be submitted, but there is no WorkflowTemplate of it."""

    @property
    def options(self) -> dict[str, bool]:
        """Its other arguments, and whether each is required."""
        parameters = inspect.signature(self.build).parameters
        return {name: p.default is p.empty for name, p in parameters.items() if name not in COMMON}


WORKFLOWS: dict[str, Definition] = {
    "iteration": Definition(iteration.build, ITERATION),
    "iterations": Definition(iterations.build, ITERATION, is_series=True),
    "experiment": Definition(experiment.build, ITERATION, is_series=True),
    "baseline": Definition(baseline.build, ITERATION),
    "lean-start": Definition(lean_start.build, lean_start.TASKS),
    "reset": Definition(reset.build, reset.TASKS),
    "search": Definition(search.build, search.TASKS),
    "evaluate": Definition(evaluate.build, evaluate.TASKS),
    "import-data": Definition(import_data.build),
    "import-model": Definition(import_model.build),
    "trace": Definition(trace.build),
    "smoke": Definition(smoke.build),
    "clean": Definition(clean.build),
}
