"""Identities, equations and systems: by substitution, by factors, and by trying what is left."""

from __future__ import annotations

from random import Random

from burnqed.data.draft import Draft
from burnqed.data.exercises.polynomials import NAMES, Monomial, Polynomial, at, factor, linear, multiply, plain, written
from burnqed.data.families.terms import either, equation


def form(rng: Random, variables: int) -> Polynomial:
    """A linear form with small coefficients, not all of them zero."""
    while True:
        found = linear(
            [rng.choice([1, 1, -1, 0, rng.randint(-4, 5)]) for _ in range(variables)],
            rng.choice([0, 0, rng.randint(-4, 5)]),
        )
        if any(sum(m) for m in found):
            return found


def identity(rng: Random) -> Draft | None:
    """A product and what it expands to."""
    names = rng.choice(["x", "n", "xy", "ab", "ab", "abc", "xyz"])
    factors = [form(rng, len(names)) for _ in range(rng.choice([2, 2, 2, 3]))]
    squared = rng.random() < 0.4
    factors = [factors[0]] * len(factors) if squared else factors
    left = (
        f"{factor(rng, factors[0], names)} ^ {len(factors)}"
        if squared
        else " * ".join(factor(rng, f, names) for f in factors)
    )
    expanded = multiply(*factors)
    if len(expanded) < 2 or len(expanded) > 8:
        return None
    right = written(rng, expanded, names)
    if rng.random() < 0.3:  # a term on the other side
        moved, c = rng.choice(list(expanded.items()))
        right = written(rng, plain({m: v for m, v in expanded.items() if m != moved}), names)
        left = f"{left} - {factor(rng, {moved: c}, names)}"
    return Draft(
        "identity", f"∀ {' '.join(names)} : Int, {equation(rng, left, right)}", (f"intro {' '.join(names)}", "grind")
    )


def divides_product(rng: Random) -> Draft | None:
    """A polynomial divides a multiple of it that is written out."""
    names = rng.choice(["n", "x", "ab", "xy"])
    divisor, quotient = form(rng, len(names)), form(rng, len(names))
    if rng.random() < 0.4:
        divisor = multiply(divisor, form(rng, len(names)))
    if rng.random() < 0.3:
        quotient = multiply(quotient, form(rng, len(names)))
    product = multiply(divisor, quotient)
    if not 2 <= len(product) <= 8 or len(divisor) < 2:
        return None
    statement = f"∀ {' '.join(names)} : Int, {factor(rng, divisor, names)} ∣ {written(rng, product, names)}"
    witness = written(rng, quotient, names)
    intro = f"intro {' '.join(names)}"
    return Draft(
        "identity",
        statement,
        rng.choice([(intro, f"exact ⟨{witness}, by grind⟩"), (intro, f"refine ⟨{witness}, ?_⟩", "grind")]),
    )


def substituted(rng: Random) -> Draft:
    """The values of the variables are given, and that of a term is asked for."""
    names, domain = rng.choice(["xy", "ab", "abc", "xyz"]), rng.choice(["Nat", "Int"])
    values = [rng.randint(-9 if domain == "Int" else 1, 20) for _ in names]
    monomials = [tuple(rng.randint(0, 2) for _ in names) for _ in range(3)]
    term = plain({m: rng.randint(1, 5) for m in monomials if sum(m)} or {(1,) * len(names): 1})
    facts = " → ".join(f"{v} = {c}" for v, c in zip(names, values, strict=True))
    goal = f"{written(rng, term, names)} = {at(term, *values)}"
    hs = [f"h{i}" for i in range(1, len(names) + 1)]
    intro = f"intro {' '.join([*names, *hs])}"
    ways = [(intro, *(f"subst {h}" for h in hs), "rfl"), (intro, f"simp [{', '.join(hs)}]"), (intro, "grind")]
    return Draft("system", f"∀ {' '.join(names)} : {domain}, {facts} → {goal}", rng.choice(ways))


