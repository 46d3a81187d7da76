"""Existence: remainders as witnesses, sums and products of numbers of a form, unbounded sets, functions with properties."""

from __future__ import annotations

from random import Random

from burnqed.data.families.facts import value
from burnqed.data.families.terms import equation


def form(m: int, r: int, variable: str) -> str:
    return f"{m} * {variable} + {r}" if r else f"{m} * {variable}"


def closed_under(rng: Random) -> str:
    """Numbers of the form m k + r: what sums, multiples and products of two such numbers are."""
    m, j = rng.randint(2, 6), rng.randint(2, 5)
    r, s = rng.randint(0, m - 1), rng.randint(0, m - 1)
    term = rng.choice(
        [
            "a + b",
            f"a + {j} * b",
            f"{j} * a + b",
            f"a + b + {j}",
            "a * b",
            f"{j} * a",
            f"a + {j}",
            "a * a",
            f"a * b + {j}",
            f"{j} * a + {j} * b",
            "a * a + a",
            "a * (b + 1)",
        ]
    )
    double = "b" in term
    t = value(term, a=r, b=s) % m
    domain = rng.choice(["Nat", "Nat", "Nat", "Int"])
    given = f"(∃ k, {equation(rng, 'a', form(m, r, 'k'))})" + (
        f" → (∃ k, {equation(rng, 'b', form(m, s, 'k'))})" if double else ""
    )
    if double and rng.random() < 0.15:
        given = given.replace(" → ", " ∧ ")
    goal = rng.choice(
        [f"∃ k, {term} = {form(m, t, 'k')}"] * 3 + [f"({term}) % {m} = {t}", f"∃ k, {form(m, t, 'k')} = {term}"]
    )
    return f"∀ {'a b' if double else 'a'} : {domain}, {given} → {goal}"


def by_remainder(rng: Random) -> str:
    """Quotient and remainder as witnesses; a form for every remainder."""
    m, k = rng.randint(2, 7), rng.randint(1, 5)
    r = rng.randint(0, m - 1)
    c = rng.randint(1, 9)
    listed = [f"∃ k, n = {form(m, x, 'k')}" for x in range(m)]
    templates = [
        f"∀ n : Nat, n % {m} = {r} → ∃ k, {equation(rng, 'n', form(m, r, 'k'))}",
        f"∀ n : Nat, n % {m} = {r} → ∃ k, {equation(rng, f'n + {m - r}', f'{m} * k')}",
        f"∀ n : Nat, n % {m * k} = {r} → ∃ k, {equation(rng, 'n', form(m, r, 'k'))}",
        f"∀ n : Nat, n % {m} = {r} → ∃ k, {c} * n = {form(m, c * r, 'k')}",
        f"∀ n : Nat, n % {m} = {r} → ∃ a b, n = {m} * a + b ∧ b = {r}",
        f"∀ n : Nat, ∃ a b, n = {m} * a + b ∧ b < {m}",
        f"∀ n : Nat, ∃ a b, {equation(rng, 'n', f'b + a * {m}')} ∧ b ≤ {m - 1}",
        f"∀ n : Nat, ∃ a b c, n = a + {m} * b + {m * m} * c ∧ a < {m} ∧ b < {m}",
        f"∀ n : Nat, ∃ k, {m} * k ≤ n ∧ n < {m} * k + {m}",
        f"∀ n : Nat, ∃ k, n < {m} * k ∧ {m} * k ≤ n + {m}",
        f"∀ n : Nat, ∃ k, n ≤ {m} * k ∧ {m} * k < n + {m}",
        f"∀ n : Nat, ∃ k, k % {m} = {r} ∧ n ≤ k ∧ k < n + {m}",
        f"∀ n : Nat, ¬ n % {m} = 0 → ∃ k, {m} * k < n ∧ n < {m} * (k + 1)",
        f"∀ n : Nat, {' ∨ '.join(f'({x})' for x in listed[:4])}"
        if m <= 4
        else f"∀ n : Int, ∃ a b, n = {m} * a + b ∧ 0 ≤ b ∧ b < {m}",
        f"∀ n : Int, n % {m} = {r} → ∃ k, n = {form(m, r, 'k')}",
        f"∀ n : Nat, {m} ∣ n → ∃ k, {c} * n = {c * m} * k",
        f"∀ n : Nat, {m} ∣ n → ∃ k, n * n = {m * m} * (k * k)",
        f"∀ n : Nat, {m} ∣ n + {r} → ∃ k, n + {r + m} = {m} * k",
    ]
    return rng.choice(templates)


