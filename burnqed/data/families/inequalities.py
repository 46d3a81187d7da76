"""Inequalities with products, squares and powers."""

from __future__ import annotations

from random import Random

from burnqed.data.families.facts import holds, value
from burnqed.data.families.terms import at_most, closed, conjoined, either, times, total


def monotone(rng: Random) -> str:
    """Products and squares of what is ordered, with linear terms beside them."""
    j, k, c = rng.randint(1, 6), rng.randint(2, 6), rng.randint(1, 9)
    hypotheses, left, right = rng.choice(
        [
            ("a ≤ b → c ≤ k", "a * c", "b * k"),
            ("a ≤ b → c ≤ k", "c * a", "b * k"),
            ("a ≤ b → c ≤ k", "a * c + a", "b * k + b"),
            ("a ≤ b → c ≤ k", f"a * c + {j} * c", f"b * k + {j} * k"),
            ("a ≤ b → c ≤ k", f"{k} * (a * c)", f"{k} * (b * k)"),
            ("a ≤ b", "a * a", "b * b"),
            ("a ≤ b", f"a * a + {times(rng, j, 'a')}", f"b * b + {times(rng, j, 'b')}"),
            ("a ≤ b", f"{k} * (a * a)", f"{k} * (b * b)"),
            ("a ≤ b", "a * a * a", "b * b * b"),
            ("a ≤ b", "a * c", "b * c"),
            ("a ≤ b", f"c * a + {j}", f"c * b + {j}"),
            ("a ≤ b", "a * b", "b * b"),
            ("a ≤ b", "a * a", "a * b"),
            ("a ≤ b", "a * a + a * b", "2 * (b * b)"),
            ("a ≤ b → b ≤ c", "a * b", "b * c"),
            ("a ≤ b → b ≤ c", "a * a", "c * c"),
            ("a ≤ b → b ≤ c", "a * b", "c * c"),
            (f"a ≤ {j} → b ≤ {k}", "a * b", str(j * k)),
            (f"a ≤ {j} → b ≤ {k}", "a * b + a", str(j * k + j)),
            (f"{j} ≤ a → {k} ≤ b", str(j * k), "a * b"),
            (f"a ≤ {k}", "a * a", str(k * k)),
            (f"a ≤ {k}", f"a * a + {times(rng, j, 'a')}", str(k * k + j * k)),
            (f"{k} ≤ a", f"{k} * a", "a * a"),
            (f"{k} ≤ a", f"{k * k}", "a * a"),
            (f"a + {j} ≤ b", f"a * a + {j} * a", "a * b"),
            (f"a + {j} ≤ b", f"(a + {j}) * (a + {j})", "b * b"),
            (f"a + {j} ≤ b", f"a * a + {2 * j} * a + {j * j}", "b * b"),
            (f"{k} * a ≤ b", f"{k * k} * (a * a)", "b * b"),
            (f"{k} * a ≤ b → c ≤ b", f"{k} * a * c", "b * b"),
            (f"a ≤ {k} * b", "a * a", f"{k * k} * (b * b)"),
            ("a ≤ b + c", "a * a", "(b + c) * (b + c)"),
            ("a ≤ b + c", "k * a", "k * b + k * c"),
            ("a ≤ b → c ≤ k", "a * c * 2", "b * k + b * k"),
            ("a ≤ b", f"a ^ 2 + {c}", f"b ^ 2 + {c}"),
        ]
    )
    if "k" not in hypotheses and "k" in left + right and hypotheses != "a ≤ b + c":
        left, right = left.replace("k", str(k)), right.replace("k", str(k))
    return closed("abck", "Nat", f"{conjoined(rng, hypotheses)} → {at_most(rng, left, right)}")


def strict(rng: Random) -> str:
    """Strict products and squares."""
    j, k = rng.randint(1, 5), rng.randint(2, 6)
    hypotheses, conclusion = rng.choice(
        [
            ("a < b", "a * a < b * b"),
            ("a < b", f"a * a + {j} < b * b + {j}"),
            ("a < b", "a * a + a < b * b"),
            ("a < b", "a * a + 2 * a < b * b"),
            ("a < b", f"{k} * (a * a) < {k} * (b * b)"),
            ("a < b", "a * a * a < b * b * b"),
            ("a < b → 0 < c", "a * c < b * c"),
            ("a < b → 0 < c", "c * a + c ≤ c * b"),
            ("a < b → c < k", "a * c < b * k"),
            ("a < b → c < k", "(a + 1) * (c + 1) ≤ b * k"),
            ("a < b → c < k", "a * c + a + c < b * k"),
            ("0 < a → 0 < b", "0 < a * b"),
            ("0 < a → 0 < b", f"0 < {k} * a * b"),
            ("0 < a → 0 < b", "0 < a * a * b"),
            ("0 < a → 0 < b", "a ≤ a * b"),
            ("0 < a → 0 < b → 0 < c", "0 < a * b * c"),
            ("1 < a → 0 < b", "b < a * b"),
            ("1 < a → 1 < b", "a < a * b ∧ b < a * b"),
            ("a * a < b * b", "a < b"),
            ("a * a ≤ b * b", "a ≤ b"),
            ("0 < c → a * c ≤ b * c", "a ≤ b"),
            ("a * c < b * c", "a < b"),
            (f"{k * k} < a * a", f"{k} < a"),
            (f"a * a ≤ {k * k}", f"a ≤ {k}"),
            ("a * b = 0", "a = 0 ∨ b = 0"),
            ("0 < a * b", "0 < a ∧ 0 < b"),
            (f"a * a = {k * k}", f"a = {k}"),
            ("a * a = a", "a ≤ 1"),
            ("a * b = 1", "a = 1 ∧ b = 1"),
        ]
    )
    return closed("abck", "Nat", f"{conjoined(rng, hypotheses)} → {conclusion}")


