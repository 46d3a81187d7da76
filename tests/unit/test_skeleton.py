"""When two statements count as the same."""

from __future__ import annotations

import pytest

from burnqed.data.skeleton import normal_form, skeleton, unordered


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("∀ n : Nat, n + 0 = n", "∀   m:ℕ, m+0 = m"),
        ("∀ (f : Nat → Int) (n : Nat), f n = 3", "∀ (g : ℕ → ℤ) (k : ℕ), g k = 3"),
        ("∀ a : Nat, ∃ x > a, x % 7 = 3", "∀ n : Nat, ∃ m > n, m % 7 = 3"),
        ("(∃ x : Nat, x = 1) ∧ ∃ x : Nat, x = 2", "(∃ x : Nat, x = 1) ∧ ∃ y : Nat, y = 2"),
        ("∀ x : Nat, (∃ x : Nat, x = 1) → x = x", "∀ a : Nat, (∃ b : Nat, b = 1) → a = a"),
        ("∃ f : Nat → Nat, f = fun x => x + 1", "∃ g : Nat → Nat, g = λ n => n + 1"),
        (
            "∀ (h : ∀ x : Nat, x = x) (xs : List Nat), xs.length = 0",
            "∀ (p : ∀ y : Nat, y = y) (l : List Nat), l.length = 0",
        ),
    ],
)
def test_renaming_and_spacing_do_not_matter(one: str, other: str) -> None:
    assert normal_form(one) == normal_form(other)
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("∀ a b : Nat, a - b = 0", "∀ a b : Nat, b - a = 0"),
        ("∀ a b : Nat, min a b = 0", "∀ a b : Nat, max a b = 0"),
        ("∀ n : Nat, n = 1", "∀ n : Int, n = 1"),
        ("∀ n : Nat, n * 2 = 1", "∀ n : Nat, n * 3 = 1"),
        ("∀ x : Nat, (∃ x : Nat, x = 1) → x = 2", "∀ x : Nat, ∃ y : Nat, y = 1 → y = 2"),
        ("∀ xs : List Nat, xs.length = 0", "∀ xs : List Nat, xs.sum = 0"),
    ],
)
def test_what_a_statement_says_does_matter(one: str, other: str) -> None:
    assert normal_form(one) != normal_form(other)


def test_without_order_the_sides_of_equations_summands_and_hypotheses_do_not_matter() -> None:
    one = "∀ (f : List Nat → Nat), f [] = 2 → (∀ x xs, f (x :: xs) = 1 + x * x + f xs) → ∀ xs, f xs = f xs.reverse"
    other = "∀ (f : List Nat → Nat), (∀ x xs, f (x :: xs) = f xs + x * x + 1) → 0 = f [] → ∀ xs, f xs.reverse = f xs"
    assert unordered(one) == unordered(other)
    assert skeleton(one) != skeleton(other)
    assert unordered(one) != unordered(one.replace("x * x", "x + x"))
    assert unordered("p → q ∧ r") != unordered("p ∧ q → r → s")


@pytest.mark.parametrize(
    "spelled", ["g n + 3 ≥ f n", "f n < g n + 3 + 1", "¬ g n + 3 < f n", "f n ≤ 3 + g n", "¬ 3 + g n < f n"]
)
@pytest.mark.parametrize("around", ["∀ n, {}", "(∀ n, {} ∧ ¬ p n) → {}", "∀ n, ¬ p n → q n ∨ ({})"])
def test_without_order_the_spelling_of_an_inequality_does_not_matter(spelled: str, around: str) -> None:
    assert unordered(around.replace("{}", spelled)) == unordered(around.replace("{}", "f n ≤ g n + 3"))


def test_other_inequalities_stay_what_they_are() -> None:
    assert unordered("¬ ∃ x < n, p x") != unordered("∃ x ≤ n, p x")
    assert unordered("∀ n, (if n < 3 then a else b + 1) = n") != unordered("∀ n, (if n ≤ 3 then a else b) = n")
    assert unordered("∀ n, f n < f (n + 1)") != unordered("∀ n, f n ≤ f n")
    assert unordered("∀ n, f n < f (n + 1)") != unordered("∀ n, f n ≤ f (n + 1)")
    assert unordered("(∀ n, f n + 1 < f n) → p") != unordered("(∀ n, f n ≤ f n) → p")


def test_a_skeleton_forgets_names_and_numerals() -> None:
    assert skeleton("∀ n : Nat, 8 ^ n % 7 = 1") == skeleton("∀ k : Int, 10^k % 9 = 1") == "∀x:x,0^x%0=0"
    assert skeleton("∀ n : Nat, 8 ^ n % 7 = 1") != skeleton("∀ n : Nat, 8 ^ n % 7 ≤ 1")
