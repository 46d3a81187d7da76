"""The policy as search sees it: candidates for a proof state, and energies of states.

`burnqed.policy.client.PolicyClient` implements both over HTTP; benchmarks and tests have simulations.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from reprlib import repr as shortened
from typing import Any, Protocol

from burnqed.errors import BadInput

ROUNDING = 1e-3
"""By which a log-probability may be above 0."""
Temperature = float | Sequence[float]
"""Of all candidates of a state, or of each."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One proposed tactic."""

    tactic: str
    log_prob: float
    """Natural logarithm, summed over the tokens of the reply, at the temperature that it was sampled at (at 1 where that is 0), before top-p; of the likeliest reply
    where several gave this tactic."""
    temperature: float | None = None
    """That of this reply; None where a policy does not say it."""
    draw: int | None = field(default=None, compare=False)
    """Number of the first reply that gave this tactic, among those that were asked for together; None where a policy does not say it."""

    def __post_init__(self) -> None:
        if not isinstance(self.tactic, str) or not number(self.log_prob) <= ROUNDING:
            raise not_tactics((self.tactic, self.log_prob))


@dataclass(frozen=True, slots=True)
class Proposal:
    """The distinct candidates for one state, likeliest first."""

    candidates: tuple[Candidate, ...]
    model_version: str
    tokens: int = 0
    """Generated for all replies."""


class Policy(Protocol):
    async def propose(
        self, states: Sequence[str], *, candidates: int, temperature: Temperature, seeds: Sequence[int]
    ) -> list[Proposal]:
        """Candidates for each state text (see `ProofState.text`), in order. There is one seed per state; equal seeds give equal replies
        where the server is deterministic. A search asks with several temperatures, one for each candidate, only where it has a `spread`.
        Raises TryAgain when the server stays unavailable."""
        ...


class Scorer(Protocol):
    @property
    def head_id(self) -> str: ...

    async def score(self, states: Sequence[str], goals: Sequence[str]) -> list[float]:
        """Energies of (state, goal) pairs, lower = more provable; `goals` are root states."""
        ...


def distinct(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Every tactic once, as its likeliest reply gave it; the likeliest first. Replies are given in the order in which they were drawn."""
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        known = best.get(candidate.tactic, candidate)
        likelier = candidate if candidate.log_prob > known.log_prob else known
        best[candidate.tactic] = replace(likelier, draw=known.draw)
    return tuple(sorted(best.values(), key=lambda candidate: (-candidate.log_prob, candidate.tactic)))


def seed_of(text: str) -> int:
    """31 bits of a hash: SGLang keeps seeds in signed 32-bit integers."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") >> 1


def number(value: object) -> float:
    """NaN for what is not a number."""
    try:
        return math.nan if isinstance(value, str | bytes) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


def not_tactics(returned: object) -> BadInput:
    return BadInput(
        f"The policy returned {shortened(returned)} for a state; it returns tactics, or (tactic, log-probability) pairs, "
        "whose log-probability is a number and not positive."
    )


async def proposals(asked: object, states: int) -> list[Proposal]:
    """The answer of a policy's `propose` for this many states. Raises BadInput when it is something else."""
    answer = await one_each(asked, states, "The policy's `propose`", "a Proposal")
    for proposal in answer:
        if not isinstance(proposal, Proposal) or not all(isinstance(one, Candidate) for one in proposal.candidates):
            raise BadInput(
                f"The policy's `propose` returned {shortened(proposal)} for a state; it returns a Proposal of Candidates."
            )
    return answer


async def energies(asked: object, pairs: int) -> list[float]:
    """The answer of a scorer's `score` for this many pairs. Raises BadInput when it is something else."""
    answer = await one_each(asked, pairs, "The scorer's `score`", "a number")
    for energy in answer:
        if not math.isfinite(number(energy)):
            raise BadInput(f"The scorer returned {shortened(energy)} for a state; it returns a finite number.")
    return [number(energy) for energy in answer]


async def one_each(asked: object, states: int, method: str, each: str) -> list[Any]:
    """What an async method answered, as a list with one item for each state. Raises BadInput when it is something else."""
    answer = await asked if isawaitable(asked) else None
    if not isinstance(answer, Collection) or len(answer) != states:
        raise BadInput(
            f"{method} returned {shortened(asked if answer is None else answer)} for {states} states; "
            f"it is an async method that returns a list with {each} for each."
        )
    return list(answer)
