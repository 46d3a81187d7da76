"""Weights that are numbers: NaN and infinity make everything that is computed with them NaN, which search and training take for a result."""

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
            raise BadInput(
                f"The weight {name} at {where} holds NaN or infinity, so nothing can be computed with it; give another folder, or train it again."
            )
