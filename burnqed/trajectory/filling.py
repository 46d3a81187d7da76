"""Fills the parts of a shard: does the searches that its writer still lacks, keeps what is finished however they end, and shows progress."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from burnqed import metrics
from burnqed.log import log
from burnqed.progress import Progress
from burnqed.trajectory.rows import SearchResult, Task
from burnqed.trajectory.schema import ProofStatus
from burnqed.trajectory.writer import ShardWriter

Tools = TypeVar("Tools")
OnResult = Callable[[SearchResult], Awaitable[None]]
Work = Callable[[list[Task], Tools, OnResult], Awaitable[None]]
"""Does the tasks with the tools, and hands over each result."""


async def fill(
    writer: ShardWriter, tools: AbstractAsyncContextManager[Tools], work: Work[Tools], label: str
) -> Counter[ProofStatus]:
    """Numbers of the shard's searches by outcome, earlier runs included. The tools are opened only if there is something left to do."""
    tasks = writer.pending()
    counts = Counter(result.status for result in writer.found)
    if writer.found:
        log.info("%s was begun before: %d of its theorems are done, %d are left", label, len(writer.found), len(tasks))
    with Progress(len(tasks) + len(writer.found), label, "theorems", done=len(writer.found)) as progress:

        async def add(searched: SearchResult) -> None:
            await asyncio.to_thread(writer.add, searched)  # while the store is away, the other searches go on
            metrics.count(searched.result)
            counts[searched.result.status] += 1
            progress.advance(proved=counts[ProofStatus.PROVED], errors=counts[ProofStatus.ERROR])

        if tasks:
            async with tools as opened:
                try:
                    await work(tasks, opened, add)
                finally:
                    writer.flush_open()
    return counts
