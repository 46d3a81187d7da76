"""Cuts Lean source into the theorems to check, each with its header.

What stands before a theorem and is none itself is its header, in the file's order. Earlier theorems are part of the header when their
names occur in it or in the theorem (directly, or through another one), or when something else may: where they carry an attribute, as
`@[simp]`, share a `mutual` block with definitions, or have an `open` or `set_option` in their text. A theorem of a `mutual` block is checked
with the whole block as part of its header. Lines stay where they are in the file.

It goes by words (`burnqed.lean.lexer`), so it can be wrong where only a parser would know. What it gives is checked as it stands then:
Lean reads the statement again, and only to the end of one theorem.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from burnqed.errors import BadInput
from burnqed.lean.lexer import COMMANDS, Kind, has_two_ends, is_field, tokens
from burnqed.lean.protocol import Theorem

LIBRARY = "Init"
"""The library whose modules need no import."""

_PREFIXES = frozenset({"open", "set_option", "omit", "include", "variable", "attribute", "universe"})
"""Begin `… in theorem …`; otherwise they are commands of their own."""
_MODIFIERS = frozenset({"private", "protected", "public", "noncomputable", "nonrec"})
_ONLY_IN_FRONT = frozenset({"open", "set_option", "local", "scoped"})
"""Begin a command, as attributes do, when they begin a line that is indented no further than the theorem; elsewhere they belong to a tactic or term."""
_LOCAL = frozenset({"let", "have", "letI", "haveI"})
_BLOCK = frozenset({"mutual", "theorem", "lemma", "end"}) | _MODIFIERS
_OPEN, _CLOSE = frozenset("([{⟨⟦⦃"), frozenset(")]}⟩⟧⦄")
_SAME_AS_IN_BLOCK = "by intros; apply {} <;> assumption"
"""Proof of a theorem whose `mutual` block has been checked as part of its header."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A theorem of a file, a `mutual` block of theorems, or the commands in front of one."""

    text: str
    theorems: Sequence[tuple[str, str, str]]
    """(name, statement, proof) of each; none of commands."""
    mentions: frozenset[str]
    """Components of all names that occur in it."""
    is_block: bool = False
    does_more: bool = False
    """Whether later theorems may need more of it than the theorems that they name."""


def cut(text: str) -> list[tuple[Theorem, str]]:
    """The theorems of a file with their proofs, in its order. Raises BadInput, to be continued after the file's name."""
    parts = list(_Source(text).parts())
    found = []
    for index, part in enumerate(parts):
        if not part.theorems:
            continue
        used = _used(parts, index)
        # What is left out leaves its lines, so that Lean's line numbers are those of the file.
        kept = [p.text if at in used else "\n" * p.text.count("\n") for at, p in enumerate(parts[:index])]
        header = "".join([*kept, part.text] if part.is_block else kept).rstrip()
        for name, statement, proof in part.theorems:
            found.append((Theorem(name=name, statement=statement, header=header + "\n" if header else None), proof))
    return found


def _used(parts: Sequence[_Part], index: int) -> set[int]:
    """What of the parts before this one belongs to its header: all commands, and the theorems that these or it need."""
    used, mentions = set(), set(parts[index].mentions)
    for at in reversed(range(index)):
        part = parts[at]
        is_named = any(name.rpartition(".")[2] in mentions for name, _, _ in part.theorems)
        if is_named or part.does_more or not part.theorems:
            used.add(at)
            mentions |= part.mentions
    return used


