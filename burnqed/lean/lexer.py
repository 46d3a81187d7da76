"""Reads Lean source as words, comments, strings and symbols, without a Lean at hand.

It knows what can be known from text alone: nested comments, escapes, raw strings, character literals, names in «». It does
not know notations. Decisions about proofs rest on Lean's own parser (`burnqed.lean.check`), which also cuts .lean files
(`burnqed.lean.source`); this is for early refusals, for comparing statements, and for what models reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

_NAME = r"(?:«[^»\n]*»|[^\W\dλΠΣ](?:[^\WλΠΣ]|['!?₀-₉ₐ-ₜᵢ-ᵪ])*)"
_PATTERNS = {
    "space": r"\s+",
    "line_comment": r"--[^\n]*",
    "block_comment": r"/-",
    "raw_string": r'r(?P<hashes>#*)"',
    "interpolated": r'(?:[sfm]|println)!\s*"',
    "word": rf"#?{_NAME}(?:\.{_NAME})*",
    "number": r"\d+",
    "char": r"'(?:\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)|[^\\'])'",
    "string": r'"',
    "symbol": r"(?s:.)",
}
_TOKEN = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _PATTERNS.items()))
_COMMENT_EDGE = re.compile(r"/-|-/")
_STRING_END = re.compile(r'(?s:(?:\\.|[^"\\])*)"')
_INTERPOLATION_EDGE = re.compile(r'(?s:(?:\\.|[^"\\{])*)(["{])')

_DECLARATIONS = "theorem def abbrev example instance axiom opaque inductive coinductive structure class deriving"
_MODIFIERS = "private protected public noncomputable nonrec unsafe partial"
_SCOPES = "namespace section end variable universe export include omit import mutual attribute"
_SYNTAX = "notation infix infixl infixr prefix postfix macro macro_rules syntax elab elab_rules declare_syntax_cat"
_CODE = "initialize builtin_initialize run_cmd run_elab run_meta simproc dsimproc unif_hint binder_predicate"
_HASH = "#eval #eval! #reduce #print #check #check_failure #synth #exit #guard #guard_msgs"
COMMANDS = frozenset(f"{_DECLARATIONS} {_MODIFIERS} {_SCOPES} {_SYNTAX} {_CODE} {_HASH}".split())
"""Words that only commands use. Lean reserves them: no name, tactic or term in a proof can be one of them."""

BRACKETS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩"}
"""Those that tactics and terms use, with what closes each."""


class Kind(StrEnum):
    COMMENT = "comment"
    STRING = "string"
    WORD = "word"
    """An identifier with its dots (`Nat.succ`), a keyword, or a command such as `#eval`."""
    NUMBER = "number"
    """Decimal digits."""
    SYMBOL = "symbol"
    """One character of anything else."""
    UNFINISHED = "unfinished"
    """A comment or string that never ends, up to the end of the text."""


_KINDS: dict[str | None, Kind] = {
    "line_comment": Kind.COMMENT,
    "block_comment": Kind.COMMENT,
    "raw_string": Kind.STRING,
    "interpolated": Kind.STRING,
    "string": Kind.STRING,
    "char": Kind.STRING,
    "word": Kind.WORD,
    "number": Kind.NUMBER,
    "symbol": Kind.SYMBOL,
}
"""By the pattern that a token begins with."""


class Token(NamedTuple):
    kind: Kind
    text: str
    start: int
    """Position of the first character."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def normalised(text: str) -> str:
    """The text without a byte order mark in front, its lines ended by LF: as Lean reads a file."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def tokens(source: str) -> Iterator[Token]:
    """The tokens of a text in order, without the space between them."""
    position = 0
    while position < len(source):
        match = _TOKEN.match(source, position)
        assert match is not None, "the last pattern matches anything"
        if match.lastgroup == "space":
            position = match.end()
            continue
        end = _end(source, match)
        if end is None:
            yield Token(Kind.UNFINISHED, source[position:], position)
            return
        yield Token(_KINDS[match.lastgroup], source[position:end], position)
        position = end


def is_field(sequence: Sequence[Token], index: int) -> bool:
    """Whether a token is the field in `(e).prefix`, or a name as in ``` `prefix ```: these may be called anything."""
    return index > 0 and sequence[index - 1].text in (".", "`") and sequence[index - 1].end == sequence[index].start


def _end(source: str, match: re.Match[str]) -> int | None:
    """Where the token that begins with the match ends; None when it never does."""
    match match.lastgroup:
        case "block_comment":
            return _end_of_comment(source, match.end())
        case "raw_string":
            close = source.find('"' + match["hashes"], match.end())
            return None if close < 0 else close + 1 + len(match["hashes"])
        case "interpolated":
            return _end_of_interpolated(source, match.end())
        case "string":
            text_end = _STRING_END.match(source, match.end())
            return text_end.end() if text_end else None
    return match.end()


def _end_of_comment(source: str, position: int) -> int | None:
    depth = 1
    while depth:
        edge = _COMMENT_EDGE.search(source, position)
        if edge is None:
            return None
        depth += 1 if edge[0] == "/-" else -1
        position = edge.end()
    return position


def _end_of_interpolated(source: str, position: int) -> int | None:
    """End of `s!"… {term} …"`, whose terms may hold texts of their own, interpolated or not."""
    is_in_text, brackets = True, list[int]()  # open ones of each term that is not at its end, the innermost last
    while is_in_text or brackets:
        if is_in_text:
            edge = _INTERPOLATION_EDGE.match(source, position)
            if edge is None:
                return None
            position, is_in_text = edge.end(), False
            if edge[1] == "{":
                brackets.append(1)
            continue
        match = _TOKEN.match(source, position)
        if match is None:
            return None
        is_in_text = match.lastgroup == "interpolated"
        end = match.end() if is_in_text else _end(source, match)
        if end is None:
            return None
        position = end
        brackets[-1] += {"{": 1, "}": -1}.get(match[0], 0)
        if not brackets[-1]:
            brackets.pop()
            is_in_text = True
    return position
