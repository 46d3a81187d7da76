"""Reads trajectories: only the parts that a record (`_SUCCESS`) lists, never whatever else is in a folder.

    record = read_record(store, prefix)
    for rows in read_parts(store, record.paths(prefix, ".parquet")):
        results = theorem_results(rows)
        pairs = proof_pairs(rows)       # PAIRS: for fine-tuning

A part holds whole theorems, so both may be taken part by part. What the head learns from: `burnqed.train.examples`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from burnqed.lean.protocol import TacticStatus
from burnqed.parquet import read_parquet
from burnqed.store import Store
from burnqed.trajectory.schema import SCHEMA, SearchStatistics, TheoremResult

PAIRS = pa.schema(
    [
        pa.field("theorem", pa.string(), nullable=False),
        pa.field("state", pa.string(), nullable=False),
        pa.field("tactic", pa.string(), nullable=False),
        pa.field("state_after", pa.string(), nullable=False),  # "" when no goals remain
        pa.field("depth", pa.int32(), nullable=False),  # of `state`: tactics before this one
        pa.field("num_goals", pa.int32(), nullable=False),  # of `state`
        pa.field("log_prob", pa.float32()),  # of `tactic`; null where the policy did not propose it
    ]
)

Key = tuple[str, int]
"""Theorem and sample: `state_id` is unique within these."""


def read_part(store: Store, path: str, columns: list[str] | None = None) -> pa.Table:
    """The rows of one part; columns that its writer did not know yet are null. Raises BadInput when it is missing or not Parquet."""
    wanted = SCHEMA.names if columns is None else columns
    rows = read_parquet(store, path, columns)
    return pa.concat_tables([SCHEMA.empty_table().select(wanted), rows], promote_options="default").select(wanted)


def read_parts(store: Store, paths: Iterable[str], columns: list[str] | None = None) -> Iterator[pa.Table]:
    for path in paths:
        yield read_part(store, path, columns)


def theorem_results(rows: pa.Table) -> list[TheoremResult]:
    """The root rows as results, in the order of the rows."""
    fields = [name for name in TheoremResult.model_fields if name not in ("name", "statistics")]
    roots = rows.filter(pc.is_valid(rows["status"])).select(["theorem", "statistics", *fields])
    return [
        TheoremResult(
            name=row["theorem"],
            statistics=SearchStatistics.model_validate_json(row["statistics"]),
            **{name: row[name] for name in fields if row[name] is not None},
        )
        for row in roots.to_pylist()
    ]


def proof_pairs(rows: pa.Table) -> pa.Table:
    """The steps of all checked proofs, of type PAIRS, in the order of each proof."""
    pairs = [
        {
            "theorem": after["theorem"],
            "state": before["state"],
            "tactic": after["tactic"],
            "state_after": after["state"],
            "depth": before["depth"],
            "num_goals": before["num_goals"],
            "log_prob": after["log_prob"],
        }
        for path in _paths(rows).values()
        for before, after in pairwise(path)
    ]
    return pa.Table.from_pylist(pairs, schema=PAIRS)


class Preference(NamedTuple):
    """At a state of a checked proof: the proof's tactic, and one that Lean refused."""

    theorem: str
    state: str
    chosen: str
    rejected: str


def preferences(rows: pa.Table) -> Iterator[Preference]:
    """Every tactic of the policy that Lean refused with an error at a state of a checked proof, beside the proof's own."""
    names = ["theorem", "sample", "state_id", "parent_id", "state", "tactic"]
    states: dict[tuple[Key, int], str] = {}
    chosen: dict[tuple[Key, int], str] = {}
    for row in rows.filter(rows["on_proof_path"]).select(names).to_pylist():
        search = row["theorem"], row["sample"]
        states[search, row["state_id"]] = row["state"]
        if row["tactic"]:
            chosen[search, row["parent_id"]] = row["tactic"]
    refused = pc.and_(pc.equal(rows["tactic_status"], TacticStatus.ERROR.value), pc.is_valid(rows["log_prob"]))
    theorems = pa.array({theorem for (theorem, _), _ in chosen}, pa.string())
    beside = rows.filter(pc.and_(refused, pc.is_in(rows["theorem"], theorems)))
    for row in beside.select(names).to_pylist():
        at = (row["theorem"], row["sample"]), row["parent_id"]
        if at in chosen and row["tactic"] != chosen[at]:
            yield Preference(row["theorem"], states[at], chosen[at], row["tactic"])


def _paths(rows: pa.Table) -> dict[Key, list[dict[str, Any]]]:
    """The rows of each checked proof, from the root to the end."""
    names = ["theorem", "sample", "depth", "state", "tactic", "num_goals", "log_prob"]
    paths: dict[Key, list[dict[str, Any]]] = defaultdict(list)
    for row in rows.filter(rows["on_proof_path"]).select(names).to_pylist():
        paths[row["theorem"], row["sample"]].append(row)
    return {key: sorted(path, key=lambda row: row["depth"]) for key, path in paths.items()}