class _Source:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [token for token in tokens(text) if token.kind is not Kind.COMMENT]
        self.words = [token.text for token in self.tokens]
        if self.tokens and self.tokens[-1].kind is Kind.UNFINISHED:
            line = self._lines(0, self.tokens[-1].start) + 1
            raise BadInput(f"has a comment or text that begins in line {line} and never ends.")
        for token in self.tokens:
            if has_two_ends(text, token):
                line = self._lines(0, token.start) + 1
                raise BadInput(
                    f"has a text in line {line} that ends elsewhere when its `{{` begins a term, as it does after `s!` or `dbg_trace`; write `\\x7b` for it."
                )
        self.lemmas = [t for at, t in enumerate(self.tokens) if t.text == "lemma" and self._is_theorem(at)]

    def parts(self) -> Iterator[_Part]:
        done = self._imports()  # tokens that belong to a part
        position = self.tokens[done - 1].end if done else 0  # of the first character that belongs to none
        lines = self._lines(0, position)
        for at, word in enumerate(self.words):
            if at < done or not (word == "mutual" or self._is_theorem(at)):
                continue
            first = at if word == "mutual" else self._first(at, done)
            end = self._index("end", at) + 1 if word == "mutual" else self._end(first, at)
            keywords = [k for k in range(at, end) if self._is_theorem(k)]
            if not keywords:
                continue
            start, stop = self.tokens[first].start, self.tokens[end - 1].end
            # Comments in front of a theorem go: one that documents it could not stand at the end of a header.
            commands = self.text[position : self.tokens[first - 1].end] if first > done else ""
            space = "\n" * self._lines(position + len(commands), start)
            yield _Part("\n" * lines + commands + space, (), self._mentions(done, first))
            yield _Part(
                self._with_theorem_for_lemma(start, stop),
                [self._theorem(k, is_in_block=word == "mutual") for k in keywords],
                self._mentions(first, end),
                is_block=word == "mutual",
                does_more=any(self._does_more(k) for k in range(first, end)),
            )
            position, done, lines = stop, end, 0

    # ---- where commands begin and end, by the tokens' indices

    def _imports(self) -> int:
        """How many tokens belong to the imports, which only stand at a file's beginning. Only the library can be had."""
        at = 0
        while at + 1 < len(self.words) and self.words[at] in ("import", "prelude", "module", "public"):
            if self.words[at] == "import":
                at += 1
                if self.words[at].split(".")[0] != LIBRARY:
                    raise BadInput(
                        f"imports {self.words[at]}, but the embedded Lean has only its core library Init; remove the import."
                    )
            at += 1
        return at

    def _is_theorem(self, at: int) -> bool:
        """Whether a token is a theorem's keyword. `lemma` is Mathlib's; to Lean it is a name like any other."""
        if self.words[at] == "lemma":
            return self._is_in_front(at) or self.words[at - 1] in _MODIFIERS | {"]", "in"}
        return self.words[at] == "theorem" and not is_field(self.tokens, at)

    def _is_in_front(self, at: int, most: int | None = None) -> bool:
        """Whether a token is the first in its line, indented by at most so much."""
        indent = self._before(at)
        return not indent.strip() and (most is None or len(indent) <= most)

    def _first(self, at: int, least: int) -> int:
        """The first token of the command with this keyword: modifiers, attributes and `open … in` belong to it."""
        while at > least:
            before = self.words[at - 1]
            if before in _MODIFIERS:
                opening = at - 1
            elif before == "]":
                opening = self._opening(at - 1) - 1
                if not self._is_attributes(opening):
                    break
            elif before == "in":
                commands = (
                    k for k in range(at - 1, least - 1, -1) if self.words[k] in COMMANDS | _PREFIXES | _ONLY_IN_FRONT
                )
                opening = next((k for k in commands if self._is_in_front(k) or self.words[k - 1] == "in"), at)
                if self.words[opening] not in _PREFIXES:
                    break
            else:
                break
            at = opening
        return max(at, least)

    def _opening(self, at: int) -> int:
        """The bracket that the `]` here closes."""
        depth = 0
        for k in range(at, -1, -1):
            depth += (self.words[k] == "]") - (self.words[k] == "[")
            if depth == 0:
                return k
        return 0

    def _is_attributes(self, at: int) -> bool:
        """Whether `@[` is here."""
        return self.words[at : at + 2] == ["@", "["] and self.tokens[at].end == self.tokens[at + 1].start

    def _does_more(self, at: int) -> bool:
        """Whether a token begins an attribute, a definition, or what may be a command although it is indented, as `open Nat` without `in`."""
        line = itertools.takewhile(lambda k: k == at or not self._is_in_front(k), range(at, len(self.words)))
        is_prefix = (
            self.words[at] in _ONLY_IN_FRONT and self._is_in_front(at) and all(self.words[k] != "in" for k in line)
        )
        is_definition = self.words[at] in COMMANDS - _BLOCK and not is_field(self.tokens, at)
        return self._is_attributes(at) or is_prefix or is_definition

    def _end(self, first: int, keyword: int) -> int:
        """The token after the last of the theorem that begins with `first`."""
        indent = len(self._before(first))
        return next((at for at in range(keyword + 1, len(self.words)) if self._is_command(at, indent)), len(self.words))

    def _is_command(self, at: int, indent: int) -> bool:
        if self.words[at] in _ONLY_IN_FRONT or self._is_attributes(at):
            return self._is_in_front(at, most=indent)
        return self._is_theorem(at) or (self.words[at] in COMMANDS and not is_field(self.tokens, at))

    # ---- a theorem's parts

    def _theorem(self, keyword: int, *, is_in_block: bool) -> tuple[str, str, str]:
        first = self._first(keyword, 0)
        end = self._end(first, keyword)
        written = self.words[keyword + 1] if keyword + 1 < end else ""
        statement = self._with_theorem_for_lemma(self.tokens[first].start, self.tokens[end - 1].end)
        proof = _SAME_AS_IN_BLOCK.format(written) if is_in_block else self._proof(keyword, end)
        return written.translate({ord("«"): None, ord("»"): None}) or "theorem", statement, proof

    def _proof(self, keyword: int, end: int) -> str:
        """What follows the statement, in the columns in which it stands; Lean's layout depends on them."""
        depth = definitions = 0
        is_match = False  # whose cases belong to the statement
        for at in range(keyword, end):
            word = self.words[at]
            depth += (word in _OPEN) - (word in _CLOSE)
            if depth:
                continue
            is_assignment = self.words[at : at + 2] == [":", "="]
            if (
                word == "where"
                or (is_assignment and not definitions)
                or (word == "|" and not is_match and self._begins_case(at))
            ):
                return " " * len(self._before(at)) + self.text[self.tokens[at].start : self.tokens[end - 1].end]
            is_match |= word == "with" or self.words[at : at + 2] == ["fun", "|"]
            definitions += word in _LOCAL  # the next `:=`, or `←`, belongs to the statement
            definitions -= bool(definitions) and (is_assignment or word == "←")
        return ""

    def _begins_case(self, at: int) -> bool:
        """Whether a `|` stands for itself, not as part of `||` or `|>`."""
        around = self.text[self.tokens[at].start - 1], self.text[self.tokens[at].end : self.tokens[at].end + 1]
        return around[1] not in ("|", ">") and (self._is_in_front(at) or "".join(around).isspace())

    def _mentions(self, first: int, end: int) -> frozenset[str]:
        names = (t.text for t in self.tokens[first:end] if t.kind is Kind.WORD)
        return frozenset(part.strip("«»") for name in names for part in name.split("."))

    # ---- text

    def _with_theorem_for_lemma(self, start: int, stop: int) -> str:
        pieces, position = [], start
        for token in self.lemmas:
            if start <= token.start < stop:
                pieces += [self.text[position : token.start], "theorem"]
                position = token.end
        return "".join([*pieces, self.text[position:stop]])

    def _before(self, at: int) -> str:
        """What stands before a token in its line."""
        start = self.tokens[at].start
        return self.text[self.text.rfind("\n", 0, start) + 1 : start]

    def _lines(self, start: int, stop: int) -> int:
        return self.text.count("\n", start, stop)

    def _index(self, word: str, start: int) -> int:
        return next((at for at in range(start, len(self.words)) if self.words[at] == word), len(self.words) - 1)
