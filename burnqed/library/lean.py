"""Lean for scripts: `with Lean() as lean: lean.check(theorem, proof)`."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import LeanBackend, Outcome, ProofState, Theorem, Verdict
from burnqed.library.background import wait
from burnqed.library.settings import configured


class Lean:
    """A pool of Lean workers, until `close` or the end of its `with` block.

    `backend` is one of those that `burnqed doctor` lists; `settings` are those of the configuration's section `lean` (`workers`,
    `heartbeats`, …). Any thread may use it. Raises BadInput for an unknown backend or setting, TryAgain when Lean does not start.
    """

    def __init__(self, backend: str = "embedded", **settings: Any) -> None:
        self.backend: LeanBackend = open_lean(configured("lean", {"backend": backend, **settings}).lean)
        """The asynchronous backend; it belongs to burnqed's own event loop."""
        wait(self.backend.__aenter__())
        atexit.register(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the workers."""
        atexit.unregister(self.close)
        wait(self.backend.__aexit__(None, None, None))

    def check(self, theorem: Theorem | str, proof: str, *, trusted: bool = True) -> Verdict:
        """Whether `proof` (tactics, or a term) proves the theorem, or the statement. docs/trust.md explains what that means.

        `trusted`: you vouch for header and statement. Give False for somebody else's, which then may define only what cannot deceive.
        """
        return wait(self.backend.check(as_theorem(theorem), proof, is_trusted=trusted))

    def start(self, theorem: Theorem | str) -> Outcome:
        """The root state of a theorem; `release` it when you are done."""
        return wait(self.backend.start(as_theorem(theorem)))

    def apply(self, state: ProofState, tactic: str) -> Outcome:
        """What one tactic makes of a state."""
        return wait(self.backend.apply(state, tactic))

    def release(self, root: ProofState) -> None:
        """Forgets all states that came from this root."""
        wait(self.backend.release(root))


@contextmanager
def lent(lean: Lean | None) -> Iterator[Lean]:
    """The given one, which stays open, or else one that is closed at the end of the block."""
    if lean is not None:
        yield lean
        return
    with Lean() as own:
        yield own


def check(theorem: Theorem | str, proof: str, *, lean: Lean | None = None, trusted: bool = True) -> Verdict:
    """As `Lean.check`; without `lean` one is started for this call, which takes a second.

    >>> check("∀ n : Nat, n + 0 = n", "intro n; rfl").accepted
    True
    """
    with lent(lean) as used:
        return used.check(theorem, proof, trusted=trusted)


def as_theorem(theorem: Theorem | str) -> Theorem:
    return theorem if isinstance(theorem, Theorem) else Theorem(name="theorem", statement=theorem)
