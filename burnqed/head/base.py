"""The base class of heads: a torch module from embeddings to energies. All heads are trained, saved and served the same way.

    head = Head.load(folder)
    head.energies(z, g)            # z, g: [n, d] embeddings of states and of root states; lower = more provable

A learnable temperature divides the result of a head. An energy is therefore in nats: −energy is the logit that the head was trained
with, and can be added to a log-probability in search.

z and g are first standardised to mean 0 and variance 1 in every dimension, with statistics of the training embeddings that are saved
with the head: states of one theorem differ little compared with what all states have in common.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import json
import math
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Self

import torch
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError, model_validator
from safetensors.torch import load, save
from torch import Tensor, nn

from burnqed import plugins
from burnqed.config import EbmConfig
from burnqed.errors import BadInput
from burnqed.finite import check_finite
from burnqed.head import BUILT_IN, GROUP
from burnqed.head.metric import Metrics

LEAST_DEVIATION = 0.01
"""Lower bound of the deviation that a dimension is divided by, as a part of the mean deviation."""
CHUNK = 8_192
"""Pairs scored at once."""

WEIGHTS_FILE, DESCRIPTION_FILE = "head.safetensors", "head.json"


class HeadDescription(BaseModel):
    """`head.json`: a description of a head and of the embeddings that it may score."""

    model_config = ConfigDict(frozen=True)

    kind: str = "mlp"
    """Its name in the configuration (`ebm.head`)."""
    head_id: str
    """Digest of weights and embedding_id."""
    embedding_id: str
    """Identity of the only embeddings that it may score."""
    d: int
    shape: dict[str, JsonValue]
    """Arguments that construct a module of the same shape."""
    temperature: float
    metrics: Metrics
    """On validation theorems."""

    @model_validator(mode="before")
    @classmethod
    def _before_there_were_kinds(cls, values: Any) -> Any:
        if isinstance(values, dict) and "widths" in values:
            return {"shape": {"widths": values["widths"]}, **values}
        return values


class Head(nn.Module, ABC):
    """A subclass takes the arguments `d` (width of an embedding) and those of `shape`, all of them JSON, and has a `forward_standard`.

    `embedding_id` and `head_id` are set by `load`.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, d: int) -> None:
        super().__init__()
        self.d = d
        self.log_temperature = nn.Parameter(torch.zeros(()))
        self.register_buffer("mean", torch.zeros(d))
        self.register_buffer("deviation", torch.ones(d))
        self.embedding_id = ""
        self.head_id = ""

    @classmethod
    @abstractmethod
    def made_for(cls, d: int, config: EbmConfig) -> Self:
        """A new head, ready to be trained."""

    @abstractmethod
    def shape(self) -> dict[str, JsonValue]:
        """Arguments in addition to `d` that construct a module which these weights fit."""

    @abstractmethod
    def forward_standard(self, z: Tensor, g: Tensor) -> Tensor:
        """Energies [...] at temperature 1 of standardised states [..., d] under root states [..., d] (broadcast against each other)."""

    def plain(self) -> Self:
        """A copy in evaluation mode, without the parts that only training needs."""
        return copy.deepcopy(self).eval()

    def start_from(self, other: Self) -> None:
        """Takes over the weights of a head as `load` gives it, but not its mean and deviation, which belong to its embeddings. Raises RuntimeError if
        it has another shape."""
        self.load_state_dict(other.state_dict() | {"mean": self.mean, "deviation": self.deviation})

    @property
    def temperature(self) -> float:
        return math.exp(self.log_temperature.item())

    def forward(self, z: Tensor, g: Tensor) -> Tensor:
        """Energies of states [..., d] under root states [..., d] (broadcast against each other): [...]."""
        z, g = (z - self.mean) / self.deviation, (g - self.mean) / self.deviation
        return self.forward_standard(z, g) / self.log_temperature.exp()

    @torch.no_grad()
    def energies(self, z: Tensor, g: Tensor) -> Tensor:
        """Energies [n] of n pairs of embeddings, each [n, d], without dropout."""
        self.eval()
        device = self.log_temperature.device
        parts = zip(torch.split(z, CHUNK), torch.split(g, CHUNK), strict=True)
        return torch.cat([self(a.to(device), b.to(device)) for a, b in parts])

    def group_energies(self, z: Tensor, g: Tensor) -> Tensor:
        """Energies [n, K] of n groups of states [n, K, d], each under its root state [n, 1, d], without dropout."""
        n, width, d = z.shape
        return self.energies(z.reshape(-1, d), g.expand(-1, width, -1).reshape(-1, d)).reshape(n, width)

    def standardise(self, embeddings: Tensor) -> None:
        """Sets mean and deviation to those of these embeddings [n, d]."""
        deviation = embeddings.std(dim=0, correction=0)
        self.mean.copy_(embeddings.mean(dim=0))
        self.deviation.copy_(deviation.clamp(min=LEAST_DEVIATION * deviation.mean().item() or 1.0))

    @torch.no_grad()
    def bound_temperature(self, least: float, most: float) -> str:
        """Keeps the temperature between these, and says which of them it reached: `floor 0.05`, `ceiling 10` or nothing."""
        self.log_temperature.clamp_(math.log(least), math.log(most))
        bounds = {f"floor {least:g}": least, f"ceiling {most:g}": most}
        return next((name for name, bound in bounds.items() if math.isclose(self.temperature, bound, rel_tol=1e-5)), "")

    @torch.no_grad()
    def track(self, embeddings: Tensor, kept: float) -> None:
        """Moves mean and deviation towards those of these embeddings [n, d] of a model in training; `kept` says how much of the old ones stays."""
        centre = embeddings.mean(dim=0)
        spread = embeddings.var(dim=0, correction=0) + (centre - self.mean).square()
        variance = self.deviation.square().lerp(spread, 1 - kept)
        self.mean.lerp_(centre, 1 - kept)
        self.deviation.copy_(variance.sqrt().clamp(min=LEAST_DEVIATION * variance.mean().sqrt().item()))

    # ---- files

    def save(self, folder: Path, embedding_id: str, metrics: Metrics, kind: str = "mlp") -> HeadDescription:
        """Writes weights and description and returns the description. `kind`: its name in the configuration."""
        head = self.plain()
        weights = save({name: tensor.contiguous() for name, tensor in head.state_dict().items()})
        description = HeadDescription(
            kind=kind,
            head_id=_identity(embedding_id, weights),
            embedding_id=embedding_id,
            d=head.d,
            shape=head.shape(),
            temperature=head.temperature,
            metrics=metrics,
        )
        folder.mkdir(parents=True, exist_ok=True)
        (folder / WEIGHTS_FILE).write_bytes(weights)
        (folder / DESCRIPTION_FILE).write_text(description.model_dump_json(indent=1) + "\n", encoding="utf-8")
        return description

    @staticmethod
    def load(folder: Path) -> Head:
        """A head of any kind, in evaluation mode. Raises BadInput when the folder has no head, or its kind is not installed."""
        try:
            description = HeadDescription.model_validate_json((folder / DESCRIPTION_FILE).read_bytes())
            weights = (folder / WEIGHTS_FILE).read_bytes()
        except (OSError, ValidationError):
            raise BadInput(
                f"There is no head at {folder} ({DESCRIPTION_FILE} and {WEIGHTS_FILE}); give the folder of a trained head, such as iterations/iter_0/ebm/final."
            ) from None
        if _identity(description.embedding_id, weights) != description.head_id:
            raise BadInput(
                f"The weights at {folder / WEIGHTS_FILE} are not those of {DESCRIPTION_FILE}; copy the head again."
            )
        tensors = load(weights)
        check_finite(tensors.items(), folder / WEIGHTS_FILE)
        kind = head_class(description.kind)
        try:
            head: Head = kind(description.d, **description.shape)
            head.load_state_dict(tensors)
        except (TypeError, ValueError, RuntimeError) as error:
            raise BadInput(
                f"The head at {folder} cannot be loaded into a head of the kind {description.kind!r} as it is installed here "
                f"({str(error).splitlines()[0]}); install the version that wrote it, or train it again with --redo ebm."
            ) from error
        head.embedding_id, head.head_id = description.embedding_id, description.head_id
        return head.eval()


