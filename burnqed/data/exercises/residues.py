"""Remainders of polynomials: by cases on the remainder of each variable. Equations that no remainders satisfy. Remainders that decide others."""

from __future__ import annotations

from itertools import product
from random import Random

from burnqed.data.draft import Draft
from burnqed.data.exercises.polynomials import Polynomial, at, bracketed, factor, linear, multiply, plain, written
from burnqed.data.families.residues import claim
from burnqed.data.families.terms import either

NAMES = ["n", "n", "x", "a", "k", "m"]
PAIRS = ["ab", "xy", "mn", "xy"]
DIVIDES = {"Nat": "Nat.dvd_of_mod_eq_zero", "Int": "Int.dvd_of_emod_eq_zero"}
DIVIDED = {"Nat": "Nat.mod_eq_zero_of_dvd", "Int": "Int.emod_eq_zero_of_dvd"}


def cases_of(variable: str, m: int, name: str) -> tuple[str, str]:
    """The tactic that states all remainders of a variable, and the one that splits by them, without what follows it."""
    all_of = " ∨ ".join(f"{variable} % {m} = {r}" for r in range(m))
    return f"have {name} : {all_of} := by omega", f"rcases {name} with {' | '.join([name] * m)}"


def lemmas(domain: str, terms: str, *facts: str) -> str:
    """The list for `simp` that computes remainders of terms."""
    kind, mod = ("Nat", "mod") if domain == "Nat" else ("Int", "emod")
    names = [f"{kind}.add_{mod}"] * ("+" in terms) + [f"{kind}.sub_{mod}"] * ("-" in terms)
    names += [f"{kind}.mul_{mod}"] * ("*" in terms or ("^" in terms and kind == "Int"))
    if "^" in terms:
        names.append("Nat.pow_mod" if kind == "Nat" else "Int.pow_succ")
    return f"[{', '.join([*names, *facts])}]"


def drawn(rng: Random, variables: int, domain: str, degree: int) -> Polynomial:
    """A polynomial of at most this degree, with small coefficients, and a constant now and then."""
    monomials = [m for m in product(range(degree + 1), repeat=variables) if 0 < sum(m) <= degree]
    chosen = rng.sample(monomials, rng.randint(1, min(3, len(monomials))))
    lowest = -3 if domain == "Int" and rng.random() < 0.5 else 1
    found = {m: rng.choice([1, 1, 1, rng.randint(lowest, 5)]) for m in chosen}
    if rng.random() < 0.4:
        found[(0,) * variables] = rng.randint(lowest, 6)
    return plain(found)


def in_factors(rng: Random, variable: str, domain: str) -> tuple[Polynomial, str]:
    """A product of linear factors, or a power of one, with its text."""
    lowest = -3 if domain == "Int" else 1
    leading = [1, 1, 1, 2, 3]
    factors = [
        linear([rng.choice(leading)], rng.choice([0, rng.randint(lowest, 5)])) for _ in range(rng.choice([2, 2, 3]))
    ]
    texts = [factor(rng, f, variable) for f in factors]
    if rng.random() < 0.3:
        return multiply(*[factors[0]] * len(factors)), f"{texts[0]} ^ {len(factors)}"
    return multiply(*factors), " * ".join(texts)


def has_products(polynomial: Polynomial) -> bool:
    """Whether there is something to split: a term that is not linear."""
    return any(sum(m) > 1 for m in polynomial)


def said(rng: Random, term: str, residues: set[int], m: int) -> str | None:
    """What the remainders of a term are, without a quantifier."""
    conclusion = claim(rng, term, sorted(residues), m)
    return None if conclusion is None or "∃" in conclusion or "∀" in conclusion else conclusion


