"""Lean source as theorems to check, each with its header.

Lean's own parser cuts the file into commands (`commands.py`), because nobody else knows where a comment, a text or a command ends. Here
they are put together: what precedes a theorem and is not one itself is its header, in the file's order. Earlier theorems are part of
the header when something in it, or in the theorem, names them or opens their namespace (directly, or through another one), or when
something else may need them: where they carry an attribute, as `@[simp]`, or share a command with definitions. A theorem of a `mutual` block is
checked with the whole block as part of its header. Lines stay where they are in the file.

An example is a theorem too, unless it is one of data. What Lean cannot read is refused, with everything after it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from burnqed.errors import BadInput
from burnqed.lean.commands import Commands, CutTheorem, Failure
from burnqed.lean.protocol import LeanBackend, Theorem

_SAME_AS_IN_BLOCK = "by intros; apply {} <;> assumption"
"""Proof of a theorem whose `mutual` block has been checked as part of its header."""

_A_THEOREM = re.compile(rb"theorem|lemma|example")
_MOST_SAID = 200
_INSIDE = {bytes([byte]) for byte in range(0x80, 0xC0)}
"""Bytes within a character."""


@dataclass(frozen=True, slots=True)
class ProofToCheck:
    """A theorem with its proof as it is written, with what precedes it (`burnqed.lean.proofs.introductions`)."""

    name: str
    read: partial[tuple[Theorem, str]]
    """Makes theorem and proof: the headers of a large file are many times as large as the file."""
    refusal: str = ""
    """Why there is nothing to check, in one sentence."""
    message: str = ""
    """Lean's message, when the sentence has no room for all of it."""

    @classmethod
    def of(cls, theorem: Theorem, proof: str) -> ProofToCheck:
        return cls(theorem.name, partial(lambda: (theorem, proof)))

    @property
    def theorem(self) -> Theorem:
        return self.read()[0]

    @property
    def proof(self) -> str:
        return self.read()[1]


async def cut(text: str, lean: LeanBackend, *, is_trusted: bool = False) -> list[ProofToCheck]:
    """The theorems of a file with their proofs, in its order. Raises BadInput, to be continued after the file's name."""
    file = _File(text, await lean.commands(text, is_trusted=is_trusted))
    for module in (".".join(map(str, name)) for name in file.parsed.imports):
        if not lean.has_module(module):
            raise BadInput(f"imports {module}, but the {lean.name} Lean has only {lean.library}; remove the import.")
    return list(file.proofs())


