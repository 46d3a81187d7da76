"""The small model of the embedded default: a Llama of 1–2 million random parameters and a byte-level BPE tokenizer, made on
the spot from the texts it will be trained on.

The result loads with plain `AutoModelForCausalLM` and `AutoTokenizer`, and is the same for equal texts and seed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

from burnqed.config import PolicyConfig

transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]

END, PAD = "<|end|>", "<|pad|>"

WORDS = Regex(r" ?[\p{L}_]+| ?\p{N}|\n+ *| ?[^\s\p{L}\p{N}]+|\s+")
"""Pieces whose boundaries no token crosses: a word (with `_`, without `.`), a single digit or subscript, a run of symbols, each with the
space before it; line breaks with the indentation that follows."""


def make_base(texts: Iterable[str], folder: Path, config: PolicyConfig, seed: int) -> None:
    """Trains the tokenizer on `texts` (such as whole prompts with their tactics) and writes model and tokenizer to `folder`."""
    tokenizer = make_tokenizer(texts, config.vocabulary)
    tokenizer.save_pretrained(folder)
    shape = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=config.hidden_size,
        intermediate_size=4 * config.hidden_size,
        num_hidden_layers=config.layers,
        num_attention_heads=config.heads,
        num_key_value_heads=config.heads,
        max_position_embeddings=2 * (config.max_prompt_tokens + config.max_new_tokens),
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        LlamaForCausalLM(shape).save_pretrained(folder)


def make_tokenizer(texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerFast:
    """Byte-level BPE of at most `vocabulary` tokens. Encoding adds no special token; the end token closes a tactic."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(WORDS, "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=3,  # a token seen once or twice is never learned
        special_tokens=[END, PAD],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=PAD,
        padding_side="right",
        clean_up_tokenization_spaces=False,
    )
