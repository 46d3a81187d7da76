"""Inequalities: squares are not negative, products and powers of what is ordered, and of what is positive."""

from __future__ import annotations

from random import Random

from burnqed.data.draft import Draft
from burnqed.data.exercises.polynomials import Monomial, add, factor, linear, multiply, plain, written
from burnqed.data.families.terms import at_most, either, power

NAMES = [("a", "b"), ("x", "y"), ("m", "n")]


def squares(rng: Random) -> Draft | None:
    """A sum of squares of linear forms, some of its terms on the other side."""
    names = rng.choice(["x", "n", "ab", "xy", "ab", "abc", "xyz"])
    size = len(names)
    if size == 3:
        pairs = [(1, -1, 0), (0, 1, -1), (-1, 0, 1)]
        forms = [linear(p) for p in pairs] if rng.random() < 0.6 else [linear(p) for p in rng.sample(pairs, 2)]
    else:
        forms = [
            linear(
                [rng.choice([1, 1, 2, 3])] + [rng.choice([1, -1, -1, 2, -3])] * (size - 1),
                rng.choice([0, 0, -1, -2, 3]) if size > 1 else rng.randint(-6, 6),
            )
        ]
    if any(len(f) < 2 for f in forms):
        return None
    whole: dict[Monomial, int] = {}
    for f in forms:
        whole = dict(add(whole, multiply(f, f)))
    slack = rng.choice([0, 0, 0, 1, 2])
    constant: Monomial = (0,) * size
    whole = dict(plain({**whole, constant: whole.get(constant, 0) + slack}))
    left = {m: -c for m, c in whole.items() if c < 0}
    right = {m: c for m, c in whole.items() if c > 0}
    if not left or not right:
        return None
    if size == 3 and all(c % 2 == 0 for c in whole.values()) and rng.random() < 0.6:
        left, right = ({m: c // 2 for m, c in side.items()} for side in (left, right))
    claim = at_most(rng, written(rng, left, names), written(rng, right, names))
    if rng.random() < 0.25:
        claim = f"0 ≤ {written(rng, whole, names)}"
    elif rng.random() < 0.3:  # as they are
        claim = f"0 ≤ {' + '.join(f'{factor(rng, f, names)} ^ 2' for f in forms)}"
    haves = [f"have h{i} := @Int.natAbs_mul_self ({written(rng, f, names)})" for i, f in enumerate(forms, 1)]
    return Draft("squares", f"∀ {' '.join(names)} : Int, {claim}", (f"intro {' '.join(names)}", *haves, "grind"))


def products(rng: Random) -> Draft:
    """Products of what is ordered, with further terms beside them."""
    j, k, c = rng.randint(1, 9), rng.randint(2, 9), rng.randint(1, 9)
    given, have, left, right, end = rng.choice(
        [
            ("a ≤ b → c ≤ d", "Nat.mul_le_mul h1 h2", f"a * c + {j}", f"b * d + {k + j}", "omega"),
            ("a ≤ b → c ≤ d", "Nat.mul_le_mul h1 h2", "a * c + a", "b * d + b", "omega"),
            ("a ≤ b → c ≤ d", "Nat.mul_le_mul h1 h2", f"{k} * (a * c)", f"{k} * (b * d)", "omega"),
            ("a ≤ b → c ≤ d", "Nat.mul_le_mul h1 h2", f"{k} * a * c", f"{k} * b * d", "grind"),
            ("a ≤ b → c ≤ d", "Nat.mul_le_mul h1 h2", f"a * c + {j} * c", f"b * d + {j} * d", "omega"),
            (f"a ≤ {j} → b ≤ {k}", "Nat.mul_le_mul h1 h2", "a * b", str(j * k), "omega"),
            (f"a ≤ {j} → b ≤ {k}", "Nat.mul_le_mul h1 h2", f"a * b + {c} * a", str(j * k + c * j), "omega"),
            (f"{j} ≤ a → {k} ≤ b", "Nat.mul_le_mul h1 h2", str(j * k), "a * b", "omega"),
            (f"{j} ≤ a → {k} ≤ b", "Nat.mul_le_mul h1 h2", str(j * k + j + k), "a * b + a + b", "omega"),
            (f"{j} < a → {k} < b", "Nat.mul_le_mul h1 h2", str((j + 1) * (k + 1)), "a * b", "omega"),
            ("a < b → c < d", "Nat.mul_le_mul h1 h2", "a * c + a + c + 1", "b * d", "grind"),
        ]
    )
    names = [v for v in "abcd" if v in given]
    claim = at_most(rng, left, right)
    return Draft(
        "products",
        f"∀ {' '.join(names)} : Nat, {given} → {claim}",
        (f"intro {' '.join(names)} h1 h2", f"have h3 := {have}", end),
    )


def one_product(rng: Random) -> Draft:
    """Squares and cubes of what is ordered."""
    j, k = rng.randint(1, 9), rng.randint(2, 7)
    u, v = rng.choice(NAMES)
    given, have, left, right, end = rng.choice(
        [
            (f"{u} ≤ {v}", "Nat.mul_le_mul h h", f"{u} * {u} + {j} * {u}", f"{v} * {v} + {j} * {v}", "omega"),
            (f"{u} ≤ {v}", "Nat.mul_le_mul h h", f"{k} * ({u} * {u})", f"{k} * ({v} * {v})", "omega"),
            (f"{u} < {v}", "Nat.mul_le_mul h h", f"{u} * {u} + 2 * {u} + 1", f"{v} * {v}", "grind"),
            (f"{u} + {j} ≤ {v}", "Nat.mul_le_mul h h", f"{u} * {u} + {2 * j} * {u} + {j * j}", f"{v} * {v}", "grind"),
            (f"{k} * {u} ≤ {v}", "Nat.mul_le_mul h h", f"{k * k} * ({u} * {u})", f"{v} * {v}", "grind"),
            (f"{u} ≤ {v}", f"Nat.pow_le_pow_left h {k}", f"{u} ^ {k} + {j}", f"{v} ^ {k} + {j}", "omega"),
            (f"{u} ≤ {v}", f"Nat.pow_le_pow_left h {k}", f"{u} ^ {k}", f"{v} ^ {k} + {v}", "omega"),
            (
                f"{u} ≤ {v}",
                f"Nat.pow_le_pow_right (n := {k}) (by omega) h",
                f"{k} ^ {u} + {u}",
                f"{k} ^ {v} + {v}",
                "omega",
            ),
            (f"{u} ≤ {v}", f"Nat.mul_le_mul_left {k} h", f"{k} * {u} + {j}", f"{k} * {v} + {j}", "omega"),
        ]
    )
    claim = at_most(rng, left, right)
    return Draft("products", f"∀ {u} {v} : Nat, {given} → {claim}", (f"intro {u} {v} h", f"have h1 := {have}", end))


def at_least_number(rng: Random) -> Draft:
    """A number from which on a square or a power is large."""
    k = rng.randint(2, 60)
    v = rng.choice("nxmk")
    d = rng.choice([2, 2, 3, 4])
    given = either(rng, f"{k} ≤ {v}; {v} ≥ {k}; {k - 1} < {v}; {v} > {k - 1}")
    term = power(rng, v, 2) if d == 2 else f"{v} ^ {d}"
    if rng.random() < 0.4:
        k = rng.randint(2, 2_500)
        given = either(rng, f"{k} ≤ {v}; {v} ≥ {k}; {k} < {v}; {v} > {k}")
        claim = at_most(rng, f"{k} ^ {d}", f"{v} ^ {d}")
        power_of = f"Nat.pow_le_pow_left (by omega) {d}"
        if "<" in claim:
            proof: tuple[str, ...] = (f"have h1 : {k} ^ {d} ≤ {v} ^ {d} := {power_of}", "omega")
        else:
            proof = (f"exact {power_of}",)
        return Draft("products", f"∀ {v} : Nat, {given} → {claim}", (f"intro {v} h", *proof))
    claim = at_most(rng, str(k**d), term)
    if "*" in term:
        tactics = (f"intro {v} h", f"have h1 : {k} ≤ {v} := by omega", "have h2 := Nat.mul_le_mul h1 h1", "omega")
    else:
        tactics = (
            f"intro {v} h",
            f"have h1 : {k} ≤ {v} := by omega",
            f"have h2 := Nat.pow_le_pow_left h1 {d}",
            "omega",
        )
    return Draft("products", f"∀ {v} : Nat, {given} → {claim}", tactics)


def positive(rng: Random) -> Draft:
    """Products and powers of positive numbers."""
    k, j = rng.randint(2, 9), rng.randint(1, 9)
    statement, tactics = rng.choice(
        [
            (
                f"∀ a b : Nat, 0 < a → 0 < b → 0 < {k} * a * b",
                ("intro a b h1 h2", "have h3 := Nat.mul_pos h1 h2", "grind"),
            ),
            (
                f"∀ a b : Nat, 0 < a → 0 < b → {j} < a * b + {j}",
                ("intro a b h1 h2", "have h3 := Nat.mul_pos h1 h2", "omega"),
            ),
            (
                f"∀ a b : Int, 0 < a → 0 < b → 0 < a * b * {k}",
                ("intro a b h1 h2", "have h3 := Int.mul_pos h1 h2", "omega"),
            ),
            (f"∀ a n : Nat, 0 < a → 0 < a ^ n * {k}", ("intro a n h", "have h1 := Nat.pow_pos (n := n) h", "omega")),
            (
                f"∀ n : Nat, 0 < {k} ^ n + {j} - 1",
                ("intro n", f"have h := Nat.pow_pos (a := {k}) (n := n) (by omega)", "omega"),
            ),
            (
                f"∀ n : Nat, {k} ^ n ≠ 0",
                ("intro n h", f"have h1 := Nat.pow_pos (a := {k}) (n := n) (by omega)", "omega"),
            ),
            ("∀ a b : Nat, a * b = 0 → a = 0 ∨ b = 0", ("intro a b h", "exact Nat.mul_eq_zero.mp h")),
            (
                f"∀ a b : Int, a * b = 0 → a ≠ 0 → {k} * b = 0",
                ("intro a b h1 h2", "rcases Int.mul_eq_zero.mp h1 with h3 | h3", "omega", "omega"),
            ),
            (
                f"∀ a b : Int, a ≠ 0 → a * b = {k} * a → b = {k}",
                (
                    "intro a b h1 h2",
                    f"have h3 : a * (b - {k}) = 0 := by grind",
                    "rcases Int.mul_eq_zero.mp h3 with h4 | h4",
                    "omega",
                    "omega",
                ),
            ),
            (f"∀ n : Nat, 0 < n → n ^ {k} > 0", ("intro n h", "exact Nat.pow_pos h")),
            (
                f"∀ x y z : Int, 0 < x → 0 < y → 0 < z → 0 < x + {j} * (x * y) + z ^ {k}",
                (
                    "intro x y z h1 h2 h3",
                    "have h4 := Int.mul_pos h1 h2",
                    f"have h5 : 0 < z ^ {k} := Int.pow_pos h3",
                    "omega",
                ),
            ),
            (
                f"∀ a b : Int, a > 0 → b > 0 → a * b + {j} * a > 0",
                ("intro a b h1 h2", "have h3 := Int.mul_pos h1 h2", "omega"),
            ),
            (
                f"∀ x y : Int, x > 0 → y > 0 → x ^ {k} * y > 0",
                ("intro x y h1 h2", f"have h3 : 0 < x ^ {k} := Int.pow_pos h1", "exact Int.mul_pos h3 h2"),
            ),
            (
                f"∀ x y : Nat, 0 < x → 0 < y → {j} < x ^ {k} * y + {j}",
                ("intro x y h1 h2", f"have h3 := Nat.mul_pos (Nat.pow_pos (n := {k}) h1) h2", "omega"),
            ),
            (
                "∀ a b : Nat, a * b = 1 → a = 1 ∧ b = 1",
                ("intro a b h", "exact ⟨Nat.eq_one_of_mul_eq_one_right h, Nat.eq_one_of_mul_eq_one_left h⟩"),
            ),
            (
                "∀ x : Nat, x ^ 2 = x → x = 0 ∨ x = 1",
                (
                    "intro x h",
                    "have h1 : x ≤ 1 ∨ 2 ≤ x := by omega",
                    "rcases h1 with h1 | h1",
                    "omega",
                    "have h2 := Nat.mul_le_mul h1 (Nat.le_refl x)",
                    "grind",
                ),
            ),
            (
                f"∀ a b : Nat, 1 < a → 0 < b → {j} * b < {j} * a * b",
                ("intro a b h1 h2", "have h3 := Nat.mul_lt_mul_of_pos_right h1 h2", "grind"),
            ),
        ]
    )
    return Draft("positive", statement, tactics)


KINDS = (squares, squares, products, one_product, at_least_number, positive)
