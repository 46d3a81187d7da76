"""Functions on lists that are given by recursion as hypotheses: appending, lengths, bounds, accumulators, two functions."""

from __future__ import annotations

from random import Random

from burnqed.data.families.terms import at_most, either, equation, times, total

NUMBER = "∀ (f : List Nat → Nat), f [] = {} → (∀ x xs, f (x :: xs) = {}) → ∀ {}, {}"
LISTED = "∀ (f : List Nat → List Nat), f [] = [] → (∀ x xs, f (x :: xs) = {}) → ∀ {}, {}"


def summing(rng: Random) -> str:
    """f adds something for every member: what it is of appended lists, and how it grows with the length."""
    k, c, b = rng.randint(2, 6), rng.randint(1, 6), rng.choice([0, 0, 0, rng.randint(1, 5)])
    part, low, high, divisor = rng.choice(
        [
            ("x", 0, None, 1),
            (times(rng, k, "x"), 0, None, k),
            (f"(x + {c})", c, None, 1),
            ("1", 1, 1, 1),
            (str(k), k, k, k),
            ("x * x", 0, None, 1),
            (f"({k} * x + {c})", c, None, 1),
            (f"x * (x + {c})", 0, None, 1),
            (f"(x * x + {c})", c, None, 1),
            (f"x ^ 2 * {k}", 0, None, k),
            (f"{k} * (x + {c})", k * c, None, k),
            (f"x % {k}", 0, k - 1, 1),
            (f"(x % {k} + {c})", c, k - 1 + c, 1),
            (f"(if x = {c} then 1 else 0)", 0, 1, 1),
            (f"(if x < {c} then {k} else 0)", 0, k, k),
            (f"(if x % 2 = 0 then {k} else 1)", 1, k, 1),
            (f"max x {c}", c, None, 1),
            (f"min x {c}", 0, c, 1),
        ]
    )
    step = either(rng, f"{part} + f xs; {part} + f xs; f xs + {part}")
    length = either(rng, "xs.length; xs.length; List.length xs")
    plus_b = f" + {b}" if b else ""
    conclusions = [
        ("xs ys", equation(rng, f"f (xs ++ ys){plus_b}", "f xs + f ys")),
        ("xs ys", f"f (xs ++ ys){plus_b} = f ys + f xs"),
        ("xs ys", "f xs ≤ f (xs ++ ys)"),
        ("xs ys", "f (xs ++ ys) = f (ys ++ xs)"),
        ("xs", "f xs.reverse = f xs"),
        (
            "xs ys zs",
            f"f (xs ++ (ys ++ zs)) + {2 * b} = f xs + f ys + f zs" if b else "f (xs ++ ys ++ zs) = f xs + f ys + f zs",
        ),
        ("x xs", "f xs ≤ f (x :: xs)"),
        ("x xs ys", "f (xs ++ x :: ys) = f (x :: (xs ++ ys))"),
        ("xs", f"{b} ≤ f xs"),
    ]
    if low:
        conclusions += [("xs", at_most(rng, total(rng, [times(rng, low, length), b]), "f xs"))] * 2
        conclusions += [("xs", f"xs = [] ∨ {low} ≤ f xs")]
    if high:
        conclusions += [("xs", at_most(rng, "f xs", total(rng, [times(rng, high, length), b])))] * 3
    if low == high:
        conclusions += [("xs", equation(rng, "f xs", total(rng, [times(rng, low, length), b])))] * 2
    if divisor > 1:
        conclusions += [("xs", f"f xs % {divisor} = {b % divisor}" if b else f"{divisor} ∣ f xs")] * 2
    variables, conclusion = rng.choice(conclusions)
    return NUMBER.format(b, step, variables, conclusion)


def multiplying(rng: Random) -> str:
    """f multiplies over the members."""
    k, c = rng.randint(2, 6), rng.randint(1, 5)
    part = either(rng, f"x; (x + {c}); {k}; ({k} * x + {c}); (x * x + 1); {k} * (x + {c})")
    step = either(rng, f"{part} * f xs; f xs * {part}")
    conclusions = [
        ("xs ys", equation(rng, "f (xs ++ ys)", "f xs * f ys")),
        ("xs ys", "f (xs ++ ys) = f ys * f xs"),
        ("xs", "f xs.reverse = f xs"),
    ]
    if part != "x":
        conclusions += [("xs", "0 < f xs"), ("xs", "f xs ≠ 0"), ("xs", "1 ≤ f xs")]
    if part == str(k):
        conclusions += [("xs", equation(rng, "f xs", f"{k} ^ xs.length")), ("xs", "xs.length < f xs")]
    variables, conclusion = rng.choice(conclusions)
    return NUMBER.format(1, step, variables, conclusion)


