"""evaluate: one shard of each benchmark, without and with the head. Probe tactics are never tried."""

from __future__ import annotations

from burnqed.evaluate.results import HEAD, PLAIN
from burnqed.proof_search.settings import SearchSettings
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.benchmark import read_benchmark
from burnqed.steps.facts import ShardFacts
from burnqed.steps.models import head_prefix
from burnqed.steps.searching import search_shard, shard_unit, shards
from burnqed.steps.table import FINAL


def variants(context: Context) -> list[str]:
    with_head = context.config.evaluate.with_head and head_prefix(context.layout, FINAL, context.config)
    return [PLAIN, HEAD] if with_head else [PLAIN]


def shards_of(context: Context, benchmark: str) -> int:
    """The number of shards of a benchmark's evaluation."""
    return shards(context, context.layout.evaluation(benchmark, PLAIN), context.config.evaluate.shards)


def count(context: Context) -> int:
    return max(shards_of(context, benchmark) for benchmark in context.config.data.benchmarks)


def units(context: Context) -> list[Unit]:
    layout, shard_units = context.layout, []
    for benchmark in context.config.data.benchmarks:
        number = shards_of(context, benchmark)
        for variant in variants(context) if context.shard < number else ():
            head = [layout.head(FINAL)] if variant == HEAD else []
            sources = {"benchmark": [layout.benchmark(benchmark)], "model": [layout.model], "head": head}
            shard_units.append(shard_unit(context, layout.evaluation(benchmark, variant), number, sources, variant))
    return shard_units


async def run(context: Context, unit: Unit) -> ShardFacts:
    config = context.config.evaluate
    theorems = read_benchmark(context.store, unit.source("benchmark"))
    settings = SearchSettings.for_evaluation(config, context.config.search)
    with_head = unit.name == HEAD
    return await search_shard(context, unit, theorems, settings, config, with_head=with_head, samples=config.samples)


WORK = Work(units, run, shards=count)
