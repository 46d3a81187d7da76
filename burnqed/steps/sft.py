"""sft: fine-tunes the policy on known proofs and on those that earlier iterations found."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import islice, repeat

from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.split import unit_interval
from burnqed.errors import TryAgain
from burnqed.evaluate.report import LossPoint
from burnqed.modelcache import fetch_once
from burnqed.policy.template import TEMPLATES
from burnqed.record import output
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.data import read_pairs
from burnqed.steps.facts import SftFacts
from burnqed.steps.models import search_variants
from burnqed.steps.trajectories import earlier_shards, rows_of
from burnqed.store import Store
from burnqed.trajectory.reader import proof_pairs

CHECKPOINT = "checkpoint.pt"
OUTCOME = "sft.json"
"""`burnqed.train.sft.OUTCOME_FILE`, repeated here so as not to import torch."""


def found_shards(context: Context) -> list[str]:
    """Search shards of all earlier iterations; replays of known proofs are left out, because their pairs are base pairs."""
    return [f for i in range(context.iteration) for f in earlier_shards(context, search_variants(context.config, i), i)]


def previous(context: Context) -> list[str]:
    """The adapter or model that iteration N > 0 continues from, if so configured."""
    if context.iteration == 0 or context.config.sft.start == "base":
        return []
    layout = context.layout.at(context.iteration - 1)
    return [layout.adapter if context.config.sft.start == "previous_adapter" else layout.model]


def units(context: Context) -> list[Unit]:
    layout, searched = context.layout, found_shards(context)
    sources = {"data": [layout.data], "base": [layout.base], "searched": searched, "previous": previous(context)}
    return [Unit(layout.adapter, sources)]


async def run(context: Context, unit: Unit) -> SftFacts:
    from burnqed.train.checkpoint import Checkpoints
    from burnqed.train.sft import Pairs, train_sft

    store, layout = context.store, context.layout
    tables = (proof_pairs(rows) for rows in rows_of(store, unit.sources["searched"]))
    found_pairs = [TacticPair(**row, source="search") for pairs in tables for row in pairs.to_pylist()]
    outcome = await asyncio.to_thread(
        train_sft,
        fetch_once(store, layout.base, context.models),
        Pairs(list(weighted_pairs(store, layout.data)), found_pairs),
        context.config.sft,
        iteration=context.iteration,
        template=TEMPLATES[context.config.policy.template],
        validation_fraction=context.config.data.validation_fraction,
        workdir=context.workdir,
        checkpoints=Checkpoints(store, f"{unit.root}/{CHECKPOINT}"),
        previous=next((fetch_once(store, before, context.models) for before in unit.sources["previous"]), None),
        should_stop=context.stop.is_set,
    )
    if context.stop.is_set():
        raise TryAgain("The fine-tuning was stopped after a checkpoint; the same command continues it.")
    store.upload(context.workdir / "adapter", unit.root)
    store.delete(f"{unit.root}/{CHECKPOINT}")
    return SftFacts(
        start=outcome.start,
        steps=outcome.steps,
        loss=outcome.last_loss,
        evaluation_loss=outcome.best.total if outcome.best else None,
        evaluation_loss_n=outcome.validation_pairs,
        base_pairs=outcome.base_pairs,
        trajectory_pairs=outcome.trajectory_pairs,
        tokens_per_s=outcome.tokens_per_s,
    )


def weighted_pairs(store: Store, prefix: str) -> Iterator[TacticPair]:
    """The pairs of the step data, each as often as its origin's weight says: of 2.5 twice, and half of them, chosen by hash, a third time."""
    origins = store.read_json(f"{output(store, prefix)}/report.json").get(
        "origins", []
    )  # earlier versions had no weights
    pairs = PAIRS.rows(read_pairs(store, prefix))
    for origin in origins:
        whole, part = divmod(origin["weight"], 1)
        for pair in islice(pairs, origin["pairs"]):
            often = int(whole) + (part > 0 and unit_interval("weight", pair.theorem, pair.state, pair.tactic) < part)
            yield from repeat(pair, often)
    yield from pairs


def read_losses(store: Store, prefix: str) -> list[LossPoint]:
    """The loss curve of a finished fine-tuning."""
    rows = store.read_json(f"{output(store, prefix)}/{OUTCOME}")["rows"]
    return [
        LossPoint(step=r["step"], train=r["loss"], evaluation=r["evaluation"]["total"] if r["evaluation"] else None)
        for r in rows
    ]


WORK = Work(units, run)
