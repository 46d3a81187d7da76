"""Whole proofs, checked by a Lean program of ours (`checker/`), in processes of three roles, as the embedded backend's instances have.

*Authors* elaborate proofs; a *reader* elaborates trusted headers and statements and sees nothing else; *judges* replay by the kernel
alone what an elaboration added. Between them declarations cross as text, through this process. docs/trust.md tells what that rests on.

    async with Checker(["lake", "env", "checker"], ["Mathlib"]) as checker:
        facts = await checker.facts(theorem, "by simp")
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError

from burnqed.errors import BadInput
from burnqed.lean.check import WayOut, judge, no_way_out, screen
from burnqed.lean.commands import Commands
from burnqed.lean.facts import Message as FoundMessage
from burnqed.lean.facts import ProofFacts
from burnqed.lean.lexer import normalised
from burnqed.lean.pantograph.process import ProcessWorker
from burnqed.lean.pool import Pool, Recycling
from burnqed.lean.proofs import introductions
from burnqed.lean.protocol import Outcome, Theorem, Verdict
from burnqed.lean.rules import FILE as RULES
from burnqed.lean.verdicts import Request, Verdicts
from burnqed.lean.worker import Answer, Crashed, Message

PROGRAM = Path(__file__).with_name("checker")
"""Its Lean sources, to be built by `lake build`."""
START_SECONDS = 300.0
"""Mathlib is read from disk, and a judge reads all of it once."""
AUTHORS_PER_JUDGE = 4
CUT_SECONDS = 3e-4
"""More for each character of a file that is cut into theorems."""
STRANGERS = (
    "this Lean has no rules for headers and statements that nobody vouches for; read them and use --trust-headers, or "
    "--backend embedded."
)


Texts = Annotated[list[str], FailFast()]
"""The first that is none is enough: a list may be long."""


class _Answer(BaseModel):
    """What a process says of its own accord: an author's may say anything, so nothing else of it is looked at."""

    model_config = ConfigDict(strict=True, extra="ignore")

    seconds: float = Field(ge=0, allow_inf_nan=False)


class _Stated(_Answer):
    header_errors: Texts
    statement_errors: Texts
    refused: str
    statement: str


class _Proved(_Answer):
    header_errors: Texts
    statement_errors: Texts
    refused: str
    commands: int
    messages: Annotated[list[FoundMessage], FailFast()]
    tactic_block_only: bool
    proof: str


class _Judged(_Answer):
    objection: str
    could_not_check: bool
    axioms: Texts
    library: int
    permitted: Texts = Field(default_factory=list)
    export: str = ""


class _Cut(_Answer, Commands):
    model_config = ConfigDict(strict=False, extra="ignore")


class _Error(BaseModel):
    kind: Literal["error"]
    message: str


class _Failed(_Answer):
    error: _Error


_ANSWERS: dict[str, type[_Answer]] = {"statement": _Stated, "proof": _Proved, "judge": _Judged, "cut": _Cut}
"""By the kind of message."""


class CheckerProcess(ProcessWorker):
    """One process of the program, in one of its roles."""

    greeting = '{"ready":true}'
    start_seconds = START_SECONDS

    async def ask(self, message: Message) -> Answer:
        answer = await self._answer(json.dumps(message, ensure_ascii=False))
        shape = _Failed if "error" in answer else _ANSWERS[message["kind"]]
        try:
            return shape.model_validate(answer).model_dump()
        except ValidationError:
            raise Crashed("the checker answers nothing that can be understood") from None


def judges(authors: int) -> int:
    return math.ceil(authors / AUTHORS_PER_JUDGE)


def processes(authors: int) -> int:
    """That run when all of them have been needed: the reader, too."""
    return authors + judges(authors) + 1


