"""A theorem index from elsewhere (a store, a web address) into a run: checked, without duplicates.

burnqed submit import-data --source https://example.org/theorems.json --name theirs --run main
burnqed submit iteration --iter 0 --set data.theorems=inputs/theirs.json
"""

from __future__ import annotations

from hera.workflows import DAG, Workflow

from burnqed.config import RunConfig
from burnqed.steps.table import find

from .templates import new_workflow, parameter, step


def build(config: RunConfig, *, store: str, run: str, source: str, name: str) -> Workflow:
    parameters = {"store": store, "run": run, "source": source, "name": name}
    with new_workflow("import-data", config, parameters) as workflow:
        given = {"source": parameter("source"), "name": parameter("name")}
        imported = step(find("import-data"), config, options=given)
        with DAG(name="main"):
            imported(name="import-data")
    return workflow  # type: ignore[no-any-return]