def solved(rng: Random) -> Draft:
    """Two linear equations, and what follows for a product, a square or a power."""
    u, v = names = rng.choice(NAMES)
    x, y = rng.randint(1, 15), rng.randint(-9, 12)
    a, b, c, d = rng.choice(
        [(1, 1, 1, -1), (2, 1, 1, 1), (1, 2, 1, -1), (3, 2, 1, 1), (2, 3, 3, -1), (5, -2, 1, 1), (1, 3, 2, 1)]
    )
    p, q = (written(rng, linear([i, j]), names) for i, j in ((a, b), (c, d)))
    first, second = f"{p} = {a * x + b * y}", f"{q} = {c * x + d * y}"
    terms: list[Polynomial] = [
        {(1, 1): 1},
        {(2, 0): 1, (0, 2): 1},
        {(2, 0): 1, (0, 2): -1},
        {(2, 0): 1, (1, 1): rng.randint(1, 4)},
        {(3, 0): 1, (0, 1): 2},
    ]
    term = rng.choice(terms)
    goal = f"{written(rng, term, names)} = {at(term, x, y)}"
    if rng.random() < 0.3:
        return Draft(
            "system", f"∀ {u} {v} : Int, {first} → {second} → {u} = {x} ∧ {v} = {y}", (f"intro {u} {v} h1 h2", "omega")
        )
    return Draft("system", f"∀ {u} {v} : Int, {first} → {second} → {goal}", (f"intro {u} {v} h1 h2", "grind"))


def by_one(rng: Random) -> Draft:
    """A difference, and a symmetric function, of two numbers; then another one."""
    u, v = rng.choice(NAMES)
    d = rng.choice([1, 2, 3, 5, -1, -4])
    x, y = 0, 0
    while x * y == 0:
        y = rng.randint(-8, 12)
        x = y + d
    given = f"{u} - {v} = {d}" if rng.random() < 0.6 else f"{u} = {v} + {d}"
    second, goal = rng.choice(
        [
            (f"{u} ^ 2 + {v} ^ 2 = {x * x + y * y}", f"{u} * {v} = {x * y}"),
            (f"{u} * {v} = {x * y}", f"{u} ^ 2 + {v} ^ 2 = {x * x + y * y}"),
            (f"{u} * {v} = {x * y}", f"{u} ^ 3 - {v} ^ 3 = {x**3 - y**3}"),
            (f"{u} ^ 2 + {v} ^ 2 = {x * x + y * y}", f"({u} + {v}) ^ 2 = {(x + y) ** 2}"),
        ]
    )
    intro = f"intro {u} {v} h1 h2"
    tactics = rng.choice([(intro, "grind"), (intro, f"have h3 : {u} = {v} + {d} := by omega", "subst h3", "grind")])
    return Draft("system", f"∀ {u} {v} : Int, {given} → {second} → {goal}", tactics)


def sum_zero(rng: Random) -> Draft:
    """a + b + c = 0, and an identity under it."""
    k = rng.randint(1, 4)
    goal = either(
        rng,
        "a ^ 3 + b ^ 3 + c ^ 3 = 3 * a * b * c; a * a - b * c = b * b - c * a; "
        f"{k} * (a * b + b * c + c * a) = -{k} * (a ^ 2 + a * b + b ^ 2); a ^ 2 + b ^ 2 + c ^ 2 = -2 * (a * b + b * c + c * a); "
        "(a + b) * (b + c) * (c + a) = -(a * b * c); a ^ 4 + b ^ 4 + c ^ 4 = 2 * (a * b + b * c + c * a) ^ 2; "
        "a * (b + c) = -(a ^ 2); a ^ 2 - b ^ 2 = c * (b - a)",
    )
    given = rng.choice(["a + b + c = 0", "a + b + c = 0", "a + b = -c", "c = -a - b"])
    split = ("intro a b c h", "have h1 : c = -a - b := by omega", "subst h1", "grind")
    return Draft("system", f"∀ a b c : Int, {given} → {goal}", rng.choice([split, ("intro a b c h", "grind")]))


