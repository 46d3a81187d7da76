"""Attention of packed sequences without a mask: nothing is computed between two of them.

With a mask, attention costs as much as if the sequences of a row were one. On a GPU it is FlashAttention's kernel for sequences of different lengths,
torch's own (`torch.nn.attention.varlen`), which takes bfloat16, on GPUs from Ampere on; on a processor, where a pass is long beside the time of a call, one
sequence after the other. transformers calls the function `attention` for models that are set to VARLEN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from inspect import signature
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import AttentionInterface

from burnqed.errors import BadInput

try:
    from torch.nn.attention.varlen import varlen_attn
except ImportError:  # torch before 2.10
    varlen_attn = None  # type: ignore[assignment]

VARLEN = "burnqed_varlen"
CAPABILITY = (8, 0)
"""Of an A100."""


def fits(model: Any, computed: torch.dtype) -> bool:
    """Whether the model, which is on its device, can do without a mask."""
    if getattr(model.config, "attention_dropout", 0.0):
        return False
    if model.device.type == "cpu":
        return getattr(model.config, "sliding_window", None) is None
    return (
        varlen_attn is not None
        and {"scale", "window_size"} <= options_of(varlen_attn)
        and computed == torch.bfloat16
        and model.device.type == "cuda"
        and torch.cuda.get_device_capability() >= CAPABILITY
        and head_size(model.config) % 8 == 0
        and head_size(model.config) <= 256
    )


@cache
def options_of(kernel: Callable[..., Any]) -> set[str]:
    """Torch's kernel has had more of them from version to version."""
    return set(signature(kernel).parameters)


def head_size(config: Any) -> int:
    return int(getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads)


def is_used(model: Any) -> bool:
    return bool(model.config._attn_implementation == VARLEN)


def lengths(position_ids: Tensor) -> dict[str, Any]:
    """What the kernel has to know of a batch [R, L]: where its sequences begin, in all rows on end, and the longest. (A position without a sequence
    has the position id 0, and so is one of length 1.)"""
    positions = position_ids.flatten()
    begins = (positions == 0).nonzero().flatten().to(torch.int32)  # [n]
    ends = torch.tensor([positions.numel()], dtype=torch.int32, device=positions.device)
    return {"cu_seq_lens_q": torch.cat([begins, ends]), "max_length_q": int(positions.max()) + 1}


def attention(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    position_ids: Tensor | None = None,
    cu_seq_lens_q: Tensor | None = None,
    max_length_q: int = 0,
    scaling: float | None = None,
    sliding_window: int | None = None,
    **options: Any,
) -> tuple[Tensor, None]:
    """query [R, H, L, D], key and value [R, H', L, D], of sequences that do not see each other → [R, L, H, D].

    Lengths that the caller does not give, once for all layers, follow from the position ids.
    """
    if cu_seq_lens_q is None:
        if position_ids is None:
            raise BadInput(
                f"{type(module).__name__} does not say where sequences begin; choose a model that keeps them apart, such as Llama or Qwen."
            )
        given = lengths(position_ids.expand(query.shape[0], -1))
        cu_seq_lens_q, max_length_q = given["cu_seq_lens_q"], given["max_length_q"]
    rows, heads, width, _ = query.shape
    # under autocast rotated queries and keys are float32, and values are not
    q, k, v = (t.transpose(1, 2).flatten(0, 1).to(value.dtype) for t in (query, key, value))  # [R × L, H, D]
    if on_processor(query):
        attended = one_by_one(q, k, v, cu_seq_lens_q.diff().tolist(), scaling)
        return attended.view(rows, width, heads, -1), None
    shared, grouped = heads // key.shape[1], dict[str, Any]()
    if shared > 1 and "enable_gqa" in options_of(varlen_attn):
        grouped = {"enable_gqa": True}
    elif shared > 1:  # an earlier torch (2.11)
        k, v = k.repeat_interleave(shared, 1), v.repeat_interleave(shared, 1)
    mixed: Any = varlen_attn(
        q,
        k,
        v,
        cu_seq_lens_q,
        cu_seq_lens_q,
        max_length_q,
        max_length_q,
        scale=scaling,
        window_size=(-1 if sliding_window is None else sliding_window - 1, 0),  # causal
        **grouped,
    )
    return mixed.view(rows, width, heads, -1), None


def on_processor(tensor: Tensor) -> bool:
    return tensor.device.type == "cpu"


def one_by_one(q: Tensor, k: Tensor, v: Tensor, lengths: Sequence[int], scale: float | None) -> Tensor:
    """Causal attention within each sequence: q [T, H, D], k and v [T, H', D] → [T, H, D]."""
    queries, keys, values = (torch.split(t.transpose(0, 1).unsqueeze(0), list(lengths), dim=2) for t in (q, k, v))
    grouped = q.shape[1] != k.shape[1]
    attended = [
        F.scaled_dot_product_attention(a, b, c, is_causal=True, scale=scale, enable_gqa=grouped)
        for a, b, c in zip(queries, keys, values, strict=True)
    ]
    return torch.cat(attended, dim=2).squeeze(0).transpose(0, 1)


AttentionInterface.register(VARLEN, attention)
