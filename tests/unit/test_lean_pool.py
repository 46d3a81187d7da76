"""How many Lean workers fit, from control groups as files; and what a pool does with its workers, whatever they are."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from burnqed import machine
from burnqed.errors import BadInput, TryAgain
from burnqed.lean import pool
from burnqed.lean.pool import Pool, Recycling, State
from burnqed.lean.worker import Answer, Crashed, Message, Vanished, failure


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "self-cgroup"
    file.write_text("0::/kubepods/pod1/worker\n")
    return file


def affinity() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def test_a_quota_of_version_2_counts_wherever_it_is_set_above_us(tmp_path: Path, own: Path) -> None:
    (tmp_path / "kubepods/pod1/worker").mkdir(parents=True)
    (tmp_path / "kubepods/pod1/worker/cpu.max").write_text("max 100000\n")
    (tmp_path / "kubepods/pod1/cpu.max").write_text("50000 100000\n")
    assert machine.cpu_quota(tmp_path, own) == 0.5


def test_in_a_container_the_root_is_our_own_group(tmp_path: Path, own: Path) -> None:
    (tmp_path / "cpu.max").write_text("75000 100000\n")
    (tmp_path / "memory.max").write_text("1073741824\n")
    assert machine.cpu_quota(tmp_path, own) == 0.75
    assert machine.memory_limit(tmp_path, own) == 2**30


def test_limits_of_version_1(tmp_path: Path, own: Path) -> None:
    own.write_text("5:memory:/pod1\n4:cpu,cpuacct:/pod1\n")
    for folder in ("cpu/pod1", "memory/pod1"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "cpu/pod1/cpu.cfs_quota_us").write_text("25000\n")
    (tmp_path / "cpu/pod1/cpu.cfs_period_us").write_text("100000\n")
    (tmp_path / "memory/pod1/memory.limit_in_bytes").write_text("268435456\n")
    assert machine.cpu_quota(tmp_path, own) == 0.25
    assert machine.memory_limit(tmp_path, own) == 2**28


def test_without_limits_the_machine_counts(tmp_path: Path, own: Path) -> None:
    (tmp_path / "cpu.max").write_text("max 100000\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert machine.cpu_quota(tmp_path, own) == affinity()
    assert machine.memory_limit(tmp_path, tmp_path / "absent") == psutil.virtual_memory().total


@pytest.mark.parametrize(("quota", "workers"), [(0.5, 1), (1, 1), (2, 2), (4, 3), (8, 6), (64, 16)])
def test_three_quarters_of_the_quota_at_least_one_at_most_sixteen(
    monkeypatch: pytest.MonkeyPatch, quota: float, workers: int
) -> None:
    monkeypatch.setattr(pool, "cpu_quota", lambda: quota)
    monkeypatch.setattr(pool, "memory_limit", lambda: 2**40)
    assert pool.default_workers(1_200) == workers


def test_no_more_workers_than_memory_holds_beside_this_process_and_the_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    own_bytes = psutil.Process().memory_info().rss
    monkeypatch.setattr(pool, "cpu_quota", lambda: 64)
    monkeypatch.setattr(pool, "memory_limit", lambda: own_bytes + 3_700 * 2**20)
    assert pool.default_workers(1_200) == 2
    monkeypatch.setattr(pool, "memory_limit", lambda: own_bytes)
    assert pool.default_workers(1_200) == 1


# ---- the pool


class Adder:
    """A worker whose states are numbers: `start` gives one, `tactic` adds to one, and some requests end it."""

    def __init__(self, everything: Everything) -> None:
        self.everything = everything
        self.is_alive = False
        self.memory_mb = 1.0
        self.states: dict[int, int] = {}
        self.served = 0
        self.is_littered = False

    async def start(self) -> None:
        self.everything.starts += 1
        if self.everything.refuses:
            raise self.everything.refuses
        if self in self.everything.never:
            raise Crashed("never")
        if self.everything.broken > 0:
            self.everything.broken -= 1
            raise Crashed("no memory")
        self.is_alive, self.memory_mb, self.served = True, 1.0, 0
        await self.renew()

    async def renew(self) -> None:
        if self.everything.renewals_fail and self.served:
            raise OSError("no renewal")
        self.states, self.served, self.is_littered = {}, 0, False

    async def end(self) -> None:
        self.is_alive, self.states = False, {}

    def forget(self, states: list[int]) -> None:
        for number in states:
            self.states.pop(number, None)

    async def ask(self, message: Message) -> Answer:
        at = self.everything
        if not self.is_alive:
            raise Vanished("the process ended")
        at.busy += 1
        at.busiest = max(at.busiest, at.busy)
        try:
            if message.get("way") == "slow":
                await asyncio.sleep(0.2)
            await (self.everything.gate.wait() if message.get("way") == "wait" else asyncio.sleep(0))
            return self.answer(message) if message.get("way") != "hang" else await asyncio.sleep(3600, {})
        finally:
            at.busy -= 1
            self.served += 1

    def answer(self, message: Message) -> Answer:
        self.everything.asked += [message["what"]] if "what" in message else []
        match message.get("way"):
            case "crash":
                raise Crashed("too deep")
            case "crash where others were" if self.is_littered:
                raise Crashed("too little memory")
            case "vanish" | "vanish once":
                self.is_alive = False
                if message["way"] == "vanish once":
                    message["way"] = ""
                raise Vanished("the process ended")
            case "refuse":
                return failure("error", "no")
            case "litter":
                self.is_littered = True
            case "eat":
                self.memory_mb = 1e6
        if message["kind"] == "work":
            return {"served": self.served, "seconds": 0.0}
        before = 0 if message["kind"] == "start" else self.states.get(message["parent"])
        if before is None:
            return failure("error", "there is no such state: its search has been released")
        self.states[message["id"]] = value = before + message["value"]
        return {"value": value, "seconds": 0.0}


class Everything:
    """What all workers of a test share."""

    def __init__(self) -> None:
        self.starts = self.broken = self.busy = self.busiest = 0
        self.asked: list[str] = []
        """What was asked, in order, where the test calls it something."""
        self.gate = asyncio.Event()
        self.refuses: Exception | None = None
        self.renewals_fail = False
        self.never: set[Adder] = set()
        self.workers: list[Adder] = []

    def worker(self) -> Adder:
        self.workers.append(Adder(self))
        return self.workers[-1]

    @property
    def states(self) -> int:
        return sum(len(worker.states) for worker in self.workers)


@asynccontextmanager
async def opened(size: int, requests: int = 1000, seconds: float = 1e9) -> AsyncIterator[tuple[Pool, Everything]]:
    everything = Everything()
    workers = Pool(everything.worker, size, Recycling(requests, seconds, memory_mb=100))
    try:
        yield workers, everything
    finally:
        await workers.close()


async def started(workers: Pool, value: int = 0) -> State:
    answer, root = await workers.make(None, {"kind": "start", "value": value}, 10)
    assert answer["value"] == value
    return root


def adding(value: int, **more: object) -> Message:
    return {"kind": "tactic", "value": value, **more}


async def test_as_many_work_at_once_as_there_are_workers_and_never_more() -> None:
    async with opened(3) as (workers, everything):
        root = await started(workers)
        making = asyncio.gather(*(workers.make(root, adding(n, way="wait"), 10) for n in range(60)))
        await asyncio.sleep(0.1)
        everything.gate.set()
        assert [answer["value"] for answer, _ in await making] == list(range(60))
        assert everything.busiest == 3
        assert workers.counts.replayed == 2, "the root, once at each of the others"


async def test_workers_start_when_there_is_work_for_them() -> None:
    async with opened(3) as (workers, everything):
        assert everything.starts == 0
        for _ in range(4):
            await workers.work({"kind": "work"}, 10)
        assert everything.starts == 1


async def test_one_search_alone_stays_where_its_states_are() -> None:
    async with opened(2) as (workers, _):
        await workers.start()
        state = await started(workers)
        for value in range(20):
            _, state = await workers.make(state, adding(value), 10)
        assert workers.counts.replayed == 0


@pytest.mark.parametrize(("requests", "seconds"), [(3, 1e9), (1000, 0.0)])
async def test_states_are_made_again_after_their_worker_was_replaced(requests: int, seconds: float) -> None:
    async with opened(1, requests, seconds) as (workers, _):
        state = await started(workers, 5)
        for value in range(1, 7):
            answer, state = await workers.make(state, adding(value), 10)
        assert answer["value"] == 5 + sum(range(1, 7))
        assert workers.counts.recycled >= 2
        assert workers.counts.restarts == 0
        assert workers.counts.replayed > 0


async def test_a_worker_whose_memory_is_nearly_used_up_is_replaced() -> None:
    async with opened(1) as (workers, _):
        await workers.work({"kind": "work", "way": "eat"}, 10)
        await workers.work({"kind": "work"}, 10)
        assert workers.counts.recycled == 1


async def test_a_crash_is_tried_again_in_a_fresh_worker_and_only_there_it_stands() -> None:
    async with opened(1) as (workers, everything):
        root = await started(workers)
        await workers.work({"kind": "work", "way": "litter"}, 10)
        answer, _ = await workers.make(root, adding(1, way="crash where others were"), 10)
        assert answer["value"] == 1
        answer, _ = await workers.make(root, adding(1, way="crash", what="crash"), 10)
        assert answer["error"] == {"kind": "crash", "message": "too deep"}
        assert everything.asked == ["crash"] * 2
        answer, _ = await workers.make(root, adding(2), 10)
        assert answer["value"] == 2, "the search goes on"


async def test_it_is_tried_again_also_when_another_worker_that_is_not_fresh_has_the_state() -> None:
    async with opened(2) as (workers, _):
        root = await started(workers)
        await asyncio.gather(*(workers.make(root, adding(n), 10) for n in range(20)))  # so that both have it
        await asyncio.gather(*(workers.work({"kind": "work", "way": "litter"}, 10) for _ in range(9)))
        answer, _ = await workers.make(root, adding(1, way="crash where others were"), 10)
        assert answer["value"] == 1


async def test_what_was_under_way_when_the_process_died_is_tried_again_once_and_nobody_else_sees_it() -> None:
    async with opened(2) as (workers, everything):
        root = await started(workers)
        answer, _ = await workers.make(root, adding(1, way="vanish once"), 10)
        assert answer["value"] == 1
        answer, _ = await workers.make(root, adding(1, way="vanish", what="vanish"), 10)
        assert (answer["error"]["kind"], everything.asked) == ("crash", ["vanish"] * 2)
        await asyncio.gather(*(workers.make(root, adding(n), 10) for n in range(8)))
        for worker in everything.workers:
            worker.is_alive = False
        answers = await asyncio.gather(*(workers.make(root, adding(n), 10) for n in range(8)))
        assert [answer["value"] for answer, _ in answers] == list(range(8))


async def test_who_takes_too_long_is_replaced_while_others_go_on() -> None:
    async with opened(2) as (workers, _):
        root = await started(workers)
        hanging = asyncio.create_task(workers.make(root, adding(1, way="hang"), 0.2))
        while not hanging.done():
            answer, _ = await workers.make(root, adding(1), 10)
            assert answer["value"] == 1
        answer, _ = await hanging
        assert answer["error"] == {"kind": "timeout", "message": "no answer within 0.2 s"}
        assert answer["seconds"] >= 0.2
        assert workers.counts.restarts == 1


async def test_what_was_answered_while_this_process_stood_still_is_no_timeout() -> None:
    async with opened(1) as (workers, _):
        root = await started(workers)
        making = asyncio.create_task(workers.make(root, adding(1, way="slow"), 0.4))
        await asyncio.sleep(0.1)
        time.sleep(pool.STANDSTILL_SECONDS + 0.5)
        answer, _ = await making
        assert answer["value"] == 1
        assert workers.counts.restarts == 0


@pytest.mark.parametrize("error", [OSError(12, "no memory"), BadInput("not installed")])
async def test_whatever_a_start_raises_is_told_to_whoever_waits_and_tried_again_later(error: Exception) -> None:
    async with opened(2) as (workers, everything):
        everything.refuses = error
        with pytest.raises(type(error)):
            await workers.start()
        with pytest.raises(type(error)):
            await workers.work({"kind": "work"}, 10)
        everything.refuses = None
        await workers.start()
        await workers.start()
        await workers.work({"kind": "work"}, 10)


async def test_a_worker_that_does_not_start_keeps_nobody_from_working() -> None:
    async with opened(2) as (workers, everything):
        await workers.start()
        everything.never.add(everything.workers[0])
        everything.workers[0].is_alive = False
        root = await started(workers)
        answers = await asyncio.gather(*(workers.make(root, adding(n), 10) for n in range(20)))
        assert [answer["value"] for answer, _ in answers] == list(range(20))


async def test_a_worker_that_cannot_be_renewed_is_started_again() -> None:
    async with opened(1) as (workers, everything):
        await workers.work({"kind": "work"}, 10)
        everything.renewals_fail = True
        answer = await workers.work({"kind": "work"}, 10, is_fresh=True)
        assert (answer["served"], everything.starts) == (0, 2)


async def test_closing_ends_the_workers_and_whoever_waits_for_one() -> None:
    async with opened(2) as (workers, everything):
        await workers.start()
    assert not any(worker.is_alive for worker in everything.workers)
    with pytest.raises(RuntimeError, match="has been closed"):
        await workers.start()
    with pytest.raises(RuntimeError, match="has been closed"):
        await workers.work({"kind": "work"}, 10)


async def test_a_state_that_cannot_be_made_again_is_a_crash_that_says_why() -> None:
    async with opened(1, requests=2) as (workers, _):
        root = await started(workers)
        _, state = await workers.make(root, adding(1), 10)
        state.message["way"] = "refuse"
        answer, _ = await workers.make(state, adding(1), 10)
        message = "the state was lost and could not be made again: no"
        assert answer["error"] == {"kind": "crash", "message": message}


async def test_what_has_to_be_fresh_gets_a_worker_that_has_served_nobody_since_it_was_renewed() -> None:
    async with opened(2) as (workers, everything):
        await asyncio.gather(*(workers.work({"kind": "work"}, 10) for _ in range(9)))
        fresh = [workers.work({"kind": "work"}, 10, is_fresh=True) for _ in range(5)]
        others = [workers.work({"kind": "work"}, 10) for _ in range(5)]
        answers = await asyncio.gather(*fresh, *others)
        assert [answer["served"] for answer in answers[:5]] == [0] * 5
        assert everything.starts == 2, "renewed, not started again"


async def test_a_released_search_leaves_nothing_and_what_waits_for_it_is_refused() -> None:
    async with opened(1) as (workers, everything):
        root, other = await started(workers), await started(workers)
        waiting = [asyncio.create_task(workers.make(root, adding(n, way="wait", what=str(n)), 10)) for n in range(4)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        workers.release(root)
        everything.gate.set()
        answers = [answer for answer, _ in await asyncio.gather(*waiting)]
        assert all("search has been released" in answer["error"]["message"] for answer in answers)
        assert everything.asked == ["0"], "which was under way"
        late, _ = await workers.make(root, adding(1), 10)
        assert "has been released" in late["error"]["message"]
        assert (workers.searches, workers.states, workers.waiting, everything.states) == (1, 1, 0, 1)
        workers.release(other)
        assert (workers.states, everything.states) == (0, 0)


async def test_a_state_that_is_made_when_its_search_is_over_or_nobody_waits_for_it_is_forgotten() -> None:
    async with opened(1) as (workers, everything):
        root, other = await started(workers), await started(workers)
        for search, ending in ((root, lambda task: workers.release(root)), (other, lambda task: task.cancel())):
            everything.gate.clear()
            task = asyncio.create_task(workers.make(search, {"kind": "start", "value": 1, "way": "wait"}, 10))
            await asyncio.sleep(0.01)
            ending(task)
            everything.gate.set()
            await asyncio.gather(task, return_exceptions=True)
            await workers.work({"kind": "work"}, 10)
        assert (workers.states, everything.states) == (1, 1)


async def test_what_is_tried_again_does_not_wait_behind_the_others() -> None:
    async with opened(1) as (workers, everything):
        await workers.work({"kind": "work", "way": "litter"}, 10)
        ways = {"crashes": "crash where others were", "one": "", "two": ""}
        await asyncio.gather(
            *(workers.work({"kind": "work", "way": way, "what": what}, 10) for what, way in ways.items())
        )
        assert everything.asked == ["crashes", "crashes", "one", "two"]


async def test_nothing_is_done_for_callers_that_gave_up() -> None:
    async with opened(1) as (workers, everything):
        await started(workers)
        waiting = [asyncio.create_task(workers.work({"kind": "work", "what": "late"}, 10)) for _ in range(5)]
        await asyncio.sleep(0)
        for task in waiting[1:]:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await workers.work({"kind": "work"}, 10)
        assert everything.asked == ["late"]


async def test_a_worker_that_does_not_start_is_tried_three_times_and_again_with_the_next_request() -> None:
    async with opened(1) as (workers, everything):
        everything.broken = 2
        await workers.start()
        assert everything.starts == 3
        everything.broken = 4
        await workers.work({"kind": "work", "way": "eat"}, 10)  # so that it is replaced
        with pytest.raises(TryAgain, match="Lean did not start: no memory"):
            await workers.work({"kind": "work"}, 10)
        assert "served" in await workers.work({"kind": "work"}, 10)


async def test_when_none_can_be_started_whoever_opens_the_pool_is_told() -> None:
    async with opened(2) as (workers, everything):
        everything.broken = 99
        with pytest.raises(TryAgain, match="Lean did not start: no memory"):
            await workers.start()


async def test_closing_answers_whoever_waits_and_takes_no_more_work() -> None:
    async with opened(1) as (workers, _):
        waiting = [asyncio.create_task(workers.work({"kind": "work", "way": "hang"}, 10)) for _ in range(3)]
        await asyncio.sleep(0.01)
        await workers.close()
        assert [answer["error"]["kind"] for answer in await asyncio.gather(*waiting)] == ["crash"] * 3
        with pytest.raises(RuntimeError, match="closed"):
            await workers.work({"kind": "work"}, 10)