def residue_cases(rng: Random) -> Draft | None:
    """One variable, split by its remainder."""
    variable, domain = rng.choice(NAMES), rng.choice(["Nat", "Nat", "Int"])
    polynomial = drawn(rng, 1, domain, rng.choice([2, 2, 3, 4]))
    m = rng.choice([2, 3, 3, 4, 4, 5, 5, 6, 7, 8])
    if not has_products(polynomial):
        return None
    term = written(rng, polynomial, variable)
    if rng.random() < 0.4:
        polynomial, term = in_factors(rng, variable, domain)
    conclusion = said(rng, term, {at(polynomial, r) % m for r in range(m)}, m)
    if conclusion is None:
        return None
    have, split = cases_of(variable, m, "h")
    known = lemmas(domain, term, "h")
    return closing(rng, f"∀ {variable} : {domain}, {conclusion}", f"intro {variable}", (have,), split, known, domain)


def residue_cases_of_two(rng: Random) -> Draft | None:
    """Two variables, both split."""
    names, domain = rng.choice(PAIRS), rng.choice(["Nat", "Int"])
    polynomial, m = drawn(rng, 2, domain, 2), rng.choice([2, 2, 3, 3, 4])
    if not has_products(polynomial) or any(all(mono[i] == 0 for mono in polynomial) for i in range(2)):
        return None
    term = written(rng, polynomial, names)
    conclusion = said(rng, term, {at(polynomial, r, s) % m for r in range(m) for s in range(m)}, m)
    if conclusion is None:
        return None
    first, second = (cases_of(v, m, f"h{v}") for v in names)
    known = lemmas(domain, term, *(f"h{v}" for v in names))
    statement, intro = f"∀ {' '.join(names)} : {domain}, {conclusion}", f"intro {' '.join(names)}"
    return closing(rng, statement, intro, (first[0], second[0]), f"{first[1]} <;> {second[1]}", known, domain)


def closing(
    rng: Random, statement: str, intro: str, haves: tuple[str, ...], split: str, known: str, domain: str
) -> Draft:
    """The proof of what a term's remainders are, in whichever way that is said."""
    conclusion = statement.partition(", ")[2]
    if conclusion.startswith("¬ ") and "∣" in conclusion:
        return Draft(
            "residue",
            statement,
            (intro, "intro hd", f"have h0 := {DIVIDED[domain]} hd", *haves, f"{split} <;> simp {known} at h0"),
        )
    if "∣" in conclusion:
        return Draft("residue", statement, (intro, f"apply {DIVIDES[domain]}", *haves, f"{split} <;> simp {known}"))
    cases = split.count("|") + 1
    if cases <= 3 and "<;>" not in split and rng.random() < 0.3:
        return Draft("residue", statement, (intro, *haves, split, *[f"simp {known}"] * cases))
    return Draft("residue", statement, (intro, *haves, f"{split} <;> simp {known}"))


def residue_known(rng: Random) -> Draft | None:
    """The remainders of the variables are given."""
    two, domain = rng.random() < 0.5, rng.choice(["Nat", "Nat", "Int"])
    names = rng.choice(PAIRS) if two else rng.choice(NAMES)
    polynomial, m = (
        drawn(rng, len(names), domain, rng.choice([2, 3])),
        rng.choice([2, 2, 3, 3, 4, 5, rng.randint(2, 23)]),
    )
    if not has_products(polynomial) or any(all(mono[i] == 0 for mono in polynomial) for i in range(len(names))):
        return None
    values = [rng.randint(0, m - 1) for _ in names]
    term = written(rng, polynomial, names)
    if two and rng.random() < 0.4:
        (j, k), (p, q) = (rng.randint(0, 5), rng.randint(0, 5)), (rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 2, 3]))
        sides = [f"({v} + {c})" if c else v for v, c in zip(names, (j, k), strict=True)]
        term = " * ".join(side if e == 1 else f"{side} ^ {e}" for side, e in zip(sides, (p, q), strict=True))
        polynomial = multiply(*[linear([1, 0], j)] * p, *[linear([0, 1], k)] * q)
    facts = [f"{v} % {m} = {r}" for v, r in zip(names, values, strict=True)]
    r = at(polynomial, *values) % m
    zero = r == 0 and rng.random() < 0.4
    conclusion = f"{m} ∣ {term}" if zero else f"{bracketed(term)} % {m} = {r}"
    hypotheses = " → ".join(facts)
    tactics = [f"intro {' '.join(names)} {' '.join(f'h{v}' for v in names)}"]
    if zero:
        tactics.append(f"apply {DIVIDES[domain]}")
    tactics.append(f"simp {lemmas(domain, term, *(f'h{v}' for v in names))}")
    return Draft("residue", f"∀ {' '.join(names)} : {domain}, {hypotheses} → {conclusion}", tuple(tactics))


