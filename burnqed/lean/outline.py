"""A Lean text as a sequence of commands, found by words without a Lean at hand.

Most texts need Mathlib, and each another version of it, so no parser of ours can read them all; words that Lean reserves for commands show where
a command begins, and brackets where a proof does. What was cut wrongly does not elaborate: Lean has the last word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from burnqed.lean.lexer import COMMANDS, Kind, Token, is_field, normalised, tokens

THEOREMS = frozenset({"theorem", "lemma", "example"})
MODIFIERS = frozenset({"private", "protected", "public", "noncomputable", "nonrec", "unsafe", "partial", "meta"})
_AT_LINE_START = frozenset({"open", "set_option", "local", "scoped", "alias", "import", "lemma", "@"})
"""Words that are commands where a line begins, and may be something else elsewhere."""
_NOT_A_START = frozenset({"deriving", "public", "meta"})
DATA = frozenset({"def", "abbrev", "instance", "structure", "inductive", "class", "opaque", "axiom"})
_CLOSERS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⦃": "⦄", "⟦": "⟧"}
_BINDS = frozenset({"let", "have", "letI", "haveI", "let_fun"})
"""Words in a statement whose `:=` does not begin the proof."""


class Unreadable(ValueError):
    """Why a text cannot be cut, to be continued after its name."""


@dataclass(frozen=True, slots=True)
class Command:
    keyword: str
    start: int
    end: int
    words: Sequence[Token]


def outline(text: str) -> tuple[str, str, list[Command]]:
    """The text, the same without comments, and its commands."""
    text = normalised(text)
    words, pieces, position = list[Token](), list[str](), 0
    for token in tokens(text):
        if token.kind is Kind.UNFINISHED and not token.text.startswith("/-"):
            raise Unreadable("holds a text in quotes that does not end")
        if token.kind in (Kind.COMMENT, Kind.UNFINISHED):
            pieces += [text[position : token.start], re.sub(r"[^\n]", " ", token.text)]
            position = token.end
        else:
            words.append(token)
    code = "".join([*pieces, text[position:]])
    starts = [at for at in range(len(words)) if _begins(code, words, at)]
    commands: list[Command] = []
    begun: int | None = None
    for start, stop in pairwise([*starts, len(words)]):
        begun = start if begun is None else begun
        keyword = _keyword(words[start:stop])
        if not keyword and stop < len(words):  # only modifiers, or `open … in`: part of the next command
            continue
        commands.append(Command(keyword, words[begun].start, words[stop - 1].end, words[begun:stop]))
        begun = None
    return text, code, commands


def _begins(code: str, words: list[Token], at: int) -> bool:
    word = words[at]
    if word.text in _AT_LINE_START:
        line = code[code.rfind("\n", 0, word.start) + 1 : word.start]
        is_attribute = word.text != "@" or code.startswith("[", word.end)
        return is_attribute and (not line.strip() if word.text in ("@", "import", "lemma") else not line)
    return word.text in COMMANDS and word.text not in _NOT_A_START and not is_field(words, at)


def _keyword(words: Sequence[Token]) -> str:
    """The word that says what a command is; empty where it is only what stands in front of one."""
    after = _after_attributes(words)
    return "" if words[-1].text == "in" or after == len(words) else words[after].text


def _after_attributes(words: Sequence[Token]) -> int:
    at = 0
    while at < len(words) and (words[at].text == "@" or words[at].text in MODIFIERS):
        if words[at].text == "@":
            at, depth = at + 1, 1
            while depth and at + 1 < len(words):
                at += 1
                depth += {"[": 1, "]": -1}.get(words[at].text, 0)
        at += 1
    return at


def keyword_index(command: Command) -> int:
    return next(at for at, word in enumerate(command.words) if word.text in THEOREMS | DATA)


def value_places(code: str, command: Command) -> tuple[int, int]:
    """Where the statement ends, and where the proof begins: after `:=`, or at the cases or fields."""
    words, open_brackets, bound = command.words, list[str](), 0
    has_cases = False  # of its own, in the statement
    for at in range(keyword_index(command) + 1, len(words)):
        word = words[at]
        if word.text in _CLOSERS:
            open_brackets.append(_CLOSERS[word.text])
        elif open_brackets:
            if word.text == open_brackets[-1]:
                open_brackets.pop()
        elif word.text in _BINDS:
            bound += 1
        elif word.text == "match":
            has_cases = True
        elif word.text == ":" and code.startswith("=", word.end):
            if not bound:
                return word.start, word.end + 1
            bound -= 1
        elif word.text == "where" or (word.text == "|" and not has_cases and _is_case(code, word)):
            return word.start, word.start
    return command.end, command.end


def _is_case(code: str, bar: Token) -> bool:
    """Whether a bar begins a line that is a case, as in `| 0 => rfl`."""
    line_start = code.rfind("\n", 0, bar.start) + 1
    line = code[line_start : code.find("\n", bar.end) % (len(code) + 1)]
    return line.lstrip().startswith("|") and "=>" in line
