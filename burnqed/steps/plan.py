"""plan: reads the records and decides what has to be done. Writes `yes`/`no` per step and the indices of unfinished shards into
$BURNQED_OUTPUTS, from which the workflow takes its conditions and fan-outs.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from burnqed import head
from burnqed.branch import check_branch
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.lean import backends
from burnqed.log import log
from burnqed.record import Record, look, read_record
from burnqed.remembered import remember
from burnqed.snapshot import Snapshot
from burnqed.steps.base import Command, Context, Unit, Verdict, check_own, input_digests, judge, key_of
from burnqed.steps.budget import check_budget
from burnqed.steps.models import searches
from burnqed.steps.table import Step, loop
from burnqed.store import Store

DONE = ("no", "[]")
"""Values written for a step that has nothing to do."""


@dataclass(frozen=True)
class Planned:
    """One output folder of an iteration, and the verdict on it."""

    step: Step
    shard: int
    label: str
    verdict: Verdict
    record: Record | None
    """The record of the finished output in the folder, if there is one."""


@dataclass(frozen=True)
class Superseded:
    """Finished outputs that a plan would redo."""

    labels: list[str]
    """The outputs, each with the reason."""
    seconds: float
    """How long they took to make; `dollars` is what that cost."""
    dollars: float
    is_done: bool
    """Whether the plan would redo nothing, and make nothing new."""


async def run(context: Context, *, only: str) -> None:
    """Plans the whole loop, or the tasks in `only`, separated by commas. Planning the data makes the configuration the run's own.

    Raises BadInput for an unknown Lean backend or head, and as `plan` does.
    """
    backends.check(context.config.lean.backend)
    if context.config.ebm.enabled:
        head.check(context.config.ebm.head)
    tasks = only.split(",") if only else [step.task for step in loop()]
    steps = [step for step in loop() if step.task in tasks]
    check_branch(context.store, context.layout)
    listed = context.config.search.enabled
    if isinstance(listed, list) and not searches(context.config, context.iteration):
        log.warning(
            "iteration %d does not search: search.enabled is %s; where others are to learn from what it would find, give --set search.enabled=true",
            context.iteration,
            listed,
        )
    outputs = plan(steps, context)
    if folder := os.environ.get("BURNQED_OUTPUTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, value in outputs.items():
            Path(folder, name).write_text(value, encoding="utf-8")
    if "data" in tasks:
        remember(context.store, context.layout.run, context.config)
    for step in steps:
        if outputs[step.output] in DONE:
            step.work.finished(context)


def plan(steps: Sequence[Step], context: Context) -> dict[str, str]:
    """The workflow's parameters by name, such as `data` → yes/no, `search-shards` → [0, 2]; logs the reasons.

    Raises BadInput as `planned` does, and when the store is not writable or the run has reached its cost limit.
    """
    context.store.check_writable()
    check_budget(context.store, context.layout.run, context.config.cost.max_dollars, context.account)
    todo: dict[Step, set[int]] = {}
    for output in planned(steps, context):
        level = logging.WARNING if output.verdict.kept else logging.INFO
        log.log(level, "%s: %s", output.label, output.verdict.text)
        if output.verdict.miss:
            todo.setdefault(output.step, set()).add(output.shard)
    shards = {step: sorted(todo.get(step, ())) for step in steps}
    outputs = {s.output: json.dumps(shards[s]) if s.sharded else "yes" if shards[s] else "no" for s in steps}
    return outputs | {s.former_output: outputs[s.output] for s in steps if s.former}


def superseded(steps: Sequence[Step], context: Context) -> Superseded:
    """The finished outputs that would be redone. Raises BadInput as `planned` does."""
    misses = [output for output in planned(steps, context) if output.verdict.miss]
    lost = [(output, output.record) for output in misses if output.record]
    labels = [f"{output.label} ({output.verdict.miss})" for output, _ in lost]
    return Superseded(labels, sum(r.seconds for _, r in lost), sum(r.dollars for _, r in lost), is_done=not misses)


def planned(steps: Sequence[Step], context: Context) -> Iterator[Planned]:
    """Yields every output of the iteration, in the order of the steps.

    Raises BadInput if an input that no step of this iteration makes is missing (the previous iteration is incomplete).
    """
    layout = context.layout
    require_predecessor(context.store, layout)
    iterations = (layout.at(number).root for number in range(context.iteration + 1))
    snapshot = Snapshot(context.store, [layout.benchmarks, layout.data, layout.lemmas, layout.base, *iterations])
    context = replace(context, store=snapshot)
    verdicts: dict[str, Verdict] = {}
    for step in steps:
        here = context.at(stage=step.stage)
        for shard in range(step.work.shards(here)) if step.work.needed(here) else ():
            at = here.at(shard=shard)
            for unit in step.work.units(at):
                record, damage = look(snapshot, unit.prefix)
                verdict = verdicts[unit.prefix] = foreseen(step, at, unit, record, damage, verdicts)
                check_own(at, unit, verdict)
                yield Planned(step, shard, unit.prefix.removeprefix(f"{layout.run}/"), verdict, record)


def require_predecessor(store: Store, layout: Layout) -> None:
    """Raises BadInput if the previous iteration is not finished."""
    before = layout.iteration - 1
    if before >= 0 and read_record(store, layout.at(before).report) is None:
        raise BadInput(
            f"Iteration {before} of the run {layout.at(before).run!r} in {store.uri} is not finished, and iteration "
            f"{layout.iteration} builds on it; run it first, with --iter {before}."
        )


def foreseen(
    step: Step, context: Context, unit: Unit, record: Record | None, damage: str, verdicts: Mapping[str, Verdict]
) -> Verdict:
    """The verdict on a unit whose inputs may still have to be made; `verdicts` are those on earlier units."""
    before = {prefix: verdicts.get(prefix, Verdict()) for prefix in unit.inputs}
    redone = {prefix: verdict for prefix, verdict in before.items() if verdict.miss}
    digests = input_digests(context, unit, without=redone)
    difference = ""
    if record is not None:
        known = {prefix: digest for prefix, digest in record.key.inputs.items() if prefix not in redone}
        recorded = record.key.model_copy(update={"inputs": known})
        difference = key_of(step, context, unit, digests).difference(recorded, unit.ignores)
        if redone and not difference:
            difference = f"{next(iter(redone)).removeprefix(f'{context.layout.run}/')} is redone"
    verdict = judge(step, context, unit, record, difference, damage)
    inherited = next((earlier.kept for earlier in before.values() if earlier.kept), "")
    return verdict if verdict.miss or verdict.kept else Verdict(kept=inherited)


COMMAND = Command(run)
