"""What search and tracing know of Lean: theorems, proof states, outcomes of tactics, verdicts on proofs.

A backend implements `LeanBackend`; `burnqed.lean.backends` finds the one that a configuration names, and nobody else knows which one runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Protocol, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from burnqed.findings import Finding
from burnqed.lean.commands import Commands
from burnqed.lean.lexer import normalised
from burnqed.lean.worker import Answer

LeanText = Annotated[str, AfterValidator(normalised)]
"""Without a byte order mark, its lines ended by LF: as Lean reads a file."""


class Theorem(BaseModel):
    """A theorem to prove."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    """Unique; carries its source, as in `github::Nat.foo`. Need not be a Lean identifier."""
    statement: LeanText = Field(min_length=1)
    """A closed proposition (`∀ a b : Nat, …`), or a full theorem (`theorem foo (a b : Nat) : … := by …`), whose proof,
    if any, is ignored."""
    header: LeanText | None = None
    """Lean commands before the theorem (options, notations, definitions); None means the index's, or else the backend's default one."""
    file_path: str | None = None

    def with_header(self, header: str) -> Theorem:
        """The theorem with this header, unless it has one of its own (which may be empty)."""
        return self if self.header is not None else self.model_copy(update={"header": header})


class TacticStatus(StrEnum):
    OK = "ok"
    ERROR = "error"
    """Lean refused the tactic (or the statement)."""
    HEARTBEATS = "heartbeats"
    """Lean's heartbeats ran out, as they would anywhere."""
    TIMEOUT = "timeout"
    """Wall clock ran out, which might not have happened on another machine, or on this one with less to do."""
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

    @classmethod
    def of(cls, answer: Answer, ref: Any = None) -> Self:
        """A worker's answer. `ref`: the backend's handle of the state that was to be made."""
        if "error" in answer:
            error = answer["error"]
            return cls(TacticStatus(error["kind"]), message=error["message"], seconds=answer["seconds"])
        return cls(TacticStatus.OK, ProofState(tuple(answer["goals"]), ref), seconds=answer["seconds"])


class Verdict(BaseModel):
    """Whether a whole proof was accepted in a fresh environment against the original statement."""

    model_config = ConfigDict(frozen=True)

    name: str
    accepted: bool
    reason: str = ""
    """One sentence when refused; empty when accepted."""
    message: str = ""
    """Lean's message, when the sentence has no room for all of it."""
    axioms: list[str] = Field(default_factory=list)
    """Axioms outside the pinned library that the proof depends on (standard ones included), sorted."""
    permitted: list[str] = Field(default_factory=list)
    """Axioms in the export of an accepted theorem, theorems of the library among them; empty when none was written."""
    could_not_check: bool = False
    """True when Lean crashed or ran out of time: refused, but not because the proof is known to be wrong."""
    seconds: float = Field(0.0, exclude=True)
    """Time in Lean, without waiting for a free worker."""


class LeanSearch(Protocol):
    """What a search needs of Lean."""

    async def start(self, theorem: Theorem) -> Outcome:
        """Root state of a theorem, opening a search; ERROR when its header or statement does not elaborate."""
        ...

    async def apply(self, state: ProofState, tactic: str, *, timeout: float | None = None) -> Outcome:
        """Applies one tactic block to `state` (to its main goal, as Lean does). `timeout` in seconds of wall clock."""
        ...

    async def release(self, root: ProofState) -> None:
        """Ends the search that `root` opened: every state derived from it is forgotten."""
        ...

    async def check(self, theorem: Theorem, proof: str, *, timeout: float | None = None) -> Verdict:
        """Compiles `proof` (tactics, a term or cases, as in `burnqed.lean.proofs`) in a fresh environment; see `burnqed.lean.check`."""
        ...


class LeanBackend(LeanSearch, Protocol):
    """A pool of Lean workers. It starts nothing before it is entered (`async with`), and leaves nothing running after the block.

    All methods may be called concurrently, in the event loop in which it was entered; at most `capacity` calls run at once.
    """

    @property
    def name(self) -> str:
        """What `lean.backend` calls it."""
        ...

    @property
    def version(self) -> str:
        """Of Lean and of the library that proofs are checked against; part of every result."""
        ...

    @property
    def library(self) -> str:
        """What theorems may refer to, in words: `its core library Init`."""
        ...

    @property
    def default_header(self) -> str:
        """For theorems that give none."""
        ...

    @property
    def probe_tactics(self) -> tuple[str, ...]:
        """Tactics that may prove a theorem on their own, quickest first (`burnqed.proof_search.probes`)."""
        ...

    @property
    def capacity(self) -> int: ...

    # ---- before it is entered

    def install(self, force: bool = False) -> str:
        """Fetches what it needs and is not there, or all of it again when `force`; says in one sentence what is there. Raises BadInput."""
        ...

    def findings(self) -> list[Finding]:
        """Which parts of it are present on this machine. What `__aenter__` refuses to install is marked `by_hand`."""
        ...

    async def __aenter__(self) -> Self:
        """Installs what is missing, and starts. Raises BadInput when that is not possible, or takes too long to be done on the way (it says
        what to run), TryAgain when Lean does not start."""
        ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    # ---- whole proofs and files

    async def check(
        self,
        theorem: Theorem,
        proof: str,
        *,
        timeout: float | None = None,
        is_trusted: bool = True,
        export_to: Path | None = None,
    ) -> Verdict:
        """As a search needs it.

        `is_trusted`: somebody vouches for header and statement, as for a benchmark's or our own (docs/trust.md). What is accepted is
        written to `export_to`, for other kernels (`burnqed.lean.second_kernel`).
        """
        ...

    async def commands(self, text: str, *, is_trusted: bool = False) -> Commands:
        """A Lean file, cut into its commands (`burnqed.lean.source`). Raises BadInput, to be continued after the file's name."""
        ...

    def has_module(self, module: str) -> bool:
        """Whether a file may import the module."""
        ...
