"""An event loop in a separate thread: a script, a notebook (whose own loop is running) and a thread can all wait for what is asynchronous.

verdict = wait(lean.check(theorem, proof))
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

UNWIND_S = 10.0
"""How long cancelled work may take to end its processes."""


@cache
def loop() -> asyncio.AbstractEventLoop:
    """The only one: connections to Lean and to a policy server belong to the loop that opened them."""
    new_loop = asyncio.new_event_loop()

    def run() -> None:
        while True:
            with suppress(SystemExit, KeyboardInterrupt):  # raised in one task, and passed on by it; the others go on
                new_loop.run_forever()

    threading.Thread(target=run, daemon=True, name="burnqed").start()
    return new_loop


os.register_at_fork(after_in_child=loop.cache_clear)  # the child does not have the thread


def wait(work: Coroutine[Any, Any, T]) -> T:
    """What `work` returns or raises. An interrupt (Ctrl-C) cancels it and is passed on once it has ended."""
    if asyncio._get_running_loop() is loop():
        work.close()
        raise RuntimeError(
            "an async function that burnqed calls cannot call burnqed's synchronous ones; await the backend instead"
        )
    ended = threading.Event()

    async def to_the_end() -> T:
        try:
            return await work
        except (SystemExit, KeyboardInterrupt) as error:
            raise RuntimeError(f"a function that burnqed called raised {error!r}") from error
        finally:
            ended.set()

    future = asyncio.run_coroutine_threadsafe(to_the_end(), loop())
    try:
        return future.result()
    except BaseException:
        if future.cancel():
            ended.wait(UNWIND_S)
        raise
