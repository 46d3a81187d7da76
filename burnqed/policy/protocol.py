"""The policy as search sees it: candidates for a proof state, and energies of states.

`burnqed.policy.client.PolicyClient` implements both over HTTP; benchmarks and tests have simulations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Candidate:
    """One proposed tactic."""

    tactic: str
    log_prob: float
    """Natural logarithm, summed over the tokens of the reply; of the likeliest reply where several gave this tactic."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The distinct candidates for one state, likeliest first."""

    candidates: tuple[Candidate, ...]
    model_version: str
    tokens: int = 0
    """Generated for all replies."""


class Policy(Protocol):
    async def propose(
        self, states: Sequence[str], *, candidates: int, temperature: float, seeds: Sequence[int]
    ) -> list[Proposal]:
        """Candidates for each state text (see `ProofState.text`), in order. There is one seed per state; equal seeds give equal replies
        where the server is deterministic. Raises TryAgain when the server stays unavailable."""
        ...


class Scorer(Protocol):
    @property
    def head_id(self) -> str: ...

    async def score(self, states: Sequence[str], goals: Sequence[str]) -> list[float]:
        """Energies of (state, goal) pairs, lower = more provable; `goals` are root states."""
        ...
