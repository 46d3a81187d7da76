"""Witnesses, counterexamples, finite ranges, case distinctions of linear arithmetic."""

from __future__ import annotations

from random import Random

from burnqed.data.draft import Draft


def witness(rng: Random) -> Draft:
    """A number, or some, with a property that can be computed."""
    a, b, m = rng.randint(1, 12), rng.randint(1, 12), rng.randint(3, 9)
    j, k = rng.randint(2, 9), rng.randint(2, 9)
    domain = rng.choice(["Nat", "Int"])
    kinds = [
        (f"∃ n : {domain}, n * n + n = {a * a + a}", f"exact ⟨{a}, by decide⟩"),
        (f"∃ n : {domain}, n ^ 2 = {a * a}", f"exact ⟨{a}, by decide⟩"),
        (f"∃ n : Nat, {j} * n + {k} = {j * a + k} ∧ n < {a + 2}", f"exact ⟨{a}, by decide⟩"),
        (f"∃ x y : {domain}, x + y = {a + b} ∧ x * y = {a * b}", f"exact ⟨{a}, {b}, by decide⟩"),
        (f"∃ x y : {domain}, {j} * x + {k} * y = {j * a + k * b}", f"exact ⟨{a}, {b}, by decide⟩"),
        (f"∃ x y : Int, {j} * x - {k} * y = {j * a - k * b}", f"exact ⟨{a}, {b}, by decide⟩"),
        (f"∃ n : Nat, n % {m} = {a % m} ∧ n % {m + 1} = {a % (m + 1)}", f"exact ⟨{a}, by decide⟩"),
        (f"∃ n : Nat, 0 < n ∧ {m} ∣ n ^ 2 + n", f"exact ⟨{m}, by decide⟩"),
        (
            f"∃ n : Nat, n ^ 2 % {m} ≠ n % {m}",
            f"exact ⟨{next((x for x in range(m) if (x * x - x) % m), 2)}, by decide⟩",
        ),
        (f"¬ ∀ n : Nat, n * n + {a} ≠ {a + b * b}", f"exact fun h => h {b} rfl"),
        (f"∃ x y : Nat, x ^ 2 + y ^ 2 = {a * a + b * b} ∧ x ≤ {a}", f"exact ⟨{a}, {b}, by decide⟩"),
    ]
    statement, tactic = rng.choice(kinds)
    return Draft("witness", statement, (tactic,))


