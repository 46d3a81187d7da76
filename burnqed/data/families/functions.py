"""Injective, surjective and monotone functions, involutions, fixed points, iterates and compositions."""

from __future__ import annotations

import re
from random import Random

from burnqed.data.families.terms import either, equation

INJECTIVE = "(∀ a b, {0} a = {0} b → a = b)"
SURJECTIVE = "(∀ b, ∃ a, {0} a = b)"
MONOTONE = "(∀ a b, a ≤ b → {0} a ≤ {0} b)"
STRICT = "(∀ a b, a < b → {0} a < {0} b)"
INVOLUTION = "(∀ a, {0} ({0} a) = a)"


def both(has_property: str) -> str:
    return f"{has_property.format('f')} → {has_property.format('g')}"


def composed(rng: Random) -> str:
    """What a property of f and one of g says of their composition."""
    c = rng.randint(1, 9)
    one, two = rng.choice([("f", "g"), ("g", "f")])
    table = [
        (
            both(INJECTIVE),
            f"∀ a b, {one} ({two} a) = {one} ({two} b) → a = b; "
            f"∀ a b, {one} ({two} (a + {c})) = {one} ({two} (b + {c})) → a = b",
        ),
        (
            both(SURJECTIVE),
            f"∀ b, ∃ a, {one} ({two} a) = b; ∀ b, ∃ a, {one} ({two} a) = b + {c}; ∃ a, {one} ({two} a) = {c}; "
            f"∀ c, ∃ a b, f a = c ∧ g b = c; ∀ b, ∃ a, f (f ({two} a)) = b",
        ),
        (
            both(MONOTONE),
            f"∀ a b, a ≤ b → {one} ({two} a) ≤ {one} ({two} b); ∀ a, {one} ({two} a) ≤ {one} ({two} (a + {c})); "
            f"∀ a b, a ≤ b → f a + g a ≤ f b + g b; ∀ a b, a ≤ b → f a * g a ≤ f b * g b; "
            f"∀ a b, a ≤ b → {c} * f a + g a ≤ {c} * f b + g b; ∀ a b, a ≤ b → max (f a) (g a) ≤ max (f b) (g b)",
        ),
        (
            STRICT.format("f"),
            f"∀ a b, f a = f b → a = b; ∀ n, n ≤ f n; ∀ a, f a < f (a + {c}); ∀ n, n + f 0 ≤ f n; "
            "∀ a b, f a ≤ f b → a ≤ b; ∀ n, n ≤ f (f n)",
        ),
        (
            both(STRICT),
            f"∀ a b, a < b → {one} ({two} a) < {one} ({two} b); ∀ n, n ≤ f (g n); ∀ n, 2 * n ≤ f n + g n; "
            "∀ a b, a < b → f a + g a < f b + g b",
        ),
        (
            INVOLUTION.format("f"),
            f"∀ a b, f a = f b → a = b; ∀ b, ∃ a, f a = b; ∀ a, f (f (f a)) = f a; ∃ a, f a = {c}; "
            f"∀ a b, f a = b → f b = a; ∀ b, ∃ a, f a = b + {c}",
        ),
        (
            both(INVOLUTION),
            f"∀ a, f (g (g (f a))) = a; ∀ b, ∃ a, {one} ({two} a) = b; "
            f"∀ a b, {one} ({two} a) = {one} ({two} b) → a = b; ∃ a, f (g a) = {c}",
        ),
        (
            "(∀ a, f (g a) = a)",
            f"∀ a b, g a = g b → a = b; ∀ b, ∃ a, f a = b; ∃ a, f a = {c}; ∀ a, f (g (f (g a))) = a",
        ),
        (
            "(∀ a, f (g a) = a) → (∀ a, g (f a) = a)",
            "∀ a b, f a = b ↔ a = g b; ∀ b, ∃ a, f a = b ∧ g b = a; ∀ a b, f a = f b → a = b",
        ),
        (
            "(∀ a b, f (a + b) = f a + f b)",
            f"f 0 = 0; ∀ a, f ({c + 1} * a) = {c + 1} * f a; ∀ n a, f (n * a) = n * f a; ∀ n, f n = n * f 1; "
            "∀ a b, a ≤ b → f a ≤ f b; ∀ n, f (n * n) = n * f n",
        ),
        (
            "(∀ a b, f (a + b) = f a * f b) → f 0 = 1",
            "∀ n a, f (n * a) = f a ^ n; ∀ n, f n = f 1 ^ n; ∀ a, f (a + a) = f a ^ 2; ∀ a, f (2 * a) = f a * f a",
        ),
    ]
    body = rng.choice([f"{hypotheses} → {either(rng, goals)}" for hypotheses, goals in table])
    names = [name for name in "fg" if f"{name} " in body]
    return f"∀ ({' '.join(names)} : Nat → Nat), {body}"


