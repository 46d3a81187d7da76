"""The energy head: how provable a state is, given the theorem's root state. Lower = more provable.

    head = EnergyHead.load(folder)
    head.energies(z, g)            # z, g: [n, d] embeddings of states and of root states

[z; g; z⊙g] (3·d) → widths → 1, with SiLU and dropout between, and a learnable temperature that divides the output. An energy
is therefore in nats: −energy is the logit that the head was trained with, and adds to a log-probability in search.

z and g are first brought to mean 0 and variance 1 in every dimension, by statistics of the training's embeddings that belong
to the head: states of one theorem differ by little beside what all states have in common, and every layer's spectral
norm is kept at or below 1, so that the head could not amplify that little by itself. The scale that remains is the temperature's.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import torch
import torch.nn.functional as F
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.nn.utils import parametrize

from burnqed.config import EbmConfig
from burnqed.errors import BadInput
from burnqed.finite import check_finite
from burnqed.head.metric import Metrics

FULL_WIDTHS = (2_048, 1_024, 512)
FULL_D = 4_096
LEAST_WIDTH = 32
FIRST_LAYER_SCALE = 0.1
"""Of the first layer's weights at the start: with 3·d inputs, energies explode without it."""
LEAST_DEVIATION = 0.01
"""Of the mean deviation: what a dimension that hardly varies is divided by."""
EXACT_ITERATIONS = 100
"""Power iterations outside training, where the norm must not depend on chance."""
CHUNK = 8_192
"""Pairs scored at once."""

WEIGHTS_FILE, DESCRIPTION_FILE = "head.safetensors", "head.json"


class HeadDescription(BaseModel):
    """`head.json`: what a head is and what it may score."""

    model_config = ConfigDict(frozen=True)

    head_id: str
    """Digest of weights and embedding_id."""
    embedding_id: str
    """Of the only embeddings that it may score."""
    d: int
    widths: list[int]
    temperature: float
    metrics: Metrics
    """On validation theorems."""