def witness_of_variable(rng: Random) -> Draft:
    """A witness that depends on the variables."""
    j, k, r = rng.randint(2, 9), rng.randint(1, 9), rng.randint(1, 9)
    m = j * rng.randint(1, 3)
    kinds = [
        (
            f"∀ n : Nat, ∃ m, m > n ∧ m % {j} = {k % j}",
            ("intro n", f"exact ⟨{j} * n + {j + k % j}, by omega, by omega⟩"),
        ),
        (f"∀ n : Nat, ∃ m, n < m ∧ {j} ∣ m", ("intro n", f"exact ⟨{j} * (n + 1), by omega, by omega⟩")),
        (f"∀ x : Int, ∃ y, y = x ^ 2 + {k}", ("intro x", "exact ⟨_, rfl⟩")),
        (f"∀ x : Int, ∃ y, x + y = {k}", ("intro x", f"exact ⟨{k} - x, by omega⟩")),
        (f"∀ x : Int, ∃ n, n ≤ x ∧ x < n + {k}", ("intro x", "exact ⟨x, by omega, by omega⟩")),
        (
            f"∀ x : Int, ∃ q r, x = {j} * q + r ∧ 0 ≤ r ∧ r < {j}",
            ("intro x", f"exact ⟨x / {j}, x % {j}, by omega, by omega, by omega⟩"),
        ),
        (
            f"∀ n : Nat, ∃ q, n = {j} * q ∨ " + " ∨ ".join(f"n = {j} * q + {i}" for i in range(1, j))
            if j < 5
            else f"∀ n : Nat, ∃ q, {j} * q ≤ n ∧ n < {j} * q + {j}",
            ("intro n", f"exact ⟨n / {j}, by omega⟩"),
        ),
        (
            f"∀ a b : Int, ∃ x y : Int, x + y = a ∧ x + {j} * y = a + {j - 1} * b",
            ("intro a b", "exact ⟨a - b, b, by omega, by grind⟩"),
        ),
        (f"∀ a : Nat, a % {j} = {k % j} → ∃ q, a = {j} * q + {k % j}", ("intro a h", f"exact ⟨a / {j}, by omega⟩")),
        (f"∀ a : Nat, (∃ q, a = {m} * q + {r}) → a % {j} = {r % j}", ("intro a h", "obtain ⟨q, hq⟩ := h", "omega")),
        (
            f"∀ a b : Nat, (∃ x, a = {j} * x) → (∃ y, b = {j} * y) → ∃ z, a + {k} * b = {j} * z",
            ("intro a b h1 h2", "obtain ⟨x, hx⟩ := h1", "obtain ⟨y, hy⟩ := h2", f"exact ⟨x + {k} * y, by grind⟩"),
        ),
        (
            "∀ a b : Int, (∃ x, a = 2 * x + 1) → (∃ y, b = 2 * y + 1) → ∃ z, a * b = 2 * z + 1",
            ("intro a b h1 h2", "obtain ⟨x, hx⟩ := h1", "obtain ⟨y, hy⟩ := h2", "exact ⟨2 * x * y + x + y, by grind⟩"),
        ),
        (f"∃ f : Nat → Nat, ∀ n, f n = {j} * n + {k}", (f"exact ⟨fun n => {j} * n + {k}, fun n => rfl⟩",)),
        (
            f"∃ f : Nat → Nat, f 0 = {k} ∧ ∀ n, f (n + 1) = f n + {j}",
            (f"refine ⟨fun n => {j} * n + {k}, ?_, ?_⟩", "rfl", "intro n", "grind"),
        ),
    ]
    statement, tactics = rng.choice(kinds)
    return Draft("witness", statement, tactics)


def in_range(rng: Random) -> Draft:
    """All numbers below a bound."""
    bound, m, r = rng.randint(5, 40), rng.randint(3, 11), rng.randint(0, 9)
    square = {n * n % m for n in range(bound)}
    free = [x for x in range(m) if x not in square] or [m]
    kinds = [
        (f"∀ n < {bound}, n * n % {m} ≠ {rng.choice(free)}", ("decide",)),
        (f"∀ n, n < {bound} → n * (n + 1) % 2 = 0", ("decide",)),
        (f"¬ ∃ n, n < {bound} ∧ n * n = {r * r + 2 * r + 2 if r else 2}", ("decide",)),
        (f"∃ n, n < {bound} ∧ n * {m} = {m * (bound - 2)}", (f"exact ⟨{bound - 2}, by decide⟩",)),
        (
            f"∀ n ≤ {bound}, n ^ 2 ≤ {bound} * n",
            ("decide",) if bound < 25 else ("intro n h", "rw [Nat.pow_two]", "exact Nat.mul_le_mul_right n h"),
        ),
        (f"∀ n : Nat, n < {min(bound, 7)} → n * n < {min(bound, 7) ** 2}", ("decide",)),
    ]
    statement, tactics = rng.choice(kinds)
    return Draft("range", statement, tactics)


