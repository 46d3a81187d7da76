"""The library's lemmas (`policy.lemmas`): a unit of the step `data`, which has a Lean; the pods that write prompts from it have none, or another thing to do with it.

Writes lemmas.json: [{name, statement}]. It belongs to the run itself, so that a branch can have it where the run that it branches from has not.
"""

from __future__ import annotations

from functools import lru_cache

from burnqed.lean.lemmas import Lemma, library_lemmas
from burnqed.log import log
from burnqed.policy.retrieval import Retrieval
from burnqed.record import output
from burnqed.steps.base import Context, Unit
from burnqed.steps.facts import LemmaFacts
from burnqed.store import Store

NAME = "lemmas"
DOCUMENT = "lemmas.json"


def units(context: Context) -> list[Unit]:
    return [Unit(context.layout.lemmas, name=NAME)] if context.config.policy.lemmas else []


def sources(context: Context) -> dict[str, list[str]]:
    """What a unit is made from besides, if its prompts offer lemmas."""
    return {NAME: [unit.prefix for unit in units(context)]}


async def write(context: Context, unit: Unit) -> LemmaFacts:
    """Raises BadInput for a Lean that cannot list its lemmas."""
    found = await library_lemmas(context.config.lean)
    context.store.write_json(f"{unit.root}/{DOCUMENT}", [lemma.model_dump() for lemma in found])
    return LemmaFacts(lemmas=len(found))


def retrieval(store: Store, unit: Unit) -> Retrieval | None:
    """Over the lemmas that a unit's prompts offer; None where they offer none."""
    return next((indexed(store, output(store, prefix)) for prefix in unit.sources.get(NAME, ())), None)


@lru_cache(maxsize=1)
def indexed(store: Store, folder: str) -> Retrieval:
    """Kept, as several units of a pod need it one after the other."""
    rows = store.read_json(f"{folder}/{DOCUMENT}")
    log.info("%d lemmas of the library are indexed", len(rows))
    return Retrieval([Lemma.model_validate(row) for row in rows])
