"""Divisibility: quotients put in, common divisors, numbers that divide small ones."""

from __future__ import annotations

from math import gcd
from random import Random

from burnqed.data.draft import Draft
from burnqed.data.exercises.polynomials import NAMES
from burnqed.data.families.terms import either


def dividing(rng: Random) -> Draft:
    """From given divisors to others, by their quotients."""
    j, k = rng.randint(2, 9), rng.randint(2, 9)
    domain = rng.choice(["Nat", "Int"])
    minus = "-" if domain == "Int" and rng.random() < 0.4 else "+"
    given, goal, witness = rng.choice(
        [
            ("a ∣ b → a ∣ c", f"a ∣ {j} * b {minus} {k} * c", f"{j} * x {minus} {k} * y"),
            ("a ∣ b → a ∣ c", f"a ∣ b * {j} {minus} c", f"x * {j} {minus} y"),
            ("a ∣ b → a ∣ c", f"a ∣ b * c {minus} {j} * b", f"x * c {minus} {j} * x"),
            ("a ∣ b → a ∣ c", f"a * a ∣ {j} * b * c", f"{j} * x * y"),
            ("a ∣ b → b ∣ c", f"a ∣ {j} * c", f"{j} * x * y"),
            ("a ∣ b → b ∣ c", f"a ∣ {j} * c {minus} {k} * b", f"{j} * x * y {minus} {k} * x"),
            ("a ∣ b → c ∣ d", f"a * c ∣ {j} * (b * d)", f"{j} * x * y"),
            ("a ∣ b → c ∣ d", "a * c ∣ b * d", "x * y"),
            ("a ∣ b", f"a ∣ b * b {minus} {k} * b", f"x * b {minus} {k} * x"),
            ("a ∣ b", f"{j} * a ∣ {j * k} * b", f"{k} * x"),
            ("a ∣ b", "a ^ 2 ∣ b ^ 2", "x ^ 2"),
            ("a ∣ b", "a ^ 3 ∣ b ^ 3", "x ^ 3"),
            (f"{j} ∣ a → {k} ∣ b", f"{j * k} ∣ a * b", "x * y"),
            (f"{j} ∣ a → {j} ∣ b", f"{j * j} ∣ a * a {minus} {k} * (a * b)", f"x * x {minus} {k} * x * y"),
            (f"{j} * a ∣ b", f"a ∣ b {minus} {k} * a", f"{j} * x {minus} {k}"),
            ("a * b ∣ c", f"a ∣ {j} * c", f"{j} * b * x"),
            ("a ∣ b", f"b ∣ c → a ∣ c {minus} {j} * b", f"x * y {minus} {j} * x"),
        ]
    )
    statement = f"{given} → {goal}"
    names = [v for v in "abcd" if v in statement]
    count = statement.count("→") if "→" in given or "→" in goal else 1
    hs = [f"h{i}" for i in range(1, count + 1)]
    opened = [f"obtain ⟨{'xy'[i]}, h{'xy'[i]}⟩ := {h}" for i, h in enumerate(hs)]
    end = (f"exact ⟨{witness}, by grind⟩",) if rng.random() < 0.5 else (f"refine ⟨{witness}, ?_⟩", "grind")
    return Draft(
        "divides", f"∀ {' '.join(names)} : {domain}, {statement}", (f"intro {' '.join([*names, *hs])}", *opened, *end)
    )


