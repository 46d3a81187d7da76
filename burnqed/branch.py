"""Branches: runs that share the beginning of another (`data.origin`, `--from RUN:N` or `RUN:base`), to compare what is done differently from there on.

A branch reads the other run's data, base model, benchmarks and iterations up to N (or none) where they are, and never writes there.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.layout import NAME, SETTINGS, Layout, origin_of
from burnqed.remembered import recall
from burnqed.store import Store


def layout_of(run: str, iteration: int, config: RunConfig) -> Layout:
    """The paths of a run's iteration, wherever they are."""
    return Layout(run, iteration, None if config.data.origin is None else origin_of(config.data.origin))


def check_branch(store: Store, layout: Layout) -> None:
    """Raises BadInput for a run that would become a branch, or stop to be one, after it has begun; for an iteration that its origin has; and for a branch of a
    branch."""
    run, origin = layout.run, layout.origin
    known = recall(store, run)
    now = origin.address if origin else None
    if known and known.data.origin != now:
        was = f"begun as a branch of {known.data.origin}" if known.data.origin else "begun without --from"
        advice = f"give --from {known.data.origin}" if known.data.origin else "leave --from out"
        raise BadInput(f"The run {run!r} was {was}, and stays so; {advice}, or --run NAME for another run.")
    if origin is None:
        return
    if origin.run == run:
        raise BadInput(f"The run {run!r} cannot be a branch of itself; give --run NAME.")
    theirs = recall(store, origin.run)
    if theirs is None:
        raise BadInput(f"{store.uri} has no run {origin.run!r} to begin from; check --from.")
    if theirs.data.origin:
        raise BadInput(f"The run {origin.run!r} is itself a branch of {theirs.data.origin}; begin from that run.")
    if 0 <= layout.iteration <= origin.iteration:
        raise BadInput(
            f"Iteration {layout.iteration} of {run!r} is that of {origin.run!r}, of which it is a branch; its own begin with --iter {origin.iteration + 1}."
        )


def check_given(layout: Layout) -> None:
    """Raises BadInput for theorems, pairs, proofs or a benchmark that a branch is given."""
    if layout.origin:
        theirs = layout.origin.run
        raise BadInput(
            f"The run {layout.run!r} is a branch, and has the data and benchmarks of {theirs!r}: give theorems, pairs, proofs and benchmarks to that run. A benchmark that it has got "
            "since is had by --set data.benchmarks.NAME=ADDRESS, with the address in its run.json."
        )


def branches(store: Store, run: str) -> Iterator[tuple[str, int]]:
    """Other runs that share its beginning, each with the last iteration that it shares, or -1."""
    for name in store.folders():
        path = f"{name}/{SETTINGS}"
        if name == run or not NAME.fullmatch(name) or not store.exists(path):
            continue
        try:
            origin = origin_of(store.read_json(path)["data"]["origin"])
        except (ValueError, LookupError, TypeError, BadInput):
            continue  # of another version, or no branch
        if origin.run == run:
            yield name, origin.iteration
