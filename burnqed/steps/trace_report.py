"""trace-report: the shards of a tracing become one file of pairs in the run's folder, where `data.pairs` finds it, with its report."""

from __future__ import annotations

from burnqed.data.trace.output import write
from burnqed.data.trace.parts import Parts
from burnqed.data.trace.report import TraceReport
from burnqed.errors import BadInput
from burnqed.log import log
from burnqed.steps.base import Command, Context
from burnqed.steps.indices import INPUTS
from burnqed.steps.trace import finished, read_plan, shard


async def run(context: Context, *, name: str) -> None:
    """Writes `inputs/NAME.parquet` and what belongs to it. Raises BadInput when a shard is not complete, or there is no pair."""
    tracing = read_plan(context, name)
    shards = list[Parts]()
    for number in range(tracing.shards):
        parts = finished(context, name, tracing, number)
        if parts is None:
            where = context.store.locate(shard(context, name, tracing, number))
            raise BadInput(f"{where} is not finished, or has lost parts; run the workflow trace again.")
        shards.append(parts)
    report = TraceReport(source=tracing.source, way=tracing.way)
    report.refuse(tracing.refused)
    path = f"{INPUTS}{name}.parquet"
    write(shards, report, context.store, f"{context.layout.run}/{path}")
    for label, value in report.lines():
        log.info("%s: %s", label, value)
    log.info("Train on them with --set 'data.pairs=[\"%s\"]'; their report is inputs/%s.report.json.", path, name)


COMMAND = Command(run)