def _identity(embedding_id: str, weights: bytes) -> str:
    return hashlib.sha256(embedding_id.encode() + weights).hexdigest()[:16]


def head_class(kind: str) -> type[Head]:
    """The subclass of `Head` with this name. Raises BadInput for one that does not exist or cannot be loaded."""
    found = plugins.load(GROUP, kind, BUILT_IN, "head")
    if not (inspect.isclass(found) and issubclass(found, Head)):
        raise _unfit(kind, "is not a subclass of burnqed.head.base.Head")
    if lacking := sorted(found.__abstractmethods__):
        raise _unfit(kind, f"lacks {', '.join(lacking)}")
    return found


def make_head(embeddings: Tensor, config: EbmConfig) -> Head:
    """A new head for embeddings like these [n, d], ready to be trained. Raises BadInput when it does not do what a head has to."""
    head = head_class(config.head).made_for(embeddings.shape[1], config)
    head.standardise(embeddings)
    with torch.random.fork_rng(devices=[]):  # trained heads do not depend on the trial
        _try(head, config.head)
    return head.train()


@torch.no_grad()
def _try(head: Head, kind: str) -> None:
    """Scores pairs, and makes a second head as `load` does."""
    try:
        plain = head.plain()
        energies = plain(torch.randn(2, 3, head.d), torch.randn(2, 1, head.d))
        again = type(head)(head.d, **json.loads(json.dumps(head.shape())))
        again.load_state_dict(plain.state_dict())
    except Exception as error:  # another package's code may raise anything
        raise _unfit(kind, f"fails at a trial ({type(error).__name__}: {str(error).splitlines()[0]})") from error
    if energies.shape != (2, 3):
        raise _unfit(kind, f"gives energies of the shape {tuple(energies.shape)} for 2 × 3 pairs")
    if not energies.isfinite().all():
        raise _unfit(kind, "gives energies that are not finite")


def _unfit(kind: str, why: str) -> BadInput:
    return plugins.unfit(GROUP, kind, BUILT_IN, "head", why)