def unbounded(rng: Random) -> str:
    """Above every number there is one with a property."""
    m, c, r = rng.randint(2, 9), rng.randint(1, 9), 0
    r = rng.randint(0, m - 1)
    above = rng.choice(["n < m", "n ≤ m", f"n + {c} < m", f"{c} * n < m", "m > n"])
    property_ = rng.choice(
        [
            f"m % {m} = {r}",
            f"{m} ∣ m",
            f"∃ k, m = {form(m, r, 'k')}",
            f"m % {m} = {r} ∧ m % 2 = 0" if m % 2 else f"m % {m} = 1",
            f"¬ {m} ∣ m",
            f"(∃ k, m = {m} * k)",
            f"m % {m} ≠ {r}",
            "∃ k, m = k * k",
            "n ∣ m",
            f"{m} ∣ m ∧ {c} ∣ m",
            f"∃ k, m = {c} * k * k",
            f"∃ k, m = {m} ^ k * n + {c}",
        ]
    )
    templates = [f"∀ n : Nat, ∃ m, {above} ∧ {property_}"] * 4 + [
        f"∀ n : Nat, ∃ m, n < {rng.choice(['m * m', f'{m} * m', f'm + {c}', 'm ^ 2', f'm * m + {c}', f'm * (m + {c})', f'{m} ^ m', 'm * m * m'])}",
        f"∀ a b : Nat, ∃ m, {rng.choice(['a < m ∧ b < m', f'a + b < m ∧ {m} ∣ m', f'a ≤ m ∧ b ≤ m ∧ m % {m} = {r}', 'a ∣ m ∧ b ∣ m', f'a * b < m ∧ m % {m} = {r}', f'a ∣ m ∧ b ∣ m ∧ {m} ∣ m'])}",
        f"∀ n : Int, ∃ m : Int, {rng.choice([f'm < n ∧ m % {m} = {r}', f'n < m ∧ m % {m} = {r}', f'm < n ∧ m < {c}', f'n < m ∧ {m} ∣ m', 'n + m = 0', f'n + m = {c}', f'{c} * n + m = {m}'])}",
        f"∀ n : Nat, {c} < n → ∃ m, m < n ∧ {rng.choice([f'm + {c} = n', f'n ≤ m + {c}', 'm + m ≤ n', f'n < m + {c + 1}'])}",
        f"∀ a b : Nat, a < b → ∃ m, {rng.choice(['a + m = b ∧ 0 < m', 'b = a + m + 1', f'{m} * a + {m} * m = {m} * b', f'a * {c} + m = b * {c}', 'a * a + m = b * b'])}",
        f"∀ a b : Nat, a ≤ b → ∃ m, {rng.choice(['a + m = b', 'b = m + a', f'{m} * b = {m} * a + m', 'a * c + m = b * c'.replace('c', str(c)), 'a * a + m = b * b', f'{m} * a + m = {m} * b'])}",
    ]
    return rng.choice(templates)


