"""Steps: functions from the store to the store, run once per key. `burnqed.steps.table` lists them.

A step writes one or more units. A unit is an output folder together with the inputs (other units' folders) that it is made from. `execute`
compares the unit's key with the record in that folder: on a `hit` nothing happens, on a `miss, because …` the unit is made. While making it,
the step sees only the configuration values that it declares, which are in its key, and operational values, which do not affect the output.
Which units there are, with which inputs and arguments, may depend on the whole configuration, because inputs and arguments are in the key.

The output goes into a revision, a folder named after the key. A revision that was cut off is continued by the next attempt under the same
key; the unit's old output stays in force until the new one is complete.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from burnqed import modelcache
from burnqed.config import RunConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.key import Key
from burnqed.layout import STARTED, SUPERSEDED, Layout
from burnqed.lean.backends import EMBEDDED, open_unlimited
from burnqed.log import log
from burnqed.record import REVISION_DIGITS, Record, look, read_record, revision_folder, write_record
from burnqed.snapshot import Snapshot
from burnqed.steps.budget import check_budget
from burnqed.steps.facts import Facts
from burnqed.steps.table import Step
from burnqed.store import Store


@dataclass(frozen=True)
class Context:
    """What every step receives."""

    store: Store
    layout: Layout
    config: RunConfig
    workdir: Path
    """An empty local folder, deleted afterwards."""
    recorded: RunConfig = field(default_factory=RunConfig)
    """The whole configuration while a unit is being made, for reports: `config` is then reduced to what the step may read."""
    stage: str = ""
    shard: int = 0
    redo: frozenset[str] = frozenset()
    policy_url: str | None = None
    score_url: str | None = None
    """Addresses of the policy server: `policy_url` for candidates, `score_url` for embeddings and energies."""
    account: str = ""
    """The account that the work is charged to (`burnqed.ledger`)."""
    dollars_per_hour: float = 0.0
    """The price of the work, for records."""
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by SIGTERM: finish the item in hand, save it, and end."""

    @property
    def iteration(self) -> int:
        return self.layout.iteration

    @property
    def models(self) -> Path:
        """Where models from the store are cached: the workflow's volume, or the step's own folder."""
        return Path(os.environ.get(modelcache.VARIABLE, self.workdir / "models"))

    def at(self, *, stage: str | None = None, shard: int | None = None) -> Context:
        return replace(self, stage=self.stage if stage is None else stage, shard=self.shard if shard is None else shard)


@dataclass(frozen=True)
class Unit:
    """One output folder, and what it is made from."""

    prefix: str
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Input folders by their role in the step; the digests of their records enter the key."""
    name: str = ""
    """Distinguishes the outputs of one step and shard."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Arguments that change the meaning of the step; they enter the key."""
    reads: tuple[str, ...] = ()
    """Configuration values that it reads besides those its step declares."""
    ignores: Collection[str] = ()
    """Configuration values that its step declares and that this unit does not depend on: they are not in its key, and it does not see them."""
    revision: str = ""
    """The folder, inside the unit's, that this revision is written to while it is being made."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """All input folders, each once."""
        return tuple(dict.fromkeys(chain.from_iterable(self.sources.values())))

    def source(self, name: str) -> str:
        """The only folder with this role."""
        (folder,) = self.sources[name]
        return folder

    @property
    def root(self) -> str:
        """Where the output is written."""
        return revision_folder(self.prefix, self.revision)

    @property
    def shards(self) -> int:
        """The number of shards that its step is divided into."""
        return int(dict(self.parameters)["shards"])


@dataclass(frozen=True)
class Work:
    """The implementation of a step of the loop: the `WORK` of its file."""

    units: Callable[[Context], list[Unit]]
    """Lists the units of the context's stage and shard."""
    run: Callable[[Context, Unit], Awaitable[Facts | None]]
    """Writes a unit. The context's configuration has only what the step declares. Returns None when stopped."""
    shards: Callable[[Context], int] = lambda _: 1
    needed: Callable[[Context], bool] = lambda _: True
    """Whether this iteration has the step (at the context's stage) at all."""
    finished: Callable[[Context], None] = lambda _: None
    """Called when all of the step's units are finished."""


@dataclass(frozen=True)
class Command:
    """The implementation of a step outside the loop: the `COMMAND` of its file."""

    run: Callable[..., Awaitable[None]]
    """Takes the context, and the row's options as keyword arguments."""
    ask: Callable[..., None] = lambda *_, **__: None
    """Asks for confirmation, if the row says so. Takes the store, the layout, the row's options and `yes`. Raises BadInput on a no."""


def view(step: Step, context: Context, unit: Unit) -> RunConfig:
    """The part of the configuration that the step sees while it makes the unit."""
    return context.config.only((*step.reads, *unit.reads), unit.ignores)


