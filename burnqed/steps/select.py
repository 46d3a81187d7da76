"""select: the theorems that this iteration searches.

Candidates are taken in one seeded order for all iterations. With `select.pool=new` each iteration continues where the previous one ended; with
`unsolved`, theorems that earlier iterations failed to prove come first; with `same`, every iteration searches what iteration 0 did. Theorems
that a probe tactic proves are left out and not tried again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from pydantic import BaseModel

from burnqed.data.theorems import parse_index
from burnqed.documents import READ_AGAIN, read_document
from burnqed.errors import BadInput, TryAgain
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import Theorem
from burnqed.log import log
from burnqed.progress import Progress
from burnqed.proof_search.many import run_many
from burnqed.proof_search.probes import probe_easy
from burnqed.record import output
from burnqed.steps import sft
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.facts import SelectFacts
from burnqed.steps.trajectories import rows_of
from burnqed.store import Store
from burnqed.trajectory.reader import theorem_results
from burnqed.trajectory.schema import ProofStatus


class Selection(BaseModel):
    """`selection.json`: whole theorems, so that shards need no other file."""

    theorems: list[Theorem]
    probe_easy: list[str]
    """Names of theorems that a probe tactic proved, so this iteration leaves them out."""


def units(context: Context) -> list[Unit]:
    layout, pool = context.layout, context.config.select.pool
    earlier = [layout.at(i).selection for i in range(context.iteration)]
    sources = {
        "data": [layout.data],
        "earlier": earlier[:1] if pool == "same" else earlier,
        "searched": sft.found_shards(context) if pool == "unsolved" else [],
    }
    return [Unit(layout.selection, sources)]


async def run(context: Context, unit: Unit) -> SelectFacts:
    config, store = context.config.select, context.store
    earlier = [read_selection(store, prefix) for prefix in unit.sources["earlier"]]
    if config.pool == "same" and earlier:
        write(store, unit, earlier[0])
        return SelectFacts(theorems=len(earlier[0].theorems), probe_easy=0)
    path = f"{output(store, context.layout.data)}/theorems.json"
    theorems = sorted(parse_index(store.read_text(path), store.locate(path)), key=lambda t: t.name)
    random.Random(config.seed).shuffle(theorems)
    searched = {t.name for selection in earlier for t in selection.theorems}
    used = searched | {name for selection in earlier for name in selection.probe_easy}
    candidates = [t for t in theorems if t.name not in used]
    again: list[Theorem] = []
    if config.pool == "unsolved":
        left = searched - proved(store, unit.sources["searched"])
        again = [t for t in theorems if t.name in left][: config.theorems]
    wanted = config.theorems - len(again)
    drop_easy = config.drop_probe_easy
    chosen, easy = await first_hard(context, candidates, wanted) if drop_easy else (candidates[:wanted], [])
    chosen = [*again, *chosen]
    if not chosen:
        raise BadInput(
            f"No theorem is left for iteration {context.iteration}: all {len(theorems)} were searched or are proved by a probe "
            "tactic; raise data.generated, give more with --theorems, or set select.pool=unsolved or select.drop_probe_easy=false."
        )
    if len(chosen) < config.theorems:
        log.warning("only %d of the %d requested theorems are left", len(chosen), config.theorems)
    write(store, unit, Selection(theorems=chosen, probe_easy=easy))
    return SelectFacts(theorems=len(chosen), again=len(again), probe_easy=len(easy))


def proved(store: Store, folders: Sequence[str]) -> set[str]:
    """Names of the theorems that searches proved."""
    results = (r for rows in rows_of(store, folders) for r in theorem_results(rows))
    return {r.name for r in results if r.status is ProofStatus.PROVED}


def write(store: Store, unit: Unit, selection: Selection) -> None:
    store.write_text(f"{unit.root}/selection.json", selection.model_dump_json(indent=1))


async def first_hard(context: Context, candidates: list[Theorem], wanted: int) -> tuple[list[Theorem], list[str]]:
    """The first `wanted` theorems that resist the probe tactics, and the names of those before the last that do not.

    Batches of a fixed size, four times what Lean works on at once, keep the outcome independent of speed.
    """
    hard: list[Theorem] = []
    easy: list[str] = []
    is_easy: dict[str, bool] = {}
    if wanted == 0:
        return hard, easy
    async with open_lean(context.config.lean) as lean:

        async def probe(theorem: Theorem) -> tuple[str, bool]:
            return theorem.name, await probe_easy(theorem, lean)

        with Progress(wanted, "select", "theorems") as progress:
            size = 4 * lean.capacity
            for start in range(0, len(candidates), size):
                batch = candidates[start : start + size]
                await run_many(batch, probe, size, lambda verdict: is_easy.update([verdict]), context.stop)
                if context.stop.is_set():
                    raise TryAgain("The selection was stopped; the same command starts it again.")
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


WORK = Work(units, run)
