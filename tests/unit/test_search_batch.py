"""What different theorems ask at about the same time goes out as one request; policy and Lean stay busy that way."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from benchmarks.search_overlap import CASES, Case, measure
from burnqed.proof_search.batch import Batcher


class Server:
    """Doubles numbers, a fixed time per request; refuses 13."""

    def __init__(self, seconds: float = 0.02) -> None:
        self.seconds = seconds
        self.requests: list[list[int]] = []
        self.under_way = self.most = 0

    async def double(self, items: list[int]) -> list[int]:
        self.requests.append(items)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(self.seconds)
        self.under_way -= 1
        if 13 in items:
            raise ValueError("unlucky")
        return [2 * item for item in items]


async def test_everybody_gets_the_answers_to_their_own_items() -> None:
    batcher = Batcher((server := Server()).double, full=100)
    assert await asyncio.gather(*(batcher.ask([i, 10 * i]) for i in range(5))) == [[2 * i, 20 * i] for i in range(5)]
    assert len(server.requests) == 1


async def test_while_a_request_is_under_way_the_next_one_gathers() -> None:
    batcher = Batcher((server := Server()).double, full=100)

    async def later(i: int) -> list[int]:
        await asyncio.sleep(0.001 * i)
        return await batcher.ask([i])

    await asyncio.gather(*(later(i) for i in range(8)))
    assert server.requests[0] == [0]
    assert server.requests[1] == [1, 2, 3, 4, 5, 6, 7]
    assert server.most == 1


async def test_a_full_request_leaves_at_once_and_none_is_larger_than_full() -> None:
    batcher = Batcher((server := Server()).double, full=4)
    await asyncio.gather(*(batcher.ask([i]) for i in range(10)))
    assert [len(request) for request in server.requests] == [4, 4, 2]
    assert server.most == 2, "the two full ones; the rest waited for one of them"


async def test_one_larger_ask_is_not_divided() -> None:
    batcher = Batcher((server := Server()).double, full=4)
    assert await batcher.ask(list(range(9))) == [2 * i for i in range(9)]
    assert len(server.requests) == 1


async def test_an_error_reaches_everybody_in_that_request_and_nobody_else() -> None:
    batcher = Batcher((server := Server()).double, full=2)
    answers = await asyncio.gather(*(batcher.ask([i]) for i in (12, 13, 14, 15)), return_exceptions=True)
    assert [type(answer) for answer in answers] == [ValueError, ValueError, list, list]
    assert await batcher.ask([1]) == [2]
    assert len(server.requests) == 3


async def test_who_gives_up_waiting_is_not_asked_for() -> None:
    batcher = Batcher((server := Server()).double, full=100)
    first = asyncio.create_task(batcher.ask([1]))
    await asyncio.sleep(0.005)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(batcher.ask([2]), 0.005)
    assert await asyncio.gather(first, batcher.ask([3])) == [[2], [6]]
    assert server.requests == [[1], [3]]


@pytest.fixture
async def simulated_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time passes only while everybody sleeps, so that a busy machine changes no figure."""
    selector = asyncio.get_running_loop()._selector  # type: ignore[attr-defined]
    now, select = time.monotonic(), selector.select

    def sleep(timeout: float | None) -> object:
        nonlocal now
        now += timeout or 0.0
        return select(timeout and 0)

    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(selector, "select", sleep)


@pytest.mark.usefixtures("simulated_time")
@pytest.mark.parametrize(
    ("case", "slower"), [(CASES[0], "lean"), (CASES[3], "policy")], ids=["lean-slower", "policy-slower"]
)
async def test_the_slower_of_policy_and_lean_is_kept_busy(case: Case, slower: str) -> None:
    many = await measure(case, 4.0)
    one = await measure(replace(case, open_theorems=1), 1.5)
    assert (many.lean_busy if slower == "lean" else many.policy_busy) >= 0.9
    assert many.nodes_per_s > 3 * one.nodes_per_s