def settings_of(config: RunConfig) -> dict[str, object]:
    """What a step sees of the configuration, as its keys have it: the values that decide outputs, and the Lean that `lean.backend` means.

    No step can open a Lean without reading `lean.backend`, so whatever is made with one has its version and its library's in the key. The embedded
    one's is in no key: it comes with the package, and outputs of earlier versions stay valid. Raises as `open_lean` does.
    """
    settings = config.meaning()
    if settings.get("lean.backend", EMBEDDED) != EMBEDDED:
        settings["lean"] = open_unlimited(config.lean).version
    return settings


def key_of(step: Step, context: Context, unit: Unit, inputs: dict[str, str]) -> Key:
    name, settings = step.former or step.name, settings_of(view(step, context, unit))
    return Key(step=name, version=step.version, parameters=dict(unit.parameters), settings=settings, inputs=inputs)


def input_digests(context: Context, unit: Unit, without: Collection[str] = ()) -> dict[str, str]:
    """Digest of each input except those in `without`. Raises BadInput if one is not finished, Damaged if one is damaged."""
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
    """Whether a unit has to be made, and why."""

    miss: str = ""
    """Why it has to be made; empty for a hit."""
    kept: str = ""
    """For a hit: what was kept, the unit or one of its inputs, although the current configuration gives another key; and the difference."""

    @property
    def text(self) -> str:
        return f"miss, because {self.miss}" if self.miss else f"hit, but {self.kept}" if self.kept else "hit"


def judge(
    step: Step, context: Context, unit: Unit, record: Record | None, difference: str, damage: str = ""
) -> Verdict:
    """The verdict on a unit whose key has this `difference` from the one in its record; `record` is None if it is not finished."""
    if step.name in context.redo:
        return Verdict("a redo was asked for")
    if damage:
        return Verdict(f"it is damaged: {damage}")
    if record is None:
        cut_off = any(path.endswith(f"/{STARTED}") for path in context.store.files(unit.prefix))
        return Verdict("it was cut off" if cut_off else "there is no output yet")
    if difference and step.kept:
        label = unit.prefix.removeprefix(f"{context.layout.run}/")
        return Verdict(kept=f"{label} was kept although {difference}; --redo {step.name} redoes it")
    return Verdict(difference)


async def execute(step: Step, context: Context) -> None:
    """Makes the units of the step, at the context's stage and shard, that are missing or out of date. Raises BadInput if there is no such shard."""
    if context.shard >= (number := step.work.shards(context)):
        raise BadInput(
            f"The step {step.name} has {number} shard(s) here, counted from 0, so none is number {context.shard}; give a smaller --shard."
        )
    for unit in step.work.units(context):
        key = key_of(step, context, unit, input_digests(context, unit))
        record, damage = look(context.store, unit.prefix)
        difference = key.difference(record.key, unit.ignores) if record else ""
        verdict = judge(step, context, unit, record, difference, damage)
        check_own(context, unit, verdict)
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
            raise TryAgain(f"{label} was stopped before it was done; the same command continues it.")
        record = write_record(
            context.store,
            unit.prefix,
            key,
            context.config,
            facts.document(),
            started,
            revision=unit.revision,
            dollars_per_hour=context.dollars_per_hour,
        )
        told = (f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in facts.told.items())
        log.info("%s: done in %.1f s %s", label, record.seconds, " ".join(told))
    step.work.finished(context)


def show_in_argo(page: Path, name: str) -> None:
    """In a workflow's pod, puts a page among those that Argo's UI shows."""
    if artifacts := os.environ.get("BURNQED_ARTIFACTS"):
        Path(artifacts).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, Path(artifacts) / name)


def check_own(context: Context, unit: Unit, verdict: Verdict) -> None:
    """Raises BadInput where a branch would have to make what belongs to the run that it branches from."""
    layout = context.layout
    if verdict.miss and layout.origin and not unit.prefix.startswith(f"{layout.run}/"):
        raise BadInput(
            f"{unit.prefix} would be made anew ({verdict.miss}), but {layout.run!r} is a branch of {layout.origin.run!r} and changes nothing there; "
            f"give the settings that {layout.origin.run!r} has, or make it there first."
        )


def begin(store: Store, unit: Unit, key: Key, present: Record | None) -> str:
    """The revision to write under this key: the latest one begun, or a new one if that is or once was the unit's output."""
    name = key.digest[:REVISION_DIGITS]
    files = store.files(unit.prefix)
    begun = re.compile(rf"{re.escape(unit.prefix)}/{name}(?:-(\d+))?/")
    last = max((int(match[1] or 1) for path in files if (match := begun.match(path))), default=1)
    revision = name if last == 1 else f"{name}-{last}"
    if (present and present.revision == revision) or f"{unit.prefix}/{revision}/{SUPERSEDED}" in files:
        revision = f"{name}-{last + 1}"
    store.write_text(f"{unit.prefix}/{revision}/{STARTED}", key.digest)
    return revision
