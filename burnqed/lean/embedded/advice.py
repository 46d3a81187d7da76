"""What to do about messages of a Lean that has nothing but its core library, where the message itself does not say."""

from __future__ import annotations

import re

from burnqed.lean.check import imported
from burnqed.lean.core import DEFAULT_HEADER
from burnqed.lean.embedded.pin import LIBRARY

ONLY_LIBRARY = f"the embedded Lean has only its core library {LIBRARY}"
_WAYS_OUT = [
    (
        r"unknown universe level|Unknown identifier `\w['₀-₉\d]*`(?s:.*)`autoImplicit`",
        "autoImplicit is off, as in the default header: bind the name, as in `{α : Type}` or `theorem foo.{u}`, "
        "or put `set_option autoImplicit true` into the header",
    ),
    (r"\bunknown tactic `", "only core Lean's tactics are there, not Mathlib's"),
    (r"please include `import ", f"{ONLY_LIBRARY}, so use another tactic"),
    (r"\Astatement: .*\bexpected .*\b(?:term|identifier|token)\b", "Mathlib's notation is not there"),
]
"""By Lean's message after the part that it is about; the first that fits."""
_NUMBERS = {"ℕ": "Nat", "ℤ": "Int", "ℚ": "Rat", "ℝ": "", "ℂ": ""}
"""What their symbols may mean in core Lean."""


def import_refusal(header: str | None) -> str:
    """Why a header that imports anything is refused; empty when it does not."""
    module = imported(header or "")
    return f"The header imports {module}, but {ONLY_LIBRARY}; remove the import." if module else ""


def way_out(part: str, message: str, header: str | None) -> str:
    """`burnqed.lean.check.WayOut`."""
    known = (way for pattern, way in _WAYS_OUT if re.search(pattern, f"{part}: {message.strip()}"))
    return _way_to_numbers(message, header) or next(known, "")


def _way_to_numbers(message: str, header: str | None) -> str:
    """What to do where Lean takes a symbol of numbers for a name; empty when it does not, or when it does not matter."""
    for symbol, number in _NUMBERS.items():
        is_variable = header is not None and symbol in message and symbol not in header
        if not is_variable and f"Unknown identifier `{symbol}`" not in message:
            continue
        what = [f"`{symbol}` is a variable here"] if is_variable else []
        if header is not None and symbol in DEFAULT_HEADER:
            what.append("one's own header replaces the default one")
        way = f'write `notation "{symbol}" => {number}` into the header' if number else "core Lean has no such numbers"
        return f"{', because '.join(what)}: {way}" if what else way
    return ""
