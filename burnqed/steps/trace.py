"""trace: one shard of what is traced, in parts. `trace-plan` says what that is, `trace-report` joins the shards.

Proofs are divided by the hash of their names. A repository is one shard, because LeanDojo traces it as a whole.
"""

from __future__ import annotations

import os

from pydantic import BaseModel, ValidationError

from burnqed.data.trace.items import proofs_at
from burnqed.data.trace.leandojo import Repository
from burnqed.data.trace.parts import Parts
from burnqed.data.trace.tracing import key_of_proofs, key_of_repository, trace_proofs, trace_repository
from burnqed.data.trace.ways import Way
from burnqed.errors import BadInput
from burnqed.layout import shard_folder
from burnqed.log import in_pod
from burnqed.steps.base import Command, Context
from burnqed.steps.indices import INPUTS
from burnqed.steps.shards import shard_of

FINISHED = "finished.json"


class Finished(BaseModel):
    """In a shard's folder: all its items are in parts."""

    items: int


class Tracing(BaseModel):
    """What is traced, as the plan found it."""

    key: str
    """What the parts depend on besides their items."""
    source: str
    namespace: str
    """What names begin with, of proofs or files that do not say it themselves."""
    way: str
    """For the report."""
    shards: int
    refused: dict[str, str] = {}
    """Theorems that cannot be cut out of their file, with the reasons."""


def folder(context: Context, name: str) -> str:
    return f"{context.layout.run}/traces/{name}"


def shard(context: Context, name: str, tracing: Tracing, number: int) -> str:
    """The folder of a shard's parts."""
    return shard_folder(f"{folder(context, name)}/{tracing.key[:12]}", number, tracing.shards)


def finished(context: Context, name: str, tracing: Tracing, number: int) -> Parts | None:
    """The parts of a shard that has all its items; None of one that was not finished, or has lost some."""
    prefix = shard(context, name, tracing, number)
    if not context.store.exists(f"{prefix}/{FINISHED}"):
        return None
    parts = Parts(context.store, prefix, tracing.key)
    items = Finished.model_validate_json(context.store.read_bytes(f"{prefix}/{FINISHED}")).items
    return parts if len(parts.done) == items else None


def address(context: Context, source: str) -> str:
    """Of proofs; `inputs/…` are in the run's own folder."""
    return context.store.locate(f"{context.layout.run}/{source}") if source.startswith(INPUTS) else source


def planned(context: Context, name: str) -> Tracing | None:
    path = f"{folder(context, name)}/plan.json"
    if not context.store.exists(path):
        return None
    try:
        return Tracing.model_validate_json(context.store.read_bytes(path))
    except ValidationError:
        return None


def read_plan(context: Context, name: str) -> Tracing:
    """Raises BadInput where there is none."""
    tracing = planned(context, name)
    if tracing is None:
        raise BadInput(
            f"There is no plan to trace {name!r} in {context.store.uri}; run the step trace-plan first, with --source."
        )
    return tracing


async def run(context: Context, *, name: str) -> None:
    """Writes the parts that the shard lacks.

    Raises BadInput when there is no such shard, or what was planned has changed, and as a tracing does; TryAgain when it is stopped.
    """
    tracing = read_plan(context, name)
    if context.shard >= tracing.shards:
        raise BadInput(f"The tracing {name!r} has {tracing.shards} shard(s), counted from 0; give a smaller --shard.")
    prefix = shard(context, name, tracing, context.shard)
    if Repository.is_meant(tracing.source):
        if in_pod():  # where only the scratch volume can be written
            os.environ.setdefault("CACHE_DIR", str(context.workdir / "lean_dojo"))
        repository = Repository.parse(tracing.source)
        _check(tracing, key_of_repository(repository, tracing.namespace))
        parts = await trace_repository(repository, tracing.namespace, context.store, prefix, stop=context.stop)
    else:
        config = context.config.lean
        way = Way.usual(config)
        given = await proofs_at(address(context, tracing.source), config, tracing.namespace)
        _check(tracing, key_of_proofs(given, way, config))
        parts = await trace_proofs(
            given,
            way,
            config,
            context.store,
            prefix,
            lambda item: shard_of(item, tracing.shards) == context.shard,
            stop=context.stop,
        )
    context.store.write_text(f"{prefix}/{FINISHED}", Finished(items=len(parts.done)).model_dump_json() + "\n")


def _check(tracing: Tracing, key: str) -> None:
    """Raises BadInput where the shards would not be of one tracing."""
    if key != tracing.key:
        raise BadInput(
            f"{tracing.source}, or what traces it, has changed since trace-plan; run the workflow trace again."
        )


COMMAND = Command(run)
