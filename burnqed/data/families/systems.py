"""Several functions given by recursion at once, functions of two numbers, steps with cases, and steps that are only bounded."""

from __future__ import annotations

from random import Random

from burnqed.data.families.facts import Recursion
from burnqed.data.families.recurrences import fact, given, increment, joined, solved, stated
from burnqed.data.families.terms import at_most, either, equation, times, total


def relation(rng: Random, recursion: Recursion) -> str | None:
    """An equation or comparison of f n and g n that seems true for every n."""
    k, m = rng.randint(1, 6), rng.randint(2, 6)
    texts = [
        equation(rng, "f n", "g n"),
        at_most(rng, "f n", "g n"),
        at_most(rng, "g n", "f n"),
        *("f n < g n", "g n < f n"),
        equation(rng, f"f n + {k}", "g n"),
        equation(rng, "f n", f"g n + {k}"),
        equation(rng, "g n", times(rng, m, "f n")),
        equation(rng, "f n", times(rng, m, "g n")),
        equation(rng, "f n + n", "g n"),
        equation(rng, "f n + g n", f"{m} ^ n"),
        equation(rng, "f n + g n", times(rng, k, f"{m} ^ n")),
        *(f"f n % {m} = g n % {m}", f"(f n + g n) % {m} = 0", f"{m} ∣ f n + g n"),
        *(f"f n ≤ {m} * g n", f"{m} * f n ≤ g n", f"f n * {m} ≤ g n + {k}", f"f n + g n ≤ {m} ^ (n + {k})"),
        *("n ≤ f n + g n", f"n + {k} ≤ f n + g n", "0 < f n + g n", f"g n ≤ f n + {k}"),
        *("f n ≠ g n", "f n * f n ≤ g n", "f n ≤ f n * g n"),
    ]
    closed = solved(rng, recursion, "(f n + g n)")
    if closed is not None and rng.random() < 0.3:
        return closed
    rng.shuffle(texts)
    strict = rng.random() < 0.85
    return next((t for t in texts if recursion.always(t) and (not strict or recursion.inductive(t))), None)


def two(rng: Random) -> str | None:
    """f and g, each from both: how they compare."""
    a, b, c = rng.randint(1, 4), rng.randint(1, 4), rng.randint(0, 5)
    p = increment(rng)
    own = (
        f"f n + {p}; {times(rng, a + 1, 'f n')}; {times(rng, a + 1, 'f n')} + {c + 1}; f n + {a}; g n + {a}; f n + g n; "
        f"{times(rng, a, 'f n')} + {times(rng, b, 'g n')}; g n + {p}; f n + g n + {c + 1}"
    )
    swap = str.maketrans("fg", "gf")
    first = either(rng, own)
    second = either(
        rng, f"{either(rng, own).translate(swap)}; {first.translate(swap)}; {first}; g n + {p}; g n + {p} + {b}"
    )

    def conclude(recursion: Recursion) -> str | None:
        return joined(rng, relation(rng, recursion), "" if rng.random() < 0.7 else relation(rng, recursion))

    start = rng.randint(0, 4)
    bases = {"f": [start], "g": [rng.choice([start, start + 1, rng.randint(0, 6)])]}
    return stated(rng, bases, {"f": first, "g": second}, conclude)


def cumulative(rng: Random) -> str | None:
    """g sums f, which is itself given by recursion: a closed form of g, or how the two compare."""
    a, b = rng.randint(1, 4), rng.randint(0, 4)
    first = either(
        rng,
        f"f n + {a}; f n + {times(rng, a, 'n')} + {b + 1}; {times(rng, a + 1, 'f n')}; f n + {times(rng, a, 'n')}",
    )
    second = either(rng, f"g n + f n; f n + g n; g n + f (n + 1); g n + {times(rng, a, 'f n')}; g n + f n + {a}")

    def conclude(recursion: Recursion) -> str | None:
        closed = solved(rng, recursion, "g n")
        if closed is not None and rng.random() < 0.7:  # with the closed form of f, which the proof needs
            return joined(rng, closed, rng.choice([solved(rng, recursion), ""]))
        return joined(rng, relation(rng, recursion))

    return stated(rng, {"f": [b], "g": [rng.randint(0, 3)]}, {"f": first, "g": second}, conclude)


