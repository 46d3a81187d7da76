"""Terms as Lean prints them, read by the precedence of their operators."""

from __future__ import annotations

import random

import pytest

from burnqed.lean.terms import Term, bound_names, premises, subterms, term


def shown(read: Term) -> str:
    """`(+ a 1)`; variables have a `'`."""
    head = read.head + "'" * read.is_variable
    return f"({' '.join([head, *map(shown, read.children)])})" if read.children else head


def read(text: str) -> str:
    return shown(term(text, {"a", "b", "c", "f", "g", "h", "l", "n", "p", "q", "x", "xs"}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * c = c", "(= (+ a' (* b' c')) c')"),
        ("a + b + c", "(+ (+ a' b') c')"),
        ("a ^ b ^ c", "(^ a' (^ b' c'))"),
        ("(a + b) % 2", "(% (+ a' b') 2)"),
        ("¬a ∣ b ∧ p", "(∧ (¬ (∣ a' b')) p')"),
        ("-a * b", "(* (- a') b')"),
        ("p → q → p", "(→ p' (→ q' p'))"),
        ("a :: l ++ xs", "(++ (:: a' l') xs')"),
        ("f (g a) b", "(f' (g' a') b')"),
        ("↑n + 1", "(+ (↑ n') 1)"),
        ("f ↑n", "(f' (↑ n'))"),
        ("if p then a else b", "(if p' a' b')"),
        # the same in two ways
        ("a ≥ b", "(≤ b' a')"),
        ("n.succ < a", "(< (+ n' 1) a')"),
        ("List.length xs", "(length xs')"),
        ("xs.length", "(length xs')"),
        ("(xs ++ l).reverse.length", "(length (reverse (++ xs' l')))"),
        ("a : ℕ", "a'"),
        ("List ℕ", "(List Nat)"),
        ("Type u_1", "Type"),
        # brackets, indices, binders
        ("xs[n]", "([] xs' n')"),
        ("f [a, b]", "(f' ([ a' b'))"),
        ("xs = []", "(= xs' [)"),
        ("⟨a, b⟩", "(⟨ a' b')"),
        ("∃ x, x * x = 49", "(∃ (= (* x' x') 49'))"),
        ("∀ (a b : Nat) [Foo c], a = b", "(∀ Nat (Foo c') (= a' b'))"),
        ("List.map (fun x => x + 1) xs", "(map (fun (+ x' 1)) xs')"),
    ],
)
def test_an_operator_stands_above_what_it_binds(text: str, expected: str) -> None:
    assert read(text) == expected


def test_numerals_stand_for_any_but_for_the_smallest() -> None:
    assert [read(numeral) for numeral in ("0", "1", "2", "3", "144")] == ["0", "1", "2", "3'", "144'"]


def test_a_statement_has_premises_and_a_conclusion() -> None:
    statement = "∀ {n m k : Nat}, n ≤ m → m ≤ k → n ≤ k"
    before, conclusion = premises(term(statement, bound_names(statement)))
    assert [shown(premise) for premise in before] == ["Nat", "(≤ n' m')", "(≤ m' k')"]
    assert shown(conclusion) == "(≤ n' k')"


def test_hypotheses_and_variables_are_bound() -> None:
    assert bound_names("a b : ℕ\nh₁ x✝ : a ≤ b\n⊢ ∃ y, ∀ z < y, f (fun w => w) = z") == {"a", "b", "h₁", "x✝", "y", "z", "w"}  # fmt: skip


PIECES = [
    *"()[]{}⟨⟩,:=+*^→∀∃∣|.¬-↑ \n",
    "fun ",
    "=>",
    "if ",
    "then ",
    "a",
    "Nat.succ",
    ".1",
    "37",
    "xs[",
    "]?",
    "⁻¹",
    '"',
    "✝",
    "x y : T",
]


def test_whatever_it_is_given_it_reads_something() -> None:
    pick = random.Random(0)
    for _ in range(2_000):
        text = "".join(pick.choices(PIECES, k=pick.randrange(40)))
        assert list(subterms(term(text, bound_names(text))))


@pytest.mark.parametrize("piece", ["(", "a :: ", "∀ x, ", "¬", "↑", "a + ", "f (", "fun x => ", "if a then "])
def test_no_depth_is_too_much(piece: str) -> None:
    assert list(subterms(term(piece * 5_000, {"a", "x"})))
