"""Families of generated statements: each template writes one statement from a source of randomness, or returns None.

A template draws numbers, shapes and spellings; what it states is true by construction or holds for the first few numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from burnqed.data.families import (
    choices,
    compositions,
    functions,
    inductions,
    inequalities,
    lists,
    logic,
    recurrences,
    residues,
    systems,
    witnesses,
)

Template = Callable[[Random], str | None]

FAMILIES: dict[str, tuple[int, tuple[Template, ...]]] = {
    "recurrence": (18, recurrences.TEMPLATES),
    "system": (15, systems.TEMPLATES),
    "residue": (16, residues.TEMPLATES),
    "witness": (11, witnesses.TEMPLATES),
    "inequality": (12, inequalities.TEMPLATES),
    "list": (10, lists.TEMPLATES),
    "logic": (3, logic.TEMPLATES),
    "function": (7, functions.TEMPLATES),
    "choice": (5, choices.TEMPLATES),
    "induction": (6, inductions.TEMPLATES),
    "composition": (5, compositions.TEMPLATES),
}
"""Weight and templates of each family."""
