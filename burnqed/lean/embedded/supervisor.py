"""The Node process and the Lean instances in it, one thread each (`supervisor.cjs`), spoken to in JSON lines.

The process is started when the first instance is, and again when it has died. It ends when its standard input does.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from contextlib import suppress
from itertools import count
from typing import Any

import psutil

from burnqed.lean.embedded.install import SCRIPTS, install
from burnqed.lean.worker import Answer, Crashed, Message, Vanished
from burnqed.log import log
from burnqed.sandbox import confined

LINE_BYTES = 1 << 27
"""Longest line of an answer: goals can be large."""
START_SECONDS = 60
"""A cold disk may take long to read 220 MB; once read it is half a second."""
ASKED_SECONDS = 60.0
SILENT_SECONDS = 300.0
"""How often Node is asked for a sign of life, and how long it may give none before it is ended."""
CLOSE_SECONDS = 5.0
NODE_FLAGS = ("--wasm-lazy-validation", "--expose-gc", "--wasm-tiering-budget=400000000")
"""Only what runs very often is optimised: with V8's own threshold, compiling Lean takes a quarter of the time of a step's first minute
(`benchmarks/lean_tiering.py`)."""


class Process:
    """One process, as long as it lives."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.has_started = False
        """Whether an instance got ready in it."""
        self.death = ""
        """How it ended; empty while it lives."""
        self._is_closing = False
        self._pending: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._numbers = count(1)
        self._last_words: deque[str] = deque(maxlen=20)
        self._overhearing = asyncio.create_task(self._overhear())
        self._watching = asyncio.create_task(self._watch())
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def open(cls, number: int, memory_mb: int) -> Process:
        """Raises BadInput when Lean cannot be installed."""
        info = await asyncio.to_thread(install)
        settings = json.dumps({"baked": str(info.path), "memoryMb": memory_mb, "number": number})
        command = [info.node.path, *NODE_FLAGS, str(SCRIPTS / "supervisor.cjs"), settings]
        process = await asyncio.create_subprocess_exec(
            *confined(command, readable=[SCRIPTS.parent, info.path], scratch=None, environment={}),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LINE_BYTES,
            start_new_session=True,  # a Ctrl-C in the terminal is for us to handle
        )
        return cls(process)

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def resident_bytes(self) -> int:
        """0 when it is gone. Asked from outside: a confined process cannot look."""
        with suppress(psutil.NoSuchProcess):
            return int(psutil.Process(self.pid).memory_info().rss)
        return 0

    async def ask(self, **request: object) -> dict[str, Any]:
        """Raises Vanished when the process has died, or dies before it answers."""
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        try:
            self.tell(id=number, **request)
            with suppress(ConnectionError):  # it is about to die, and then there is an answer
                assert self.process.stdin is not None
                await self.process.stdin.drain()
            return await answer
        finally:
            del self._pending[number]

    def tell(self, **request: object) -> None:
        """Sends a request that is not answered."""
        if self.death:
            raise Vanished(self.death)
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request, ensure_ascii=False).encode("utf-8", "replace") + b"\n")

    async def close(self) -> None:
        self._is_closing = True
        assert self.process.stdin is not None
        self.process.stdin.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), CLOSE_SECONDS)
        self.kill()
        await self._listening

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()

    async def _listen(self) -> None:
        assert self.process.stdout is not None
        try:
            async for line in self.process.stdout:
                answer = json.loads(line)
                waiting = self._pending.get(answer["id"])
                if waiting and not waiting.done():
                    waiting.set_result(answer)
        except (ValueError, KeyError) as error:
            # A line that is too long, or not an answer in JSON: whoever waits for an answer must not wait forever.
            log.error("the Lean process gave an answer that cannot be read (%s)", error)
            self.kill()
        status = await self.process.wait()
        self._watching.cancel()
        await self._overhearing
        self.death = f"the Lean process ended (exit status {status})"
        if self.has_started and not self._is_closing:
            log.warning("%s; another one takes its place, and its states are made again", self.death)
        elif self._last_words:
            self.death = " ".join(self._last_words)
        for waiting in self._pending.values():
            if not waiting.done():
                waiting.set_exception(Vanished(self.death))

    async def _overhear(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self._last_words.append(line.decode("utf-8", "replace").strip())

    async def _watch(self) -> None:
        with suppress(Vanished):
            while True:
                await asyncio.sleep(ASKED_SECONDS)
                # Asked a second time, because it may be us who were stopped when the first answer came.
                if not (await self._answers(SILENT_SECONDS) or await self._answers(ASKED_SECONDS)):
                    log.error("the Lean process gave no sign of life for %g s and is ended", SILENT_SECONDS)
                    self.kill()

    async def _answers(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self.ask(do="alive"), seconds)
        except TimeoutError:
            return False
        return True


class Supervisor:
    """One process after the other."""

    def __init__(self, memory_mb: int) -> None:
        self._memory_mb = memory_mb
        self._starting = asyncio.Lock()
        self._numbers = count(1)
        self.process: Process | None = None
        """The last one that was started."""
        self._is_closed = False

    async def running(self) -> Process:
        """Raises Vanished after `close`."""
        async with self._starting:
            if self._is_closed:
                raise Vanished("the Lean process has been closed")
            if self.process is None or self.process.death:
                self.process = await Process.open(next(self._numbers), self._memory_mb)
            return self.process

    def instance(self, role: str) -> Instance:
        return Instance(self, next(self._numbers), role)

    def drop(self, text: object) -> None:
        """Forgets a text that is kept in Node."""
        if self.process and not self.process.death:
            self.process.tell(do="drop", text=text)

    async def close(self) -> None:
        async with self._starting:
            self._is_closed = True
            if self.process:
                await self.process.close()


class Instance:
    """The `burnqed.lean.pool.Worker` of one thread. An `author` elaborates, a `reader` sees trusted texts only, a `judge` judges."""

    def __init__(self, supervisor: Supervisor, number: int, role: str) -> None:
        self._supervisor, self._number, self._role = supervisor, number, role
        self._process: Process | None = None
        """The one that the thread is in; None when there is no thread."""
        self.memory_mb = 0.0

    @property
    def is_alive(self) -> bool:
        return self._process is not None and not self._process.death

    async def start(self) -> None:
        process = self._process = await self._supervisor.running()
        try:
            await asyncio.wait_for(self._request("start", role=self._role), START_SECONDS)
        except TimeoutError:
            if not process.has_started:
                process.kill()
            raise Crashed("no answer") from None
        process.has_started = True

    async def renew(self) -> None:
        await self._request("renew")

    async def ask(self, message: Message) -> Answer:
        answer: Answer = (await self._request("ask", message=message))["answer"]
        self.memory_mb = answer.pop("heapMb")
        return answer

    def forget(self, states: list[int]) -> None:
        if self._process and self.is_alive:
            self._process.tell(do="tell", instance=self._number, message={"kind": "release", "states": states})

    async def end(self) -> None:
        if self.is_alive:
            await self._request("end")
        self._process = None

    async def _request(self, what: str, **content: object) -> dict[str, Any]:
        if self._process is None:
            raise Vanished("the Lean instance has not been started")
        answer = await self._process.ask(do=what, instance=self._number, **content)
        if "died" in answer:
            raise Crashed(answer["died"])
        return answer
