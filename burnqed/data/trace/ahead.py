"""Work on many items at once, of which there may be more than fit into memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from itertools import islice
from typing import Any, TypeVar

from burnqed.errors import TryAgain

T = TypeVar("T")
R = TypeVar("R")

STOPPED = "The tracing was stopped before it was done; the same command continues it."


async def in_order(work: Callable[[T], Coroutine[Any, Any, R]], items: Iterable[T], most: int) -> AsyncIterator[R]:
    """What `work` makes of the items, in their order; it is at work on up to `most` of them."""
    following, begun = iter(items), list[asyncio.Task[R]]()
    try:
        while True:
            begun += [asyncio.create_task(work(item)) for item in islice(following, most - len(begun))]
            if not begun:
                return
            yield await begun[0]
            del begun[0]
    finally:
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)


async def until(stop: asyncio.Event, results: AsyncIterator[R]) -> AsyncIterator[R]:
    """The results that come before `stop` is set. Raises TryAgain then, without waiting for the next one."""
    while not stop.is_set():
        if not (found := await before(stop, _next(results))):
            return
        yield found[0]
    raise TryAgain(STOPPED)


async def before(stop: asyncio.Event, work: Coroutine[Any, Any, R]) -> R:
    """What comes of `work`. Raises TryAgain when `stop` is set first, and cancels the work."""
    begun, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({begun, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if begun.done():
            return begun.result()
        raise TryAgain(STOPPED)
    finally:
        begun.cancel()
        stopping.cancel()
        await asyncio.gather(begun, stopping, return_exceptions=True)


async def _next(results: AsyncIterator[R]) -> tuple[R, ...]:
    """The next one; none at the end."""
    try:
        return (await anext(results),)
    except StopAsyncIteration:
        return ()
