"""What a generator of deep theorems makes."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST = 15
"""Tactics of a proof."""


@dataclass(frozen=True)
class Draft:
    """A deep theorem: its kind, closed statement and tactics."""

    kind: str
    statement: str
    tactics: tuple[str, ...]
