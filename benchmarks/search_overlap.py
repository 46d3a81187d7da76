"""Claim: with many theorems open, the search keeps the slower of policy and Lean busy at least 95 % of the time.

    python benchmarks/search_overlap.py

Policy and Lean are simulated by waiting: the policy answers one batch of any size at a time, and each of Lean's workers takes a fixed time
for a tactic. Prints the share of the time that each was busy (for Lean: all its workers), the larger of which is that of the slower one;
expanded states per second; and the ratio to the same search with one theorem open at a time. Exits with 1 when the claim does not hold.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from burnqed.config import SearchConfig
from burnqed.lean.protocol import Outcome, ProofState, TacticStatus, Theorem, Verdict
from burnqed.policy.protocol import Candidate, Proposal, Temperature
from burnqed.proof_search.engine import search
from burnqed.proof_search.settings import SearchSettings
from burnqed.trajectory.rows import Task

CLAIM = 0.95


class SimulatedPolicy:
    """One batch at a time, `batch_s` seconds each."""

    def __init__(self, batch_s: float) -> None:
        self.batch_s = batch_s
        self.busy_s = 0.0
        self.batches: list[int] = []
        self._free = asyncio.Lock()

    async def propose(
        self, states: Sequence[str], *, candidates: int, temperature: Temperature, seeds: Sequence[int]
    ) -> list[Proposal]:
        async with self._free:
            began = time.monotonic()
            await asyncio.sleep(self.batch_s)
            self.busy_s += time.monotonic() - began
            self.batches.append(len(states))
        return [Proposal(tuple(Candidate(f"t{i}", -1.0 - i) for i in range(candidates)), "simulated") for _ in states]


class SimulatedLean:
    """`capacity` workers, `tactic_s` seconds per tactic; every second tactic fails, and no theorem is ever proved."""

    def __init__(self, tactic_s: float, capacity: int) -> None:
        self.tactic_s = tactic_s
        self.capacity = capacity
        self.busy_s = 0.0
        self.tactics = 0
        self._free = asyncio.Semaphore(capacity)

    async def start(self, theorem: Theorem) -> Outcome:
        return Outcome(TacticStatus.OK, ProofState((theorem.name,), ref=None))

    async def apply(self, state: ProofState, tactic: str, *, timeout: float | None = None) -> Outcome:
        async with self._free:
            began = time.monotonic()
            await asyncio.sleep(self.tactic_s)
            self.busy_s += time.monotonic() - began
        self.tactics += 1
        if int(tactic[1:]) % 2:
            return Outcome(TacticStatus.ERROR)
        return Outcome(TacticStatus.OK, ProofState((f"state {self.tactics}",), ref=None))

    async def release(self, root: ProofState) -> None:
        pass

    async def check(
        self, theorem: Theorem, proof: str, *, timeout: float | None = None, is_trusted: bool = True
    ) -> Verdict:
        raise NotImplementedError("no state is ever finished")

    async def close(self) -> None:
        pass


@dataclass(frozen=True)
class Case:
    name: str
    batch_s: float
    tactic_s: float
    capacity: int
    open_theorems: int = 32
    candidates: int = 16


@dataclass(frozen=True)
class Measured:
    policy_busy: float
    lean_busy: float
    nodes_per_s: float
    mean_batch: float


CASES = (
    Case("Lean slower (2 workers)", batch_s=0.3, tactic_s=0.01, capacity=2),
    Case("Lean slower, few open", batch_s=0.3, tactic_s=0.01, capacity=2, open_theorems=8),
    Case("about equal (16 workers)", batch_s=0.3, tactic_s=0.01, capacity=16),
    Case("policy slower (64 workers)", batch_s=0.3, tactic_s=0.01, capacity=64),
    Case("policy slower, many open", batch_s=0.3, tactic_s=0.01, capacity=64, open_theorems=64),
)


async def measure(case: Case, seconds: float) -> Measured:
    """Searches for about `seconds` and stops; work in progress at the stop is cut off on both sides."""
    policy, lean = SimulatedPolicy(case.batch_s), SimulatedLean(case.tactic_s, case.capacity)
    settings = replace(
        SearchSettings.for_search(SearchConfig(budget=100_000, candidates=case.candidates), ()),
        open_theorems=case.open_theorems,
    )
    tasks = [Task(Theorem(name=f"t{i}", statement="…")) for i in range(case.open_theorems)]
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, stop.set)
    began = time.monotonic()
    await search(tasks, lean, policy, None, settings, lambda result: None, stop)
    wall = time.monotonic() - began
    return Measured(
        policy_busy=policy.busy_s / wall,
        lean_busy=lean.busy_s / (wall * case.capacity),
        nodes_per_s=lean.tactics / case.candidates / wall,
        mean_batch=sum(policy.batches) / len(policy.batches),
    )


def main(seconds: float = 12.0) -> int:
    print(f"{'':28}  policy busy  Lean busy  slower of the two  states/s  mean batch  one at a time  ratio")
    worst = 1.0
    for case in CASES:
        many = asyncio.run(measure(case, seconds))
        one = asyncio.run(measure(replace(case, open_theorems=1), seconds / 2))
        slower = max(many.policy_busy, many.lean_busy)
        worst = min(worst, slower)
        print(
            f"{case.name:28}  {many.policy_busy:11.1%}  {many.lean_busy:9.1%}  {slower:17.1%}  {many.nodes_per_s:8.1f}"
            f"  {many.mean_batch:10.1f}  {one.nodes_per_s:6.1f} states/s  {many.nodes_per_s / one.nodes_per_s:5.1f}"
        )
    print(
        f"the slower of the two is busy at least {worst:.1%} of the time: the claim of {CLAIM:.0%} {'holds' if worst >= CLAIM else 'FAILS'}"
    )
    return 0 if worst >= CLAIM else 1


if __name__ == "__main__":
    sys.exit(main())
