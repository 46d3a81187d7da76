"""A pool of Lean workers: which of them does what, and what becomes of proof states whose worker is gone. The same for every backend.

A worker does one thing at a time and keeps the proof states that it made. A state that the worker at hand lacks, because another one has it
or the one that had it is gone, is made again there by its tactics, so the end of a worker is seen only by the request that it was serving. What
crashed a worker that had served before is tried once more in a fresh one: memory that others left behind must not decide. So is, once, what
a worker was doing when something else ended it. A worker is replaced after a number of requests or seconds, or when its memory is nearly used
up; one that takes too long for a request, at once.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

import psutil

from burnqed.errors import TryAgain
from burnqed.lean.worker import Answer, Crashed, Message, Vanished, Worker, failure
from burnqed.machine import cpu_quota, memory_limit

T = TypeVar("T")

MOST_WORKERS = 16
QUOTA_SHARE = 0.75
MEMORY_SHARE = 0.75
"""Of the cap of a worker's memory; with more it is replaced."""
REPLAY_FACTOR = 3
"""A replayed tactic may take this times as long as the first time, and a second at least, before it counts as hanging."""
MOST_FAILED_STARTS = 3
"""Of a worker, in a row."""
RENEWAL_SECONDS = 60.0
END_SECONDS = 2.0
"""A worker that has not ended by then is left to its backend."""
STANDSTILL_SECONDS = 1.0
"""A timer that goes off so late tells that this process stood still (Ctrl-Z, a paused container)."""
CLOSED = "this Lean backend has been closed"
OTHER_LOOP = "this Lean backend belongs to another event loop; await it only there (that of a burnqed.Lean: inside functions that burnqed calls)"
RELEASED = "the search has been released"


def default_workers(memory_mb: int, beside: Callable[[int], int] = lambda workers: 1) -> int:
    """Number of workers when the configuration names none; `memory_mb` is the cap of one, `beside` how many processes as large run beside so many.

    From the control group's processor quota and memory limit, not from the node's (thirty uncapped workers once filled 200 GB): at most 16, at
    most ¾ of the processor quota, as many as have room with those beside them in the memory limit less this process, and at least one. What else
    runs and stays small (the embedded backend's reader and judges) shares the memory of one.
    """
    room = (memory_limit() - psutil.Process().memory_info().rss) // (memory_mb * 1024 * 1024)
    by_cpu = math.floor(cpu_quota() * QUOTA_SHARE + 0.5)  # 2 processors → 2 workers: with one, half of them would idle
    return next((n for n in range(min(MOST_WORKERS, by_cpu), 1, -1) if n + beside(n) <= room), 1)


@dataclass(frozen=True, slots=True)
class Recycling:
    """When a worker is replaced."""

    requests: int
    seconds: float
    memory_mb: float
    """Its cap."""


class State:
    """A proof state: how it is made, and which workers have it."""

    __slots__ = ("holders", "is_released", "members", "message", "number", "parent", "root", "seconds")

    def __init__(self, number: int, parent: State | None, message: Message) -> None:
        self.number = number
        self.parent = parent
        self.root: State = parent.root if parent else self
        self.message = {**message, "id": number} | ({"parent": parent.number} if parent else {})
        self.seconds = 0.0
        self.holders: dict[_Seat, int] = {}
        """With the generation of each."""
        self.members: list[int] = []
        """Of a root: all states of its search."""
        self.is_released = False
        """Of a root: its search is over."""


@dataclass(slots=True)
class _Job:
    message: Message
    timeout: float
    is_fresh: bool
    """Only a worker that has served nothing since it was started or renewed may do it."""
    makes: State | None
    answer: asyncio.Future[Answer]
    has_vanished: bool = False
    """Together with a worker that ended because of something else."""

    @property
    def needs(self) -> State | None:
        return self.makes.parent if self.makes else None


