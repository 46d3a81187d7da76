"""Replays known proofs through Lean, tactic by tactic: every step becomes a pair."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from burnqed.data.pairs import TacticPair
from burnqed.lean.protocol import LeanBackend, ProofState, TacticStatus, Theorem


@dataclass(frozen=True)
class KnownProof:
    """A theorem with a proof as a flat list of tactics, each acting on the state that the previous one left."""

    theorem: Theorem
    tactics: tuple[str, ...]


@dataclass(frozen=True)
class Replayed:
    """The states that a proof goes through: one before each tactic, and the last. Fewer when Lean stopped it (`error`)."""

    proof: KnownProof
    states: tuple[ProofState, ...]
    error: str = ""

    def pairs(self, source: str) -> list[TacticPair]:
        if self.error:
            return []
        steps = zip(self.states, self.states[1:], self.proof.tactics, strict=False)
        return [
            TacticPair(
                theorem=self.proof.theorem.name,
                state=before.text,
                tactic=tactic,
                state_after=after.text,
                depth=depth,
                source=source,
                num_goals=len(before.goals),
            )
            for depth, (before, after, tactic) in enumerate(steps)
        ]


async def replay(proof: KnownProof, lean: LeanBackend) -> Replayed:
    """Applies the tactics one after another. The states are released before it returns; only their texts remain valid."""
    outcome = await lean.start(proof.theorem)
    if outcome.state is None:
        return Replayed(proof, (), outcome.message)
    states = [outcome.state]
    try:
        for number, tactic in enumerate(proof.tactics, 1):
            outcome = await lean.apply(states[-1], tactic)
            if outcome.status is not TacticStatus.OK or outcome.state is None:
                return Replayed(
                    proof, tuple(states), f"tactic {number} ({tactic!r}): {outcome.status}: {outcome.message}"
                )
            states.append(outcome.state)
    finally:
        await lean.release(states[0])
    if not states[-1].is_solved:
        return Replayed(proof, tuple(states), "goals remain after the last tactic")
    return Replayed(proof, tuple(states))


async def replay_all(proofs: Sequence[KnownProof], lean: LeanBackend) -> AsyncIterator[Replayed]:
    """Replays many proofs at once, in order."""
    free = asyncio.Semaphore(2 * lean.capacity)

    async def replayed(proof: KnownProof) -> Replayed:
        async with free:
            return await replay(proof, lean)

    tasks = [asyncio.create_task(replayed(proof)) for proof in proofs]
    try:
        for task in tasks:
            yield await task
    finally:
        for task in tasks:
            task.cancel()
