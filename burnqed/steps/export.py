"""export: writes the fine-tuned model, or without fine-tuning the one that there is, in the data type it is served in, and checks that it writes a tactic."""

from __future__ import annotations

import asyncio

from burnqed.config import RunConfig
from burnqed.modelcache import fetch_once
from burnqed.policy.template import bare_template
from burnqed.steps import lemmas
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.base_model import TINY
from burnqed.steps.data import read_pairs
from burnqed.steps.facts import ModelFacts
from burnqed.steps.models import searches


def whole_model(context: Context) -> str:
    """The whole model that the adapter was trained on."""
    if context.iteration > 0 and context.config.sft.start == "merged":
        return context.layout.at(context.iteration - 1).model
    return context.layout.base


def units(context: Context) -> list[Unit]:
    config, layout, offered = context.config, context.layout, lemmas.sources(context)
    if config.sft.enabled:
        sources = {"adapter": [layout.adapter], "start": [whole_model(context)], "data": [layout.data], **offered}
        return [Unit(layout.model, sources)]
    start = layout.at(context.iteration - 1).model if context.iteration > 0 else layout.base
    sources = {"adapter": [], "start": [start], "data": [layout.data], **offered}
    return [Unit(layout.model, sources, parameters=raw(config))]


def raw(config: RunConfig) -> tuple[tuple[str, str], ...]:
    """A parameter of units that are made with a raw model: whether its weights are random, so that it is no surprise if it writes and proves nothing."""
    return (("weights", "random" if config.policy.model == TINY else "trained elsewhere"),)


def is_random(unit: Unit) -> bool:
    return ("weights", "random") in unit.parameters


async def run(context: Context, unit: Unit) -> ModelFacts:
    from burnqed.train.export import export_model

    store, target, policy = context.store, context.workdir / "model", context.config.policy
    is_raw = not unit.sources["adapter"]
    start = fetch_once(store, unit.source("start"), context.models)
    outcome = await asyncio.to_thread(
        export_model,
        start,
        start if is_raw else fetch_once(store, unit.source("adapter"), context.models),
        target,
        policy.dtype,
        [state for batch in read_pairs(store, unit.source("data")) for state in batch["state"].to_pylist()],
        bare_template(policy).offering(policy.lemmas, lemmas.retrieval(store, unit)),
        may_be_silent=is_random(unit) or (is_raw and not searches(context.recorded, context.iteration)),
    )
    store.upload(target, unit.root)
    return ModelFacts(
        version=outcome.version,
        parameters=outcome.parameters,
        sample_tactic=outcome.sample_tactic,
        sample_log_prob=outcome.sample_log_prob,
    )


WORK = Work(units, run)
