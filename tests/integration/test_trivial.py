"""The first step of a baseline over the real embedded Lean, with models of which one knows what they write."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.policy.protocol import Candidate, Proposal, Temperature
from burnqed.resolve import resolve
from burnqed.steps import trivial
from burnqed.steps.base import Context, Unit, view
from burnqed.steps.facts import TrivialFacts
from burnqed.steps.table import step_named
from burnqed.store import Store

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Writer:
    """Writes the same tactics at every state."""

    def __init__(self, tactics: Sequence[str]) -> None:
        self.tactics = tactics

    async def propose(
        self, states: Sequence[str], *, candidates: int, temperature: Temperature, seeds: Sequence[int]
    ) -> list[Proposal]:
        return [Proposal(tuple(Candidate(t, -1.0) for t in self.tactics), "writer") for _ in states]


async def step(
    model: str, tactics: Sequence[str], lean: EmbeddedLean, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> TrivialFacts:
    @asynccontextmanager
    async def opened(_: Context, __: Unit) -> AsyncIterator[tuple[Writer, EmbeddedLean]]:
        yield Writer(tactics), lean

    monkeypatch.setattr(trivial, "opened", opened)
    overrides = [f"policy.model={model}", "search.budget=2", "search.probe_tactics=true"]
    config = resolve("smoke", overrides, workflow="baseline").config
    context = Context(Store(str(folder)), Layout("baseline", 0), config, folder)
    (unit,) = trivial.units(context)
    facts = await trivial.run(replace(context, config=view(step_named("trivial"), context, unit)), unit)
    assert facts is not None
    return facts


async def test_a_model_that_knows_a_few_tactics_proves_all_sixteen(
    lean: EmbeddedLean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = await step(
        "some-model", ["simp", "omega", "grind", "exact fun _ _ h => h.symm"], lean, tmp_path, monkeypatch
    )
    assert facts.document() == {"theorems": 16, "proved": 16, "errors": 0}
    (file,) = tmp_path.rglob("trivial.json")
    assert all(theorem["proof"] for theorem in json.loads(file.read_text())["theorems"])


async def test_a_model_that_writes_prose_is_stopped_though_probe_tactics_would_prove_all(
    lean: EmbeddedLean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match=r"'We use induction\.' \(error\).*policy\.template"):
        await step("some-model", ["We use induction."], lean, tmp_path, monkeypatch)
    assert not [*tmp_path.rglob("trivial.json")]


async def test_random_weights_are_no_reason_to_stop(
    lean: EmbeddedLean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = await step("tiny", ["We use induction."], lean, tmp_path, monkeypatch)
    assert (facts.theorems, facts.proved) == (16, 0)
