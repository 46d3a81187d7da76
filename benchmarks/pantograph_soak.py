"""Searches on Pantograph workers that hang, crash, answer garbage or half, start slowly and freeze: nothing is lost, nothing mixed up, nothing left over.

    make soak                # 20,000 requests over 8 workers; about 20 minutes on two cores

Every theorem has a number of its own, which its states show. Requests go through the backend `pantograph` to the stand-in over the embedded Lean
(tests/fixtures/pantograph.py), whose fault layer decides by chance. Exits with 1 unless every request is answered, every state is the one that
was asked for, no process is left, and the memory of all processes is level.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from burnqed.lean.pantograph.backend import PantographLean
from burnqed.lean.pantograph.project import opened
from burnqed.lean.protocol import Outcome, ProofState, TacticStatus, Theorem
from tests.fixtures import pantograph

FAULTS = {
    "hang": 0.0005, "frozen": 0.0005, "crash": 0.002, "garbage": 0.002, "half_line": 0.002, "second_line": 0.002, "delay": 0.005, "slow_start": 0.1,
}  # fmt: skip
"""How likely each is for a request, or for a start (tests/fixtures/faults.cjs)."""
TIMEOUT_S = 10.0
OPEN_PER_WORKER = 3
HEADERS = 10
"""Every so many theorems one has the default header, whose notations take Lean longer than all tactics."""
TOLD_SECONDS = 60
LEVEL = 1.5
"""The last fifth of the time may take this many times the memory of the second fifth."""
MB = 1 << 20


@dataclass
class Soak:
    """What happened."""

    asked: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    """Answers that are not those to what was asked."""
    memory_mb: list[float] = field(default_factory=list)
    """Of this process and all that it started, over time."""
    counts: dict[str, int] = field(default_factory=dict)
    orphans: int = 0
    seconds: float = 0.0

    @property
    def lost(self) -> int:
        return self.asked - self.outcomes.total()

    @property
    def growth(self) -> float:
        fifth = len(self.memory_mb) // 5
        early, late = self.memory_mb[fifth : 2 * fifth], self.memory_mb[-fifth:]
        return (sum(late) / len(late)) / (sum(early) / len(early)) if fifth else 1.0


async def soak(requests: int, workers: int, faults: dict[str, float], folder: Path, seed: int = 0) -> Soak:
    """Keeps three times as many searches open as there are workers until `requests` have been made."""
    found, draw, began = Soak(), random.Random(seed), time.monotonic()
    project = pantograph.project(folder, seed=seed, **faults)
    lean = PantographLean(project=project, workers=workers, tactic_timeout_s=TIMEOUT_S, recycle_requests=500)
    numbers = iter(range(requests))

    async def watch() -> None:
        while True:
            await asyncio.sleep(1)
            found.memory_mb.append(memory_mb())
            if len(found.memory_mb) % TOLD_SECONDS == 0:
                print(
                    f"{found.asked:,} requests, {found.memory_mb[-1]:.0f} MB, {lean.counts}",
                    file=sys.stderr,
                    flush=True,
                )

    async def asked(request: asyncio.Future[Outcome], expected: str | None) -> ProofState | None:
        found.asked += 1
        outcome = await request
        found.outcomes[outcome.status] += 1
        if outcome.state and outcome.state.text != expected:
            found.wrong.append(f"{expected!r} became {outcome.state.text!r}")
        if expected is None and outcome.status is TacticStatus.OK:
            found.wrong.append("what fails was accepted")
        return outcome.state

    async def search(number: int) -> None:
        def begun(request: object) -> asyncio.Future[Outcome]:
            return asyncio.ensure_future(request)  # type: ignore[call-overload,no-any-return]

        goal, has_header = f"n + {number} = {number} + n", number % HEADERS == 0
        numbers, header = ("ℕ", None) if has_header else ("Nat", "")
        theorem = Theorem(name=str(number), statement=f"∀ n : {numbers}, {goal}", header=header)
        root = await asked(begun(lean.start(theorem)), f"⊢ ∀ (n : {numbers}), {goal}")
        if root is None:
            return
        state = await asked(begun(lean.apply(root, "intro n")), f"n : {numbers}\n⊢ {goal}")
        if state:
            for _ in range(draw.randrange(4)):
                await asked(begun(lean.apply(state, f"exact absurd rfl h{number}")), None)
            await asked(begun(lean.apply(state, "omega")), "")
        await lean.release(root)

    async def searcher() -> None:
        while found.asked < requests:
            await search(next(numbers))

    async with lean:
        watching = asyncio.create_task(watch())
        try:
            await asyncio.gather(*(searcher() for _ in range(OPEN_PER_WORKER * workers)))
        finally:
            watching.cancel()
        found.counts = {
            "restarts": lean.counts.restarts,
            "recycled": lean.counts.recycled,
            "replayed": lean.counts.replayed,
            "states": lean.states,
        }
    command = " ".join(opened(project).repl)
    found.orphans = sum(command in line for line in command_lines())
    found.seconds = time.monotonic() - began
    return found


def command_lines() -> list[str]:
    """Of all processes, whosever children they are."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            found.append(" ".join(process.cmdline()))
    return found


def memory_mb() -> float:
    total = 0.0
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        with suppress(psutil.Error):
            total += process.memory_info().rss / MB
    return total


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(soak(given.requests, given.workers, FAULTS, Path(folder), given.seed))
    print(f"{found.asked:,} requests over {given.workers} workers in {found.seconds:.0f} s: {dict(found.outcomes)}")
    print(f"workers: {found.counts}")
    print(f"lost {found.lost}, mixed up {len(found.wrong)}, orphans {found.orphans}")
    print(
        f"memory {min(found.memory_mb):.0f} to {max(found.memory_mb):.0f} MB; last fifth over second fifth: {found.growth:.2f}"
    )
    for line in found.wrong[:10]:
        print(line)
    sys.exit(bool(found.lost or found.wrong or found.orphans or found.counts["states"] or found.growth > LEVEL))


if __name__ == "__main__":
    main()