def scaled_widths(d: int) -> list[int]:
    """2048, 1024, 512 for d = 4096, in proportion for any other, and at least 32."""
    return [max(LEAST_WIDTH, width * d // FULL_D) for width in FULL_WIDTHS]


class SpectralLimit(nn.Module):
    """A weight matrix W becomes W / max(1, σ), σ being its largest singular value.

    A limit and not a normalisation: a normalised layer would undo the small start of the first one. σ is estimated by power
    iterations from a fresh random vector in every pass, so that no direction is lost from sight for long.
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


class EnergyHead(nn.Module):
    """See the module. `embedding_id` and `head_id` are set by `load`."""

    mean: Tensor
    deviation: Tensor

    def __init__(self, d: int, widths: Sequence[int], dropout: float = 0.0) -> None:
        super().__init__()
        self.d, self.widths = d, list(widths)
        sizes = [3 * d, *widths, 1]
        self.layers = nn.ModuleList(nn.Linear(i, o) for i, o in pairwise(sizes))
        self.dropout = nn.Dropout(dropout)
        self.log_temperature = nn.Parameter(torch.zeros(()))
        self.register_buffer("mean", torch.zeros(d))
        self.register_buffer("deviation", torch.ones(d))
        with torch.no_grad():
            self.linear[0].weight.mul_(FIRST_LAYER_SCALE)
        self.embedding_id = ""
        self.head_id = ""

    @property
    def linear(self) -> list[nn.Linear]:
        return [layer for layer in self.layers if isinstance(layer, nn.Linear)]

    @property
    def temperature(self) -> float:
        return math.exp(self.log_temperature.item())

    def forward(self, z: Tensor, g: Tensor) -> Tensor:
        """Energies of states [..., d] under root states [..., d] (broadcast against each other): [...]."""
        z, g = (z - self.mean) / self.deviation, (g - self.mean) / self.deviation
        x = torch.cat([z, g.expand_as(z), z * g], dim=-1)
        *hidden, last = self.linear
        for layer in hidden:
            x = self.dropout(F.silu(layer(x)))
        energies: Tensor = last(x).squeeze(-1)
        return energies / self.log_temperature.exp()

    @torch.no_grad()
    def energies(self, z: Tensor, g: Tensor) -> Tensor:
        """Energies [n] of n pairs of embeddings, each [n, d], without dropout."""
        self.eval()
        device = self.log_temperature.device
        parts = zip(torch.split(z, CHUNK), torch.split(g, CHUNK), strict=True)
        return torch.cat([self(a.to(device), b.to(device)) for a, b in parts])

    # ---- training

    def standardise(self, embeddings: Tensor) -> None:
        """Takes the statistics of these embeddings [n, d]."""
        deviation = embeddings.std(dim=0, correction=0)
        self.mean.copy_(embeddings.mean(dim=0))
        self.deviation.copy_(deviation.clamp(min=LEAST_DEVIATION * deviation.mean().item() or 1.0))

    def limit_norms(self, power_iterations: int) -> None:
        """Keeps the spectral norm of every layer at or below 1 from here on."""
        for layer in self.layers:
            parametrize.register_parametrization(layer, "weight", SpectralLimit(power_iterations))

    def plain(self) -> EnergyHead:
        """A copy, in evaluation mode, whose weights hold what the limit makes of them."""
        copy = EnergyHead(self.d, self.widths)
        with torch.no_grad():
            self.eval()
            for mine, its in zip(self.linear, copy.linear, strict=True):
                its.weight.copy_(mine.weight)
                its.bias.copy_(mine.bias)
            for name in ("log_temperature", "mean", "deviation"):
                getattr(copy, name).copy_(getattr(self, name))
        return copy.eval()

    # ---- files

    def save(self, folder: Path, embedding_id: str, metrics: Metrics) -> HeadDescription:
        """Writes weights and description, and gives the latter."""
        head = self.plain()
        weights = save({name: tensor.contiguous() for name, tensor in head.state_dict().items()})
        description = HeadDescription(
            head_id=hashlib.sha256(embedding_id.encode() + weights).hexdigest()[:16],
            embedding_id=embedding_id,
            d=head.d,
            widths=head.widths,
            temperature=head.temperature,
            metrics=metrics,
        )
        folder.mkdir(parents=True, exist_ok=True)
        (folder / WEIGHTS_FILE).write_bytes(weights)
        (folder / DESCRIPTION_FILE).write_text(description.model_dump_json(indent=1) + "\n", encoding="utf-8")
        return description

    @staticmethod
    def load(folder: Path) -> EnergyHead:
        """A head in evaluation mode. Raises BadInput when the folder holds none."""
        try:
            description = HeadDescription.model_validate_json((folder / DESCRIPTION_FILE).read_bytes())
            weights = (folder / WEIGHTS_FILE).read_bytes()
        except (OSError, ValidationError):
            raise BadInput(
                f"There is no energy head at {folder} ({DESCRIPTION_FILE} and {WEIGHTS_FILE}); give the folder of a trained head, such as iterations/iter_0/ebm/final."
            ) from None
        if hashlib.sha256(description.embedding_id.encode() + weights).hexdigest()[:16] != description.head_id:
            raise BadInput(
                f"The weights at {folder / WEIGHTS_FILE} are not those of {DESCRIPTION_FILE}; copy the head again."
            )
        head = EnergyHead(description.d, description.widths)
        tensors = load(weights)
        check_finite(tensors.items(), folder / WEIGHTS_FILE)
        head.load_state_dict(tensors)
        head.embedding_id, head.head_id = description.embedding_id, description.head_id
        return head.eval()


def make_head(embeddings: Tensor, config: EbmConfig) -> EnergyHead:
    """A new head for embeddings like these [n, d], ready to be trained."""
    d = embeddings.shape[1]
    head = EnergyHead(d, config.widths or scaled_widths(d), config.dropout)
    head.standardise(embeddings)
    head.limit_norms(config.power_iterations)
    return head
