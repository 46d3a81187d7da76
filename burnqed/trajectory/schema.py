"""The Arrow schema of trajectory rows, and what a root row says about its theorem.

Every theorem of a part (each of its samples, where there are several) has exactly one root row (`parent_id` null, `depth` 0).
Only root rows fill the columns from `status` on; `reason` also stands where the check did not accept a finished path. A row
without `state` is a tactic that failed. A transposition keeps its own row: `same_as` names the row whose state it reached again.
Positive means on the path of a checked proof (`on_proof_path`).
"""

from __future__ import annotations

from enum import StrEnum

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field


class ProofStatus(StrEnum):
    PROVED = "proved"
    """The whole proof was checked and accepted (burnqed.lean.check, docs/trust.md)."""
    UNPROVED = "unproved"
    TIMED_OUT = "timed_out"
    """The safety net of seconds ended the search before a limit was reached: not proved, and not tried to the end."""
    ERROR = "error"
    """Could not be tried: bad statement, Lean or the policy unavailable. Never counted as unproved."""


SCHEMA = pa.schema(
    [
        pa.field("run", pa.string(), nullable=False),
        pa.field("iteration", pa.int32(), nullable=False),
        pa.field("theorem", pa.string(), nullable=False),
        pa.field("statement_hash", pa.string(), nullable=False),  # SHA-256 of header + statement
        pa.field("sample", pa.int32(), nullable=False),  # 0 … N−1 of pass@N
        pa.field("state_id", pa.int32(), nullable=False),  # within its theorem and sample; 0 is the root
        pa.field("parent_id", pa.int32()),
        pa.field("same_as", pa.int32()),
        pa.field("depth", pa.int32(), nullable=False),
        pa.field("state", pa.string()),  # null where the tactic failed; "" when no goals remain
        pa.field("root_state", pa.string()),  # null only when the theorem could not be started
        pa.field("tactic", pa.string()),  # that led here; null at the root
        pa.field("tactic_status", pa.string(), nullable=False),  # burnqed.lean.protocol.TacticStatus
        pa.field("num_goals", pa.int32()),
        pa.field("log_prob", pa.float32()),  # of the tactic, summed over its tokens; null when not from the policy
        pa.field("energy", pa.float32()),  # lower = more provable; null without a head
        pa.field("head_id", pa.string()),  # of the head that gave the energy; of a root row: that guided the search
        pa.field("is_terminal", pa.bool_(), nullable=False),  # no goals remain
        pa.field("on_proof_path", pa.bool_(), nullable=False),
        pa.field("remaining_depth", pa.int32()),  # tactics to the end of the checked proof; null off its path
        pa.field("visit_order", pa.int32()),  # when the state was expanded; null when it never was
        pa.field("model_version", pa.string()),
        pa.field("temperature", pa.float32()),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("time", pa.timestamp("ms", tz="UTC"), nullable=False),
        # ---- root rows only
        pa.field("status", pa.string()),  # ProofStatus
        pa.field("reason", pa.string()),
        pa.field("nodes", pa.int32()),  # states expanded
        pa.field("lean_calls", pa.int32()),
        pa.field("tokens", pa.int64()),  # generated
        pa.field("seconds", pa.float32()),  # of wall clock while it was open
        pa.field("proof", pa.string()),  # tactic block, checked
        pa.field("nodes_at_proof", pa.int32()),  # states expanded when the proof was found: a budget ≥ this solves it
        pa.field("attempt", pa.int32()),
        pa.field("statistics", pa.string()),  # SearchStatistics as JSON
    ]
)


class SearchStatistics(BaseModel):
    """Where a theorem's search spent its effort."""

    model_config = ConfigDict(frozen=True)

    candidates_min: int = 0
    candidates_mean: float = 0.0
    candidates_max: int = 0
    """Distinct candidates per expansion."""
    lean_errors: dict[str, int] = Field(default_factory=dict)
    """Failed tactics by TacticStatus; finished paths that were refused, or could not be checked, as `refused` and `unchecked`."""
    generation_s: float = 0.0
    """Seconds this theorem waited for candidates; likewise for Lean and the head."""
    lean_s: float = 0.0
    scoring_s: float = 0.0
    path_rank: float | None = None
    """Mean rank of the proof's states in the queue, each right after its parent was expanded (1: it was next); without the root, and without the end, which is never queued. None without
    a proof, or without such states."""


class TheoremResult(BaseModel):
    """What a root row says: the outcome of one search for one theorem."""

    model_config = ConfigDict(frozen=True)

    name: str
    status: ProofStatus
    reason: str = ""
    """Why it was not proved: `budget` (of nodes), `tokens`, `depth` (all that is left lies too deep), `exhausted` (nothing is left), or what
    made it an error."""
    nodes: int = 0
    lean_calls: int = 0
    tokens: int = 0
    """Generated by the policy."""
    seconds: float = 0.0
    """Wall clock while it was open, waiting for others included: tells nothing about the theorem alone."""
    proof: str | None = None
    nodes_at_proof: int | None = None
    attempt: int = 0
    sample: int = 0
    head_id: str | None = None
    """Of the head that guided the search; None without one."""
    statistics: SearchStatistics = SearchStatistics()
