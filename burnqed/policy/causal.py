"""Any causal language model of transformers, behind the interface that generation and encoding use.

It is also the reference for `burnqed.policy.llama`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

from burnqed.finite import check_finite


def nf4(compute: torch.dtype) -> BitsAndBytesConfig:
    """Linear layers in 4 bits (NF4), with quantised constants (QLoRA, arXiv:2305.14314), and computed with in this type."""
    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=compute,
    )


class Causal:
    pads = True

    def __init__(self, folder: Path, dtype: torch.dtype, device: torch.device, *, in_4_bits: bool = False) -> None:
        quantised = {"quantization_config": nf4(dtype), "device_map": {"": device}} if in_4_bits else {}
        model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, **quantised)
        self.model = (model if in_4_bits else model.to(device)).eval()
        check_finite(self.model.named_parameters(), folder)
        self.device = device
        self.width: int = self.model.config.hidden_size
        self.context: int = self.model.config.max_position_embeddings

    def rows(self) -> CausalRows:
        return CausalRows(self)

    @torch.inference_mode()
    def hidden(self, sequences: Sequence[Sequence[int]], lately: object = None) -> list[Tensor]:
        """One [length, d] for each sequence; padded on the right, which causal attention never sees."""
        if not sequences:
            return []
        longest = max(len(s) for s in sequences)
        ids = torch.tensor([[*s, *[0] * (longest - len(s))] for s in sequences], device=self.device)
        mask = torch.tensor([[1] * len(s) + [0] * (longest - len(s)) for s in sequences], device=self.device)
        states = self.model.base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
        return [row[: len(s)] for row, s in zip(states, sequences, strict=True)]


class CausalRows:
    """Rows that share transformers' key-value cache: prompts are padded on the left to one length, and no row can join later."""

    can_join = False

    def __init__(self, causal: Causal) -> None:
        self.causal = causal
        self.cache: Any = None
        self.mask = torch.empty((0, 0), dtype=torch.long)  # [B, T]

    @torch.inference_mode()
    def admit(self, prompts: Sequence[Sequence[int]], widths: Sequence[int]) -> Tensor:
        longest = max(len(p) for p in prompts)
        device = self.causal.device
        ids = torch.tensor([[0] * (longest - len(p)) + list(p) for p in prompts], device=device)
        self.mask = torch.tensor([[0] * (longest - len(p)) + [1] * len(p) for p in prompts], device=device)
        self.cache = None
        return self.forward(ids)

    @torch.inference_mode()
    def advance(self, tokens: Sequence[int]) -> Tensor:
        self.mask = torch.cat([self.mask, self.mask.new_ones((len(self.mask), 1))], dim=1)
        return self.forward(torch.tensor(tokens, device=self.causal.device).unsqueeze(1))

    def forward(self, ids: Tensor) -> Tensor:
        """ids [B, n], for the last columns of the mask → logits of the last column, [B, V], at least float32."""
        positions = (self.mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        out = self.causal.model(
            input_ids=ids,
            attention_mask=self.mask,
            position_ids=positions,
            past_key_values=self.cache,
            use_cache=True,
            logits_to_keep=1,
        )
        self.cache = out.past_key_values
        last: Tensor = out.logits[:, -1]
        return last.to(torch.promote_types(last.dtype, torch.float32))

    @torch.inference_mode()
    def keep(self, rows: Sequence[int]) -> None:
        indices = torch.tensor(rows, dtype=torch.long, device=self.causal.device)
        self.cache.batch_select_indices(indices)
        self.mask = self.mask[indices]
