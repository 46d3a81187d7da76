"""negatives: known proofs with the branches beside them, as trajectories of the variant `replay`."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

from burnqed.data.trace.replay import KnownProof
from burnqed.lean.backends import open_lean
from burnqed.progress import Progress
from burnqed.search.branches import BranchSearch, BranchSettings
from burnqed.search.probes import PROBE_TACTICS
from burnqed.steps.base import Context, Facts, Step, Unit
from burnqed.steps.data import read_proofs
from burnqed.steps.searching import policy, shard_unit
from burnqed.steps.shards import shard_count, shard_of
from burnqed.trajectory.schema import ProofStatus
from burnqed.trajectory.writer import ShardWriter

VARIANT = "replay"
OPEN_PROOFS = 16


def count(context: Context) -> int:
    return shard_count(context.store, context.layout.trajectories(VARIANT), context.config.negatives.shards)


def units(context: Context) -> list[Unit]:
    layout = context.layout
    return [shard_unit(context, layout.trajectories(VARIANT), count(context), [layout.data, layout.model])]


def needed(context: Context) -> bool:
    return context.config.ebm.enabled and context.config.negatives.theorems > 0


def chosen(context: Context) -> list[KnownProof]:
    """A seeded sample of the known proofs; another one in each iteration."""
    config = context.config.negatives
    proofs = read_proofs(context.store, f"{context.layout.data}/proofs.json")
    proofs.sort(key=lambda p: p.theorem.name)
    random.Random(config.seed + context.iteration).shuffle(proofs)
    return proofs[: config.theorems]


async def run(context: Context, unit: Unit) -> Facts:
    config = context.config.negatives
    shards = int(unit.parameter("shards"))
    proofs = {p.theorem.name: p for p in chosen(context) if shard_of(p.theorem.name, shards) == context.shard}
    writer = ShardWriter(
        context.store, unit.prefix, [p.theorem for p in proofs.values()], per_part=config.theorems_per_part,
        run=context.layout.run, iteration=context.iteration, seed=config.seed,
    )  # fmt: skip
    tasks = writer.pending()
    statuses = Counter(result.status for result in writer.found)
    settings = BranchSettings(
        candidates=config.candidates,
        temperature=context.config.search.temperature,
        probe_tactics=PROBE_TACTICS if config.probe_tactics else (),
        walk_depth=config.walk_depth,
        walks=config.walks,
    )
    rows = 0
    free = asyncio.Semaphore(OPEN_PROOFS)
    with Progress(len(tasks), VARIANT, "proofs") as progress:
        try:
            if tasks:
                async with (
                    policy(context) as client,
                    open_lean(context.config.lean) as lean,
                    asyncio.TaskGroup() as group,
                ):

                    async def one(search: BranchSearch) -> None:
                        nonlocal rows
                        async with free:
                            if context.stop.is_set():
                                return
                            found = await search.run()
                        writer.add(found)
                        rows += len(found.states)
                        statuses[found.result.status] += 1
                        progress.advance(states=rows)

                    for task in tasks:
                        tactics = proofs[task.theorem.name].tactics
                        group.create_task(one(BranchSearch(task, tactics, lean, client, settings)))
        finally:
            writer.flush_open()
    if not context.stop.is_set():
        writer.finish()
    return {"proofs": statuses[ProofStatus.PROVED], "errors": statuses[ProofStatus.ERROR], "rows": rows}


STEP = Step(
    "negatives",
    1,
    ("negatives", "lean", "search.temperature"),
    units,
    run,
    shards=count,
    sharded=True,
    needed=needed,
    kept=True,
)
