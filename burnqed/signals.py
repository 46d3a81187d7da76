"""SIGTERM and SIGINT: current work ends in order, and waits for anything outside the process are cut short."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from types import FrameType

ENDED = threading.Event()
"""Set by the first signal at once, even while the event loop is blocked."""


def on_signal(act: Callable[[], object]) -> None:
    """Makes the running event loop (in the main thread) call `act` at each signal. Once the loop is closed, signals raise KeyboardInterrupt."""
    loop = asyncio.get_running_loop()

    def end(_number: int, _frame: FrameType | None) -> None:
        ENDED.set()
        if loop.is_closed():
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(act)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
