"""plan: reads the manifests and says what is done. Writes `yes`/`no` per step and the indices of unfinished shards into
$BURNQED_OUTPUTS, from where the workflow takes its conditions and fan-outs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from burnqed.errors import BadInput
from burnqed.layout import STARTED
from burnqed.log import log
from burnqed.manifest import read_manifest
from burnqed.steps.base import Context, Step, Unit, miss_reason
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
    made_anew: set[str] = set()
    outputs = {}
    for step, stage in steps:
        here = context.at(stage=stage)
        shards = range(step.shards(here)) if step.needed(here) else ()
        todo = [shard for shard in shards if unfinished(step, here.at(shard=shard), made_anew)]
        if step.sharded:
            outputs[f"{step.task(stage)}-shards"] = json.dumps(todo)
        else:
            outputs[step.task(stage)] = "yes" if todo else "no"
    return outputs


def unfinished(step: Step, context: Context, made_anew: set[str]) -> bool:
    """Whether the step has something to do at this stage and shard; says why. Collects the folders it will write."""
    todo = False
    for unit in step.units(context):
        reason = why(step, context, unit, made_anew)
        label = unit.prefix.removeprefix(f"{context.layout.run}/")
        if reason:
            log.info("%s: miss, because %s", label, reason)
            made_anew.add(unit.prefix)
            todo = True
        else:
            log.info("%s: hit", label)
    return todo


def why(step: Step, context: Context, unit: Unit, made_anew: set[str]) -> str:
    digests = {}
    for prefix in unit.inputs:
        manifest = read_manifest(context.store, prefix)
        if prefix in made_anew and not step.kept:
            return "it was cut off" if context.store.exists(f"{unit.prefix}/{STARTED}") else f"{prefix} is made anew"
        if manifest is not None:
            digests[prefix] = manifest.digest
        elif prefix not in made_anew:
            raise BadInput(
                f"{context.store.locate(prefix)} is not finished, and {context.store.locate(unit.prefix)} is made from it; "
                "run the earlier steps first."
            )
    manifest = read_manifest(context.store, unit.prefix)
    if manifest is None and made_anew.intersection(unit.inputs):
        return "there is no output yet"
    return miss_reason(step, context, unit, manifest, step.key(context, unit, digests))


def write_outputs(outputs: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in outputs.items():
        (folder / name).write_text(value, encoding="utf-8")
