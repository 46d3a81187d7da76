"""The deep tier in the real Lean: its proofs replay and are accepted, and few standard tactics prove none of its theorems."""

from __future__ import annotations

from dataclasses import replace

import pytest

from burnqed.data.deep import deep_proofs
from burnqed.data.deep.difficulty import (
    MOST_CHAINED,
    branching,
    chained,
    dead_end,
    ends_early,
    opened,
    proof_of_standard_tactics,
)
from burnqed.data.theorems import read_index
from burnqed.data.trace.replay import KnownProof, replay_all
from burnqed.lean.core import DEFAULT_HEADER
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.protocol import Theorem

pytestmark = pytest.mark.asyncio(loop_scope="session")
SOME = 5
DRAWN = 320
"""Theorems that the shipped benchmark was chosen from."""


def with_header(proof: KnownProof) -> KnownProof:
    return replace(proof, theorem=proof.theorem.with_header(DEFAULT_HEADER))


def known(statement: str, *tactics: str) -> KnownProof:
    return KnownProof(Theorem(name="known", statement=statement, header=DEFAULT_HEADER), tactics)


async def test_their_proofs_replay_and_are_accepted(lean: EmbeddedLean) -> None:
    proofs = [with_header(p) for part in (False, True) for p in deep_proofs(0, SOME, benchmark=part)]
    async for replayed in replay_all(proofs, lean):
        assert not replayed.error, (replayed.proof, replayed.error)
        verdict = await lean.check(replayed.proof.theorem, "\n".join(replayed.proof.tactics))
        assert verdict.accepted, (replayed.proof, verdict.reason)


@pytest.mark.long
async def test_the_shipped_benchmark_elaborates_and_is_proved_by_the_proofs_that_it_was_made_from(
    lean: EmbeddedLean,
) -> None:
    """A few of them; `python -m benchmarks.deep_tier` checks all, and their depth."""
    shipped = {t.name for t in read_index("shipped-deep")}
    proofs = [with_header(p) for p in deep_proofs(0, DRAWN, benchmark=True) if p.theorem.name in shipped]
    outcomes = [await lean.start(proof.theorem) for proof in proofs]
    assert [(p.theorem.name, o.message) for p, o in zip(proofs, outcomes, strict=True) if o.state is None] == []
    for proof in proofs[::20]:
        verdict = await lean.check(proof.theorem, "\n".join(proof.tactics))
        assert verdict.accepted, (proof, verdict.reason)


async def test_one_that_needs_a_lemma_is_deep(lean: EmbeddedLean) -> None:
    proof = known(
        "∀ (f : Nat → Nat → Nat), (∀ a, f 0 a = a) → (∀ n a, f (n + 1) a = f n (a + 3)) → ∀ n, f n 2 = 3 * n + 2",
        "intro f h0 h1 n",
        "have key : ∀ n a, f n a = 3 * n + a := ?_",
        "grind",
        "intro n",
        "induction n <;> grind",
    )
    assert await proof_of_standard_tactics(proof, lean) is None
    assert await ends_early(proof, lean) is None
    numbers = await branching(proof, lean)
    assert len(numbers) == 4
    assert sum(numbers) / len(numbers) >= 3


async def test_rewrites_are_followed_one_after_the_other_to_an_end(lean: EmbeddedLean) -> None:
    proof = known(
        "∀ (f g : Nat → Nat) (p : Nat → Prop), (∀ n, f n = g n) → (∀ n, g n = n + 1) → p (3 + 1) → p (f 3)",
        "intro f g p h1 h2 h3",
        "rw [h1, h2]",
        "exact h3",
    )
    async with opened(proof, lean) as state:
        reached = await chained(lean, [(state, ["intro"])], {state.text})
    assert ["intro", "rw [h1]", "rw [h2]"] in [path for _, path in reached]
    assert any(found.text.endswith("⊢ p (3 + 1)") for found, _ in reached)
    assert len({found.text for found, _ in reached}) == len(reached) <= MOST_CHAINED


async def test_what_standard_tactics_prove_is_not(lean: EmbeddedLean) -> None:
    proof = known(
        "∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 2) → ∀ n, f n = 2 * n",
        "intro f h0 h1 n",
        "skip",
        "induction n <;> grind",
    )
    found = await proof_of_standard_tactics(proof, lean)
    assert found is not None
    assert len(found) == 2
    assert (await lean.check(proof.theorem, "\n".join(found))).accepted
    assert await ends_early(proof, lean) == 2


async def test_a_dead_end_is_a_choice_off_the_proof_behind_which_nothing_is_found(lean: EmbeddedLean) -> None:
    statement = "∀ (p q r : Nat → Prop), (∀ n, q n → p n) → {} → (∀ n, q n) → p 3"
    own = ("intro p q r h1 h2 h3", "apply h1", "exact h3 3")
    assert await dead_end(known(statement.format("(∀ n, r n → p n)"), *own), lean) == "apply h2"
    assert await dead_end(known(statement.format("(∀ n, q n → r n)"), *own), lean) is None


async def test_a_dead_end_is_looked_for_at_every_state_of_the_proof(lean: EmbeddedLean) -> None:
    forced = "∀ (p q r s : Nat → Prop), (∀ n, q n → p n) → (∀ n, s n → q n) → (∀ n, r n → q n) → (∀ n, s n) → p 3"
    own = ("intro p q r s h1 h2 h3 h4", "apply h1", "apply h2", "exact h4 3")
    assert await dead_end(known(forced, *own), lean) == "apply h3"
