"""Figures of searches, and one search as a tree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from burnqed.data.inspection.distributions import Tactics, add, by_size, most_common
from burnqed.errors import BadInput
from burnqed.trajectory.schema import ProofStatus

COLUMNS = [
    "theorem", "sample", "depth", "state", "tactic", "tactic_status", "same_as", "is_terminal", "on_proof_path", "status", "reason", "nodes", "proof",
]  # fmt: skip
MOST_LINES = 400
"""Of a tree."""


def describe_trajectories(
    read: Callable[[list[str]], Iterator[pa.Table]], examples: int
) -> tuple[dict[str, object], list[str]]:
    """Figures of trajectories, which `read` yields with some columns in tables of whole searches, and some of the proofs that were found."""
    theorems, statuses, reasons, answers = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    depths, lengths, nodes, tactics = Counter[int](), Counter[int](), Counter[int](), Tactics()
    rows = open_states = positives = negatives = repeated = 0
    shown = list[str]()
    for table in read(COLUMNS):
        rows += len(table)
        roots = table.filter(pc.is_valid(table["status"]))
        add(theorems, roots["theorem"])
        add(statuses, roots["status"])
        add(reasons, roots["reason"].filter(pc.not_equal(roots["reason"], "")))
        add(nodes, roots["nodes"])
        steps = table.filter(pc.is_valid(table["tactic"]))
        add(answers, steps["tactic_status"])
        tactics.add(steps["tactic"], steps["state"])
        repeated += len(table) - table["same_as"].null_count
        add(lengths, table.filter(pc.and_(table["on_proof_path"], table["is_terminal"]))["depth"])
        states = table.filter(pc.and_not(pc.is_valid(table["state"]), table["is_terminal"]))
        add(depths, states["depth"])
        proved = roots.filter(pc.equal(roots["status"], ProofStatus.PROVED.value))
        tried = states.filter(pc.is_in(_search(states), _search(proved).combine_chunks()))
        on_path = pc.sum(tried["on_proof_path"]).as_py() or 0
        open_states += len(states)
        positives += on_path
        negatives += len(tried) - on_path
        shown += [f"{row['theorem']}\n{row['proof']}" for row in proved.slice(0, examples - len(shown)).to_pylist()]
    facts: dict[str, object] = {
        "rows": rows,
        "searches": sum(statuses.values()),
        "theorems": len(theorems),
        "status": dict(statuses.most_common()),
        "reasons": most_common(reasons),
        "states expanded in a search": by_size(nodes),
        "tactics by Lean's answer": dict(answers.most_common()),
        "states with goals": open_states,
        "reached before": repeated,
        "depth": by_size(depths),
        "tactics of a proof": by_size(lengths),
        "on proofs": positives,
        "beside proofs": negatives,
        "states beside a proof for each on it": round(negatives / positives, 2) if positives else 0.0,
        **tactics.facts(),
    }
    return facts, shown


def _search(rows: pa.Table) -> pa.ChunkedArray:
    """The search that each row belongs to: samples of a theorem may be in one table, or in several."""
    return pc.binary_join_element_wise(pc.cast(rows["sample"], pa.string()), rows["theorem"], " ")


Row = dict[str, Any]


def search_rows(tables: Iterator[pa.Table], theorem: str, sample: int) -> list[Row]:
    """The rows of one search. Raises BadInput when there is no such search."""
    for table in tables:
        wanted = pc.and_(pc.equal(table["theorem"], theorem), pc.equal(table["sample"], sample))
        if rows := table.filter(wanted).to_pylist():
            return rows  # type: ignore[no-any-return]
    raise BadInput(f"There is no search of {theorem!r}, sample {sample}, among these trajectories; see their roots.")


def tree(rows: list[Row]) -> list[str]:
    """One search as indented lines: the root state, then each tactic that Lean accepted, the proof first, with its log-probability, its state's energy, its ranks by both
    among the new states that were reached from the same one, and when the state was expanded."""
    lines = _drawn(rows)
    return lines if len(lines) <= MOST_LINES else [*lines[:MOST_LINES], f"… and {len(lines) - MOST_LINES} more lines"]


def _drawn(rows: list[Row]) -> list[str]:
    children = defaultdict[int | None, list[Row]](list)
    for row in rows:
        children[row["parent_id"]].append(row)
    (root,) = children[None]
    ranks: dict[int, dict[str, str]] = {}
    lines = [f"{root['theorem']}: {root['status']}{_told(root['reason'])}, {root['nodes']} states expanded"]
    lines += (root["root_state"] or "").split("\n")
    waiting = [(root, 0)]  # a stack: searches can be deeper than Python's
    while waiting:
        row, level = waiting.pop()
        if row is not root:
            lines.append(f"{'  ' * level}{_line(row, ranks[row['state_id']])}")
        below = children[row["state_id"]]
        if failed := Counter(child["tactic_status"] for child in below if child["state"] is None):
            told = ", ".join(f"{count} {status}" for status, count in failed.most_common())
            lines.append(f"{'  ' * (level + 1)}(failed: {told})")
        led = [child for child in below if child["state"] is not None]
        ranks |= {child["state_id"]: {} for child in led}
        for key, sign in (("log_prob", -1), ("energy", 1)):
            ranked = sorted((sign * c[key], c["state_id"]) for c in led if c[key] is not None and c["same_as"] is None)
            for place, (_, number) in enumerate(ranked if len(ranked) > 1 else (), start=1):
                ranks[number][key] = f" ({place} of {len(ranked)})"
        waiting += [(child, level + 1) for child in sorted(led, key=_order, reverse=True)]
    return lines


def _order(row: Row) -> tuple[bool, bool, int]:
    """The proof first, then as they were expanded."""
    visited = row["visit_order"]
    return not row["on_proof_path"], visited is None, row["state_id"] if visited is None else visited


def _line(row: Row, ranks: dict[str, str]) -> str:
    figures = [
        f"{name} {row[key]:.2f}{ranks.get(key, '')}"
        for name, key in (("log p", "log_prob"), ("energy", "energy"))
        if row[key] is not None
    ]
    if row["visit_order"] is not None:
        figures.append(f"expanded {row['visit_order']}")
    if row["is_terminal"]:
        figures.append("no goals")
    if row["same_as"] is not None:
        figures.append(f"as {row['same_as']}")
    mark = "* " if row["on_proof_path"] else ""
    return f"{mark}{' '.join(row['tactic'].split())}   [{row['state_id']}{_told(', '.join(figures))}]"


def _told(text: str | None) -> str:
    return f", {text}" if text else ""
