"""Functions on the natural numbers that are given by recursion as hypotheses: closed forms, bounds, residues, relations.

The values are computed, so that closed forms are solved for and the other conclusions are seen to hold for small numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from burnqed.data.families.facts import FIRST, Recursion, value
from burnqed.data.families.terms import (
    at_most,
    congruence,
    either,
    equation,
    factored,
    interpolated,
    polynomial,
    power,
    times,
    total,
)


def given(bases: dict[str, list[int]], steps: dict[str, str], conclusion: str, target: str = "Nat") -> str:
    """`∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = …) → conclusion`."""
    hypotheses = [f"{name} {k} = {v}" for name, base in bases.items() for k, v in enumerate(base)]
    hypotheses += [f"(∀ n, {name} (n + {len(bases[name])}) = {step})" for name, step in steps.items()]
    return f"∀ ({' '.join(bases)} : Nat → {target}), {' → '.join(hypotheses)} → {conclusion}"


def increment(rng: Random) -> str:
    """A polynomial in n of degree at most three, written in one of many ways."""
    a, b, c = rng.randint(1, 6), rng.randint(1, 6), rng.randint(1, 3)
    return either(
        rng,
        f"{a}; {times(rng, a, 'n')}; {times(rng, a, 'n')} + {b}; ({times(rng, a, 'n')} + {b}); (n + {b}); {a} * (n + {b}); "
        f"{power(rng, 'n', 2)}; {times(rng, a, power(rng, 'n', 2))} + {b}; "
        f"{polynomial(rng, [0, a, c])}; {polynomial(rng, [b, a, c])}; "
        f"n * (n + {b}); (n + {b}) * (n + {b}); (n + {b}) * (n + {a}); (n + {b}) ^ 2; "
        f"{times(rng, c, 'n')} * (n + {b}); (2 * n + {b}) * n; {power(rng, 'n', 3)}; "
        f"{polynomial(rng, [0, 0, c, 1])}; {polynomial(rng, [b, 0, 0, 1])}; n * (n + 1) * (n + {b}); (n + 1) ^ 3",
    )


def solved(rng: Random, recursion: Recursion, term: str = "f n") -> str | None:
    """The equation of a polynomial sequence without subtraction and division: `6 * f n + 3 * n * n = 2 * n * n * n + n`."""
    solution = interpolated([recursion.value(term, n) for n in range(FIRST)], 4)
    if solution is None:
        return None
    d, coefficients = solution
    left = times(rng, d, term)
    product = factored(coefficients)
    if product is not None and rng.random() < 0.7:
        return equation(rng, left, product)
    negative = polynomial(rng, [max(-c, 0) for c in coefficients])
    positive = polynomial(rng, [max(c, 0) for c in coefficients])
    return equation(rng, left if negative == "0" else f"{left} + {negative}", positive)


def lower(rng: Random, recursion: Recursion, term: str) -> str | None:
    """The best bound from below by a constant, by n, or by a square, plus a constant."""
    base = rng.choice(["0", "n", "n", times(rng, rng.randint(2, 5), "n"), "n * n"])
    slack = min(recursion.value(term, n) - value(base, n=n) for n in range(FIRST))
    if slack < 0 or base == "0" == str(slack):
        return None
    if base == "0":
        return "0 < " + term if slack == 1 and rng.random() < 0.5 else at_most(rng, str(slack), term)
    return at_most(rng, total(rng, [base, slack]), term)


def upper(rng: Random, recursion: Recursion, term: str) -> str | None:
    """The best bound from above by a constant, by n, or by a square, plus a constant."""
    base = rng.choice(["0", "n", times(rng, rng.randint(2, 5), "n"), "n * n"])
    slacks = [recursion.value(term, n) - value(base, n=n) for n in range(FIRST)]
    if not 0 <= max(slacks) <= 40 or slacks[-1] == max(slacks) > min(slacks):
        return None  # too loose, or still growing
    top = str(max(slacks))
    return at_most(rng, term, top if base == "0" else base if top == "0" else total(rng, [base, top]))


def true_one(rng: Random, recursion: Recursion, alternatives: str) -> str | None:
    """One of the alternatives that seem true for every n."""
    return rng.choice([text for text in alternatives.split("; ") if recursion.always(text)] or [None])


def exponential(rng: Random, recursion: Recursion, term: str) -> str | None:
    k, c = rng.randint(2, 4), rng.randint(1, 4)
    return true_one(
        rng,
        recursion,
        f"{k} ^ n ≤ {times(rng, c, term)}; {term} ≤ {times(rng, c, f'{k} ^ n')}; {term} < {k} ^ (n + {c}); {k} ^ n < {term} + {c}",
    )


def neighbours(rng: Random, recursion: Recursion, term: str) -> str | None:
    """`f n` compared with `f (n + 1)`."""
    k, m = rng.randint(1, 4), rng.randint(1, 6)
    if term != "f n":
        return None
    return true_one(
        rng,
        recursion,
        f"f n ≤ f (n + 1); f n < f (n + 1); f n + {m} ≤ f (n + 1); {k + 1} * f n ≤ f (n + 1); "
        f"f (n + 1) ≤ {k} * f n + {m}; f (n + 1) < {k} * f n + n + {m}",
    )


def residue(rng: Random, recursion: Recursion, term: str) -> str | None:
    """What the remainders by a small number are, or are not."""
    m = rng.randint(2, 9)
    residues = sorted({recursion.value(term, n) % m for n in range(FIRST)})
    if len(residues) == 1:
        return congruence(rng, term, m, residues[0])
    if len(residues) == 2 and m > 2 and rng.random() < 0.6:
        return f"{term} % {m} = {residues[0]} ∨ {term} % {m} = {residues[1]}"
    missing = sorted(set(range(m)) - set(residues))
    if not missing or len(residues) > 3:
        return None
    return either(
        rng,
        f"{term} % {m} ≠ {rng.choice(missing)}; ¬ {term} % {m} = {rng.choice(missing)}; "
        f"{term} ≠ {m * rng.randint(1, 9) + rng.choice(missing)}",
    )


def fact(rng: Random, recursion: Recursion, term: str = "f n") -> str | None:
    """Something that seems true of `term` for every n."""
    text = rng.choice([lower, lower, upper, exponential, neighbours, residue, residue])(rng, recursion, term)
    if text and term == "f n" and "∃" not in text and rng.random() < 0.85 and not recursion.inductive(text):
        return None
    return text


def joined(rng: Random, first: str | None, second: str | None = "") -> str | None:
    """One conclusion for every n, or two of them; None when one of them was not found."""
    if first is None or second is None or first == second:
        return None
    if second == "":
        return f"∀ n, {first}"
    one, two = (f"({c})" if set(c) & set("∃∨¬") else c for c in (first, second))
    return either(
        rng,
        f"∀ n, {one} ∧ {two}; " * 2 + f"(∀ n, {first}) ∧ ∀ n, {second}; (∀ n, {first}) ∧ (∀ n, {second})",
    )


def stated(
    rng: Random, bases: dict[str, list[int]], steps: dict[str, str], conclude: Callable[[Recursion], str | None]
) -> str | None:
    """The statement about these functions, if `conclude` finds a conclusion."""
    conclusion = conclude(Recursion(bases, steps))
    return None if conclusion is None else given(bases, steps, conclusion)


def summed(rng: Random) -> str | None:
    """f (n + 1) = f n + p(n): the closed form."""
    base, p = rng.choice([0, 0, 1, rng.randint(2, 9)]), increment(rng)
    step = either(rng, f"f n + {p}; f n + {p}; {p} + f n")
    return stated(rng, {"f": [base]}, {"f": step}, lambda recursion: joined(rng, solved(rng, recursion)))


def summed_fact(rng: Random) -> str | None:
    """f (n + 1) = f n + p(n): a bound or residue, or the closed form and a bound."""
    step = f"f n + {increment(rng)}"
    term = either(rng, "f n; f n; f n; f (2 * n); f (n + 1); f (n + 2)")

    def conclude(recursion: Recursion) -> str | None:
        kind = rng.random()
        if kind < 0.5:
            return joined(rng, fact(rng, recursion, term))
        return joined(rng, fact(rng, recursion) if kind < 0.8 else solved(rng, recursion), fact(rng, recursion))

    return stated(rng, {"f": [rng.randint(0, 6)]}, {"f": step}, conclude)


def affine(rng: Random) -> str | None:
    """f (n + 1) = a f n + b: the closed form (a - 1) f n + b = k a^n."""
    a, b, start = rng.randint(2, 6), rng.randint(0, 7), rng.randint(0, 6)
    k = (a - 1) * start + b
    if k == 0:
        return None
    step = f"{times(rng, a, 'f n')} + {b}" if b else times(rng, a, "f n")
    left = total(rng, [times(rng, a - 1, "f n"), b])
    right = f"{a} ^ (n + 1)" if k == a else times(rng, k, f"{a} ^ n")
    return given({"f": [start]}, {"f": step}, f"∀ n, {equation(rng, left, right)}")


def affine_fact(rng: Random) -> str | None:
    """f (n + 1) = a f n + b n + c: bounds and residues, one or two of them."""
    a, b, c = rng.randint(2, 5), rng.choice([0, 0, 1, 2, 3]), rng.randint(0, 6)
    step = total(rng, [times(rng, a, "f n"), times(rng, b, "n"), c])
    term = either(rng, "f n; f n; f n; f (n + 1); f (2 * n)")

    def conclude(recursion: Recursion) -> str | None:
        if rng.random() < 0.6:
            return joined(rng, fact(rng, recursion, term))
        return joined(rng, fact(rng, recursion), fact(rng, recursion))

    return stated(rng, {"f": [rng.randint(0, 5)]}, {"f": step}, conclude)


def product(rng: Random) -> str | None:
    """f (n + 1) = (n + a) f n: positive, growing, divisible."""
    a, b = rng.randint(1, 4), rng.randint(1, 5)
    factor = either(rng, f"(n + {a}); ({b} * n + {a}); (n + {a}) * {b}; (n * n + {a}); (n + {a}) * (n + {b})")
    step = either(rng, f"{factor} * f n; f n * {factor}; {factor} * f n + {b}")
    term = either(rng, "f n; f n; f (n + 1); f (n + 2)")

    def conclude(recursion: Recursion) -> str | None:
        return joined(rng, fact(rng, recursion, term), "" if rng.random() < 0.7 else fact(rng, recursion))

    return stated(rng, {"f": [rng.randint(1, 3)]}, {"f": step}, conclude)


def second_order(rng: Random) -> str | None:
    """f (n + 2) from the two before, as for the Fibonacci numbers: bounds, growth and periods of residues."""
    a, b, c = rng.randint(1, 4), rng.randint(1, 4), rng.choice([0, 0, 1, 2, 3])
    terms: list[str | int] = [times(rng, a, "f (n + 1)"), times(rng, b, "f n"), c]
    term = either(rng, "f n; f n; f n; f (n + 1); f (2 * n); f (3 * n); f (3 * n + 1); f (4 * n)")

    def conclude(recursion: Recursion) -> str | None:
        first = fact(rng, recursion, term)
        if first is None or term != "f n" or "∃" in first or rng.random() < 0.4:
            return joined(rng, first)
        if "n" in first.replace("f (n + 1)", "").replace("f n", ""):
            return joined(rng, first, fact(rng, recursion))
        after = first.replace("f (n + 1)", "f (n + 2)").replace("f n", "f (n + 1)")
        return joined(rng, first, after)  # the pair passes an induction

    return stated(rng, {"f": [rng.randint(0, 4), rng.randint(1, 5)]}, {"f": total(rng, terms)}, conclude)


def second_order_closed(rng: Random) -> str | None:
    """f (n + 2) + r s f n = (r + s) f (n + 1), so that f n = x r^n + y s^n: the closed form, or that it is linear."""
    r, s = rng.sample([1, 2, 3, 4], 2)
    x, y = rng.randint(0, 4), rng.randint(1, 4)
    bases = {"f": [x + y, x * r + y * s]}
    powers = [times(rng, k, f"{base} ^ n") if base > 1 else str(k) for k, base in ((x, r), (y, s)) if k]
    step = f"(∀ n, f (n + 2) + {times(rng, r * s, 'f n')} = {times(rng, r + s, 'f (n + 1)')})"
    hypotheses = f"f 0 = {bases['f'][0]} → f 1 = {bases['f'][1]} → {step}"
    closed = equation(rng, "f n", total(rng, powers))
    after = closed.replace("^ n", "^ (n + 1)").replace("f n", "f (n + 1)")
    return f"∀ (f : Nat → Nat), {hypotheses} → ∀ n, {closed}" + (f" ∧ {after}" if rng.random() < 0.5 else "")


TEMPLATES = (
    *(summed, summed, summed_fact, summed_fact),
    *(affine, affine_fact, affine_fact, product),
    *(second_order, second_order, second_order_closed),
)
