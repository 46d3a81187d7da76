"""evaluate: one shard of each benchmark, without and with the head; at the stage `search`, with the head of the iteration's search. Probe tactics are tried only where `evaluate.probe_tactics` asks for them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from burnqed.config import includes
from burnqed.evaluate.results import HEAD, PLAIN, SEARCH_HEAD
from burnqed.lean.backends import open_lean
from burnqed.proof_search.recall import FILE
from burnqed.proof_search.settings import SearchSettings
from burnqed.steps import lemmas
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.benchmark import read_benchmark
from burnqed.steps.facts import ShardFacts
from burnqed.steps.models import has_search_head, head_prefix
from burnqed.steps.searching import search_shard, shard_unit, shards
from burnqed.steps.table import FINAL, SEARCH

EXPANSIONS = "BURNQED_EXPANSIONS"
"""A file for expansions that the evaluations of a `burnqed run` share: Lean's answers are the same for all models, and the candidates for all heads of one."""
STAGES = {PLAIN: FINAL, HEAD: FINAL, SEARCH_HEAD: SEARCH}
"""The stage at which each variant is evaluated."""


def variants(context: Context) -> list[str]:
    """All that the iteration has."""
    config, iteration, found = context.config, context.iteration, [PLAIN]
    if config.evaluate.with_head and head_prefix(context.layout, FINAL, config):
        found.append(HEAD)
    asked = config.evaluate.with_head and includes(config.evaluate.search_head, iteration)
    if asked and has_search_head(config, iteration):
        found.append(SEARCH_HEAD)
    return found


def at_stage(context: Context) -> list[str]:
    return [variant for variant in variants(context) if STAGES[variant] == context.stage]


def meets_again(context: Context) -> bool:
    """Whether another variant of the stage meets the same candidates. Asked of the whole configuration: at work, `context.config` has only the values that the step reads."""
    return len(at_stage(replace(context, config=context.recorded))) > 1


def needed(context: Context) -> bool:
    return bool(at_stage(context))


def shards_of(context: Context, benchmark: str, stage: str) -> int:
    """The number of shards of a benchmark's evaluation at a stage."""
    first = context.layout.evaluation(benchmark, PLAIN if stage == FINAL else SEARCH_HEAD)
    return shards(context, first, context.config.evaluate.shards)


def count(context: Context) -> int:
    return max(shards_of(context, benchmark, context.stage) for benchmark in context.config.data.evaluated)


def units(context: Context) -> list[Unit]:
    layout, shard_units = context.layout, []
    for benchmark in context.config.data.evaluated:
        number = shards_of(context, benchmark, context.stage)
        for variant in at_stage(context) if context.shard < number else ():
            head = [] if variant == PLAIN else [layout.head(context.stage)]
            sources = {"benchmark": [layout.benchmark(benchmark)], "model": [layout.model], "head": head}
            sources |= lemmas.sources(context)
            shard_units.append(shard_unit(context, layout.evaluation(benchmark, variant), number, sources, variant))
    return shard_units


async def run(context: Context, unit: Unit) -> ShardFacts:
    config = context.config.evaluate
    theorems = read_benchmark(context.store, unit.source("benchmark"))
    probe_tactics = open_lean(context.config.lean).probe_tactics
    settings = SearchSettings.for_evaluation(config, context.config.search, probe_tactics)
    # What a later evaluation meets again is kept; the seconds of the later one then say nothing.
    shared = os.environ.get(EXPANSIONS)
    recall = Path(shared) if shared else context.workdir / FILE if meets_again(context) else None
    return await search_shard(
        context, unit, theorems, settings, config, with_head=unit.name != PLAIN, samples=config.samples, recall=recall
    )


WORK = Work(units, run, shards=count, needed=needed)
