"""What a step does: a function from the store to the store, run once per key. Which steps there are: `burnqed.steps.table`.

A step writes one or more units. A unit is an output folder with the inputs (other units' folders) it is made from. `execute`
compares the unit's key with the record that lies there: `hit` and nothing happens, or `miss, because …` and it is made.
While it is made, a step sees no more of the configuration than what it declares, and so has in its key, and values of operation,
which decide nothing. Which units there are, of which inputs and with which arguments, may depend on all of it, for those are in the key.

It is written into a revision, a folder named after the key. A revision that was cut off is continued by whoever makes the unit under the
same key; the unit's old output stands until the new one is whole.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from burnqed import modelcache
from burnqed.config import RunConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.key import Key
from burnqed.layout import STARTED, SUPERSEDED, Layout
from burnqed.log import log
from burnqed.record import REVISION_DIGITS, Record, look, read_record, revision_folder, write_record
from burnqed.snapshot import Snapshot
from burnqed.steps.budget import check_budget
from burnqed.steps.facts import Fact, Facts
from burnqed.steps.table import Step
from burnqed.store import Store


@dataclass(frozen=True)
class Context:
    """What every step is given."""

    store: Store
    layout: Layout
    config: RunConfig
    workdir: Path
    """An empty local folder, removed afterwards."""
    recorded: RunConfig = field(default_factory=RunConfig)
    """While a unit is made: the whole configuration, to be shown, since `config` has only what the unit's key has."""
    stage: str = ""
    shard: int = 0
    redo: frozenset[str] = frozenset()
    policy_url: str | None = None
    score_url: str | None = None
    """Addresses of the sidecar: for candidates, and for embeddings and energies."""
    account: str = ""
    """Where it is noted what the work costs (`burnqed.ledger`)."""
    dollars_per_hour: float = 0.0
    """What the work costs."""
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by SIGTERM: finish what is at hand, keep it, and end."""

    @property
    def iteration(self) -> int:
        return self.layout.iteration

    @property
    def models(self) -> Path:
        """Where models out of the store are kept: the workflow's volume, or the step's own folder."""
        return Path(os.environ.get(modelcache.VARIABLE, self.workdir / "models"))

    def at(self, *, stage: str | None = None, shard: int | None = None) -> Context:
        return replace(self, stage=self.stage if stage is None else stage, shard=self.shard if shard is None else shard)


@dataclass(frozen=True)
class Unit:
    """One output folder."""

    prefix: str
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Folders that it is made from, by what they are to the step; their records' digests enter the key."""
    name: str = ""
    """Which of the outputs of the same step and shard it is."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Arguments that change the meaning of the step."""
    reads: tuple[str, ...] = ()
    """Of the configuration, besides what its step declares."""
    revision: str = ""
    """While it is made: the folder, inside the unit's, that it is written to."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """All that it is made from."""
        return tuple(dict.fromkeys(prefix for folders in self.sources.values() for prefix in folders))

    def source(self, name: str) -> str:
        """The only folder of these."""
        (folder,) = self.sources[name]
        return folder

    @property
    def root(self) -> str:
        """Where the output is written."""
        return revision_folder(self.prefix, self.revision)

    def parameter(self, name: str) -> str:
        return dict(self.parameters)[name]


def once(_: Context) -> int:
    return 1


def always(_: Context) -> bool:
    return True


def nothing(_: Context) -> None:
    pass


@dataclass(frozen=True)
class Work:
    """What a step of the loop does: the `WORK` of its file."""

    units: Callable[[Context], list[Unit]]
    """Units of the context's stage and shard."""
    run: Callable[[Context, Unit], Awaitable[Facts | None]]
    """Writes a unit; its context's configuration has only what the step declares. None when it was stopped."""
    shards: Callable[[Context], int] = once
    needed: Callable[[Context], bool] = always
    """Whether this iteration has the step (at the context's stage) at all."""
    finished: Callable[[Context], None] = nothing
    """What is left to do where all of its units are there."""


@dataclass(frozen=True)
class Command:
    """What a step outside the loop does: the `COMMAND` of its file."""

    run: Callable[..., Awaitable[None]]
    """Is given the context, and the options that the table names."""
    ask: Callable[..., None] = nothing
    """Of a row that asks: is given the store, the layout, those options, and `yes`. Raises BadInput on a no."""


def view(step: Step, context: Context, unit: Unit) -> RunConfig:
    """What is to be seen of the configuration while a unit is made."""
    return context.config.only((*step.reads, *unit.reads))


