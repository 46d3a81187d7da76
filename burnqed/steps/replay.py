"""replay: replays known proofs and the branches beside them, as trajectories of the variant `replay`. Its settings are the section `negatives`."""

from __future__ import annotations

import random

from burnqed.data.trace.replay import KnownProof
from burnqed.layout import REPLAYED
from burnqed.lean.backends import open_lean
from burnqed.proof_search.branches import BranchSearch, BranchSettings
from burnqed.proof_search.many import run_many
from burnqed.record import output
from burnqed.steps import lemmas
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.data import read_proofs
from burnqed.steps.facts import ShardFacts
from burnqed.steps.models import searches
from burnqed.steps.searching import Tools, shard_unit, shard_writer, write_shard
from burnqed.steps.select import read_selection
from burnqed.steps.shards import shard_count
from burnqed.trajectory.filling import OnResult
from burnqed.trajectory.rows import SearchResult, Task

OPEN_PROOFS = 16


def count(context: Context) -> int:
    return shard_count(context.store, context.layout.trajectories(REPLAYED), context.config.negatives.shards)


def units(context: Context) -> list[Unit]:
    layout = context.layout
    sources = {"data": [layout.data], "model": [layout.model]} | lemmas.sources(context)
    if context.config.negatives.pool == "searched":
        sources["selection"] = [layout.selection]
    return [shard_unit(context, layout.trajectories(REPLAYED), count(context), sources)]


def needed(context: Context) -> bool:
    config = context.config
    return config.ebm.enabled and config.negatives.theorems > 0 and searches(config, context.iteration)


def chosen(context: Context, unit: Unit) -> list[KnownProof]:
    """A seeded sample of the known proofs, different in each iteration; those of theorems that are searched come first, if so configured."""
    config = context.config.negatives
    proofs = read_proofs(context.store, f"{output(context.store, context.layout.data)}/proofs.json")
    proofs.sort(key=lambda p: p.theorem.name)
    random.Random(config.seed + context.iteration).shuffle(proofs)
    if config.pool == "searched":
        searched = {theorem.name for theorem in read_selection(context.store, unit.source("selection")).theorems}
        proofs.sort(key=lambda p: p.theorem.name not in searched)
    return proofs[: config.theorems]


async def run(context: Context, unit: Unit) -> ShardFacts:
    config = context.config.negatives
    proofs = {p.theorem.name: p for p in chosen(context, unit)}
    writer = shard_writer(context, unit, [p.theorem for p in proofs.values()], config)
    settings = BranchSettings(
        candidates=config.candidates,
        temperature=context.config.search.temperature,
        probe_tactics=open_lean(context.config.lean).probe_tactics if config.probe_tactics else (),
        walk_depth=config.walk_depth,
        walks=config.walks,
    )

    async def work(tasks: list[Task], tools: Tools, add: OnResult) -> None:
        async def replayed(task: Task) -> SearchResult:
            return await BranchSearch(task, proofs[task.theorem.name].tactics, tools.lean, tools.client, settings).run()

        await run_many(tasks, replayed, OPEN_PROOFS, add, context.stop)

    return await write_shard(context, unit, writer, work)


WORK = Work(units, run, shards=count, needed=needed)
