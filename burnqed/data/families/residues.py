"""Remainders and divisibility: polynomials after a case split, hypotheses on remainders, powers, chains of divisors."""

from __future__ import annotations

from random import Random

from burnqed.data.families.facts import value
from burnqed.data.families.terms import MOSTLY_NAT, closed, congruence, conjoined, either, power, times, total


def shape(rng: Random) -> str:
    """A polynomial in n of degree two to four, in one of many ways of writing."""
    a, b, c = rng.randint(1, 6), rng.randint(1, 6), rng.randint(2, 5)
    return either(
        rng,
        f"{power(rng, 'n', 2)}; {power(rng, 'n', 3)}; n * n + n; n * (n + {a}); n * (n + {a}) + {b}; "
        f"(n + {a}) * (n + {b}); n * (n + {a}) * (n + {b}); n * n + {a}; "
        f"{times(rng, c, power(rng, 'n', 2))} + {times(rng, a, 'n')}; {power(rng, 'n', 2)} + {times(rng, a, 'n')} + {b}; "
        f"{power(rng, 'n', 3)} + {times(rng, a, 'n')}; {power(rng, 'n', 3)} + {times(rng, a, 'n')} + {b}; "
        f"{power(rng, 'n', 3)} + {times(rng, a, power(rng, 'n', 2))}; n * n * (n + {a}); "
        f"n ^ 4 + {a}; n ^ 4 + {times(rng, a, 'n ^ 2')}; (n + {a}) ^ 2 + {b}; (n + {a}) ^ 2 + n; "
        f"n * ({c} * n + {a}); ({c} * n + {a}) * (n + {b})",
    )


def claim(rng: Random, term: str, residues: list[int], m: int) -> str | None:
    """What the remainders of the term by m are, given all of them; None when that says nothing."""
    if len(residues) == 1:
        return congruence(rng, term, m, residues[0])
    bracketed = f"({term})" if " " in term else term
    missing = sorted(set(range(m)) - set(residues))
    if len(residues) <= 3 and m > len(residues) + (len(residues) > 2):
        listed = " ∨ ".join(f"{bracketed} % {m} = {r}" for r in residues)
        indivisible = f"¬ {m} ∣ {term}" if 0 in missing else listed
        return either(rng, f"{listed}; {listed}; {bracketed} % {m} ≠ {rng.choice(missing)}; {indivisible}")
    if missing and m <= 9:
        r = rng.choice(missing)
        return either(rng, f"{bracketed} % {m} ≠ {r}; ¬ {bracketed} % {m} = {r}; ∀ k, {term} ≠ {m} * k + {r}")
    return None


def polynomial_residue(rng: Random) -> str | None:
    """The remainders of a polynomial: split n by its own remainder."""
    term, m = shape(rng), rng.choice([2, 2, 3, 3, 4, 5, 6, 8])
    conclusion = claim(rng, term, sorted({value(term, n=n) % m for n in range(m)}), m)
    domain = either(rng, MOSTLY_NAT)
    return conclusion and f"∀ n : {domain}, {conclusion}"


def known_residue(rng: Random) -> str | None:
    """The remainder of n (or that it is not zero) decides that of a polynomial."""
    term, m = shape(rng), rng.choice([2, 3, 3, 4, 5, 5, 7])
    k, r = m * rng.choice([1, 1, 1, 2, 3]), rng.randint(0, m - 1)
    hypothesis, kept = rng.choice(
        [
            (f"n % {k} = {r}", [r]),
            (f"n % {k} = {r}", [r]),
            (f"n % {m} ≠ {r}", [x for x in range(m) if x != r]),
            (f"¬ {m} ∣ n", list(range(1, m))),
            (f"{k} ∣ n", [0]),
        ]
    )
    if m > 5 and len(kept) > 1:
        return None
    conclusion = claim(rng, term, sorted({value(term, n=n) % m for n in kept}), m)
    return conclusion and f"∀ n : {either(rng, MOSTLY_NAT)}, {hypothesis} → {conclusion}"


def two_residues(rng: Random) -> str | None:
    """Two numbers with known remainders, or split by them."""
    a, b = rng.randint(1, 5), rng.randint(1, 5)
    term = either(
        rng,
        f"a * b; a + b; a * a + b; a * a + b * b; a * b + a; {times(rng, a, 'a')} + {times(rng, b, 'b')}; a * b + {a}; "
        f"a * (a + b); (a + b) * (a + b); a ^ 2 + b ^ 2; a * a + {times(rng, b, '(b * b)')}; a * b * (a + b)",
    )
    m = rng.choice([2, 3, 4, 5, 7])
    if m <= 4 and rng.random() < 0.4:
        small = rng.choice([2, 3, 4] if "a * a + b * b" in term or "^" in term else [2, 3])
        residues = {value(term, a=x, b=y) % small for x in range(small) for y in range(small)}
        conclusion = claim(rng, term, sorted(residues), small)
        return conclusion and f"∀ a b : Nat, {conclusion}"
    r, s = rng.randint(0, m - 1), rng.randint(0, m - 1)
    k, j = m * rng.choice([1, 1, 2]), m * rng.choice([1, 1, 1, 2])
    conclusion = congruence(rng, term, m, value(term, a=r, b=s) % m)
    if rng.random() < 0.25:
        return f"∀ a b : Nat, a % {m} = {r} ∧ b % {m} = {s} → {conclusion}"
    return f"∀ a b : Nat, a % {k} = {r} → b % {j} = {s} → {conclusion}"


