"""Sequences in batches of about equal size, for training and for the model's passes over prompts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

S = TypeVar("S", bound=Sized)


def batches(sequences: Iterable[S], tokens: int) -> Iterator[list[S]]:
    """Consecutive sequences whose lengths sum to at most `tokens` (or a single longer one)."""
    batch: list[S] = []
    total = 0
    for sequence in sequences:
        if batch and total + len(sequence) > tokens:
            yield batch
            batch, total = [], 0
        batch.append(sequence)
        total += len(sequence)
    if batch:
        yield batch
