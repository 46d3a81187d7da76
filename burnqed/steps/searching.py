"""One shard of searches, for training data or for evaluation: policy server, Lean, engine, parts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from burnqed import __version__
from burnqed.config import EvaluateConfig, NegativesConfig, RunConfig, SearchConfig
from burnqed.errors import BadInput
from burnqed.layout import shard_folder
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import LeanBackend, Theorem
from burnqed.log import log
from burnqed.policy.client import PolicyClient, PolicyInfo
from burnqed.policy.refusal import not_refused
from burnqed.proof_search.engine import search
from burnqed.proof_search.recall import Recall, RecallingLean, RecallingPolicy
from burnqed.proof_search.settings import SearchSettings
from burnqed.record import read_record
from burnqed.steps.base import Context, Unit
from burnqed.steps.facts import HeadFacts, ModelFacts, ShardFacts
from burnqed.steps.lemmas import retrieval
from burnqed.steps.shards import in_shard, shard_count
from burnqed.steps.table import SERVED
from burnqed.trajectory.filling import OnResult, Work, fill
from burnqed.trajectory.rows import Task
from burnqed.trajectory.schema import ProofStatus
from burnqed.trajectory.writer import ShardWriter

READY_S = 600.0
"""How long a sidecar may take to load its model."""
Sharded = SearchConfig | NegativesConfig | EvaluateConfig
"""Sections of the configuration of steps that are divided into shards."""


@asynccontextmanager
async def policy(context: Context, unit: Unit) -> AsyncIterator[PolicyClient]:
    """The policy server of this step, once it is ready. Raises BadInput if it serves another model or head than the unit is made from."""
    config = context.config.policy
    url = config.generate_url or context.policy_url
    if url is None:
        raise BadInput(
            "This step needs a policy server; start `burnqed serve` and set policy.generate_url and policy.score_url, "
            "or run the step as part of a workflow."
        )
    lemmas = await asyncio.to_thread(retrieval, context.store, unit)
    async with PolicyClient(config, url, config.score_url or context.score_url or url, lemmas) as client:
        info = await client.wait_ready(READY_S, not_refused)
        check_served(context, unit, info, url)
        yield client


def check_served(context: Context, unit: Unit, info: PolicyInfo, url: str) -> None:
    """Raises BadInput if the server has another model or head than the unit is made from."""
    for prefix in (*unit.sources["model"], *unit.sources.get("head", ())):
        if (record := read_record(context.store, prefix)) is None:
            continue
        is_model = prefix in unit.sources["model"]
        served = info.weight_version if is_model else info.head_id
        wanted = ModelFacts.of(record).version if is_model else HeadFacts.of(record).head_id
        if served != wanted:
            raise BadInput(
                f"The policy server {url} serves {served}, but {context.store.locate(prefix)} is {wanted}; "
                "serve this iteration's model and head."
            )


async def search_shard(
    context: Context,
    unit: Unit,
    theorems: Sequence[Theorem],
    settings: SearchSettings,
    config: Sharded,
    *,
    with_head: bool,
    samples: int = 1,
    recall: Path | None = None,
) -> ShardFacts:
    """Searches those of the theorems that are the shard's, and writes its parts; continues where an earlier attempt was cut off. Expansions that are in the file `recall`, from another
    search of the same theorems, are taken from there, and new ones are kept in it."""
    writer = shard_writer(context, unit, theorems, config, samples)
    taken = 0

    async def work(tasks: list[Task], tools: Tools, add: OnResult) -> None:
        nonlocal taken
        with kept_in(recall) if recall else nullcontext() as known:
            await search_recalling(
                tasks, tools, settings, add, context.stop, with_head=with_head, recall=known, config=context.config
            )
            taken += known.hits if known else 0

    # an earlier attempt may have taken some, too
    begun = len(writer.found) if recall else 0
    facts = await write_shard(context, unit, writer, work)
    return facts.model_copy(update={"recalled": taken + begun}) if recall else facts


MOST_PAGES = 1 << 19
"""Of 4 KB: a temporary file must not fill the disk of a long run."""


def kept_in(path: Path) -> AbstractContextManager[Recall | None]:
    """Expansions in a file: without room for it, the search goes on without them."""
    try:
        return Recall(path, MOST_PAGES)
    except BadInput as error:
        log.warning("expansions are not kept: %s", error)
        return nullcontext()


async def search_recalling(
    tasks: list[Task],
    tools: Tools,
    settings: SearchSettings,
    add: OnResult,
    stop: asyncio.Event,
    *,
    with_head: bool,
    recall: Recall | None,
    config: RunConfig,
) -> None:
    """Searches; with `recall`, Lean and policy are asked only what is not in it, by all that decides their answers."""
    client, lean = tools
    scorer = client if with_head else None
    if recall is None:
        await search(tasks, lean, client, scorer, settings, add, stop)
        return
    weights = (await client.info()).weight_version
    limits = [__version__, lean.name, lean.version, config.lean.project, config.lean.heartbeats]
    served = [__version__, weights, config.workflow.policy_server, config.only(SERVED).policy.meaning()]
    served += [client.lemmas] if client.lemmas else []
    known_lean, known_policy = RecallingLean(lean, recall, str(limits)), RecallingPolicy(client, recall, str(served))
    await search(tasks, known_lean, known_policy, scorer, settings, add, stop)
    log.info("%d expansions and tactics were known, %d were new", recall.hits, recall.misses)


def shard_writer(
    context: Context, unit: Unit, theorems: Sequence[Theorem], config: Sharded, samples: int = 1
) -> ShardWriter:
    """Writes the parts of the unit's shard, which has some of the theorems."""
    return ShardWriter(
        context.store,
        unit.root,
        in_shard(theorems, context.shard, unit.shards),
        per_part=config.theorems_per_part,
        run=context.layout.run,
        iteration=context.iteration,
        samples=samples,
        seed=config.seed,
    )


class Tools(NamedTuple):
    client: PolicyClient
    lean: LeanBackend


@asynccontextmanager
async def opened(context: Context, unit: Unit) -> AsyncIterator[Tools]:
    """Opens a client of the policy server, and Lean."""
    async with policy(context, unit) as client, open_lean(context.config.lean) as lean:
        yield Tools(client, lean)


async def write_shard(context: Context, unit: Unit, writer: ShardWriter, work: Work[Tools]) -> ShardFacts:
    """Runs `work` on what the writer still lacks, with a policy server and Lean."""
    label = unit.prefix.removeprefix(f"{context.layout.root}/")
    counts = await fill(writer, opened(context, unit), work, label)
    if not context.stop.is_set():
        writer.finish()
    outcomes = {str(status): counts[status] for status in ProofStatus}
    return ShardFacts(theorems=counts.total(), lean=open_lean(context.config.lean).version, **outcomes)


def shards(context: Context, prefix: str, wanted: int | None) -> int:
    """The number of shards: twice the parallelism unless configured, so slow theorems spread and a failed shard is repeated alone."""
    return shard_count(context.store, prefix, wanted or 2 * context.config.workflow.parallelism)


def shard_unit(context: Context, prefix: str, count: int, sources: Mapping[str, Sequence[str]], name: str = "") -> Unit:
    return Unit(shard_folder(prefix, context.shard, count), sources, name, (("shards", str(count)),))
