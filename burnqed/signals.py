"""SIGTERM and SIGINT: what is at hand is ended in order, and nobody goes on waiting for something outside."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from types import FrameType

ENDED = threading.Event()
"""Set by the first of them, at once, also while the event loop is blocked."""


def on_signal(act: Callable[[], object]) -> None:
    """Has the running event loop, which is the main thread's, call `act` at each of them. Once it is closed they interrupt, as Python's own handler does."""
    loop = asyncio.get_running_loop()

    def end(_number: int, _frame: FrameType | None) -> None:
        ENDED.set()
        if loop.is_closed():
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(act)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