def power_residue(rng: Random) -> str | None:
    """Remainders of powers, and of powers beside n: by induction."""
    base, m, k = rng.randint(2, 11), rng.randint(2, 12), rng.choice([1, 1, 2, 3])
    exponent = "n" if k == 1 else f"({k} * n)"
    c, d = rng.choice([0, 0, rng.randint(1, 9)]), rng.choice([0, rng.randint(1, 20)])
    other, e = rng.randint(2, 9), rng.choice([0, 0, 0, 1])
    term = total(rng, [f"{base} ^ {exponent}", f"{other} ^ n" if e else "", times(rng, c, "n"), d])
    residues = sorted({value(term, n=n) % m for n in range(14)})
    if len(residues) == 1:
        conclusion: str | None = congruence(rng, term, m, residues[0])
    elif len(residues) == 2 and m > 2:
        bracketed = f"({term})" if " + " in term else term
        conclusion = f"{bracketed} % {m} = {residues[0]} ∨ {bracketed} % {m} = {residues[1]}"
    else:
        return None
    return f"∀ n : Nat, {conclusion}"


def power_pair(rng: Random) -> str:
    """x^n - 1 and x^n + y^n by their algebraic divisors, with the modulus made to fit."""
    m, k = rng.randint(2, 12), rng.randint(1, 3)
    base = m * k + 1
    j = rng.randint(1, 9)
    template = rng.choice(
        [
            congruence(rng, f"{base} ^ n", m, 1),
            congruence(rng, f"{base} ^ n + {j}", m, (1 + j) % m),
            congruence(rng, f"{base} ^ n + {m * j - 1}", m, 0),
            congruence(rng, times(rng, j, f"{base} ^ n"), m, j % m),
            congruence(rng, f"{base} ^ n + {base + m} ^ n", m, 2 % m),
            f"{base} ^ n % {m} = {base + m} ^ n % {m}",
            f"({base} ^ n + {m * j}) % {m} = 1",
            f"{m} ∣ {base} ^ n * {m * j}",
            f"{m * m} ∣ {m + 1} ^ n + {m * m * j - m} * n + {m * m - 1}",
        ]
    )
    return f"∀ n : Nat, {template}"


def divisors(rng: Random) -> str:
    """Chains of divisors: products, sums and multiples; one conclusion or two."""
    j, k = rng.randint(2, 7), rng.randint(2, 7)
    hypotheses, conclusions = rng.choice(
        [
            ("a ∣ b → c ∣ k", f"a * c ∣ b * k; c * a ∣ b * k; a * c ∣ {j} * (b * k); {j} * (a * c) ∣ {j} * b * k"),
            ("a ∣ b", f"a * a ∣ b * b; a ^ {j} ∣ b ^ {j}; a * a * a ∣ b * b * b; a ∣ {j} * b; a * a ∣ b * b * b"),
            ("a ∣ b", f"a * c ∣ b * c; c * a ∣ b * c; a ∣ b * c + {j} * b; a ∣ b * b + c * b"),
            ("a ∣ b", f"{j} * a ∣ {j * k} * b; a * {j} ∣ b * {j}; {j} * (a * a) ∣ {j} * (b * b)"),
            (
                "a ∣ b → a ∣ c",
                f"a ∣ {j} * b + {k} * c; a * a ∣ {j} * (b * c); a * a ∣ b * c; a ∣ b * b + {j} * c; a * a ∣ b * b + c * c",
            ),
            (
                "a ∣ b → b ∣ c",
                f"a ∣ {j} * c + b; a ∣ c * c; a * a ∣ b * c; a * b ∣ b * c; a * b ∣ c * c; a ∣ {j} * b + {k} * c",
            ),
            ("a ∣ b → b ∣ c → c ∣ k", f"a ∣ {j} * k; a * b ∣ c * k; a * a ∣ c * k; a ∣ b + c + k"),
            (
                f"{j} ∣ a → {k} ∣ b",
                f"{j * k} ∣ a * b; {j * k} ∣ {k} * a + {j} * b; {j * k} ∣ c * a * b; {j * j * k * k} ∣ a * a * b * b",
            ),
            (
                f"{j} ∣ a → {j} ∣ b",
                f"{j} ∣ a + {k} * b; {j * j} ∣ a * b; {j * j} ∣ a * a + b * b; {j * j} ∣ {k} * (a * b)",
            ),
            (f"{j} ∣ a", f"{j * j} ∣ a * a; {j} ∣ {k} * a; {j} ∣ a * a + a; {j * j * j} ∣ a ^ 3"),
            (f"a ∣ {j} → b ∣ {k}", f"a * b ∣ {j * k}; b * a ∣ {j * k}"),
            ("a * b ∣ c", f"a ∣ c; b ∣ c; a ∣ {j} * c; b ∣ c * c"),
            (f"{j} * a ∣ b", f"a ∣ b; a ∣ {k} * b; a * a ∣ b * b; {j} ∣ b"),
            ("a ∣ b + c → a ∣ b", f"a ∣ c; a ∣ {j} * c; a * a ∣ b * c; a ∣ b + {j} * c"),
        ]
    )
    conclusion = either(rng, conclusions) if rng.random() < 0.7 else " ∧ ".join(rng.sample(conclusions.split("; "), 2))
    hypotheses = conjoined(rng, hypotheses)
    return closed("abck", either(rng, MOSTLY_NAT), f"{hypotheses} → {conclusion}")


TEMPLATES = (
    *[polynomial_residue] * 3,
    *[known_residue] * 2,
    *(two_residues, power_residue, power_pair, divisors),
)