def least_values(rng: Random) -> str | None:
    """Lower bounds of the variables and the most that follows for a product, found on a grid."""
    p, q, x, y = rng.randint(0, 4), rng.randint(0, 4), rng.randint(0, 5), rng.randint(0, 5)
    big = either(
        rng,
        "a * b; a * b; a * a + b * b; a * (b + 1); (a + 1) * (b + 1); a * a + a * b; 2 * (a * b); a * (a + b); a * b + a",
    )
    linear = [times(rng, x, "a"), times(rng, y, "b")]
    grid = [(a, b) for a in range(p, p + 14) for b in range(q, q + 14)]
    slack = min(value(big, a=a, b=b) - x * a - y * b for a, b in grid)
    if slack < 0 or not any(linear) or (p, q) == (0, 0):
        return None
    hypotheses = [f"{p} ≤ a"] * (p > 0) + [f"{q} ≤ b"] * (q > 0)
    return "∀ a b : Nat, " + " → ".join([*hypotheses, at_most(rng, total(rng, [*linear, slack]), big)])


def squares(rng: Random) -> str | None:
    """Sums of squares against products, tried on a grid; over the integers as well."""
    x, y, z, c = rng.randint(1, 5), rng.randint(1, 5), rng.randint(1, 8), rng.randint(0, 4)
    domain = either(rng, "Nat; Nat; Int")
    left = either(
        rng,
        f"{z} * (a * b); {z} * a * b; {times(rng, z, 'a')}; {z} * a * b; {z} * a + {x} * b; "
        "(a + b) * (a + b); (a + b) ^ 2; a * b + b * a",
    )
    right = either(
        rng,
        f"{x} * (a * a) + {y} * (b * b); {x} * a ^ 2 + {y} * b ^ 2; a * a + {c}; "
        f"{x} * (a * a + b * b); a * a + b * b + {c}; (a + b) * (a + b)",
    )
    if "b" not in left + right:
        pairs = [(a, 0) for a in range(-9, 20)]
    else:
        pairs = [(a, b) for a in range(-6, 10) for b in range(-6, 10)]
    if domain == "Nat":
        pairs = [(a, b) for a, b in pairs if a >= 0 and b >= 0]
    gaps = [value(right, a=a, b=b) - value(left, a=a, b=b) for a, b in pairs]
    if min(gaps) < 0 or min(gaps) > 1 or not any(gaps):
        return None
    return closed("ab", domain, f"{left} ≤ {right}")