def linear_cases(rng: Random) -> Draft:
    """What linear arithmetic closes, after a case distinction or at once."""
    a, b, c, d = rng.randint(1, 9), rng.randint(1, 20), rng.randint(2, 9), rng.randint(1, 9)
    x = rng.randint(2, 30)
    domain = rng.choice(["Nat", "Int"])
    apart = f"x = y + {x - b}" if x >= b else f"y = x + {b - x}"
    kinds = [
        (f"∀ x : {domain}, {c} * x + {b} = {c * x + b} → x = {x}", ("intro x h", "omega")),
        (
            f"∀ x : {domain}, {c} * x = {c * x} ↔ x = {x}",
            ("intro x", "constructor", "intro h", "omega", "intro h", "omega"),
        ),
        (f"∀ x : {domain}, {c} * x = {c * x} ↔ x = {x}", ("intro x", "omega")),
        (
            f"∀ x y : {domain}, x + y = {x + b} → x - y = {x - b} → x = {x} ∧ y = {b}"
            if domain == "Int"
            else f"∀ x y : Nat, x + y = {x + b} → {apart} → x = {x} ∧ y = {b}",
            ("intro x y h1 h2", "constructor <;> omega"),
        ),
        (f"∀ x y : Int, x + y = {x + b} ∧ x - y = {x - b} → x = {x}", ("intro x y h", "obtain ⟨h1, h2⟩ := h", "omega")),
        (f"∀ n : Nat, n % {c} = 0 ∨ 0 < n % {c}", ("intro n", "omega")),
        ("∀ n : Int, n % 2 = 0 ∨ n % 2 = 1", ("intro n", "omega")),
        (f"∀ a b : {domain}, max a b + min a b = a + b", ("intro a b", "omega")),
        ("∀ a b : Int, a < b ∨ a = b ∨ b < a", ("intro a b", "omega")),
        (f"∀ n : Nat, {c} * n / {c} = n", ("intro n", "omega")),
        (f"∀ n : Nat, ({c} * n + {d % c}) % {c} = {d % c}", ("intro n", "omega")),
        (f"∀ a b : Nat, a + {d} ≤ b → b - a ≥ {d}", ("intro a b h", "omega")),
        (f"∀ a b c : {domain}, a = {a} → b = a + {d} → c = a + b → c = {2 * a + d}", ("intro a b c h1 h2 h3", "omega")),
        (
            f"∀ a b c : {domain}, a = {a} → b = {c} * a → a + b + c = {x + a + c * a} → c = {x}",
            ("intro a b c h1 h2 h3", "subst h1", "omega"),
        ),
        (f"∀ x : {domain}, (if x < {a} then x else {a}) ≤ {a}", ("intro x", "split <;> omega")),
        (f"∀ p q : Prop, p ∧ q ∧ {a} < {a + d} → q ∧ p", ("intro p q h", "obtain ⟨h1, h2, h3⟩ := h", "exact ⟨h2, h1⟩")),
        (
            f"∀ n : Nat, (∃ k, n = {c} * k + {d % c}) ↔ n % {c} = {d % c}",
            (
                "intro n",
                "constructor",
                "intro h",
                "obtain ⟨k, hk⟩ := h",
                "omega",
                "intro h",
                f"exact ⟨n / {c}, by omega⟩",
            ),
        ),
        (f"¬ ∃ x : Nat, x ^ {rng.randint(2, 6)} + {c} * x + {d} = 0", ("omega",)),
        (f"∀ n : Nat, n ^ {rng.randint(2, 6)} + {c} * n + {d} > 0", ("intro n", "omega")),
        (
            f"∀ a b c : Nat, a = {x * 100} → b = a - {x} → c = b - {b} → c = {x * 99 - b if x * 99 > b else 0}",
            ("intro a b c h1 h2 h3", "omega"),
        ),
        (
            f"∀ x y : Nat, x + y = {x + b} → {apart} → (x, y) = ({x}, {b})",
            ("intro x y h1 h2", "grind"),
        ),
        (f"∀ a b : {domain}, a < b → {d} < a → a < b ∧ {d} < b", ("intro a b h1 h2", "omega")),
        (
            f"∀ f : Nat → Nat, (∀ n, {d} ≤ n → f n = f {d}) → ∃ m, ∀ n, m ≤ n → f n = f m",
            ("intro f h", f"exact ⟨{d}, h⟩"),
        ),
        (f"∀ a b c : {domain}, a * b + {d} = c → a * b + {d} = c", ("intro a b c h", "exact h")),
        (
            f"∀ a b c d p q r s : {domain}, a = p * q → b = q * r → c = r * s → d = s * p → a + b + c + d = (p + r) * (q + s)",
            ("intro a b c d p q r s h1 h2 h3 h4", "grind"),
        ),
        (f"∀ n k : Nat, n = {c} * k → k = {d} → n = {c * d}", ("intro n k h1 h2", "omega")),
    ]
    statement, tactics = rng.choice(kinds)
    return Draft("linear", statement, tactics)


KINDS = (witness, witness_of_variable, in_range, linear_cases, linear_cases)
