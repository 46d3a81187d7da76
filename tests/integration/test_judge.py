"""The judge alone: it is told a statement by a clean instance and gets whatever a hostile one may send."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from burnqed.lean.check import judge
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.facts import ProofFacts
from burnqed.lean.protocol import Theorem, Verdict
from tests.fixtures.crossing import ACCEPTED_BY_THE_BARE_KERNEL, CROSSINGS, HONEST, KERNEL, large
from tests.fixtures.crossing_terms import Crossing


def text_of(crossing: Crossing) -> str:
    return "".join(f"{line}\n" for line in crossing.lines)


one_loop = pytest.mark.asyncio(loop_scope="session")
TRUE = Theorem(name="true", statement="1 + 1 = 2")


async def verdict(lean: EmbeddedLean, crossing: Crossing, timeout: float = 60) -> Verdict:
    theorem = Theorem(name=crossing.tries, statement=crossing.statement)
    facts = await lean.judge(theorem, text_of(crossing), timeout=timeout)
    if isinstance(facts, ProofFacts):
        return judge(theorem, facts)
    return Verdict(name=crossing.tries, accepted=False, reason=facts.message, could_not_check=True)


async def verdicts(lean: EmbeddedLean, crossings: Iterable[Crossing]) -> list[Verdict]:
    return await asyncio.gather(*(verdict(lean, crossing) for crossing in crossings))


def test_there_are_enough_attempts_and_each_is_another() -> None:
    assert len(CROSSINGS) >= 30
    assert len(KERNEL) >= 20
    assert len({(c.statement, c.lines) for c in [*CROSSINGS, *KERNEL, *HONEST]}) == len([*CROSSINGS, *KERNEL, *HONEST])
    assert {c.tries for c in KERNEL} >= set(ACCEPTED_BY_THE_BARE_KERNEL) - {c.tries for c in CROSSINGS}


@one_loop
async def test_no_text_that_crosses_is_accepted_unless_it_is_a_proof(lean: EmbeddedLean) -> None:
    found = await verdicts(lean, [*CROSSINGS, *KERNEL])
    assert [v.name for v in found if v.accepted] == []
    assert [v.name for v in found if not v.reason] == []


@pytest.mark.long
@one_loop
async def test_texts_too_large_for_anybody_are_refused_and_the_next_proof_is_judged(lean: EmbeddedLean) -> None:
    for crossing in large():
        assert not (await verdict(lean, crossing, timeout=5)).accepted, crossing.tries
        assert (await lean.check(TRUE, "decide")).accepted, f"after {crossing.tries}"


@one_loop
async def test_honest_definitions_and_inductive_types_cross(lean: EmbeddedLean) -> None:
    assert [(v.name, v.reason) for v in await verdicts(lean, HONEST) if not v.accepted] == []
