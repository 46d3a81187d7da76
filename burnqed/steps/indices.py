"""Theorem indices that the configuration names, and samples of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from burnqed.config import LeanConfig
from burnqed.data.split import unit_interval
from burnqed.data.theorems import parse_index, read_index
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import Theorem
from burnqed.steps.base import Context

INPUTS = "inputs/"
"""Addresses that begin so lie in the run's own folder."""

T = TypeVar("T")


def default_header(context: Context) -> str:
    """The header of theorems that have none, which a run writes out: what it stores says the same whatever backend reads it."""
    return open_lean(LeanConfig(backend=context.config.lean.backend)).default_header


def read_configured(context: Context, location: str) -> list[Theorem]:
    """A theorem index of the run's own folder, of a store or a path; each theorem has its header."""
    header = default_header(context)
    if location.startswith(INPUTS):
        path = f"{context.layout.run}/{location}"
        return parse_index(context.store.read_text(path), context.store.locate(path), header)
    return read_index(location, header)


def some(items: Sequence[T], count: int | None, name: Callable[[T], str]) -> list[T]:
    """`count` of the items (all for None), chosen by hash of their name; in their order."""
    chosen = {name(i) for i in sorted(items, key=lambda item: unit_interval("some", name(item)))[:count]}
    return [item for item in items if name(item) in chosen]
