"""Why a proof or step of another Lean fails in this one, read from Lean's message."""

from __future__ import annotations

import re
from enum import StrEnum


class Cause(StrEnum):
    RENAMED = "lemma renamed"
    """A name that the proof uses is not there (any more)."""
    TACTIC = "tactic API"
    """A tactic is not there, or takes other arguments."""
    IMPORT = "import"
    """A module is not there, or what the statement is about."""
    PRINTING = "printing"
    """The state, as it was printed, cannot be read back."""
    CHANGED = "other behaviour"
    """Names and tactics are there and do something else."""
    LIMIT = "time or memory"
    """Lean did not come to an end: says nothing about the proof."""


_IMPORT = re.compile(r"\bimport\b|unknown (?:package|module)|unknown namespace", re.IGNORECASE)
_UNKNOWN = re.compile(
    r"unknown (?:constant|identifier|declaration|attribute)|does not contain `[^`]*`, so it is not possible to project",
    re.IGNORECASE,
)
_TACTIC = re.compile(
    r"unknown tactic|unexpected (?:token|identifier|end of input)|\bexpected (?:command|token|term|')|<input>",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"deterministic\) timeout|maximum (?:number of heartbeats|recursion depth)|out of memory|did not answer",
    re.IGNORECASE,
)
_RENAMES = (
    re.compile(r"`([^`\s]+)` has been deprecated[^`]*`([^`\s]+)`"),
    re.compile(
        r"[Uu]nknown (?:constant|identifier) `([^`\s]+)`[^`]*(?:[Dd]id you mean|[Pp]erhaps you meant|[Uu]se)[^`]*`([^`\s]+)`"
    ),
)


def cause_of_statement(message: str, *, is_printed: bool) -> Cause:
    """Why a statement does not elaborate. `is_printed`: it is a state that was read back."""
    if _LIMIT.search(message):
        return Cause.LIMIT
    if _IMPORT.search(message) or _UNKNOWN.search(message):
        return Cause.IMPORT
    return Cause.PRINTING if is_printed else Cause.CHANGED


def cause_of_step(message: str) -> Cause:
    """Why a tactic, or a whole proof, fails."""
    for pattern, cause in (
        (_LIMIT, Cause.LIMIT),
        (_UNKNOWN, Cause.RENAMED),
        (_TACTIC, Cause.TACTIC),
        (_IMPORT, Cause.IMPORT),
    ):
        if pattern.search(message):
            return cause
    return Cause.CHANGED


def suggested(message: str) -> dict[str, str]:
    """Names that Lean itself says to write instead, by the name that it objects to."""
    return {old: new for pattern in _RENAMES for old, new in pattern.findall(message)}