def small_divisor(rng: Random) -> Draft | None:
    """A common divisor of two linear terms divides a number."""
    a, c = rng.choice([(1, 1), (1, 2), (1, 3), (2, 3), (2, 1), (3, 4), (3, 2)])
    b, d = rng.randint(1, 15), rng.randint(1, 15)
    u, v = c // gcd(a, c), a // gcd(a, c)  # u (a n + b) - v (c n + d)
    rest = u * b - v * d
    if rest <= 0:
        return None
    first = f"n + {b}" if a == 1 else f"{a} * n + {b}"
    second = f"n + {d}" if c == 1 else f"{c} * n + {d}"
    scaled = [f"{u} * ({first})" if u > 1 else f"({first})", f"{v} * ({second})" if v > 1 else f"({second})"]
    left = f"Nat.dvd_mul_left_of_dvd h1 {u}" if u > 1 else "h1"
    right = f"Nat.dvd_mul_left_of_dvd h2 {v}" if v > 1 else "h2"
    rewritten = f"have h4 : {scaled[0]} - {scaled[1]} = {rest} := by omega"
    common = f"have h3 := Nat.dvd_sub ({left}) ({right})"
    if rng.random() < 0.5:
        goal = either(rng, f"Nat.gcd ({first}) ({second}) ∣ {rest}; Nat.gcd ({first}) ({second}) ≤ {rest}")
        end = ("rw [h4] at h3", "exact h3" if "∣" in goal else "exact Nat.le_of_dvd (by omega) h3")
        haves = (
            f"have h1 := Nat.gcd_dvd_left ({first}) ({second})",
            f"have h2 := Nat.gcd_dvd_right ({first}) ({second})",
        )
        return Draft("divisor", f"∀ n : Nat, {goal}", ("intro n", *haves, common, rewritten, *end))
    goal = rng.choice([f"k ∣ {rest}", f"k ≤ {rest}"])
    end = ("rw [h4] at h3", "exact h3" if "∣" in goal else "exact Nat.le_of_dvd (by omega) h3")
    return Draft(
        "divisor", f"∀ n k : Nat, k ∣ {first} → k ∣ {second} → {goal}", ("intro n k h1 h2", common, rewritten, *end)
    )


def with_numbers(rng: Random) -> Draft:
    """Divisors that are numbers: linear arithmetic, or a remainder."""
    j, k, r = rng.randint(2, 9), rng.randint(2, 9), rng.randint(1, 9)
    statement, tactics = rng.choice(
        [
            (f"∀ n : Nat, {j * k} ∣ n → {j} ∣ n", ("intro n h", "omega")),
            (f"∀ n : Nat, {j * k} ∣ n → {j} ∣ n", ("intro n h", f"exact Nat.dvd_trans (by decide : {j} ∣ {j * k}) h")),
            (f"∀ n : Int, {j} ∣ n → {j} ∣ {k} * n + {j * r}", ("intro n h", "omega")),
            (f"∀ a b : Nat, {j} ∣ a → {j} ∣ b → (a + b) % {j} = 0", ("intro a b h1 h2", "omega")),
            (f"∀ a b : Int, {j} ∣ a - b → a % {j} = b % {j}", ("intro a b h", "omega")),
            (f"∀ a b : Int, a % {j} = b % {j} → {j} ∣ {k} * a - {k} * b", ("intro a b h", "omega")),
            (f"∀ n : Nat, n % {j * k} = {r % j} → n % {j} = {r % j}", ("intro n h", "omega")),
            (f"∀ n : Nat, {j} ∣ n → ∃ m, n = {j} * m", ("intro n h", "obtain ⟨m, hm⟩ := h", "exact ⟨m, hm⟩")),
            (
                f"∀ n : Nat, (∃ m, n = {j * k} * m) → {j} ∣ n",
                ("intro n h", "obtain ⟨m, hm⟩ := h", f"exact ⟨{k} * m, by omega⟩"),
            ),
            (f"∀ n k : Nat, k ∣ n → k ∣ n + {j} → k ∣ {j}", ("intro n k h1 h2", "exact (Nat.dvd_add_right h1).mp h2")),
            (f"∀ n k : Nat, k ∣ {j} → k ≤ {j}", ("intro n k h", "exact Nat.le_of_dvd (by omega) h")),
            ("∀ a b : Nat, a ∣ b → b ∣ a → a = b", ("intro a b h1 h2", "exact Nat.dvd_antisymm h1 h2")),
            ("∀ n : Nat, Nat.gcd n (n + 1) = 1", ("intro n", "simp")),
            (f"∀ n : Nat, Nat.Coprime ({k} * n + 1) n", ("intro n", "simp [Nat.Coprime]")),
            ("∀ n : Nat, Nat.Coprime (n + 1) n", ("intro n", "simp [Nat.Coprime]")),
            (
                "∀ a b n : Nat, Nat.Coprime a b → Nat.Coprime a (b ^ n)",
                ("intro a b n h", "exact Nat.Coprime.pow_right n h"),
            ),
            (
                f"∀ a b : Nat, Nat.Coprime a b → Nat.Coprime (a ^ {k}) b",
                ("intro a b h", f"exact Nat.Coprime.pow_left {k} h"),
            ),
            (
                "∀ a b : Nat, Nat.gcd a b ∣ a ∧ Nat.gcd a b ∣ b",
                ("intro a b", "exact ⟨Nat.gcd_dvd_left a b, Nat.gcd_dvd_right a b⟩"),
            ),
            ("∀ a b : Nat, a % b = 0 ↔ b ∣ a", ("intro a b", "exact ⟨Nat.dvd_of_mod_eq_zero, Nat.mod_eq_zero_of_dvd⟩")),
            (
                "∀ a b : Int, a % b = 0 ↔ b ∣ a",
                ("intro a b", "exact ⟨Int.dvd_of_emod_eq_zero, Int.emod_eq_zero_of_dvd⟩"),
            ),
            (
                f"∀ m a n : Nat, m ∣ a ^ n + {k} → m ∣ a ^ {j} + {r} → m ∣ Nat.gcd (a ^ n + {k}) (a ^ {j} + {r})",
                ("intro m a n h1 h2", "exact Nat.dvd_gcd h1 h2"),
            ),
            (
                f"∀ x n : Nat, (∃ t, t ^ {j} = x) → ∃ t, t ^ {j} = x ^ n",
                (
                    "intro x n h",
                    "obtain ⟨t, rfl⟩ := h",
                    "exact ⟨t ^ n, by rw [← Nat.pow_mul, ← Nat.pow_mul, Nat.mul_comm]⟩",
                ),
            ),
            (f"∀ a b : Nat, Nat.gcd (a + {k} * b) b = Nat.gcd a b", ("intro a b", "simp")),
            (
                f"∀ a b : Nat, Nat.gcd ({k} * a) ({k} * b) = {k} * Nat.gcd a b",
                ("intro a b", f"exact Nat.gcd_mul_left {k} a b"),
            ),
            ("∀ a b c : Nat, c ∣ a → c ∣ b → c ∣ Nat.gcd a b", ("intro a b c h1 h2", "exact Nat.dvd_gcd h1 h2")),
            (
                f"∀ a b : Nat, a ∣ Nat.lcm a b * {k}",
                ("intro a b", f"exact Nat.dvd_mul_right_of_dvd (Nat.dvd_lcm_left a b) {k}"),
            ),
        ]
    )
    return Draft("divides", statement, tactics)


