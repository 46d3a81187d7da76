"""Imports a theorem index from elsewhere (a store, a web address) into a run, checked and without duplicates.

burnqed submit import-data --source https://example.org/theorems.json --name theirs --run main
burnqed submit iteration --iter 0 --set data.theorems=inputs/theirs.json
"""

from __future__ import annotations

from hera.workflows import DAG, Workflow

from burnqed.config import RunConfig
from burnqed.steps.table import find

from .templates import new_workflow, parameter, step


def build(config: RunConfig, *, store: str, run: str, source: str, name: str) -> Workflow:
    return build_import("import-data", config, {"store": store, "run": run, "source": source, "name": name})


def build_import(task: str, config: RunConfig, parameters: dict[str, str], *, hub: bool = False) -> Workflow:
    """The workflow whose only task is this import."""
    with new_workflow(task, config, parameters) as workflow:
        given = {"source": parameter("source"), "name": parameter("name")}
        imported = step(find(task), config, options=given, hub=hub)
        with DAG(name="main"):
            imported(name=task)
    return workflow  # type: ignore[no-any-return]
