"""What one search leaves behind, and its Arrow rows.

`Task` is what is searched, `StateRow` one state or failed tactic, `SearchResult` the whole; `to_table` makes the rows of
`burnqed.trajectory.schema.SCHEMA`. Search, the replay of known proofs and tests all write trajectories through these.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime

import pyarrow as pa

from burnqed.lean.protocol import TacticStatus, Theorem
from burnqed.trajectory.schema import SCHEMA, TheoremResult


@dataclass(frozen=True, slots=True)
class Task:
    """One search to do."""

    theorem: Theorem
    attempt: int = 0
    """Counts up each time the theorem is tried again after an error."""
    sample: int = 0
    """0 … N−1 of pass@N."""
    seed: int = 0
    """Of the run: every random choice derives from it, the theorem's name, the sample and the node."""


@dataclass(slots=True)
class StateRow:
    """A state that a tactic led to, or a tactic that failed; the columns of the same names."""

    state_id: int
    parent_id: int | None
    depth: int
    tactic: str | None
    tactic_status: TacticStatus
    state: str | None
    num_goals: int | None
    seed: int
    is_terminal: bool = False
    log_prob: float | None = None
    energy: float | None = None
    head_id: str | None = None
    same_as: int | None = None
    on_proof_path: bool = False
    remaining_depth: int | None = None
    visit_order: int | None = None
    model_version: str | None = None
    temperature: float | None = None
    reason: str | None = None
    """Why the check did not accept the proof that ends here."""
    time: datetime = field(default_factory=lambda: datetime.now(UTC))


COLUMNS = tuple(column.name for column in fields(StateRow))


@dataclass(slots=True)
class SearchResult:
    """A finished search."""

    theorem: Theorem
    result: TheoremResult
    states: list[StateRow]
    """In the order of their ids; the root first."""


def statement_hash(theorem: Theorem) -> str:
    """SHA-256 of header and statement, in hexadecimal."""
    return hashlib.sha256(f"{theorem.header or ''}\0{theorem.statement}".encode()).hexdigest()


def to_table(searched: SearchResult, run: str, iteration: int) -> pa.Table:
    """The rows of one search, of type SCHEMA; the root row carries the result."""
    common = {
        "run": run,
        "iteration": iteration,
        "theorem": searched.result.name,
        "statement_hash": statement_hash(searched.theorem),
        "root_state": searched.states[0].state,
        "sample": searched.result.sample,
    }
    rows = [common | {name: getattr(state, name) for name in COLUMNS} for state in searched.states]
    outcome = searched.result.model_dump(exclude={"name", "statistics", "sample"})
    rows[0] |= outcome | {"statistics": searched.result.statistics.model_dump_json()}
    return pa.Table.from_pylist(rows, schema=SCHEMA)
