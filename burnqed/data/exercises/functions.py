"""Functions that are given by equations: values, closed forms by induction, what follows for other arguments."""

from __future__ import annotations

from random import Random

from burnqed.data.deep.parts import NUMBERS
from burnqed.data.draft import Draft
from burnqed.data.families.terms import at_most, equation, times, total


def affine(rng: Random) -> Draft:
    """f (n + 1) = a f n + b: its closed form, bounds, remainders."""
    a, b, c = rng.choice([1, 1, 2, 2, 3, 4, 5]), rng.randint(0, 9), rng.randint(0, 9)
    if a == 1 and b == 0:
        b = 1
    u = rng.choice(["f", "u", "g", "a", "s"])
    step = total(Random(0), [times(rng, a, f"{u} n"), str(b) if b else ""])
    given = f"{u} 0 = {c} → (∀ n, {u} (n + 1) = {step})"
    intro = f"intro {u} h0 h n"
    if a == 1:
        closed = total(rng, [times(rng, b, "n"), str(c) if c else ""])
        goal, end = rng.choice(
            [
                (equation(rng, f"{u} n", closed), ("omega", "rw [h]", "omega")),
                (at_most(rng, closed, f"{u} n"), ("omega", "rw [h]", "omega")),
                (f"{u} n % {b} = {c % b}", ("rw [h0]", "rw [h]", "omega")),
            ]
        )
        if b == 1 and "%" in goal:
            goal, end = equation(rng, f"{u} n", closed), ("omega", "rw [h]", "omega")
        return Draft("recursion", f"∀ {u} : Nat → Nat, {given} → ∀ n, {goal}", (intro, NUMBERS, *end))
    scale = (a - 1) * c + b
    left = total(Random(0), [times(Random(0), a - 1, f"{u} n"), str(b) if b else ""])
    right = times(Random(0), scale, f"{a} ^ n") if scale else "0"
    goal = equation(rng, left, right)
    if b and (a - 1) == 1 and scale and rng.random() < 0.4:
        goal = f"{u} n = {right} - {b}"
        return Draft(
            "recursion",
            f"∀ {u} : Nat → Nat, {given} → ∀ n, {goal}",
            (
                intro,
                f"suffices h1 : {left} = {right} by omega",
                NUMBERS,
                "simp [h0]",
                "rw [h, Nat.pow_succ]",
                "omega",
            ),
        )
    m = rng.randint(2, 9)
    if rng.random() < 0.3 and (a * c + b) % m == c % m and (a - 1) * c % m == (-b) % m:
        return Draft(
            "recursion",
            f"∀ {u} : Nat → Nat, {given} → ∀ n, {u} n % {m} = {c % m}",
            (intro, NUMBERS, "rw [h0]", "rw [h]", "omega"),
        )
    return Draft(
        "recursion",
        f"∀ {u} : Nat → Nat, {given} → ∀ n, {goal}",
        (intro, NUMBERS, "simp [h0]", "rw [h, Nat.pow_succ]", "omega"),
    )


def summed(rng: Random) -> Draft:
    """f (n + 1) = f n + a polynomial in n: twice, or six times, f n."""
    u = rng.choice(["f", "s", "g", "t"])
    p, q, c = rng.randint(1, 6), rng.randint(0, 6), rng.choice([0, 0, rng.randint(1, 6)])
    if rng.random() < 0.75:
        step = total(Random(0), [f"{u} n", times(rng, p, "n"), str(q) if q else ""])
        # 2 f n = p n (n - 1) + 2 q n + 2 c
        if 2 * q >= p:
            closed = total(
                Random(0),
                [
                    times(Random(0), p, "n * n") if p > 1 else "n * n",
                    times(rng, 2 * q - p, "n"),
                    str(2 * c) if c else "",
                ],
            )
            goal = equation(rng, f"2 * {u} n", closed)
        else:
            closed = total(Random(0), [times(Random(0), p, "n * n") if p > 1 else "n * n", str(2 * c) if c else ""])
            goal = equation(rng, total(Random(0), [f"2 * {u} n", times(rng, p - 2 * q, "n")]), closed)
    else:
        square = rng.choice(["(n + 1) * (n + 1)", "(n + 1) ^ 2"])
        step = f"{u} n + {square}"
        goal = f"6 * {u} n = n * (n + 1) * (2 * n + 1)" + (f" + {6 * c}" if c else "")
    given = f"{u} 0 = {c} → (∀ n, {u} (n + 1) = {step})"
    return Draft(
        "recursion",
        f"∀ {u} : Nat → Nat, {given} → ∀ n, {goal}",
        (f"intro {u} h0 h n", NUMBERS, "simp [h0]", "rw [h]", "grind"),
    )