class _File:
    def __init__(self, text: str, parsed: Commands) -> None:
        self.bytes = text.encode()
        self.parsed = parsed
        self.commands = parsed.commands
        self._hold_together()

    def _hold_together(self) -> None:
        """Every byte of the file has to be in one command, or in front of one, and every theorem in its command."""
        places = [0, self.parsed.start]
        for command in self.commands:
            theorems = (
                (t.start, t.keyword, t.keyword if t.value is None else t.value, t.end) for t in command.theorems
            )
            places += [command.start, *itertools.chain(*theorems), command.end]
        is_inside = places[-1] <= len(self.bytes) and not any(self.bytes[p : p + 1] in _INSIDE for p in places)
        if sorted(places) != places or not is_inside:
            raise BadInput(
                "was cut into pieces that are not the whole file; this is a bug in burnqed, please report it."
            )

    def proofs(self) -> Iterator[ProofToCheck]:
        failure, is_refused = self.parsed.failure, False
        unread = (failure.line, *_unreadable(failure)) if failure else None
        """Line, reason and message of what keeps Lean from reading what follows, as long as no theorem has been refused for it."""
        for index, command in enumerate(self.commands):
            obstacle = command.skipped or (None if command.theorems else command.failure)
            if obstacle and not failure:
                failure, unread = obstacle, (obstacle.line, *_unreadable(obstacle))
            for theorem in command.theorems:
                broken = None if is_refused else failure or command.failure  # else the check says what is refused
                refusal = _unreadable(broken) if broken else ("", "")
                yield ProofToCheck(theorem.name, partial(self._theorem, index, theorem), *refusal)
                unread = None
            if command.refused and not failure and not is_refused:
                is_refused = True
                if _A_THEOREM.search(self.bytes, command.end):
                    unread = (
                        command.line,
                        f"Not allowed: {command.refused}; what follows line {command.line} is not read.",
                        "",
                    )
        if self.parsed.unread:
            line = self.commands[-1].line
            unread = line, f"Lean reads nothing after line {line}; remove what follows.", ""
        if unread:
            nothing = Theorem(name=f"line {unread[0]}", statement="True")
            yield ProofToCheck(nothing.name, partial(lambda: (nothing, "")), *unread[1:])

    # ---- a theorem's parts

    def _theorem(self, index: int, theorem: CutTheorem) -> tuple[Theorem, str]:
        command = self.commands[index]
        statement = self._with_theorem_for_lemma(theorem.start, theorem.end, [theorem])
        if command.is_block and not theorem.is_example:
            header = self._header(index, is_included=True)
            proof = _SAME_AS_IN_BLOCK.format(theorem.name)
        else:
            header = self._header(index, is_included=command.is_block)
            proof = self._proof(theorem)
        return Theorem(name=theorem.name, statement=statement, header=header), proof

    def _header(self, index: int, *, is_included: bool) -> str | None:
        """What precedes a command, or everything up to its end. What is left out leaves its lines, so that Lean's line numbers are those of the file."""
        used = self._used(index) | ({index} if is_included else set())
        pieces, position = [self._space(0, self.parsed.start)], self.parsed.start
        for at, command in enumerate(self.commands[: index + 1]):
            pieces.append(self._slice(position, command.start))
            if at in used:
                pieces.append(self._with_theorem_for_lemma(command.start, command.end, command.theorems))
            elif at < index:
                pieces.append(self._space(command.start, command.end))
            position = command.end
        return "".join(pieces).rstrip(" \n") + "\n" if used else None

    def _used(self, index: int) -> set[int]:
        """What of the commands before this one belongs to its header: those without theorems, and those whose theorems these or it need."""
        used, names, opened = set(), set(self.commands[index].names), set(self.commands[index].opened)
        for at in reversed(range(index)):
            command = self.commands[at]
            is_named = any(
                str(theorem.written[-1]) in names or not opened.isdisjoint(map(str, theorem.written[:-1]))
                for theorem in command.theorems
                if theorem.written
            )
            if is_named or command.does_more or not command.theorems:
                used.add(at)
                names |= command.names
                opened |= command.opened
        return used

    def _proof(self, theorem: CutTheorem) -> str:
        """What follows the statement, in the columns in which it stands if it has several lines; Lean's layout depends on them."""
        start = theorem.end if theorem.value is None else theorem.value
        proof = self._slice(start, theorem.end)
        column = len(self._slice(self.bytes.rfind(b"\n", 0, start) + 1, start)) if "\n" in proof else 0
        return " " * column + proof

    # ---- text

    def _slice(self, start: int, end: int) -> str:
        return self.bytes[start:end].decode()

    def _space(self, start: int, end: int) -> str:
        return "\n" * self.bytes.count(b"\n", start, end) or " " * (start < end)

    def _with_theorem_for_lemma(self, start: int, end: int, theorems: Sequence[CutTheorem]) -> str:
        pieces, position = [], start
        for lemma in theorems:
            if lemma.is_lemma:
                pieces += [self._slice(position, lemma.keyword), "theorem"]
                position = lemma.keyword + len("lemma")
        return "".join([*pieces, self._slice(position, end)])


def _unreadable(failure: Failure) -> tuple[str, str]:
    """The refusal, and Lean's message where the refusal leaves out some of it."""
    message = failure.text.strip()
    said = message.partition("\n")[0]
    if len(said) > _MOST_SAID:  # all that Lean expected instead
        said = said.partition("; expected")[0]
    return f"Lean cannot read on from line {failure.line}: {said}.", "" if said == message else message
