"""What is present on this machine, what is missing, and what to do about it (`burnqed doctor`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    what: str
    found: str
    advice: str = ""
    """What to do; empty when all is well."""
    needed: bool = True
    """Whether the loop on one machine cannot run without it."""
    by_hand: bool = False
    """Of a Lean backend: whether nothing but the advice brings it, because entering the backend does not."""
