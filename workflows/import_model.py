"""A model from the hub into the store, once for all runs; cut off, it continues with the file it was at.

burnqed submit import-model --source deepseek-ai/DeepSeek-Prover-V2-7B --name deepseek-7b
burnqed submit iteration --iter 0 --set policy.model=s3://BUCKET/PREFIX/models/deepseek-7b
"""

from __future__ import annotations

from hera.workflows import DAG, Workflow

from burnqed.config import RunConfig
from burnqed.steps.table import find

from .templates import new_workflow, parameter, step


def build(config: RunConfig, *, store: str, run: str, source: str, name: str) -> Workflow:
    parameters = {"store": store, "run": run, "source": source, "name": name}
    with new_workflow("import-model", config, parameters) as workflow:
        given = {"source": parameter("source"), "name": parameter("name")}
        imported = step(find("import-model"), config, options=given, hub=True)
        with DAG(name="main"):
            imported(name="import-model")
    return workflow  # type: ignore[no-any-return]
