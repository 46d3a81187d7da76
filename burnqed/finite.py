"""Checks weights for NaN and infinity, which turn everything computed with them into NaN without an error."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch
from torch import Tensor

from burnqed.errors import BadInput


def check_finite(weights: Iterable[tuple[str, Tensor]], where: Path) -> None:
    """Raises BadInput, naming the first weight that is not finite everywhere."""
    for name, weight in weights:
        if weight.is_floating_point() and not bool(torch.isfinite(weight).all()):
            advice = "give another folder, or train it again"
            raise BadInput(f"The weight {name} at {where} holds NaN or infinity, which makes it useless; {advice}.")
