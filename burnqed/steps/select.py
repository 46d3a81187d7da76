"""select: the theorems that this iteration searches.

Candidates are taken in one seeded order for all iterations, so that each continues where the one before ended; what one of
the probe tactics proves is left out and not tried again.
"""

from __future__ import annotations

import random

from pydantic import BaseModel

from burnqed.data.theorems import parse_index
from burnqed.documents import READ_AGAIN, read_document
from burnqed.errors import BadInput, TryAgain
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import Theorem
from burnqed.log import log
from burnqed.manifest import output
from burnqed.progress import Progress
from burnqed.search.many import run_many
from burnqed.search.probes import probe_easy
from burnqed.steps.base import Context, Facts, Step, Unit
from burnqed.store import Store


class Selection(BaseModel):
    """`selection.json`: whole theorems, so that shards need no other file."""

    theorems: list[Theorem]
    probe_easy: list[str]
    """Names of what was tried and left out in this iteration."""


def units(context: Context) -> list[Unit]:
    earlier = tuple(context.layout.at(i).selection for i in range(context.iteration))
    return [Unit(context.layout.selection, (context.layout.data, *earlier))]


async def run(context: Context, unit: Unit) -> Facts:
    config, store = context.config.select, context.store
    path = f"{output(store, context.layout.data)}/theorems.json"
    theorems = sorted(parse_index(store.read_text(path), store.locate(path)), key=lambda t: t.name)
    random.Random(config.seed).shuffle(theorems)
    used: set[str] = set()
    for i in range(context.iteration):
        earlier = read_selection(store, context.layout.at(i).selection)
        used |= {t.name for t in earlier.theorems} | set(earlier.probe_easy)
    candidates = [t for t in theorems if t.name not in used]
    chosen, easy = (
        await first_hard(context, candidates) if config.drop_probe_easy else (candidates[: config.theorems], [])
    )
    if not chosen:
        raise BadInput(
            f"No theorem is left for iteration {context.iteration}: all {len(theorems)} were searched or are proved by a probe "
            "tactic; raise data.generated, give more with --theorems, or set select.drop_probe_easy=false."
        )
    if len(chosen) < config.theorems:
        log.warning("only %d of the %d theorems asked for are left", len(chosen), config.theorems)
    store.write_text(
        f"{unit.root}/selection.json", Selection(theorems=chosen, probe_easy=easy).model_dump_json(indent=1)
    )
    return {"theorems": len(chosen), "probe_easy": len(easy)}


async def first_hard(context: Context, candidates: list[Theorem]) -> tuple[list[Theorem], list[str]]:
    """The first theorems, as many as asked for, that resist the probe tactics; and the names of the others before the last.

    Batches of as many as Lean works on at once keep the outcome independent of speed.
    """
    wanted, timeout = context.config.select.theorems, context.config.select.probe_timeout_s
    hard: list[Theorem] = []
    easy: list[str] = []
    is_easy: dict[str, bool] = {}
    async with open_lean(context.config.lean) as lean:

        async def probe(theorem: Theorem) -> tuple[str, bool]:
            return theorem.name, await probe_easy(theorem, lean, timeout)

        with Progress(wanted, "select", "theorems") as progress:
            size = 4 * lean.capacity
            for start in range(0, len(candidates), size):
                batch = candidates[start : start + size]
                await run_many(batch, probe, size, lambda verdict: is_easy.update([verdict]), context.stop)
                if context.stop.is_set():
                    raise TryAgain("The selection was stopped; the same command begins it again.")
                for theorem in batch:
                    if len(hard) == wanted:
                        return hard, easy
                    if is_easy[theorem.name]:
                        easy.append(theorem.name)
                    else:
                        hard.append(theorem)
                        progress.advance(probe_easy=len(easy))
    return hard, easy


def read_selection(store: Store, prefix: str) -> Selection:
    return read_document(store, f"{output(store, prefix)}/selection.json", Selection, READ_AGAIN)


STEP = Step("select", 1, ("select", "lean"), units, run)
