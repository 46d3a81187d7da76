"""export: writes the fine-tuned model in the data type it is served in, and checks that it writes a tactic."""

from __future__ import annotations

import asyncio

from burnqed.modelcache import fetch_once
from burnqed.policy.template import TEMPLATES
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.data import read_pairs
from burnqed.steps.facts import ModelFacts


def whole_model(context: Context) -> str:
    """The whole model that the adapter was trained on."""
    if context.iteration > 0 and context.config.sft.start == "merged":
        return context.layout.at(context.iteration - 1).model
    return context.layout.base


def units(context: Context) -> list[Unit]:
    layout = context.layout
    return [Unit(layout.model, {"adapter": [layout.adapter], "start": [whole_model(context)], "data": [layout.data]})]


async def run(context: Context, unit: Unit) -> ModelFacts:
    from burnqed.train.export import export_model

    store, target = context.store, context.workdir / "model"
    outcome = await asyncio.to_thread(
        export_model,
        fetch_once(store, unit.source("start"), context.models),
        fetch_once(store, unit.source("adapter"), context.models),
        target,
        context.config.policy.dtype,
        [state for batch in read_pairs(store, unit.source("data")) for state in batch["state"].to_pylist()],
        TEMPLATES[context.config.policy.template],
    )
    store.upload(target, unit.root)
    return ModelFacts(
        version=outcome.version,
        parameters=outcome.parameters,
        sample_tactic=outcome.sample_tactic,
        sample_log_prob=outcome.sample_log_prob,
    )


WORK = Work(units, run)