def parameter(rng: Random) -> str:
    """The start or the step is a variable: closed forms, additivity, and what grows."""
    m, k = rng.randint(2, 6), rng.randint(1, 6)
    start = "∀ (f : Nat → Nat) (a : Nat), f 0 = {} → (∀ n, f (n + 1) = {}) → ∀ {}, {}"
    templates = [
        start.format("a", f"f n + {m}", "n", equation(rng, "f n", total(rng, [times(rng, m, "n"), "a"]))),
        start.format(k, "f n + a", "n", equation(rng, "f n", total(rng, ["n * a", str(k)]))),
        start.format("a", times(rng, m, "f n"), "n", equation(rng, "f n", f"a * {m} ^ n")),
        start.format(k, "a * f n", "n", equation(rng, "f n", times(rng, k, "a ^ n"))),
        start.format("a", "f n + (n + 1)", "n", "2 * f n = n * (n + 1) + 2 * a"),
        start.format("a", "f n + n", "n", "2 * f n + n = n * n + 2 * a"),
        start.format("a", f"f n + {m} * n", "n", "a ≤ f n"),
        start.format("a", f"f n + {m} * a", "n", f"f n = {m} * a * n + a"),
        start.format("a", f"f n + {m} * a", "n", "a ∣ f n"),
        start.format(f"{m} * a", f"{m * k} + f n", "n", f"{m} ∣ f n"),
        start.format("a", f"{m} * f n + {m - 1}", "n", f"f n + 1 = (a + 1) * {m} ^ n"),
        start.format("a", f"{m} * f n + {k}", "n", "a ≤ f n"),
        start.format("a", f"{m} * f n + {k}", "n", "a + n ≤ f n"),
        start.format("a", f"f n + {increment(rng)}", "n", "a ≤ f n"),
        start.format("a", f"f n + {increment(rng)}", "m n", "f m ≤ f (m + n)"),
        start.format("0", "f n + a", "m n", equation(rng, "f (m + n)", "f m + f n")),
        start.format("0", "f n + a", "m n", equation(rng, "f (m * n)", "m * f n")),
        start.format("1", "a * f n", "m n", equation(rng, "f (m + n)", "f m * f n")),
        start.format("1", "a * f n", "n", equation(rng, "f (2 * n)", "f n * f n")),
        start.format("a", f"f n + {m}", "m n", equation(rng, "f (m + n)", f"f m + {m} * n")),
        start.format(k, times(rng, m, "f n"), "n", f"a * f n = a * {k} * {m} ^ n"),
    ]
    return rng.choice(templates)


def homomorphism(rng: Random) -> str:
    """What f (m + n) is: by induction on one of the two."""
    m, k, c = rng.randint(2, 6), rng.randint(1, 6), rng.randint(1, 4)
    templates = [
        ("0", f"f n + {k}", "m n", "f (m + n)", "f m + f n"),
        (str(c), f"f n + {k}", "m n", f"f (m + n) + {c}", "f m + f n"),
        ("1", times(rng, m, "f n"), "m n", "f (m + n)", "f m * f n"),
        (str(c + 1), times(rng, m, "f n"), "m n", times(rng, c + 1, "f (m + n)"), "f m * f n"),
        ("0", f"f n + {k}", "m n", "f (m * n)", "m * f n"),
        ("0", f"f n + {k}", "n", "f (f n)", f"{k * k} * n"),
        ("0", f"f n + {k}", "n", f"f ({m} * n)", f"{m} * f n"),
        (str(c), f"f n + {k}", "m n", "f (m + n)", f"f m + {k} * n"),
        (str(c), times(rng, m, "f n"), "m n", "f (m + n)", f"f m * {m} ^ n"),
        (str(c), times(rng, m, "f n"), "n", f"f (n + {c})", f"{m**c} * f n"),
        ("0", f"f n + {2 * k} * n + {k}", "m n", "f (m + n)", f"f m + f n + {2 * k} * m * n"),
        ("1", times(rng, m, "f n"), "n", "f (2 * n)", "f n * f n"),
    ]
    start, step, variables, left, right = rng.choice(templates)
    return f"∀ (f : Nat → Nat), f 0 = {start} → (∀ n, f (n + 1) = {step}) → ∀ {variables}, {equation(rng, left, right)}"


