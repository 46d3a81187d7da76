"""Kubernetes' quantities as numbers: `500m` is 0.5, `4Gi` is 4 · 2³⁰."""

from __future__ import annotations

import re

from burnqed.errors import BadInput

UNITS = {
    "": 1.0,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
}


def quantity(text: str) -> float:
    """Raises BadInput for what is none."""
    match = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", text)
    if not match or match[2] not in UNITS:
        raise BadInput(f"{text!r} is not a quantity of Kubernetes; write for example 500m or 4Gi.")
    return float(match[1]) * UNITS[match[2]]
