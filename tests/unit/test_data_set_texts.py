"""Texts of data sets are cut into header, statement and proof, and states read back, without a Lean."""

from __future__ import annotations

import pytest

from burnqed.data.sets.causes import suggested
from burnqed.data.sets.leaks import Held, form
from burnqed.data.sets.migrate import with_renames
from burnqed.data.sets.source import assembled, cut, cut_last, is_term
from burnqed.data.sets.states import Stated, normal, proposition
from burnqed.data.skeleton import normal_form
from burnqed.lean.outline import Unreadable
from burnqed.lean.protocol import Theorem


@pytest.mark.parametrize(
    ("text", "statement", "proof"),
    [
        ("theorem t (x : ℕ := 3) : let y := x; y = x := by\n  rfl", "theorem t (x : ℕ := 3) : let y := x; y = x", "by\n  rfl"),
        ("theorem t : |x| = 3 := by norm_num", "theorem t : |x| = 3", "by norm_num"),
        ("open Nat in\ntheorem t : ∀ n, n = n\n| 0 => rfl\n| n + 1 => rfl", "open Nat in\ntheorem t : ∀ n, n = n", "| 0 => rfl\n| n + 1 => rfl"),
        ("@[simp, ext] private lemma a.b {x} : x = x := rfl -- end", "@[simp, ext] private lemma a.b {x} : x = x", "rfl"),
        ('theorem t : "a := by theorem" = s := rfl', 'theorem t : "a := by theorem" = s', "rfl"),
        ("/-- theorem no : := by -/\ntheorem t : -- :=\n  a = a := by\n  exact h.theorem", "theorem t :\n  a = a", "by\n  exact h.theorem"),
        ("theorem t : {x | x > 0} = {x : ℕ | 0 < x} := by\n  sorry", "theorem t : {x | x > 0} = {x : ℕ | 0 < x}", "by\n  sorry"),
        ("∀ a : ℕ, a = a := by", "∀ a : ℕ, a = a", ""),
    ],
)  # fmt: skip
def test_a_statement_ends_where_its_proof_begins(text: str, statement: str, proof: str) -> None:
    found = cut_last(text)
    assert (found.statement, found.proof) == (statement, proof)


def test_a_proof_that_is_aligned_with_its_first_line_stays_so() -> None:
    proof = cut_last("theorem t : a = b := by simp;\n                        omega").proof
    first, second = proof.split("\n")
    assert first.index("simp") == second.index("omega")


