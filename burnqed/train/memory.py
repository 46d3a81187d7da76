"""What a training needs of a GPU's memory, roughly, to choose what the result does not depend on: whether activations are kept, and into how many
parts a batch is divided at first. What turns out to be too much is divided further (`Training.gradient`).

Activations are those that autograd keeps for a model of Llama's proportions, as counted once by its hooks for saved tensors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from burnqed.config import SftConfig
from burnqed.log import log
from burnqed.train.parallel import Processes

KEPT = {("full", "float32"): 83, ("full", "bfloat16"): 56, ("lora", "float32"): 127, ("lora", "bfloat16"): 85}
"""Bytes for each token, layer and hidden dimension, by method and precision. (Adapters and their dropout keep copies in float32.)"""
RECOMPUTED = 4
"""The same when only the layer's input is kept."""
LOGITS = 4 * 3
"""Bytes for each token that counts in the loss and entry of the vocabulary: in float32, as logits, as probabilities and as gradients."""
COMPLETION = 0.25
"""Share of the tokens that belong to completions, which alone count unless `sft.prompt_weight` says otherwise."""
USABLE = 0.9
"""The rest is for what fragmentation wastes, and what was not counted."""
GIB = 2**30


@dataclass(frozen=True)
class Needs:
    """Bytes that a training needs beside the weights that are loaded."""

    trained: int
    """Gradients and the optimiser's state."""
    token: int
    """One token's activations when all are kept."""
    least_token: int
    """One token's activations when each layer is computed again."""
    layer_token: int
    """Those of the one layer that is being computed again."""

    @staticmethod
    def of(model: Any, config: SftConfig) -> Needs:
        """`model` may be divided among processes."""
        shape = model.config
        numbers = sum(p.numel() for p in model.parameters() if p.requires_grad)
        holders = Processes.here().number if config.sharded else 1
        optimizer = 2 if config.optimizer == "paged_adamw_8bit" else 8
        kept = KEPT[config.method, config.precision] * shape.hidden_size
        logits = int(LOGITS * (1 if config.prompt_weight else COMPLETION) * shape.vocab_size)
        layers = shape.num_hidden_layers
        return Needs(
            trained=numbers * (4 + optimizer) // holders,
            token=kept * layers + logits,
            least_token=RECOMPUTED * shape.hidden_size * layers + logits,
            layer_token=kept,
        )


def recomputes(needs: Needs, free: int, batch_tokens: int) -> bool:
    """Whether a whole batch fits only if activations are computed twice."""
    return needs.trained + batch_tokens * needs.token > USABLE * free


def first_splits(needs: Needs, free: int, config: SftConfig, *, recomputed: bool) -> int:
    """The parts of a batch (a power of 2) such that one fits, as long as it holds the longest sequence."""
    token = needs.least_token + needs.layer_token if recomputed else needs.token
    splits = 1
    while (
        needs.trained + config.batch_tokens // splits * token > USABLE * free
        and config.batch_tokens // (2 * splits) >= config.max_length
    ):
        splits *= 2
    return splits


def free_memory(device: torch.device) -> int | None:
    """Bytes of the GPU that nothing holds, the least of all processes', since they have to choose alike; None without one."""
    if device.type != "cuda":
        return None
    torch.cuda.empty_cache()
    return int(Processes.here().least(torch.cuda.mem_get_info(device)[0]))


def fit(model: Any, config: SftConfig) -> int:
    """Turns gradient checkpointing on where `sft.gradient_checkpointing` leaves it open and the memory asks for it. Returns the parts that a batch
    is divided into at first. `model` is on its device."""
    if (free := free_memory(model.device)) is None:
        return 1
    needs = Needs.of(model, config)
    recomputed = config.gradient_checkpointing
    if recomputed is None:
        recomputed = recomputes(needs, free, config.batch_tokens)
        if recomputed:
            model.gradient_checkpointing_enable({"use_reentrant": False})
    splits = first_splits(needs, free, config, recomputed=recomputed)
    log.info(
        "fine-tuning: %.1f GiB of the GPU are free beside the weights, so activations are %s, and a batch is computed in %d part(s)",
        free / GIB,
        "computed twice" if recomputed else "kept",
        splits,
    )
    return splits
