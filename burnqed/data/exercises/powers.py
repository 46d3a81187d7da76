"""Powers with a growing exponent: remainders, divisors, and how fast they grow, by induction; and arithmetic of numbers alone."""

from __future__ import annotations

from math import gcd
from random import Random

from burnqed.data.deep.parts import NUMBERS
from burnqed.data.draft import Draft
from burnqed.data.families.terms import at_most, congruence, either

SHIFTED = (
    "obtain ⟨k, rfl⟩ := Nat.exists_eq_add_of_le h",
    "clear h",
    "induction k with | zero => ?_ | succ k ih => ?_",
    "decide",
)
"""Induction from a number on, up to its step."""
GUARDS = ("0 < n", "n ≠ 0", "1 ≤ n")


def exponent(k: int, j: int) -> str:
    """`n`, `(n + 2)`, `(3 * n + 1)`."""
    text = " + ".join(["n" if k == 1 else f"{k} * n", *([str(j)] * bool(j))])
    return f"({text})" if " " in text else text


def power_remainder(rng: Random) -> Draft | None:
    """One or two powers whose sum leaves always the same remainder."""
    two = rng.random() < 0.6
    bases = rng.sample(range(2, 12), 2 if two else 1)
    shapes = [(rng.choice([1, 1, 1, 2, 2, 3]), rng.choice([0, 0, 1, 1, 2, 3])) for _ in bases]
    factors = [rng.choice([1, 1, 1, rng.randint(2, 6)]) for _ in bases]
    c, d = rng.choice([0, 0, 0, rng.randint(1, 9)]), rng.choice([0, 0, rng.randint(1, 20)])

    def value(n: int) -> int:
        powers: int = sum(f * b ** (k * n + j) for b, f, (k, j) in zip(bases, factors, shapes, strict=True))
        return powers + c * n + d

    values = [value(n) for n in range(8)]
    gaps = [v - values[0] for v in values[1:]]
    moduli = [m for m in range(3, 40) if all(gap % m == 0 for gap in gaps) and any(b % m != 1 for b in bases)]
    if not moduli:
        return None
    m = rng.choice(moduli)
    if not passes_on(bases, factors, shapes, c, d, m):
        return None
    if all(f * b**j % m == 0 for b, f, (_, j) in zip(bases, factors, shapes, strict=True)):
        return None  # nothing is left for an induction
    parts = [
        f"{f} * {b} ^ {exponent(*s)}" if f > 1 else f"{b} ^ {exponent(*s)}"
        for b, f, s in zip(bases, factors, shapes, strict=True)
    ]
    term = " + ".join([*parts, *([f"{c} * n" if c > 1 else "n"] * bool(c)), *([str(d)] * bool(d))])
    conclusion = congruence(rng, term, m, values[0] % m)
    if "∃" in conclusion:
        return None
    if set(shapes) == {(1, 0)}:
        step = "rw [Nat.pow_succ]" if len(shapes) == 1 else "simp only [Nat.pow_succ]"
    else:
        step = f"simp [{'Nat.mul_add, ' * any(k > 1 for k, _ in shapes)}Nat.pow_add] at *"
    base = rng.choice(["decide", "decide", "simp"])
    if rng.random() < 0.25:
        return Draft(
            "power",
            f"∀ n : Nat, {rng.choice(GUARDS)} → {conclusion}",
            ("intro n h", "clear h", NUMBERS, base, step, "omega"),
        )
    return Draft("power", f"∀ n : Nat, {conclusion}", ("intro n", NUMBERS, base, step, "omega"))


def passes_on(bases: list[int], factors: list[int], shapes: list[tuple[int, int]], c: int, d: int, m: int) -> bool:
    """Whether the remainder at n + 1 follows from that at n, whatever the powers are: for linear arithmetic alone."""
    first = bases[0] ** shapes[0][0] % m
    same = all((f * (b**k - first)) % m == 0 for b, f, (k, _) in zip(bases, factors, shapes, strict=True))
    if len(bases) == 1 and c == 0:
        return same
    return same and all((c * (n + 1) + d - first * (c * n + d)) % m == (c + d - first * d) % m for n in range(m))


