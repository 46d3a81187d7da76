"""The benchmark: its size and variety, its distance from what is trained on, and, in real Lean, its reference proofs."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter

import pytest

from burnqed.data.corpus import load_corpus
from burnqed.data.generate import generate
from burnqed.data.skeleton import normal_form, skeleton
from burnqed.data.theorems import shipped_benchmark, shipped_easy
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.proof_search.probes import probe_easy
from tests.fixtures.benchmark_proofs import ReferenceProof, reference_proofs

PROBED = 5
"""Theorems of each kind that are probed; `benchmarks/corpus_headroom.py benchmark` probes all."""
WHOLE = bool(os.environ.get("BURNQED_WHOLE_CORPUS"))
CHECKED = slice(None, None, 1 if WHOLE else 12)
GENERATED = 300 if WHOLE else 100
"""Generated statements that are elaborated."""


@pytest.fixture(scope="module")
def proofs() -> list[ReferenceProof]:
    return reference_proofs()


def test_the_shipped_index_holds_the_statements_that_have_reference_proofs(proofs: list[ReferenceProof]) -> None:
    assert [(t.name, t.statement) for t in shipped_benchmark()] == [
        (p.theorem.name, p.theorem.statement) for p in proofs
    ]


def test_there_are_enough_theorems_and_most_are_not_for_the_probe_tactics(proofs: list[ReferenceProof]) -> None:
    hard = [proof for proof in proofs if not proof.is_easy]
    assert len(proofs) >= 160
    assert 0.55 <= len(hard) / len(proofs) <= 0.67, "the 18-tactic list must be a baseline with a real number"
    assert min(len(proof.tactics) for proof in hard) >= 3


def test_the_package_says_which_theorems_are_for_the_probe_tactics(proofs: list[ReferenceProof]) -> None:
    assert shipped_easy("shipped") == {proof.theorem.name for proof in proofs if proof.is_easy}


def test_at_most_five_theorems_share_a_skeleton(proofs: list[ReferenceProof]) -> None:
    assert max(Counter(skeleton(proof.theorem.statement) for proof in proofs).values()) <= 5


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_no_theorem_equals_another_or_one_that_is_trained_on_or_searched(
    proofs: list[ReferenceProof], seed: int
) -> None:
    forms = {normal_form(proof.theorem.statement) for proof in proofs}
    assert len(forms) == len(proofs)
    assert not forms & {normal_form(known.theorem.statement) for known in load_corpus()}
    assert not forms & {normal_form(t.statement) for t in generate(seed, 3_000)}


@pytest.mark.asyncio(loop_scope="session")
async def test_reference_proofs_are_accepted(proofs: list[ReferenceProof], lean: EmbeddedLean) -> None:
    verdicts = await asyncio.gather(*(lean.check(proof.theorem, "\n".join(proof.tactics)) for proof in proofs[CHECKED]))
    assert [(verdict.name, verdict.reason) for verdict in verdicts if not verdict.accepted] == []


@pytest.mark.asyncio(loop_scope="session")
async def test_probe_tactics_prove_the_easy_ones_and_not_the_others(
    proofs: list[ReferenceProof], lean: EmbeddedLean
) -> None:
    for is_easy in (True, False):
        sample = random.Random(0).sample([proof for proof in proofs if proof.is_easy == is_easy], PROBED)
        found = await asyncio.gather(*(probe_easy(proof.theorem, lean) for proof in sample))
        assert found == [is_easy] * PROBED, [proof.theorem.name for proof in sample]


@pytest.mark.asyncio(loop_scope="session")
async def test_generated_statements_elaborate(lean: EmbeddedLean) -> None:
    async def message(index: int) -> str:
        outcome = await lean.start(sample[index])
        if outcome.state is None:
            return f"{sample[index].statement}: {outcome.message}"
        await lean.release(outcome.state)
        return ""

    sample = random.Random(0).sample(generate(0, 3_000), GENERATED)
    assert [text for text in await asyncio.gather(*map(message, range(GENERATED))) if text] == []
