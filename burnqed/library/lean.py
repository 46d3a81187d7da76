"""Lean for scripts: `with Lean() as lean: lean.check(theorem, proof)`."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from burnqed.errors import BadInput
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import LeanBackend, Outcome, ProofState, Theorem, Verdict
from burnqed.library.arguments import as_state, as_theorem, configured
from burnqed.library.background import wait


class Lean:
    """A pool of Lean workers, until `close` or the end of its `with` block; used later, it raises RuntimeError.

    `backend` is one of those that `burnqed doctor` lists; `settings` are those of the configuration's section `lean` (`workers`,
    `heartbeats`, …). Any thread may use it, but no process that is forked from this one. Raises BadInput for an unknown backend or
    setting, TryAgain when Lean does not start.
    """

    def __init__(self, backend: str = "embedded", **settings: Any) -> None:
        self._backend = open_lean(configured("lean", {"backend": backend, **settings}).lean)
        self._process = os.getpid()
        wait(self._backend.__aenter__())
        atexit.register(self.close)

    @property
    def backend(self) -> LeanBackend:
        """The asynchronous backend, to be awaited only in functions that burnqed calls, such as a policy: it belongs to burnqed's own
        event loop."""
        if os.getpid() != self._process:
            raise RuntimeError("this Lean belongs to another process; open one here")
        return self._backend

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the workers; in a process that was forked from the one that has them, does nothing."""
        if os.getpid() == self._process:
            atexit.unregister(self.close)
            wait(self.backend.__aexit__(None, None, None))

    def check(
        self, theorem: Theorem | str, proof: str, *, timeout: float | None = None, is_trusted: bool = True
    ) -> Verdict:
        """Whether `proof` (tactics, or a term) proves the theorem, or the statement. docs/trust.md explains what that means.

        `is_trusted`: you vouch for header and statement. Give False for somebody else's, which then may define only what cannot deceive.
        `timeout` in seconds, instead of the setting `check_timeout_s`.
        """
        if not isinstance(proof, str):
            raise BadInput(f"{proof!r} is not a proof; give tactics or a term, as text.")
        return wait(self.backend.check(as_theorem(theorem), proof, timeout=timeout, is_trusted=is_trusted))

    def start(self, theorem: Theorem | str) -> Outcome:
        """The root state of a theorem; `release` it when you are done."""
        return wait(self.backend.start(as_theorem(theorem)))

    def apply(self, state: ProofState, tactic: str, *, timeout: float | None = None) -> Outcome:
        """What one tactic makes of a state. `timeout` in seconds, instead of the setting `tactic_timeout_s`."""
        if not isinstance(tactic, str):
            raise BadInput(f"{tactic!r} is not a tactic; give it as text.")
        return wait(self.backend.apply(as_state(state), tactic, timeout=timeout))

    def release(self, root: ProofState) -> None:
        """Forgets all states that came from this root."""
        wait(self.backend.release(as_state(root)))


@contextmanager
def lent(lean: Lean | None) -> Iterator[Lean]:
    """The given one, which stays open, or else one that is closed at the end of the block."""
    if lean is not None:
        yield lean
        return
    with Lean() as own:
        yield own


def check(
    theorem: Theorem | str,
    proof: str,
    *,
    lean: Lean | None = None,
    timeout: float | None = None,
    is_trusted: bool = True,
) -> Verdict:
    """As `Lean.check`; without `lean` one is started for this call, which takes a second.

    >>> check("∀ n : Nat, n + 0 = n", "intro n; rfl").accepted
    True
    """
    with lent(lean) as used:
        return used.check(theorem, proof, timeout=timeout, is_trusted=is_trusted)
