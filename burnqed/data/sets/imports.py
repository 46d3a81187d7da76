"""What headers import: Lean's own modules and Mathlib with what comes with it are known, anything else is somebody's project."""

from __future__ import annotations

import re
from collections.abc import Container

from burnqed.lean.pantograph.project import LEANS_OWN, MATHLIBS
from burnqed.policy.prompt import blank_comments

_IMPORT = re.compile(r"^\s*(?:public\s+)?(?:meta\s+)?import\s+(?:all\s+)?(\S+)", re.MULTILINE)


def modules(header: str) -> list[str]:
    """The modules that a header imports, in its order."""
    return _IMPORT.findall(blank_comments(header)) if "import" in header else []


def foreign(header: str, allowed: Container[str] = ()) -> list[str]:
    """The modules that are neither Lean's own, nor Mathlib's, nor allowed, by name or by their first component."""
    return [
        module
        for module in modules(header)
        if (root := module.partition(".")[0]) not in LEANS_OWN | MATHLIBS
        and module not in allowed
        and root not in allowed
    ]


def comparable(header: str) -> str:
    """A header without comments and empty lines: equal for headers that say the same."""
    lines = (" ".join(line.split()) for line in blank_comments(header).splitlines())
    return "\n".join(line for line in lines if line)
