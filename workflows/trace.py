"""Traces a repository, or whole proofs in shards, to tactic pairs in a run's folder. If cut off, it continues with the parts that it lacks.

burnqed submit trace --source s3://BUCKET/proofs.parquet --name numina --run main
burnqed submit iteration --iter 0 --set 'data.pairs=["inputs/numina.parquet"]'
"""

from __future__ import annotations

from hera.workflows import DAG, Workflow

from burnqed.config import RunConfig
from burnqed.steps.table import TRACE_SHARDS, find

from .loop import after
from .templates import new_workflow, parameter, step


def build(config: RunConfig, *, store: str, run: str, source: str, name: str) -> Workflow:
    with new_workflow("trace", config, {"store": store, "run": run, "source": source, "name": name}) as workflow:
        named = {"name": parameter("name")}
        plan = step(
            find("trace-plan"), config, options={"source": parameter("source"), **named}, outputs=(TRACE_SHARDS,)
        )
        traced, joined = (step(find(row), config, options=named) for row in ("trace", "trace-report"))
        with DAG(name="main"):
            plan(name="trace-plan")
            unfinished = f"{{{{tasks.trace-plan.outputs.parameters.{TRACE_SHARDS}}}}}"
            traced(name="trace", depends="trace-plan", with_param=unfinished, arguments={"shard": "{{item}}"})
            joined(name="trace-report", depends=after(["trace"]))
    return workflow  # type: ignore[no-any-return]