def power_of_remainder(rng: Random) -> Draft:
    """b ^ (k * n) modulo m, where b ^ k leaves 1: the base is replaced by its remainder."""
    m = rng.randint(3, 24)
    k = rng.choice([1, 1, 2, 2, 3, 4])
    base = rng.choice([b for b in range(2, 3 * m) if b**k % m == 1])
    j = rng.randint(1, 9)
    term = f"{base} ^ {exponent(k, 0)}"
    lemmas = f"[{'Nat.pow_mul, ' * (k > 1)}Nat.pow_mod]"
    if rng.random() < 0.4:
        with_sum = f"[Nat.add_mod, {'Nat.pow_mul, ' * (k > 1)}Nat.pow_mod]"
        return Draft("power", f"∀ n : Nat, ({term} + {j}) % {m} = {(1 + j) % m}", ("intro n", f"simp {with_sum}"))
    return Draft("power", f"∀ n : Nat, {term} % {m} = 1", ("intro n", f"simp {lemmas}"))


def power_cycle(rng: Random) -> Draft | None:
    """The few remainders that powers of a number run through."""
    base, m, f = rng.randint(2, 12), rng.randint(3, 21), rng.choice([1, 1, 1, rng.randint(2, 5)])
    seen = [f * base**n % m for n in range(12)]
    residues = sorted(set(seen))
    if not 2 <= len(residues) <= 3:
        return None
    term = f"{base} ^ n" if f == 1 else f"{f} * {base} ^ n"
    plain = f"{term} % {m}" if f == 1 else f"({term}) % {m}"
    listed = " ∨ ".join(f"{plain} = {r}" for r in residues)
    tail = (NUMBERS, "simp", "rw [Nat.pow_succ]", "omega")
    free = [r for r in range(m) if r not in residues]
    if rng.random() < 0.7 or not free:
        return Draft("power", f"∀ n : Nat, {listed}", ("intro n", *tail))
    r = rng.choice(free)
    claim = f"{plain} ≠ {r}" if rng.random() < 0.5 else f"¬ {m} ∣ {term} + {m - r}" if r else f"¬ {m} ∣ {term}"
    return Draft("power", f"∀ n : Nat, {claim}", ("intro n", f"suffices h : {listed} by omega", *tail))


def power_minus(rng: Random) -> Draft:
    """b^n - 1 by b - 1, with the subtraction of natural numbers."""
    m = rng.randint(2, 12)
    base = m * rng.randint(1, 4) + 1
    k = rng.choice([1, 1, 2, 3, 4])
    root = next((r for r in range(2, 12) if k > 1 and r**k % m == 1), 0)
    power = f"{base} ^ n" if not root else f"{root} ^ {exponent(k, 0)}"
    step = "rw [Nat.pow_succ]" if not root else "simp [Nat.mul_add, Nat.pow_add] at *"
    claim = rng.choice([f"{m} ∣ {power} - 1", f"({power} - 1) % {m} = 0", f"∃ k, {power} = {m} * k + 1"])
    proof = f"exact ⟨{power} / {m}, by omega⟩" if claim.startswith("∃") else "omega"
    guard = rng.random() < 0.3
    opened = ("intro n h0", "clear h0") if guard else ("intro n",)
    statement = f"∀ n : Nat, {'0 < n → ' * guard}{claim}"
    end = (NUMBERS, "rfl" if not root else "simp", step, "omega")
    return Draft("power", statement, (*opened, f"suffices h : {power} % {m} = 1 by {proof}", *end))


