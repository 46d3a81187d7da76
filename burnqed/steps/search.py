"""search: one shard of this iteration's theorems, in every variant; writes trajectories.

At the stage `final` (`search.guided`), the same again with the head that learned from them, as the variant `guided`. As candidates depend on seed, theorem and state alone, both
searches meet the same ones, and only their order differs.
"""

from __future__ import annotations

from burnqed.lean.backends import open_lean
from burnqed.proof_search.settings import SearchSettings
from burnqed.steps import lemmas
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.facts import ShardFacts
from burnqed.steps.models import GUIDED, head_prefix, is_guided, search_variants, searches, trusted_head
from burnqed.steps.searching import search_shard, shard_unit, shards
from burnqed.steps.select import read_selection
from burnqed.steps.table import FINAL


def count(context: Context) -> int:
    first = GUIDED if context.stage == FINAL else "main"
    return shards(context, context.layout.trajectories(first), context.config.search.shards)


def units(context: Context) -> list[Unit]:
    layout, number = context.layout, count(context)
    head = head_prefix(layout, context.stage, context.config)
    sources = {
        "selection": [layout.selection],
        "model": [layout.model],
        "head": [head] if head else [],
    } | lemmas.sources(context)
    variants = [GUIDED] if context.stage == FINAL else search_variants(context.config, context.iteration)
    return [shard_unit(context, layout.trajectories(v), number, sources, v) for v in variants]


async def run(context: Context, unit: Unit) -> ShardFacts:
    config = context.config.search
    theorems = read_selection(context.store, unit.source("selection")).theorems
    probe_tactics = open_lean(context.config.lean).probe_tactics
    settings = SearchSettings.for_search(config, probe_tactics, noise=unit.name == "noise")
    with_head = unit.name == GUIDED or trusted_head(context, unit)  # an evaluation shows what any head is worth
    return await search_shard(context, unit, theorems, settings, config, with_head=with_head)


def needed(context: Context) -> bool:
    config, number = context.config, context.iteration
    return is_guided(config, number) if context.stage == FINAL else searches(config, number)


WORK = Work(units, run, shards=count, needed=needed)
