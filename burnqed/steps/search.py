"""search: one shard of this iteration's theorems, in every variant; writes trajectories."""

from __future__ import annotations

from burnqed.lean.backends import open_lean
from burnqed.proof_search.settings import SearchSettings
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.facts import ShardFacts
from burnqed.steps.models import head_prefix, search_variants, searches, trusted_head
from burnqed.steps.searching import search_shard, shard_unit, shards
from burnqed.steps.select import read_selection
from burnqed.steps.table import SEARCH


def count(context: Context) -> int:
    return shards(context, context.layout.trajectories("main"), context.config.search.shards)


def units(context: Context) -> list[Unit]:
    layout, number = context.layout, count(context)
    head = head_prefix(layout, SEARCH, context.config)
    sources = {"selection": [layout.selection], "model": [layout.model], "head": [head] if head else []}
    variants = search_variants(context.config, context.iteration)
    return [shard_unit(context, layout.trajectories(v), number, sources, v) for v in variants]


async def run(context: Context, unit: Unit) -> ShardFacts:
    config = context.config.search
    theorems = read_selection(context.store, unit.source("selection")).theorems
    probe_tactics = open_lean(context.config.lean).probe_tactics
    settings = SearchSettings.for_search(config, probe_tactics, noise=unit.name == "noise")
    return await search_shard(context, unit, theorems, settings, config, with_head=trusted_head(context, unit))


def needed(context: Context) -> bool:
    return searches(context.config, context.iteration)


WORK = Work(units, run, shards=count, needed=needed)
