"""A program that is spoken to in lines over its standard input and output, one answer for each request.

    process = await Process.open(["repl", "Mathlib"], memory_mb=8_000)
    await process.greet("ready.", 120)
    print(await process.ask('stat {}'))             # {'nGoals': 0}
    await process.end()

It has a process group of its own, and ends when this process does, even when that is killed (`burnqed.guard`). How long to wait is for the caller
to decide: after a wait that was given up, the program is out of step, and has to be ended.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from burnqed.errors import BadInput
from burnqed.lean.pool import MEMORY_SHARE
from burnqed.lean.worker import Crashed, Vanished
from burnqed.lifeline import GUARD

LINE_BYTES = 1 << 27
"""Longest line of an answer: goals can be large."""
END_SECONDS = 5.0
"""For the guard to kill what it started."""
MEASURED_SECONDS = 2.0
"""After which the guard has said how much memory there is in use."""
LAST_WORDS = 5
"""Lines of standard error that say why a program ended."""
MESSAGE_CHARACTERS = 1_000


class Process:
    """One program, from its start to its end. It does one thing at a time."""

    def __init__(
        self,
        guard: asyncio.subprocess.Process,
        status: asyncio.StreamReader,
        pipe: asyncio.BaseTransport,
        most_mb: float,
    ) -> None:
        self._guard, self._status, self._pipe, self._most_mb = guard, status, pipe, most_mb
        self.memory_mb = 0.0
        """Resident memory of its own, of all that it started; half a second old at most."""
        self.death = ""
        """How it ended; empty while it lives."""
        self._has_vanished = True
        """Ended by somebody else, such as the system when it has no memory left; so did the guard, when it does not say how."""
        self._measured = asyncio.Event()
        self._waiting: asyncio.Future[str] | None = asyncio.get_running_loop().create_future()
        """Of who waits for a line; at first for the greeting, which may come before anybody asks for it."""
        self._last_words: deque[str] = deque(maxlen=LAST_WORDS)
        self._tasks = [asyncio.create_task(work) for work in (self._overhear(), self._watch())]
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def open(
        cls,
        command: Sequence[str],
        *,
        memory_mb: float,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        line_bytes: int | None = None,
    ) -> Process:
        """`environment` is the whole of it, by default empty. That a command cannot be run is told by the first request."""
        reading, writing = os.pipe()
        try:
            guard = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", str(GUARD), str(memory_mb), str(writing), *command),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=line_bytes or LINE_BYTES,
                env=dict(environment or {}),
                cwd=folder,
                pass_fds=(writing,),
                start_new_session=True,  # a Ctrl-C in the terminal is for us to handle
            )
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        status = asyncio.StreamReader()
        pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(status), os.fdopen(reading, "rb")
        )
        return cls(guard, status, pipe, memory_mb)

    @property
    def pid(self) -> int:
        """Of the guard, which is also the number of the process group."""
        return self._guard.pid

    async def greet(self, greeting: str, seconds: float) -> None:
        """Waits for the line with which it begins. Raises Crashed for another one, or none; BadInput when its memory is all but used up."""
        try:
            said = await asyncio.wait_for(self.line(), seconds)
        except TimeoutError:
            raise Crashed(f"no answer within {seconds:g} s") from None
        if said != greeting:
            raise Crashed(f"the process greets with {_quoted(said)}")
        self._measured.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._measured.wait(), MEASURED_SECONDS)
        if self.memory_mb > MEMORY_SHARE * self._most_mb:
            wanted = math.ceil(self.memory_mb / MEMORY_SHARE * 1.2 / 100) * 100
            raise BadInput(
                f"A Lean process has {self.memory_mb:.0f} MB before it is asked anything, and lean.memory_mb is {self._most_mb:.0f}, three quarters of "
                f"which it may use; set lean.memory_mb to {wanted} or more."
            )

    async def ask(self, request: str) -> dict[str, Any]:
        """The object that answers a request of one line. Raises Crashed when the program ends, and when it answers anything else."""
        answer = await self.line(request)
        try:
            value = _sound(json.loads(answer))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise Crashed(self._end_for(f"the process answered {_quoted(answer)}, which is not a JSON object"))
        return value

    async def line(self, request: str | None = None) -> str:
        """The line that answers a request, or that comes by itself, as a greeting does. Raises Crashed."""
        is_greeting = request is None and self._waiting is not None
        if not is_greeting and (self.death or self._waiting):
            raise Vanished(self.death or self._end_for("the process was asked two things at once"))
        waiting = self._waiting = self._waiting or asyncio.get_running_loop().create_future()
        try:
            if request is not None:
                assert self._guard.stdin is not None
                assert "\n" not in request, request
                self._guard.stdin.write(request.encode("utf-8", "replace") + b"\n")
                with suppress(ConnectionError):  # it is about to die, and then there is an answer
                    await self._guard.stdin.drain()
            answer = await waiting
        except asyncio.CancelledError:
            self._end_for("nobody waits for the answer any longer")
            raise
        if self.death:  # it said more than it was asked, so nobody knows which line was the answer
            raise Crashed(self.death)
        self._waiting = None
        return answer

    async def end(self) -> None:
        """Returns when everything that the program started is gone, or cannot be ended."""
        self._end_for("the process was ended")
        if self._guard.returncode is None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._guard.wait(), END_SECONDS)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        for task in (*self._tasks, self._listening):
            task.cancel()
        await asyncio.gather(*self._tasks, self._listening, return_exceptions=True)
        if self._waiting:  # nobody does any longer
            self._waiting.cancel()
            if not self._waiting.cancelled():
                self._waiting.exception()

    # ---- listening

    async def _listen(self) -> None:
        assert self._guard.stdout is not None
        try:
            async for line in self._guard.stdout:
                if self._waiting is None or self._waiting.done():
                    self._end_for(f"the process said {_quoted(line.decode('utf-8', 'replace'))} without being asked")
                    break
                if not line.endswith(b"\n"):
                    break  # it ended in the middle
                self._waiting.set_result(line.decode("utf-8", "replace").removesuffix("\n"))
        except ValueError:
            self._end_for("the process answered with a line that is too long")
        await self._guard.wait()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.death = self.death or "the process was killed"
        if self._last_words:
            self.death += f": {_quoted(' '.join(self._last_words))}"
        if self._waiting and not self._waiting.done():
            self._waiting.set_exception((Vanished if self._has_vanished else Crashed)(self.death))

    async def _overhear(self) -> None:
        assert self._guard.stderr is not None
        with suppress(ValueError):  # a line too long
            async for line in self._guard.stderr:
                if words := line.decode("utf-8", "replace").strip():
                    self._last_words.append(words[:MESSAGE_CHARACTERS])

    async def _watch(self) -> None:
        """The guard's lines."""
        async for line in self._status:
            told = json.loads(line)
            self.memory_mb = told.get("memory_mb", self.memory_mb)
            self._measured.set()
            if death := told.get("death"):
                self.death, self._has_vanished = self.death or death, told["is_killed"]

    def _end_for(self, reason: str) -> str:
        """Has the guard kill everything; the first reason is kept."""
        if not self.death:
            self.death, self._has_vanished = reason, False
        self._pipe.close()
        return self.death