def power_growth(rng: Random) -> Draft | None:
    """b^n above a line, from some number on."""
    base, c, d = rng.choice([2, 2, 3, 3, 4, 5]), rng.randint(1, 9), rng.randint(0, 12)
    j = rng.choice([0, 0, 0, 1])
    e = rng.choice([0, 0, 0, rng.randint(1, 5)])
    strict = rng.random() < 0.5

    def holds(n: int) -> bool:
        large: int = base ** (n + j) + e
        return c * n + d < large if strict else c * n + d <= large

    start = next(s for s in range(20) if all(holds(n) for n in range(s, 25)))
    line = " + ".join([f"{c} * n" if c > 1 else "n", *([str(d)] * bool(d))])
    power = f"{base} ^ {exponent(1, j)}"
    large = f"{power} + {e}" if e else power
    claim = f"{line} < {large}" if strict else at_most(rng, line, large)
    if (base - 1) * (c * start + d - e) < c:
        return None
    if start == 0:
        step = "rw [Nat.pow_succ]" if j == 0 else "simp [Nat.pow_add] at *"
        return Draft(
            "growth", f"∀ n : Nat, {claim}", ("intro n", NUMBERS, rng.choice(["simp", "decide"]), step, "omega")
        )
    guard = either(rng, f"{start} ≤ n; {start} ≤ n; n ≥ {start}; {start - 1} < n; n > {start - 1}")
    step = "rw [← Nat.add_assoc, Nat.pow_succ]" if j == 0 else "simp [Nat.pow_add] at *"
    return Draft("growth", f"∀ n : Nat, {guard} → {claim}", ("intro n h", *SHIFTED, step, "omega"))


def square_growth(rng: Random) -> Draft:
    """b^n above a square, from some number on."""
    base, d = rng.choice([2, 2, 3, 4]), rng.randint(0, 6)

    def holds(n: int) -> bool:
        large: int = base**n
        return n * n + d < large

    start = max(3, next(s for s in range(20) if all(holds(n) for n in range(s, 25))))
    square = rng.choice(["n * n", "n ^ 2"])
    claim = f"{square} + {d} < {base} ^ n" if d else f"{square} < {base} ^ n"
    guard = either(rng, f"{start} ≤ n; n ≥ {start}; {start - 1} < n")
    return Draft(
        "growth",
        f"∀ n : Nat, {guard} → {claim}",
        ("intro n h", *SHIFTED, "rw [← Nat.add_assoc, Nat.pow_succ]", "grind"),
    )


def closed_power(rng: Random) -> Draft:
    """Arithmetic of numbers alone."""
    a, b, k, m = rng.randint(2, 99), rng.randint(2, 99), rng.randint(2, 60), rng.randint(3, 100)
    big, large = rng.randint(100, 99_999), rng.randint(200, 3_000)
    small = rng.choice(["rfl", "decide", "omega"])
    claims = [
        (f"{a} ^ {k} % {m} = {pow(a, k, m)}", rng.choice(["decide", "omega"])),
        (f"{a} ^ {large} % {m} = {pow(a, large, m)}", "omega"),
        (f"({a} ^ {k} + {b} ^ {k}) % {m} = {(a**k + b**k) % m}", rng.choice(["decide", "omega"])),
        (f"({a} ^ {k} + {b}) % {m} = {(a**k + b) % m} ∧ {big} % {m} = {big % m}", "omega"),
        (f"{big} % {m} = {big % m}", small),
        (f"({big} + {big + 1} + {big + 2}) % {m} = {(3 * big + 3) % m}", small),
        (f"{a} * {b} % {m} = {a * b % m}", small),
        (f"Nat.gcd {a * m} {b * m} = {gcd(a * m, b * m)}", rng.choice(["rfl", "decide"])),
        (f"Nat.lcm {a} {b} = {a * b // gcd(a, b)}", rng.choice(["rfl", "decide"])),
        (f"{a} ^ {k} < {a + 1} ^ {k}", rng.choice(["decide", "omega"])),
        (f"{a} * {b} + {m} = {a * b + m}", small),
        (f"{m} ∣ {m * big}", rng.choice(["decide", "omega"])),
        (f"¬ {m} ∣ {m * big + 1}", rng.choice(["decide", "omega"])),
        (f"({a} : Int) * -{b} + {m} = {m - a * b}", small),
    ]
    statement, tactic = rng.choice(claims)
    return Draft("numbers", statement, (tactic,))