def factored(rng: Random) -> Draft | None:
    """A quadratic equation by its factors."""
    v = rng.choice("xnab")
    p, q = rng.randint(-9, 12), rng.randint(-9, 12)
    polynomial = multiply(linear([1], -p), linear([1], -q))
    if p == q or len(polynomial) < 2:
        return None
    first, second = (f"{v} - {r}" if r > 0 else f"{v} + {-r}" if r else v for r in (p, q))
    one, two = (f"({t})" if " " in t else t for t in (first, second))
    equation_ = f"{written(rng, polynomial, v)} = 0"
    if rng.random() < 0.4 and (c := polynomial.get((0,), 0)):
        equation_ = f"{written(rng, {m: x for m, x in polynomial.items() if m != (0,)}, v)} = {-c}"
    guard = rng.random()
    if guard < 0.4 and (p > 0) != (q > 0):
        root = max(p, q)
        statement = f"∀ {v} : Int, 0 < {v} → {equation_} → {v} = {root}"
        tail = ("rcases Int.mul_eq_zero.mp h2 with h3 | h3", "omega", "omega")
        return Draft("quadratic", statement, (f"intro {v} h0 h", f"have h2 : {one} * {two} = 0 := by grind", *tail))
    statement = f"∀ {v} : Int, {equation_} → {v} = {p} ∨ {v} = {q}"
    by_side = ("rcases Int.mul_eq_zero.mp h2 with h3 | h3", "left", "omega", "right", "omega")
    short = ("rcases Int.mul_eq_zero.mp h2 with h3 | h3 <;> omega",)
    return Draft(
        "quadratic",
        statement,
        (f"intro {v} h", f"have h2 : {one} * {two} = 0 := by grind", *rng.choice([by_side, short])),
    )


def tried(rng: Random) -> Draft:
    """Natural numbers with a given sum and product: what is left can be tried."""
    u, v = rng.choice(NAMES)
    x = rng.randint(1, 9)
    y = rng.randint(x, 14)
    total = x + y
    second = rng.choice(
        [f"{u} * {v} = {x * y}", f"{u} ^ 2 + {v} ^ 2 = {x * x + y * y}", f"{u} * {u} + {v} * {v} = {x * x + y * y}"]
    )
    goal = rng.choice(
        [
            f"({u} = {x} ∧ {v} = {y}) ∨ ({u} = {y} ∧ {v} = {x})" if x != y else f"{u} = {x} ∧ {v} = {x}",
            f"{u} * {u} * {u} + {v} * {v} * {v} = {x**3 + y**3}",
            f"{u} ≤ {y}",
        ]
    )
    tactics = (
        f"intro {u} {v} h1 h2",
        f"have h3 : {v} = {total} - {u} := by omega",
        "subst h3",
        f"have h4 : {u} ≤ {total} := by omega",
        "revert h1 h2",
        "revert h4",
        f"revert {u}",
        "decide",
    )
    return Draft("bounded", f"∀ {u} {v} : Nat, {u} + {v} = {total} → {second} → {goal}", tactics)


def digits(rng: Random) -> Draft | None:
    """A digit that makes a product linear."""
    c, k = rng.randint(1, 3), rng.randint(1, 9)
    left: Polynomial = {(1, 0): 10, (0, 1): 1}
    rights: list[Polynomial] = [{(1, 1): c, (1, 0): 1, (0, 1): 1}, {(1, 1): c, (1, 0): k}, {(1, 1): c, (0, 1): k}]
    right = rng.choice(rights)
    found = [(p, q) for p in range(1, 10) for q in range(10) if at(left, p, q) == at(right, p, q)]
    bs = {q for _, q in found}
    as_ = {p for p, _ in found}
    if not found or (len(bs) > 1 and len(as_) > 1):
        return None
    goal = f"b = {bs.pop()}" if len(bs) == 1 else f"a = {as_.pop()}"
    equation_ = f"{written(rng, left, 'ab')} = {written(rng, right, 'ab')}"
    cases = " ∨ ".join(f"a = {i}" for i in range(1, 10))
    tactics = (
        "intro a b h1 h2 h3",
        f"have h4 : {cases} := by omega",
        f"rcases h4 with {' | '.join(['rfl'] * 9)} <;> omega",
    )
    return Draft("bounded", f"∀ a b : Nat, 1 ≤ a ∧ a ≤ 9 → b ≤ 9 → {equation_} → {goal}", tactics)


def square_root(rng: Random) -> Draft | None:
    """A quadratic equation over the natural numbers: what is at most its right side is tried."""
    v = rng.choice("xnbk")
    a, b, c, x = rng.randint(1, 4), rng.randint(1, 6), rng.randint(0, 9), rng.randint(1, 7)
    right = a * x * x + b * x + c
    if right > 110:
        return None
    square = rng.choice([f"{v} * {v}", f"{v} ^ 2"])
    term = " + ".join([f"{a} * {square}" if a > 1 else square, f"{b} * {v}" if b > 1 else v, *([str(c)] * bool(c))])
    guard = rng.random() < 0.3
    hs = "h0 h" if guard else "h"
    tactics = (
        f"intro {v} {hs}",
        f"have h1 : {v} ≤ {right} := by omega",
        f"revert {hs}",
        "revert h1",
        f"revert {v}",
        "decide",
    )
    return Draft("bounded", f"∀ {v} : Nat, {f'0 < {v} → ' * guard}{term} = {right} → {v} = {x}", tactics)


