"""How a check goes: who elaborates the statement, who the proof, who judges (docs/trust.md).

Trusted header and statement: a reader, which sees nothing but trusted texts, says what the statement is (kept, because many proofs of it may
come); an author's instance elaborates the proof, which may have run other people's proofs before; the judge decides. Whatever counts
against the proof has to be found once more in a fresh instance, so nobody can spoil another's proof. Only there does the
kernel look at the proof while it is elaborated, as some tactics want; what is accepted has cost the kernel's work once, the judge's.

Header and statement of a stranger: one fresh instance per check. What the statement is has left it as text before it looks at the proof. If
the judge crashes, it may have lacked the memory that others' proofs took: a fresh one judges once more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from burnqed.errors import BadInput
from burnqed.lean.pool import Pool
from burnqed.lean.worker import Answer

KEPT_STATEMENTS = 64
UNJUDGED = {"objection": "", "could_not_check": False, "axioms": [], "library": 0}
UNREAD = {"commands": 0, "messages": [], "tactic_block_only": False, **UNJUDGED}
"""Facts about a proof that was not looked at, because its statement does not elaborate."""

Facts = dict[str, Any]
"""Those of `burnqed.lean.facts.ProofFacts`, or an `error` with `seconds` (`burnqed.lean.pool.Answer`)."""


@dataclass(frozen=True, slots=True)
class Request:
    """A proof that is to be checked."""

    content: dict[str, Any]
    """What an elaborating instance is told: header, statement, proof and how they are to be read."""
    is_trusted: bool
    timeout: float
    """Seconds for each step."""
    export_to: Path | None = None


class Verdicts:
    """`drop` forgets the text for which a `proof` stands (`supervisor.cjs`)."""

    def __init__(self, authors: Pool, readers: Pool, judges: Pool, drop: Callable[[dict[str, int]], None]) -> None:
        self.authors, self.readers, self.judges, self._drop = authors, readers, judges, drop
        self._statements: dict[tuple[str, str], asyncio.Task[Answer]] = {}
        """By header and statement: the reader's answer; the least recently used one first."""

    async def check(self, request: Request) -> Facts:
        if not request.is_trusted:
            return await self._judged(request, await self._elaborated(request, "check", is_fresh=True))
        stated = await self._stated(request)
        if not stated.get("statement"):
            return unread(stated)
        first = await self._attempt(request, stated, is_fresh=False)
        if is_accepted(first) or self.authors.is_closed:
            return first
        second = await self._attempt(request, stated, is_fresh=True)
        return {**second, "seconds": first["seconds"] + second["seconds"]}

    async def judge(self, request: Request, export: str) -> Facts:
        """Of an export that is given as what a proof of a trusted statement added."""
        stated = await self._stated(request)
        if not stated.get("statement"):
            return unread(stated)
        return await self._judged(request, {**UNREAD, **stated, "commands": 1, "proof": export})

    # ---- steps of the above

    async def _attempt(self, request: Request, stated: Answer, *, is_fresh: bool) -> Facts:
        proved = await self._elaborated(request, "proof", is_fresh=is_fresh, isJudged=not is_fresh)
        if "error" in proved:
            return proved
        seconds = stated["seconds"] + proved["seconds"]
        # What is judged is the reader's statement, whatever the author's instance says.
        return await self._judged(request, {**stated, **proved, "statement": stated["statement"], "seconds": seconds})

    async def _elaborated(self, request: Request, kind: str, *, is_fresh: bool, **how: object) -> Answer:
        message = {"kind": kind, "isTrusted": request.is_trusted, **request.content, **how}
        return await self.authors.work(message, request.timeout, is_fresh=is_fresh)

    async def _judged(self, request: Request, elaborated: Answer) -> Facts:
        """With the judge's opinion on an elaborated proof against which nothing has been found so far."""
        facts = dict(elaborated)
        statement, proof = facts.pop("statement", ""), facts.pop("proof", "")
        try:
            if "error" in facts:
                return facts
            if not is_elaborated(facts):
                return {**facts, **UNJUDGED}
            if not proof:
                return {**facts, **UNJUDGED, "objection": "the text declares no theorem of that name"}
            message = {
                "kind": "judge",
                "statement": statement,
                "proof": proof,
                "isExported": request.export_to is not None,
            }
            judged = await self.judges.work(message, request.timeout)
            seconds = facts["seconds"] + judged["seconds"]
            if judged.get("error", {}).get("kind") == "crash" and not (request.is_trusted or self.judges.is_closed):
                judged = await self.judges.work(message, request.timeout, is_fresh=True)
                seconds += judged["seconds"]
            if "error" in judged:
                judged = {**UNJUDGED, "objection": judged["error"]["message"], "could_not_check": True}
            # It comes as text, because a confined judge may write no files.
            if (export := judged.pop("export", "")) and request.export_to:
                write_export(request.export_to, export)
            return {**facts, **judged, "seconds": seconds}
        finally:
            if isinstance(proof, dict):
                self._drop(proof)

    async def _stated(self, request: Request) -> Answer:
        """What the reader says of a trusted statement."""
        content = {name: request.content[name] for name in ("header", "statement")}
        key = content["header"], content["statement"]
        message = {"kind": "statement", "isTrusted": True, **content}
        task = self._statements.pop(key, None) or asyncio.ensure_future(self.readers.work(message, request.timeout))
        self._statements[key] = task
        if len(self._statements) > KEPT_STATEMENTS:
            del self._statements[next(iter(self._statements))]
        try:
            answer = await asyncio.shield(task)
        except Exception:
            self._statements.pop(key, None)
            raise
        if "error" in answer:  # a crash or timeout may not happen again
            self._statements.pop(key, None)
        return answer


def unread(stated: Answer) -> Facts:
    """Facts of a statement whose proof was not looked at."""
    return stated if "error" in stated else {**UNREAD, **stated}


def write_export(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise BadInput(f"The export {path} cannot be written ({error.strerror or error}).") from None


def is_elaborated(facts: Facts) -> bool:
    """Whether a whole proof was elaborated and nothing was found against it on the way."""
    is_stated = not (facts["refused"] or facts["header_errors"] or facts["statement_errors"])
    return is_stated and facts["commands"] == 1 and all(m["severity"] != "error" for m in facts["messages"])


def is_accepted(facts: Facts) -> bool:
    return "error" not in facts and not facts["objection"] and is_elaborated(facts)