def accumulator(rng: Random) -> str:
    """f n a changes its second argument on the way: the induction must leave a free."""
    k, m, c = rng.randint(1, 6), rng.randint(2, 5), rng.randint(1, 5)
    step, left, right = rng.choice(
        [
            (f"f n (a + {k})", "f n a", total(rng, [times(rng, k, "n"), "a"])),
            ("f n (a + n)", "2 * f n a + n", "n * n + 2 * a"),
            ("f n (a + n + 1)", "2 * f n a", "n * (n + 1) + 2 * a"),
            (f"f n (a + {2 * k} * n)", f"f n a + {k} * n", f"{k} * n * n + a"),
            ("f n (a + (2 * n + 1))", "f n a", "n * n + a"),
            (f"f n ({m} * a)", "f n a", f"{m} ^ n * a"),
            (f"f n ({m} * a + {m - 1})", "f n a + 1", f"{m} ^ n * (a + 1)"),
            (f"f n a + {k}", "f n a", f"a + {k} * n"),
            ("f n a + a", "f n a", "(n + 1) * a"),
            (f"f n (a + {k}) + {c}", "f n a", f"{k + c} * n + a"),
            (f"f n (a + {k})", f"f n (a + {c})", f"f n a + {c}"),
        ]
    )
    conclusion = rng.choice(
        [equation(rng, left, right)] * 4 + [at_most(rng, right, left), "a ≤ f n a", f"f n a ≤ f n (a + {c})"]
    )
    variables = rng.choice(["n a", "n a", "a n"])
    return f"∀ (f : Nat → Nat → Nat), (∀ a, f 0 a = a) → (∀ n a, f (n + 1) a = {step}) → ∀ {variables}, {conclusion}"


def cases_in_step(rng: Random) -> str | None:
    """f (n + 1) by if-then-else, max or min: bounds and residues, splitting the step."""
    a, b, m, r = rng.randint(1, 5), rng.randint(0, 4), rng.randint(2, 4), rng.randint(0, 1)
    test = either(rng, f"n % {m} = {r}; f n % {m} = {r}; f n < {a + b + 3}; n < {a + b}; f n ≤ n; n = 0; f n = {a}")
    step = either(
        rng,
        f"if {test} then f n + {a} else f n + {b}; "
        * 3
        + f"if {test} then f n + {a} else f n; if {test} then f n + 1 else {b}; "
        f"if {test} then {times(rng, m, 'f n')} else f n + {a}; max (f n) {times(rng, a, 'n')}; max (f n) (n + {a}); "
        f"min (f n) (n + {b}); min (f n + {a}) {a * 7}; max (f n + {a}) {a * m}; max (f n) {a} + {b}; min (f n) {b} + {a}",
    )

    def conclude(recursion: Recursion) -> str | None:
        return joined(rng, fact(rng, recursion), "" if rng.random() < 0.8 else fact(rng, recursion))

    return stated(rng, {"f": [rng.randint(0, 4)]}, {"f": step}, conclude)


def bounded_step(rng: Random) -> str:
    """Only how f (n + 1) compares with f n is known."""
    k, m, c = rng.randint(1, 6), rng.randint(2, 6), rng.randint(0, 6)
    zero = f"f 0 = {c} → "
    templates = [
        (zero, f"f (n + 1) ≤ f n + {k}", "n", at_most(rng, "f n", total(rng, [times(rng, k, "n"), c]))),
        ("", f"f (n + 1) ≤ f n + {k}", "n", f"f n ≤ f 0 + {k} * n"),
        ("", f"f n + {k} ≤ f (n + 1)", "n", at_most(rng, times(rng, k, "n"), "f n")),
        (zero, f"f n + {k} ≤ f (n + 1)", "n", f"{total(rng, [times(rng, k, 'n'), str(c)])} ≤ f n"),
        ("", "f n < f (n + 1)", "n", at_most(rng, "n", "f n")),
        (f"{c} ≤ f 0 → ", "f n < f (n + 1)", "n", f"n + {c} ≤ f n"),
        ("", "f n < f (n + 1)", "n", "f 0 + n ≤ f n"),
        ("", "f n < f (n + 1)", "m n", "f m + n ≤ f (m + n)"),
        ("", "f n ≤ f (n + 1)", "m n", "f m ≤ f (m + n)"),
        ("", "f n ≤ f (n + 1)", "m n", "m ≤ n → f m ≤ f n"),
        ("", "f (n + 1) ≤ f n", "m n", "m ≤ n → f n ≤ f m"),
        ("", "f n < f (n + 1)", "m n", "m < n → f m < f n"),
        ("", "f (n + 1) ≤ f n", "n", "f n ≤ f 0"),
        (f"f 0 ≤ {c} → ", "f (n + 1) ≤ f n", "n", f"f n ≤ {c}"),
        ("", f"f (n + 1) ≤ {m} * f n", "n", f"f n ≤ {m} ^ n * f 0"),
        (f"f 0 ≤ {k} → ", f"f (n + 1) ≤ {m} * f n", "n", f"f n ≤ {k} * {m} ^ n"),
        (f"{k} ≤ f 0 → ", f"{m} * f n ≤ f (n + 1)", "n", f"{k} * {m} ^ n ≤ f n"),
        ("0 < f 0 → ", f"{m} * f n ≤ f (n + 1)", "n", "n < f n"),
        ("f 0 = 0 → ", "f (n + 1) ≤ f n + n", "n", "f n ≤ n * n"),
        ("", "f n ∣ f (n + 1)", "n", "f 0 ∣ f n"),
        ("", "f n ∣ f (n + 1)", "m n", "f m ∣ f (m + n)"),
        (f"{m} ∣ f 0 → ", "f n ∣ f (n + 1)", "n", f"{m} ∣ f n"),
        ("", "f (n + 1) = f n", "n", "f n = f 0"),
        ("", "f (n + 1) = f n", "m n", "f m = f n"),
        ("", f"f (n + {m}) = f n", "n k", f"f (n + {m} * k) = f n"),
        ("", f"f (n + {m}) = f n", "k", f"f ({m} * k) = f 0"),
        ("", f"f (n + 1) % {m} = f n % {m}", "n", f"f n % {m} = f 0 % {m}"),
        (f"f 0 % {m} = {k % m} → ", f"f (n + 1) % {m} = f n % {m}", "n", f"f n % {m} = {k % m}"),
        ("", "f n = 0 → f (n + 1) = 0", "m n", "f m = 0 → f (m + n) = 0"),
        ("f 0 = 0 → ", "f n = 0 → f (n + 1) = 0", "n", "f n = 0"),
    ]
    first, step, variables, conclusion = rng.choice(templates)
    return f"∀ (f : Nat → Nat), {first}(∀ n, {step}) → ∀ {variables}, {conclusion}"


