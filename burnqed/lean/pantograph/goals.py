"""A goal as Lean prints it, from the parts that Pantograph gives (Lean.Meta.ppGoal).

case succ
n m : Nat
h : n = m
⊢ n + 1 = m + 1

What does not fit a line begins on one of its own, as in Lean; where Lean breaks it after that may differ, because the REPL printed it by itself.
"""

from __future__ import annotations

from itertools import groupby

from burnqed.lean.pantograph.wire import Goal, Variable

WIDTH = 120
"""Std.Format.defWidth."""
INDENT = "  "
PREFIXES = {"conv": "| "}
"""In front of the target, by fragment."""
MACRO_SCOPES = "._@"


def text(goal: Goal) -> str:
    """Variables of equal types that follow each other share a line."""
    case = goal.user_name.partition(MACRO_SCOPES)[0]
    lines = [f"case {case}"] if case else []
    for printed, variables in groupby(goal.vars, _type):
        names = " ".join(variable.user_name for variable in variables)
        lines.append(_declared(names, printed))
    lines.append(PREFIXES.get(goal.fragment, "⊢ ") + goal.target.pp.replace("\n", "\n" + INDENT))
    return "\n".join(lines)


def _type(variable: Variable) -> str:
    return variable.type.pp if variable.type else ""


def _declared(names: str, printed: str) -> str:
    if not printed:  # the REPL was told not to repeat it
        return names
    line = f"{names} : {printed}"
    if "\n" not in printed and len(line) <= WIDTH:
        return line
    return f"{names} :\n{INDENT}" + printed.replace("\n", "\n" + INDENT)
