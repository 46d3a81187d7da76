"""Induction of other forms: in steps of two or more, strong, over two numbers, for predicates, and below a bound."""

from __future__ import annotations

from random import Random

from burnqed.data.families.terms import at_most, equation, times, total


def predicate_steps(rng: Random) -> str:
    """A predicate that holds at the start and passes on."""
    c, k, m = rng.randint(0, 6), rng.randint(2, 4), rng.randint(1, 5)
    starts = " → ".join(f"p {i}" for i in range(k))
    templates = [
        "(p : Nat → Prop), p 0 → (∀ n, p n → p (n + 1)) → ∀ n, p n",
        f"(p : Nat → Prop), p {c} → (∀ n, p n → p (n + 1)) → ∀ n, p (n + {c})",
        f"(p : Nat → Prop), p {c} → (∀ n, {c} ≤ n → p n → p (n + 1)) → ∀ n, {c} ≤ n → p n",
        f"(p : Nat → Prop), p {c} → (∀ n, p n → p (n + {k})) → ∀ n, p ({k} * n + {c})",
        f"(p : Nat → Prop), {starts} → (∀ n, p n → p (n + {k})) → ∀ n, p n",
        "(p : Nat → Prop), p 0 → p 1 → (∀ n, p n → p (n + 1) → p (n + 2)) → ∀ n, p n",
        "(p : Nat → Prop), (∀ n, (∀ m, m < n → p m) → p n) → ∀ n, p n",
        f"(p : Nat → Prop), p 0 → (∀ n, p n → p (n + 1) ∧ p (n + {k})) → ∀ n, p n",
        f"(p : Nat → Prop), p 1 → (∀ n, p n → p ({k} * n)) → ∀ n, p ({k} ^ n)",
        "(p q : Nat → Prop), p 0 → (∀ n, p n → q n) → (∀ n, q n → p (n + 1)) → ∀ n, p n",
        "(p q : Nat → Prop), p 0 → (∀ n, p n → q (n + 1)) → (∀ n, q n → p (n + 1)) → ∀ n, p (2 * n)",
        "(p q : Nat → Prop), p 0 → q 0 → (∀ n, p n → q n → p (n + 1) ∧ q (n + 1)) → ∀ n, p n ∧ q n",
        "(p q : Nat → Prop), p 0 → (∀ n, p n → q (n + 1)) → (∀ n, q n → p (n + 1)) → ∀ n, p n ∨ q n",
        "(p : Nat → Nat → Prop), (∀ n, p 0 n) → (∀ m n, p m n → p (m + 1) n) → ∀ m n, p m n",
        f"(p : Nat → Nat → Prop), (∀ n, p 0 n) → (∀ m n, p m (n + {m}) → p (m + 1) n) → ∀ m n, p m n",
        "(p : Nat → Nat → Prop), (∀ n, p n n) → (∀ m n, p m n → p m (n + 1)) → ∀ m n, p m (m + n)",
        "(p : Nat → Nat → Prop), (∀ n, p n n) → (∀ m n, p m n → p m (n + 1)) → ∀ m n, m ≤ n → p m n",
        "(r : Nat → Nat → Prop), (∀ a b c, r a b → r b c → r a c) → (∀ n, r n (n + 1)) → ∀ m n, r m (m + n + 1)",
        "(p : List Nat → Prop), p [] → (∀ x xs, p xs → p (x :: xs)) → ∀ xs, p xs",
        "(p : List Nat → Prop), (∀ xs, p xs) → ∀ xs ys, p (xs ++ ys)",
        "(p : List Nat → Prop), p [] → (∀ x xs ys, p ys → p (x :: ys) ∧ p (xs ++ ys)) → ∀ xs, p xs",
        f"(p : Nat → Prop), (∀ n, p (n + 1) → p n) → ∀ n, p (n + {c}) → p n",
        "(p : Nat → Prop), (∀ n, p (n + 1) → p n) → ∀ n, p n → p 0",
        "(p : Nat → Prop), ¬ p 0 → (∀ n, p (n + 1) → p n) → ∀ n, ¬ p n",
        "(p : Int → Prop), p 0 → (∀ n, p n → p (n + 1)) → ∀ n : Nat, p n",
    ]
    return "∀ " + rng.choice(templates)


