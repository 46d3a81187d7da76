"""select: the theorems that this iteration searches.

Candidates are taken in one seeded order for all iterations. With `select.pool=new` each iteration continues where the previous one ended; with
`unsolved`, theorems that earlier iterations failed to prove come first; with `same`, every iteration searches what iteration 0 did; with
`contrastive`, only theorems with a known proof of some length are candidates. Sources with a quota come first, the others fill up. Theorems
that a probe tactic proves are left out and not tried again.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack
from itertools import islice

from pydantic import BaseModel

from burnqed.config import counts
from burnqed.data.theorems import namespace, parse_index
from burnqed.documents import READ_AGAIN, read_document
from burnqed.errors import BadInput, TryAgain
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import Theorem
from burnqed.log import log
from burnqed.progress import Progress
from burnqed.record import output
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.data import read_proofs
from burnqed.steps.facts import SelectFacts
from burnqed.steps.models import searches
from burnqed.steps.probed import Probed
from burnqed.steps.trajectories import rows_of, searched_before, searched_iterations
from burnqed.store import Store
from burnqed.trajectory.reader import theorem_results
from burnqed.trajectory.schema import ProofStatus

CONTRASTIVE_DEPTH = 3
"""Tactics of the shortest proof that the pool `contrastive` takes."""


class Selection(BaseModel):
    """`selection.json`: whole theorems, so that shards need no other file."""

    theorems: list[Theorem]
    probe_easy: list[str]
    """Names of theorems that a probe tactic proved, so this iteration leaves them out."""


def units(context: Context) -> list[Unit]:
    layout, pool = context.layout, context.config.select.pool
    earlier = [layout.at(i).selection for i in searched_iterations(context)]
    sources = {
        "data": [layout.data],
        "earlier": earlier[:1] if pool == "same" else earlier,
        "searched": searched_before(context) if pool == "unsolved" else [],
    }
    return [Unit(layout.selection, sources)]


async def run(context: Context, unit: Unit) -> SelectFacts:
    config, store = context.config.select, context.store
    earlier = [read_selection(store, prefix) for prefix in unit.sources["earlier"]]
    if config.pool == "same" and earlier:
        write(store, unit, earlier[0])
        return SelectFacts(theorems=len(earlier[0].theorems), probe_easy=0)
    theorems = pool(context)
    searched = {t.name for selection in earlier for t in selection.theorems}
    used = searched | {name for selection in earlier for name in selection.probe_easy}
    left = searched - proved(store, unit.sources["searched"]) if config.pool == "unsolved" else set()
    again = [t for t in theorems if t.name in left]
    chosen, easy = await first_hard(context, again, [t for t in theorems if t.name not in used])
    if not chosen:
        raise BadInput(
            f"No theorem is left for iteration {context.iteration}: all {len(theorems)} were searched, are proved by a probe "
            "tactic, or have a quota of 0; raise data.generated, give more with --theorems, or set select.pool=unsolved or "
            "select.drop_probe_easy=false."
        )
    of_source = Counter(namespace(t.name) for t in chosen)
    for source, wanted in counts(config.quotas, config.theorems).items():
        if of_source[source] < wanted:
            log.warning("only %d theorems of %s are left, and its quota is %d", of_source[source], source, wanted)
    if len(chosen) < config.theorems:
        log.warning("only %d of the %d requested theorems are left", len(chosen), config.theorems)
    write(store, unit, Selection(theorems=chosen, probe_easy=easy))
    return SelectFacts(theorems=len(chosen), again=sum(t.name in left for t in chosen), probe_easy=len(easy))


def pool(context: Context) -> list[Theorem]:
    """All theorems that may be searched, in the order in which they are tried."""
    config, store, folder = context.config.select, context.store, output(context.store, context.layout.data)
    if config.pool == "contrastive":
        depth = max(CONTRASTIVE_DEPTH, config.min_depth)
        theorems = [p.theorem for p in read_proofs(store, f"{folder}/proofs.json") if len(p.tactics) >= depth]
    else:
        theorems = parse_index(store.read_text(f"{folder}/theorems.json"), store.locate(f"{folder}/theorems.json"))
    theorems.sort(key=lambda t: t.name)
    random.Random(config.seed).shuffle(theorems)
    return theorems


def proved(store: Store, folders: Sequence[str]) -> set[str]:
    """Names of the theorems that searches proved."""
    results = (r for rows in rows_of(store, folders) for r in theorem_results(rows))
    return {r.name for r in results if r.status is ProofStatus.PROVED}


def write(store: Store, unit: Unit, selection: Selection) -> None:
    store.write_text(f"{unit.root}/selection.json", selection.model_dump_json(indent=1))


async def first_hard(
    context: Context, again: Collection[Theorem], candidates: Collection[Theorem]
) -> tuple[list[Theorem], list[str]]:
    """The first theorems that resist the probe tactics, within the quotas, and the names of those among them that do not.

    Those of `again` come before the candidates and are not probed. What is probed at a time, four times what Lean works on at once, has no
    influence on the outcome. Raises TryAgain when stopped; what probing found until then is kept.
    """
    config = context.config.select
    quotas, resisted = counts(config.quotas, config.theorems), {t.name for t in again}
    rest_last = sorted([*again, *candidates], key=lambda t: namespace(t.name) not in quotas)
    hard: list[Theorem] = []
    easy: list[str] = []
    taken: Counter[str] = Counter()
    lean = open_lean(context.config.lean)
    probed = Probed(context.store, lean, context.config.lean.heartbeats)
    undecided: set[str] = set()

    def is_full(theorem: Theorem) -> bool:
        source = namespace(theorem.name)
        return len(hard) == config.theorems or (source in quotas and taken[source] == quotas[source])

    def is_easy(theorem: Theorem) -> bool | None:
        is_known = not config.drop_probe_easy or theorem.name in resisted or theorem.name in undecided
        return False if is_known else probed.easy(theorem)

    async with AsyncExitStack() as stack:
        progress = stack.enter_context(Progress(config.theorems, "select", "theorems"))
        is_open = False
        for position, theorem in enumerate(rest_last):
            if is_full(theorem):
                continue
            if is_easy(theorem) is None:
                if not is_open:  # Lean is not needed where all is known
                    await stack.enter_async_context(lean)
                    stack.callback(probed.save)
                    is_open = True
                unknown = (t for t in rest_last[position:] if not is_full(t) and is_easy(t) is None)
                undecided |= await probed.probe(list(islice(unknown, 4 * lean.capacity)), lean, context.stop)
                if context.stop.is_set():
                    raise TryAgain("The selection was stopped; the same command continues it.")
            if is_easy(theorem):
                easy.append(theorem.name)
            else:
                hard.append(theorem)
                taken[namespace(theorem.name)] += 1
                progress.advance(probe_easy=len(easy))
    return hard, easy


def read_selection(store: Store, prefix: str) -> Selection:
    return read_document(store, f"{output(store, prefix)}/selection.json", Selection, READ_AGAIN)


WORK = Work(units, run, needed=lambda context: searches(context.config, context.iteration))
