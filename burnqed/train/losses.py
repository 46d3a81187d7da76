"""The two losses: next token over completions, and InfoNCE over energies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from burnqed.errors import BadInput
from burnqed.train.packing import IGNORED, NOTHING, Example, Packed, pack
from burnqed.train.varlen import is_used, lengths

PACKING_TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 2e-2, torch.float16: 2e-3}
"""The relative error of the loss that rounding explains, by the type of the frozen weights. (A sequence that sees its neighbour is off
by 1e-3 with random weights and by much more with trained ones.)"""


def completion_loss(model: Any, batch: Packed) -> Tensor:
    """Cross-entropy summed over the completion tokens of a packed batch.

    Only their hidden states go through the output layer: with a vocabulary of 100,000 the prompts' logits would be the largest tensor
    of the training.
    """
    return token_loss(model, last_hidden(model, batch), batch.targets)


def both_losses(model: Any, batch: Packed) -> tuple[Tensor, Tensor]:
    """`completion_loss`, and the same of the prompts' tokens but the first."""
    hidden, following = last_hidden(model, batch), batch.input_ids.roll(-1, dims=1)
    ends = batch.segments != batch.segments.roll(-1, dims=1)
    ends[:, -1] = True
    outside = ends | (batch.segments == NOTHING) | (batch.targets != IGNORED)
    return token_loss(model, hidden, batch.targets), token_loss(model, hidden, following.masked_fill(outside, IGNORED))


def token_loss(model: Any, hidden: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy summed over the targets [R, L] that are not IGNORED, of hidden states [R, L, d]."""
    counted = targets != IGNORED
    logits = model.get_output_embeddings()(hidden[counted]).float()  # [n, vocabulary]
    return F.cross_entropy(logits, targets[counted], reduction="sum")


def completion_log_probs(model: Any, batch: Packed, number: int) -> Tensor:
    """[number]: the log-probability of each packed example's completion."""
    hidden = last_hidden(model, batch)
    counted = batch.targets != IGNORED
    logits = model.get_output_embeddings()(hidden[counted]).float()
    log_probs = -F.cross_entropy(logits, batch.targets[counted], reduction="none")
    return log_probs.new_zeros(number).index_add(0, batch.segments[counted], log_probs)


def last_hidden(model: Any, batch: Packed) -> Tensor:
    """[R, L, d]: the last hidden states, after the final norm."""
    known = lengths(batch.position_ids) if is_used(model) else {}
    hidden: Tensor = model.get_decoder()(
        input_ids=batch.input_ids, position_ids=batch.position_ids, use_cache=False, **known
    ).last_hidden_state
    return hidden


@torch.no_grad()
def check_packing(model: Any, examples: Sequence[Example]) -> None:
    """Compares the loss of the examples in one row with the model's own logits, one sequence at a time.

    Raises BadInput for an architecture that does not keep packed sequences apart, or scales its logits.
    """
    model.eval()  # no dropout
    device, dtype = model.device, model.get_input_embeddings().weight.dtype
    if is_used(model) and device.type == "cuda" and dtype == torch.float32:  # of a training that computes in bfloat16
        with torch.autocast(device.type, torch.bfloat16):
            return compare_packing(model, examples, device, torch.bfloat16)
    return compare_packing(model, examples, device, dtype)


def compare_packing(model: Any, examples: Sequence[Example], device: torch.device, dtype: torch.dtype) -> None:
    """`check_packing` for a model that computes in `dtype`."""
    batch = pack(examples, sum(len(example) for example in examples)).to(device)
    packed, count = completion_loss(model, batch).item(), batch.completion_tokens
    single = torch.zeros((), device=device)
    for example in examples:
        tokens = torch.from_numpy(example.tokens).to(device)
        logits = model(input_ids=tokens[None], use_cache=False).logits[0].float()  # [n, vocabulary]
        start = example.prompt_length
        single += F.cross_entropy(logits[start - 1 : -1], tokens[start:], reduction="sum")
    expected = single.item()
    if not abs(packed - expected) <= PACKING_TOLERANCE[dtype] * expected:
        raise BadInput(
            f"Packed training gives another loss than single sequences with {type(model).__name__} "
            f"({packed / count:.4f} against {expected / count:.4f} per token); choose a model that keeps them apart, such as Llama or Qwen."
        )


def info_nce(positive: Tensor, negatives: Tensor, present: Tensor) -> Tensor:
    """Mean over B of −log of the positive's share of exp(−energy) among itself and its negatives. Arguments as of `info_nce_by_group`."""
    return info_nce_by_group(positive, negatives, present).mean()


def info_nce_by_group(positive: Tensor, negatives: Tensor, present: Tensor) -> Tensor:
    """[B]: −log of each positive's share.

    It has no temperature: the head's is already in the energies, and a second one would undo it.

    positive: [B]; negatives: [B, K]; present: [B, K], False where a row has fewer than K negatives.
    """
    logits = torch.cat([-positive[:, None], (-negatives).masked_fill(~present, float("-inf"))], dim=1)  # [B, 1 + K]
    return -F.log_softmax(logits, dim=1)[:, 0]
