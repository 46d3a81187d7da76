"""Options, pairs, maxima and minima, if-then-else."""

from __future__ import annotations

from random import Random

from burnqed.data.families.facts import holds
from burnqed.data.families.terms import either, equation, times, total

GRID = [(a, b, c) for a in range(6) for b in range(6) for c in range(6)]


def extremes(rng: Random) -> str | None:
    """Equations and bounds with max and min beside products and sums, tried on a grid."""

    def term(depth: int) -> str:
        if depth == 0:
            return rng.choice("abc")
        forms = ("max {} {}", "min {} {}", "{} + {}", "{} * {}", "max {} {}")
        return rng.choice([form.format(atom(depth), atom(depth)) for form in forms])

    def atom(depth: int) -> str:
        inner = term(depth - 1)
        return inner if len(inner) == 1 else f"({inner})"

    for _ in range(40):
        left, right = term(rng.randint(1, 2)), term(2)
        if left == right or not ("max" in left + right or "min" in left + right):
            continue
        used = [name for name in "abc" if name in (left + right).replace("max", "")]
        for text in (f"{left} = {right}", f"{left} ≤ {right}"):
            if len(used) > 1 and all(holds(text, a=a, b=b, c=c) for a, b, c in GRID):
                return f"∀ {' '.join(used)} : Nat, {text}"
    return None


def extremes_scaled(rng: Random) -> str:
    """max and min under multiplication, addition and powers: split by the order of the two."""
    k, c = rng.randint(2, 7), rng.randint(1, 9)
    low, high = rng.choice([("min", "max"), ("max", "min")])
    rng.choice("cc")  # decides nothing, but a seed would give other statements without this draw
    return "∀ a b c : Nat, " + rng.choice(
        [
            equation(rng, f"{high} a b * c", f"{high} (a * c) (b * c)"),
            equation(rng, f"c * {high} a b", f"{high} (c * a) (c * b)"),
            equation(rng, f"{high} (a * a) (b * b)", f"{high} a b * {high} a b"),
            f"{high} a b * c + {c} = {high} (a * c + {c}) (b * c + {c})",
            f"{k} * {high} a b + c = {high} ({k} * a + c) ({k} * b + c)",
            "max a b * c ≤ a * c + b * c",
            "min a b * min a b ≤ a * b",
            f"a * b ≤ max a b * max a b + {c} * c",
            "min a b * c ≤ a * c ∧ min a b * c ≤ b * c",
            "(a + c) * (b + c) ≤ (max a b + c) * (max a b + c)",
            f"{high} a b * {low} a b + c = a * b + c",
            f"{high} a b ^ 2 = {high} (a ^ 2) (b ^ 2) ∨ c = {c}",
            f"a ≤ c → b ≤ c → max a b * {k} ≤ c * {k}",
            "a ≤ c → b ≤ c → max a b * max a b ≤ c * c",
            "c ≤ a → c ≤ b → c * c ≤ min a b * min a b",
            f"c ≤ a → c ≤ b → c * {k} ≤ a * min {k} {k + c}",
        ]
    )


def conditional(rng: Random) -> str | None:
    """An if-then-else in a statement with products."""
    k, c = rng.randint(2, 6), rng.randint(1, 6)
    test = either(rng, f"a ≤ b; a < b; b ≤ a; a % {k} = 0; a = b; a < {c}; b = {c}")
    values = f"a * a; b * b; a * b; a + {c}; {k} * b; a; b; {c}; a + b; a * {k}"
    then, other = either(rng, values), either(rng, values)
    chosen = f"(if {test} then {then} else {other})"
    for _ in range(20):
        terms = ["a * a", "b * b", f"{k} * (a * b)", times(rng, k, "a"), times(rng, c, "b"), str(c)]
        bound = total(rng, rng.sample(terms, 2))
        for text in (f"{chosen} ≤ {bound}", f"{bound} ≤ {chosen} + {c}"):
            if then != other and all(holds(text, a=a, b=b) for a in range(14) for b in range(14)):
                return f"∀ a b : Nat, {text}"
    return None


def conditional_equation(rng: Random) -> str:
    """Equations with if-then-else."""
    k, c, m = rng.randint(2, 6), rng.randint(1, 6), rng.randint(2, 5)
    return rng.choice(
        [
            "∀ a b : Nat, (if a ≤ b then b else a) = max a b",
            "∀ a b c : Nat, (if a ≤ b then a * c else b * c) = min a b * c",
            "∀ a b : Nat, (if a < b then b - a else a - b) + min a b = max a b",
            "∀ a b c : Nat, (if a = b then a * c else b * c) = b * c",
            "∀ n : Nat, (if n % 2 = 0 then n / 2 else n / 2 + 1) * 2 = n + n % 2",
            f"∀ n : Nat, (if n % {m} = 0 then {k} * n else n * {k}) = {k} * n",
            f"∀ n : Nat, (if n = 0 then {c} else {c} * n) ≥ {c}",
            "∀ n : Nat, (if n % 2 = 0 then n * n else n * n + 1) % 2 = 0",
            f"∀ n : Nat, (if n % 2 = 0 then n * {m} else n + {2 * c + 1}) % 2 = 0",
            "∀ n : Nat, (if n % 3 = 0 then n * n else n * n + 2) % 3 = 0",
            f"∀ n : Nat, {m} ∣ (if {m} ∣ n then n * n else {m} * n)",
            f"∀ (f : Nat → Nat), (∀ a, f a = if a < {c} then {c} else a * a) → ∀ a, {c} ≤ f a",
            "∀ (f : Nat → Nat), (∀ a, f a = if a % 2 = 0 then a * a else a * a + 1) → ∀ a, f a % 2 = 0",
            f"∀ (f : Nat → Nat), (∀ a, f a = if a = 0 then {c} else a * {k}) → ∀ a, 0 < f a",
            "∀ a b : Nat, (if a ≤ b then a * a else a * b) ≤ a * b",
            "∀ a b : Nat, (if a ≤ b then a * b else b * b) ≤ max a b * max a b",
        ]
    )


