"""Reads whole proofs from a file: a JSON list of {name, statement, proof, header?}, or Lean source.

In Lean source (`*.lean`), each `theorem` or `lemma` is one proof to check. What stands before it and is no theorem is its header, in
the file's order; earlier theorems are part of the header when it uses their names (directly, or through another that it uses) or when
they carry an attribute, as `@[simp]`. A file that begins with a theorem gets the backend's default header.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from burnqed.errors import BadInput
from burnqed.lean.lexer import COMMANDS, Kind, Token, is_field, tokens
from burnqed.lean.protocol import Theorem

SHAPE = "a JSON list of {name, statement, proof, header?}"
LIBRARY = frozenset({"Init"})
"""Modules that need no import."""

_PREFIXES = frozenset({"open", "set_option", "omit", "include", "variable"})
"""Begin `… in theorem …`; otherwise they are commands of their own."""
_MODIFIERS = frozenset({"private", "protected", "public", "noncomputable", "nonrec"})
_ONLY_IN_FRONT = frozenset({"open", "set_option", "local", "scoped", "lemma", "@"})
"""Begin a command when they begin a line; elsewhere they belong to a tactic or term."""
_LOCAL = frozenset({"let", "have", "letI", "haveI"})
_OPEN, _CLOSE = frozenset("([{⟨⟦⦃"), frozenset(")]}⟩⟧⦄")


@dataclass(frozen=True, slots=True)
class ProofToCheck:
    theorem: Theorem
    proof: str
    """The tactic block after `by`."""


def read_proofs(path: Path) -> list[ProofToCheck]:
    """The proofs in a file, in its order. Raises BadInput when it cannot be read as one of the two forms."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"Cannot read {path}: {error}; give {SHAPE}, or a .lean file.") from None
    proofs = _from_lean(path, text) if path.suffix == ".lean" else _from_json(path, text)
    if not proofs:
        raise BadInput(f"{path} holds no proofs; give {SHAPE}, or a .lean file with theorems.")
    return proofs


# ---- JSON


def _from_json(path: Path, text: str) -> list[ProofToCheck]:
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"{path} is not JSON (line {error.lineno}, column {error.colno}: {error.msg}); give {SHAPE}."
        ) from None
    if not isinstance(entries, list):
        raise BadInput(f"{path} holds {_shape(entries)}; give {SHAPE}.")
    return [_entry(path, number, entry) for number, entry in enumerate(entries, start=1)]


def _entry(path: Path, number: int, entry: Any) -> ProofToCheck:
    if not isinstance(entry, dict):
        raise BadInput(f"Entry {number} of {path} is {_shape(entry)}; give {SHAPE}.")
    called = f" ({entry['name']})" if isinstance(entry.get("name"), str) else ""
    for key in ("name", "statement", "proof"):
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            wrong = f"has {_shape(entry[key])} as `{key}`" if key in entry else f"has no `{key}`"
            raise BadInput(f"Entry {number}{called} of {path} {wrong}; give {SHAPE}, all of them text.")
    if not isinstance(entry.get("header"), str | None):
        raise BadInput(
            f"Entry {number}{called} of {path} has {_shape(entry['header'])} as `header`; give text, or leave it out."
        )
    theorem = Theorem(name=entry["name"], statement=entry["statement"], header=entry.get("header"))
    return ProofToCheck(theorem, _tactics(entry["proof"]))


def _tactics(proof: str) -> str:
    """A proof without `:=` and `by` in front, which no block of tactics begins with."""
    return re.sub(r"\A\s*(:=\s*)?by\b[ \t]*\n?", "", proof)


