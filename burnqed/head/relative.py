"""A head that sees how far a state is from the theorem's root: [z; g; z⊙g; s⊙(z−g)] (4·d) → widths → 1.

States of one theorem differ little compared with states of two, so what search has to tell apart is small in z, and large in the difference, which each dimension scales by
a learned s. No layer's norm is limited (docs/attempts.md has what the limit of `mlp` does here).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from burnqed.head.mlp import FULL_WIDTHS, MlpHead

SCALE = 4.0
"""At the start, of differences."""


class RelativeHead(MlpHead):
    """See the module."""

    INPUTS = 4

    def __init__(self, d: int, widths: list[int], dropout: float = 0.0) -> None:
        super().__init__(d, widths, dropout)
        self.scale = nn.Parameter(torch.full((d,), SCALE))

    @staticmethod
    def default_widths(d: int) -> list[int]:
        """Wide enough for differences in many dimensions: 2·d, at most 2,048, and half of that."""
        width = min(2 * d, FULL_WIDTHS[0])
        return [width, width // 2]

    def inputs(self, z: Tensor, g: Tensor) -> Tensor:
        return torch.cat([super().inputs(z, g), self.scale * (z - g)], dim=-1)

    def limit_norms(self, power_iterations: int) -> None:
        pass


class GoallessRelativeHead(RelativeHead):
    """The same head, which sees the mean root state in place of the theorem's: for telling what goal-conditioning is worth."""

    def forward_standard(self, z: Tensor, g: Tensor) -> Tensor:
        return super().forward_standard(z, torch.zeros_like(g))
