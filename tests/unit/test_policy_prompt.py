"""The prompt's bytes, and what is read out of a model's reply."""

import pytest

from burnqed.policy.prompt import STOP, extract, extract_tactic, prompt


def test_the_prompt_has_exactly_these_bytes() -> None:
    assert prompt("n : Nat\n⊢ n + 0 = n").encode() == (
        b"Complete the following Lean 4 code:\n\n```lean4\n/- tactic state:\nn : Nat\n\xe2\x8a\xa2 n + 0 = n\n-/\n```\n"
    )


def test_lemmas_are_named_after_the_state() -> None:
    assert prompt("n : Nat\n⊢ n + 0 = n", ["Nat.add_zero", "Nat.zero_add"]) == (
        "Complete the following Lean 4 code:\n\n```lean4\n/- tactic state:\nn : Nat\n⊢ n + 0 = n\n\nlemmas: Nat.add_zero, Nat.zero_add\n-/\n```\n"
    )
    assert prompt("⊢ p", []) == prompt("⊢ p")


INDUCTION = "induction n with\n| zero => simp\n| succ n ih =>\n  rw [f]\n  omega"


@pytest.mark.parametrize(
    ("reply", "tactic"),
    [
        ("simp", "simp"),
        ("simp\n", "simp"),
        ("\n\n  simp  \n", "simp"),
        ("intro h\nsimp", "intro h"),
        ("  intro h\n  simp", "intro h"),
        # several lines that are one tactic
        (INDUCTION, INDUCTION),
        (INDUCTION + "\nexact foo", INDUCTION),
        ("induction n with\n  | zero => simp\n  | succ n ih => omega\n\nring", "induction n with\n  | zero => simp\n  | succ n ih => omega"),
        ("have h : a = b := by\n  simp\n  ring   \nexact h", "have h : a = b := by\n  simp\n  ring"),
        ("calc a = b := h\n  _ = c := g", "calc a = b := h\n  _ = c := g"),
        ("· simp\n  ring\n· rfl", "· simp\n  ring"),
        ("    cases h with\n    | inl h => exact h\n    | inr h => exact g", "cases h with\n| inl h => exact h\n| inr h => exact g"),
        # fences
        ("simp\n```\nThis closes the goal.", "simp"),
        ("```lean4\nomega\n```", "omega"),
        ("```\nomega\n```", "omega"),
        ("Sure, here it is:\n```lean\nomega\n```\nDone.", "omega"),
        ("```lean4\nomega", "omega"),
        # comments
        ("-- by arithmetic\nomega -- really", "omega"),
        ("/- a /- nested -/ comment -/ rfl", "rfl"),
        ("/- tactic state:\n⊢ p\n-/\nrfl", "rfl"),
        ("simp [a]\n  -- closes it\n  <;> omega", "simp [a]\n  <;> omega"),
        ('exact foo "-- no comment"', 'exact foo "-- no comment"'),
        ("/- never closed\nsimp", None),
        # declarations and preambles
        ("theorem foo : 1 = 1 := by\n  intro h\n  simp\n", "intro h"),
        ("import Mathlib\nopen Nat\n\n@[simp] private theorem foo (n : Nat) :\n    n = n := by rfl", "rfl"),
        ("example : p := by\n  -- look\n  omega", "omega"),
        ("theorem foo : p", None),
        ("by\n  simp", "simp"),
        ("by simp", "simp"),
        ("open Nat in simp", "open Nat in simp"),
        ("set_option maxRecDepth 1000 in\n  decide", "set_option maxRecDepth 1000 in\n  decide"),
        # cheats and nothing
        ("sorry", None),
        ("exact sorry", None),
        ("have h : p := by\n  admit\nexact h", None),
        ("simp -- sorry", "simp"),
        ("exact not_sorry h", "exact not_sorry h"),
        ("exact h.admit", "exact h.admit"),
        ("", None),
        ("  \n\n", None),
        ("```\n```", None),
    ],
)  # fmt: skip
def test_the_first_bare_tactic_is_extracted(reply: str, tactic: str | None) -> None:
    assert extract_tactic(reply) == tactic


@pytest.mark.parametrize("tactic", ["simp", INDUCTION, "have h : a = b := by\n  simp\n  ring"])
def test_an_extracted_tactic_is_extracted_again(tactic: str) -> None:
    assert extract_tactic(tactic) == tactic


@pytest.mark.parametrize(
    ("reply", "rest"), [("simp", ""), ("simp\nring", "\nring"), ("-- c\nsimp\n```\nx", "\n```\nx")]
)
def test_the_place_where_the_tactic_ends_is_known(reply: str, rest: str) -> None:
    found = extract(reply)
    assert found is not None
    assert reply[found.end :] == rest


def test_no_stop_string_can_stand_inside_a_tactic() -> None:
    assert all(stop.startswith("\n") and extract_tactic(f"simp{stop} x") == "simp" for stop in STOP)
