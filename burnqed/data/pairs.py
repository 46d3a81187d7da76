"""Tactic pairs: one proof state and the tactic that a proof applied to it.

In JSON lines: {"theorem": "corpus::add_comm'", "state": "a b : Nat\\n⊢ a + b = b + a", "tactic": "omega", "depth": 0, "source": "corpus", "num_goals": 1}
"""

from __future__ import annotations

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field

from burnqed.data.rows import RowFormat


class TacticPair(BaseModel):
    """A step of a proof that Lean accepted."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    theorem: str = Field(min_length=1)
    """Name with its source, as in `github::Nat.foo`."""
    state: str
    """Goals before the tactic, as `ProofState.text` prints them."""
    tactic: str
    state_after: str | None = None
    """Goals after it; empty when none remain."""
    depth: int | None = Field(None, ge=0)
    """Tactics between the root and `state`; None where the data set does not say."""
    source: str
    """Where it was traced: `corpus`, `github`, `search`, …"""
    num_goals: int | None = Field(None, ge=0)
    """Goals of `state`."""
    log_prob: float | None = None
    """Of the tactic under the policy that found it; None where no policy proposed it."""


PAIRS = RowFormat(
    TacticPair,
    pa.schema(
        [
            pa.field("theorem", pa.string(), nullable=False),
            pa.field("state", pa.string(), nullable=False),
            pa.field("tactic", pa.string(), nullable=False),
            pa.field("state_after", pa.string()),
            pa.field("depth", pa.int32()),
            pa.field("source", pa.string(), nullable=False),
            pa.field("num_goals", pa.int32()),
            pa.field("log_prob", pa.float32()),
        ]
    ),
    "tactic pair",
)
