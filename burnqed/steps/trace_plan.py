"""trace-plan: what is traced, in how many shards; writes the numbers of the unfinished ones into $BURNQED_OUTPUTS."""

from __future__ import annotations

import json
import os
from pathlib import Path

from burnqed.data.trace import leandojo
from burnqed.data.trace.items import proofs_at
from burnqed.data.trace.leandojo import Repository
from burnqed.data.trace.tracing import key_of_proofs, key_of_repository
from burnqed.data.trace.ways import Way, version_of
from burnqed.log import log
from burnqed.steps.base import Command, Context
from burnqed.steps.table import TRACE_SHARDS
from burnqed.steps.trace import Tracing, address, finished, folder, planned


async def run(context: Context, *, source: str, name: str) -> None:
    """Writes `traces/NAME/plan.json`. Raises BadInput for a source that cannot be traced here.

    A tracing that has begun keeps its number of shards, as long as it is about the same.
    """
    context.store.check_writable()
    tracing, before = await found(context, source, name), planned(context, name)
    if before and before.key == tracing.key:
        tracing = tracing.model_copy(update={"shards": before.shards})
    context.store.write_text(f"{folder(context, name)}/plan.json", tracing.model_dump_json(indent=1) + "\n")
    unfinished = [number for number in range(tracing.shards) if finished(context, name, tracing, number) is None]
    log.info("%s, traced by %s: %d of %d shard(s) to do", source, tracing.way, len(unfinished), tracing.shards)
    if outputs := os.environ.get("BURNQED_OUTPUTS"):
        Path(outputs).mkdir(parents=True, exist_ok=True)
        Path(outputs, TRACE_SHARDS).write_text(json.dumps(unfinished), encoding="utf-8")


async def found(context: Context, source: str, name: str) -> Tracing:
    if Repository.is_meant(source):
        repository = Repository.parse(source)
        key, way = key_of_repository(repository, repository.name), f"leandojo ({leandojo.version()})"
        return Tracing(key=key, source=source, namespace=repository.name, way=way, shards=1)
    config = context.config.lean
    way_ = Way.usual(config)
    given = await proofs_at(address(context, source), config, name)
    return Tracing(
        key=key_of_proofs(given, way_, config),
        source=source,
        namespace=name,
        way=f"{way_} ({version_of(way_, config)})",
        shards=2 * context.config.workflow.parallelism,  # so that slow proofs spread
        refused=given.refused,
    )


COMMAND = Command(run)
