"""The facts about a whole proof that a verdict is made from.

That a proof is accepted rests on the judge alone (`embedded/judge.cjs`), which sees nothing but data; everything else here can only
count against a proof, and gives better reasons.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Message(BaseModel):
    model_config = ConfigDict(frozen=True)

    severity: Literal["info", "warning", "error"]
    line: int
    """Line of the proof's text, from 1; less for the statement above it."""
    column: int
    text: str


class ProofFacts(BaseModel):
    """Facts about `theorem … := by PROOF` in the environment of its header."""

    model_config = ConfigDict(frozen=True)

    header_errors: list[str]
    statement_errors: list[str]
    """Why header or statement do not elaborate on their own; the proof is not looked at then, and the rest is empty."""
    refused: str
    """The rule (`rules.json`, `embedded/headers.cjs`) that header, statement or proof break: the proof is not elaborated then. Mostly empty."""
    commands: int
    """1 when the text is one command and nothing else, 2 when anything follows it (which was not run)."""
    messages: list[Message]
    """The first twenty, errors before others."""
    tactic_block_only: bool
    """False when `where` or `termination_by` follow the tactics, or the text is not a `by` block."""
    objection: str
    """Why the judge does not accept what the proof added; empty when it does, and when it was not asked."""
    could_not_check: bool
    """The judge gave up (time, memory, depth) or died: its objection does not mean that the proof is wrong."""
    axioms: list[str]
    """Axioms that the theorem depends on, without the pinned library's theorems; sorted. Names as the kernel holds them."""
    library: int
    """Number of theorems of the pinned library that it depends on: they count as axioms to Lean, as their proofs do not ship."""

    permitted: list[str] = Field(default_factory=list)
    """Axioms in the export of an accepted theorem: the standard ones that it uses, and theorems of the library."""
    seconds: float = 0.0
    """Time in Lean."""

    @property
    def errors(self) -> list[Message]:
        return [message for message in self.messages if message.severity == "error"]
