"""What Pantograph's `frontend.process` writes with `invocations`: every tactic that Lean ran for a command, those inside others too, without positions.

    atomic([Invocation(goalBefore="⊢ 2 = 2", goalAfter="", tactic="rfl"), …])      # steps, and what was left out

An invocation precedes those inside it. Combinators that only order others (`<;>`, `·`, parentheses) are not in the list; their parts are, once for every
goal. Kept are invocations with no other inside: `have h : p := by simp` is left out for its `simp`, `first | a | b` for a and b, `induction` with
cases for the steps of the cases. Which are inside which, their texts say. A misreading changes only which of Lean's steps are kept, for each is one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from burnqed.data.trace.steps import LeftOut, Step

_COMBINATOR = re.compile(
    r"(?:first|try|repeat1?'?|iterate|all_goals|any_goals|focus|solve|on_goal|pick_goal|case'?|next|fail_if_success|success_if_fail_with_msg|"
    r"set_option|open|\(|\{|·)(?![\w'])",
)
"""How a tactic begins that runs what follows in it."""
_BY = re.compile(r"(?<![\w.'])by\s*\Z")
_BEGINS_A_STEP = re.compile(r"(?:\n|;|·|\|[^|]*=>)\s*\Z")
"""What stands in front of a step, in tactics that are no combinators."""


class Invocation(BaseModel):
    """A tactic that Lean ran."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    goalBefore: str
    goalAfter: str
    tactic: str
    usedConstants: list[str] = []


class InvokedUnit(BaseModel):
    """Of one command of a file."""

    model_config = ConfigDict(extra="ignore")

    invocations: list[Invocation]


class Invocations(BaseModel):
    """The file that is written."""

    model_config = ConfigDict(extra="ignore")

    units: list[InvokedUnit]


def atomic(invocations: Sequence[Invocation]) -> tuple[list[Step], Counter[LeftOut]]:
    """The invocations that hold no others, in their order, and how many were left out."""
    left_out, structures, pieces = Counter[LeftOut](), set[int](), set[int]()
    around: list[int] = []
    """Those that the next one may be inside of, the outermost first."""
    for at, invocation in enumerate(invocations):
        if "⊢" not in invocation.goalBefore:  # a position in a `conv`, which stays one step, or the steps of a `calc`
            continue
        while around and (place := _place(invocation.tactic, invocations[around[-1]].tactic)) is None:
            around.pop()
        if around and place is LeftOut.PIECE:
            pieces.add(at)
            continue
        structures.update(around[-1:])
        around.append(at)
    left_out[LeftOut.STRUCTURE], left_out[LeftOut.PIECE] = len(structures), len(pieces)
    kept = [invocation for at, invocation in enumerate(invocations) if at not in structures | pieces]
    return [Step(separated(i.goalBefore), i.tactic, separated(i.goalAfter)) for i in kept], +left_out


def _place(inner: str, outer: str) -> LeftOut | None:
    """As what the text of a tactic is inside another's: a step of a structure, a piece such as a rule of `rw`, or not at all (None)."""
    words = r"\s+".join(map(re.escape, inner.split()))
    runs_others = _COMBINATOR.match(outer)
    for found in re.finditer(rf"(?<![\w.']){words}(?![\w'])", outer) if words else ():
        before = outer[: found.start()]
        if found.start() == 0:
            continue
        if _BY.search(before):
            return LeftOut.STRUCTURE
        if before.count("[") > before.count("]"):
            return LeftOut.PIECE
        if runs_others or _BEGINS_A_STEP.search(before):
            return LeftOut.STRUCTURE
    return None


def separated(goals: str) -> str:
    """Goals that stand one below the other, with an empty line between them: whatever follows a target without being indented begins the next."""
    lines, has_target = list[str](), False
    for line in goals.split("\n"):
        if has_target and line.strip() and not line[0].isspace():
            has_target = False
            lines.append("")
        has_target = has_target or line.startswith("⊢")
        if line.strip():
            lines.append(line)
    return "\n".join(lines)
