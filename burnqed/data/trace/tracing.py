"""A tracing, from what is traced to part files; `output.write` makes of these what it leaves.

    given = await proofs_at("proofs.parquet", config, "traced")
    parts = await trace_proofs(given, Way.FRONTEND, config, store, "pairs.parquet.parts", stop=stop)
    write([parts], TraceReport(source="proofs.parquet", way="frontend"), store, "pairs.parquet")

The same call continues one that was interrupted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack

from burnqed.config import LeanConfig
from burnqed.data.split import unit_interval
from burnqed.data.trace import leandojo
from burnqed.data.trace.ahead import before
from burnqed.data.trace.items import Proofs
from burnqed.data.trace.parts import MOST_BAD, Parts
from burnqed.data.trace.ways import Way, opened, version_of
from burnqed.key import digest_of
from burnqed.store import Store

VERSION = 2
"""Raised by hand when what a tracing makes of the same steps changes; parts of another version are not continued."""
FIRST = 0.2
"""Share of the items that is traced first."""

Wanted = Callable[[str], bool]
"""Whether an item is, by its name."""


def everything(item: str) -> bool:
    return True


def is_first(item: str) -> bool:
    """Whether an item is in the sample with which training can start: a function of its name alone."""
    return unit_interval("trace", item) < FIRST


def key_of_proofs(given: Proofs, way: Way, config: LeanConfig) -> str:
    """What their parts depend on. Raises BadInput where the way's Lean is not installed."""
    return digest_of([VERSION, way, version_of(way, config), given.digest])


def key_of_repository(repository: leandojo.Repository, source: str) -> str:
    """What its parts depend on. Raises BadInput where LeanDojo is not installed."""
    return digest_of([VERSION, "leandojo", leandojo.version(), str(repository), source])


async def trace_proofs(
    given: Proofs,
    way: Way,
    config: LeanConfig,
    store: Store,
    prefix: str,
    is_wanted: Wanted = everything,
    *,
    stop: asyncio.Event,
) -> Parts:
    """The wanted proofs, in parts below `prefix`. Raises BadInput where the way's Lean is not installed, TryAgain when `stop` is set."""
    parts = Parts(store, prefix, key_of_proofs(given, way, config))
    missing = sum(1 for _ in given.remaining(parts.done, is_wanted))
    if missing:
        async with AsyncExitStack() as stack:
            traced = await before(stop, stack.enter_async_context(opened(way, config)))
            results = traced(given.remaining(parts.done, is_wanted))
            await parts.fill(results, total=missing + len(parts.done), label="proofs", stop=stop)
    return parts


async def trace_repository(
    repository: leandojo.Repository,
    source: str,
    store: Store,
    prefix: str,
    is_wanted: Wanted = everything,
    *,
    stop: asyncio.Event,
    disk_gb: float = leandojo.NEEDED_GB,
    most_bad: float = MOST_BAD,
) -> Parts:
    """The wanted files of the repository, in parts below `prefix`; those of the first sample before others. `source`: what the names begin with.

    Raises BadInput when too many files are bad, and as `leandojo.traced_files` does; TryAgain when `stop` is set.
    """
    parts = Parts(store, prefix, key_of_repository(repository, source))
    files = {file.path.as_posix(): file for file in leandojo.traced_files(repository, disk_gb)}
    wanted = sorted(filter(is_wanted, files), key=lambda path: (not is_first(path), path))
    missing = [files[path] for path in wanted if path not in parts.done]
    await parts.fill(leandojo.results(missing, source), total=len(wanted), label="files", stop=stop, most_bad=most_bad)
    return parts
