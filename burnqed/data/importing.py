"""Which theorems of an index can be searched: no statement twice, and only those that Lean can start."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from burnqed.data.skeleton import normal_form
from burnqed.errors import BadInput
from burnqed.lean.protocol import LeanBackend, TacticStatus, Theorem
from burnqed.log import log
from burnqed.progress import Progress

MOST_FAILING = 0.2
"""Share of an index that may not elaborate; with more it was written for another Lean, or lacks its header."""
SAID = 20
"""How many of the statements that do not elaborate are logged, with Lean's reason; report.json has all of them."""


def distinct(theorems: list[Theorem]) -> list[Theorem]:
    """Without those that equal an earlier one up to renaming and spacing."""
    return list({normal_form(t.statement): t for t in reversed(theorems)}.values())[::-1]


async def elaborating(theorems: list[Theorem], lean: LeanBackend) -> list[Theorem]:
    """The theorems that Lean can start; logs why the others are left out."""
    reasons = await failures(theorems, lean, asyncio.Event())
    for name, reason in reasons.items():
        log.warning("%s is left out: %s", name, reason)
    return [t for t in theorems if t.name not in reasons]


async def failing(theorems: Sequence[Theorem], lean: LeanBackend, where: str, stop: asyncio.Event) -> dict[str, str]:
    """Lean's reason for every statement of `where` that does not elaborate, by name; logs the first of them, and how many there are. Setting
    `stop` ends it early, with the reasons so far and nothing logged.

    Raises BadInput when they are more than a fifth.
    """
    reasons = await failures(theorems, lean, stop)
    if stop.is_set():
        return reasons
    if len(reasons) > MOST_FAILING * len(theorems):
        name, reason = next(iter(reasons.items()))
        raise BadInput(
            f"{len(reasons)} of the {len(theorems)} statements in {where} do not elaborate in this Lean, which has only {lean.library} "
            f"(the first is {name}: {' '.join(reason.split())}); give a header that declares what they use, or leave them out."
        )
    for name in list(reasons)[:SAID]:
        log.warning("%s: %s", name, reasons[name])
    if reasons:
        log.warning("%d of the %d statements in %s do not elaborate", len(reasons), len(theorems), where)
    return reasons


async def failures(theorems: Sequence[Theorem], lean: LeanBackend, stop: asyncio.Event) -> dict[str, str]:
    """Lean's reasons by name, in the order of the theorems."""
    free = asyncio.Semaphore(2 * lean.capacity)
    reasons: dict[str, str] = {}
    with Progress(len(theorems), "elaborate", "statements") as progress:

        async def start(theorem: Theorem) -> None:
            async with free:
                if stop.is_set():
                    return
                outcome = await lean.start(theorem)
                if outcome.status is TacticStatus.CRASH:
                    outcome = await lean.start(theorem)
                if outcome.state is None:
                    reasons[theorem.name] = outcome.message.strip()
                else:
                    await lean.release(outcome.state)
                progress.advance(failed=len(reasons))

        await asyncio.gather(*(start(t) for t in theorems))
    return {t.name: reasons[t.name] for t in theorems if t.name in reasons}
