"""What all open theorems share: Lean, and the policy and the head, each behind a batcher."""

from __future__ import annotations

import asyncio
import hashlib
from typing import NamedTuple

from burnqed import metrics
from burnqed.lean.protocol import LeanSearch
from burnqed.policy.protocol import Policy, Proposal, Scorer, energies, proposals
from burnqed.proof_search.batch import Batcher
from burnqed.proof_search.settings import SearchSettings
from burnqed.trajectory.rows import Task

STATES_PER_REQUEST = 32
"""Open states in one request to the policy."""
SCORES_PER_REQUEST = 256


class Question(NamedTuple):
    """What the policy is asked: candidates for a state."""

    state: str
    seed: int
    temperature: float


class Pair(NamedTuple):
    """What the head is asked: the energy of a state, given the theorem's root state."""

    state: str
    goal: str


class Tools:
    def __init__(self, lean: LeanSearch, policy: Policy, scorer: Scorer | None, settings: SearchSettings) -> None:
        self.lean = lean
        self.settings = settings
        self.proposals: Batcher[Question, Proposal] = Batcher(self._propose, STATES_PER_REQUEST)
        self.energies: Batcher[Pair, float] | None = Batcher(self._score, SCORES_PER_REQUEST) if scorer else None
        self.head_id = scorer.head_id if scorer else None
        self._policy = policy
        self._scorer = scorer
        metrics.watch_queue("policy", lambda: self.proposals.waiting)
        metrics.watch_queue("scoring", lambda: self.energies.waiting if self.energies else 0)

    async def close(self) -> None:
        """Cancels requests that are under way."""
        await self.proposals.close()
        if self.energies:
            await self.energies.close()

    async def _propose(self, questions: list[Question]) -> list[Proposal]:
        by_temperature: dict[float, list[Question]] = {}
        for question in questions:
            by_temperature.setdefault(question.temperature, []).append(question)
        answers = await asyncio.gather(*(self._propose_at(t, group) for t, group in by_temperature.items()))
        remaining = dict(zip(by_temperature, map(iter, answers), strict=True))
        return [next(remaining[question.temperature]) for question in questions]

    async def _propose_at(self, temperature: float, questions: list[Question]) -> list[Proposal]:
        states, seeds = [q.state for q in questions], [q.seed for q in questions]
        asked = self._policy.propose(states, candidates=self.settings.candidates, temperature=temperature, seeds=seeds)
        return await proposals(asked, len(states))

    async def _score(self, pairs: list[Pair]) -> list[float]:
        assert self._scorer is not None
        asked = self._scorer.score([p.state for p in pairs], [p.goal for p in pairs])
        return await energies(asked, len(pairs))


def node_seed(task: Task, state: str, opened_again: int = 0) -> int:
    """Seed for the candidates of a state: 31 bits of a hash, the same whenever the state is expanded, whatever else is open.

    The attempt is not in it: a search that is repeated because Lean failed gives what it would have given.
    """
    text = "\0".join(map(str, (task.seed, task.theorem.name, task.sample, opened_again, state)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") >> 1
