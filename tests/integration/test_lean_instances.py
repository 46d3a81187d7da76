"""Instances and the process of the embedded Lean: what happens when they hang, die, grow old, or lose their parent."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from burnqed.errors import TryAgain
from burnqed.lean.embedded import supervisor
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.protocol import ProofState, TacticStatus, Theorem
from tests.fixtures.endless import ENDLESS
from tests.fixtures.instance import ask

COMMUTES = Theorem(name="commutes", statement="∀ a b : Nat, a + b = b + a")
HANGS = "have h : Nat.rec (motive := fun _ => Nat → Nat) id (fun _ f n => f (f n)) 40 0 = 0 := by decide +kernel"
"""Applies the identity 2^40 times."""
CRASHES = "exact " + "(" * 5_000 + "rfl" + ")" * 5_000
"""Too deep for any stack."""


async def opened(lean: EmbeddedLean, *tactics: str, theorem: Theorem = COMMUTES) -> tuple[ProofState, ProofState]:
    """A search: its root, and the state after some tactics."""
    outcome = await lean.start(theorem)
    assert outcome.state is not None, outcome.message
    root = state = outcome.state
    for tactic in tactics:
        outcome = await lean.apply(state, tactic)
        assert outcome.state is not None, outcome.message
        state = outcome.state
    return root, state


async def test_a_timed_out_instance_is_replaced_and_other_searches_go_on() -> None:
    async with EmbeddedLean(workers=2, heartbeats=0) as lean:
        _, state = await opened(lean, "intro a b")
        others = [(await opened(lean, "intro a b"))[1] for _ in range(3)]
        hanging = asyncio.create_task(lean.apply(state, HANGS, timeout=1.5))
        while not hanging.done():  # meanwhile the other instance serves, also searches that began in the hanging one
            outcomes = await asyncio.gather(*(lean.apply(other, "omega") for other in others))
            assert [outcome.status for outcome in outcomes] == [TacticStatus.OK] * 3
        assert (await hanging).status is TacticStatus.TIMEOUT
        assert "1.5 s" in (await hanging).message
        assert (await hanging).seconds >= 1.5
        assert (await lean.apply(state, "omega")).status is TacticStatus.OK  # its state is made again
        assert (await lean.stats())["restarts"] == 1


async def test_a_crash_is_seen_only_by_the_request_that_was_served() -> None:
    async with EmbeddedLean(workers=1) as lean:
        _, state = await opened(lean, "intro a b")
        _, other = await opened(lean, "intro a b")
        crashed, *fine = await asyncio.gather(
            lean.apply(state, CRASHES, timeout=120), *(lean.apply(s, "omega") for s in (other, state, other))
        )
        assert crashed.status is TacticStatus.CRASH
        assert "crashed" in crashed.message
        assert [outcome.status for outcome in fine] == [TacticStatus.OK] * 3
        assert (await lean.stats())["restarts"] == 2, (
            "a fresh instance, too, where nobody else had left anything, had to crash"
        )


async def test_memory_beyond_the_cap_is_a_crash_not_a_full_machine() -> None:
    async with EmbeddedLean(workers=1, memory_mb=180) as lean:
        outcome = await lean.apply((await opened(lean, "intro a b"))[1], "rw?")
        assert outcome.status is TacticStatus.CRASH
        assert max(instance["heapMb"] for instance in (await lean.stats())["instances"]) <= 180


async def test_states_survive_the_end_of_the_whole_process(caplog: pytest.LogCaptureFixture) -> None:
    async with EmbeddedLean(workers=1) as lean:
        root, state = await opened(lean, "intro a b", "have h : a = a := rfl")
        _, short = await opened(lean)
        running = asyncio.create_task(lean.apply(state, "omega"))
        await asyncio.sleep(0.01)
        os.kill(lean.pid, signal.SIGKILL)
        assert (await running).status is TacticStatus.OK  # what was lost is asked again
        outcomes = await asyncio.gather(*(lean.apply(state, "omega") for _ in range(3)), lean.apply(short, "intro x"))
        assert [outcome.status for outcome in outcomes] == [TacticStatus.OK] * 4
        stats = await lean.stats()
        assert stats["searches"] == 2  # each was made again once
        await lean.release(root)
        assert (await lean.stats())["searches"] == 1
    assert [record.getMessage() for record in caplog.records] == [
        "the Lean process ended (exit status -9); another one takes its place, and its states are made again"
    ]


async def test_a_process_that_gives_no_sign_of_life_is_ended_and_another_takes_its_place(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(supervisor, "ASKED_SECONDS", 0.2)
    monkeypatch.setattr(supervisor, "SILENT_SECONDS", 3.0)
    async with EmbeddedLean(workers=1) as lean:
        _, state = await opened(lean, "intro a b")
        before = lean.pid
        os.kill(before, signal.SIGSTOP)
        assert (await lean.apply(state, "omega")).status is TacticStatus.OK
        assert lean.pid != before
    assert "gave no sign of life for 3 s" in caplog.text


async def test_a_process_that_answered_while_we_were_away_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "ASKED_SECONDS", 0.5)
    monkeypatch.setattr(supervisor, "SILENT_SECONDS", 1.5)
    async with EmbeddedLean(workers=1) as lean:
        await opened(lean)
        before = lean.pid
        os.kill(before, signal.SIGSTOP)
        await asyncio.sleep(1.0)  # it is asked meanwhile
        os.kill(before, signal.SIGCONT)
        time.sleep(2.0)
        await asyncio.sleep(0.2)
        await opened(lean)
        assert lean.pid == before


async def test_an_answer_that_cannot_be_read_ends_the_process_and_nobody_waits_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "LINE_BYTES", 20_000)
    theorem = Theorem(name="t", statement=f'∀ s : String, s = "{"a" * 90_000}" → True')
    async with EmbeddedLean(workers=1) as lean:
        outcome = await asyncio.wait_for(lean.start(theorem), 120)
        assert outcome.status is TacticStatus.CRASH
        assert (await lean.check(Theorem(name="t", statement="1 + 1 = 2"), "rfl")).accepted


async def test_instances_are_recycled_and_searches_go_on() -> None:
    async with EmbeddedLean(workers=1, recycle_requests=3) as lean:
        _, state = await opened(lean, "intro a b")
        for count in range(6):
            outcome = await lean.apply(state, f"have h : a + {count} = {count} + a := by omega")
            assert outcome.state is not None, outcome.message
            state = outcome.state
        assert len(state.text.splitlines()) == 1 + 6 + 1
        stats = await lean.stats()
        assert stats["recycled"] >= 2
        assert stats["restarts"] == 0
        assert stats["replayed"] > 0


async def test_instances_are_recycled_by_age_and_by_memory() -> None:
    for lean in (EmbeddedLean(workers=1, recycle_minutes=0.001), EmbeddedLean(workers=1, memory_mb=200)):
        async with lean:
            await opened(lean, "intro a b")
            assert (await lean.stats())["recycled"] >= 1


def test_a_renewed_instance_has_the_memory_that_it_started_with() -> None:
    proof = "example (a b : Nat) (h : a < b) : a + 1 ≤ b := by omega"
    requests: list[dict[str, object]] = [
        {"kind": "memory"},
        {"kind": "elaborate", "header": "", "text": proof, "isTrusted": False},
        {"kind": "memory"},
        {"kind": "scribble"},
        {"kind": "renew"},
        {"kind": "memory"},
    ]
    before, elaborated, after, _, _, renewed = ask(*requests)
    assert elaborated["errors"] == []
    assert after != before
    assert renewed == before


def test_a_renewed_instance_has_as_much_memory_as_a_new_one_whatever_grew_before() -> None:
    (new,) = ask({"kind": "fill"})
    assert (new["why"], new["heapMb"]) == ("out of memory", 1200)
    *_, first, _, second = ask(
        {"kind": "grow", "mb": 555}, {"kind": "renew"}, {"kind": "fill"}, {"kind": "renew"}, {"kind": "fill"}
    )
    assert first == second == new


async def test_a_search_that_is_released_while_lean_works_on_it_leaves_nothing() -> None:
    async with EmbeddedLean(workers=1) as lean:
        root, state = await opened(lean, "intro a b")
        working = [asyncio.create_task(lean.apply(state, "omega")) for _ in range(4)]
        await asyncio.sleep(0)
        await lean.release(root)
        outcomes = await asyncio.gather(*working)
        assert {outcome.status for outcome in outcomes} <= {TacticStatus.OK, TacticStatus.ERROR}
        stats = await lean.stats()
        assert (stats["states"], stats["searches"], stats["queued"]) == (0, 0, 0)


async def test_one_search_uses_all_instances() -> None:
    async with EmbeddedLean(workers=2) as lean:
        _, state = await opened(lean, "intro a b")
        await asyncio.gather(*(lean.apply(state, f"have h : a + {n} = {n} + a := by omega") for n in range(20)))
        assert all(instance["served"] > 2 for instance in (await lean.stats())["instances"])


async def test_a_process_that_cannot_start_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "supervisor.cjs").write_text("console.error('no such machine'); process.exit(1)")
    monkeypatch.setattr(supervisor, "SCRIPTS", tmp_path)
    with pytest.raises(TryAgain, match="no such machine"):
        await EmbeddedLean(workers=1).__aenter__()


async def test_after_close_nothing_runs() -> None:
    lean = EmbeddedLean(workers=1)
    async with lean:
        process = psutil.Process(lean.pid)
        _, state = await opened(lean)
    assert not process.is_running()
    with pytest.raises(RuntimeError, match="closed"):
        await lean.apply(state, "intro a b")


ORPHAN = """
import asyncio
import sys
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.protocol import Theorem

async def main():
    async with EmbeddedLean(workers=1, heartbeats=0) as lean:
        root = (await lean.start(Theorem(name="t", statement="0 = 1"))).state
        print(lean.pid, flush=True)
        await lean.apply(root, sys.argv[1], timeout=1000)

asyncio.run(main())
"""


def test_a_killed_parent_leaves_no_process_however_busy_it_is() -> None:
    parent = subprocess.Popen([sys.executable, "-c", ORPHAN, ENDLESS], stdout=subprocess.PIPE, text=True)
    try:
        assert parent.stdout is not None
        node = psutil.Process(int(parent.stdout.readline()))
        time.sleep(0.5)  # Lean is in the endless tactic
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close() if parent.stdout else None
    deadline = time.monotonic() + 5
    while node.is_running() and node.status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not node.is_running() or node.status() == psutil.STATUS_ZOMBIE
