"""Many questions in one request: what different theorems ask at about the same time goes out together.

A request leaves when none is under way, or when a full one waits. The server is therefore never idle while somebody waits, requests
grow by themselves while it is the slower side, and a server with many theorems open always has the next request in its queue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Reply = TypeVar("Reply")


class Batcher(Generic[Item, Reply]):
    """Gathers items of concurrent `ask`s into calls of `request`, at most `full` items each (more for one larger ask)."""

    def __init__(self, request: Callable[[list[Item]], Awaitable[list[Reply]]], full: int) -> None:
        self._request = request
        self._full = full
        self._waiting: list[tuple[Sequence[Item], asyncio.Future[list[Reply]]]] = []
        self._under_way: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> int:
        """Items that no request has taken yet."""
        return sum(len(items) for items, _ in self._waiting)

    async def ask(self, items: Sequence[Item]) -> list[Reply]:
        """The replies to `items`, in order. What `request` raises is raised in every `ask` of that request."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[Reply]] = loop.create_future()
        self._waiting.append((items, answer))
        loop.call_soon(self._leave)  # not at once: others may ask within the same turn of the event loop
        return await answer

    async def close(self) -> None:
        """Cancels what is under way."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    def _leave(self) -> None:
        self._waiting = [(items, answer) for items, answer in self._waiting if not answer.done()]  # cancelled meanwhile
        while self._waiting and (not self._under_way or self.waiting >= self._full):
            batch: list[tuple[Sequence[Item], asyncio.Future[list[Reply]]]] = []
            count = 0
            while self._waiting and (not batch or count + len(self._waiting[0][0]) <= self._full):
                batch.append(self._waiting.pop(0))
                count += len(batch[-1][0])
            task = asyncio.get_running_loop().create_task(self._send(batch))
            self._under_way.add(task)
            task.add_done_callback(self._returned)

    def _returned(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        self._leave()

    async def _send(self, batch: list[tuple[Sequence[Item], asyncio.Future[list[Reply]]]]) -> None:
        try:
            replies = await self._request([item for items, _ in batch for item in items])
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # SystemExit, too: whoever waits must not wait forever
            for _, answer in batch:
                if not answer.done():
                    answer.set_exception(error)
            return
        start = 0
        for items, answer in batch:
            if not answer.done():
                answer.set_result(replies[start : start + len(items)])
            start += len(items)
