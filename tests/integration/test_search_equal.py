"""Equal seeds, equal searches: however many theorems are open beside one, however busy the machine is, whatever Lean's instances did before."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from burnqed.config import PolicyConfig, SearchConfig, SftConfig
from burnqed.data.pairs import TacticPair
from burnqed.head.mlp import MlpHead
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.pantograph.backend import PantographLean
from burnqed.lean.protocol import LeanBackend, Theorem
from burnqed.policy.client import PolicyClient
from burnqed.policy.encode import Encoder
from burnqed.policy.pooling import Pooling
from burnqed.policy.prompt import prompt
from burnqed.policy.tiny import make_base
from burnqed.proof_search.engine import search
from burnqed.proof_search.settings import SearchSettings
from burnqed.store import Store
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.sft import Pairs, train_sft
from burnqed.trajectory.rows import SearchResult, Task
from burnqed.trajectory.schema import ProofStatus
from tests.fixtures import pantograph
from tests.fixtures.policy import running

SHAPE = PolicyConfig(
    hidden_size=48, layers=2, heads=3, vocabulary=400, max_prompt_tokens=192, max_new_tokens=16, embed_max_tokens=64
)
SIDES = ["a + b", "b + a", "a * b", "b * a", "a * 1 + b"]
FACTS = [f"{left} = {right}" for left in SIDES for right in SIDES if left != right]
"""Some hold, some do not."""
SAMPLES = 4
SEARCH = SearchConfig(budget=3, candidates=4, temperature=1.2, open_theorems=1)


def pairs() -> list[TacticPair]:
    """How to begin and how to go on; several ways at every state, so that samples differ."""
    draw = random.Random(0)
    ways = ["omega", "simp [Nat.add_comm]", "exact Nat.add_comm a b", "exact Nat.mul_comm a b", "induction a", "simp"]
    found = []
    for i in range(200):
        state, tactic = f"a b : ℕ\n⊢ {draw.choice(FACTS)}", draw.choice(ways)
        if i % 4 == 0:
            fact = state.rpartition("⊢ ")[2]
            state, tactic = f"⊢ ∀ (a b : ℕ), {fact}", draw.choice(["intro a b", "intros", "intro a"])
        found.append(TacticPair(theorem=f"t{i}", state=state, tactic=tactic, depth=0, source="known", num_goals=1))
    return found


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model, trained for seconds."""
    folder, known = tmp_path_factory.mktemp("equal"), pairs()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    make_base([prompt(pair.state) + pair.tactic for pair in known], folder / "base", SHAPE, seed=0)
    config = SftConfig(
        learning_rate=5e-3, steps=60, batch_tokens=1024, max_length=160, warmup_steps=5, evaluation_pairs=1
    )
    train_sft(
        folder / "base", Pairs(known, []), config, iteration=0, validation_fraction=0.05, workdir=folder,
        checkpoints=Checkpoints(Store(str(folder / "store")), "checkpoint.pt"),
    )  # fmt: skip
    torch.set_num_threads(threads)
    return folder / "adapter"


@pytest.fixture(scope="module")
def head(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that prefers nothing in particular, but decides the order all the same."""
    encoder = Encoder(model, Pooling(SHAPE.embed_max_tokens))
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("head")
    MlpHead(encoder.width, [16]).save(folder, encoder.embedding_id, {})
    return folder


async def searched(url: str, lean: LeanBackend, open_theorems: int, facts: Sequence[str] = FACTS) -> dict[Any, Any]:
    """What is known of every search, by theorem and sample."""
    tasks = [
        Task(Theorem(name=f"t{i:02}", statement=f"∀ a b : Nat, {fact}"), sample=s)
        for i, fact in enumerate(facts)
        for s in range(SAMPLES)
    ]
    settings = SearchSettings.for_search(SEARCH.model_copy(update={"open_theorems": open_theorems}), ())
    found: list[SearchResult] = []
    async with PolicyClient(SHAPE, url, url) as client:
        await client.wait_ready(60)
        await search(tasks, lean, client, client, settings, found.append)
    return {(f.result.name, f.result.sample): told(f) for f in found}


def told(found: SearchResult) -> tuple[Any, ...]:
    """All of a search but its times."""
    rows = [
        (r.parent_id, r.tactic, r.tactic_status, r.state, r.log_prob, r.energy, r.visit_order, r.seed)
        for r in found.states
    ]
    r = found.result
    return r.status, r.proof, r.nodes, r.tokens, r.lean_calls, rows


@contextmanager
def a_busy_machine() -> Iterator[None]:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range((os.cpu_count() or 1) + 1)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.long
async def test_a_search_depends_on_nothing_that_runs_beside_it(model: Path, head: Path) -> None:
    with running(model, SHAPE, head) as server:
        async with EmbeddedLean(workers=1) as alone:
            first = await searched(server.url, alone, 1)
        async with EmbeddedLean(workers=2, recycle_requests=150) as lean:
            some = await searched(server.url, lean, 8)
            with a_busy_machine():
                many = await searched(server.url, lean, 64)
    statuses = [status for status, *_ in first.values()]
    assert {ProofStatus.PROVED, ProofStatus.UNPROVED} <= set(statuses)
    assert len({rows[1][1] for *_, rows in first.values()}) > 1, "the policy has several ideas"
    for other in (some, many):
        assert other == first


@pytest.mark.long
async def test_both_backends_search_the_same_trees(model: Path, head: Path, tmp_path: Path) -> None:
    """To the last row: states, tactics, what became of them, log-probabilities and energies (`make pantograph-equal`: with the demo's model, and faults)."""
    facts = FACTS[::4]
    with running(model, SHAPE, head) as server:
        async with EmbeddedLean(workers=2) as lean:
            expected = await searched(server.url, lean, 8, facts)
        async with PantographLean(pantograph.project(tmp_path), workers=2) as other:
            found = await searched(server.url, other, 8, facts)
    assert found == expected
