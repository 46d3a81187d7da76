"""What of a text holds for what comes after it: the namespaces that it opens and the options that it sets, as its words say.

scope_of("open Nat\\nsection\\nopen List\\nend\\n")      # open Nat in⏎
local_scope("open Nat in\\ntheorem …")                 # open Nat in⏎
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from burnqed.lean.lexer import BRACKETS, COMMANDS, Kind, Token, tokens

CLAUSES = frozenset({"open", "set_option"})
_ENDS = COMMANDS | CLAUSES | {"local", "scoped", "alias", "lemma", "@", "in"}
"""What cannot be part of an `open` that has begun."""
_PART = re.compile(r"(?:«[^»]*»|[^.«»])+")


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    is_local: bool
    """It ends with `in`, and holds for what follows it alone."""


def parts(name: str) -> list[str]:
    """Of a name; dots within «» are none of its."""
    return _PART.findall(name)


def scope_of(header: str) -> str:
    """What is put in front of a tactic after a header: each `open` and `set_option` of the sections and namespaces that are not ended."""
    scopes: list[list[str]] = [[]]
    namespace: list[list[str]] = [[]]
    """The present one at each scope."""
    words = _words(header)
    at = 0
    while at < len(words):
        word, name = words[at].text, words[at + 1 : at + 2]
        is_named = bool(name) and name[0].kind is Kind.WORD and name[0].text not in _ENDS
        if word in CLAUSES:
            clause, at = _clause(header, words, at)
            if not clause.is_local:
                scopes[-1].append(clause.text)
            elif at < len(words) and words[at].text in CLAUSES:  # `open A in open B`
                _, at = _clause(header, words, at)
            continue
        if word in ("namespace", "section"):
            for part in parts(name[0].text) if is_named else [""]:
                inner = [*namespace[-1], part] if word == "namespace" else namespace[-1]
                namespace.append(inner)
                scopes.append([f"open {'.'.join(inner)} in\n"] if word == "namespace" else [])
        elif word == "mutual":
            namespace.append(namespace[-1])
            scopes.append([])
        elif word == "end":
            for _ in parts(name[0].text) if is_named else [""]:
                if len(scopes) > 1:
                    scopes.pop()
                    namespace.pop()
        at += 1
    return "".join(part for scope in scopes for part in scope)


def local_scope(front: str) -> str:
    """What is in force where a declaration begins, of what is written in front of it: `open … in`."""
    words = _words(front)
    found = (_clause(front, words, at)[0] for at, word in enumerate(words) if word.text in CLAUSES)
    return "".join(clause.text for clause in found if clause.is_local)


def inside(name: Sequence[str]) -> str:
    """What makes a tactic see what it would see in `namespace NAME`, given by its parts."""
    return f"open {' '.join('.'.join(name[: count + 1]) for count in range(len(name)))} in\n"


def _clause(text: str, words: Sequence[Token], at: int) -> tuple[_Clause, int]:
    """The clause that begins at a word, and the number of the word after it."""
    end = at + 1 + (words[at].text == "open" and at + 1 < len(words) and words[at + 1].text == "scoped")
    if words[at].text == "set_option":
        end = min(at + 3, len(words))
    while words[at].text == "open" and end < len(words) and words[end].text not in _ENDS and words[end].text[0] != "#":
        end += 1
    is_local = end < len(words) and words[end].text == "in"
    written = " ".join(text[words[at].start : words[end - 1].end].split())
    return _Clause(f"{written} in\n", is_local), end + is_local


def _words(text: str) -> list[Token]:
    return [token for token in tokens(text) if token.kind is not Kind.COMMENT]


def unclosed(text: str) -> bool:
    """Whether brackets do not match."""
    waiting = list[str]()
    for word in _words(text):
        if word.text in BRACKETS:
            waiting.append(BRACKETS[word.text])
        elif word.text in BRACKETS.values() and (not waiting or waiting.pop() != word.text):
            return True
    return bool(waiting)
