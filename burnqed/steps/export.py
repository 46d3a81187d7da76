"""export: the fine-tuned model in its serving type, shown to write a tactic."""

from __future__ import annotations

import asyncio

from burnqed.data.pairs import read_pairs
from burnqed.modelcache import fetch_once
from burnqed.steps.base import Context, Facts, Step, Unit


def start(context: Context) -> str:
    """The whole model that the adapter belongs to."""
    if context.iteration > 0 and context.config.sft.start == "merged":
        return context.layout.at(context.iteration - 1).model
    return context.layout.base


def units(context: Context) -> list[Unit]:
    layout = context.layout
    return [Unit(layout.model, (layout.adapter, start(context), layout.data))]


async def run(context: Context, unit: Unit) -> Facts:
    from burnqed.train.export import export_model

    store, layout = context.store, context.layout
    states = [pair.state for pair in read_pairs(store, f"{layout.data}/pairs.jsonl")]
    target = context.workdir / "model"
    outcome = await asyncio.to_thread(
        export_model,
        fetch_once(store, start(context), context.models),
        fetch_once(store, layout.adapter, context.models),
        target,
        context.config.policy,
        states,
    )
    store.upload(target, unit.prefix)
    return {
        "version": outcome.version,
        "parameters": outcome.parameters,
        "sample_tactic": outcome.sample_tactic,
        "sample_log_prob": outcome.sample_log_prob,
    }


STEP = Step("export", 1, ("policy.dtype", "sft.start"), units, run, gpu=True)
