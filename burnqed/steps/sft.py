"""sft: fine-tunes the policy on known proofs and on those that earlier iterations found; or trains it jointly with the search's head."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from itertools import islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from burnqed.config import RunConfig
from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.split import unit_interval
from burnqed.errors import BadInput, TryAgain
from burnqed.evaluate.report import JointFigures, LossPoint
from burnqed.layout import Layout
from burnqed.log import log
from burnqed.modelcache import fetch_once
from burnqed.policy.template import bare_template
from burnqed.record import output, read_record
from burnqed.steps import ebm, lemmas
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.data import read_pairs
from burnqed.steps.facts import SftFacts
from burnqed.steps.models import is_joint
from burnqed.steps.trajectories import (
    explored_before,
    head_examples,
    known_proof_sources,
    replayed_before,
    rows_of,
    searched_before,
)
from burnqed.store import Store
from burnqed.trajectory.reader import Preference, preferences, proof_pairs

if TYPE_CHECKING:
    from burnqed.train.sft import SftOutcome

CHECKPOINT = "checkpoint.pt"
OUTCOME = "sft.json"
JOINT_OUTCOME = "joint.json"
"""`OUTCOME_FILE` of `burnqed.train.sft` and of `burnqed.train.joint`, repeated here so as not to import torch."""


NOT_AT_FIRST = frozenset(
    {
        "sft.start",
        "sft.learning_rate_decay",
        "sft.later_steps",
        "sft.base_pairs",
        "sft.trajectory_upsample",
        "sft.preferences",
        "sft.preference_beta",
        "sft.preference_pairs",
    }
)
"""Settings that only iterations after 0 depend on."""


def unused(iteration: int) -> frozenset[str]:
    """Settings of fine-tuning that an iteration does not depend on: changing them does not make it anew."""
    return NOT_AT_FIRST if iteration == 0 else frozenset()


def previous(context: Context) -> list[str]:
    """The adapter or model that iteration N > 0 continues from, if so configured; none where no earlier iteration has trained an adapter."""
    if context.iteration == 0 or context.config.sft.start == "base":
        return []
    if context.config.sft.start == "merged":
        return [context.layout.at(context.iteration - 1).model]
    return next(
        ([at.adapter] for i in reversed(range(context.iteration)) if is_trained(context, at := context.layout.at(i))),
        [],
    )


def is_trained(context: Context, layout: Layout) -> bool:
    """Whether an earlier iteration's model was trained there, as far as is known: a raw model's record names no adapter."""
    record = read_record(context.store, layout.model)
    return record is None or layout.adapter in record.key.inputs


def units(context: Context) -> list[Unit]:
    layout, searched = context.layout, searched_before(context) if context.config.sft.found_proofs else []
    sources = {"data": [layout.data], "base": [layout.base], "searched": searched, "previous": previous(context)}
    sources |= lemmas.sources(context)
    if not is_joint(context):
        if context.config.sft.preferences and context.config.sft.found_proofs:
            sources["replayed"] = replayed_before(context)
        return [Unit(layout.adapter, sources, ignores=unused(context.iteration))]
    sources |= {"trajectories": explored_before(context), **known_proof_sources(context)}
    reads = ("joint", "ebm", "policy.embed_max_tokens", "policy.embedding")
    return [Unit(layout.adapter, sources, reads=reads, parameters=ebm.learning_parameters(context.config))]


async def run(context: Context, unit: Unit) -> SftFacts:
    import torch

    from burnqed.train import parallel

    store = context.store
    config, workdir, models = context.config, context.workdir, context.models
    gpus = torch.cuda.device_count()
    number = config.sft.processes or max(1, gpus)
    if 0 < gpus < number:
        raise BadInput(f"sft.processes is {number}, and there are {gpus} GPUs for them; lower it.")
    arguments = (store.uri, config, unit, context.layout, workdir, models)
    if number == 1:
        outcome = await asyncio.to_thread(train, *arguments, context.stop.is_set)
    else:
        log.info("fine-tuning in %d processes", number)
        for prefix in (context.layout.base, *unit.sources["previous"]):
            fetch_once(store, prefix, models)  # here, as otherwise each of them would
        outcome = await asyncio.to_thread(parallel.run, number, train, arguments, context.stop.is_set)
    if context.iteration > 0 and config.sft.preferences and outcome.preference_loss is None:
        log.warning("sft.preferences had no effect: at no state of a found or replayed proof was a tactic refused")
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
        preference_loss=outcome.preference_loss,
        tokens_per_s=outcome.tokens_per_s,
    )


def train(
    uri: str,
    config: RunConfig,
    unit: Unit,
    layout: Layout,
    workdir: Path,
    models: Path,
    should_stop: Callable[[], bool],
) -> SftOutcome:
    """Trains the unit's adapter into the folder `workdir`: alone, or as one of several processes."""
    from burnqed.train.checkpoint import Checkpoints
    from burnqed.train.joint import train_joint
    from burnqed.train.sft import Pairs, train_sft

    store = Store(uri, known=True)
    if layout.iteration > 0 and not unit.sources["previous"]:  # there may have been only raw models so far
        config = config.model_copy(update={"sft": config.sft.model_copy(update={"start": "base"})})
    found_pairs, preferred = [], list[Preference]()
    for rows in rows_of(store, unit.sources["searched"]):
        found_pairs += [TacticPair(**row, source="search") for row in proof_pairs(rows).to_pylist()]
        preferred += preferences(rows) if config.sft.preferences else ()
    for rows in rows_of(store, unit.sources.get("replayed", ())):
        preferred += preferences(rows)
    base = fetch_once(store, layout.base, models)
    pairs = Pairs(list(weighted_pairs(store, layout.data)), found_pairs, preferred)
    options: dict[str, Any] = {
        "iteration": layout.iteration,
        "template": bare_template(config.policy).offering(config.policy.lemmas, lemmas.retrieval(store, unit)),
        "workdir": workdir,
        "checkpoints": Checkpoints(store, f"{unit.root}/{CHECKPOINT}"),
        "previous": next((fetch_once(store, before, models) for before in unit.sources["previous"]), None),
        "should_stop": should_stop,
    }
    if "trajectories" in unit.sources:
        return train_joint(base, pairs, head_examples(store, unit, config.ebm), config, **options)[0]
    return train_sft(base, pairs, config.sft, validation_fraction=config.data.validation_fraction, **options)


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


def read_joint(store: Store, prefix: str, *, accepted: bool) -> JointFigures | None:
    """What a finished joint training measured; None for a fine-tuning. `accepted`: whether its head was."""
    file = f"{output(store, prefix)}/{JOINT_OUTCOME}"
    if not store.exists(file):
        return None
    document = store.read_json(file)
    curve, measured = [], []
    for row in document["rows"]:
        metrics = {name: metric["value"] for name, metric in row["metrics"].items()}
        curve.append(LossPoint(step=row["step"], train=row["contrastive"], evaluation=metrics.get("loss")))
        if metrics:
            measured.append({name: row[name] for name in ("step", "evaluation", "temperature")} | metrics)
    return JointFigures(contrastive=curve, measured=measured, kept_step=document["kept_step"], accepted=accepted)


WORK = Work(units, run, needed=lambda context: context.config.sft.enabled)
