"""What the embedded Lean says about a tactic that fails: Lean's own message, though the goals in it are not printed again."""

from __future__ import annotations

import pytest

from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.facts import ProofFacts
from burnqed.lean.protocol import TacticStatus, Theorem

pytestmark = pytest.mark.asyncio(loop_scope="session")

MOVES = "∀ (P : Nat → Nat → Prop) (h : ∀ a b, P a (b + 1) → P (a + 1) b) (k : ∀ a, P a 0), P 3 4 ∧ ∃ n, P n 0"
BEGIN = ["intro P h k"]
WIDE = "∀ (a b c d e f g i : Nat) (h : a + b + c + d + e + f + g + i = i + g + f + e + d + c + b + a + 0), a + b = 0 → 0 = i + g + f + e + d + c + b + a + a + a + a + a + a + a"
FAILING = [
    (MOVES, BEGIN, "apply h"),
    (MOVES, BEGIN, 'fail "no"'),
    (MOVES, BEGIN, "rw [Nat.add_comm 17]"),
    (MOVES, BEGIN, "exact k 1"),
    (MOVES, BEGIN, "set_option pp.explicit true in apply h"),
    (MOVES, BEGIN, 'set_option pp.funBinderTypes true in fail "no"'),
    (MOVES, [*BEGIN, "constructor"], "apply k"),
    (MOVES, [*BEGIN, "constructor"], "all_goals omega"),
    (MOVES, [*BEGIN, "constructor"], "(rotate_left; apply h)"),
    (MOVES, [*BEGIN, "refine ⟨?_, ?_, ?_⟩", "rotate_left"], "apply Nat.le_refl"),
    (MOVES, [*BEGIN, "refine ⟨?_, ?_, ?_⟩", "rotate_left"], 'exact (k _).elim; fail "no"'),
    (MOVES, [*BEGIN, "constructor", "rotate_left", "apply Exists.intro"], 'rotate_left; exact 5; fail "no"'),
    (MOVES, BEGIN, "(have : P 3 4 := by apply h)"),
    (MOVES, BEGIN, "first | done | skip; done"),
    (MOVES, BEGIN, 'have h : 1 = 1 := rfl; fail "the first h has another name now"'),
    (WIDE, ["intro a b c d e f g i h k"], "simp only [Nat.mul_comm] at k ⊢"),
    (WIDE, ["intro a b c d e f g i h k"], "rw [Nat.mul_comm]"),
    (WIDE, ["intro a b c d e f g i h k", "revert h"], "apply Nat.le_refl"),
    (MOVES, [*BEGIN, "constructor"], "case left => skip"),
    (MOVES, [*BEGIN, "constructor"], "case right => fail"),
    (MOVES, [*BEGIN, "constructor"], "next => done"),
    (MOVES, [*BEGIN, "constructor"], "case left | right => skip"),
    ("3 = 4 ∧ 4 = 5", ["constructor"], "case n => skip"),
]
LIST = "∀ (n : Nat) (l : List Nat) (h : l = List.replicate n 0), l = l ∧ n = n"
NAMED = [
    ("", "open List in done"),
    ("", "open List in · skip"),
    ("", "open List in apply Nat.le_refl"),
    ("open List", "done"),
    ("open List", "open Nat in done"),
    ("open List", "apply Nat.le_refl"),
    ("open List", "exact h"),
    ("namespace List", "exact h"),
    ("namespace List", "apply Nat.le_refl"),
]
"""Where names are shortened, by the header or the tactic."""
MESSAGES = [("", *case) for case in FAILING] + [(header, LIST, ["intro n l h"], failing) for header, failing in NAMED]


@pytest.mark.parametrize(
    ("header", "statement", "tactics", "failing"), MESSAGES, ids=[f"{h} {t[-1]} {f}".strip() for h, _, t, f in MESSAGES]
)
async def test_a_message_is_what_lean_says_about_the_whole_text(
    lean: EmbeddedLean, header: str, statement: str, tactics: list[str], failing: str
) -> None:
    theorem = Theorem(name="t", statement=statement, header=header)
    state = (await lean.start(theorem)).state
    for tactic in tactics:
        assert state
        state = (await lean.apply(state, tactic)).state
    assert state
    outcome = await lean.apply(state, failing)
    assert outcome.status is TacticStatus.ERROR
    facts = await lean.facts(theorem, "\n".join([*tactics, failing]))
    assert isinstance(facts, ProofFacts)
    assert outcome.message == facts.errors[0].text
