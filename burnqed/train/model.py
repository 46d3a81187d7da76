"""Models and tokenizers of fine-tuning, export and the head's training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig
from transformers.utils import logging as transformers_logging

from burnqed.config import SftConfig
from burnqed.errors import BadInput
from burnqed.finite import check_finite
from burnqed.policy.causal import nf4
from burnqed.train.parallel import parted, whole
from burnqed.train.varlen import VARLEN, fits

transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]


def device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load_tokenizer(folder: Path) -> Any:
    """Raises BadInput when there is no tokenizer, or one without an end-of-sequence token."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
    except (OSError, ValueError) as error:
        raise BadInput(
            f"No tokenizer could be loaded from {folder} ({first_line(error)}); give a model's folder."
        ) from None
    if tokenizer.eos_token_id is None:
        raise BadInput(
            f"The tokenizer at {folder} has no end-of-sequence token, which closes every tactic; choose another model."
        )
    return tokenizer


def load_model(folder: Path, dtype: torch.dtype, quantization: BitsAndBytesConfig | None = None) -> Any:
    """A causal language model, in evaluation mode, on the CPU, or quantised on its device."""
    place = {"quantization_config": quantization, "device_map": {"": device()}} if quantization else {}
    try:
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, attn_implementation="sdpa", **place)
    except (OSError, ValueError) as error:
        raise BadInput(
            f"No causal language model could be loaded from {folder} ({first_line(error)}); give a model's folder."
        ) from None
    check_finite(model.named_parameters(), folder)
    return model


def first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")


def load_trainable(start: Path, adapter: Path | None, config: SftConfig) -> Any:
    """The model to train, on its device, with trainable parameters in float32.

    `full` trains all weights of `start`. `lora` trains an adapter beside its frozen linear layers: a new one, which changes
    nothing at first, or a copy of `adapter`. With `nf4` these layers are in 4 bits, and computed with in `sft.precision`.
    """
    frozen_type = torch.bfloat16 if config.method == "lora" and config.precision == "bfloat16" else torch.float32
    model = load_model(start, frozen_type, nf4(frozen_type) if config.base_weights == "nf4" else None)
    if config.gradient_checkpointing:
        model.gradient_checkpointing_enable({"use_reentrant": False})
    if config.method == "lora":
        from peft import LoraConfig, PeftModel, get_peft_model  # takes seconds to import

        if adapter is not None:
            model = PeftModel.from_pretrained(model, adapter, is_trainable=True)
            check_finite(trainable(model).items(), adapter)
            if (rank := model.peft_config["default"].r) != config.lora_rank:
                raise BadInput(
                    f"The adapter {adapter} has the rank {rank}, and {config.lora_rank} is asked for; an adapter that is trained further keeps its rank: "
                    "set sft.start=merged to begin a new one."
                )
        else:
            shape = LoraConfig(
                r=config.lora_rank,
                lora_alpha=config.lora_alpha,
                lora_dropout=config.lora_dropout,
                target_modules="all-linear",
                task_type="CAUSAL_LM",
            )
            model = get_peft_model(model, shape)
    model = model if config.base_weights == "nf4" else model.to(device())
    if fits(model, torch.bfloat16 if config.precision == "bfloat16" else torch.float32):
        model.set_attn_implementation(VARLEN)
    return model


def trainable(model: nn.Module) -> dict[str, nn.Parameter]:
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}


def copy_weights(model: nn.Module) -> dict[str, torch.Tensor]:
    """A copy of the trainable weights, on the CPU. Processes that train together have to call it together."""
    return {name: whole(parameter.detach()).cpu().clone() for name, parameter in trainable(model).items()}


def set_weights(model: nn.Module, weights: dict[str, torch.Tensor]) -> None:
    with torch.no_grad():
        for name, parameter in trainable(model).items():
            parameter.copy_(parted(weights[name], parameter))
