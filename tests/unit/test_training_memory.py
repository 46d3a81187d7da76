"""What is chosen from the memory of a GPU, with the shape of a 7B model."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from burnqed.config import SftConfig
from burnqed.train import memory
from burnqed.train.memory import GIB, Needs, first_splits, fit, recomputes


class Model:
    """Of 7B weights in 30 layers, 40 million of which an adapter trains."""

    device = torch.device("cuda")
    config = SimpleNamespace(hidden_size=4096, num_hidden_layers=30, vocab_size=102_400)

    def __init__(self, trained: int) -> None:
        self.trained, self.asked = trained, False

    def parameters(self) -> list[Any]:
        return [SimpleNamespace(numel=lambda: self.trained, requires_grad=True)]

    def gradient_checkpointing_enable(self, _: object) -> None:
        self.asked = True


LORA = SftConfig(method="lora", precision="bfloat16", batch_tokens=8192)


@pytest.mark.parametrize(
    ("gib", "batch_tokens", "recomputed", "splits"),
    [
        (120, 8192, False, 1),
        (60, 8192, True, 1),
        (60, 4096, False, 1),
        (6, 8192, True, 2),
        (1, 8192, True, 8),  # a part holds the longest sequence, however little memory there is
    ],
)
def test_activations_are_kept_where_they_fit_and_batches_divided_where_they_do_not(
    gib: int, batch_tokens: int, recomputed: bool, splits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, config = Model(40_000_000), LORA.model_copy(update={"batch_tokens": batch_tokens})
    monkeypatch.setattr(memory, "free_memory", lambda _: gib * GIB)
    assert fit(model, config) == splits
    assert model.asked == recomputed


def test_what_the_user_says_of_activations_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(40_000_000)
    monkeypatch.setattr(memory, "free_memory", lambda _: 20 * GIB)
    assert fit(model, LORA.model_copy(update={"gradient_checkpointing": False})) == 8
    assert fit(model, LORA.model_copy(update={"gradient_checkpointing": True})) == 1
    assert not model.asked  # here: the model was loaded that way


def test_the_optimizer_s_state_counts_for_weights_that_are_trained() -> None:
    whole, adapter = Needs.of(Model(7 * 10**9), SftConfig()), Needs.of(Model(40_000_000), LORA)
    assert whole.trained == 12 * 7 * 10**9
    assert adapter.trained < GIB
    assert recomputes(whole, 80 * GIB, 1)
    assert not recomputes(adapter, 80 * GIB, 1)
    assert first_splits(adapter, 80 * GIB, LORA, recomputed=True) == 1


def test_on_processors_nothing_is_chosen() -> None:
    model = Model(1)
    model.device = torch.device("cpu")
    assert fit(model, LORA) == 1
    assert not model.asked


def test_prompts_that_count_in_the_loss_need_room_for_their_logits() -> None:
    model = Model(40_000_000)
    alone, both = (Needs.of(model, LORA.model_copy(update={"prompt_weight": weight})) for weight in (0.0, 0.01))
    assert both.token - alone.token == both.least_token - alone.least_token > 8 * model.config.vocab_size
