"""Lemma retrieval: which lemmas fit a proof state best."""

from __future__ import annotations

import random

import pytest

from burnqed.lean.lemmas import Lemma
from burnqed.policy.retrieval import Retrieval

STATEMENTS = {
    "Nat.add_comm": "∀ (n m : Nat), n + m = m + n",
    "Int.add_comm": "∀ (a b : Int), a + b = b + a",
    "Nat.add_assoc": "∀ (n m k : Nat), n + m + k = n + (m + k)",
    "Nat.mul_comm": "∀ (n m : Nat), n * m = m * n",
    "Nat.mul_add": "∀ (a b c : Nat), a * (b + c) = a * b + a * c",
    "Nat.left_distrib": "∀ (a b c : Nat), a * (b + c) = a * b + a * c",
    "Nat.le_trans": "∀ {n m k : Nat}, n ≤ m → m ≤ k → n ≤ k",
    "Nat.le_refl": "∀ (n : Nat), n ≤ n",
    "Nat.lt_irrefl": "∀ (n : Nat), ¬n < n",
    "Nat.dvd_trans": "∀ {a b c : Nat}, a ∣ b → b ∣ c → a ∣ c",
    "Nat.pow_succ": "∀ (n m : Nat), n ^ m.succ = n ^ m * n",
    "Nat.mod_lt": "∀ (x : Nat) {y : Nat}, 0 < y → x % y < y",
    "List.length_append": "∀ {α : Type u} {as bs : List α}, (as ++ bs).length = as.length + bs.length",
    "List.append_assoc": "∀ {α : Type u} (as bs cs : List α), as ++ bs ++ cs = as ++ (bs ++ cs)",
    "List.map_map": "∀ {β : Type u_1} {γ : Type u_2} {α : Type u_3} {g : β → γ} {f : α → β} {l : List α}, List.map g (List.map f l) = List.map (g ∘ f) l",
    "and_comm": "∀ {a b : Prop}, a ∧ b ↔ b ∧ a",
    "Classical.em": "∀ (p : Prop), p ∨ ¬p",
}  # fmt: skip
LEMMAS = [Lemma(name=name, statement=statement) for name, statement in STATEMENTS.items()]
RETRIEVAL = Retrieval(LEMMAS)


@pytest.mark.parametrize(
    ("state", "name"),
    [
        ("a b : ℕ\n⊢ a + b = b + a", "Nat.add_comm"),
        ("x y : ℤ\n⊢ x + y = y + x", "Int.add_comm"),
        ("x y z : Nat\n⊢ x * (y + z) = x * y + x * z", "Nat.mul_add"),
        ("a n : ℕ\n⊢ 3 ∣ a ^ (n + 1)", "Nat.pow_succ"),
        ("xs ys : List ℕ\n⊢ (xs ++ ys).length = 2", "List.length_append"),
        ("xs : List ℕ\nf g : ℕ → ℕ\n⊢ (List.map f (List.map g xs)).length = xs.length", "List.map_map"),
        ("p q : Prop\nh : p ∧ q\n⊢ q ∧ p", "and_comm"),
        # of hypotheses, too, and of a case
        ("case inl\na b c : ℕ\nh : a ∣ b\nh1 : b ∣ c\n⊢ a ∣ c", "Nat.dvd_trans"),
        ("n : ℕ\nh : ¬n < n\n⊢ False", "Nat.lt_irrefl"),
    ],
)
def test_the_lemma_that_fits_comes_first(state: str, name: str) -> None:
    assert RETRIEVAL.names(state, 3)[0] == name


def test_of_equal_lemmas_the_one_with_the_shorter_name_comes_first_whatever_their_order() -> None:
    state = "a b c : ℕ\n⊢ a * (b + c) = c"
    expected = RETRIEVAL.names(state, 8)
    assert expected[:2] == ["Nat.mul_add", "Nat.left_distrib"]
    for seed in range(3):
        assert Retrieval(random.Random(seed).sample(LEMMAS, len(LEMMAS))).names(state, 8) == expected


def test_only_the_main_goal_counts() -> None:
    first = "a b : ℕ\n⊢ a + b = b + a"
    assert RETRIEVAL.names(f"{first}\n\nxs ys : List ℕ\n⊢ xs ++ ys = ys", 8) == RETRIEVAL.names(first, 8)


def test_as_many_are_named_as_are_asked_for_and_have_anything_to_do_with_the_state() -> None:
    state = "a b : ℕ\n⊢ a + b = b + a"
    assert [len(RETRIEVAL.names(state, count)) for count in (1, 4)] == [1, 4]
    assert 4 < len(RETRIEVAL.names(state, 100)) < len(LEMMAS)
    assert RETRIEVAL.names("⊢ zorn", 8) == []
    assert RETRIEVAL.names("", 8) == []
    assert Retrieval([]).names(state, 8) == []


def test_a_long_state_is_read_from_its_goal() -> None:
    many = "\n".join(f"h{i} : a ∣ {i}" for i in range(20_000))
    assert "Nat.add_comm" in RETRIEVAL.names(f"a b : ℕ\n{many}\n⊢ a + b = b + a", 4)