def mapping(rng: Random) -> str:
    """f changes every member, or doubles or drops some."""
    k, c = rng.randint(2, 6), rng.randint(1, 6)
    entry = either(rng, f"x + {c}; {k} * x; x * x; {k} * x + {c}; x % {k}; {c}")
    step, conclusions = rng.choice(
        [
            (
                f"({entry}) :: f xs" if " " in entry else f"{entry} :: f xs",
                [
                    ("xs", equation(rng, "(f xs).length", "xs.length")),
                    ("xs ys", "f (xs ++ ys) = f xs ++ f ys"),
                    ("xs", f"f xs = xs.map (fun x => {entry})"),
                    ("xs", "f xs.reverse = (f xs).reverse"),
                    ("xs", "f xs = [] → xs = []"),
                ],
            ),
            (
                "x :: x :: f xs",
                [
                    ("xs", "(f xs).length = 2 * xs.length"),
                    ("xs ys", "f (xs ++ ys) = f xs ++ f ys"),
                    ("xs", "xs.length ≤ (f xs).length"),
                    ("xs", "(f xs).length % 2 = 0"),
                    ("x xs", "x ∈ xs → x ∈ f xs"),
                ],
            ),
            (
                f"x :: {c} :: f xs",
                [
                    ("xs", equation(rng, "(f xs).length", "xs.length + xs.length")),
                    ("xs ys", "f (xs ++ ys) = f xs ++ f ys"),
                    ("x xs", "x ∈ xs → x ∈ f xs"),
                    ("xs", "(f xs).length % 2 = 0"),
                ],
            ),
            (
                f"if {either(rng, f'x = {c}; x < {c}; x % {k} = 0; {c} ≤ x')} then f xs else x :: f xs",
                [
                    ("xs", at_most(rng, "(f xs).length", "xs.length")),
                    ("xs ys", "f (xs ++ ys) = f xs ++ f ys"),
                    ("x xs", "x ∈ f xs → x ∈ xs"),
                    ("xs", "f (f xs) = f xs"),
                ],
            ),
            (
                "f xs ++ [x]",
                [
                    ("xs", "(f xs).length = xs.length"),
                    ("xs", equation(rng, "f xs", "xs.reverse")),
                    ("xs ys", "f (xs ++ ys) = f ys ++ f xs"),
                    ("xs", "f (f xs) = xs"),
                    ("x xs", "x ∈ xs → x ∈ f xs"),
                ],
            ),
        ]
    )
    variables, conclusion = rng.choice(conclusions)
    return LISTED.format(step, variables, conclusion)


def accumulating(rng: Random) -> str:
    """f carries a number or a list along: the induction must leave it free."""
    k, c = rng.randint(2, 6), rng.randint(1, 6)
    number = "∀ (f : List Nat → Nat → Nat), (∀ a, f [] a = a) → (∀ x xs a, f (x :: xs) a = {}) → ∀ {}, {}"
    part = either(rng, f"x; {k} * x; (x + {c}); x * x; 1; {c}")
    count = {"1": "xs.length", str(c): f"{c} * xs.length"}.get(part)
    conclusions = [
        ("xs a b", "f xs (a + b) = f xs a + b"),
        ("xs a", "a ≤ f xs a"),
        ("xs a", equation(rng, "f xs a", "f xs 0 + a")),
        ("xs ys a", "f (xs ++ ys) a = f ys (f xs a)"),
        ("xs a", f"f xs (a + {c}) = f xs a + {c}"),
    ]
    if count:
        conclusions += [("xs a", equation(rng, "f xs a", f"{count} + a"))] * 2
    if rng.random() < 0.6:
        variables, conclusion = rng.choice(conclusions)
        return number.format(either(rng, f"f xs (a + {part}); f xs ({part} + a)"), variables, conclusion)
    entry = either(rng, f"x; (x + {c}); ({k} * x)")
    image = "xs" if entry == "x" else f"(xs.map (fun x => {entry.strip('()')}))"
    step, variables, conclusion = rng.choice(
        [
            (f"f xs ({entry} :: ys)", "xs ys", f"f xs ys = {image}.reverse ++ ys"),
            (f"f xs ({entry} :: ys)", "xs ys", "(f xs ys).length = xs.length + ys.length"),
            (f"f xs ({entry} :: ys)", "xs ys", "f xs ys = f xs [] ++ ys"),
            (f"f xs ({entry} :: {entry} :: ys)", "xs ys", "(f xs ys).length = 2 * xs.length + ys.length"),
            (f"{entry} :: f xs ys", "xs ys", f"f xs ys = {image} ++ ys"),
            (f"{entry} :: f xs ys", "xs ys", "(f xs ys).length = xs.length + ys.length"),
            (f"{entry} :: f xs ys", "xs ys zs", "f xs (ys ++ zs) = f xs ys ++ zs"),
        ]
    )
    start = "∀ (f : List Nat → List Nat → List Nat), (∀ ys, f [] ys = ys)"
    return f"{start} → (∀ x xs ys, f (x :: xs) ys = {step}) → ∀ {variables}, {conclusion}"


