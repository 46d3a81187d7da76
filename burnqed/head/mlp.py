"""Our own head: [z; g; z⊙g] (3·d) → widths → 1, with SiLU and dropout in between.

Every layer's spectral norm is kept at or below 1, so the layers do not amplify small differences between states (see
`burnqed.head.base`). The temperature alone sets the scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, Self

import torch
import torch.nn.functional as F
from pydantic import JsonValue
from torch import Tensor, nn
from torch.nn.utils import parametrize

from burnqed.config import EbmConfig
from burnqed.head.base import Head

FULL_WIDTHS = (2_048, 1_024, 512)
FULL_D = 4_096
LEAST_WIDTH = 32
FIRST_LAYER_SCALE = 0.1
"""Initial scale of the first layer's weights: with 3·d inputs, energies explode without it."""
EXACT_ITERATIONS = 100
"""Power iterations outside training, where the norm must be deterministic."""


class SpectralLimit(nn.Module):
    """A weight matrix W becomes W / max(1, σ), where σ is its largest singular value.

    This is a limit, not a normalisation, which would undo the small initial scale of the first layer. σ is estimated by power iterations
    from a new random vector in every pass, so no direction is missed for long.
    """

    def __init__(self, iterations: int) -> None:
        super().__init__()
        self.iterations = iterations

    def forward(self, weight: Tensor) -> Tensor:
        return weight / self.norm(weight).clamp(min=1.0)

    def norm(self, weight: Tensor) -> Tensor:
        with torch.no_grad():
            if self.training:
                v = torch.randn(weight.shape[1], device=weight.device)
            else:
                v = torch.randn(weight.shape[1], generator=torch.Generator().manual_seed(0)).to(weight.device)
            for _ in range(self.iterations if self.training else EXACT_ITERATIONS):
                u = F.normalize(weight @ v, dim=0)
                v = F.normalize(weight.T @ u, dim=0)
        return u @ weight @ v  # differentiable in the weight, as σ is


class MlpHead(Head):
    """See the module."""

    INPUTS: ClassVar[int] = 3
    """How many times d numbers the first layer gets."""

    def __init__(self, d: int, widths: Sequence[int], dropout: float = 0.0) -> None:
        super().__init__(d)
        self.widths = list(widths)
        sizes = [self.INPUTS * d, *widths, 1]
        self.layers = nn.ModuleList(nn.Linear(i, o) for i, o in pairwise(sizes))
        self.dropout = nn.Dropout(dropout)
        with torch.no_grad():
            self.linear[0].weight.mul_(FIRST_LAYER_SCALE)

    @staticmethod
    def default_widths(d: int) -> list[int]:
        """2048, 1024, 512 for d = 4096, in proportion for other widths, and at least 32."""
        return [max(LEAST_WIDTH, width * d // FULL_D) for width in FULL_WIDTHS]

    @classmethod
    def made_for(cls, d: int, config: EbmConfig) -> Self:
        head = cls(d, config.widths or cls.default_widths(d), config.dropout)
        head.limit_norms(config.power_iterations)
        return head

    def shape(self) -> dict[str, JsonValue]:
        return {"widths": list(self.widths)}

    @property
    def linear(self) -> list[nn.Linear]:
        return [layer for layer in self.layers if isinstance(layer, nn.Linear)]

    def inputs(self, z: Tensor, g: Tensor) -> Tensor:
        """[..., INPUTS·d], of standardised states and their root states [..., d]."""
        return torch.cat([z, g, z * g], dim=-1)

    def forward_standard(self, z: Tensor, g: Tensor) -> Tensor:
        x = self.inputs(z, g.expand_as(z))
        *hidden, last = self.linear
        for layer in hidden:
            x = self.dropout(F.silu(layer(x)))
        energies: Tensor = last(x).squeeze(-1)
        return energies

    def limit_norms(self, power_iterations: int) -> None:
        """Keeps the spectral norm of every layer at or below 1 from now on."""
        for layer in self.layers:
            parametrize.register_parametrization(layer, "weight", SpectralLimit(power_iterations))

    def start_from(self, other: Self) -> None:
        if other.widths != self.widths or other.d != self.d:
            raise RuntimeError(f"widths {other.widths} instead of {self.widths}")
        with torch.no_grad():
            theirs = dict(other.named_parameters())
            for name, parameter in self.named_parameters():  # limited weights have another name
                plain = name.replace(".parametrizations.weight.original", ".weight")
                parameter.copy_(theirs[plain])

    def plain(self) -> Self:
        """A copy in evaluation mode, with the limited weights as plain weights."""
        copy = type(self)(self.d, self.widths)
        with torch.no_grad():
            self.eval()
            for limited, linear in zip(self.linear, copy.linear, strict=True):
                linear.weight.copy_(limited.weight)
                linear.bias.copy_(limited.bias)
            others = {name: tensor for name, tensor in self.state_dict().items() if not name.startswith("layers.")}
            copy.load_state_dict(others, strict=False)
        return copy.eval()


class GoallessHead(MlpHead):
    """The same head, which sees the mean root state in place of the theorem's: for telling what goal-conditioning is worth."""

    def forward_standard(self, z: Tensor, g: Tensor) -> Tensor:
        return super().forward_standard(z, torch.zeros_like(g))
