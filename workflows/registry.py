"""All workflows by name, with what each is told besides configuration, store and run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hera.workflows import Workflow

from . import clean, evaluate, import_data, import_model, iteration, search, smoke


@dataclass(frozen=True)
class Definition:
    build: Callable[..., Workflow]
    options: frozenset[str]
    """Its keyword arguments after `store` and `run`; those in REQUIRED have no default."""


REQUIRED = frozenset({"iteration", "source", "name"})

WORKFLOWS: dict[str, Definition] = {
    "iteration": Definition(iteration.build, frozenset({"iteration", "redo", "gate"})),
    "search": Definition(search.build, frozenset({"iteration", "redo"})),
    "evaluate": Definition(evaluate.build, frozenset({"iteration", "redo", "gate"})),
    "import-data": Definition(import_data.build, frozenset({"source", "name"})),
    "import-model": Definition(import_model.build, frozenset({"source", "name"})),
    "smoke": Definition(smoke.build, frozenset()),
    "clean": Definition(clean.build, frozenset({"iteration"})),
}
