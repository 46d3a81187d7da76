"""ebm: trains the energy head on frozen embeddings, for this iteration's search (unless a joint training did), or on everything up to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from burnqed.config import EbmConfig, RunConfig
from burnqed.errors import TryAgain
from burnqed.evaluate.report.inputs import HeldOutStates
from burnqed.evaluate.results import CHANCE, COUNT, ERROR, SPREAD
from burnqed.log import log
from burnqed.record import output, read_record
from burnqed.steps import embed
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.facts import EmbeddingFacts, HeadFacts
from burnqed.steps.models import has_search_head, is_joint
from burnqed.steps.table import FINAL, SEARCH
from burnqed.steps.trajectories import head_examples, known_proof_sources
from burnqed.store import Store

if TYPE_CHECKING:
    from burnqed.head.base import Head
    from burnqed.train.embeddings import Embeddings
    from burnqed.train.examples import HeadExamples

CHECKPOINT = "checkpoint.pt"
ENERGIES = "energies.json"
"""Energies of held-out positives and negatives, for the report."""
PICTURE = "embeddings.json"
"""The states' embeddings in two dimensions, for the report."""
HELD_OUT = "held_out.json"
"""States of held-out theorems, for the report (`burnqed.train.pictures`)."""
SHARES = "rank_shares.json"
"""What each held-out theorem adds to how often the head ranks a proof's state first, for intervals over several seeds."""
SHOWN = 2_000
"""At most so many of each."""


def units(context: Context) -> list[Unit]:
    layout = context.layout
    sources = {
        "embeddings": [layout.embeddings(context.stage)],
        "earlier": embed.earlier_embeddings(context),
        "trajectories": embed.sources(context),
        "search head": [layout.head(SEARCH)] if continues(context) else [],
        "joint": [layout.adapter] if context.stage == SEARCH and is_joint(context) else [],
        **known_proof_sources(context),
    }
    return [Unit(layout.head(context.stage), sources, parameters=learning_parameters(context.config))]


def learning_parameters(config: RunConfig) -> tuple[tuple[str, str], ...]:
    """What a head learns, in words: heads that learned something else are made anew. What `ebm.depth_weight` asks for is to be changed with `burnqed.train.depth.meaning`, which keeps checkpoints apart."""
    depth = (("depth", "half a nat with each tactic, within a proof"),) if config.ebm.depth_weight else ()
    return (("others", "states that nothing tried leads from to the end of a proof"), *depth)


def continues(context: Context) -> bool:
    """Whether the head may continue the training of the search's."""
    config = context.config
    return context.stage == FINAL and has_search_head(config, context.iteration) and config.ebm.resume == "auto"


async def run(context: Context, unit: Unit) -> HeadFacts:
    return await asyncio.to_thread(train, context, unit)


def train(context: Context, unit: Unit) -> HeadFacts:
    import numpy as np

    from burnqed.head.base import Head
    from burnqed.train.adopt import adopt_head
    from burnqed.train.checkpoint import Checkpoints
    from burnqed.train.ebm import train_head
    from burnqed.train.joint import HEAD_FOLDER, JointOutcome
    from burnqed.train.joint import OUTCOME_FILE as JOINT_FILE
    from burnqed.train.pictures import held_out_states
    from burnqed.train.quality import class_rows, picture

    config, store = context.config, context.store
    examples, embeddings = material(store, unit, config.ebm)
    fraction = config.data.validation_fraction
    if unit.sources["joint"]:
        trained = output(store, unit.source("joint"))
        store.fetch(f"{trained}/{HEAD_FOLDER}", context.workdir / "trained")
        joint = JointOutcome.model_validate(store.read_json(f"{trained}/{JOINT_FILE}"))
        outcome = adopt_head(
            context.workdir / "trained",
            joint,
            examples,
            embeddings,
            config.ebm,
            validation_fraction=fraction,
            workdir=context.workdir,
        )
    else:
        outcome = train_head(
            examples,
            embeddings,
            config.ebm,
            validation_fraction=fraction,
            workdir=context.workdir,
            checkpoints=Checkpoints(store, f"{unit.root}/{CHECKPOINT}"),
            earlier=accepted_head(store, unit.sources["search head"], context.workdir / "earlier"),
            should_stop=context.stop.is_set,
        )
    if context.stop.is_set():
        raise TryAgain("The training of the head was stopped after a checkpoint; the same command continues it.")
    if not outcome.accepted:
        log.warning("the head is not accepted: %s", outcome.reason)
    folder: Path = context.workdir / "head"
    energies = held_out_energies(folder, examples, embeddings, fraction)
    store.upload(folder, unit.root)
    store.write_json(f"{unit.root}/{ENERGIES}", energies)
    classes = class_rows(examples, np.arange(len(examples)))
    store.write_json(f"{unit.root}/{PICTURE}", picture(embeddings.matrix, *classes, seed=config.ebm.seed))
    drawn = held_out_states(Head.load(folder), examples, embeddings.matrix, fraction, seed=config.ebm.seed)
    store.write_json(f"{unit.root}/{HELD_OUT}", drawn)
    store.write_json(f"{unit.root}/{SHARES}", outcome.rank_shares)
    store.delete(f"{unit.root}/{CHECKPOINT}")
    metrics: dict[str, float] = {}
    for name, metric in outcome.metrics.items():
        beside = {CHANCE: metric.chance, COUNT: metric.count, ERROR: metric.error, SPREAD: metric.spread}
        figures = {"": metric.value, **beside}
        metrics |= {name + ending: value for ending, value in figures.items() if value is not None}
    return HeadFacts(
        head_id=outcome.head.head_id,
        accepted=outcome.accepted,
        steps=outcome.steps,
        positives=outcome.positives,
        **metrics,
    )


