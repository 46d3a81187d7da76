"""Exercises in real Lean: their proofs hold, as a whole and tactic by tactic.

make test-corpus      # a thousand of them; `make test` checks every fortieth
"""

from __future__ import annotations

import asyncio
import os

import pytest

from burnqed.data.exercises import exercises
from burnqed.data.trace.replay import KnownProof, replay_all
from burnqed.lean.embedded.backend import EmbeddedLean

EACH = 1 if os.environ.get("BURNQED_WHOLE_CORPUS") else 40


@pytest.fixture(scope="module")
def some() -> list[KnownProof]:
    return exercises(0, 1_000)[::EACH]


@pytest.mark.asyncio(loop_scope="session")
async def test_exercises_compile_as_a_whole(some: list[KnownProof], lean: EmbeddedLean) -> None:
    verdicts = await asyncio.gather(*(lean.check(p.theorem, "\n".join(p.tactics)) for p in some))
    assert [(verdict.name, verdict.reason) for verdict in verdicts if not verdict.accepted] == []


@pytest.mark.asyncio(loop_scope="session")
async def test_exercises_replay_tactic_by_tactic(some: list[KnownProof], lean: EmbeddedLean) -> None:
    replayed = [r async for r in replay_all(some, lean)]
    assert [(r.proof.theorem.name, r.error) for r in replayed if r.error] == []
