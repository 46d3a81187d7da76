"""Existence: remainders as witnesses, sums and products of numbers of a form, unbounded sets, functions with properties."""

from __future__ import annotations

from math import gcd
from random import Random

from burnqed.data.families.facts import value
from burnqed.data.families.terms import MOSTLY_NAT, closed, conjoined, either, equation


def form(m: int, r: int) -> str:
    return f"{m} * k + {r}" if r else f"{m} * k"


def closed_under(rng: Random) -> str:
    """Numbers of the form m k + r: what sums, multiples and products of two such numbers are."""
    m, j = rng.randint(2, 6), rng.randint(2, 5)
    r, s = rng.randint(0, m - 1), rng.randint(0, m - 1)
    term = either(
        rng,
        f"a + b; a + {j} * b; {j} * a + b; a + b + {j}; a * b; {j} * a; a + {j}; a * a; "
        f"a * b + {j}; {j} * a + {j} * b; a * a + a; a * (b + 1)",
    )
    t = value(term, a=r, b=s) % m
    domain = either(rng, MOSTLY_NAT)
    hypotheses = f"(∃ k, {equation(rng, 'a', form(m, r))})"
    if "b" in term:
        hypotheses = conjoined(rng, f"{hypotheses} → (∃ k, {equation(rng, 'b', form(m, s))})")
    goal = either(rng, f"∃ k, {term} = {form(m, t)}; " * 3 + f"({term}) % {m} = {t}; ∃ k, {form(m, t)} = {term}")
    return closed("ab", domain, f"{hypotheses} → {goal}")


def by_remainder(rng: Random) -> str:
    """Quotient and remainder as witnesses; a form for every remainder."""
    m, k = rng.randint(2, 7), rng.randint(1, 5)
    r = rng.randint(0, m - 1)
    c = rng.randint(1, 9)
    templates = [
        f"∀ n : Nat, n % {m} = {r} → ∃ k, {equation(rng, 'n', form(m, r))}",
        f"∀ n : Nat, n % {m} = {r} → ∃ k, {equation(rng, f'n + {m - r}', f'{m} * k')}",
        f"∀ n : Nat, n % {m * k} = {r} → ∃ k, {equation(rng, 'n', form(m, r))}",
        f"∀ n : Nat, n % {m} = {r} → ∃ k, {c} * n = {form(m, c * r)}",
        f"∀ n : Nat, n % {m} = {r} → ∃ a b, n = {m} * a + b ∧ b = {r}",
        f"∀ n : Nat, ∃ a b, n = {m} * a + b ∧ b < {m}",
        f"∀ n : Nat, ∃ a b, {equation(rng, 'n', f'b + a * {m}')} ∧ b ≤ {m - 1}",
        f"∀ n : Nat, ∃ a b c, n = a + {m} * b + {m * m} * c ∧ a < {m} ∧ b < {m}",
        f"∀ n : Nat, ∃ k, {m} * k ≤ n ∧ n < {m} * k + {m}",
        f"∀ n : Nat, ∃ k, n < {m} * k ∧ {m} * k ≤ n + {m}",
        f"∀ n : Nat, ∃ k, n ≤ {m} * k ∧ {m} * k < n + {m}",
        f"∀ n : Nat, ∃ k, k % {m} = {r} ∧ n ≤ k ∧ k < n + {m}",
        f"∀ n : Nat, ¬ n % {m} = 0 → ∃ k, {m} * k < n ∧ n < {m} * (k + 1)",
        f"∀ n : Nat, {' ∨ '.join(f'(∃ k, n = {form(m, x)})' for x in range(m))}"
        if m <= 4
        else f"∀ n : Int, ∃ a b, n = {m} * a + b ∧ 0 ≤ b ∧ b < {m}",
        f"∀ n : Int, n % {m} = {r} → ∃ k, n = {form(m, r)}",
        f"∀ n : Nat, {m} ∣ n → ∃ k, {c} * n = {c * m} * k",
        f"∀ n : Nat, {m} ∣ n → ∃ k, n * n = {m * m} * (k * k)",
        f"∀ n : Nat, {m} ∣ n + {r} → ∃ k, n + {r + m} = {m} * k",
    ]
    return rng.choice(templates)


