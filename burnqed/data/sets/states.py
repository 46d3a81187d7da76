"""Proof states as text, read back: a goal as Lean prints it is the closed proposition whose variables are its hypotheses.

    proposition("n : ℕ\\nh : n = 0\\n⊢ 0 + n = 0")
    # Stated(statement="∀ (n : ℕ) (h : n = 0), 0 + n = 0", names=("n", "h"))

What Lean prints is not always what it reads (coercions, implicit arguments, `…` for what is too long), so a goal that was read back need not be
the same; that is for Lean to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from burnqed.lean.printed import goals, unnamed

_HYPOTHESIS = re.compile(r"((?:[^\s:()\[\]{}⊢]+ )+):\s(.*)", re.DOTALL)
_INACCESSIBLE = re.compile(r"([\w'«»!?₀-₉]*)✝([⁰¹²³⁴-⁹]*)")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


@dataclass(frozen=True, slots=True)
class Stated:
    """A goal as a theorem."""

    statement: str
    names: tuple[str, ...]
    """Its hypotheses, in order: after `intro` of these the goal is the printed one. `_` for an instance."""


def normal(state: str) -> str:
    """A state as it is compared: without the names of cases, with single spaces, however lines are broken."""
    return "\n\n".join(" ".join(unnamed(goal).split()) for goal in goals(state))


def proposition(state: str) -> Stated | None:
    """The first goal as a closed proposition; None where the text is no goal."""
    first = next(iter(goals(state)), "")
    entries, target = _entries(first)
    if target is None:
        return None
    pieces, names = list[str](), list[str]()
    for entry in entries:
        matched = _HYPOTHESIS.fullmatch(entry)
        if matched is None:
            return None
        written, kind = matched[1].split(), matched[2].strip()
        if all(name.startswith("inst✝") for name in written):
            pieces += [f"∀ [{kind}], "] * len(written)
            names += ["_"] * len(written)
            continue
        if len(written) == 1 and (value := re.search(r"(?<!\S):= ", kind)):
            pieces.append(f"let {written[0]} : {kind[: value.start()].strip()} := {kind[value.end() :]}; ")
        else:
            pieces.append(f"∀ ({' '.join(written)} : {kind}), ")
        names += written
    accessible = {name: _accessible(name) for name in names if "✝" in name}
    statement = _INACCESSIBLE.sub(lambda m: accessible.get(m[0], _accessible(m[0])), "".join(pieces) + target)
    return Stated(statement, tuple(accessible.get(name, name) for name in names))


def _accessible(name: str) -> str:
    matched = _INACCESSIBLE.fullmatch(name)
    if matched is None:
        return name
    return f"{matched[1] or 'x'}_{int(matched[2].translate(_SUPERSCRIPTS) or 0) + 1}"


def _entries(goal: str) -> tuple[list[str], str | None]:
    """Hypotheses, and what follows `⊢`; indented lines continue the one before."""
    entries, target = list[str](), None
    for line in goal.split("\n"):
        if target is not None:
            target += "\n" + line
        elif line.startswith("⊢"):
            target = line.removeprefix("⊢").strip()
        elif line.startswith((" ", "\t")) and entries:
            entries[-1] += "\n" + line
        elif line.strip() and not line.startswith("case "):
            entries.append(line)
    return entries, target