@pytest.mark.parametrize(("text", "why"), [("def f := 1", "is a `def`"), ("import Mathlib", "no statement"), ('theorem t : "a', "does not end"), ("-- only a comment", "no statement")])  # fmt: skip
def test_what_states_nothing_is_refused(text: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        cut_last(text)


def test_every_theorem_of_a_file_gets_the_commands_before_it_and_only_what_it_mentions() -> None:
    text = """import Mathlib
variable (a : ℕ) -- a number
instance exercise : Inhabited ℕ := sorry
theorem one : a = a := rfl
def two : ℕ := 2
theorem three : two = 2 := one 2 ▸ rfl
example : two = 2 := three
"""
    first, third, last = cut(text)
    assert first.header == "import Mathlib\nvariable (a : ℕ)\n"
    assert third.header == "import Mathlib\nvariable (a : ℕ)\ntheorem one : a = a := rfl\ndef two : ℕ := 2\n"
    assert last.name == ""
    assert "theorem three" in last.header


def test_a_definition_is_mentioned_by_its_fields_too() -> None:
    (found,) = cut("def answer : ℕ × ℕ := sorry\n-- (1, 2)\ntheorem t : answer.fst = 1 := sorry")
    assert found.header == "def answer : ℕ × ℕ := (1, 2)\n"


def test_what_a_statement_needs_and_nobody_defined_is_a_hole() -> None:
    (found,) = cut("abbrev answer : ℕ := sorry\ntheorem t : answer = 2 := sorry")
    assert found.has_hole
    (found,) = cut("abbrev answer : ℕ := sorry\n--  1 + 1\ntheorem t : answer = 2 := sorry")
    assert (found.has_hole, found.header, found.answers) == (False, "abbrev answer : ℕ := 1 + 1\n", 1)


@pytest.mark.parametrize("statement", ["theorem t : a = a := by\n  ", "theorem t : a = a := by", "theorem t : a = a", "theorem t : a = a := sorry", "theorem t : a = a := by sorry"])  # fmt: skip
@pytest.mark.parametrize("proof", ["by\n  rfl", ":= by\n  rfl", "rfl", "theorem t : a = a := by\n  rfl"])
def test_statement_and_proof_may_overlap_or_leave_a_gap(statement: str, proof: str) -> None:
    found = cut_last(assembled("open Nat", statement, proof))
    assert found.statement == "theorem t : a = a"
    assert found.proof.removeprefix("by\n").strip() == "rfl"
    assert found.header == "open Nat\n"


def test_terms_are_told_from_tactics() -> None:
    assert [is_term(proof) for proof in ("by simp", ":= by simp", "| 0 => rfl", "rfl", "fun x => by simp", ":= rfl")] == [False, False, False, True, True, True]  # fmt: skip


def test_statements_are_the_same_however_their_variables_are_bound() -> None:
    closed = "∀ (a b : ℕ) (h : a = b), b = a"
    for same in ("theorem t (x y : Nat) (e : x = y) : y = x := by", "lemma u.{v} (x : Nat) (y : ℕ) : ∀ h : x = y, y = x", "∀ p : ℕ, ∀ q : ℕ, ∀ h : p = q, q = p"):  # fmt: skip
        assert form(same) == form(closed)
    assert form("theorem t (x y : Nat) (e : x = y) : x = y") != form(closed)
    assert normal_form("theorem t (x y : Nat) (e : x = y) : y = x := by") == normal_form(closed)


def test_a_state_is_a_benchmarks_if_it_says_the_same() -> None:
    held = Held({"b": [Theorem(name="t", statement="theorem t (f : ℕ → ℕ) (s : Set ℕ) : f '' s ⊆ f '' s")]})
    assert held.leak_of_state("case inl\ng : ℕ → ℕ\nA : Set ℕ\n⊢ g '' A ⊆\n    g '' A") == "b: t"
    assert held.leak_of_state("g : ℕ → ℕ\nA : Set ℕ\n⊢ g '' A ⊆ A") is None


def test_a_goal_is_read_back_as_a_proposition() -> None:
    state = "case inl\na✝ b : ℕ\ninst✝¹ : Group G\nx : ℕ := 3\nh✝ :\n  a✝ =\n    b\n⊢ a✝ = b ∧\n    b = a✝\n\ncase inr\n⊢ True"
    assert proposition(state) == Stated(
        "∀ (a_1 b : ℕ), ∀ [Group G], let x : ℕ := 3; ∀ (h_1 : a_1 =\n    b), a_1 = b ∧\n    b = a_1",
        ("a_1", "b", "_", "x", "h_1"),
    )
    assert proposition("no goals") is None
    assert proposition("what is this") is None
    assert normal(state) == normal(state.replace("=\n    b", "= b").replace("case inr\n", ""))
    assert normal("no goals") == normal("") == ""


def test_whole_names_are_replaced_and_nothing_else() -> None:
    text = 'exact Nat.old.symm ▸ Nat.older -- Nat.old\n  have := "Nat.old"; rw [←Nat.old, x.Nat.old]'
    renamed, found = with_renames(text, {"Nat.old": "Nat.new", "gone": "there"})
    assert renamed == 'exact Nat.new.symm ▸ Nat.older -- Nat.old\n  have := "Nat.old"; rw [←Nat.new, x.Nat.old]'
    assert found == {"Nat.old"}


def test_what_lean_says_to_write_instead_is_taken() -> None:
    assert suggested("`Nat.foo` has been deprecated: Use `Nat.bar` instead") == {"Nat.foo": "Nat.bar"}
    assert suggested("Unknown identifier `foo`\nDid you mean `bar`?") == {"foo": "bar"}
    assert suggested("Unknown identifier `foo`") == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("∀ (x y : Nat), x ≤ y → x < y + 1", "theorem f {k m : ℕ} (_ : (k ≤ m)) : k < m + 1"),
        ("∀ x : Nat, ∀ y : Nat, 0 < y → x ≤ x * y", "∀ (a b : Nat) (h : 0 < b), a ≤ a * b"),
        ("∀ (f : Nat → Nat), (∀ x, f x = 0) → f 0 = 0", "∀ (g : Nat → Nat) (h : ∀ y, g y = 0), g 0 = 0"),
        ("∀ p q : Prop, (p → q) → p → ∃ x : Nat, x = 1", "∀ (a b : Prop) (h : a → b) (k : a), ∃ n : Nat, n = 1"),
    ],
)
def test_a_statement_is_the_same_however_its_assumptions_are_written(one: str, other: str) -> None:
    assert form(one) == form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("∀ p q r : Prop, p → q ↔ r", "∀ (p q r : Prop) (h : p), q ↔ r"),
        ("∀ p q r : Prop, (p → q) → r", "∀ p q r : Prop, p → q → r"),
        ("∀ x y : Nat, x ≤ y → x < y", "∀ x y : Nat, y ≤ x → x < y"),
        ("∀ (x : Nat) (y : Int), x = 0 → y = 0", "∀ (x : Int) (y : Nat), x = 0 → y = 0"),
        ("∀ f : Nat → Nat, f = f", "∀ (f : Nat), Nat → f = f"),
    ],
)
def test_what_a_statement_assumes_does_matter(one: str, other: str) -> None:
    assert form(one) != form(other)