def residue_back(rng: Random) -> Draft | None:
    """From the remainder of a polynomial to that of its variable."""
    variable, domain = rng.choice(NAMES), rng.choice(["Nat", "Int"])
    polynomial, m = drawn(rng, 1, domain, rng.choice([2, 3])), rng.choice([2, 3, 4, 5, 7])
    if not has_products(polynomial):
        return None
    r = rng.randint(0, m - 1)
    roots = [x for x in range(m) if at(polynomial, x) % m == r]
    if not 0 < len(roots) <= 2 or m == len(roots):
        return None
    term = written(rng, polynomial, variable)
    conclusion = " ∨ ".join(f"{variable} % {m} = {x}" for x in roots)
    have, split = cases_of(variable, m, "h1")
    known = lemmas(domain, term, "h1")
    statement = f"∀ {variable} : {domain}, {bracketed(term)} % {m} = {r} → {conclusion}"
    return Draft("residue", statement, (f"intro {variable} h", have, f"{split} <;> simp {known} at h ⊢"))


def impossible(rng: Random) -> Draft | None:
    """An equation without a solution, seen modulo a small number."""
    names = rng.choice(PAIRS)
    a, b = rng.choice([1, 1, 2, 3]), rng.choice([1, 2, 3, 4, 5, 7]) * rng.choice([1, -1])
    p, q = rng.choice([(2, 2), (2, 2), (3, 3), (2, 1), (3, 1)])
    polynomial = plain({(p, 0): a, (0, q): b})
    m = rng.choice([3, 4, 4, 5, 7] if q > 1 else [3, 4, 5, 7, 9])
    taken = {at(polynomial, x, y) % m for x in range(m) for y in range(m)}
    free = [r for r in range(m) if r not in taken]
    if not free:
        return None
    c = rng.choice(free) + m * rng.randint(0, 4)
    term = written(rng, polynomial, names)
    first, second = (cases_of(v, m, f"h{v}") for v in names)
    statement = rng.choice([f"∀ {' '.join(names)} : Int, {term} ≠ {c}", f"¬ ∃ {' '.join(names)} : Int, {term} = {c}"])
    intro = f"intro {' '.join(names)} h" if statement.startswith("∀") else f"rintro ⟨{', '.join(names)}, h⟩"
    split = f"{first[1]} <;> {second[1]}"
    tactics = (
        intro,
        f"have h1 : ({term}) % {m} = {c % m} := by rw [h]; rfl",
        first[0],
        second[0],
        f"{split} <;> simp {lemmas('Int', term, *(f'h{v}' for v in names))} at h1",
    )
    return Draft("impossible", statement, tactics)


def never(rng: Random) -> Draft | None:
    """A value that a polynomial in one variable never has, or a divisor of none of its values."""
    variable, domain = rng.choice(NAMES), rng.choice(["Nat", "Int"])
    polynomial, m = drawn(rng, 1, domain, rng.choice([2, 2, 3, 4])), rng.choice([2, 3, 3, 4, 5, 7])
    if not has_products(polynomial):
        return None
    taken = {at(polynomial, r) % m for r in range(m)}
    free = [r for r in range(m) if r not in taken]
    if not free:
        return None
    term = written(rng, polynomial, variable)
    if term.startswith("-"):
        return None
    if 0 in free and rng.random() < 0.6:
        claim = f"{m} ∣ {term}"
        first = f"have h0 := {DIVIDED[domain]} h"
    else:
        r = rng.choice(free)
        claim = f"{term} = {r + m * rng.randint(1, 9)}"
        first = f"have h0 : {bracketed(term)} % {m} = {r} := by rw [h]{'; rfl' * (domain == 'Int')}"
    opened, statement = denied(rng, variable, domain, claim)
    have, split = cases_of(variable, m, "h1")
    return Draft("impossible", statement, (opened, first, have, f"{split} <;> simp {lemmas(domain, term, 'h1')} at h0"))


