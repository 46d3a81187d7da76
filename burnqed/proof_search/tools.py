"""What all open theorems share: Lean, and the policy and the head, each behind a batcher."""

from __future__ import annotations

import asyncio
from itertools import cycle, islice
from math import ceil
from typing import NamedTuple

from burnqed import metrics
from burnqed.lean.protocol import LeanSearch
from burnqed.policy.protocol import Policy, Proposal, Scorer, distinct, energies, proposals, seed_of
from burnqed.proof_search.batch import Batcher
from burnqed.proof_search.settings import SearchSettings
from burnqed.trajectory.rows import Task

STATES_PER_REQUEST = 32
"""Open states in one request to the policy."""
SCORES_PER_REQUEST = 256
MOST_AT_ONCE = 3
"""Further draws at a state in one request, for each candidate that is wanted: a server that takes few samples at a time answers in time, too."""


class Question(NamedTuple):
    """What the policy is asked: candidates for a state."""

    state: str
    seed: int
    temperatures: tuple[float, ...]
    """One for each candidate."""


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

    async def propose(self, state: str, seed: int, temperature: float) -> Proposal:
        """Candidates for a state; where some are repeated, others are drawn in their place, as far as `draws` allows.

        To draw again and leave out what came before is sampling without replacement. As many are drawn at once as should be needed, if repeated ones stay as frequent: what is drawn
        together takes little more time than one. (Of a policy that does not say in which order it drew, only as many as are lacking.) Further draws are a question like any other,
        which goes out together with what other theorems ask.
        """
        wanted, most = self.settings.candidates, self.settings.candidates * self.settings.draws
        temperatures = temperatures_of(temperature, self.settings)
        [found] = await self.proposals.ask([Question(state, seed, temperatures)])
        drawn = wanted
        # At temperature 0 all draws are the same, and a state that is too long for the model gives nothing, not even tokens.
        while temperature and (found.candidates or found.tokens):
            lacking = wanted - len(found.candidates)
            needed = ceil(lacking * drawn / max(1, len(found.candidates)))
            in_order = all(candidate.draw is not None for candidate in found.candidates)
            draws = min(needed if in_order else lacking, MOST_AT_ONCE * wanted, most - drawn)
            if draws <= 0:
                break
            # The broadest temperatures: most of what is likely has been found.
            broadest = tuple(islice(cycle(temperatures[-lacking:]), draws))
            [more] = await self.proposals.ask([Question(state, seed_of(f"{seed}+{drawn}"), broadest)])
            drawn += draws
            kept = {candidate.tactic for candidate in found.candidates}
            new = sorted((c for c in more.candidates if c.tactic not in kept), key=lambda c: c.draw or 0)
            kept |= {candidate.tactic for candidate in new[:lacking]}
            candidates = distinct(c for c in (*found.candidates, *more.candidates) if c.tactic in kept)
            found = Proposal(candidates, found.model_version, found.tokens + more.tokens)
        return found

    async def _propose(self, questions: list[Question]) -> list[Proposal]:
        alike: dict[tuple[float, ...], list[Question]] = {}
        for question in questions:
            alike.setdefault(question.temperatures, []).append(question)
        answers = await asyncio.gather(*(self._propose_at(ts, group) for ts, group in alike.items()))
        remaining = dict(zip(alike, map(iter, answers), strict=True))
        return [next(remaining[question.temperatures]) for question in questions]

    async def _propose_at(self, temperatures: tuple[float, ...], questions: list[Question]) -> list[Proposal]:
        states, seeds = [q.state for q in questions], [q.seed for q in questions]
        temperature = temperatures if self.settings.spread else temperatures[0]
        asked = self._policy.propose(states, candidates=len(temperatures), temperature=temperature, seeds=seeds)
        return await proposals(asked, len(states))

    async def _score(self, pairs: list[Pair]) -> list[float]:
        assert self._scorer is not None
        asked = self._scorer.score([p.state for p in pairs], [p.goal for p in pairs])
        return await energies(asked, len(pairs))


def temperatures_of(temperature: float, settings: SearchSettings) -> tuple[float, ...]:
    """Those of a state's candidates: from the given one up to (1 + spread) times as much, in equal steps."""
    steps = max(1, settings.candidates - 1)
    return tuple(temperature * (1 + settings.spread * i / steps) for i in range(settings.candidates))


def node_seed(task: Task, state: str, opened_again: int = 0) -> int:
    """Seed for the candidates of a state: 31 bits of a hash, the same whenever the state is expanded, whatever else is open.

    The attempt is not in it: a search that is repeated because Lean failed gives what it would have given.
    """
    return seed_of("\0".join(map(str, (task.seed, task.theorem.name, task.sample, opened_again, state))))