def two_lists(rng: Random) -> str:
    """Two functions on the same list: equal, ordered, or adding up."""
    k, c, m = rng.randint(1, 6), rng.randint(1, 6), rng.randint(2, 4)
    start = "∀ (f g : List Nat → Nat), f [] = {} → g [] = {} → (∀ x xs, f (x :: xs) = {}) → (∀ x xs, g (x :: xs) = {}) → ∀ xs, {}"
    test = either(rng, f"x % {m} = 0; x = {c}; x < {c}; {c} ≤ x")
    b = rng.randint(0, 4)
    count, count_others = f"if {test} then f xs + 1 else f xs", f"if {test} then g xs else g xs + 1"
    templates = [
        (0, 0, count, count_others, equation(rng, "f xs + g xs", "xs.length")),
        (b, 0, count, "g xs + 1", at_most(rng, "f xs", f"g xs + {b}" if b else "g xs")),
        (0, b, f"if {test} then f xs + x else f xs", "x + g xs", at_most(rng, "f xs", "g xs")),
        (b, b, "x + f xs", f"x + {k} + g xs", at_most(rng, "f xs", "g xs")),
        (b, b, "x + f xs", f"x + {k} + g xs", equation(rng, "g xs", f"f xs + {k} * xs.length")),
        (b, m * b, "x + f xs", f"{m} * x + g xs", equation(rng, "g xs", f"{m} * f xs")),
        (b, b, "x + f xs", "g xs + x", "f xs = g xs"),
        (b, b, f"{k} * x + f xs", f"g xs + x * {k}", "f xs = g xs"),
        (0, 0, "x * x + f xs", "x + g xs", "g xs ≤ f xs"),
        (b, c, "x + f xs", "x + g xs", equation(rng, f"f xs + {c}", f"g xs + {b}")),
        (0, 0, "f xs + 1", f"g xs + {m}", equation(rng, "g xs", f"{m} * f xs")),
        (0, b, "f xs + 1", "max x (g xs) + 1", at_most(rng, "f xs", "g xs")),
        (1, 1, f"{m} * f xs", f"(x + {m}) * g xs", "f xs ≤ g xs"),
        (0, 0, f"x % {m} + f xs", "x + g xs", "f xs ≤ g xs"),
        (b, b, f"x % {m} + f xs", "x + g xs", f"f xs % {m} = g xs % {m}"),
        (0, 0, "max x (f xs)", "x + g xs", at_most(rng, "f xs", "g xs")),
        (c, c, "min x (f xs)", "max x (g xs)", "f xs ≤ g xs"),
    ]
    return start.format(*rng.choice(templates))


def membership(rng: Random) -> str:
    """What a maximum, a sum or a test over the members says of each of them."""
    k, c = rng.randint(2, 6), rng.randint(0, 6)
    bounded, divisible = f"(∀ x, x ∈ xs → x ≤ {k}) → f xs", f"(∀ x, x ∈ xs → {k} ∣ x) →"
    step, variables, conclusion = rng.choice(
        [
            ("max x (f xs)", "a xs", "a ∈ xs → a ≤ f xs"),
            ("x + f xs", "a xs", "a ∈ xs → a ≤ f xs"),
            (f"{k} * x + f xs", "a xs", f"a ∈ xs → {k} * a ≤ f xs"),
            ("x * x + f xs", "a xs", "a ∈ xs → a * a ≤ f xs"),
            ("max x (f xs)", "xs ys", "f (xs ++ ys) = max (f xs) (f ys)"),
            ("max x (f xs)", "xs ys", "f xs ≤ f (xs ++ ys)"),
            ("max x (f xs)", "xs", f"(∀ x, x ∈ xs → x ≤ {c + k}) → f xs ≤ {c + k}"),
            ("x + f xs", "xs", f"{bounded} ≤ {k} * xs.length" + (f" + {c}" if c else "")),
            ("x + f xs", "xs", f"(∀ x, x ∈ xs → {k} ≤ x) → {k} * xs.length ≤ f xs"),
            ("x + f xs", "xs", f"{divisible} f xs % {k} = {c % k}" if c else f"{divisible} {k} ∣ f xs"),
            (f"if x = {c} then f xs + 1 else f xs", "xs", f"{c} ∈ xs → 0 < f xs"),
            (f"if x = {c} then f xs + 1 else f xs", "xs", f"f xs = 0 → ¬ {c} ∈ xs"),
            ("f xs + 1", "a xs", "a ∈ xs → 0 < f xs"),
            ("max x (f xs) + 1", "a xs", "a ∈ xs → a < f xs"),
        ]
    )
    base = c if step == "x + f xs" and ("length +" in conclusion or "%" in conclusion) else 0
    return NUMBER.format(base, step, variables, conclusion)


TEMPLATES = (summing, summing, summing, multiplying, mapping, mapping, accumulating, two_lists, membership)