def signs(rng: Random) -> str:
    """Functions to the integers, with a step that turns the sign."""
    k, c, m = rng.randint(1, 9), rng.randint(1, 5), rng.randint(2, 4)
    base, step, conclusion = rng.choice(
        [
            (f"{k}", "- f n", equation(rng, "f n * f n", str(k * k))),
            (f"{k}", "- f n", f"f n = {k} ∨ f n = -{k}"),
            (f"{k}", "- f n", equation(rng, "f (2 * n)", str(k))),
            (f"{k}", "- f n", f"f (2 * n + 1) = -{k}"),
            (f"{k}", "- f n", "f (n + 2) = f n"),
            (f"{k}", "- f n", "f n + f (n + 1) = 0"),
            (f"{k}", f"{c} - f n", equation(rng, "f (2 * n)", str(k))),
            (f"{k}", f"{c} - f n", f"f n = {k} ∨ f n = {c - k}"),
            (f"{k}", f"{c} - f n", f"f n + f (n + 1) = {c}"),
            (f"{k}", f"f n - {c}", f"f n = {k} - {c} * n"),
            (f"{k}", f"f n - {c}", f"f n + {c} * n = {k}"),
            (f"{k}", f"f n - {c}", f"f n ≤ {k}"),
            (f"{k}", f"f n + {c}", f"f n = {k} + {c} * n"),
            ("0", f"f n - {2 * c} * n", f"f n = {c} * n - {c} * n * n"),
            ("0", "f n + 2 * n + 1", "f n = n * n"),
            (f"{k}", f"{m} * f n - {(m - 1) * k}", f"f n = {k}"),
            (f"{k + 1}", f"{m} * f n - {(m - 1) * k}", f"f n = {m} ^ n + {k}"),
            (f"-{k}", f"{m} * f n", "f n < 0"),
            (f"-{k}", f"{m} * f n", f"f n ≤ -{k}"),
            (f"{k}", "f n * f n", "0 < f n"),
        ]
    )
    return f"∀ (f : Nat → Int), f 0 = {base} → (∀ n, f (n + 1) = {step}) → ∀ n, {conclusion}"


def guarded(rng: Random) -> str | None:
    """A bound that holds from some number on."""
    a, b = rng.randint(2, 3), rng.randint(0, 3)
    step = f"{times(rng, a, 'f n')} + {b}" if b else times(rng, a, "f n")
    recursion = Recursion({"f": [rng.randint(1, 2)]}, {"f": step})
    conclusion = either(
        rng,
        f"n * n ≤ f n; {rng.randint(3, 9)} * n ≤ f n; {rng.randint(3, 30)} ≤ f n; "
        f"n + {rng.randint(3, 20)} ≤ f n; {rng.randint(2, 5)} * n + {rng.randint(1, 9)} < f n",
    )
    for start in range(2, 8):
        if recursion.always(conclusion, range(start, 20)) and not recursion.value(conclusion, start - 1):
            return given(recursion.bases, recursion.steps, f"∀ n, {start} ≤ n → {conclusion}")
    return None


TEMPLATES = (
    *[two] * 3,
    *[cumulative] * 2,
    *(parameter, homomorphism, accumulator),
    *[cases_in_step] * 2,
    *(bounded_step, signs, guarded),
)