FROM_ONE = ("obtain ⟨k, rfl⟩ := Nat.exists_eq_add_of_le hn", "clear hn")
"""From `1 ≤ n` to n = 1 + k."""
SHIFTED = "induction k with | zero => ?_ | succ k ih => ?_"


def from_one(rng: Random) -> Draft:
    """A sequence that begins at 1: its closed form."""
    u = rng.choice(["f", "u", "a", "s", "x"])
    a, b, c = rng.choice([1, 1, 2, 3]), rng.randint(1, 6), rng.randint(1, 6)
    guard = rng.choice(["1 ≤ n", "1 ≤ n", "0 < n", "n ≥ 1", "n > 0"])
    intro = f"intro {u} h1 h n hn"
    given = f"{u} 1 = {c} → (∀ n, {u} (n + 1) = {times(Random(0), a, f'{u} n')} + {b})"
    if a == 1:
        line = times(rng, b, "n")
        goal = f"{u} n = {line} + {c - b}" if c > b else f"{u} n = {line}" if c == b else f"{u} n = {line} - {b - c}"
        end = ["rw [h1]", "rw [← Nat.add_assoc, h]", "omega"]
    else:
        scale = (a - 1) * c + b  # (a - 1) u n + b = scale a^(n - 1)
        goal = f"{times(Random(0), a - 1, f'{u} n')} + {b} = {scale} * {a} ^ (n - 1)"
        end = ["simp [h1]", "rw [← Nat.add_assoc, h, Nat.pow_succ]", "omega"]
    statement = f"∀ {u} : Nat → Nat, {given} → ∀ n, {guard} → {goal}"
    return Draft("recursion", statement, (intro, *FROM_ONE, *["simp"] * (a > 1), SHIFTED, *end))


def sum_from_one(rng: Random) -> Draft:
    """f 1 = c and f (n + 1) = f n + b n + b: twice f n, or f n as a half."""
    u = rng.choice(["f", "u", "a", "s", "x"])
    b = rng.choice([1, 1, 2, 3])
    c = b if rng.random() < 0.5 else rng.randint(1, 6)
    product = "n * (n + 1)" if b == 1 else f"{b} * (n * (n + 1))"
    left, right = f"2 * {u} n", product
    if c != b:
        left, right = (left, f"{right} + {2 * (c - b)}") if c > b else (f"{left} + {2 * (b - c)}", right)
    goal, first = equation(rng, left, right), tuple[str, ...]()
    if b == c and rng.random() < 0.7:
        goal, first = f"{u} n = {right} / 2", (f"suffices h2 : {left} = {right} by omega",)
    given = f"{u} 1 = {c} → (∀ n, {u} (n + 1) = {u} n + {times(rng, b, 'n')} + {b})"
    guard = rng.choice(["1 ≤ n", "n ≥ 1", "0 < n"])
    end = (SHIFTED, "simp [h1]", "rw [← Nat.add_assoc, h]", "grind")
    statement = f"∀ {u} : Nat → Nat, {given} → ∀ n, {guard} → {goal}"
    return Draft("recursion", statement, (f"intro {u} h1 h n hn", *first, *FROM_ONE, *end))