def pairs(rng: Random) -> str:
    """Pairs and their components."""
    k, c = rng.randint(2, 6), rng.randint(1, 9)
    return rng.choice(
        [
            "∀ p : Nat × Nat, ∃ a b, p = (a, b) ∧ a + b = p.1 + p.2",
            "∀ p : Nat × Nat, p.1 ≤ p.2 → ∃ a, p = (p.1, p.1 + a)",
            f"∃ p : Nat × Nat, p.1 + p.2 = {k + c} ∧ p.1 = {k}",
            f"∀ n : Nat, ∃ p : Nat × Nat, n = {k} * p.1 + p.2 ∧ p.2 < {k}",
            "∀ p q : Nat × Nat, p.1 = q.1 → p.2 = q.2 → p = q",
            "∀ p : Nat × Nat, p.1 * p.2 ≤ max p.1 p.2 * max p.1 p.2",
            "∀ (f : Nat × Nat → Nat × Nat), (∀ a b, f (a, b) = (b, a)) → ∀ p, f (f p) = p",
            f"∀ (f : Nat × Nat → Nat), (∀ a b, f (a, b) = {k} * a + b) → ∀ p, p.2 ≤ f p",
            f"∀ (f : Nat × Nat → Nat), (∀ a b, f (a, b) = a * b + {c}) → ∀ p, {c} ≤ f p",
            f"∀ (f : Nat → Nat × Nat), f 0 = (0, {c}) → (∀ n, f (n + 1) = ((f n).1 + 1, (f n).2 + {k})) → ∀ n, (f n).1 = n",
            f"∀ (f : Nat → Nat × Nat), f 0 = (0, {c}) → (∀ n, f (n + 1) = ((f n).1 + 1, (f n).2 + {k})) → ∀ n, (f n).2 = {k} * n + {c}",
            "∀ (f : Nat → Nat × Nat), f 0 = (0, 1) → (∀ n, f (n + 1) = ((f n).2, (f n).1 + (f n).2)) → ∀ n, 0 < (f n).2",
            f"∀ (f : Nat → Nat × Nat), f 0 = ({c}, 0) → (∀ n, f (n + 1) = ((f n).2, (f n).1)) → ∀ n, (f n).1 + (f n).2 = {c}",
            "∀ (f : Nat → Nat × Nat), f 0 = (0, 0) → (∀ n, f (n + 1) = ((f n).1 + 1, (f n).2 + (f n).1)) → ∀ n, (f n).1 = n ∧ 2 * (f n).2 + n = n * n",
        ]
    )


def options(rng: Random) -> str:
    """Options: a value or none."""
    k, c = rng.randint(2, 6), rng.randint(1, 9)
    return rng.choice(
        [
            "∀ o : Option Nat, o = none ∨ ∃ a, o = some a",
            "∀ o : Option Nat, o ≠ none → ∃ a, o = some a",
            f"∀ o : Option Nat, (o.map (fun a => a + {c})).isSome = o.isSome",
            f"∀ o : Option Nat, o.map (fun a => {k} * a) = none → o = none",
            f"∀ o : Option Nat, o.getD {c} = {c} ∨ ∃ a, o = some a",
            f"∀ (o : Option Nat) (a : Nat), o = some a → (o.map (fun x => x + {c})) = some (a + {c})",
            f"∀ (f : Option Nat → Nat), f none = 0 → (∀ a, f (some a) = a + {c}) → ∀ o, f o = 0 → o = none",
            f"∀ (f : Option Nat → Nat), f none = {c} → (∀ a, f (some a) = a + {c}) → ∀ o, {c} ≤ f o",
            f"∀ (f : Option Nat → Nat), f none = 0 → (∀ a, f (some a) = {k} * a) → ∀ o, {k} ∣ f o",
            f"∀ (f : Option Nat → Nat), f none = 0 → (∀ a, f (some a) = {k} * a * a) → ∀ o, f o % {k} = 0",
            f"∀ (f : Option Nat → Option Nat), f none = none → (∀ a, f (some a) = some (a + {c})) → ∀ o, f (f o) = o.map (fun a => a + {2 * c})",
            f"∀ (f : Nat → Option Nat), f 0 = some {c} → (∀ n, f (n + 1) = (f n).map (fun a => a + {k})) → ∀ n, f n = some ({k} * n + {c})",
            f"∀ (f : Nat → Option Nat), f 0 = none → (∀ n, f (n + 1) = (f n).map (fun a => a + {k})) → ∀ n, f n = none",
            f"∀ (f : Nat → Option Nat), f 0 = some {c} → (∀ n, f (n + 1) = (f n).map (fun a => {k} * a)) → ∀ n, ∃ a, f n = some a",
            "∀ (f : List Nat → Option Nat), f [] = none → (∀ x xs, f (x :: xs) = some x) → ∀ xs, f xs = none → xs = []",
            f"∀ (f : List Nat → Option Nat), f [] = none → (∀ x xs, f (x :: xs) = some (x + {c})) → ∀ xs, xs ≠ [] → ∃ a, f xs = some a",
        ]
    )


TEMPLATES = (extremes, extremes, extremes_scaled, conditional, conditional_equation, pairs, options)