def product_of_numbers(rng: Random) -> Draft | None:
    """A product of two numbers is given: each is at most that, so all can be tried."""
    u, v = rng.choice(NAMES)
    p, q = rng.randint(2, 9), rng.randint(3, 12)
    n, total = p * q, p + q
    kind = rng.randint(0, 1)
    second = f"{u} + {v} = {total}" if kind == 0 else f"{u} < {v}"
    found = [(x, n // x) for x in range(1, n + 1) if n % x == 0]
    found = [(x, y) for x, y in found if (x + y == total if kind == 0 else x < y)]
    if not 1 <= len(found) <= 3 or n > 60:
        return None
    goal = (
        " ∨ ".join(f"({u} = {x} ∧ {v} = {y})" for x, y in found)
        if len(found) > 1
        else f"{u} = {found[0][0]} ∧ {v} = {found[0][1]}"
    )
    cases = " ∨ ".join(f"{u} = {d}" for d in range(1, n + 1) if n % d == 0)
    tactics = (
        f"intro {u} {v} h1 h2",
        f"have h3 : {u} ∣ {n} := ⟨{v}, h1.symm⟩",
        f"have h4 : ∀ {u}, {u} ≤ {n} → {u} ∣ {n} → {cases} := by decide",
        f"rcases h4 {u} (Nat.le_of_dvd (by omega) h3) h3 with {' | '.join(['rfl'] * (cases.count('∨') + 1))} <;> omega",
    )
    return Draft("bounded", f"∀ {u} {v} : Nat, {u} * {v} = {n} → {second} → {goal}", tactics)


KINDS = (dividing, dividing, dividing, small_divisor, with_numbers, with_numbers, product_of_numbers)