def two_numbers(rng: Random) -> str:
    """f m n by recursion on the first number, sometimes on both."""
    k, c = rng.randint(1, 6), rng.randint(1, 5)
    start = "∀ (f : Nat → Nat → Nat), {} → ∀ {}, {}"
    add = "(∀ n, f 0 n = n) → (∀ m n, f (m + 1) n = f m n + 1)"
    scaled = f"(∀ n, f 0 n = n) → (∀ m n, f (m + 1) n = f m n + {k})"
    shifted = f"(∀ n, f 0 n = {c}) → (∀ m n, f (m + 1) n = f m n + n)"
    multiply = "(∀ n, f 0 n = 0) → (∀ m n, f (m + 1) n = f m n + n)"
    raised = "(∀ n, f 0 n = 1) → (∀ m n, f (m + 1) n = n * f m n)"
    both = "(∀ n, f 0 n = n) → (∀ m, f m 0 = m) → (∀ m n, f (m + 1) (n + 1) = f m n)"
    least = "(∀ n, f 0 n = 0) → (∀ m, f m 0 = 0) → (∀ m n, f (m + 1) (n + 1) = f m n + 1)"
    most = "(∀ n, f 0 n = n) → (∀ m, f m 0 = m) → (∀ m n, f (m + 1) (n + 1) = f m n + 1)"
    pascal = "(∀ n, f n 0 = 1) → (∀ n, f 0 (n + 1) = 0) → (∀ m n, f (m + 1) (n + 1) = f m n + f m (n + 1))"
    hypotheses, variables, goal = rng.choice(
        [
            (add, "m n", equation(rng, "f m n", "m + n")),
            (add, "m n", "f m n = f n m"),
            (add, "m n k", "f (f m n) k = f m (f n k)"),
            (add, "m n", f"f m (n + {c}) = f m n + {c}"),
            (add, "m n", "n ≤ f m n"),
            (scaled, "m n", equation(rng, "f m n", total(rng, [times(rng, k, "m"), "n"]))),
            (scaled, "m n", f"f m (n + {c}) = f m n + {c}"),
            (scaled, "m n", at_most(rng, times(rng, k, "m"), "f m n")),
            (shifted, "m n", equation(rng, "f m n", f"m * n + {c}")),
            (shifted, "m n", f"{c} ≤ f m n"),
            (multiply, "m n", equation(rng, "f m n", "m * n")),
            (multiply, "m n", "f m n = f n m"),
            (multiply, "a m n", "f (a + m) n = f a n + f m n"),
            (multiply, "m n", f"f (m + {c}) n = f m n + {c} * n"),
            (multiply, "m", "f m 0 = 0"),
            (multiply, "m", equation(rng, "f m 1", "m")),
            (multiply, "m", f"f m {c + 1} = {c + 1} * m"),
            (multiply, "m n", "n ∣ f m n"),
            (raised, "m n", equation(rng, "f m n", "n ^ m")),
            (raised, "a m n", "f (a + m) n = f a n * f m n"),
            (raised, "m", "f m 1 = 1"),
            (raised, "m n", "0 < n → 0 < f m n"),
            (raised, "m", f"f m {c + 1} = {c + 1} ^ m"),
            (both, "m n", "f m n = f n m"),
            (both, "n", "f n n = 0"),
            (both, "m n", equation(rng, "f m (m + n)", "n")),
            (both, "m n", f"f (m + {c}) (n + {c}) = f m n"),
            (both, "m n", "f m n ≤ m + n"),
            (both, "n", f"f n (n + {c}) = {c}"),
            (both, "m n", "f m n ≤ max m n"),
            (least, "m n", "f m n = f n m"),
            (least, "n", "f n n = n"),
            (least, "m n", "f m n ≤ m"),
            (least, "m n", "f m n ≤ n"),
            (least, "m n", "f m (m + n) = m"),
            (least, "m n", equation(rng, "f m n", "min m n")),
            (most, "m n", "f m n = f n m"),
            (most, "n", "f n n = n"),
            (most, "m n", "m ≤ f m n"),
            (most, "m n", "f m (m + n) = m + n"),
            (most, "m n", equation(rng, "f m n", "max m n")),
            (pascal, "n", equation(rng, "f n 1", "n")),
            (pascal, "n", "f n n = 1 ∧ f n (n + 1) = 0" if rng.random() < 0.3 else "f (n + 1) 1 = n + 1"),
            (pascal, "n", "2 * f n 2 + n = n * n"),
        ]
    )
    return start.format(hypotheses, variables, goal)


