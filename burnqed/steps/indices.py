"""Theorem indices named in the configuration, and samples of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from burnqed.data.split import unit_interval
from burnqed.data.theorems import parse_index, read_index
from burnqed.lean.backends import open_unlimited
from burnqed.lean.protocol import Theorem
from burnqed.steps.base import Context

INPUTS = "inputs/"
"""Prefix of addresses in the run's own folder."""

T = TypeVar("T")


def default_header(context: Context) -> str:
    """The header for theorems without one. A run writes it out, so what it stores means the same to every backend."""
    return open_unlimited(context.config.lean).default_header


def read_configured(context: Context, location: str) -> list[Theorem]:
    """Reads a theorem index from the run's own folder, a store or a path; every theorem gets a header."""
    header = default_header(context)
    if location.startswith(INPUTS):
        path = f"{context.layout.trunk}/{location}"
        return parse_index(context.store.read_text(path), context.store.locate(path), header)
    return read_index(location, header)


def some(items: Sequence[T], count: int | None, name: Callable[[T], str]) -> list[T]:
    """`count` of the items (all if None), chosen by hash of their name, in their original order."""
    chosen = {name(i) for i in sorted(items, key=lambda item: unit_interval("some", name(item)))[:count]}
    return [item for item in items if name(item) in chosen]
