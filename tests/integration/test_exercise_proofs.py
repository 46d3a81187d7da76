"""Exercises in real Lean: their proofs hold, as a whole and tactic by tactic.

make test-corpus      # a thousand of them; `make test` checks every fortieth
"""

from __future__ import annotations

import asyncio
import os

import pytest

from burnqed.data.exercises import exercises
from burnqed.data.trace.replay import replay_all
from burnqed.lean.embedded.backend import EmbeddedLean

CHECKED = exercises(0, 1_000)[:: 1 if os.environ.get("BURNQED_WHOLE_CORPUS") else 40]


@pytest.mark.asyncio(loop_scope="session")
async def test_exercises_compile_as_a_whole(lean: EmbeddedLean) -> None:
    verdicts = await asyncio.gather(*(lean.check(p.theorem, "\n".join(p.tactics)) for p in CHECKED))
    assert [(verdict.name, verdict.reason) for verdict in verdicts if not verdict.accepted] == []


@pytest.mark.asyncio(loop_scope="session")
async def test_exercises_replay_tactic_by_tactic(lean: EmbeddedLean) -> None:
    replayed = [r async for r in replay_all(CHECKED, lean)]
    assert [(r.proof.theorem.name, r.error) for r in replayed if r.error] == []
