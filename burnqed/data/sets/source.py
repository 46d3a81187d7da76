"""Lean text of data sets, cut into header, statement and proof without a Lean at hand.

Most data sets need Mathlib, and each another version of it, so no parser of ours can read them all; words that Lean reserves for commands show
where a theorem begins, and its brackets where its proof does. What was cut wrongly does not elaborate: Lean has the last word
(`burnqed.data.importing`, `burnqed.data.sets.migrate`).

    cut("import Mathlib\\n\\ntheorem two : 1 + 1 = 2 := by\\n  rfl")
    # [Cut(header="import Mathlib\\n", name="two", statement="theorem two : 1 + 1 = 2", proof="by\\n  rfl")]
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from burnqed.lean.lexer import Kind, is_field, tokens
from burnqed.lean.outline import DATA, THEOREMS, Command, Unreadable, keyword_index, outline, value_places
from burnqed.policy.prompt import blank_comments

_ENDING = re.compile(r"(?::=\s*)?(?::=|:=\s*by|:=\s*sorry|:=\s*by\s+sorry)\s*\Z")
_ANSWER = re.compile(r"(:=\s*)sorry[ \t]*\n[ \t]*--[ \t]*(\S[^\n]*)")
_SORRY = re.compile(r"(?<![\w.'])(?:sorry|sorryAx)(?![\w'])")


@dataclass(frozen=True, slots=True)
class Cut:
    """One theorem of a text."""

    header: str
    """Commands before it without comments, each on its lines; empty, or ended by a line break."""
    name: str
    """As written; empty for an `example` and for a closed proposition."""
    statement: str
    """Up to its proof, without comments and without `:=`."""
    proof: str
    """What follows `:=`, as written; cases with their `|`. Empty where there is none."""
    answers: int = 0
    """Definitions of the header that were left open with their value in a comment, which was put in."""

    @property
    def has_hole(self) -> bool:
        """Whether a definition of the header is left open, so that the statement says nothing definite."""
        return _SORRY.search(self.header) is not None


def cut(text: str) -> list[Cut]:
    """Every theorem of a file: each with the commands before it, but only those earlier theorems that these or it mention. Raises Unreadable."""
    text, code, commands = outline(text)
    found = [_cut(text, code, commands, at, only_needed=True) for at, c in enumerate(commands) if c.keyword in THEOREMS]
    if not found:
        raise Unreadable("holds no theorem, lemma or example")
    return found


def cut_last(text: str, name: str = "") -> Cut:
    """The theorem that a row is about: the one called `name`, else the last; helpers before it are part of the header. A text without any
    declaration is a closed proposition. Raises Unreadable."""
    text, code, commands = outline(text)
    theorems = [at for at, c in enumerate(commands) if c.keyword in THEOREMS]
    if not theorems:
        if commands and commands[-1].keyword in DATA:
            raise Unreadable(
                f"is {'an' if commands[-1].keyword[0] in 'aio' else 'a'} `{commands[-1].keyword}`, not a theorem"
            )
        if commands or not code.strip():
            raise Unreadable("holds no statement")
        return Cut("", "", _squeezed(_ENDING.sub("", code)), "")
    named = [at for at in theorems if name and _name(commands[at]) == name]
    return _cut(text, code, commands, (named or theorems)[-1], only_needed=False)


def assembled(header: str | None, statement: str, proof: str | None) -> str:
    """The whole text of a row that has its parts in columns of their own. A proof may be tactics alone, begin with `by` or `:=`, or hold the theorem once more."""
    front = f"{header.rstrip()}\n\n" if header and header.strip() else ""
    if proof is None:
        return front + statement
    if any(word.text in THEOREMS and not is_field([word], 0) for word in tokens(proof)):
        return proof if "import" in proof else front + proof
    open_end = re.search(r":=\s*(by)?\s*\Z", blank_comments(statement))
    if open_end and not re.match(r"\s*(?::=|by\b)", proof):
        is_joined = proof.startswith("\n") or "\n" in statement[open_end.start() :]
        gap = "" if is_joined else " " if not open_end[1] else "\n" if proof[:1].isspace() else "\n  "
        return f"{front}{statement}{gap}{proof}"
    bare = _ENDING.sub("", statement).rstrip()
    if re.match(r"\s*(?::=|\||where\b)", proof):
        return f"{front}{bare} {proof.lstrip()}" if re.match(r"\s*:=", proof) else f"{front}{bare}\n{proof}"
    return (
        f"{front}{bare} := {proof.lstrip()}"
        if re.match(r"\s*by\b", proof)
        else f"{front}{bare} := by\n  {proof.strip()}"
    )


def is_term(proof: str) -> bool:
    """Whether a proof is a term: neither a block of tactics, nor cases, nor fields."""
    return re.match(r"\s*(?::=\s*)?(?:by\b|\||where\b)", proof) is None


# ---- one theorem


def _name(command: Command) -> str:
    at = keyword_index(command) + 1
    is_named = command.keyword != "example" and at < len(command.words) and command.words[at].kind is Kind.WORD
    return command.words[at].text if is_named else ""


def _cut(text: str, code: str, commands: list[Command], at: int, *, only_needed: bool) -> Cut:
    command = commands[at]
    header, answers = _header(text, code, commands, at, only_needed=only_needed)
    value, proof = value_places(code, command)
    return Cut(
        header, _name(command), _squeezed(code[command.start : value]), _proof(text, code, proof, command.end), answers
    )


def _header(text: str, code: str, commands: list[Command], at: int, *, only_needed: bool) -> tuple[str, int]:
    kept = _needed(commands, at) if only_needed else set(range(at))
    pieces, answers = [], 0
    for index in sorted(kept):
        command, after = commands[index], commands[index + 1].start
        written = text[command.start : after]
        answer = _ANSWER.search(written) if command.keyword not in THEOREMS else None
        if answer and _SORRY.search(code[command.start : command.end]):
            answers += 1
            pieces.append(f"{written[: answer.start()]}{answer[1]}{answer[2]}")
        else:
            pieces.append(code[command.start : command.end])
    return "".join(f"{_squeezed(piece)}\n" for piece in pieces), answers


def _needed(commands: list[Command], at: int) -> set[int]:
    """The commands before one that its header keeps: all but theorems, and definitions without a value, that nothing kept mentions."""
    kept, mentioned = set[int](), _components(commands[at])
    for index in reversed(range(at)):
        command = commands[index]
        # what is left open is somebody's exercise, unless it is spoken of
        is_optional = command.keyword in THEOREMS or (
            command.keyword in DATA and _name(command) and command.words[-1].text == "sorry"
        )
        if not is_optional or _name(command).rpartition(".")[2] in mentioned - {""}:
            kept.add(index)
            mentioned |= _components(command)
    return kept


def _components(command: Command) -> set[str]:
    """Of the names in a command."""
    return {part for word in command.words if word.kind is Kind.WORD for part in word.text.split(".")}


def _proof(text: str, code: str, start: int, end: int) -> str:
    if code[start:end].strip() in ("", "by"):
        return ""
    skipped = len(code[start:end]) - len(code[start:end].lstrip())
    proof = text[start + skipped : end].rstrip()
    first = code[start + skipped : end].partition("\n")[0].strip()
    if "\n" in proof and first != "by":  # Lean's layout depends on the columns
        column = start + skipped - (text.rfind("\n", 0, start + skipped) + 1)
        return " " * column + proof
    return proof


def _squeezed(text: str) -> str:
    """Without empty lines and spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.strip().split("\n") if line.strip())
