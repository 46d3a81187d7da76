"""What Lean says about a whole proof: the material that `burnqed.lean.check` judges.

The facts are read from Lean's environment and syntax objects after the proof was compiled, never from printed messages
(`embedded/check.cjs` gathers them); `messages` are for people, except that an error among them means that Lean refused.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Message(BaseModel):
    model_config = ConfigDict(frozen=True)

    severity: Literal["info", "warning", "error"]
    line: int
    """Line of the proof's text, from 1; less for the statement above it."""
    column: int
    text: str


class Constant(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    kind: str
    """axiom, definition, theorem, opaque, quotient, inductive, constructor or recursor."""
    unsafe: bool
    """Also true of `partial` definitions."""


class ProofFacts(BaseModel):
    """Facts about `theorem … := by PROOF` compiled in the environment of its header."""

    model_config = ConfigDict(frozen=True)

    header_errors: list[str]
    statement_errors: list[str]
    """Why header or statement do not elaborate on their own; the proof is not looked at then, and the rest is empty."""
    refused: str
    """The rule (`embedded/rules.cjs`) that header, statement or proof break: the proof is not elaborated then. Mostly empty."""
    commands: int
    """1 when the text is one command and nothing else, 2 when anything follows it (which was not run)."""
    messages: list[Message]
    """The first twenty, errors before others."""
    theorem_found: bool
    kind: str
    """Kind of the constant that was declared, as in `Constant`; empty when there is none."""
    type_matches: bool
    """Whether its type is that of the statement elaborated without the proof (up to names of bound variables)."""
    level_params_match: bool
    tactic_block_only: bool
    """False when `where` or `termination_by` follow the tactics, or the text is no `by` block."""
    new_constants: list[Constant]
    """Constants that the command added, without the theorem and its safe auxiliary definitions and theorems (`THEOREM.…`)."""
    axioms: list[str]
    """Axioms that the theorem depends on, without the pinned library's theorems; sorted. Names as Lean holds them."""
    library: int
    """Number of theorems of the pinned library that it depends on: they count as axioms to Lean, as their proofs do not ship."""

    @property
    def errors(self) -> list[Message]:
        return [message for message in self.messages if message.severity == "error"]
