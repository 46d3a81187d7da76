"""Trajectories as inputs of later steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from burnqed.layout import shard_folder
from burnqed.record import read_record
from burnqed.snapshot import Snapshot
from burnqed.steps.base import Context
from burnqed.steps.shards import finished_shards, shard_count
from burnqed.store import Store
from burnqed.trajectory.reader import read_parts


def rows_of(store: Store, folders: Sequence[str], columns: list[str] | None = None) -> Iterator[pa.Table]:
    """Yields the parts that the records of finished shard folders list, with these columns."""
    snapshot = Snapshot.of(store, folders)
    for folder in folders:
        record = read_record(snapshot, folder)
        assert record is not None, folder
        yield from read_parts(store, record.paths(folder, ".parquet"), columns)


def earlier_shards(context: Context, variants: Sequence[str], iteration: int) -> list[str]:
    """Shard folders of an earlier iteration. Raises BadInput if one is not finished."""
    layout = context.layout.at(iteration)
    return [folder for v in variants for folder in finished_shards(context.store, layout.trajectories(v))]


def own_shards(context: Context, prefix: str, count: int) -> list[str]:
    """Shard folders that this iteration has at `prefix`, finished or not."""
    number = shard_count(context.store, prefix, count)
    return [shard_folder(prefix, shard, number) for shard in range(number)]
