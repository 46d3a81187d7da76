"""Best-first search over proof states, many theorems at a time.

Theorems are independent of each other, and that keeps policy and Lean both busy: while some wait for candidates (in one
common request), Lean works for the others. Within a theorem nothing is expanded ahead of time. That would fill the gaps of the
last few open theorems at the price of nodes spent on second choices, and nodes are the currency in which budgets are compared.

A search depends on its seed, theorem and sample only, not on what else is open or arrives when, as long as policy and Lean give equal
answers to equal questions (docs/limits.md) and no clock runs out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from burnqed.lean.protocol import LeanSearch
from burnqed.policy.protocol import Policy, Scorer
from burnqed.proof_search.best_first import TheoremSearch
from burnqed.proof_search.many import run_many
from burnqed.proof_search.settings import SearchSettings
from burnqed.proof_search.tools import Tools
from burnqed.trajectory.rows import SearchResult, Task

OnResult = Callable[[SearchResult], Awaitable[None] | None]


async def search(
    tasks: Iterable[Task],
    lean: LeanSearch,
    policy: Policy,
    scorer: Scorer | None,
    settings: SearchSettings,
    on_result: OnResult,
    stop: asyncio.Event | None = None,
) -> None:
    """Searches every task and hands each result to `on_result` as soon as it is there; see `run_many`."""
    tools = Tools(lean, policy, scorer, settings)

    async def search_one(task: Task) -> SearchResult:
        return await TheoremSearch(task, tools).run()

    try:
        await run_many(tasks, search_one, settings.open_theorems, on_result, stop)
    finally:
        await tools.close()
