"""trivial: searches 16 trivial theorems with a raw model, to find out within minutes whether model, prompt and Lean fit together. Writes trivial.json.

A model that proves none of them ends the workflow, unless its weights are random. Models that are trained here show by their loss, and in `export`, that they fit.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from burnqed.config import TRIVIAL
from burnqed.data.theorems import shipped_benchmark
from burnqed.errors import BadInput
from burnqed.key import digest_of
from burnqed.lean.protocol import TacticStatus, Theorem
from burnqed.log import log
from burnqed.proof_search.engine import search
from burnqed.proof_search.settings import SearchSettings
from burnqed.steps import lemmas
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.export import is_random, raw
from burnqed.steps.facts import TrivialFacts
from burnqed.steps.indices import default_header
from burnqed.steps.models import searches
from burnqed.steps.searching import opened
from burnqed.trajectory.rows import SearchResult, Task
from burnqed.trajectory.schema import ProofStatus

DOCUMENT = "trivial.json"
MOST_NODES = 16
SHOWN = 4
"""Samples of each theorem that are logged where none is proved."""


class Sample(BaseModel):
    """A tactic that the model wrote at the theorem itself, and Lean's answer."""

    tactic: str
    status: TacticStatus


class Tried(BaseModel):
    """What became of one theorem."""

    name: str
    statement: str
    status: ProofStatus
    reason: str = ""
    proof: str | None = None
    samples: list[Sample]


class Trivial(BaseModel):
    """`trivial.json`."""

    theorems: list[Tried]

    def count(self, status: ProofStatus) -> int:
        return sum(theorem.status is status for theorem in self.theorems)


def needed(context: Context) -> bool:
    """Whether the iteration searches with a model that nobody has tried here yet."""
    return context.iteration == 0 and not context.config.sft.enabled and searches(context.config, 0)


def theorems(context: Context) -> list[Theorem]:
    return shipped_benchmark(default_header(context), TRIVIAL)


def units(context: Context) -> list[Unit]:
    layout, digest = context.layout, digest_of([t.model_dump() for t in theorems(context)])
    parameters = (*raw(context.config), ("the theorems", digest))
    return [Unit(layout.trivial, {"model": [layout.model]} | lemmas.sources(context), parameters=parameters)]


async def run(context: Context, unit: Unit) -> TrivialFacts | None:
    """Raises BadInput if none is proved by a model whose weights are not random; it then logs what the model wrote."""
    config = context.config.search
    settings = SearchSettings.for_search(
        config.model_copy(update={"budget": min(config.budget, MOST_NODES)}),
        probes=(),  # they would prove all of these, whatever the model writes
    )
    found: list[Tried] = []
    tasks = [Task(theorem, seed=config.seed) for theorem in theorems(context)]
    async with opened(context, unit) as (client, lean):
        await search(tasks, lean, client, None, settings, lambda searched: found.append(tried(searched)), context.stop)
    if context.stop.is_set():
        return None
    trivial = Trivial(theorems=sorted(found, key=lambda theorem: theorem.name))
    proved, errors = trivial.count(ProofStatus.PROVED), trivial.count(ProofStatus.ERROR)
    log.info("the raw model proves %d of %d trivial theorems", proved, len(found))
    if not proved and not is_random(unit):
        complain(trivial)
    context.store.write_text(f"{unit.root}/{DOCUMENT}", trivial.model_dump_json(indent=1) + "\n")
    return TrivialFacts(theorems=len(found), proved=proved, errors=errors)


def tried(searched: SearchResult) -> Tried:
    samples = [
        Sample(tactic=row.tactic, status=row.tactic_status)
        for row in searched.states
        if row.parent_id == 0 and row.tactic is not None
    ]
    result, theorem = searched.result, searched.theorem
    return Tried(
        name=theorem.name,
        statement=theorem.statement,
        status=result.status,
        reason=result.reason,
        proof=result.proof,
        samples=samples,
    )


def complain(trivial: Trivial) -> None:
    """Logs samples of each theorem, and raises BadInput that says what to look at."""
    for theorem in trivial.theorems:
        log.warning("%s: %s: %s", theorem.name, theorem.statement, told(theorem.samples) or theorem.reason)
    number = len(trivial.theorems)
    if trivial.count(ProofStatus.ERROR) == number:
        raise BadInput(
            f"None of {number} trivial theorems could be tried: {trivial.theorems[0].reason}; check Lean with `burnqed lean check`, "
            "and lean.backend."
        )
    wrote = [sample for theorem in trivial.theorems for sample in theorem.samples]
    raise BadInput(
        f"The raw model proves none of {number} trivial theorems: it wrote {told(wrote) or 'no tactic'}; check that policy.template is that of the model's family, "
        "the model itself, and Lean (`burnqed lean check`), before it searches more."
    )


def told(samples: Sequence[Sample]) -> str:
    """The first of them that differ, each with Lean's answer."""
    different = dict.fromkeys(f"{' '.join(s.tactic.split())[:60]!r} ({s.status})" for s in samples)
    more = f" and {len(different) - SHOWN} others" if len(different) > SHOWN else ""
    return ", ".join([*different][:SHOWN]) + more


WORK = Work(units, run, needed=needed)
