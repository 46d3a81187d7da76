"""From a theorem as users write it to what Pantograph's REPL is told: a text that ends in `sorry`, and what of the header later tactics need.

The REPL elaborates a header together with its theorem (`frontend.distil`), in a copy of the environment, so headers of different theorems never
meet. What a header declares (notations, definitions, instances) belongs to the proof state from then on. What it opens and sets
belongs to the text and is gone; a tactic is therefore read as `open … in set_option … in TACTIC`.

    stated(Theorem(name="t", statement="theorem t (n : ℕ) : n ! = n", header="import Mathlib\\nopen Nat\\n"), roots)
    # Stated(expression="", text="\\nopen Nat\\n\\ntheorem burnqed_goal (n : ℕ) : n ! = n := sorry\\n", scope="open Nat in\\n", …)
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from burnqed.lean.lexer import Kind, tokens
from burnqed.lean.outline import THEOREMS, Unreadable, keyword_index, outline, value_places
from burnqed.lean.pantograph.scope import inside, local_scope, parts, scope_of, unclosed

GOAL = "burnqed_goal"
"""The name under which a theorem is elaborated: its own may exist in the library."""
LEFT_OPEN = frozenset({"sorry", "sorryAx", "admit", "#exit"})
"""Words with which something other than the proof would be left to prove."""
_IMPORT = re.compile(r"\s*(?:(?:public|meta|private)\s+)*import\s+(?:all\s+)?(\S+)")


@dataclass(frozen=True, slots=True)
class Stated:
    """What the REPL is told."""

    expression: str
    """A closed proposition that needs no header; empty where there is a text."""
    text: str
    """A file that ends with the theorem, its proof left open."""
    scope: str
    """What is put in front of every tactic."""
    namespace: str
    """`open A A.B in`, where the theorem is called `A.B.name`: its text sees these namespaces, if there are such."""


def without_imports(header: str, roots: Container[str]) -> str:
    """The header with blanks for its imports, which come before anything else. Raises Unreadable for a module whose first component is not among `roots`."""
    code = outline(header)[1] if "import" in header else ""
    end = 0
    while found := _IMPORT.match(code, end):
        if found[1].partition(".")[0] not in roots:
            raise Unreadable(f"imports {found[1]}")
        end = found.end()
    return re.sub(r"[^\n]", " ", header[:end]) + header[end:]


def stated(statement: str, header: str) -> Stated:
    """`header` is without imports. Raises Unreadable where the statement is no theorem."""
    _, code, commands = outline(statement)
    words = [token.text for token in tokens(header) if token.kind is not Kind.COMMENT]
    if left := next((word for word in words if word in LEFT_OPEN), ""):
        raise Unreadable(f"has a header that uses {left}")
    if words and words[-1] == "in":
        raise Unreadable("has a header that ends in the middle of a command")
    declared = [command for command in commands if command.keyword in THEOREMS]
    if not declared:
        if commands:
            raise Unreadable(
                f"is the command `{commands[-1].keyword or commands[-1].words[0].text}`, not a theorem or a proposition"
            )
        proposition = _whole(code.strip())
        if not words:
            return Stated(proposition, "", "", "")
        return Stated("", f"{header}\n\ntheorem {GOAL} : (\n{proposition}\n) := sorry\n", scope_of(header), "")
    command = declared[-1]
    end, _ = value_places(code, command)
    at = keyword_index(command)
    keyword, name = command.words[at], command.words[at + 1 : at + 2]
    is_named = keyword.text != "example" and bool(name) and name[0].kind is Kind.WORD
    *parents, _ = parts(name[0].text.removeprefix("_root_.")) if is_named else [""]
    after = name[0].end if is_named else keyword.end
    front, signature = code[: keyword.start], _whole(code[after:end])
    text = f"{header}\n\n{front}theorem {'.'.join([*parents, GOAL])}{signature.rstrip()} := sorry\n"
    return Stated("", text, scope_of(header) + local_scope(front), inside(parents) if parents else "")


def _whole(statement: str) -> str:
    """Raises Unreadable for one that leaves a part of itself open, for which the REPL would ask, too, or that ends before it began."""
    if any(token.text in LEFT_OPEN for token in tokens(statement) if token.kind is Kind.WORD):
        raise Unreadable("uses sorry itself")
    if unclosed(statement):
        raise Unreadable("has brackets that do not match")
    return statement


def flush(tactic: str) -> str:
    """The tactic at the beginning of its line, where the REPL wants it; the lines after the first keep their place relative to it."""
    lines = tactic.strip("\n").rstrip().split("\n")
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    if not all(line.startswith(indent) or not line.strip() for line in lines):
        return "\n".join(lines)  # Lean takes it for an error, too
    return "\n".join(line.removeprefix(indent) for line in lines)
