"""Polynomials in a few variables with integer coefficients, as text of Lean in one of many spellings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from random import Random

from burnqed.data.families.terms import power

Monomial = tuple[int, ...]
"""Exponents, one for each variable."""
Polynomial = Mapping[Monomial, int]
NAMES = [("x", "y"), ("a", "b"), ("m", "n")]
"""Of two variables."""


def linear(coefficients: Sequence[int], constant: int = 0) -> Polynomial:
    """c₀ x₀ + c₁ x₁ + … + constant."""
    n = len(coefficients)
    units = [tuple(int(i == j) for j in range(n)) for i in range(n)]
    return plain({**dict(zip(units, coefficients, strict=True)), (0,) * n: constant})


def plain(polynomial: Polynomial) -> Polynomial:
    """Without terms that are zero."""
    return {monomial: c for monomial, c in polynomial.items() if c}


def add(one: Polynomial, other: Polynomial) -> Polynomial:
    return plain({m: one.get(m, 0) + other.get(m, 0) for m in [*one, *(m for m in other if m not in one)]})


def multiply(*factors: Polynomial) -> Polynomial:
    found, *rest = factors
    for factor in rest:
        result: dict[Monomial, int] = {}
        for (m, c), (n, d) in product(found.items(), factor.items()):
            together = tuple(i + j for i, j in zip(m, n, strict=True))
            result[together] = result.get(together, 0) + c * d
        found = plain(result)
    return found


def at(polynomial: Polynomial, *values: int) -> int:
    """Its value."""
    total = 0
    for monomial, c in polynomial.items():
        for base, exponent in zip(values, monomial, strict=True):
            c *= base**exponent
        total += c
    return total


def written(rng: Random, polynomial: Polynomial, variables: Sequence[str]) -> str:
    """`x ^ 2 - 3 * x * y + 1`: highest degree first, mostly."""
    terms = sorted(polynomial.items(), key=lambda term: (-sum(term[0]), [-e for e in term[0]]))
    if rng.random() < 0.15:
        rng.shuffle(terms)
    out = ""
    for monomial, c in terms:
        powers = [power(rng, v, e) for v, e in zip(variables, monomial, strict=True) if e]
        size = [str(abs(c))] if abs(c) != 1 or not powers else []
        term = " * ".join([*size, *powers])
        if not out:
            out = f"-{'(' * (' ' in term)}{term}{')' * (' ' in term)}" if c < 0 else term
        else:
            out += f" {'-' if c < 0 else '+'} {term}"
    return out or "0"


def factor(rng: Random, polynomial: Polynomial, variables: Sequence[str]) -> str:
    """As `written`, in brackets where a product or a power needs them."""
    return bracketed(written(rng, polynomial, variables))


def bracketed(text: str) -> str:
    return f"({text})" if " " in text or text.startswith("-") else text