def iterated(rng: Random) -> str:
    """g n a is f applied n times, on the outside or on the inside."""
    c, k = rng.randint(1, 9), rng.randint(2, 6)
    inner = rng.random() < 0.5
    step = "g n (f a)" if inner else "f (g n a)"
    hypotheses, goal = rng.choice(
        [
            ("", equation(rng, "g n (f a)", "f (g n a)")),
            ("", "∀ m, g (m + n) a = g m (g n a)"),
            ("", "g (n + 1) a = " + ("f (g n a)" if inner else "g n (f a)")),
            ("", "∀ m, g m (g n a) = g n (g m a)"),
            (f"f {c} = {c} → ", f"g n {c} = {c}"),
            ("(∀ a, f a = a) → ", "g n a = a"),
            (f"(∀ a, f a = a + {c}) → ", f"g n a = {c} * n + a" if c > 1 else "g n a = n + a"),
            (f"(∀ a, f a = {k} * a) → ", f"g n a = {k} ^ n * a"),
            ("(∀ a, a ≤ f a) → ", "a ≤ g n a"),
            ("(∀ a, a < f a) → ", "a + n ≤ g n a"),
            ("(∀ a, f a ≤ a) → ", "g n a ≤ a"),
            (f"(∀ a, f a % {k} = a % {k}) → ", f"g n a % {k} = a % {k}"),
            ("(∀ a, f (f a) = a) → ", "g (2 * n) a = a"),
            ("(∀ a, f (f a) = f a) → ", "g (n + 1) a = f a"),
            ("(∀ a b, f a = f b → a = b) → ", "∀ b, g n a = g n b → a = b"),
            ("(∀ a b, a ≤ b → f a ≤ f b) → ", "∀ b, a ≤ b → g n a ≤ g n b"),
            (f"(∀ a, f a ≤ a + {c}) → ", f"g n a ≤ a + {c} * n"),
            (f"(∀ a, {k} ∣ a → {k} ∣ f a) → ", f"{k} ∣ a → {k} ∣ g n a"),
        ]
    )
    variables = "n a" if re.search(r"\ba\b", goal) else "n"
    return f"∀ (f : Nat → Nat) (g : Nat → Nat → Nat), {hypotheses}(∀ a, g 0 a = a) → (∀ n a, g (n + 1) a = {step}) → ∀ {variables}, {goal}"


def concrete(rng: Random) -> str:
    """A function given by its values."""
    k, c, m = rng.randint(2, 7), rng.randint(1, 9), rng.randint(2, 5)
    value, goals = rng.choice(
        [
            (
                f"{k} * a + {c}",
                f"∀ a b, f a = f b → a = b; ∀ a b, a < b → f a < f b; ∀ a, f (f a) = {k * k} * a + {k * c + c}; "
                f"∀ a, f a % {k} = {c % k}; ¬ ∃ a, f a = {c - 1}; ∃ a, f a = {k * m + c}",
            ),
            (
                f"a + {c}",
                f"∀ a b, f a = f b → a = b; ∀ a, f (f a) = a + {2 * c}; ∀ b, {c} ≤ b → ∃ a, f a = b; "
                f"∀ a b, f (a + b) = f a + b; ¬ ∃ a, f a = {c - 1}",
            ),
            (
                "a * a",
                "∀ a b, f (a * b) = f a * f b; ∀ a b, a ≤ b → f a ≤ f b; ∀ a b, a < b → f a < f b; "
                f"∀ a b, f (a + b) = f a + f b + 2 * a * b; ∃ a, f a = {k * k}; ∀ a b, f a = f b → a = b",
            ),
            (
                f"{k} ^ a",
                "∀ a b, f (a + b) = f a * f b; ∀ a, 0 < f a; ∀ a b, a ≤ b → f a ≤ f b; ∀ a, a < f a; "
                f"∃ a, f a = {k**m}",
            ),
            (
                f"a % {k}",
                f"∀ a, f (f a) = f a; ∀ a, f a < {k}; ∀ a b, f (f a + f b) = f (a + b); ∀ a, f (a + {k}) = f a; "
                "∀ a b, f (f a * f b) = f (a * b); ∃ a b, f a = f b ∧ a < b",
            ),
            (
                f"if a < {k} then a + {c} else a",
                f"∀ a, a ≤ f a; ∀ a, f a ≤ a + {c}; ∀ a, {min(k, c)} ≤ f a; ∀ a, {k} ≤ a → f (f a) = a",
            ),
            (
                "if a % 2 = 0 then a + 1 else a - 1",
                "∀ a, f (f a) = a; ∀ a b, f a = f b → a = b; ∀ a, f a ≤ a + 1; ∀ b, ∃ a, f a = b; ∀ a, f a ≠ a",
            ),
            (
                f"max a {c}",
                "∀ a, f (f a) = f a; ∀ a b, a ≤ b → f a ≤ f b; ∀ a b, f (max a b) = max (f a) (f b); "
                f"∀ a, {c} ≤ f a; ∃ a b, f a = f b ∧ a < b",
            ),
        ]
    )
    chosen = (
        either(rng, goals)
        if rng.random() < 0.6
        else " ∧ ".join(f"({goal})" for goal in rng.sample(goals.split("; "), 2))
    )
    return f"∀ (f : Nat → Nat), (∀ a, f a = {value}) → {chosen}"


TEMPLATES = (composed, composed, iterated, concrete)