def equivalent(rng: Random) -> Draft | None:
    """What solves an equation, both ways: by factors, or as linear arithmetic says."""
    v = rng.choice("xnab")
    p, q, side = rng.randint(-7, 9), rng.randint(-7, 9), rng.randint(-4, 6)
    polynomial = multiply(linear([1], -p), linear([1], -q))
    if rng.random() < 0.3:
        k, c = rng.randint(2, 9), rng.randint(-9, 20)
        line = written(rng, linear([k], c), v)
        claim = rng.choice(
            [f"{line} = {k * p + c} ↔ {v} = {p}", f"{k} ∣ {v} ↔ {v} % {k} = 0", f"{line} ≤ {k * p + c} ↔ {v} ≤ {p}"]
        )
        return Draft("quadratic", f"∀ {v} : Int, {claim}", (f"intro {v}", "omega"))
    if p == q or len(polynomial) < 2:
        return None
    kept, moved = dict(polynomial), dict[Monomial, int]()
    if side and (1,) in kept:
        moved[(1,)] = -kept.pop((1,))
    if rng.random() < 0.5 and (0,) in kept:
        moved[(0,)] = -kept.pop((0,))
    claim = f"{written(rng, kept, v)} = {written(rng, moved, v)}"
    one, two = (factor(rng, linear([1], -r), v) for r in (p, q))
    back = ("intro h", rng.choice(["rcases h with rfl | rfl <;> rfl", "rcases h with h | h <;> rw [h] <;> rfl"]))
    tactics = (
        *(f"intro {v}", "constructor", "intro h", f"have h1 : {one} * {two} = 0 := by grind"),
        *("rcases Int.mul_eq_zero.mp h1 with h2 | h2 <;> omega", *back),
    )
    return Draft("quadratic", f"∀ {v} : Int, {claim} ↔ {v} = {p} ∨ {v} = {q}", tactics)


def between(rng: Random) -> Draft:
    """What lies between two neighbouring squares is none; and which square a number is."""
    v, x, e = rng.choice("xanbk"), rng.randint(1, 12), rng.choice([2, 2, 2, 3])
    low, high = (f"have h2 := Nat.pow_le_pow_left h1 {e}", "omega"), f"{x + 1} ≤ {v}"
    if rng.random() < 0.5:
        value = rng.randint(x**e + 1, (x + 1) ** e - 1)
        square = either(rng, f"{v} ^ {e}; {v} * {v}") if e == 2 else f"{v} ^ {e}"
        if "*" in square:
            low = ("have h2 := Nat.mul_le_mul h1 h1", "omega")
        claim = equation(rng, square, str(value))
        statement = either(rng, f"¬ ∃ {v} : Nat, {claim}; ¬ ∃ {v}, {claim}; ∀ {v} : Nat, ¬ {claim}")
        opened = f"rintro ⟨{v}, h⟩" if "∃" in statement else f"intro {v} h"
        split = (f"have h1 : {v} ≤ {x} ∨ {high} := by omega", "rcases h1 with h1 | h1")
        return Draft("bounded", statement, (opened, *split, *low, *low))
    split = (f"have h1 : {v} ≤ {x - 1} ∨ {v} = {x} ∨ {high} := by omega", "rcases h1 with h1 | h1 | h1")
    found = (*split, *low, "exact h1", *low)
    if rng.random() < 0.5:
        return Draft("bounded", f"∀ {v} : Nat, {v} ^ {e} = {x**e} → {v} = {x}", (f"intro {v} h", *found))
    iff = (f"intro {v}", "constructor", "intro h", *found, "intro h", "rw [h]")
    return Draft("bounded", f"∀ {v} : Nat, {v} ^ {e} = {x**e} ↔ {v} = {x}", iff)


KINDS = (
    equivalent,
    between,
    identity,
    identity,
    divides_product,
    substituted,
    solved,
    by_one,
    sum_zero,
    factored,
    tried,
    digits,
    square_root,
)
