"""Tactic pairs as token sequences, and several sequences in one row.

Sequences are short (a few hundred tokens at most), so without packing most of the work would be padding. A batch holds about
`batch_tokens` tokens in rows of a length that leaves few gaps. Position ids restart at 0 in each sequence; from them `transformers`
derives an attention mask in which no sequence sees another (`masking_utils.find_packed_sequence_indices`).
`burnqed.train.losses.check_packing` verifies this on the model at hand.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from burnqed.data.pairs import TacticPair
from burnqed.data.rows import chunks
from burnqed.policy.template import Template

IGNORED = -100
"""Target of a position that the loss leaves out."""
NOTHING = -1
"""Segment of a position that belongs to no sequence."""

CHUNK = 4_096
"""Pairs that are encoded at once."""
ATTENTION_LENGTH = 1_024
"""Row length at which masked attention costs a small model (d = 128) about as much as everything else. In a large model attention
hardly counts, and neither does the choice."""


@dataclass(frozen=True, slots=True)
class Example:
    """One pair in tokens."""

    tokens: NDArray[np.int64]
    """[n]: prompt, tactic, end of sequence; in a file that is mapped into memory."""
    prompt_length: int
    """The loss covers the tokens from here on."""
    log_prob: float | None = None
    """See `TacticPair`."""

    def __len__(self) -> int:
        return len(self.tokens)


def encode(tokenizer: Any, pairs: Sequence[TacticPair], max_length: int, template: Template) -> list[Example]:
    """Examples in the order of the pairs, without those that exceed `max_length` tokens; a prompt's lemmas make way for its state.

    Prompt and tactic are encoded separately, as they are when the model continues a prompt.
    """
    found: list[tuple[int, int, float | None]] = []  # tokens, tokens of the prompt, log-probability
    with tempfile.TemporaryFile() as file:
        for some in chunks(pairs, CHUNK):
            prompts = tokenizer([template.prompt(pair.state) for pair in some])["input_ids"]
            tactics = tokenizer([pair.tactic.strip() for pair in some], add_special_tokens=False)["input_ids"]
            for pair, before, after in zip(some, prompts, tactics, strict=True):
                if template.lemmas and len(before) + len(after) >= max_length:
                    before = tokenizer(template.bare_prompt(pair.state))["input_ids"]
                tokens = [*before, *after, tokenizer.eos_token_id]
                if len(tokens) <= max_length:
                    file.write(np.array(tokens, dtype=np.int64).tobytes())
                    found.append((len(tokens), len(before), pair.log_prob))
        if not found:
            return []
        file.flush()
        # the mapping keeps the file
        mapped = np.asarray(np.memmap(file, np.int64, "c"))
    ends = np.cumsum([length for length, _, _ in found]).tolist()
    return [
        Example(mapped[end - n : end], start, log_prob) for end, (n, start, log_prob) in zip(ends, found, strict=True)
    ]


def shuffled(repeats: Sequence[int], seed: int) -> Iterator[int]:
    """An endless stream of indices. In each round index i comes `repeats[i]` times; the order of a round follows from `seed`, so a
    resumed training finds its place by counting.
    """
    stream = np.repeat(np.arange(len(repeats)), repeats)
    for round_ in count():
        yield from np.random.default_rng([seed, round_]).permutation(stream).tolist()


def balanced(groups: Sequence[NDArray[np.int64]], seed: int) -> Iterator[int]:
    """An endless stream of indices, of which each round has one of every group, in an order and choice that follow from `seed`."""
    for round_ in count():
        random = np.random.default_rng([seed, round_])
        order, draws = random.permutation(len(groups)), random.random(len(groups))
        yield from (int(groups[g][int(draws[g] * len(groups[g]))]) for g in order)


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows of a batch, R rows of L positions."""

    input_ids: torch.Tensor
    """[R, L]"""
    position_ids: torch.Tensor
    """[R, L], from 0 in each sequence; 0 where there is none."""
    targets: torch.Tensor
    """[R, L]: the next token where that token belongs to a completion, else IGNORED."""
    segments: torch.Tensor
    """[R, L]: the example's number among those that were packed; NOTHING where there is none."""
    tokens: int
    """Positions that belong to a sequence."""
    completion_tokens: int
    """Targets that are not IGNORED."""

    def to(self, device: torch.device) -> Packed:
        tensors = {
            name: getattr(self, name).to(device) for name in ("input_ids", "position_ids", "targets", "segments")
        }
        return replace(self, **tensors)


def fill(lengths: Sequence[int], width: int) -> list[list[int]]:
    """Indices of examples in rows of at most `width` tokens: the longest first, each into the first row with room."""
    rows: list[list[int]] = []
    room: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        row = next((r for r, free in enumerate(room) if free >= lengths[i]), len(rows))
        if row == len(rows):
            rows.append([])
            room.append(width)
        rows[row].append(i)
        room[row] -= lengths[i]
    return rows


def pack(examples: Sequence[Example], width: int | None = None) -> Packed:
    """The examples in rows of `width`; by default a width that needs few positions, weighed against the cost of attention, which grows
    with the length of the rows.
    """
    lengths = [len(example) for example in examples]
    longest = max(lengths)
    widths = [width] if width else [longest, longest * 3 // 2, longest * 2, longest * 3]
    packings = [(w, fill(lengths, w)) for w in widths]
    width, rows = min(packings, key=lambda p: len(p[1]) * p[0] * (1 + p[0] / ATTENTION_LENGTH))
    input_ids = np.zeros((len(rows), width), dtype=np.int64)
    position_ids = np.zeros_like(input_ids)
    targets = np.full_like(input_ids, IGNORED)
    segments = np.full_like(input_ids, NOTHING)
    for r, row in enumerate(rows):
        start = 0
        for i in row:
            example = examples[i]
            end = start + len(example)
            input_ids[r, start:end] = example.tokens
            position_ids[r, start:end] = np.arange(len(example))
            segments[r, start:end] = i
            targets[r, start + example.prompt_length - 1 : end - 1] = example.tokens[example.prompt_length :]
            start = end
    return Packed(
        torch.from_numpy(input_ids),
        torch.from_numpy(position_ids),
        torch.from_numpy(targets),
        torch.from_numpy(segments),
        sum(lengths),
        sum(len(example) - example.prompt_length for example in examples),
    )