def combination(rng: Random) -> str | None:
    """Numbers as combinations of two given ones."""
    p, q = rng.randint(2, 9), rng.randint(2, 11)
    try:
        pow(p, -1, q)
    except ValueError:
        return None
    if rng.random() < 0.5:
        c = rng.choice(["n", "n", f"n + {rng.randint(1, 9)}", f"{rng.randint(2, 5)} * n", "1"])
        goal = equation(rng, rng.choice([f"{p} * a + {q} * b", f"{p} * a - {q} * b", f"a * {p} + b * {q}"]), c)
        return f"∀ n : Int, ∃ a b : Int, {goal}" if c != "1" else f"∃ a b : Int, {goal}"
    start = (p - 1) * (q - 1)
    if min(p, q) > 4:
        return None
    return f"∀ n : Nat, {start + rng.randint(0, 3)} ≤ n → ∃ a b, {equation(rng, 'n', f'{p} * a + {q} * b')}"


def roots(rng: Random) -> str:
    """A number that solves an equation or several conditions."""
    x, a, b, m = rng.randint(3, 60), rng.randint(1, 9), rng.randint(1, 9), rng.randint(3, 9)
    y = rng.randint(2, 12)
    return rng.choice(
        [
            f"∃ n : Nat, n * n = {x * x}",
            f"∃ n : Nat, n * n + {a} * n = {x * x + a * x}",
            f"∃ n : Nat, {a} * n + {b} = {a * x + b}",
            f"∃ n : Nat, n % {m} = {x % m} ∧ n % {m + 1} = {x % (m + 1)}",
            f"∃ n : Nat, {x} < n ∧ n % {m} = {x % m} ∧ n < {x + m + 1}",
            f"∃ n m : Nat, n * n + m * m = {x * x + y * y}",
            f"∃ n m : Nat, n * m = {x * y} ∧ n + m = {x + y}",
            f"∃ n : Nat, {y} * n + {a} = {y * x + a} ∧ n % {m} = {x % m}",
            f"∃ n : Int, n * n = {x * x} ∧ n < 0",
            f"∃ n : Nat, 1 < n ∧ n ∣ {x * y}",
            f"∃ n : Nat, n ^ 3 = {y**3}",
            f"∃ n : Nat, {x * x} < n * n ∧ n ≤ {x + 1}",
        ]
    )


def built_function(rng: Random) -> str:
    """A function with given values or a given step."""
    a, b, m = rng.randint(0, 9), rng.randint(1, 9), rng.randint(2, 6)
    conditions = rng.choice(
        [
            f"f 0 = {a} ∧ ∀ n, f (n + 1) = f n + {b}",
            f"f 0 = {a} ∧ ∀ n, f (n + 1) = {m} * f n",
            f"f 0 = {a} ∧ ∀ n, f n < f (n + 1)",
            f"f 0 = {a} ∧ ∀ n, f (n + {m}) = f n",
            "f 0 = 0 ∧ ∀ n, f (n + 1) = f n + (2 * n + 1)",
            f"∀ n, n < f n ∧ {m} ∣ f n",
            f"∀ n, f n % {m} = {a % m} ∧ n ≤ f n",
            f"∀ n, f (f n) = n + {2 * b}",
            f"∀ n, f (n + {b}) = n" if rng.random() < 0.5 else f"∀ n, f ({m} * n) = n",
            f"∀ n, f n + n = {m} * n",
            f"f {a} = {b} ∧ ∀ n, f (n + {a + 1}) = f n",
            f"(∀ n, f n ≤ {a}) ∧ f {b} = {a}",
            "∀ m n, f (m + n) = f m + f n",
            f"f 1 = {b} ∧ ∀ m n, f (m + n) = f m + f n",
            f"f 0 = 1 ∧ f 1 = {m} ∧ ∀ m n, f (m + n) = f m * f n",
            f"∀ n, {m} * n ≤ f n ∧ f n < {m} * n + {b + 1}",
        ]
    )
    return f"∃ f : Nat → Nat, {conditions}"


TEMPLATES = (
    closed_under,
    closed_under,
    closed_under,
    by_remainder,
    by_remainder,
    unbounded,
    unbounded,
    combination,
    roots,
    built_function,
)
