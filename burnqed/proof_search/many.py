"""Many tasks at a time, until all are done or a stop is asked for."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

STOP_GRACE_S = 2.0
"""For cancelled tasks to unwind; SIGTERM has to end a step within 5 s."""


async def run_many(
    tasks: Iterable[T],
    run: Callable[[T], Awaitable[R]],
    open_tasks: int,
    on_result: Callable[[R], Awaitable[None] | None],
    stop: asyncio.Event | None = None,
) -> None:
    """Runs `run` for every task, `open_tasks` at a time.

    Setting `stop` ends it: open tasks are dropped without handing over a result. Raises TryAgain when the policy or Lean
    stays away, and whatever else a backend raises; results already handed over stand.
    """
    waiting = iter(tasks)

    async def worker() -> None:
        for task in waiting:
            handled = on_result(await run(task))
            if inspect.isawaitable(handled):
                await handled

    workers = {asyncio.create_task(worker()) for _ in range(open_tasks)}
    stopped = asyncio.create_task((stop or asyncio.Event()).wait())
    running = set(workers)
    try:
        while running and not stopped.done():
            done, _ = await asyncio.wait({*running, stopped}, return_when=asyncio.FIRST_COMPLETED)
            running -= done
            for task in done:
                task.result()
    finally:
        stopped.cancel()
        for task in workers:
            task.cancel()
        ended, _ = await asyncio.wait(workers, timeout=STOP_GRACE_S)
        for task in ended:  # when the policy goes away, every worker raises; the first one's exception is on its way
            if not task.cancelled():
                task.exception()
