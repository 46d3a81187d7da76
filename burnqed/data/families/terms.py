"""Lean text of numbers, products, sums and polynomials, in one of the many ways to write them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm
from random import Random

MOSTLY_NAT = "Nat; Nat; Nat; Int"
"""Domains of variables, for `either`."""


def either(rng: Random, alternatives: str) -> str:
    """One of the alternatives; `; ` separates them."""
    return rng.choice(alternatives.split("; "))


def conjoined(rng: Random, hypotheses: str) -> str:
    """The hypotheses, occasionally joined by `∧` instead of `→`."""
    return hypotheses.replace(" → ", " ∧ ") if rng.random() < 0.15 else hypotheses


def closed(variables: str, domain: str, body: str) -> str:
    """`∀ a c : Nat, body`: binds those of the variables (a letter each) that occur in the body."""
    return f"∀ {' '.join(name for name in variables if name in body)} : {domain}, {body}"


def times(rng: Random, factor: int, term: str) -> str:
    """`3 * n`, sometimes `n * 3`; just the term when the factor is one, and empty when it is zero."""
    if factor < 2:
        return term if factor else ""
    return f"{factor} * {term}" if rng.random() < 0.8 else f"{term} * {factor}"


def power(rng: Random, variable: str, degree: int) -> str:
    """`n * n` or `n ^ 2`."""
    if degree == 1:
        return variable
    return " * ".join([variable] * degree) if rng.random() < 0.6 else f"{variable} ^ {degree}"


def total(rng: Random, terms: Sequence[str | int]) -> str:
    """The sum of the terms that are neither empty nor zero, sometimes in another order; `0` when there are none."""
    shuffled = [str(term) for term in terms if term]
    if len(shuffled) > 1 and rng.random() < 0.3:
        rng.shuffle(shuffled)
    return " + ".join(shuffled) or "0"


def polynomial(rng: Random, coefficients: Sequence[int], variable: str = "n") -> str:
    """A polynomial with natural coefficients (constant first), highest power first."""
    terms = [times(rng, c, power(rng, variable, k)) for k, c in enumerate(coefficients) if c and k]
    return total(rng, [*reversed(terms), coefficients[0]])


def factored(coefficients: Sequence[int], variable: str = "n") -> str | None:
    """The polynomial as a product of factors such as `n`, `(n + 1)`, `(2 * n + 1)`; None when it is no such product."""
    rest = [Fraction(c) for c in coefficients]
    factors: list[str] = []
    for lead, constant in [(1, 0), (1, 0), (1, 1), (1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (3, 2), (2, 3)]:
        quotient = _divided(rest, lead, constant)
        if quotient is not None:
            rest = quotient
            head = variable if lead == 1 else f"{lead} * {variable}"
            factors.append(f"({head} + {constant})" if constant else head)
    if len(rest) != 1 or len(factors) < 2 or rest[0].denominator != 1 or rest[0] < 1:
        return None
    return " * ".join(([] if rest[0] == 1 else [str(rest[0])]) + factors)


def _divided(coefficients: list[Fraction], lead: int, constant: int) -> list[Fraction] | None:
    """Quotient by `lead * n + constant`, or None when there is a remainder."""
    if len(coefficients) < 2:
        return None
    rest = list(coefficients)
    quotient = [Fraction(0)] * (len(rest) - 1)
    for k in reversed(range(len(quotient))):
        quotient[k] = rest[k + 1] / lead
        rest[k] -= quotient[k] * constant
    return None if rest[0] else quotient


def interpolated(values: Sequence[int], degree: int) -> tuple[int, list[int]] | None:
    """(d, P) with d · values[n] = P(n) for all n, P of the degree or below with integer coefficients; None if there is none."""
    differences = [Fraction(v) for v in values]
    newton: list[Fraction] = []
    for _ in range(degree + 1):
        newton.append(differences[0])
        differences = [b - a for a, b in pairwise(differences)]
    if any(differences):
        return None
    coefficients = [Fraction(0)] * (degree + 1)
    basis = [Fraction(1)]  # n (n - 1) … (n - k + 1) / k!
    for k, scale in enumerate(newton):
        for i, b in enumerate(basis):
            coefficients[i] += scale * b
        shifted = [Fraction(0), *basis]
        basis = [(s - k * b) / (k + 1) for s, b in zip(shifted, [*basis, Fraction(0)], strict=True)]
    d = lcm(*(c.denominator for c in coefficients))
    whole = [int(c * d) for c in coefficients]
    while len(whole) > 1 and not whole[-1]:
        whole.pop()
    return d, whole


def equation(rng: Random, left: str, right: str) -> str:
    """`left = right`, sometimes the other way round."""
    return f"{left} = {right}" if rng.random() < 0.75 else f"{right} = {left}"


def at_most(rng: Random, left: str, right: str) -> str:
    """`left ≤ right` in one of its spellings."""
    return rng.choice([f"{left} ≤ {right}"] * 4 + [f"{right} ≥ {left}", f"{left} < {right} + 1", f"¬ {right} < {left}"])


def congruence(rng: Random, term: str, modulus: int, residue: int) -> str:
    """That the term leaves the residue, as an equation, a divisibility or a witness."""
    bracketed = f"({term})" if " " in term and not term.startswith("f ") else term
    spelled = [f"{bracketed} % {modulus} = {residue}"] * 3
    if residue == 0:
        spelled += [f"{modulus} ∣ {term}"] * 2 + [f"∃ k, {term} = {modulus} * k"]
    else:
        spelled += [f"{modulus} ∣ {term} + {modulus - residue}", f"∃ k, {term} = {modulus} * k + {residue}"]
    return rng.choice(spelled)
