"""Optimisers of fine-tuning and of the head's training."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn

from burnqed.config import SftConfig
from burnqed.train.model import trainable
from burnqed.train.muon import Muon

BETAS = (0.9, 0.95)


def adamw(
    parameters: Iterable[nn.Parameter], weight_decay: float, *, paged: bool = False, **options: Any
) -> torch.optim.Optimizer:
    """AdamW that decays matrices only: neither norms nor biases nor the head's temperature. `paged`: with its state in 8 bits, in memory that
    the driver moves between GPU and host."""
    every = list(parameters)
    groups = [
        {"params": [p for p in every if p.ndim >= 2], "weight_decay": weight_decay},
        {"params": [p for p in every if p.ndim < 2], "weight_decay": 0.0},
    ]
    if paged:
        from bitsandbytes.optim.adamw import PagedAdamW8bit

        return PagedAdamW8bit(  # type: ignore[no-untyped-call]
            [group for group in groups if group["params"]], **options
        )
    return torch.optim.AdamW(groups, **options)


class MuonAndAdamW:
    """Muon for the matrices of the layers, AdamW for the rest: embeddings, output layer, norms.

    A step of Muon has the size that AdamW's would have, so that a learning rate means the same for both (Liu et al. 2025, "Muon is scalable for LLM training").
    """

    def __init__(self, model: Any, weight_decay: float, lr: float) -> None:
        ends = {
            id(m.weight) for m in model.modules() if isinstance(m, nn.Embedding) or m is model.get_output_embeddings()
        }
        every = trainable(model).values()
        matrices = [p for p in every if p.ndim == 2 and id(p) not in ends]
        known = {id(p) for p in matrices}
        self.muon = Muon(matrices, lr=lr, weight_decay=weight_decay, adjust_lr_fn="match_rms_adamw")
        self.adamw = adamw((p for p in every if id(p) not in known), weight_decay, lr=lr, betas=BETAS, fused=True)

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        return self.muon.param_groups + self.adamw.param_groups

    def step(self) -> None:
        self.muon.step()
        self.adamw.step()

    def zero_grad(self, set_to_none: bool = True) -> None:
        self.muon.zero_grad(set_to_none)
        self.adamw.zero_grad(set_to_none)

    def state_dict(self) -> dict[str, Any]:
        return {"muon": self.muon.state_dict(), "adamw": self.adamw.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.muon.load_state_dict(state["muon"])
        self.adamw.load_state_dict(state["adamw"])


def optimizer_of(model: Any, config: SftConfig, lr: float, *, sharded: bool) -> torch.optim.Optimizer | MuonAndAdamW:
    """The optimiser that `config` asks for, of the model's trainable weights."""
    if config.optimizer == "muon":
        return MuonAndAdamW(model, config.weight_decay, lr)
    kind = {"paged": True} if config.optimizer == "paged_adamw_8bit" else {"fused": not sharded}
    return adamw(trainable(model).values(), config.weight_decay, lr=lr, betas=BETAS, **kind)
