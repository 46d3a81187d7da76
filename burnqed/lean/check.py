"""Whether a proof is accepted: proved means checked.

A whole proof is elaborated, and accepted when Lean reports no error, the text was one theorem and nothing else, and a judge that sees only
the resulting terms accepts them for the statement, with no axioms but `propext`, `Classical.choice`, `Quot.sound` and the theorems of the
pinned library. docs/trust.md explains what that rests on.

    verdict = await backend.check(theorem, "intro n\\nomega")        # screen, elaborate, judge
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence

from burnqed.lean.characters import called, confused, hidden
from burnqed.lean.facts import ProofFacts
from burnqed.lean.lexer import COMMANDS, Kind, Token, is_field, tokens
from burnqed.lean.protocol import LeanBackend, Theorem, Verdict
from burnqed.lean.source import ProofToCheck

STANDARD_AXIOMS = frozenset({"propext", "Classical.choice", "Quot.sound"})
MOST_CHARACTERS = 1 << 22
"""Of a header, statement or proof."""

_IMPORT = re.compile(r"import\s+(?:all\s+)?(\S+)")
_BROKEN_OFF = "expected"
"""In every message of Lean's parser."""
_TIMEOUT = "(deterministic) timeout"
QUEUED = 2
"""Theorems that are under way for each Lean worker: one is ready when another is done."""
WayOut = Callable[[str, str, str | None], str]
"""Part of the theorem, Lean's message about it, header → what to do, where the message leaves that open; else empty."""


def no_way_out(part: str, message: str, header: str | None) -> str:
    return ""


async def check_all(proofs: Sequence[ProofToCheck], lean: LeanBackend, *, is_trusted: bool = False) -> list[Verdict]:
    """Verdicts in the order of the proofs. Headers and statements are held to the rules for strangers unless `is_trusted`."""

    async def check(theorem: Theorem, proof: str, _: int) -> Verdict:
        return await lean.check(theorem, proof, is_trusted=is_trusted)

    return await verdicts(proofs, check, at_once=QUEUED * lean.capacity)


async def verdicts(
    proofs: Sequence[ProofToCheck], check: Callable[[Theorem, str, int], Awaitable[Verdict]], *, at_once: int
) -> list[Verdict]:
    """What `check(theorem, proof, index)` says of each, in their order; a theorem is put together when its turn comes."""
    turns = asyncio.Semaphore(at_once)

    async def verdict(index: int, proof: ProofToCheck) -> Verdict:
        if proof.refusal:
            return Verdict(name=proof.name, accepted=False, reason=proof.refusal, message=proof.message)
        async with turns:
            return await check(*proof.read(), index)

    return await asyncio.gather(*(verdict(index, proof) for index, proof in enumerate(proofs)))


def screen(theorem: Theorem, proof: str, *, is_trusted: bool = True) -> str | None:
    """Why a proof need not be compiled, or None: only what text alone shows beyond doubt, at no cost in Lean's time."""
    for part, text in (("header", theorem.header or ""), ("statement", theorem.statement), ("proof", proof)):
        if len(text) > MOST_CHARACTERS:
            return f"The {part} has {len(text)} characters, and no more than {MOST_CHARACTERS} are read; shorten it."
        if character := hidden(text):
            return f"The {part} contains {character}."
    if not is_trusted and (alike := confused([theorem.header or "", theorem.statement])):
        letters = ", ".join(called(letter) for letter in sorted(set(alike[0]) ^ set(alike[1])) if not letter.isascii())
        return f"The name `{alike[0]}` looks like `{alike[1]}` and is another one ({letters}); rename one of them."
    before: Token | None = None
    for token in (token for token in tokens(proof) if token.kind is not Kind.COMMENT):
        if token.kind is Kind.UNFINISHED:
            return f"The proof contains a {'comment' if token.text.startswith('/-') else 'text'} that does not end; end it."
        if token.text in COMMANDS and not (before and is_field([before, token], 1)):
            return f"The proof contains the command `{token.text}`; give nothing but the proof of this one theorem."
        before = token
    return None if before else "The proof is empty; give a block of tactics or a term."


def imported(header: str) -> str:
    """The first module that a header imports; empty when it imports none."""
    words = [token for token in tokens(header) if token.kind is not Kind.COMMENT] if "import" in header else []
    modules = (_IMPORT.match(header, token.start) for at, token in enumerate(words) if not is_field(words, at))
    return next((module[1] for module in modules if module), "")


def judge(theorem: Theorem, facts: ProofFacts, way_out: WayOut = no_way_out) -> Verdict:
    """Verdict on a proof from what was found out about it. `way_out` adds to Lean's messages what to do."""
    reason, message = _objection(theorem, facts, way_out)
    errors = [*facts.header_errors, *facts.statement_errors, *(error.text for error in facts.errors)]
    return Verdict(
        name=theorem.name,
        accepted=not reason,
        reason=reason,
        message=message.strip() if "\n" in message.strip() else "",
        axioms=facts.axioms,
        permitted=facts.permitted,
        could_not_check=bool(reason) and (facts.could_not_check or any(_TIMEOUT in error for error in errors)),
        seconds=facts.seconds,
    )


def _objection(theorem: Theorem, facts: ProofFacts, way_out: WayOut) -> tuple[str, str]:
    """The first thing that speaks against a proof, as one sentence, and Lean's message where there is one; empty when nothing does."""

    def told(part: str, message: str) -> str:
        return "; ".join(filter(None, (message.strip().partition("\n")[0], way_out(part, message, theorem.header))))

    if facts.refused:
        return f"Not allowed: {facts.refused}.", ""
    for part, errors in (("header", facts.header_errors), ("statement", facts.statement_errors)):
        if errors:
            return f"The {part} does not elaborate: {told(part, errors[0])}", errors[0]
    if facts.commands != 1:
        error = next((error for error in facts.errors if _BROKEN_OFF in error.text), next(iter(facts.errors), None))
        where = f", in line {max(error.line, 1)}: {told('proof', error.text)}" if error else ""
        return f"The proof does not end where its tactics or its term end{where}; give these and nothing else.", ""
    if facts.errors:
        error = facts.errors[0]
        return (
            f"Lean reports an error in line {max(error.line, 1)} of the proof: {told('proof', error.text)}",
            error.text,
        )
    if facts.objection:
        return f"Not proved: {facts.objection}.", ""
    return "" if set(facts.axioms) <= STANDARD_AXIOMS else "It depends on axioms that are not standard.", ""