def halving(rng: Random) -> str:
    """f n from a smaller number than the one before: strong induction."""
    d, k, c = rng.randint(2, 5), rng.randint(1, 4), rng.randint(0, 4)
    step, goals = rng.choice(
        [
            (f"if n = 0 then 0 else f (n / {d}) + 1", ["f n ≤ n", f"n < {d} ^ f n", "0 < n → 0 < f n"]),
            (f"if n = 0 then {c} else f (n / {d})", [f"f n = {c}"]),
            (
                f"if n = 0 then 0 else f (n / {d}) + n % {d}",
                ["f n ≤ n", f"f n % {d - 1} = n % {d - 1}" if d > 2 else "f n ≤ n + n"],
            ),
            (f"if n < {d} then n else f (n - {d})", [f"f n < {d}", f"f n = n % {d}", "f n ≤ n"]),
            (
                f"if n < {d} then {c} else f (n - {d}) + {k}",
                [
                    f"{c} ≤ f n",
                    f"f n ≤ {k} * n + {c}",
                    f"f n % {k + 1} = {c % (k + 1)}" if k == 0 else f"{c} ≤ f n + n",
                ],
            ),
            (
                f"if n < {d} then 0 else f (n - {d}) + 1",
                [f"f n = n / {d}", "f n ≤ n", f"{d} * f n ≤ n", f"n < {d} * f n + {d}"],
            ),
            (f"if n = 0 then 0 else f (n - 1) + {k}", [equation(rng, "f n", times(rng, k, "n")), f"{k} * n ≤ f n"]),
            (f"if n = 0 then 1 else {d} * f (n - 1)", [f"f n = {d} ^ n", "0 < f n"]),
            (f"if n ≤ {d} then n else f (n - 1)", [f"f n ≤ {d}", "f n ≤ n"]),
        ]
    )
    return f"∀ (f : Nat → Nat), (∀ n, f n = {step}) → ∀ n, {rng.choice(goals)}"


def smaller_values(rng: Random) -> str:
    """Bounds on f n from bounds on all smaller values, and descents."""
    d, k, c = rng.randint(2, 5), rng.randint(1, 6), rng.randint(1, 6)
    return rng.choice(
        [
            f"∀ (f : Nat → Nat), f 0 = 0 → (∀ n, 0 < n → f n ≤ f (n / {d}) + {k}) → ∀ n, f n ≤ {k} * n",
            "∀ (f : Nat → Nat), f 0 = 0 → (∀ n, 0 < n → ∃ m, m < n ∧ f n ≤ f m + 1) → ∀ n, f n ≤ n",
            f"∀ (f : Nat → Nat), f 0 ≤ {c} → (∀ n, 0 < n → ∃ m, m < n ∧ f n = f m) → ∀ n, f n ≤ {c}",
            f"∀ (f : Nat → Nat), f 0 = {c} → (∀ n, 0 < n → f n = f (n - 1)) → ∀ n, f n = {c}",
            f"∀ (f : Nat → Nat), (∀ n, f n ≤ n) → (∀ n, n ≤ f n + {k} * n) → f 0 = 0",
            "∀ (p : Nat → Prop), (∀ n, ¬ p n → ∃ m, m < n ∧ ¬ p m) → ∀ n, p n",
            f"∀ (p : Nat → Prop), p 0 → (∀ n, 0 < n → p (n / {d}) → p n) → ∀ n, p n",
            "∀ (p : Nat → Prop), p 0 → (∀ n, 0 < n → ∃ m, m < n ∧ (p m → p n)) → ∀ n, p n",
            "∀ (p : Nat → Prop), p 1 → (∀ n, p n → p (2 * n)) → (∀ n, p (n + 1) → p n) → ∀ n, p (2 ^ n)",
            "∀ (f : Nat → Nat), (∀ n, f (n + 1) < f n ∨ f (n + 1) = 0) → ∀ n, f n ≤ f 0",
            "∀ (f : Nat → Nat), (∀ n, f n = 0 ∨ f (n + 1) < f n) → ∀ n, 0 < n → ∃ m, f m = 0 ∨ f m + n ≤ f 0",
            f"∀ (f : Nat → Nat), (∀ m n, f (m + n) ≤ f m + f n) → ∀ n, f ({d} * n) ≤ {d} * f n",
            f"∀ (f : Nat → Nat), (∀ m n, f (m + n) ≤ f m + f n) → f 1 = {k} → ∀ n, f (n + 1) ≤ {k} * (n + 1)",
            "∀ (f : Nat → Nat), (∀ m n, f m + f n ≤ f (m + n)) → ∀ m n, f m ≤ f (m + n)",
            f"∀ (f : Nat → Nat), (∀ m n, f m + f n ≤ f (m + n)) → {k} ≤ f 1 → ∀ n, {k} * n ≤ f n",
        ]
    )


TEMPLATES = (predicate_steps, two_numbers, two_numbers, halving, smaller_values)
