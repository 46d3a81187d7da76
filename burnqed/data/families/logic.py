"""Propositions and predicates: existence, universal statements, and case distinctions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from random import Random


def quantifiers(rng: Random) -> str:
    """Quantifiers against connectives."""
    p, q = "p x", "q x"
    a, b = rng.choice([(p, q), (p, f"¬ {q}"), (f"¬ {p}", q)])
    c = rng.randint(0, 9)
    hypotheses, goal = rng.choice(
        [
            (f"(∃ x, {a} ∧ {b})", f"(∃ x, {a}) ∧ (∃ x, {b})"),
            (f"(∃ x, {a} ∧ {b})", f"(∃ x, {b} ∧ {a})"),
            (f"(∃ x, {a} ∨ {b})", f"(∃ x, {a}) ∨ (∃ x, {b})"),
            (f"(∃ x, {a}) ∨ (∃ x, {b})", f"∃ x, {a} ∨ {b}"),
            (f"(∀ x, {a}) ∨ (∀ x, {b})", f"∀ x, {a} ∨ {b}"),
            (f"(∀ x, {a} → {b}) → (∃ x, {a})", f"∃ x, {b}"),
            (f"(∀ x, {a} → {b}) → (∃ x, {a})", f"∃ x, {a} ∧ {b}"),
            (f"(∀ x, {a} ∧ {b})", f"(∀ x, {a}) ∧ (∀ x, {b})"),
            (f"(∀ x, {a}) ∧ (∃ x, {b})", f"∃ x, {a} ∧ {b}"),
            (f"¬ (∃ x, {a})", f"∀ x, ¬ {a}" if "¬" not in a else f"∀ x, {p}"),
            (f"¬ (∀ x, {p})", f"∃ x, ¬ {p}"),
            (f"¬ (∀ x, {a} → {q})", f"∃ x, {a} ∧ ¬ {q}"),
            ("(∃ x, ∀ y, r x y)", "∀ y, ∃ x, r x y"),
            ("(∀ x y, r x y → r y x) → (∃ x, ∀ y, r x y)", "∃ x, ∀ y, r y x"),
            ("(∀ x, r x x) → (∀ x y z, r x y → r y z → r x z)", "∀ x y, (∃ z, r x z ∧ r z y) ↔ r x y"),
            (f"(∀ x y z, r x y → r y z → r x z) → (∃ x, r {c} x ∧ r x {c + 1})", f"r {c} {c + 1}"),
            ("(∀ x, ∃ y, r x y)", "∃ x y z, r x y ∧ r y z"),
            (f"(∀ x, ∃ y, r x y) → (∀ x y, r x y → {q.replace('x', 'y')})", f"∃ x, {q}"),
            (f"(∀ x, {p} ∨ {q}) → ¬ (∀ x, {p})", f"∃ x, {q}"),
            (f"(∀ x, {p} ∨ {q}) → (∃ x, ¬ {p})", f"∃ x, {q} ∧ ¬ {p}"),
            (f"p {c} → (∀ x, p x → p (x + {c % 4 + 1}))", f"p {c + 2 * (c % 4 + 1)}"),
            (f"p {c} → (∀ x, p x → q (x + {c % 4 + 1}))", "∃ x, q x"),
        ]
    )
    text = f"{hypotheses} → {goal}"
    predicates = " ".join(name for name in "pq" if f"{name} " in text)
    binders = [f"({predicates} : Nat → Prop)"] * bool(predicates) + ["(r : Nat → Nat → Prop)"] * ("r " in text)
    return f"∀ {' '.join(binders)}, {text}"


def with_proposition(rng: Random) -> str:
    """A proposition beside a predicate: by cases on it."""
    left, right = rng.choice(
        [
            ("(∀ x, p x ∨ c)", "(∀ x, p x) ∨ c"),
            ("(∃ x, p x ∧ c)", "(∃ x, p x) ∧ c"),
            ("(∃ x, p x ∨ c)", "(∃ x, p x) ∨ c"),
            ("(∀ x, c → p x)", "(c → ∀ x, p x)"),
            ("(∃ x, c → p x)", "(c → ∃ x, p x)"),
            ("(∀ x, p x → c)", "((∃ x, p x) → c)"),
            ("(∀ x, p x ∧ c)", "(∀ x, p x) ∧ c"),
            ("(∃ x, p x → c)", "((∀ x, p x) → c)"),
        ]
    )
    body = rng.choice(
        [f"{left} ↔ {right}", f"{left} → {right}", f"{right} → {left}", f"{right} ↔ {left}", f"¬ {left} → ¬ ({right})"]
    )
    return f"∀ (p : Nat → Prop) (c : Prop), {body}"


TRUTH: dict[str, Callable[[bool, bool], bool]] = {
    "∧": lambda p, q: p and q,
    "∨": lambda p, q: p or q,
    "→": lambda p, q: not p or q,
    "↔": lambda p, q: p == q,
    "¬": lambda p, _: not p,
}
ROWS = tuple(itertools.product((True, False), repeat=3))
"""Truth values of a, b and c."""


def formula(rng: Random, depth: int) -> tuple[str, list[bool]]:
    """A formula in a, b and c, with its value in each row."""
    if depth == 0 or rng.random() < 0.15:
        at = rng.randrange(3)
        return "abc"[at], [row[at] for row in ROWS]
    op = rng.choice("∧∨→→¬" if depth == 1 else "∧∨→→¬↔")
    (left, x), (right, y) = formula(rng, depth - 1), formula(rng, depth - 1)
    one, two = (text if len(text) == 1 else f"({text})" for text in (left, right))
    return (f"¬ {one}" if op == "¬" else f"{one} {op} {two}"), [TRUTH[op](p, q) for p, q in zip(x, y, strict=True)]


def propositional(rng: Random) -> str | None:
    """A formula in three letters that is a tautology by its truth table."""
    text, column = formula(rng, 3)
    used = [name for name in "abc" if name in text]
    return f"∀ ({' '.join(used)} : Prop), {text}" if all(column) and len(text) > 12 else None


TEMPLATES = (quantifiers, quantifiers, with_proposition, propositional)