def key_of(step: Step, context: Context, unit: Unit, inputs: dict[str, str]) -> Key:
    settings = view(step, context, unit).meaning()
    name = step.former or step.name
    return Key(step=name, version=step.version, parameters=dict(unit.parameters), settings=settings, inputs=inputs)


def input_digests(context: Context, unit: Unit, without: Collection[str] = ()) -> dict[str, str]:
    """Digest of each input, but for some. Raises BadInput for one that is not finished, Damaged."""
    store = Snapshot.of(context.store, unit.inputs)
    digests = {}
    for prefix in unit.inputs:
        if prefix in without:
            continue
        record = read_record(store, prefix)
        if record is None:
            raise BadInput(
                f"{context.store.locate(prefix)} is not finished, and {context.store.locate(unit.prefix)} is made from it; "
                "run the earlier steps (or the earlier iteration) first."
            )
        digests[prefix] = record.digest
    return digests


@dataclass(frozen=True)
class Verdict:
    """What is to be done about a unit."""

    miss: str = ""
    """Why it has to be made; empty for a hit."""
    kept: str = ""
    """Of a hit: what it is, or is made from, that the present configuration would make otherwise, and why."""

    @property
    def text(self) -> str:
        return f"miss, because {self.miss}" if self.miss else f"hit, but {self.kept}" if self.kept else "hit"


def judge(
    step: Step, context: Context, unit: Unit, record: Record | None, difference: str, damage: str = ""
) -> Verdict:
    """`difference` of the unit's key from the one in its record, which is None for one that is not finished."""
    if step.name in context.redo:
        return Verdict("a redo was asked for")
    if damage:
        return Verdict(f"it is damaged: {damage}")
    if record is None:
        cut_off = any(path.endswith(f"/{STARTED}") for path in context.store.files(unit.prefix))
        return Verdict("it was cut off" if cut_off else "there is no output yet")
    if difference and step.kept:
        label = unit.prefix.removeprefix(f"{context.layout.run}/")
        return Verdict(kept=f"{label} was kept although {difference}; --redo {step.name} makes it anew")
    return Verdict(difference)


async def execute(step: Step, context: Context) -> None:
    """Makes every unit of the step (at the context's stage and shard) that is not there yet. Raises BadInput for a shard that it does not have."""
    if context.shard >= (number := step.work.shards(context)):
        raise BadInput(
            f"The step {step.name} has {number} shard(s) here, counted from 0, and none is {context.shard}; give a smaller --shard."
        )
    for unit in step.work.units(context):
        key = key_of(step, context, unit, input_digests(context, unit))
        record, damage = look(context.store, unit.prefix)
        verdict = judge(step, context, unit, record, key.difference(record.key) if record else "", damage)
        label = unit.prefix.removeprefix(f"{context.layout.run}/")
        log.log(logging.WARNING if verdict.kept else logging.INFO, "%s: %s", label, verdict.text)
        if not verdict.miss:
            continue
        check_budget(context.store, context.layout.run, context.config.cost.max_dollars, context.account)
        started = datetime.now(UTC)
        unit = replace(unit, revision=begin(context.store, unit, key, record))
        at_work = replace(context, config=view(step, context, unit), recorded=context.config)
        facts = await step.work.run(at_work, unit)
        if facts is None or context.stop.is_set():
            raise TryAgain(f"{label} was stopped before its end; the same command continues it.")
        made = write_record(
            context.store,
            unit.prefix,
            key,
            context.config,
            facts.document(),
            started,
            revision=unit.revision,
            dollars_per_hour=context.dollars_per_hour,
        )
        log.info(
            "%s: done in %.1f s %s", label, made.seconds, " ".join(f"{k}={show(v)}" for k, v in made.facts.items())
        )
    step.work.finished(context)


def show(value: Fact) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def begin(store: Store, unit: Unit, key: Key, present: Record | None) -> str:
    """The revision to write under this key: the one that was begun last, or the next where that one is or was the unit's output."""
    name = key.digest[:REVISION_DIGITS]
    files = store.files(unit.prefix)
    begun = re.compile(rf"{re.escape(unit.prefix)}/{name}(?:-(\d+))?/")
    last = max((int(found[1] or 1) for path in files if (found := begun.match(path))), default=1)
    revision = name if last == 1 else f"{name}-{last}"
    if (present and present.revision == revision) or f"{unit.prefix}/{revision}/{SUPERSEDED}" in files:
        revision = f"{name}-{last + 1}"
    store.write_text(f"{unit.prefix}/{revision}/{STARTED}", key.digest)
    return revision