def with_both(rng: Random) -> Draft:
    """f (n + 1) = a f n + b n + c, whose closed form has a power and a line."""
    u = rng.choice(["f", "u", "a", "s"])
    a, b, c = rng.choice([2, 2, 3, 4]), rng.randint(1, 4), rng.randint(0, 4)
    # f n = A a^n - (p n + q) / (a - 1)^2, so (a - 1)^2 f n + p n + q = A a^n
    k = (a - 1) ** 2
    p, q = b * (a - 1), b + c * (a - 1)
    start = rng.randint(0, 3)
    scale = k * start + q
    line = " + ".join(filter(None, [times(rng, k, f"{u} n"), times(rng, p, "n"), str(q) if q else ""]))
    step = " + ".join(filter(None, [times(rng, a, f"{u} n"), times(rng, b, "n"), str(c) if c else ""]))
    goal, tail = (
        f"{line} = {times(Random(0), scale, f'{a} ^ n')}",
        (NUMBERS, "simp [h0]", "rw [h, Nat.pow_succ]", "omega"),
    )
    given = f"{u} 0 = {start} → (∀ n, {u} (n + 1) = {step})"
    if k == 1 and rng.random() < 0.4:
        right = times(Random(0), scale, f"{a} ^ n")
        taken = f"{p} * n + {q}" if p > 1 else f"n + {q}"
        return Draft(
            "recursion",
            f"∀ {u} : Nat → Nat, {given} → ∀ n, {u} n = {right} - ({taken})",
            (f"intro {u} h0 h n", f"suffices h1 : {u} n + ({taken}) = {right} by omega", *tail),
        )
    return Draft("recursion", f"∀ {u} : Nat → Nat, {given} → ∀ n, {goal}", (f"intro {u} h0 h n", *tail))


def value_of_recursion(rng: Random) -> Draft:
    """A value some steps on."""
    u = rng.choice(["f", "a", "u", "x"])
    a, b, c = rng.randint(1, 4), rng.randint(0, 5), rng.randint(0, 6)
    k = rng.randint(2, 6)
    last = c
    for _ in range(k):
        last = a * last + b
    step = " + ".join([times(rng, a, f"{u} n"), *([str(b)] * bool(b))])
    joined = rng.random() < 0.2
    given = f"{u} 0 = {c} {'∧' if joined else '→'} (∀ n, {u} (n + 1) = {step})"
    opened = (f"intro {u} h", "obtain ⟨h0, h⟩ := h") if joined else (f"intro {u} h0 h",)
    closer = "simp [h, h0]" if joined else rng.choice(["simp [h, h0]", "simp [h, h0]", "grind"])
    return Draft("values", f"∀ {u} : Nat → Nat, {given} → {u} {k} = {last}", (*opened, closer))


def of_two(rng: Random) -> Draft:
    """An operation on two numbers, at given ones."""
    s = rng.choice(["s", "f", "g", "op"])
    j, k, c = rng.randint(1, 6), rng.randint(1, 6), rng.randint(0, 5)
    x, y = rng.randint(1, 6), rng.randint(1, 6)
    term, value = rng.choice(
        [
            ("a ^ b + b ^ a", x**y + y**x),
            (f"{j} * a + {k} * b", j * x + k * y),
            (f"a * b + {c}", x * y + c),
            (f"a * a + {k} * b", x * x + k * y),
            (f"{j} * (a * b) + a + b", j * x * y + x + y),
        ]
    )
    guard, sides = rng.choice([("", 0), ("", 0), ("0 < a ∧ 0 < b → ", 1), ("0 < a → 0 < b → ", 2)])
    end = ("simp [h]",) if rng.random() < 0.6 else ("rw [h]", *["omega"] * sides)
    return Draft(
        "values",
        f"∀ {s} : Nat → Nat → Nat, (∀ a b, {guard}{s} a b = {term}) → {s} {x} {y} = {value}",
        (f"intro {s} h", *end),
    )


