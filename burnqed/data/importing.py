"""What of a theorem index can be searched: no statement twice, and only what Lean can start."""

from __future__ import annotations

import asyncio

from burnqed.data.skeleton import normal_form
from burnqed.lean.protocol import LeanBackend, Theorem
from burnqed.log import log
from burnqed.progress import Progress


def distinct(theorems: list[Theorem]) -> list[Theorem]:
    """Without those that equal an earlier one up to renaming and spacing."""
    return list({normal_form(t.statement): t for t in reversed(theorems)}.values())[::-1]


async def elaborating(theorems: list[Theorem], lean: LeanBackend) -> list[Theorem]:
    """The theorems that Lean can start; says of each other one why not."""
    free = asyncio.Semaphore(2 * lean.capacity)
    with Progress(len(theorems), "elaborate", "statements") as progress:

        async def one(theorem: Theorem) -> bool:
            async with free:
                outcome = await lean.start(theorem)
                if outcome.state is None:
                    log.warning("%s is left out: %s", theorem.name, outcome.message.strip())
                else:
                    await lean.release(outcome.state)
                progress.advance()
                return outcome.state is not None

        good = await asyncio.gather(*(one(t) for t in theorems))
    return [t for t, ok in zip(theorems, good, strict=True) if ok]
