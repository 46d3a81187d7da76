"""Keeping the elaborated state compared with replaying the tactics before it, at depth 5 and 10 of the same proofs.

    .venv/bin/python benchmarks/lean_state.py [--repeats 20]

One tactic is run at a state that is N tactics deep, in three ways: on the state kept by the instance (`apply`, as the backend does), by
running the tactics before it again one by one (as the backend does when the instance that had the state is gone), and by elaborating the
whole text up to the tactic (as the prototype did for every step). All three run in one instance, in turns.

Result: with a kept state only the tactic itself costs time, whatever the depth; a whole text costs all its tactics and the theorem around
them. So the state is kept, and replay is only the fallback. The printed ratios depend on the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import defaultdict

from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.protocol import ProofState, Theorem

PROOFS = [
    (
        "∀ p q r s : Prop, (p ∧ q) ∧ (r ∧ s) → (s ∧ r) ∧ (q ∧ p)",
        [
            *(
                "intro p",
                "intro q",
                "intro r",
                "intro s",
                "intro h",
                "obtain ⟨hpq, hrs⟩ := h",
                "obtain ⟨hp, hq⟩ := hpq",
            ),
            *("obtain ⟨hr, hs⟩ := hrs", "constructor", "constructor", "exact hs"),
        ],
    ),
    (
        "∀ a b c d : Nat, a < b → b < c → c < d → a + 3 ≤ d",
        [
            *(
                "intro a b c d",
                "intro h₁",
                "intro h₂",
                "intro h₃",
                "have k₁ : a + 1 ≤ b := by omega",
                "have k₂ : b + 1 ≤ c := by omega",
            ),
            *(
                "have k₃ : c + 1 ≤ d := by omega",
                "have k₄ : a + 2 ≤ c := by omega",
                "have k₅ : a + 2 ≤ d := by omega",
                "skip",
                "omega",
            ),
        ],
    ),
    (
        "∀ (xs ys : List Nat), (xs ++ ys).length = ys.length + xs.length",
        [
            *("intro xs", "intro ys", "induction xs with | nil => ?_ | cons x xs ih => ?_", "simp"),
            *(
                "have e₁ : x :: xs ++ ys = x :: (xs ++ ys) := rfl",
                "have e₂ : (x :: (xs ++ ys)).length = (xs ++ ys).length + 1 := rfl",
            ),
            *(
                "have e₃ : (x :: xs).length = xs.length + 1 := rfl",
                "have e₄ := congrArg (· + 1) ih",
                "skip",
                "clear e₄",
                "simp [ih, Nat.add_assoc]",
            ),
        ],
    ),
]


async def main(repeats: int) -> None:
    seconds: dict[tuple[int, str], float] = defaultdict(float)
    async with EmbeddedLean(workers=1) as lean:

        async def walk(theorem: Theorem, tactics: list[str]) -> tuple[ProofState, ProofState]:
            outcome = await lean.start(theorem)
            assert outcome.state is not None, outcome.message
            root = state = outcome.state
            for tactic in tactics:
                outcome = await lean.apply(state, tactic)
                assert outcome.state is not None, f"{tactic}: {outcome.message}"
                state = outcome.state
            return root, state

        for number in range(repeats + 3):
            for statement, tactics in PROOFS:
                theorem = Theorem(name="t", statement=statement)
                for depth in (5, 10):
                    before, tactic = tactics[:depth], tactics[depth]
                    root, state = await walk(theorem, before)
                    marks = [time.perf_counter()]
                    outcome = await lean.apply(state, tactic)
                    assert outcome.state is not None, f"{tactic}: {outcome.message}"
                    marks.append(time.perf_counter())
                    await lean.release(root)
                    marks.append(time.perf_counter())
                    again, _ = await walk(theorem, [*before, tactic])
                    marks.append(time.perf_counter())
                    await lean.release(again)
                    marks.append(time.perf_counter())
                    await lean.facts(theorem, "\n".join([*before, tactic]))
                    marks.append(time.perf_counter())
                    if number >= 3:  # the first rounds compile Lean's code
                        for way, first in (("kept", 0), ("tactics again", 2), ("whole text", 4)):
                            seconds[depth, way] += marks[first + 1] - marks[first]
    count = repeats * len(PROOFS)
    for depth in (5, 10):
        kept = seconds[depth, "kept"]
        for way in ("kept", "tactics again", "whole text"):
            took = seconds[depth, way]
            print(f"depth {depth:2}  {way:13}  {1000 * took / count:7.1f} ms   {took / kept:5.1f} × kept")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20)
    asyncio.run(main(parser.parse_args().repeats))
