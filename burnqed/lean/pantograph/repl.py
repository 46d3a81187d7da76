"""One of Pantograph's REPLs as a worker of the pool: it starts theorems and applies tactics, in a process of its own.

Every outcome that was recorded has its place here (docs/pantograph.md): recursion that is too deep and an interrupt are no crashes, a state that
is not known is one, and a request that is not understood is another version of Pantograph.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError

from burnqed.errors import BadInput
from burnqed.lean.pantograph import goals, wire
from burnqed.lean.pantograph.process import ProcessWorker
from burnqed.lean.pantograph.wire import Applied, Distilled, Failure, Goal, Printed, Reply, Started, request
from burnqed.lean.pool import RELEASED
from burnqed.lean.worker import Answer, Crashed, Message, failure

START_SECONDS = 120.0
"""Mathlib is read from a disk that may be cold, which takes 90 s."""
LINE_BYTES = 1 << 25
MOST_CHARACTERS, MOST_GOALS = 1_000_000, 1_000
"""Of the goals of one state."""
MESSAGE_CHARACTERS = 4_000
HEARTBEATS = ("maximum number of heartbeats", "(deterministic) timeout", "deterministic timeout")
NOT_UNDERSTOOD = ("Unknown command", "Unable to parse json")
"""How errors begin about requests that this version of the REPL does not expect."""
R = TypeVar("R", bound=Reply)


@dataclass(frozen=True, slots=True)
class _State:
    number: int
    """The REPL's."""
    scope: str
    """What is put in front of its tactics (`statement.py`)."""


class Refused(Exception):
    """Lean's answer to what was asked: no."""

    def __init__(self, message: str, kind: str = "error") -> None:
        super().__init__(message[:MESSAGE_CHARACTERS])
        self.kind = kind


class ReplWorker(ProcessWorker):
    """One REPL. `command` starts it, modules and Lean options included."""

    greeting = wire.READY
    start_seconds = START_SECONDS
    line_bytes = LINE_BYTES

    async def _asked(self, shape: type[R], command: str, **fields: object) -> R:
        """Raises Refused, Crashed, or BadInput for another version of Pantograph."""
        answer = await self._answer(request(command, **fields))
        try:
            if "error" in answer:
                raise _failed(Failure.model_validate(answer), command)
            return shape.model_validate(answer)
        except ValidationError as error:
            where = ".".join(map(str, error.errors()[0]["loc"]))
            raise Crashed(f"Pantograph's answer to {command} is not what was expected ({where})") from None


class Repl(ReplWorker):
    """One that searches."""

    def __init__(self, command: Sequence[str], memory_mb: float) -> None:
        super().__init__(command, memory_mb)
        self._states: dict[int, _State] = {}
        """By the pool's number."""
        self._forgotten: list[int] = []
        """Numbers that are told to the REPL with the next request."""

    async def start(self) -> None:
        self._states, self._forgotten = {}, []
        await super().start()

    async def ask(self, message: Message) -> Answer:
        began = time.monotonic()
        # Now: the search may be released while something is waited for.
        before = self._states.get(message.get("parent", 0))
        try:
            if forgotten := self._forgotten:
                self._forgotten = []
                await self._asked(Reply, "goal.delete", stateIds=forgotten)
            made, printed = await (
                self._started(message) if message["kind"] == "start" else self._applied(before, message)
            )
        except Refused as refusal:
            return failure(refusal.kind, str(refusal), time.monotonic() - began)
        texts = [goals.text(goal) for goal in printed[:MOST_GOALS]]
        if len(printed) > MOST_GOALS or sum(map(len, texts)) > MOST_CHARACTERS:
            self._forgotten.append(made.number)
            return failure("error", "the goals are too large to be shown", time.monotonic() - began)
        self._states[message["id"]] = made
        return {"goals": texts, "seconds": time.monotonic() - began}

    def forget(self, states: list[int]) -> None:
        self._forgotten += [self._states.pop(state).number for state in states if state in self._states]

    # ---- requests

    async def _started(self, message: Message) -> tuple[_State, list[Goal]]:
        if expression := message["expression"]:
            number = (await self._asked(Started, "goal.start", expr=expression)).state
            with self._forgotten_if_refused(number):
                return _State(number, ""), (await self._asked(Printed, "goal.print", stateId=number, goals=True)).goals
        found = (await self._asked(Distilled, "frontend.distil", file=message["text"], ignoreValues=False)).targets
        if len(found) != 1 or len(found[0].goals) != 1:
            self._forgotten += [target.state for target in found]
            raise Refused(
                "header and statement leave more open than one proof" if found else "there is nothing to prove"
            )
        [target] = found
        scope: str = message["scope"]
        with self._forgotten_if_refused(target.state):
            if message["namespace"] and await self._is_namespace(target.state, message["namespace"]):
                scope += message["namespace"]
        return _State(target.state, scope), target.goals

    async def _is_namespace(self, state: int, opened: str) -> bool:
        tried = await self._asked(Applied, "goal.tactic", stateId=state, tactic=f"{opened}skip")
        if tried.state is not None:
            self._forgotten.append(tried.state)
        return tried.goals is not None

    async def _applied(self, before: _State | None, message: Message) -> tuple[_State, list[Goal]]:
        if before is None:
            raise Refused(RELEASED)
        tactic = before.scope + message["tactic"]
        found = await self._asked(Applied, "goal.tactic", stateId=before.number, tactic=tactic)
        if found.goals is None or found.state is None:
            raise _refusal("\n".join(found.errors) or "the tactic failed")
        with self._forgotten_if_refused(found.state):
            await self._look(found, found.state)
        return _State(found.state, before.scope), found.goals

    @contextmanager
    def _forgotten_if_refused(self, number: int) -> Iterator[None]:
        try:
            yield
        except Refused:
            self._forgotten.append(number)
            raise

    async def _look(self, found: Applied, state: int) -> None:
        """Raises Refused for a step that Lean would not take, or that leads to nothing that could be accepted."""
        if found.errors:
            raise _refusal("\n".join(found.errors))
        if found.has_sorry:
            raise Refused("the tactic uses sorry")
        if found.has_unsafe:
            raise Refused("the tactic uses what is unsafe")
        if found.goals:
            return
        root = await self._asked(Printed, "goal.print", stateId=state, rootExpr=True)
        for is_so, what in (
            (root.has_sorry, "uses sorry"),
            (root.has_unsafe, "uses what is unsafe"),
            (root.has_hole, "has holes"),
        ):
            if is_so:
                raise Refused(f"no goals are left, but the proof {what}")


def _failed(told: Failure, command: str) -> Exception:
    if told.desc.startswith(NOT_UNDERSTOOD):
        return BadInput(
            f"Pantograph does not understand {command} ({told.desc.strip()}); it is another version than burnqed speaks with: "
            "run `burnqed lean install --backend pantograph --force`."
        )
    if told.error == "index":
        return Crashed(f"Pantograph has lost a state ({told.desc})")
    return _refusal(told.desc)


def _refusal(text: str) -> Refused:
    if text == "interrupt":
        return Refused("Lean was interrupted", "timeout")
    return Refused(text, "heartbeats" if any(words in text for words in HEARTBEATS) else "error")
