"""Reads trajectories: only the parts that a manifest (`_SUCCESS`) lists, never whatever lies in a folder.

    manifest = read_manifest(store, prefix)
    for rows in read_parts(store, manifest.paths(prefix, ".parquet")):
        results = theorem_results(rows)
        pairs = proof_pairs(rows)       # PAIRS: for fine-tuning
        choices = decisions(rows)       # DECISIONS: positives and their siblings, for the head
        others = off_path_states(rows)  # STATES: further negatives, of the same theorem or of others

A part holds whole theorems, so each of these may be taken part by part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

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

DECISIONS = pa.schema(
    [
        pa.field("theorem", pa.string(), nullable=False),
        pa.field("goal", pa.string(), nullable=False),  # the root state
        pa.field("parent", pa.string(), nullable=False),  # the state where the choice was made
        pa.field("depth", pa.int32(), nullable=False),  # of the positive and its siblings
        pa.field("remaining_depth", pa.int32(), nullable=False),  # tactics from the positive to the end of the proof
        pa.field("positive", pa.string(), nullable=False),
        pa.field(
            "siblings", pa.list_(pa.string()), nullable=False
        ),  # distinct, in the order of their ids; may be empty
    ]
)

STATES = pa.schema(
    [
        pa.field("theorem", pa.string(), nullable=False),
        pa.field("goal", pa.string(), nullable=False),
        pa.field("depth", pa.int32(), nullable=False),
        pa.field("state", pa.string(), nullable=False),
    ]
)

Key = tuple[str, int]
"""Theorem and sample: `state_id` is unique within these."""


def read_part(store: Store, path: str, columns: list[str] | None = None) -> pa.Table:
    """The rows of one part; columns that its writer did not know yet are null. Raises BadInput when it is missing or not Parquet."""
    rows = read_parquet(store, path)
    whole = pa.concat_tables([SCHEMA.empty_table(), rows], promote_options="default")
    return whole.select(columns) if columns else whole


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
    pairs = []
    for path in _paths(rows).values():
        for before, after in pairwise(path):
            pairs.append(
                {
                    "theorem": after["theorem"],
                    "state": before["state"],
                    "tactic": after["tactic"],
                    "state_after": after["state"],
                    "depth": before["depth"],
                    "num_goals": before["num_goals"],
                    "log_prob": after["log_prob"],
                }
            )
    return pa.Table.from_pylist(pairs, schema=PAIRS)


def decisions(rows: pa.Table) -> pa.Table:
    """The choices on all checked proofs, of type DECISIONS: for each state on a path, the child on the path and its siblings.

    A child without goals is no choice for the head (search handles finished states before scoring). States on a proof of the
    theorem are nobody's negatives, however they were reached, and a sibling that failed has no state.
    """
    paths = _paths(rows)
    children: dict[tuple[Key, int], dict[str, None]] = defaultdict(dict)
    for row in _open_states(rows, ["theorem", "sample", "parent_id", "state"]):
        if row["parent_id"] is not None:
            children[(row["theorem"], row["sample"]), row["parent_id"]][row["state"]] = None
    on_path = _states_on(paths)
    found = []
    for key, path in paths.items():
        for parent, positive in pairwise(path):
            if not positive["is_terminal"]:
                found.append(
                    {
                        "theorem": positive["theorem"],
                        "goal": path[0]["state"],
                        "parent": parent["state"],
                        "depth": positive["depth"],
                        "remaining_depth": positive["remaining_depth"],
                        "positive": positive["state"],
                        "siblings": [s for s in children[key, parent["state_id"]] if (key[0], s) not in on_path],
                    }
                )
    return pa.Table.from_pylist(found, schema=DECISIONS)


def off_path_states(rows: pa.Table) -> pa.Table:
    """The distinct unfinished states that no checked proof of their theorem passes, of type STATES."""
    on_path = _states_on(_paths(rows))
    found = {
        (row["theorem"], row["state"]): {name: row[name] for name in ("theorem", "depth", "state")}
        | {"goal": row["root_state"]}
        for row in _open_states(rows, ["theorem", "root_state", "depth", "state"])
        if (row["theorem"], row["state"]) not in on_path
    }
    return pa.Table.from_pylist(list(found.values()), schema=STATES)


def _paths(rows: pa.Table) -> dict[Key, list[dict[str, Any]]]:
    """The rows of each checked proof, from the root to the end."""
    names = [
        "theorem",
        "sample",
        "state_id",
        "depth",
        "state",
        "tactic",
        "num_goals",
        "is_terminal",
        "remaining_depth",
        "log_prob",
    ]
    paths: dict[Key, list[dict[str, Any]]] = defaultdict(list)
    for row in rows.filter(rows["on_proof_path"]).select(names).to_pylist():
        paths[row["theorem"], row["sample"]].append(row)
    return {key: sorted(path, key=lambda row: row["depth"]) for key, path in paths.items()}


def _states_on(paths: dict[Key, list[dict[str, Any]]]) -> set[tuple[str, str]]:
    """(theorem, state) of every state on a path."""
    return {(row["theorem"], row["state"]) for path in paths.values() for row in path}


def _open_states(rows: pa.Table, names: Sequence[str]) -> list[dict[str, Any]]:
    """Rows whose tactic succeeded and left goals."""
    open_rows = pc.and_(pc.is_valid(rows["state"]), pc.invert(rows["is_terminal"]))
    found: list[dict[str, Any]] = rows.filter(open_rows).select(names).to_pylist()
    return found
