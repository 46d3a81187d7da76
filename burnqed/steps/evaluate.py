"""evaluate: one shard of the benchmark, without and with the head; probe tactics are never tried."""

from __future__ import annotations

from burnqed.data.theorems import parse_index
from burnqed.evaluate.results import HEAD, PLAIN
from burnqed.manifest import output
from burnqed.search.settings import SearchSettings
from burnqed.steps.base import Context, Facts, Step, Unit
from burnqed.steps.models import head_prefix
from burnqed.steps.searching import SERVED, search_shard, shard_unit, shards
from burnqed.steps.shards import in_shard

STAGE = "final"


def variants(context: Context) -> list[str]:
    with_head = context.config.evaluate.with_head and head_prefix(context.layout, STAGE, context.config)
    return [PLAIN, HEAD] if with_head else [PLAIN]


def count(context: Context) -> int:
    return shards(context, context.layout.evaluation(PLAIN), context.config.evaluate.shards)


def units(context: Context) -> list[Unit]:
    layout, number = context.layout, count(context)
    made_from = {PLAIN: [layout.data, layout.model], HEAD: [layout.data, layout.model, layout.head(STAGE)]}
    return [shard_unit(context, layout.evaluation(v), number, made_from[v]) for v in variants(context)]


async def run(context: Context, unit: Unit) -> Facts:
    config, store = context.config.evaluate, context.store
    path = f"{output(store, context.layout.data)}/benchmark.json"
    theorems = parse_index(store.read_text(path), store.locate(path))
    return await search_shard(
        context,
        unit,
        in_shard(theorems, context.shard, int(unit.parameter("shards"))),
        SearchSettings.for_evaluation(config, context.config.search),
        with_head=unit.prefix.startswith(context.layout.evaluation(HEAD)),
        per_part=config.theorems_per_part,
        seed=config.seed,
        samples=config.samples,
    )


READS = (
    "evaluate",
    "lean",
    *SERVED,
    *(f"search.{name}" for name in ("alpha", "beta", "length_exponent", "energy_depth", "widening")),
)
STEP = Step("evaluate", 2, READS, units, run, shards=count, sharded=True)