class Checker:
    """`command` starts the program (its role, the rules and the modules are put behind it), `modules` are what theorems may refer to, `confine` makes
    the command line that starts it confined (`burnqed.sandbox.confined`)."""

    def __init__(
        self,
        command: Sequence[str],
        modules: Sequence[str],
        *,
        workers: int = 1,
        timeout_s: float = 60.0,
        memory_mb: float = 8_000,
        recycling: Recycling | None = None,
        default_header: str = "",
        way_out: WayOut = no_way_out,
        confine: Callable[[Sequence[str]], Sequence[str]] = tuple,
    ) -> None:
        self.workers, self.timeout_s, self._default_header, self._way_out = workers, timeout_s, default_header, way_out
        limits = recycling or Recycling(requests=1_000, seconds=1_800, memory_mb=math.ceil(memory_mb))

        def pool(role: str, size: int) -> Pool:
            words = [*command, role, str(RULES), *modules]
            return Pool(lambda: CheckerProcess(confine(words), memory_mb), size, limits)

        self._authors, self._readers = pool("author", workers), pool("reader", 1)
        self._judges = pool("judge", judges(workers))
        self._verdicts = Verdicts(self._authors, self._readers, self._judges, lambda text: None)

    async def __aenter__(self) -> Self:
        """Starts nothing: processes start when they are first needed."""
        for pool in self._pools:
            pool.belong()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.gather(*(pool.close() for pool in self._pools))

    @property
    def _pools(self) -> tuple[Pool, Pool, Pool]:
        return self._authors, self._readers, self._judges

    async def check(
        self,
        theorem: Theorem,
        proof: str,
        *,
        timeout: float | None = None,
        is_trusted: bool = True,
        export_to: Path | None = None,
    ) -> Verdict:
        """`burnqed.lean.protocol.LeanBackend.check`."""
        proof = normalised(proof)
        if reason := screen(theorem, proof, is_trusted=is_trusted):
            return Verdict(name=theorem.name, accepted=False, reason=reason)
        if not is_trusted:
            return Verdict(name=theorem.name, accepted=False, reason=f"Not checked: {STRANGERS}", could_not_check=True)
        facts = await self.facts(theorem, proof, timeout=timeout, export_to=export_to)
        if isinstance(facts, Outcome):
            seconds, reason = facts.seconds, facts.message
            return Verdict(name=theorem.name, accepted=False, reason=reason, could_not_check=True, seconds=seconds)
        return judge(theorem, facts, self._way_out)

    async def facts(
        self,
        theorem: Theorem,
        proof: str,
        *,
        timeout: float | None = None,
        export_to: Path | None = None,
    ) -> ProofFacts | Outcome:
        """What is found out about a proof of a trusted statement; an Outcome says why that was not possible (timeout or crash)."""
        content = {
            **self._stated(theorem),
            "proof": proof,
            "introductions": introductions(proof),
            "heartbeats": 0,
        }
        request = Request(content, True, timeout or self.timeout_s, export_to)
        return _facts(await asyncio.shield(asyncio.ensure_future(self._verdicts.check(request))))

    async def judge(
        self, theorem: Theorem, export: str, *, timeout: float | None = None, export_to: Path | None = None
    ) -> ProofFacts | Outcome:
        """What a judge says of `export` (lean4export NDJSON 3.1.0), given as what a proof of the trusted `theorem` added."""
        request = Request(self._stated(theorem), True, timeout or self.timeout_s, export_to)
        return _facts(await self._verdicts.judge(request, export))

    async def commands(self, text: str, *, is_trusted: bool = False) -> Commands:
        """`burnqed.lean.protocol.LeanBackend.commands`."""
        if not is_trusted:
            raise BadInput(f"cannot be cut into theorems: {STRANGERS}")
        timeout = round(self.timeout_s + len(text) * CUT_SECONDS, 1)
        answer = await self._authors.work({"kind": "cut", "text": text}, timeout, is_fresh=True)
        if "error" in answer:
            raise BadInput(f"cannot be cut into theorems: {answer['error']['message']}.")
        return Commands.model_validate(answer)

    def _stated(self, theorem: Theorem) -> dict[str, object]:
        header = self._default_header if theorem.header is None else theorem.header
        return {"header": header, "statement": theorem.statement}


def _facts(answer: Answer) -> ProofFacts | Outcome:
    return Outcome.of(answer) if "error" in answer else ProofFacts.model_validate(answer)
