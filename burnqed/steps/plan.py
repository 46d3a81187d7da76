"""plan: reads the manifests and says what is done. Writes `yes`/`no` per step and the indices of unfinished shards into
$BURNQED_OUTPUTS, from where the workflow takes its conditions and fan-outs.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from burnqed.errors import BadInput
from burnqed.log import log
from burnqed.manifest import read_manifest
from burnqed.snapshot import Snapshot
from burnqed.steps.base import Context, Step, Unit, Verdict, input_digests, judge
from burnqed.steps.budget import check_budget


def plan(steps: Sequence[tuple[Step, str]], context: Context) -> dict[str, str]:
    """The workflow's parameters, by name: `data` → yes/no, `search-shards` → [0, 2].

    Raises BadInput when an input that no step of this iteration makes is missing (the predecessor is incomplete), or when
    the store cannot be written.
    """
    context.store.check_writable()
    check_budget(context.store, context.layout, context.config.cost.max_dollars)
    before = context.iteration - 1
    if before >= 0 and read_manifest(context.store, context.layout.at(before).report) is None:
        raise BadInput(
            f"Iteration {before} of the run {context.layout.run!r} in {context.store.uri} is not finished, and iteration "
            f"{context.iteration} builds on it; run it first, with --iter {before}."
        )
    layout = context.layout
    iterations = (layout.at(number).root for number in range(context.iteration + 1))
    context = replace(context, store=Snapshot(context.store, [layout.data, layout.base, *iterations]))
    planned: dict[str, Verdict] = {}
    outputs = {}
    for step, stage in steps:
        here = context.at(stage=stage)
        shards = range(step.shards(here)) if step.needed(here) else ()
        todo = [shard for shard in shards if unfinished(step, here.at(shard=shard), planned)]
        if step.sharded:
            outputs[f"{step.task(stage)}-shards"] = json.dumps(todo)
        else:
            outputs[step.task(stage)] = "yes" if todo else "no"
    return outputs


def unfinished(step: Step, context: Context, planned: dict[str, Verdict]) -> bool:
    """Whether the step has something to do at this stage and shard; says why. Adds the verdicts on its folders to those of the steps before."""
    units = step.units(context)
    for unit in units:
        verdict = planned[unit.prefix] = foreseen(step, context, unit, planned)
        label = unit.prefix.removeprefix(f"{context.layout.run}/")
        log.log(logging.WARNING if verdict.kept else logging.INFO, "%s: %s", label, verdict.text)
    return any(planned[unit.prefix].miss for unit in units)


def foreseen(step: Step, context: Context, unit: Unit, planned: dict[str, Verdict]) -> Verdict:
    """The verdict on a unit, some of whose inputs may still have to be made."""
    before = {prefix: planned.get(prefix, Verdict()) for prefix in unit.inputs}
    made_anew = {prefix: verdict for prefix, verdict in before.items() if verdict.miss}
    digests = input_digests(context, replace(unit, inputs=tuple(p for p in unit.inputs if p not in made_anew)))
    manifest = read_manifest(context.store, unit.prefix)
    difference = ""
    if manifest is not None:
        known = {prefix: digest for prefix, digest in manifest.key.inputs.items() if prefix not in made_anew}
        difference = step.key(context, unit, digests).difference(manifest.key.model_copy(update={"inputs": known}))
        if made_anew and not difference:
            difference = f"{next(iter(made_anew)).removeprefix(f'{context.layout.run}/')} is made anew"
    verdict = judge(step, context, unit, manifest, difference)
    inherited = next((earlier.kept for earlier in before.values() if earlier.kept), "")
    return verdict if verdict.miss or verdict.kept else Verdict(kept=inherited)


def write_outputs(outputs: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in outputs.items():
        (folder / name).write_text(value, encoding="utf-8")
