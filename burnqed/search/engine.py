"""Best-first search over proof states, many theorems at a time.

Theorems are independent of each other, and that keeps policy and Lean both busy: while some wait for candidates (in one
common request), Lean works for the others. Within a theorem nothing is expanded ahead of time. That would fill the gaps of the
last few open theorems at the price of nodes spent on second choices, and nodes are the currency in which budgets are compared.

A search depends on its seed, theorem and sample only, not on what else is open or arrives when, as far as policy and Lean are
deterministic and no clock runs out.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable

from burnqed.lean.protocol import LeanBackend
from burnqed.policy.protocol import Policy, Scorer
from burnqed.search.best_first import TheoremSearch
from burnqed.search.settings import SearchSettings
from burnqed.search.tools import Tools
from burnqed.trajectory.rows import SearchResult, Task

STOP_GRACE_S = 2.0
"""For cancelled searches to unwind; SIGTERM has to end the step within 5 s."""

OnResult = Callable[[SearchResult], Awaitable[None] | None]


async def search(
    tasks: Iterable[Task],
    lean: LeanBackend,
    policy: Policy,
    scorer: Scorer | None,
    settings: SearchSettings,
    on_result: OnResult,
    stop: asyncio.Event | None = None,
) -> None:
    """Searches every task and hands each result to `on_result` as soon as it is there; see `run_many`."""
    tools = Tools(lean, policy, scorer, settings)

    async def one(task: Task) -> SearchResult:
        return await TheoremSearch(task, tools).run()

    try:
        await run_many(tasks, one, settings.open_theorems, on_result, stop)
    finally:
        await tools.close()


async def run_many(
    tasks: Iterable[Task],
    one: Callable[[Task], Awaitable[SearchResult]],
    open_theorems: int,
    on_result: OnResult,
    stop: asyncio.Event | None = None,
) -> None:
    """Runs `one` for every task, `open_theorems` at a time.

    Setting `stop` ends it: open theorems are dropped, no result of theirs is handed over. Raises TryAgain when the policy or Lean
    stays away, and whatever else a backend raises; results handed over before stand.
    """
    waiting = iter(tasks)

    async def worker() -> None:
        for task in waiting:
            handled = on_result(await one(task))
            if inspect.isawaitable(handled):
                await handled

    workers = {asyncio.create_task(worker()) for _ in range(open_theorems)}
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
