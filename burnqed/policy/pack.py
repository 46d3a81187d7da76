"""Sequences of one pass through a network, each from where it parts from one whose beginning is known.

for pack in continued(sequences, tokens=4_096, shares=True, lately=recent):
    hidden = llama.packed(pack.parts, pack.starts, pack.extend)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from burnqed.policy import recent
from burnqed.policy.recent import Recent, in_common

Extend = Callable[[int, Sequence[Tensor], Sequence[Tensor]], tuple[list[Tensor], list[Tensor]]]
"""Layer, keys and values of the sequences' new tokens, [n, G, E] each → those of whole sequences, [T, G, E]."""

Known = dict[int, tuple[Tensor, ...]]
"""What is known of one sequence: keys and values by layer, [T, G, E] each, and behind the last layer its hidden states, [T, d]."""


@dataclass
class Pack:
    """Sequences that are processed in one pass, each from where it parts from one that is known: the one before, or a recent one."""

    keeps: bool
    """Whether rows of all layers are kept; otherwise each layer takes the place of the one before."""
    parts: list[Sequence[int]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    sources: list[Known] = field(default_factory=list)
    rows: list[Known] = field(default_factory=list)

    def append(self, sequence: Sequence[int], start: int, source: Known | None) -> None:
        """`source`: of which sequence the first `start` tokens are known; None: of the one before."""
        self.parts.append(sequence[start:])
        self.starts.append(start)
        self.sources.append(source if source is not None else self.rows[-1] if self.rows else {})
        self.rows.append({})

    def extend(
        self, layer: int, first: Sequence[Tensor], second: Sequence[Tensor]
    ) -> tuple[list[Tensor], list[Tensor]]:
        """See `Extend`."""
        layer = layer if self.keeps else 0
        both = [p for p in (first, second) if p]
        for start, source, own, *parts in zip(self.starts, self.sources, self.rows, *both, strict=True):
            if start:
                own[layer] = tuple(torch.cat([o[:start], p]) for o, p in zip(source[layer], parts, strict=True))
            else:
                own[layer] = tuple(p.clone() if self.keeps else p for p in parts)  # not with all that it is a view of
        return [own[layer][0] for own in self.rows], [own[layer][-1] for own in self.rows]


def continued(
    sequences: Sequence[Sequence[int]], tokens: int, shares: bool, lately: Recent[Known] | None = None
) -> Iterator[Pack]:
    """Consecutive sequences, without the first tokens that are known from the one before or from one of `lately` (unless they are few, or the pack `shares` nothing), whose lengths
    then sum to at most `tokens` (or a single longer one). Where rows are kept, those first tokens count, too: they take as much memory."""
    pack, total = Pack(lately is not None), 0
    before = np.empty(0, dtype=np.int64)
    for sequence in sequences:
        whole = np.array(sequence)
        known, source = lately.longest(sequence) if lately else (0, None)
        start = in_common(before, whole[:-1]) if shares else 0  # of each, one token at least is left
        start = start if start >= recent.LEAST_KNOWN else 0
        if pack.parts and total + (len(sequence) if pack.keeps else len(sequence) - start) > tokens:
            yield pack
            pack, total, start = Pack(lately is not None), 0, 0
        pack.append(sequence, max(start, known), source if known > start else None)
        total += len(sequence) if pack.keeps else len(pack.parts[-1])
        before = whole
    if pack.parts:
        yield pack
