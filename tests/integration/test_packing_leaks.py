"""Packed sequences do not see each other: whatever a neighbour is, the numbers of the others stay the same."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from burnqed.policy.prompt import prompt
from burnqed.policy.template import COMPLETION
from burnqed.policy.tiny import make_base
from burnqed.train import varlen
from burnqed.train.losses import check_packing, completion_loss
from burnqed.train.model import load_tokenizer
from burnqed.train.packing import Example, encode, pack
from burnqed.train.varlen import VARLEN, lengths
from tests.fixtures.joint_data import SHAPE, pairs

PAIRS = pairs(24, "known", 0)


def as_documented(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    begins: Tensor,
    _: Tensor,
    longest: int,
    __: int,
    *,
    scale: float | None = None,
    window_size: tuple[int, int] = (-1, -1),
    enable_gqa: bool = False,
) -> Tensor:
    """What torch's kernel is documented to compute, one sequence at a time. q: [T, H, D]; k, v: [T, H', D]."""
    assert window_size == (-1, 0)  # causal
    out = torch.empty_like(q)
    ends = begins.tolist()
    for start, end in pairwise(ends):
        assert end - start <= longest
        a, b, c = (t[start:end].transpose(0, 1) for t in (q, k, v))
        mixed = F.scaled_dot_product_attention(a, b, c, is_causal=True, scale=scale, enable_gqa=enable_gqa)
        out[start:end] = mixed.transpose(0, 1)
    return out


def of_torch_2_11(
    q: Tensor, k: Tensor, v: Tensor, begins: Tensor, ends: Tensor, longest: int, most: int,
    *, scale: float | None = None, window_size: tuple[int, int] = (-1, -1),
) -> Tensor:  # fmt: skip
    """Each head has keys and values of its own."""
    return as_documented(q, k, v, begins, ends, longest, most, scale=scale, window_size=window_size)


@pytest.fixture(params=[None, as_documented, of_torch_2_11], ids=["processor", "kernel", "kernel of torch 2.11"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a processor does, and what is done with a GPU's kernel."""
    if request.param:
        with_kernel(request.param, monkeypatch)


def with_kernel(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(varlen, "varlen_attn", kernel)
    monkeypatch.setattr(varlen, "on_processor", lambda _: False)


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    folder: Path = tmp_path_factory.mktemp("base")
    make_base([prompt(pair.state) + pair.tactic for pair in PAIRS], folder, SHAPE, seed=0)
    return encode(load_tokenizer(folder), PAIRS, 160, COMPLETION)


def model(attention: str, device: str = "cpu", dtype: torch.dtype = torch.float32) -> Any:
    """Heads share keys and values in pairs, as in large models."""
    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=400, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, initializer_range=0.2)  # fmt: skip
    made = LlamaForCausalLM(config).to(device, dtype)
    made.set_attn_implementation(attention)
    return made


def hidden(model: Any, batch: Any) -> Tensor:
    batch = batch.to(model.device)
    known = lengths(batch.position_ids) if varlen.is_used(model) else {}
    states: Tensor = model.get_decoder()(batch.input_ids, position_ids=batch.position_ids, use_cache=False, **known)[0]
    return states


def check_leaks(model: Any, examples: list[Example], width: int | None) -> None:
    before = pack(examples, width)
    for changed in (0, len(examples) // 2, len(examples) - 1):
        after = pack(examples, width)
        own = after.segments == changed
        after.input_ids[own] = (after.input_ids[own] + 7) % 400
        with torch.no_grad():
            difference = (hidden(model, before) - hidden(model, after)).abs().amax(-1).cpu()
        assert difference[own].max() > 1e-2
        others = (after.segments >= 0) & ~own
        assert difference[others].max() == 0


WIDTHS = pytest.mark.parametrize("in_one_row", [True, False])


@WIDTHS
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("attention", ["sdpa", VARLEN])
def test_another_neighbour_changes_nothing(examples: list[Example], attention: str, in_one_row: bool) -> None:
    check_leaks(model(attention), examples, sum(map(len, examples)) if in_one_row else None)


@pytest.mark.gpu
@WIDTHS
def test_another_neighbour_changes_nothing_on_a_gpu(examples: list[Example], in_one_row: bool) -> None:
    if not torch.cuda.is_available():
        pytest.skip("FlashAttention needs a GPU")
    on_gpu = model(VARLEN, "cuda", torch.bfloat16)
    check_leaks(on_gpu, examples, sum(map(len, examples)) if in_one_row else None)
    check_packing(on_gpu, examples)


def test_a_leak_would_be_noticed(examples: list[Example], monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(q: Tensor, k: Tensor, v: Tensor, *_: object, **options: Any) -> Tensor:
        whole = torch.tensor([0, len(q)])
        return as_documented(q, k, v, whole, whole, len(q), len(q), **options)

    with_kernel(blind, monkeypatch)
    with pytest.raises(AssertionError):
        check_leaks(model(VARLEN), examples, None)


@WIDTHS
@pytest.mark.usefixtures("kernel")
def test_lengths_and_masks_give_the_same_loss_and_gradients(examples: list[Example], in_one_row: bool) -> None:
    masked, by_length = model("sdpa"), model(VARLEN)
    losses = []
    for one in (masked, by_length):
        loss = completion_loss(one, pack(examples, sum(map(len, examples)) if in_one_row else None))
        loss.backward()  # type: ignore[no-untyped-call]
        losses.append(loss.item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    for a, b in zip(masked.parameters(), by_length.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-3, atol=1e-3)
    check_packing(by_length, examples)


@pytest.mark.usefixtures("kernel")
def test_without_lengths_they_follow_from_the_position_ids(examples: list[Example]) -> None:
    one, batch = model(VARLEN), pack(examples)
    with torch.no_grad():
        without = one.get_decoder()(batch.input_ids, position_ids=batch.position_ids, use_cache=False)[0]
        assert torch.equal(hidden(one, batch), without)