def value_by_equation(rng: Random) -> Draft:
    """A function by its equation: a value, a composition, an argument for a value."""
    p, q, r, s, c = rng.randint(1, 6), rng.randint(-5, 9), rng.randint(1, 6), rng.randint(-5, 9), rng.randint(-3, 9)

    def line(k: int, d: int) -> str:
        head = "x" if k == 1 else f"{k} * x"
        return head if d == 0 else f"{head} {'+' if d > 0 else '-'} {abs(d)}"

    f, g = line(p, q), line(r, s)
    arg = f"{c}" if c >= 0 else f"(-{-c})"
    kinds = [
        (f"∀ f : Int → Int, (∀ x, f x = {f}) → f {arg} = {p * c + q}", ("intro f h", "simp [h]")),
        (
            f"∀ f g : Int → Int, (∀ x, f x = {f}) → (∀ x, g x = {g}) → f (g {arg}) = {p * (r * c + s) + q}",
            ("intro f g hf hg", "simp [hf, hg]"),
        ),
        (
            f"∀ f g : Int → Int, (∀ x, f x = {f}) → (∀ x, g x = {g}) → f {arg} + g {arg} = {p * c + q + r * c + s}",
            ("intro f g hf hg", "rw [hf, hg]", "rfl"),
        ),
        (
            f"∀ (f : Int → Int) (a : Int), (∀ x, f x = {f}) → f a = {p * c + q} → a = {c}",
            ("intro f a h h1", "rw [h] at h1", "omega"),
        ),
        (
            f"∀ f : Int → Int, (∀ x, f x = {f}) → ∀ x y, f x = f y → x = y",
            ("intro f h x y h1", "rw [h, h] at h1", "omega"),
        ),
        (f"∀ f : Int → Int, (∀ x, f x = {f}) → Function.Injective f", ("intro f h x y h1", "rw [h, h] at h1", "omega")),
        (
            f"Function.Injective fun x : Int => {f}",
            ("intro x y h", "simp at h", "omega") if p > 1 and q else ("intro x y h", "grind"),
        ),
        (
            f"Function.Injective fun {rng.choice('xn')} => {r} * x".replace("n =>", "x =>")
            + (f" + {s}" if s > 0 else ""),
            ("intro x y h", *rng.choice([("simp at h", "omega"), ("grind",)])),
        ),
        (f"∀ f : Int → Int, (∀ x, f x = {f}) → ∀ x y, x < y → f x < f y", ("intro f h x y h1", "rw [h, h]", "omega")),
        (
            f"∀ f : Int → Int, (∀ x, f x = {f}) → ∀ x, f (x + {r}) = f x + {p * r}",
            ("intro f h x", "rw [h, h]", "omega"),
        ),
        (f"∀ f : Int → Int, (f = fun x => {f}) → f {arg} = {p * c + q}", ("intro f h", "rw [h]", "rfl")),
        (
            f"∀ f : Int → Int, (∀ x, f (x + {r}) = {f}) → f {c + r} = {p * c + q}" if c + r >= 0 else "",
            ("intro f h", f"have h1 : f ({arg} + {r}) = _ := h {arg}", "simpa using h1"),
        ),
        (
            f"∀ f : Int → Int, (∀ x, f x = {f}) → ∀ y, ∃ x, f x = y",
            ("intro f h y", f"exact ⟨y - {q}, by rw [h]; omega⟩" if q >= 0 else f"exact ⟨y + {-q}, by rw [h]; omega⟩"),
        )
        if p == 1
        else ("", ()),
    ]
    statement, tactics = rng.choice([kind for kind in kinds if kind[0]])
    return Draft("values", statement, tactics)