def denied(rng: Random, names: str, domain: str, claim: str) -> tuple[str, str]:
    """The first tactic and the statement that a claim never holds. Natural numbers need no type."""
    variables = " ".join(names)
    if rng.random() < 0.3:
        return f"intro {variables} h", f"∀ {variables} : {domain}, ¬ {claim}"
    of = "" if domain == "Nat" and rng.random() < 0.5 else f" : {domain}"
    return f"rintro ⟨{', '.join(names)}, h⟩", f"¬ ∃ {variables}{of}, {claim}"


def differ(rng: Random) -> Draft | None:
    """Two polynomials, each in a variable of its own, that leave no common remainder."""
    names, m = rng.choice(PAIRS), rng.choice([2, 3, 3, 4, 4])
    left, right = (drawn(rng, 1, "Int", rng.choice([2, 2, 3])) for _ in names)
    first, second = ({at(p, r) % m for r in range(m)} for p in (left, right))
    if first & second or (not has_products(left) and not has_products(right)):
        return None
    p, q = (written(rng, side, v) for side, v in zip((left, right), names, strict=True))
    if p.startswith("-") or q.startswith("-"):
        return None
    opened, statement = denied(rng, names, "Int", f"{p} = {q}")
    one, two = (cases_of(v, m, f"h{v}") for v in names)
    known = lemmas("Int", f"{p} {q}", *(f"h{v}" for v in names))
    tactics = (
        opened,
        f"have h1 : {bracketed(p)} % {m} = {bracketed(q)} % {m} := by rw [h]",
        *(one[0], two[0], f"{one[1]} <;> {two[1]} <;> simp {known} at h1"),
    )
    return Draft("impossible", statement, tactics)


def quotient(rng: Random) -> Draft | None:
    """A quotient without remainder, or what a term and its variable leave alike."""
    variable, m = rng.choice(NAMES), rng.choice([2, 2, 3, 3, 4, 6])
    have, split = cases_of(variable, m, "h")
    if rng.random() < 0.4:
        e = rng.choice([e for e in range(2, 8) if all((x**e - x) % m == 0 for x in range(m))] or [0])
        if e == 0:
            return None
        term, same = f"{variable} ^ {e}", f"{variable} % {m}"
        goal = rng.choice([f"{m} ∣ {term} - {variable}", f"({term} - {variable}) % {m} = 0", f"{term} % {m} = {same}"])
        polynomial = plain({(e,): 1})
    else:
        polynomial, term = in_factors(rng, variable, "Nat")
        if rng.random() < 0.4:
            polynomial = drawn(rng, 1, "Nat", 3)
            term = written(rng, polynomial, variable)
        if not has_products(polynomial) or any(at(polynomial, r) % m for r in range(m)):
            return None
        whole, same = bracketed(term), "0"
        goal = either(rng, f"{m} * ({whole} / {m}) = {term}; {whole} / {m} * {m} = {term}; ∃ q, {term} = {m} * q")
    fact = f"{bracketed(term)} % {m} = {same}"
    proved = f"{split} <;> simp {lemmas('Nat', term, 'h')}"
    intro, statement = f"intro {variable}", f"∀ {variable} : Nat, {goal}"
    if goal == fact:
        return Draft("residue", statement, (intro, have, proved))
    end = f"exact ⟨{bracketed(term)} / {m}, by omega⟩" if "∃" in goal else "omega"
    if rng.random() < 0.5:
        return Draft("residue", statement, (intro, f"suffices h1 : {fact} by {end}", have, proved))
    return Draft("residue", statement, (intro, have, f"have h1 : {fact} := by {proved}", end))


KINDS = (
    *[residue_cases] * 3,
    *(residue_cases_of_two, *[residue_known] * 2, residue_back, impossible),
    *(never, never, never, never, differ, differ, quotient, quotient),
)