def power_difference(rng: Random) -> Draft:
    """Powers of two numbers that leave the same remainder."""
    m = rng.randint(3, 15)
    b = rng.randint(2, m - 1)
    a = b + m * rng.randint(1, 3)
    goal = either(rng, f"{m} ∣ {a} ^ n - {b} ^ n; {a} ^ n % {m} = {b} ^ n % {m}; ({a} ^ n - {b} ^ n) % {m} = 0")
    if " % " in goal and "(" not in goal:
        return Draft("power", f"∀ n : Nat, {goal}", ("intro n", rng.choice(["rw [Nat.pow_mod]", "simp [Nat.pow_mod]"])))
    return Draft("power", f"∀ n : Nat, {goal}", ("intro n", f"have h := Nat.pow_mod {a} n {m}", "simp at h", "omega"))


def exponent_divides(rng: Random) -> Draft:
    """A power minus one divides that of a multiple of its exponent, by the quotients of (1 + q)^k - 1."""
    b, k = rng.choice([2, 2, 2, 3, 5, 10]), rng.choice("kjt")
    m, n = rng.choice([("m", "n"), ("a", "b"), ("d", "n"), ("n", "m")])
    positive = f"Nat.pow_pos (a := {b}) (n := {m}) (by omega)" if b > 2 else f"Nat.one_le_two_pow (n := {m})"
    opened = (f"obtain ⟨q, hq⟩ := Nat.exists_eq_add_of_le ({positive})", *["simp at hq"] * (b > 2), "rw [hq]")
    if rng.random() < 0.3:
        statement = f"∀ {m} {n} : Nat, {b} ^ {m} - 1 ∣ {b} ^ ({m} * {n}) - 1"
        return Draft("power", statement, (f"intro {m} {n}", "rw [Nat.pow_mul]", *opened, *quotients(n)))
    statement = f"∀ {m} {n} : Nat, {m} ∣ {n} → {b} ^ {m} - 1 ∣ {b} ^ {n} - 1"
    start = (f"intro {m} {n} h", f"obtain ⟨{k}, rfl⟩ := h", "rw [Nat.pow_mul]")
    return Draft("power", statement, (*start, *opened, *quotients(k)))


def quotients(k: str) -> tuple[str, ...]:
    """1 + q - 1 ∣ (1 + q) ^ k - 1, by induction."""
    return (
        "rw [Nat.add_sub_cancel_left]",
        f"suffices h1 : ∃ c, (1 + q) ^ {k} = 1 + q * c by obtain ⟨c, hc⟩ := h1; exact ⟨c, by rw [hc]; omega⟩",
        f"induction {k} with | zero => ?_ | succ {k} ih => ?_",
        "exact ⟨0, by simp⟩",
        "obtain ⟨c, hc⟩ := ih",
        "exact ⟨c * (1 + q) + 1, by rw [Nat.pow_succ, hc]; grind⟩",
    )


def base_minus_one(rng: Random) -> Draft:
    """A number minus one divides its powers minus one."""
    u, k, c = rng.choice([("a", "k", "c"), ("x", "n", "c"), ("m", "k", "y"), ("b", "n", "t")])
    if rng.random() < 0.4:
        start = (f"intro {u} {k} h", "obtain ⟨q, rfl⟩ := Nat.exists_eq_add_of_le h", "clear h")
        return Draft("power", f"∀ {u} {k} : Nat, 1 ≤ {u} → {u} - 1 ∣ {u} ^ {k} - 1", (*start, *quotients(k)))
    steps = (
        f"intro {u} {k}",
        f"induction {k} with | zero => ?_ | succ {k} ih => ?_",
        "simp",
        f"obtain ⟨{c}, h{c}⟩ := ih",
        f"exact ⟨{c} * {u} + 1, by grind⟩",
    )
    return Draft("power", f"∀ ({u} : Int) ({k} : Nat), {u} - 1 ∣ {u} ^ {k} - 1", steps)


KINDS = (
    *(power_remainder, power_remainder, power_of_remainder, power_cycle, power_minus, power_difference),
    *(power_growth, power_growth, square_growth, exponent_divides, base_minus_one, closed_power, closed_power),
)