def unbounded(rng: Random) -> str:
    """Above every number there is one with a property."""
    m, c = rng.randint(2, 9), rng.randint(1, 9)
    r = rng.randint(0, m - 1)
    above = either(rng, f"n < m; n ≤ m; n + {c} < m; {c} * n < m; m > n")
    fourth = f"m % {m} = {r} ∧ m % 2 = 0" if m % 2 else f"m % {m} = 1"
    such_that = either(
        rng,
        f"m % {m} = {r}; {m} ∣ m; ∃ k, m = {form(m, r)}; {fourth}; ¬ {m} ∣ m; (∃ k, m = {m} * k); m % {m} ≠ {r}; "
        f"∃ k, m = k * k; n ∣ m; {m} ∣ m ∧ {c} ∣ m; ∃ k, m = {c} * k * k; ∃ k, m = {m} ^ k * n + {c}",
    )
    goals = {
        "n : Nat, ∃ m, n < ": f"m * m; {m} * m; m + {c}; m ^ 2; m * m + {c}; m * (m + {c}); {m} ^ m; m * m * m",
        "a b : Nat, ∃ m, ": f"a < m ∧ b < m; a + b < m ∧ {m} ∣ m; a ≤ m ∧ b ≤ m ∧ m % {m} = {r}; a ∣ m ∧ b ∣ m; "
        f"a * b < m ∧ m % {m} = {r}; a ∣ m ∧ b ∣ m ∧ {m} ∣ m",
        "n : Int, ∃ m : Int, ": f"m < n ∧ m % {m} = {r}; n < m ∧ m % {m} = {r}; m < n ∧ m < {c}; n < m ∧ {m} ∣ m; "
        f"n + m = 0; n + m = {c}; {c} * n + m = {m}",
        f"n : Nat, {c} < n → ∃ m, m < n ∧ ": f"m + {c} = n; n ≤ m + {c}; m + m ≤ n; n < m + {c + 1}",
        "a b : Nat, a < b → ∃ m, ": f"a + m = b ∧ 0 < m; b = a + m + 1; {m} * a + {m} * m = {m} * b; "
        f"a * {c} + m = b * {c}; a * a + m = b * b",
        "a b : Nat, a ≤ b → ∃ m, ": f"a + m = b; b = m + a; {m} * b = {m} * a + m; a * {c} + m = b * {c}; "
        f"a * a + m = b * b; {m} * a + m = {m} * b",
    }
    others = [f"∀ {start}{either(rng, ends)}" for start, ends in goals.items()]
    return rng.choice([f"∀ n : Nat, ∃ m, {above} ∧ {such_that}"] * 4 + others)


def combination(rng: Random) -> str | None:
    """Numbers as combinations of two given ones."""
    p, q = rng.randint(2, 9), rng.randint(2, 11)
    if gcd(p, q) > 1:
        return None
    if rng.random() < 0.5:
        c = either(rng, f"n; n; n + {rng.randint(1, 9)}; {rng.randint(2, 5)} * n; 1")
        goal = equation(rng, either(rng, f"{p} * a + {q} * b; {p} * a - {q} * b; a * {p} + b * {q}"), c)
        return f"∀ n : Int, ∃ a b : Int, {goal}" if c != "1" else f"∃ a b : Int, {goal}"
    start = (p - 1) * (q - 1)
    if min(p, q) > 4:
        return None
    return f"∀ n : Nat, {start + rng.randint(0, 3)} ≤ n → ∃ a b, {equation(rng, 'n', f'{p} * a + {q} * b')}"


def roots(rng: Random) -> str:
    """A number that solves an equation or several conditions."""
    x, a, b, m = rng.randint(3, 60), rng.randint(1, 9), rng.randint(1, 9), rng.randint(3, 9)
    y = rng.randint(2, 12)
    return "∃ " + either(
        rng,
        f"n : Nat, n * n = {x * x}; n : Nat, n * n + {a} * n = {x * x + a * x}; n : Nat, {a} * n + {b} = {a * x + b}; "
        f"n : Nat, n % {m} = {x % m} ∧ n % {m + 1} = {x % (m + 1)}; "
        f"n : Nat, {x} < n ∧ n % {m} = {x % m} ∧ n < {x + m + 1}; "
        f"n m : Nat, n * n + m * m = {x * x + y * y}; n m : Nat, n * m = {x * y} ∧ n + m = {x + y}; "
        f"n : Nat, {y} * n + {a} = {y * x + a} ∧ n % {m} = {x % m}; n : Int, n * n = {x * x} ∧ n < 0; "
        f"n : Nat, 1 < n ∧ n ∣ {x * y}; n : Nat, n ^ 3 = {y**3}; n : Nat, {x * x} < n * n ∧ n ≤ {x + 1}",
    )


def built_function(rng: Random) -> str:
    """A function with given values or a given step."""
    a, b, m = rng.randint(0, 9), rng.randint(1, 9), rng.randint(2, 6)
    inverse = f"∀ n, f (n + {b}) = n" if rng.random() < 0.5 else f"∀ n, f ({m} * n) = n"
    return "∃ f : Nat → Nat, " + either(
        rng,
        f"f 0 = {a} ∧ ∀ n, f (n + 1) = f n + {b}; f 0 = {a} ∧ ∀ n, f (n + 1) = {m} * f n; "
        f"f 0 = {a} ∧ ∀ n, f n < f (n + 1); f 0 = {a} ∧ ∀ n, f (n + {m}) = f n; "
        f"f 0 = 0 ∧ ∀ n, f (n + 1) = f n + (2 * n + 1); ∀ n, n < f n ∧ {m} ∣ f n; ∀ n, f n % {m} = {a % m} ∧ n ≤ f n; "
        f"∀ n, f (f n) = n + {2 * b}; {inverse}; ∀ n, f n + n = {m} * n; f {a} = {b} ∧ ∀ n, f (n + {a + 1}) = f n; "
        f"(∀ n, f n ≤ {a}) ∧ f {b} = {a}; ∀ m n, f (m + n) = f m + f n; f 1 = {b} ∧ ∀ m n, f (m + n) = f m + f n; "
        f"f 0 = 1 ∧ f 1 = {m} ∧ ∀ m n, f (m + n) = f m * f n; ∀ n, {m} * n ≤ f n ∧ f n < {m} * n + {b + 1}",
    )


TEMPLATES = (
    *[closed_under] * 3,
    *[by_remainder] * 2,
    *[unbounded] * 2,
    *(combination, roots, built_function),
)