def _shape(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case str():
            return "a text" if value.strip() else "an empty text"
        case list():
            return "a list"
        case dict():
            return "an object"
    return f"{value!r}"


# ---- Lean source


@dataclass(frozen=True, slots=True)
class _Part:
    """A theorem of a file, or the commands in front of one."""

    text: str
    name: str = ""
    """Of the theorem; empty for commands."""
    proof: str = ""
    mentions: frozenset[str] = frozenset()
    """Last components of the names that occur in the theorem."""
    has_attributes: bool = False


def _from_lean(path: Path, text: str) -> list[ProofToCheck]:
    parts = list(_parts(path, _without_imports(path, text.replace("\r\n", "\n"))))
    proofs = []
    for index, part in enumerate(parts):
        if part.name:
            used = _used(parts[:index], part)
            # What is left out leaves its lines, so that Lean's line numbers are those of the file.
            kept = (p.text if not p.name or p in used else "\n" * p.text.count("\n") for p in parts[:index])
            header = "".join(kept).rstrip()
            theorem = Theorem(name=part.name, statement=part.text.strip(), header=header + "\n" if header else None)
            proofs.append(ProofToCheck(theorem, part.proof))
    return proofs


def _used(earlier: list[_Part], part: _Part) -> list[_Part]:
    """The theorems among `earlier` that `part` needs."""
    used, mentions = [], set(part.mentions)
    for candidate in reversed(earlier):
        if candidate.name and (candidate.has_attributes or candidate.name.rpartition(".")[2] in mentions):
            used.append(candidate)
            mentions |= candidate.mentions
    return used


def _without_imports(path: Path, text: str) -> str:
    """The text with imports of the library blanked out; other modules cannot be had."""
    for line in re.findall(r"^import .*$", text, re.MULTILINE):
        if missing := set(line.split()[1:]) - LIBRARY:
            raise BadInput(
                f"{path} imports {', '.join(sorted(missing))}, but the embedded Lean has only its core library Init; "
                "remove the import."
            )
    return re.sub(r"^import .*$", "", text, flags=re.MULTILINE)


def _parts(path: Path, text: str) -> Iterator[_Part]:
    found = [token for token in tokens(text) if token.kind is not Kind.COMMENT]
    if found and found[-1].kind is Kind.UNFINISHED:
        line = text.count("\n", 0, found[-1].start) + 1
        raise BadInput(f"{path} has a comment or text that begins in line {line} and never ends.")
    position = index = 0  # of the first character and token that belong to no part yet
    for keyword, token in enumerate(found):
        if keyword < index or not (
            token.text == "theorem" or (token.text == "lemma" and _is_command(text, found, keyword))
        ):
            continue
        first, end = _first(found, keyword), keyword + 1
        while end < len(found) and not _is_command(text, found, end):
            end += 1
        start, stop = found[first].start, found[end - 1].end
        # Comments in front of a theorem go: one that documents it could not stand at the end of a header.
        commands = text[position : found[first - 1].end] if first > index else ""
        yield _Part(commands + "\n" * text.count("\n", position + len(commands), start))
        yield _theorem(text[start:stop], found[keyword:end], start, has_attributes=found[first].text == "@")
        position, index = stop, end


def _is_command(text: str, found: list[Token], index: int) -> bool:
    """Whether a command, or a modifier in front of one, begins with a token."""
    token, before = found[index], found[index - 1].text if index else ""
    if token.text in _ONLY_IN_FRONT:
        is_in_front = text.rfind("\n", 0, token.start) + 1 == token.start
        return is_in_front or (token.text == "lemma" and before in _MODIFIERS | {"]", "in"})
    return token.text in COMMANDS and not is_field(found, index)


def _first(found: list[Token], index: int) -> int:
    """Index of the first token of a theorem's command: modifiers, attributes and `open … in` belong to it."""
    while index > 0:
        before, opening = found[index - 1].text, -1
        if before in _MODIFIERS:
            opening = index - 1
        elif before == "]":
            opening = _attributes(found, index - 1)
        elif before == "in":
            opening = next((at for at in range(index - 2, -1, -1) if found[at].text in _PREFIXES), -1)
        if opening < 0:
            break
        index = opening
    return index


def _attributes(found: list[Token], index: int) -> int:
    """Index of the `@` of the `@[…]` that ends at `index`; -1 when the bracket is none of attributes."""
    depth = 0
    for at in range(index, 0, -1):
        depth += (found[at].text == "]") - (found[at].text == "[")
        if depth == 0:
            return at - 1 if found[at - 1].text == "@" and found[at - 1].end == found[at].start else -1
    return -1


def _theorem(text: str, words: list[Token], start: int, has_attributes: bool) -> _Part:
    """A theorem from its command's text, which begins at `start` in the file, and its tokens from `theorem` on."""
    mentions = frozenset(word.text.rpartition(".")[2] for word in words[2:] if word.kind is Kind.WORD)
    name = re.sub("[«»]", "", words[1].text) if len(words) > 1 else "theorem"
    keyword = slice(words[0].start - start, words[0].end - start)
    as_theorem = f"{text[: keyword.start]}theorem{text[keyword.stop :]}"  # `lemma` is Mathlib's
    return _Part(as_theorem, name, _proof(text, words, start), mentions, has_attributes)


def _proof(text: str, words: list[Token], start: int) -> str:
    """The proof as a block of tactics: a term becomes `exact term`, cases become `exact fun cases`."""
    depth = definitions = 0
    for word, after in pairwise(words):
        depth += (word.text in _OPEN) - (word.text in _CLOSE)
        if depth:
            continue
        definitions += word.text in _LOCAL  # the next `:=` belongs to the statement
        if word.text + after.text == ":=" and definitions:
            definitions -= 1
        elif word.text + after.text == ":=":
            body = text[after.end - start :]
            tactics = _tactics(body)
            return tactics if tactics != body else f"exact{body}"
        elif after.text == "|" and "\n" in text[word.end - start : after.start - start]:
            return f"exact fun\n{text[after.start - start :]}"
    return ""
