"""A proof state as Lean prints it: its goals, and what stands before them."""

from __future__ import annotations

import re


def goals(state: str) -> list[str]:
    """The goals of a state, main goal first; none of `no goals`."""
    if not state.strip() or state.strip() == "no goals":
        return []
    return [goal for goal in re.split(r"\n\s*\n", state.strip()) if goal.strip()]


def unnamed(goal: str) -> str:
    """A goal without the name of its case."""
    return re.sub(r"\Acase \S+\n", "", goal.lstrip())
