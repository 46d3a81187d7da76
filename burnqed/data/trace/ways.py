"""The ways in which whole proofs are traced.

async with opened(Way.FRONTEND, config) as traced:
    async for result in traced(proofs.remaining(done=())):
        ...
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path

from burnqed.config import LeanConfig
from burnqed.data.corpus import split_tactics
from burnqed.data.sets.causes import cause_of_step
from burnqed.data.trace.ahead import in_order
from burnqed.data.trace.frontend import Frontend
from burnqed.data.trace.items import SORRY, Item, has_sorry
from burnqed.data.trace.parts import Result
from burnqed.data.trace.replay import KnownProof, replay
from burnqed.lean.backends import open_lean
from burnqed.lean.pantograph import project
from burnqed.lean.proofs import tactics
from burnqed.lean.protocol import LeanBackend


class Way(StrEnum):
    TACTICS = "tactics"
    """Each tactic is applied to the goals that the one before left: flat proofs, in any Lean."""
    FRONTEND = "frontend"
    """Lean runs the whole proof and records its steps: proofs of any form, in the Lean of the backend `pantograph`."""

    @classmethod
    def usual(cls, config: LeanConfig) -> Way:
        """For the Lean of a configuration."""
        return cls.FRONTEND if config.backend == "pantograph" else cls.TACTICS


Traced = Callable[[Iterable[Item]], AsyncIterator[Result]]
"""What comes of each proof, in their order."""


def version_of(way: Way, config: LeanConfig) -> str:
    """Of the Lean that traces. Raises BadInput where it is not installed."""
    return _project(config).version if way is Way.FRONTEND else open_lean(config).version


@asynccontextmanager
async def opened(way: Way, config: LeanConfig) -> AsyncIterator[Traced]:
    """Raises BadInput where that Lean is not installed."""
    if way is Way.FRONTEND:
        async with Frontend(_project(config), config) as frontend:
            yield frontend.traced
    else:
        async with open_lean(config) as lean:
            yield partial(_replayed, lean)


def _project(config: LeanConfig) -> project.Project:
    return project.opened(Path(config.project) if config.project else None)


def _replayed(lean: LeanBackend, items: Iterable[Item]) -> AsyncIterator[Result]:
    async def work(item: Item) -> Result:
        if has_sorry(item.proof):
            return item.rejected(SORRY, "")
        steps = tuple(split_tactics(tactics(item.proof.proof)))
        replayed = await replay(KnownProof(item.proof.theorem, steps), lean)
        if replayed.error:
            return item.rejected(cause_of_step(replayed.error), replayed.error)
        return item.result(replayed.pairs(item.proof.source), Counter())

    return in_order(work, items, 2 * lean.capacity)
