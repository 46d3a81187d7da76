"""Trajectories as inputs of later steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa

from burnqed.config import EbmConfig
from burnqed.data.pairs import PAIRS
from burnqed.layout import REPLAYED, shard_folder
from burnqed.log import log
from burnqed.record import read_record
from burnqed.snapshot import Snapshot
from burnqed.steps.base import Context, Unit
from burnqed.steps.data import read_pairs
from burnqed.steps.models import has_searched, learned_variants, search_variants
from burnqed.steps.shards import finished_shards, shard_count
from burnqed.store import Store
from burnqed.trajectory.reader import read_parts

if TYPE_CHECKING:
    from burnqed.train.examples import HeadExamples

KNOWN_PROOFS = "known proofs"
"""The role of the step data's output among the sources of a unit whose head also learns from them."""


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


def searched_iterations(context: Context) -> list[int]:
    """The earlier iterations that searched, and iteration 0 as long as it is not finished."""
    store, layout = context.store, context.layout

    def counts(iteration: int) -> bool:
        at = layout.at(iteration)
        return has_searched(store, at) or (iteration == 0 and read_record(store, at.report) is None)

    return [i for i in range(context.iteration) if counts(i)]


def searched_before(context: Context) -> list[str]:
    """Search shards of all earlier iterations; replays of known proofs are left out, because their pairs are base pairs."""
    return [
        f for i in searched_iterations(context) for f in earlier_shards(context, search_variants(context.config, i), i)
    ]


def replayed_before(context: Context) -> list[str]:
    """Shards of the replays of known proofs in those earlier iterations that replayed any."""
    prefixes = [context.layout.at(i).trajectories(REPLAYED) for i in searched_iterations(context)]
    return [f for prefix in prefixes if context.store.files(prefix) for f in finished_shards(context.store, prefix)]


def explored_before(context: Context) -> list[str]:
    """Shards of all earlier iterations' searches and replays: what a head can learn from."""
    return [
        f for i in searched_iterations(context) for f in earlier_shards(context, learned_variants(context.config, i), i)
    ]


def known_proof_sources(context: Context) -> dict[str, list[str]]:
    """What a unit is made from besides trajectories, if its head also learns from known proofs (`ebm.known_proofs`)."""
    return {KNOWN_PROOFS: [context.layout.data]} if context.config.ebm.known_proofs else {}


def head_examples(store: Store, unit: Unit, config: EbmConfig) -> HeadExamples:
    """Positives and other states in the trajectories that a unit is made from, and states of known proofs, if so configured."""
    from burnqed.train.examples import COLUMNS, HeadExamples
    from burnqed.train.known_paths import known_paths

    tables = rows_of(store, unit.sources["trajectories"], COLUMNS)
    data = unit.sources.get(KNOWN_PROOFS, ())
    paths = [known_paths(PAIRS.rows(read_pairs(store, prefix)), config.known_proofs) for prefix in data]
    for table in paths:
        log.info("states of %d known proofs", table["is_terminal"].to_pylist().count(True))
    return HeadExamples.from_tables(chain(tables, paths))


def own_shards(context: Context, prefix: str, count: int) -> list[str]:
    """Shard folders that this iteration has at `prefix`, finished or not."""
    number = shard_count(context.store, prefix, count)
    return [shard_folder(prefix, shard, number) for shard in range(number)]