def powers(rng: Random) -> str | None:
    """Powers against linear terms, and against each other: by induction."""
    k, m, c, d = rng.randint(2, 6), rng.randint(2, 6), rng.randint(0, 6), rng.randint(1, 5)
    variables, hypothesis, conclusion = rng.choice(
        [
            ("n", "", f"n < {k} ^ n"),
            ("n", "", f"{times(rng, d, 'n')} + {c} ≤ {times(rng, m, f'{k} ^ n')}"),
            ("n", "", f"{times(rng, d, 'n')} < {k} ^ (n + {m})"),
            ("n", "", f"{k} ^ n ≤ {k + d} ^ n"),
            ("n", "", f"{k} ^ n + {c} ≤ {k + d} ^ n + {c}"),
            ("n", "", f"{times(rng, d, 'n')} + 1 ≤ {d + 1} ^ n"),
            ("n", "", f"0 < {k} ^ n + {c}"),
            ("n", "", f"{k} ^ n < {k} ^ (n + {d})"),
            ("n", "", f"{k} ^ n + {k} ^ n ≤ {k} ^ (n + 1)"),
            ("n", f"{m} ≤ n → ", f"{k**m} ≤ {k} ^ n"),
            ("n", f"{m} ≤ n → ", f"{times(rng, d, 'n')} + {c} ≤ {k} ^ n"),
            ("n", "", f"n * n ≤ {times(rng, d, f'{k + 1} ^ n')}"),
            ("a n", "0 < a → ", "0 < a ^ n"),
            ("a n", f"{k} ≤ a → ", f"{k} ^ n ≤ a ^ n"),
            ("a n", "1 < a → ", "n < a ^ n"),
            ("a n", "0 < a → ", "1 ≤ a ^ n"),
            ("a n", "0 < a → ", f"a ^ n ≤ a ^ (n + {d})"),
            ("a n", f"a ≤ {k} → ", f"a ^ n ≤ {k} ^ n"),
            ("a n", "", "n * a + 1 ≤ (a + 1) ^ n"),
            ("a n", "", f"a ^ n ≤ (a + {d}) ^ n"),
            ("a b n", "a ≤ b → ", "a ^ n ≤ b ^ n"),
            ("a b n", "a ≤ b → ", f"{k} * a ^ n ≤ {k} * b ^ n"),
            ("a b n", "a ≤ b → ", f"a ^ n + {c} ≤ b ^ n + {c}"),
            ("a b n", "a ≤ b → ", "a ^ (n + 1) ≤ b ^ n * b"),
            ("a b n", "", "a ^ n * b ^ n = (a * b) ^ n"),
            ("a n", "", f"{k} ^ n * a ^ n = ({k} * a) ^ n"),
            ("m n", "", f"{k} ^ (m + n) = {k} ^ m * {k} ^ n"),
            ("m n", "m ≤ n → ", f"{k} ^ m ≤ {k} ^ n"),
            ("m n", "m < n → ", f"{k} ^ m < {k} ^ n"),
            ("m n", "", f"{k} ^ m ≤ {k} ^ (m + n)"),
            ("m n", "", f"m + n ≤ {k} ^ m * {m} ^ n"),
        ]
    )
    if variables == "n":
        first = m if hypothesis else 0
        if not all(holds(conclusion, n=n) for n in range(first, first + 14)):
            return None
    return f"∀ {variables} : Nat, {hypothesis}{conclusion}"


def integers(rng: Random) -> str:
    """Signs of products of integers."""
    k, c = rng.randint(1, 6), rng.randint(1, 9)
    hypotheses, conclusion = rng.choice(
        [
            ("0 ≤ a → 0 ≤ b", "0 ≤ a * b"),
            ("0 ≤ a → 0 ≤ b", f"0 ≤ {k} * (a * b) + {c}"),
            ("0 ≤ a → 0 ≤ b", "0 ≤ a * b + a"),
            ("0 ≤ a → 0 ≤ b → 0 ≤ c", "0 ≤ a * b * c"),
            ("0 ≤ a → 0 ≤ b → 0 ≤ c", "0 ≤ a * b + b * c"),
            ("a ≤ 0 → b ≤ 0", "0 ≤ a * b"),
            ("a ≤ 0 → 0 ≤ b", "a * b ≤ 0"),
            ("0 < a → 0 < b", "0 < a * b"),
            ("0 < a → 0 < b", f"0 < {k} * a * b"),
            ("a < 0 → b < 0", "0 < a * b"),
            ("0 ≤ a → a ≤ b", "a * a ≤ b * b"),
            ("0 ≤ a → a ≤ b → 0 ≤ c", "a * c ≤ b * c"),
            ("a ≤ b → 0 ≤ c", "a * c ≤ b * c"),
            ("a ≤ b → 0 ≤ c", f"c * a ≤ c * b + {k}"),
            ("a ≤ b → c ≤ 0", "b * c ≤ a * c"),
            ("a ≤ b", "0 ≤ (b - a) * (b - a)"),
            (f"{k} ≤ a → {c} ≤ b", f"0 ≤ (a - {k}) * (b - {c})"),
            (f"{k} ≤ a → {c} ≤ b", f"{c} * a + {k} * b ≤ a * b + {k * c}"),
            (f"a ≤ {k} → b ≤ {c}", f"{c} * a + {k} * b ≤ a * b + {k * c}"),
            (f"{k} ≤ a → b ≤ {c}", f"a * b + {k * c} ≤ {c} * a + {k} * b"),
            ("", "0 ≤ a * a"),
            ("", f"0 ≤ a * a + {k} * (b * b)"),
            ("", f"0 ≤ (a - b) * (a - b) + {c}"),
            ("", f"0 < a * a + {c}"),
            ("", "2 * (a * b) ≤ a * a + b * b"),
            ("", f"{2 * k} * a ≤ a * a + {k * k}"),
            ("", f"{2 * k} * a * b ≤ a * a + {k * k} * (b * b)"),
        ]
    )
    return closed("abc", "Int", f"{hypotheses} → {conclusion}" if hypotheses else conclusion)


TEMPLATES = (monotone, monotone, strict, least_values, squares, powers, powers, integers)