def homomorphisms(rng: Random) -> Draft:
    """Sums or products go to sums or products."""
    a, b = rng.randint(2, 9), rng.randint(2, 9)
    j, k = rng.sample(range(2, 8), 2)
    kinds = [
        (
            f"∀ f : Nat → Nat, (∀ m n, f (m * n) = f m * f n) → f {j} = {a} → f {k} = {b} → f {j * k} = {a * b}",
            ("intro f h h1 h2", f"have h3 := h {j} {k}", "rw [h1, h2] at h3", "exact h3"),
        ),
        (
            f"∀ f : Nat → Nat, (∀ m n, f (m + n) = f m + f n) → f {j} = {a} → f {k} = {b} → f {j + k} = {a + b}",
            ("intro f h h1 h2", f"have h3 := h {j} {k}", "rw [h1, h2] at h3", "exact h3"),
        ),
        (
            "∀ f : Nat → Nat, (∀ m n, f (m + n) = f m + f n) → f 0 = 0",
            ("intro f h", "have h1 := h 0 0", "simp at h1", "omega"),
        ),
        (
            "∀ f : Nat → Nat, (∀ m n, f (m + n) = f m + f n) → ∀ n, f (n + n) = 2 * f n",
            ("intro f h n", "rw [h]", "omega"),
        ),
        (
            f"∀ f : Nat → Nat, (∀ m n, f (m + n) = f m + f n) → f 1 = {a} → ∀ n, f (n + 1) = f n + {a}",
            ("intro f h h1 n", "rw [h, h1]"),
        ),
        (
            f"∀ f : Nat → Nat, (∀ m n, f (m * n) = f m * f n) → f {j} = 0 → f {j * k} = 0",
            ("intro f h h1", f"have h2 := h {j} {k}", "rw [h1] at h2", "simpa using h2"),
        ),
        (
            f"∀ f : Nat → Nat, (∀ n, f (n + {k}) = f n) → f {j} = {a} → f {j + k} = {a}",
            ("intro f h h1", f"have h2 := h {j}", "rw [h1] at h2", "exact h2"),
        ),
        (
            f"∀ f : Nat → Nat, (∀ n, f (n + {k}) = f n) → f {j} = {a} → f {j + 2 * k} = {a}",
            ("intro f h h1", f"have h2 := h {j}", f"have h3 := h {j + k}", "rw [h2, h1] at h3", "exact h3"),
        ),
        ("∀ f : Int → Int, (∀ x, f (-x) = -f x) → f 0 = 0", ("intro f h", "have h1 := h 0", "simp at h1", "omega")),
        (
            "∀ f : Int → Int, (∀ x y, f (x + y) = f x + y) → ∀ x, f x = f 0 + x",
            ("intro f h x", "have h1 := h 0 x", "simp at h1", "exact h1"),
        ),
        (
            f"∀ f : Nat → Nat, f 0 = {a} ∧ (∀ n, f (n + 1) = f n + {b}) → f 3 = {a + 3 * b}",
            (
                "intro f h",
                "obtain ⟨h0, h⟩ := h",
                f"have h1 : f 1 = {a + b} := by rw [h 0, h0]",
                f"have h2 : f 2 = {a + 2 * b} := by rw [h 1, h1]",
                "rw [h 2, h2]",
            ),
        ),
        (
            f"∀ f : Nat → Nat, (∀ n, n > 0 → f ({k} * n) = {a} * n + {b}) → f {k * j} = {a * j + b}",
            ("intro f h", f"have h1 := h {j} (by omega)", "exact h1"),
        ),
        (
            f"∀ f : Nat → Nat, (∀ n, f n ≤ f (n + 1)) → f 0 ≤ f {j}",
            ("intro f h", *[f"have h{i} := h {i}" for i in range(j)], "simp at *", "omega"),
        ),
    ]
    statement, tactics = rng.choice(kinds)
    return Draft("values", statement, tactics)


KINDS = (
    affine,
    affine,
    from_one,
    from_one,
    with_both,
    summed,
    value_of_recursion,
    of_two,
    value_by_equation,
    homomorphisms,
)
