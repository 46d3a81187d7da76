"""sft: fine-tunes the policy on known proofs and on those that earlier iterations found; or trains it jointly with the search's head."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import islice, repeat
from typing import Any

from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.split import unit_interval
from burnqed.errors import BadInput, TryAgain
from burnqed.evaluate.report import LossPoint
from burnqed.modelcache import fetch_once
from burnqed.policy.template import TEMPLATES
from burnqed.record import output
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.data import read_pairs
from burnqed.steps.facts import SftFacts
from burnqed.steps.models import is_joint
from burnqed.steps.trajectories import explored_before, head_examples, rows_of, searched_before
from burnqed.store import Store
from burnqed.trajectory.reader import proof_pairs

CHECKPOINT = "checkpoint.pt"
OUTCOME = "sft.json"
JOINT_OUTCOME = "joint.json"
"""`OUTCOME_FILE` of `burnqed.train.sft` and of `burnqed.train.joint`, repeated here so as not to import torch."""


def previous(context: Context) -> list[str]:
    """The adapter or model that iteration N > 0 continues from, if so configured."""
    if context.iteration == 0 or context.config.sft.start == "base":
        return []
    layout = context.layout.at(context.iteration - 1)
    return [layout.adapter if context.config.sft.start == "previous_adapter" else layout.model]


def units(context: Context) -> list[Unit]:
    layout, searched = context.layout, searched_before(context)
    sources = {"data": [layout.data], "base": [layout.base], "searched": searched, "previous": previous(context)}
    if not is_joint(context):
        return [Unit(layout.adapter, sources)]
    sources["trajectories"] = explored_before(context)
    return [Unit(layout.adapter, sources, reads=("joint", "ebm", "policy.embed_max_tokens"))]


async def run(context: Context, unit: Unit) -> SftFacts:
    from burnqed.train.checkpoint import Checkpoints
    from burnqed.train.joint import train_joint
    from burnqed.train.sft import Pairs, train_sft

    if context.config.policy.thinking:
        raise BadInput(
            "policy.thinking is for models that are not trained here, as tactic pairs hold no thoughts; leave it out of a run."
        )
    store, layout = context.store, context.layout
    tables = (proof_pairs(rows) for rows in rows_of(store, unit.sources["searched"]))
    found_pairs = [TacticPair(**row, source="search") for pairs in tables for row in pairs.to_pylist()]
    base = fetch_once(store, layout.base, context.models)
    pairs = Pairs(list(weighted_pairs(store, layout.data)), found_pairs)
    options: dict[str, Any] = {
        "iteration": context.iteration,
        "template": TEMPLATES[context.config.policy.template],
        "workdir": context.workdir,
        "checkpoints": Checkpoints(store, f"{unit.root}/{CHECKPOINT}"),
        "previous": next((fetch_once(store, before, context.models) for before in unit.sources["previous"]), None),
        "should_stop": context.stop.is_set,
    }
    if "trajectories" in unit.sources:
        examples = head_examples(store, unit)
        outcome, _ = await asyncio.to_thread(train_joint, base, pairs, examples, context.config, **options)
    else:
        fraction = context.config.data.validation_fraction
        outcome = await asyncio.to_thread(
            train_sft, base, pairs, context.config.sft, validation_fraction=fraction, **options
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


def read_contrastive(store: Store, prefix: str) -> list[LossPoint]:
    """The curve of InfoNCE of a finished joint training; empty for a fine-tuning."""
    file = f"{output(store, prefix)}/{JOINT_OUTCOME}"
    rows = store.read_json(file)["rows"] if store.exists(file) else []
    return [
        LossPoint(step=r["step"], train=r["contrastive"], evaluation=r["metrics"].get("loss", {}).get("value"))
        for r in rows
    ]


WORK = Work(units, run)
