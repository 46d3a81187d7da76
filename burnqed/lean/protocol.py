"""What search and tracing know of Lean: theorems, proof states, outcomes of tactics, verdicts on proofs.

A backend (`embedded`, later `pantograph`) implements `LeanBackend`; nothing outside `burnqed.lean` knows which one runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from burnqed.lean.lexer import normalised

LeanText = Annotated[str, AfterValidator(normalised)]
"""Without a byte order mark, its lines ended by LF: as Lean reads a file."""

DEFAULT_HEADER = 'set_option autoImplicit false\nnotation "ℕ" => Nat\nnotation "ℤ" => Int\n'
"""Header of the embedded backend for indices that give none: the public core-Lean files load as they are."""


class Theorem(BaseModel):
    """A theorem to prove."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = Field(min_length=1)
    """Unique; carries its source, as in `github::Nat.foo`. Need not be a Lean identifier."""
    statement: LeanText = Field(min_length=1)
    """A closed proposition (`∀ a b : Nat, …`), or a full theorem (`theorem foo (a b : Nat) : … := by …`), whose proof,
    if any, is ignored."""
    header: LeanText | None = None
    """Lean commands before the theorem (options, notations, definitions); None means the index's or the default one."""
    file_path: str | None = None


class TacticStatus(StrEnum):
    OK = "ok"
    ERROR = "error"
    """Lean refused the tactic (or the statement)."""
    HEARTBEATS = "heartbeats"
    """Lean's heartbeats ran out, as they would anywhere."""
    TIMEOUT = "timeout"
    """Wall clock ran out, which another machine, or this one with less to do, might not have let happen."""
    CRASH = "crash"
    """The instance died (trap, out of memory, killed): says nothing about the tactic."""


@dataclass(frozen=True, slots=True)
class ProofState:
    """A proof state that a backend holds until its search is released."""

    goals: tuple[str, ...]
    """Pretty-printed goals, main goal first; empty when no goals remain (which is not yet a proof)."""
    ref: Any = field(repr=False, compare=False)
    """The backend's own handle; opaque to everybody else."""

    @property
    def text(self) -> str:
        """What policy and head read: the goals separated by an empty line."""
        return "\n\n".join(self.goals)

    @property
    def is_solved(self) -> bool:
        return not self.goals


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of starting a theorem or applying a tactic. `state` is set exactly when `status` is OK."""

    status: TacticStatus
    state: ProofState | None = None
    message: str = ""
    """Lean's error text, or what happened to the instance."""
    seconds: float = 0.0
    """Time in Lean, without waiting for a free worker."""


class Verdict(BaseModel):
    """Whether a whole proof was accepted in a fresh environment against the original statement."""

    model_config = ConfigDict(frozen=True)

    name: str
    accepted: bool
    reason: str = ""
    """One sentence when refused; empty when accepted."""
    message: str = ""
    """Lean's message, when the sentence has not room for all of it."""
    axioms: list[str] = Field(default_factory=list)
    """Axioms outside the pinned library that the proof depends on (standard ones included), sorted."""
    permitted: list[str] = Field(default_factory=list)
    """Axioms in the export of an accepted theorem, theorems of the library among them; empty when none was written."""
    could_not_check: bool = False
    """True when Lean crashed or ran out of time: refused, but not because the proof is known to be wrong."""
    seconds: float = Field(0.0, exclude=True)
    """Time in Lean, without waiting for a free worker."""


class LeanBackend(Protocol):
    """A pool of Lean workers. All methods may be called concurrently; at most `capacity` calls run at once."""

    @property
    def capacity(self) -> int: ...

    async def start(self, theorem: Theorem) -> Outcome:
        """Root state of a theorem, opening a search; ERROR when its header or statement does not elaborate."""
        ...

    async def apply(self, state: ProofState, tactic: str, *, timeout: float | None = None) -> Outcome:
        """Applies one tactic block to `state` (to its main goal, as Lean does). `timeout` in seconds of wall clock."""
        ...

    async def release(self, root: ProofState) -> None:
        """Ends the search that `root` opened: every state derived from it is forgotten."""
        ...

    async def check(
        self, theorem: Theorem, proof: str, *, timeout: float | None = None, is_trusted: bool = True
    ) -> Verdict:
        """Compiles `proof` (tactics, a term or cases, as in `burnqed.lean.proofs`) in a fresh environment; see `burnqed.lean.check`.

        `is_trusted`: somebody vouches for header and statement, as for a benchmark's or our own (docs/trust.md).
        """
        ...

    async def close(self) -> None: ...
