"""embed: encodes, with this iteration's model, every state and root state that the head learns from.

Stage `search` takes the trajectories of earlier iterations, stage `final` this iteration's as well; it encodes only states that the
earlier stage has not.
"""

from __future__ import annotations

import asyncio

from burnqed.errors import BadInput
from burnqed.layout import REPLAYED
from burnqed.modelcache import fetch_once
from burnqed.record import output
from burnqed.steps import replay, search
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.facts import EmbeddingFacts
from burnqed.steps.models import has_search_head, learned_variants, searches
from burnqed.steps.table import FINAL, SEARCH
from burnqed.steps.trajectories import explored_before, head_examples, known_proof_sources, own_shards


def needed(context: Context) -> bool:
    """Whether the stage trains a head."""
    config = context.config
    return has_search_head(config, context.iteration) if context.stage == SEARCH else config.ebm.enabled


def sources(context: Context) -> list[str]:
    """Shard folders of the trajectories that the stage's head learns from."""
    config, layout = context.config, context.layout
    folders = explored_before(context)
    if context.stage == FINAL and searches(config, context.iteration):
        for variant in learned_variants(config, context.iteration):
            count = replay.count(context) if variant == REPLAYED else search.count(context.at(stage=SEARCH))
            folders += own_shards(context, layout.trajectories(variant), count)
    if not folders:
        raise BadInput(
            f"No iteration of {layout.run!r} has searched, so a head has nothing to learn from; make iteration 0 with search.enabled=true, or set ebm.enabled=false."
        )
    return folders


def earlier_embeddings(context: Context) -> list[str]:
    """Embeddings that the previous stage made with the same model."""
    earlier = context.stage == FINAL and has_search_head(context.config, context.iteration)
    return [context.layout.embeddings(SEARCH)] if earlier else []


def units(context: Context) -> list[Unit]:
    layout, earlier = context.layout, earlier_embeddings(context)
    made_from = {
        "model": [layout.model],
        "trajectories": sources(context),
        "earlier": earlier,
        **known_proof_sources(context),
    }
    # a bare state is the same in any template, and earlier outputs stay valid
    reads = ("policy.template",) if context.config.policy.embedding == "prompt" else ()
    return [Unit(layout.embeddings(context.stage), made_from, reads=reads)]


async def run(context: Context, unit: Unit) -> EmbeddingFacts:
    return await asyncio.to_thread(encode, context, unit)


def encode(context: Context, unit: Unit) -> EmbeddingFacts:
    from burnqed.policy.encode import Encoder
    from burnqed.policy.pooling import Pooling
    from burnqed.train.embeddings import EmbeddingCache

    config, store = context.config, context.store
    model = fetch_once(store, unit.source("model"), context.models)
    encoder = Encoder(
        model,
        Pooling.of(config.policy),
        dtype=config.policy.dtype,
        weights=config.policy.embed_weights,
        batch=config.ebm.embed_batch,
        batch_tokens=config.ebm.embed_tokens,
    )
    texts = head_examples(store, unit, config.ebm).texts
    earlier = [output(store, prefix) for prefix in unit.sources["earlier"]]
    cache = EmbeddingCache(store, unit.root, encoder.embedding_id, earlier)
    new = cache.add(
        texts,
        encoder.embed,
        likeness=encoder.likeness,
        save_every=config.ebm.embed_save_every,
        should_stop=context.stop.is_set,
    )
    return EmbeddingFacts(states=len(texts), new=new, embedding_id=encoder.embedding_id)


WORK = Work(units, run, needed=needed)