def material(store: Store, unit: Unit, config: EbmConfig) -> tuple[HeadExamples, Embeddings]:
    """What a unit's head learns from, with the embeddings of all its states."""
    from burnqed.train.embeddings import EmbeddingCache

    embedded = unit.source("embeddings")
    record = read_record(store, embedded)
    assert record is not None, f"{store.locate(embedded)} is not finished"
    examples = head_examples(store, unit, config)
    earlier = [output(store, prefix) for prefix in unit.sources["earlier"]]
    cache = EmbeddingCache(store, record.root(embedded), EmbeddingFacts.of(record).embedding_id, earlier)
    return examples, cache.select(examples.texts)


def accepted_head(store: Store, prefixes: Sequence[str], folder: Path) -> Head | None:
    """The head at the prefix, if there is one; None if it was not accepted."""
    from burnqed.head.base import Head

    for prefix in prefixes:
        record = read_record(store, prefix)
        assert record is not None
        if HeadFacts.of(record).accepted:
            store.fetch(record.root(prefix), folder)
            return Head.load(folder)
        log.info("the search's head was not accepted, so a new one is trained")
    return None


def held_out_energies(
    folder: Path, examples: HeadExamples, embeddings: Embeddings, validation_fraction: float
) -> dict[str, list[float]]:
    """Energies of the validation theorems' positives and of their other states, for a histogram."""
    import numpy as np
    import torch

    from burnqed.head.base import Head

    held_out = examples.contrasted(np.flatnonzero(examples.held_out(validation_fraction)[examples.theorem]))
    goal = dict(zip(examples.theorem[held_out].tolist(), examples.goal[held_out].tolist(), strict=True))
    others = [examples.states[theorem] for theorem in goal]
    goals = np.repeat(list(goal.values()), [len(states) for states in others]).astype(np.int64)
    pairs = {
        "positive": (examples.state[held_out], examples.goal[held_out]),
        "negative": (np.concatenate([*others, held_out[:0]]), goals),
    }
    head = Head.load(folder)
    matrix = torch.from_numpy(embeddings.matrix)
    return {
        kind: [round(float(e), 4) for e in head.energies(matrix[states[:SHOWN]], matrix[roots[:SHOWN]])]
        for kind, (states, roots) in pairs.items()
    }


def read_energies(store: Store, prefix: str) -> dict[str, list[float]]:
    return dict(store.read_json(f"{output(store, prefix)}/{ENERGIES}"))


def read_picture(store: Store, prefix: str) -> dict[str, list[float]]:
    """See `burnqed.train.quality.picture`; empty for a head of an earlier version."""
    file = f"{output(store, prefix)}/{PICTURE}"
    return dict(store.read_json(file)) if store.exists(file) else {}


def read_held_out(store: Store, prefix: str) -> HeldOutStates | None:
    """None for a head of an earlier version."""
    file = f"{output(store, prefix)}/{HELD_OUT}"
    return HeldOutStates.model_validate(store.read_json(file)) if store.exists(file) else None


def read_shares(store: Store, prefix: str) -> dict[str, dict[str, float]]:
    """Of the ranks, what each held-out theorem adds (`burnqed.train.monitor.rank_shares`), by name; empty for a head of an earlier version."""
    file = f"{output(store, prefix)}/{SHARES}"
    return dict(store.read_json(file)) if store.exists(file) else {}


WORK = Work(units, run, needed=embed.needed)
