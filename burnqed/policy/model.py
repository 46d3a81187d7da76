"""Loading a language model from a folder: its network, tokenizer and identity.

A Llama is run by `burnqed.policy.llama`, which does without transformers (it starts 6 s sooner and is faster); any other model that
`AutoModelForCausalLM` supports is run by `burnqed.policy.causal`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from safetensors import SafetensorError
from tokenizers import Tokenizer
from torch import Tensor

from burnqed.config import Weights
from burnqed.errors import BadInput
from burnqed.policy.llama import Llama
from burnqed.policy.recent import Recent
from burnqed.policy.version import model_files, model_version


class Rows(Protocol):
    """Sequences that are being decoded together, in order."""

    can_join: bool
    """Whether `admit` may be called while there are rows."""

    def admit(self, prompts: Sequence[Sequence[int]], widths: Sequence[int]) -> Tensor:
        """Appends a row for each prompt, which may become `widths[i]` rows; logits of the new rows' first token, [len(prompts), V], at least float32."""
        ...

    def advance(self, tokens: Sequence[int]) -> Tensor:
        """Appends one token to every row; logits of the next ones, [B, V], at least float32."""
        ...

    def keep(self, rows: Sequence[int]) -> None:
        """Keeps these rows, in this order; one that is listed several times is copied."""
        ...


class Network(Protocol):
    context: int
    """The number of positions that the network supports."""
    width: int
    """d, of its hidden states."""
    pads: bool
    """Whether sequences that it is given together should be about equally long; otherwise it takes those that begin alike, one after the other, in less time."""

    def rows(self) -> Rows: ...

    def hidden(self, sequences: Sequence[Sequence[int]], lately: Recent[Any] | None = None) -> list[Tensor]:
        """Last hidden states after the final norm: one [length, d] for each sequence of token ids, without padding. `lately`: where a network that can make use of it
        keeps what it computed of these, and finds what it did of others that begin like them."""
        ...


@dataclass(frozen=True)
class LanguageModel:
    folder: Path
    version: str
    dtype: str
    """Of the saved weights."""
    weights: Weights
    network: Network
    tokenizer: Tokenizer
    end_ids: frozenset[int]
    """Tokens that end a reply."""


def load_model(
    folder: Path, dtype: str = "float32", *, reference: bool = False, exact: bool = False, weights: Weights = "full"
) -> LanguageModel:
    """Loads onto the GPU when there is one. `reference` uses transformers' network even for a Llama, and so does `nf4`.

    The rounding of a matrix product depends on its number of rows, so in rare cases the rest of a batch, or earlier prompts, change a sample. With `exact`,
    float32 weights are computed with in float64 on a CPU: rounding errors are then a billion times smaller than the differences that decide
    about a sample or an energy. This takes twice as long.

    Raises BadInput for a folder that is not a model.
    """
    model_files(folder)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    in_4_bits = weights == "nf4"
    exact = exact and dtype == "float32" and device.type == "cpu" and not in_4_bits
    type_: torch.dtype = torch.float64 if exact else getattr(torch, dtype)
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        network: Network
        if Llama.fits(config) and not (reference or in_4_bits):
            network = Llama(folder, type_, device)
        else:
            from burnqed.policy.causal import Causal

            network = Causal(folder, type_, device, in_4_bits=in_4_bits)
    except Exception as error:
        expected = isinstance(error, OSError | ValueError | KeyError | RuntimeError | SafetensorError)
        if not (expected or type(error) is Exception):  # which tokenizers raises
            raise
        raise BadInput(
            f"The model at {folder} cannot be loaded ({error}); export it again, or give another folder."
        ) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return LanguageModel(folder, model_version(folder), dtype, weights, network, tokenizer, end_ids(folder, config))


def end_ids(folder: Path, config: dict[str, object]) -> frozenset[int]:
    """`eos_token_id` of the model's configuration and of the generation configuration."""
    file = folder / "generation_config.json"
    sources = [config, json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}]
    values = [source.get("eos_token_id") for source in sources]
    return frozenset(i for v in values for i in (v if isinstance(v, list) else [v]) if isinstance(i, int))
