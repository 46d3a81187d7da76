"""Reads Lean source as words, comments, strings and symbols, without a Lean at hand.

It knows what can be known from text alone: nested comments, escapes, raw strings, character literals, names in «». It does
not know notations. Decisions about proofs rest on Lean's own parser (`burnqed.lean.check`), which also cuts .lean files
(`burnqed.lean.source`); this is for early refusals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_NAME = r"(?:«[^»\n]*»|[^\W\dλΠΣ](?:[^\WλΠΣ]|['!?₀-₉ₐ-ₜᵢ-ᵪ])*)"
_PATTERNS = {
    "space": r"\s+",
    "line_comment": r"--[^\n]*",
    "block_comment": r"/-",
    "raw_string": r'r(?P<hashes>#*)"',
    "interpolated": r'(?:[sfm]|println)!\s*"',
    "word": rf"#?{_NAME}(?:\.{_NAME})*",
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


class Kind(StrEnum):
    COMMENT = "comment"
    STRING = "string"
    WORD = "word"
    """An identifier with its dots (`Nat.succ`), a keyword, or a command such as `#eval`."""
    SYMBOL = "symbol"
    """One character of anything else."""
    UNFINISHED = "unfinished"
    """A comment or string that never ends, up to the end of the text."""


@dataclass(frozen=True, slots=True)
class Token:
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
        kind, end = _measure(source, match)
        if end is None:
            yield Token(Kind.UNFINISHED, source[position:], position)
            return
        if kind is not None:
            yield Token(kind, source[position:end], position)
        position = end


def is_field(found: Sequence[Token], index: int) -> bool:
    """Whether a token is the field in `(e).prefix`, or a name as in ``` `prefix ```: these may be called anything."""
    return index > 0 and found[index - 1].text in (".", "`") and found[index - 1].end == found[index].start


def _measure(source: str, match: re.Match[str]) -> tuple[Kind | None, int | None]:
    """Kind (None for space) and end (None when it never ends) of the token that begins with the match."""
    match match.lastgroup if match["raw_string"] is None else "raw_string":
        case "space":
            return None, match.end()
        case "line_comment":
            return Kind.COMMENT, match.end()
        case "block_comment":
            return Kind.COMMENT, _end_of_comment(source, match.end())
        case "raw_string":
            close = source.find('"' + match["hashes"], match.end())
            return Kind.STRING, None if close < 0 else close + 1 + len(match["hashes"])
        case "interpolated":
            return Kind.STRING, _end_of_interpolated(source, match.end())
        case "string":
            close_match = _STRING_END.match(source, match.end())
            return Kind.STRING, close_match.end() if close_match else None
        case "char":
            return Kind.STRING, match.end()
        case "word":
            return Kind.WORD, match.end()
    return Kind.SYMBOL, match.end()


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
        end = match.end() if is_in_text else _measure(source, match)[1]
        if end is None:
            return None
        position = end
        brackets[-1] += {"{": 1, "}": -1}.get(match[0], 0)
        if not brackets[-1]:
            brackets.pop()
            is_in_text = True
    return position
