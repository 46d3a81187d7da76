"""One step of sampling for a batch: temperature, top-k, top-p, min-p, and a seed for every sequence.

Order and meaning are those of SGLang: logits are divided by the temperature; log-probabilities are those of the resulting distribution,
before anything is cut off; temperature 0 is greedy, with log-probabilities at temperature 1.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from torch import Tensor

EVERYTHING = 1 << 30
"""The top_k that cuts nothing off."""
GREEDY_BELOW = 1e-6


class SamplingParams(BaseModel):
    """`sampling_params` of a request, with SGLang's names, defaults and limits. Null means the default."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_new_tokens: int = Field(128, ge=0)
    temperature: float = Field(1.0, ge=0, allow_inf_nan=False)
    top_p: float = Field(1.0, gt=0, le=1)
    top_k: int = Field(EVERYTHING, ge=-1)
    min_p: float = Field(0.0, ge=0, le=1)
    stop: tuple[str, ...] = ()
    stop_token_ids: frozenset[int] = frozenset()
    sampling_seed: int | None = None
    ignore_eos: bool = False

    @model_validator(mode="before")
    @classmethod
    def null_is_default(cls, values: object) -> object:
        return {k: v for k, v in values.items() if v is not None} if isinstance(values, dict) else values

    @field_validator("stop", mode="before")
    @classmethod
    def one_is_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("top_k")
    @classmethod
    def not_zero(cls, value: int) -> int:
        if value == 0:
            raise ValueError("top_k must be -1 (disable) or at least 1, got 0")
        return EVERYTHING if value == -1 else value

    @property
    def greedy(self) -> bool:
        return self.temperature < GREEDY_BELOW


def uniforms(seed: int | None, count: int) -> list[float]:
    """The random numbers in [0, 1) of one sequence, one for each token, independent of the rest of the batch."""
    draw = random.Random(seed)
    return [draw.random() for _ in range(count)]


def sample(logits: Tensor, params: Sequence[SamplingParams], draws: Sequence[float]) -> tuple[list[int], list[float]]:
    """Next token and its log-probability for each row. logits [B, V]; one draw in [0, 1) per row.

    The draw selects from the distribution function in the order of token ids, so rounding, which depends on the batch, moves a boundary
    by about 1e-7 (with float64 logits 1e-15) and changes no order.
    """
    rows = [
        (1.0, 1.0, 1, 0.0, 0.0) if p.greedy else (p.temperature, p.top_p, p.top_k, p.min_p, u)
        for p, u in zip(params, draws, strict=True)
    ]
    temperature, top_p, top_k, min_p, draw = (
        torch.tensor(rows, dtype=logits.dtype, device=logits.device).T.unsqueeze(-1).unbind()
    )
    scaled = logits / temperature
    log_total = scaled.logsumexp(-1, keepdim=True)
    if not bool(log_total.isfinite().all()):
        raise ValueError("the model's logits are not finite; its weights are broken")
    least = least_kept(scaled, log_total, top_p, top_k, min_p)
    # Weights from 1 to e^60, and e^-80 for what is cut off (exp of −∞ is slow); targets are above the latter and below the total.
    function = F.threshold(scaled - least, -1e-9, -80.0, inplace=True).exp_().cumsum_(-1)
    target = (draw * function[:, -1:] * (1 - 1e-6)).clamp_(min=1e-6)
    token = torch.searchsorted(function, target, right=True)
    log_probability = scaled.gather(-1, token) - log_total
    return token.squeeze(-1).tolist(), log_probability.squeeze(-1).tolist()


def least_kept(scaled: Tensor, log_total: Tensor, top_p: Tensor, top_k: Tensor, min_p: Tensor) -> Tensor:
    """The smallest of each row's scaled logits that top-p, top-k and min-p all keep, [B, 1]. Tokens less likely than e^-60
    are always cut off, which makes no noticeable difference."""
    least = log_total - 60
    if not bool(((top_p < 1) | (top_k < EVERYTHING) | (min_p > 0)).any()):
        return least
    negated = ascending(-scaled)
    held = (-log_total - negated).exp_().cumsum_(-1)  # probability of the i + 1 likeliest tokens
    by_top_p = torch.searchsorted(held, top_p.contiguous(), right=True) + 1
    by_top_p[top_p == 1] = EVERYTHING
    by_min_p = torch.searchsorted(negated, negated[:, :1] - min_p.log(), right=True)
    count = torch.minimum(torch.minimum(by_top_p, by_min_p), top_k.long()).clamp(1, scaled.shape[-1])
    return torch.maximum(least, -negated.gather(-1, count - 1))


def ascending(x: Tensor) -> Tensor:
    """Sorts the rows of a tensor, in place on a CPU, where NumPy is 20 times as fast as torch."""
    if x.device.type != "cpu":
        return x.sort().values
    x.numpy().sort()
    return x