def _sound(value: Any) -> Any:
    """JSON without halves of characters, which nobody can print. Raises RecursionError."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case list():
            return [_sound(part) for part in value]
        case dict():
            return {_sound(key): _sound(part) for key, part in value.items()}
    return value


class ProcessWorker:
    """What the `burnqed.lean.pool.Worker`s that are a process of their own have in common. `command` starts it, confined if it has to be."""

    greeting: ClassVar[str]
    start_seconds: ClassVar[float]
    """How long it may take to greet."""
    line_bytes: ClassVar[int | None] = None
    """The longest answer; None means as long as any may be."""

    def __init__(self, command: Sequence[str], memory_mb: float) -> None:
        self._command, self._most_mb = command, memory_mb
        self._process: Process | None = None

    @property
    def is_alive(self) -> bool:
        return self._process is not None and not self._process.death

    @property
    def memory_mb(self) -> float:
        return self._process.memory_mb if self._process else 0.0

    async def start(self) -> None:
        self._process = await Process.open(self._command, memory_mb=self._most_mb, line_bytes=self.line_bytes)
        await self._process.greet(self.greeting, self.start_seconds)

    async def renew(self) -> None:
        raise Crashed("only another process is as good as new")  # and a start has all the time that it needs

    def forget(self, states: list[int]) -> None:
        raise NotImplementedError("it keeps no states")

    async def end(self) -> None:
        if self._process:
            await self._process.end()
        self._process = None

    async def _answer(self, request: str) -> dict[str, Any]:
        if self._process is None:
            raise Vanished("the process has not been started")
        return await self._process.ask(request)


def _quoted(text: str) -> str:
    return repr(text.strip()[:100])
