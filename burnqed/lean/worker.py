"""One Lean of a pool (`burnqed.lean.pool`): it does one thing at a time, and keeps the proof states that it made."""

from __future__ import annotations

from typing import Any, Protocol

Message = dict[str, Any]
"""What a worker is asked: `kind` and whatever belongs to it. `start` and `tactic` have the `id` of the state that they make."""
Answer = dict[str, Any]
"""What it answers, with `seconds` in Lean; or `error`, with `kind` (a TacticStatus) and `message`."""


class Crashed(Exception):
    """A worker ended, by itself or because of what it was asked."""


class Vanished(Crashed):
    """A worker ended because of something else, such as its process: what it was asked need not be the reason."""


class Worker(Protocol):
    """One Lean. After `Crashed`, or when `is_alive` is false, it is ended and started again."""

    @property
    def is_alive(self) -> bool: ...

    @property
    def memory_mb(self) -> float:
        """After its last answer."""
        ...

    async def start(self) -> None:
        """Raises Crashed when Lean does not start; BadInput or TryAgain when trying again is useless."""
        ...

    async def renew(self) -> None:
        """Makes it what it was when it was started, states and memory included. Raises Crashed."""
        ...

    async def ask(self, message: Message) -> Answer:
        """Raises Crashed. When the caller gives up waiting, it ends the worker."""
        ...

    def forget(self, states: list[int]) -> None:
        """These states are no longer needed."""
        ...

    async def end(self) -> None:
        """Returns when its memory is free, or cannot be freed."""
        ...


def failure(kind: str, message: str, seconds: float = 0.0) -> Answer:
    return {"error": {"kind": kind, "message": message}, "seconds": seconds}
