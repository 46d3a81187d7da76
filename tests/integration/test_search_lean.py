"""Search over the real embedded Lean. The policy offers one menu of tactics at every state; what is proved is checked again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from burnqed.config import SearchConfig
from burnqed.lean.core import PROBE_TACTICS
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.protocol import Theorem
from burnqed.policy.protocol import Candidate, Proposal, Temperature
from burnqed.proof_search.engine import search
from burnqed.proof_search.probes import probe_easy
from burnqed.proof_search.settings import SearchSettings
from burnqed.store import Store
from burnqed.train.examples import HeadExamples
from burnqed.trajectory.reader import proof_pairs, read_parts
from burnqed.trajectory.rows import SearchResult, Task
from burnqed.trajectory.schema import ProofStatus
from burnqed.trajectory.writer import ShardWriter
from tests.fixtures.endless import ENDLESS

one_loop = pytest.mark.asyncio(loop_scope="session")
"""Lean is opened once for all integration tests."""

MENU = (
    "intro p q h",
    "intro n",
    "obtain ⟨a, b⟩ := h",
    "induction n with | zero => ?_ | succ n ih => ?_",
    "sorry",
    "exact ⟨b, a⟩",
    "rw [← Nat.add_assoc, ih]",
    "rfl",
    "no_such_tactic",
)
SUM = "def total : Nat → Nat | 0 => 0 | n + 1 => total n + (n + 1)\n"
PROVABLE = [
    Theorem(name="and_swap", statement="∀ (p q : Prop), p ∧ q → q ∧ p"),
    Theorem(name="zero_add", statement="∀ n : Nat, 0 + n = n"),
    Theorem(name="whole", statement="theorem foo (n : Nat) : 0 + n = n := by simp"),
    Theorem(name="with_header", statement="total 0 = 0", header=SUM),
]
FALSE = Theorem(name="false", statement="∀ n : Nat, n = n + 1")
BAD = Theorem(name="bad", statement="∀ n : Foo, n = n")
SETTINGS = replace(SearchSettings.for_search(SearchConfig(budget=16, seconds=200, depth=5), ()), open_theorems=4)


class Menu:
    """Offers the same tactics at every state, the first the likeliest."""

    async def propose(
        self, states: Sequence[str], *, candidates: int, temperature: Temperature, seeds: Sequence[int]
    ) -> list[Proposal]:
        return [Proposal(tuple(Candidate(t, -0.5 - 0.1 * i) for i, t in enumerate(MENU)), "menu") for _ in states]


@one_loop
async def test_what_is_proved_compiles_again_and_what_is_false_or_malformed_is_told_apart(
    new_lean: EmbeddedLean, tmp_path: Path
) -> None:
    store = Store(str(tmp_path))
    theorems = [*PROVABLE, FALSE, BAD]
    writer = ShardWriter(store, "shard", theorems, per_part=4, run="r", iteration=0)
    found: dict[str, SearchResult] = {}

    def on_result(result: SearchResult) -> None:
        found[result.result.name] = result
        writer.add(result)

    await search(writer.pending(), new_lean, Menu(), None, SETTINGS, on_result)
    for theorem in PROVABLE:
        result = found[theorem.name].result
        assert result.status is ProofStatus.PROVED, result
        assert result.proof is not None
        assert (await new_lean.check(theorem, result.proof)).accepted
    assert found["zero_add"].result.proof == "intro n\n" + "\n".join(
        ["induction n with | zero => ?_ | succ n ih => ?_", "rfl", "rw [← Nat.add_assoc, ih]"]
    )
    assert found["false"].result.status is ProofStatus.UNPROVED
    assert found["bad"].result.status is ProofStatus.ERROR
    assert "Foo" in found["bad"].result.reason
    assert (await new_lean.stats())["states"] == 0, "states of finished searches are released"

    pairs = [p for rows in read_parts(store, writer.finish()) for p in proof_pairs(rows).to_pylist()]
    assert {p["theorem"] for p in pairs} == {t.name for t in PROVABLE}
    assert [p["num_goals"] for p in pairs if p["theorem"] == "zero_add"] == [1, 1, 2, 1]
    examples = HeadExamples.from_tables(read_parts(store, writer.finish()))
    assert any("⊢ q ∧ p" in examples.texts[state] for state in examples.state)


@one_loop
async def test_a_lean_that_is_killed_in_the_middle_costs_no_theorem(lean: EmbeddedLean) -> None:
    found: list[SearchResult] = []
    tasks = [Task(t.model_copy(update={"name": f"{t.name}{i}"})) for i in range(2) for t in PROVABLE]

    class Killing(Menu):
        requests = 0

        async def propose(self, states, *, candidates, temperature, seeds):  # type: ignore[no-untyped-def]
            self.requests += 1
            if self.requests == 4:
                for child in psutil.Process().children():
                    if "supervisor" in " ".join(child.cmdline()):
                        child.kill()
            return await super().propose(states, candidates=candidates, temperature=temperature, seeds=seeds)

    await search(tasks, lean, policy := Killing(), None, SETTINGS, found.append)
    assert policy.requests > 4
    assert len(found) == len(tasks)
    assert {f.result.status for f in found} == {ProofStatus.PROVED}


@one_loop
@pytest.mark.parametrize(
    ("statement", "easy"),
    [
        ("∀ a b : Nat, a + b = b + a", True),
        ("2 ^ 2005 % 100 = 32", True),  # rfl exceeds the recursion depth, omega proves it
        ("∀ n : Nat, n = n + 1", False),
        ("∀ n : Foo, n = n", False),
    ],
)
async def test_probe_easy_means_that_one_probe_tactic_proves_it(lean: EmbeddedLean, statement: str, easy: bool) -> None:
    assert await probe_easy(Theorem(name="t", statement=statement), lean) == easy


async def test_a_theorem_on_which_a_probe_hangs_counts_as_hard_at_once(caplog: pytest.LogCaptureFixture) -> None:
    """Heartbeats do not see large numbers; the other probes would hang, too."""
    theorem = Theorem(name="large", statement="((3 ^ 256) ^ 256) ^ 200 % 7 = 1")
    async with EmbeddedLean(workers=1, heartbeats=40_000, tactic_timeout_s=15) as lean:
        assert not await probe_easy(theorem, lean)
        assert (await lean.stats())["restarts"] == 1
    assert "large counts as hard" in caplog.text


def test_the_probe_tactics_are_the_list_that_every_comparison_uses(shared: Path) -> None:
    lines = (shared / "data" / "probe_tactics.txt").read_text(encoding="utf-8").splitlines()
    assert tuple(line for line in lines if line and not line.startswith("#")) == PROBE_TACTICS


@one_loop
async def test_stop_drops_open_theorems_within_seconds_though_lean_is_busy(lean: EmbeddedLean) -> None:
    lean.heartbeats = 0  # the last test: Lean stays busy afterwards
    stop = asyncio.Event()
    stopped_at = 0.0

    def set_stop() -> None:
        nonlocal stopped_at
        stopped_at = time.monotonic()
        stop.set()

    class Slow(Menu):
        async def propose(self, states, *, candidates, temperature, seeds):  # type: ignore[no-untyped-def]
            asyncio.get_running_loop().call_later(0.5, set_stop)
            endless = Candidate(ENDLESS, -1.0)
            return [Proposal((endless,), "slow") for _ in states]

    found: list[SearchResult] = []
    tasks = [Task(Theorem(name=f"t{i}", statement="0 = 1")) for i in range(4)]
    await search(tasks, lean, Slow(), None, SETTINGS, found.append, stop)
    assert not found
    assert time.monotonic() - stopped_at < 4
