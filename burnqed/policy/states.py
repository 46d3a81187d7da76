"""How the model is shown a proof state (`policy.states`).

    shown(state, "whole")    as Lean prints it
    shown(state, "brief")    without the names of cases, and each goal but the first without the hypotheses that a goal before it has

Goals of one state mostly share their hypotheses, and a case's name, which tells how a goal came about, precedes them: without both, states of one search
are shorter, and begin alike for longer, so that less of them has to be processed. A goal's own hypotheses and all targets stay.
"""

from __future__ import annotations

import re

from burnqed.config import States
from burnqed.lean.printed import goals, unnamed

_ENTRIES = re.compile(r"\n(?=\S)")
"""Indented lines continue the one before."""


def shown(state: str, states: States) -> str:
    """The text of `state` (`ProofState.text`) in prompts and for embeddings."""
    return brief(state) if states == "brief" else state


def brief(state: str) -> str:
    known: set[str] = set()
    texts = []
    for goal in goals(state):
        *hypotheses, target = _ENTRIES.split(unnamed(goal))
        texts.append("\n".join([*(h for h in hypotheses if h not in known), target]))
        known.update(hypotheses)
    return "\n\n".join(texts) or state