@dataclass(eq=False, slots=True)
class _Seat:
    """A place in the pool, and the worker that has it."""

    number: int
    worker: Worker
    generation: int = 0
    is_ready: bool = False
    is_down: bool = True
    """It is not being started."""
    job: _Job | None = None
    served: int = 0
    born: float = 0.0

    def holds(self, state: State) -> bool:
        return state.holders.get(self) == self.generation

    def can_do(self, job: _Job) -> bool:
        return not job.is_fresh or self.served == 0

    def missing(self, state: State | None) -> list[State]:
        """States, from the root on, that have to be made again before the worker can go on from this one."""
        chain = []
        while state and not self.holds(state):
            chain.append(state)
            state = state.parent
        return chain[::-1]


@dataclass(slots=True)
class Counts:
    restarts: int = 0
    """Of workers that crashed, or took too long."""
    recycled: int = 0
    replayed: int = 0
    """States that were made again."""


class Pool:
    """At most `size` workers, started when there is work for them."""

    def __init__(self, make: Callable[[], Worker], size: int, recycling: Recycling) -> None:
        self._make, self.size, self._recycling = make, size, recycling
        self._seats: list[_Seat] = []
        self._queue: list[_Job] = []
        self._numbers = count(1)
        self._searches: set[State] = set()
        self._first_ready: asyncio.Future[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.is_closed = False
        self.counts = Counts()

    async def start(self) -> None:
        """Starts all workers and returns when one is ready. Raises BadInput or TryAgain when none gets ready, RuntimeError when the pool is closed."""
        if self.is_closed:
            raise RuntimeError(CLOSED)
        self.belong()
        for _ in range(self.size - len(self._seats)):
            self._add()
        for seat in self._seats:
            if seat.is_down:
                self._restart(seat)
        if not any(seat.is_ready for seat in self._seats):
            if self._first_ready is None or self._first_ready.done():
                self._first_ready = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._first_ready)

    async def close(self) -> None:
        """Ends the workers. Requests that are under way end as crashed."""
        self.belong()
        self.is_closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for job in (*self._queue, *(seat.job for seat in self._seats if seat.job)):
            _resolve(job, failure("crash", CLOSED))
        if self._first_ready and not self._first_ready.done():
            self._first_ready.set_exception(RuntimeError(CLOSED))
            self._first_ready.exception()  # who waited for it may have been cancelled, and asyncio would complain
        await asyncio.gather(*(_within(seat.worker.end(), END_SECONDS) for seat in self._seats), return_exceptions=True)

    # ---- work

    async def work(self, message: Message, timeout: float, *, is_fresh: bool = False) -> Answer:
        """What a worker answers, within `timeout` seconds of its time. Raises BadInput or TryAgain when no worker can be started."""
        return await self._done(message, timeout, is_fresh, None)

    async def make(self, parent: State | None, message: Message, timeout: float) -> tuple[Answer, State]:
        """The state that a message makes from another one (None: a root, which opens a search); of use only if the answer is not an error."""
        state = State(next(self._numbers), parent, message)
        if state.root.is_released:
            return failure("error", "there is no such state: its search has been released"), state
        return await self._done(state.message, timeout, False, state), state

    def release(self, root: State) -> None:
        """Ends a search: all its states are forgotten, and what still waits for one is refused."""
        root.is_released = True
        self._searches.discard(root)
        for job in self._queue:
            if job.needs and job.needs.root is root:
                _resolve(job, failure("error", RELEASED))
        self._forget(root.members)

    def describe(self) -> list[dict[str, object]]:
        """The workers, with memory in MB."""
        return [
            {
                "number": seat.number,
                "generation": seat.generation,
                "served": seat.served,
                "heapMb": seat.worker.memory_mb,
                "isReady": seat.is_ready,
            }
            for seat in self._seats
        ]

    @property
    def searches(self) -> int:
        return len(self._searches)

    @property
    def states(self) -> int:
        return sum(len(root.members) for root in self._searches)

    @property
    def waiting(self) -> int:
        return sum(not job.answer.done() for job in self._queue)

    def belong(self) -> None:
        """To the running event loop, from now on. Raises RuntimeError in another one."""
        self._loop = self._loop or asyncio.get_running_loop()
        if self._loop is not asyncio.get_running_loop():
            raise RuntimeError(OTHER_LOOP)

    async def _done(self, message: Message, timeout: float, is_fresh: bool, makes: State | None) -> Answer:
        if self.is_closed:
            raise RuntimeError(CLOSED)
        self.belong()
        job = _Job(message, timeout, is_fresh, makes, asyncio.get_running_loop().create_future())
        self._queue.append(job)
        self._pump()
        return await job.answer

    # ---- the queue

    def _pump(self) -> None:
        """Gives every idle worker the first job that it can start at once, or one whose state is cheap to make again."""
        self._queue = [job for job in self._queue if not job.answer.done()]  # its caller gave up, or its search is over
        while len(self._seats) < self.size and len(self._queue) > sum(not seat.job for seat in self._seats):
            self._add()
        for seat in self._seats:
            if seat.job or not self._queue:
                continue
            if seat.is_down or (seat.is_ready and not seat.worker.is_alive):
                self._restart(seat)
            if not seat.is_ready:
                continue
            if (index := self._choice(seat)) is not None:
                seat.job = self._queue.pop(index)
                self._begin(self._run(seat, seat.job))
            # Each worker that is not ready will be fresh, for one such job.
            elif sum(job.is_fresh for job in self._queue) > sum(not other.is_ready for other in self._seats):
                self._renew(seat)

    def _choice(self, seat: _Seat) -> int | None:
        for index, job in enumerate(self._queue):
            if seat.can_do(job) and (job.needs is None or seat.holds(job.needs)):
                return index
        for index, job in enumerate(self._queue):
            # Replaying costs about as many tactics as are missing: worth it when more than that are waiting, or nobody who may do it has the state.
            is_cheap = len(self._queue) > len(seat.missing(job.needs))
            if seat.can_do(job) and (job.is_fresh or is_cheap or not self._is_held(job.needs)):
                return index
        return None

    def _is_held(self, state: State | None) -> bool:
        return state is None or any(seat.is_ready and seat.holds(state) for seat in self._seats)

    async def _run(self, seat: _Seat, job: _Job) -> None:
        replay = seat.missing(job.needs)
        self.counts.replayed += len(replay)
        patience = job.timeout + sum(max(1.0, REPLAY_FACTOR * state.seconds) for state in replay)
        started = time.monotonic()
        try:
            answer = await _within(self._answered(seat, job, replay), patience)
        except TimeoutError:
            message = f"no answer within {job.timeout:g} s"
            _resolve(job, failure("timeout", message, time.monotonic() - started))
            self._replace(seat)
        except Crashed as crash:
            if isinstance(crash, Vanished):
                is_last = job.has_vanished
                job.has_vanished = True
            else:
                is_last = not seat.served
                job.is_fresh = True
            if not is_last:
                self._queue.insert(0, job)
            else:
                _resolve(job, failure("crash", str(crash), time.monotonic() - started))
            self._replace(seat)
        except Exception as error:  # whoever waits for an answer must not wait forever
            if not job.answer.done():
                job.answer.set_exception(error)
            self._replace(seat)
        else:
            seat.job = None
            seat.served += 1
            self._settle(seat, job, answer)
            if self._is_due(seat):
                self.counts.recycled += 1
                self._restart(seat)
        self._pump()

    async def _answered(self, seat: _Seat, job: _Job, replay: list[State]) -> Answer:
        return await self._made_again(seat, replay) or await seat.worker.ask(job.message)

    async def _made_again(self, seat: _Seat, states: list[State]) -> Answer | None:
        """An answer when that fails."""
        for state in states:
            answer = await seat.worker.ask(state.message)
            if state.root.is_released:
                return failure("error", RELEASED)
            if "error" in answer:
                message = f"the state was lost and could not be made again: {answer['error']['message']}"
                return failure("crash", message, answer["seconds"])
            state.holders[seat] = seat.generation
        return None

    def _settle(self, seat: _Seat, job: _Job, answer: Answer) -> None:
        state = job.makes
        if state and "error" not in answer:
            if state.root.is_released or job.answer.done():  # meanwhile; or nobody is waiting any longer
                seat.worker.forget([state.number])
                answer = failure("error", RELEASED)
            else:
                state.seconds = answer["seconds"]
                state.holders[seat] = seat.generation
                state.root.members.append(state.number)
                self._searches.add(state.root)
        _resolve(job, answer)

    def _forget(self, states: list[int]) -> None:
        for seat in self._seats:
            if seat.is_ready:
                seat.worker.forget(states)

    # ---- workers

    def _is_due(self, seat: _Seat) -> bool:
        limits = self._recycling
        is_old = time.monotonic() - seat.born > limits.seconds
        return is_old or seat.served >= limits.requests or seat.worker.memory_mb > MEMORY_SHARE * limits.memory_mb

    def _add(self) -> None:
        seat = _Seat(len(self._seats), self._make())
        self._seats.append(seat)
        self._restart(seat)

    def _replace(self, seat: _Seat) -> None:
        self.counts.restarts += 1
        self._restart(seat)

    def _restart(self, seat: _Seat) -> None:
        self._leave(seat)
        self._begin(self._started(seat))

    def _renew(self, seat: _Seat) -> None:
        """Makes the worker as good as new, in a fraction of the time of a start. It keeps its age."""
        self.counts.recycled += 1
        self._leave(seat)
        self._begin(self._renewed(seat))

    def _leave(self, seat: _Seat) -> None:
        seat.generation += 1
        seat.is_ready, seat.is_down, seat.job, seat.served = False, False, None, 0

    async def _renewed(self, seat: _Seat) -> None:
        try:
            await _within(seat.worker.renew(), RENEWAL_SECONDS)
        except Exception:  # a start tells what is wrong
            self._replace(seat)
        else:
            self._welcome(seat)

    async def _started(self, seat: _Seat) -> None:
        failed = 0
        while True:
            try:
                with suppress(Crashed):
                    await seat.worker.end()
                await seat.worker.start()
            except Crashed as crash:
                failed += 1
                if failed == MOST_FAILED_STARTS:
                    return self._give_up(seat, TryAgain(f"Lean did not start: {crash}"))
            except Exception as error:  # whoever waits must not wait forever
                return self._give_up(seat, error)
            else:
                seat.born = time.monotonic()
                return self._welcome(seat)

    def _welcome(self, seat: _Seat) -> None:
        seat.is_ready = True
        if self._first_ready and not self._first_ready.done():
            self._first_ready.set_result(None)
        self._pump()

    def _give_up(self, seat: _Seat, error: Exception) -> None:
        """Tells whoever waits, where no other worker can help them; the next request has the worker tried again."""
        seat.is_down = True
        if not all(other.is_down for other in self._seats):
            return
        waiting: list[asyncio.Future[Any]] = [job.answer for job in self._queue]
        for future in (*waiting, *([self._first_ready] if self._first_ready else [])):
            if not future.done():
                future.set_exception(error)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _within(work: Coroutine[Any, Any, T], seconds: float) -> T:
    """Raises TimeoutError. A wait in which this process itself stood still does not count: what came meanwhile has not been read."""
    task = asyncio.ensure_future(work)
    try:
        while True:
            began = time.monotonic()
            await asyncio.wait({task}, timeout=seconds)
            if task.done():
                return task.result()
            if time.monotonic() - began < seconds + STANDSTILL_SECONDS:
                raise TimeoutError
    finally:
        task.cancel()


def _resolve(job: _Job, answer: Answer) -> None:
    if not job.answer.done():
        job.answer.set_result(answer)
