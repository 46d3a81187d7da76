"""Parts of deep theorems: functions that are given by recursion as hypotheses, and what has to be found out about them.

The conclusion about such a function does not pass an induction as it stands: it needs a lemma that is stronger (about every value of an accumulator, say), and
whose numbers have to be computed from the hypotheses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from burnqed.data.families.terms import either, times, total

NUMBERS = "induction n with | zero => ?_ | succ n ih => ?_"
LISTS = "induction xs with | nil => ?_ | cons x xs ih => ?_"


@dataclass(frozen=True)
class Lemma:
    """A universal statement, and the tactics that prove it: step by step, and in short."""

    statement: str
    proof: tuple[str, ...]
    short: tuple[str, ...] = ()
    """Empty where there is no shorter proof."""


@dataclass(frozen=True)
class Part:
    """Some functions, and what is known, and true, of them."""

    functions: dict[str, str]
    """Their names and types."""
    hypotheses: tuple[str, ...]
    lemmas: tuple[Lemma, ...]
    """In the order in which they are needed."""
    term: str
    """What conclusions are about: depends on `n`, or on `xs`."""
    value: str = ""
    """Equal to the term, where there is a closed form without division and subtraction."""
    equation: tuple[str, str] = ("", "")
    """Otherwise: both sides of an equation that holds for the term."""
    values: tuple[int, ...] = ()
    """All values of the term, where they are few."""
    others: tuple[int, ...] = ()
    """Numbers that are none of them, but could be."""
    modulus: int = 0
    variable: str = "n"
    count: Callable[[int], int] | None = None
    """The term's value for a number `n`, where it is known."""

    @property
    def grows_fast(self) -> bool:
        return "^" in self.lemmas[-1].statement

    @property
    def is_linear(self) -> bool:
        """Whether the term is slope · n + start."""
        return self.count is not None and bool(self.value) and not self.grows_fast

    @property
    def start(self) -> int:
        assert self.count
        return self.count(0)

    @property
    def slope(self) -> int:
        assert self.count
        return self.count(1) - self.count(0)


def inductive(statement: str, others: str = "") -> Lemma:
    """A lemma that is proved by induction on its first variable, `n` or `xs`; `others` are its further variables."""
    variable, cases = ("xs", LISTS) if statement.startswith("∀ xs") else ("n", NUMBERS)
    intro = (f"intro {others}",) if others else ()
    proof = (f"intro {variable}", cases, *intro, "grind", *intro, "grind")
    return Lemma(statement, proof, (f"intro {variable}", f"induction {variable} <;> grind"))


def accumulated(f: str, step: str, first: str = "a") -> tuple[str, str]:
    """The hypotheses of a function of a number and an accumulator."""
    return f"∀ a, {f} 0 a = {first}", f"∀ n a, {f} (n + 1) a = {f} n ({step})"


def linear(rng: Random, f: str) -> Part:
    """An accumulator that grows by the same number at each step."""
    c, d, s = rng.choice([0, 0, 0, 1, 2, 5]), rng.randint(1, 9), rng.randint(0, 6)
    first, step = total(rng, ["a", c]), either(rng, f"a + {d}; {d} + a")
    return Part(
        {f: "Nat → Nat → Nat"},
        accumulated(f, step, first),
        (inductive(f"∀ n a, {f} n a = {total(rng, [times(rng, d, 'n'), 'a', c])}", "a"),),
        f"{f} n {s}",
        total(rng, [times(rng, d, "n"), s + c]),
        count=lambda n: d * n + s + c,
    )


def quadratic(rng: Random, f: str) -> Part:
    """An accumulator that grows by more at each step."""
    d, e, s = rng.randint(1, 6), rng.randint(0, 5), rng.randint(0, 5)
    step = total(rng, ["a", times(rng, d, "n"), e])
    square = f"{times(rng, d, 'n')} * n"

    def sides(term: str, start: str | int) -> tuple[str, str]:
        return total(rng, [f"2 * {term}", times(rng, d, "n")]), total(rng, [square, times(rng, 2 * e, "n"), start])

    return Part(
        {f: "Nat → Nat → Nat"},
        accumulated(f, step),
        (inductive(f"∀ n a, {' = '.join(sides(f'{f} n a', '2 * a'))}", "a"),),
        f"{f} n {s}",
        equation=sides(f"{f} n {s}", 2 * s),
        count=lambda n: s + d * n * (n - 1) // 2 + e * n,
    )


def geometric(rng: Random, f: str) -> Part:
    """An accumulator that is multiplied at each step."""
    k, s = rng.randint(2, 6), rng.randint(1, 7)
    step = either(rng, f"{k} * a; a * {k}")
    lemma = either(rng, f"{k} ^ n * a; a * {k} ^ n")
    return Part(
        {f: "Nat → Nat → Nat"},
        accumulated(f, step),
        (inductive(f"∀ n a, {f} n a = {lemma}", "a"),),
        f"{f} n {s}",
        times(rng, s, f"{k} ^ n"),
        count=lambda n: s * k**n,
    )


def affine(rng: Random, f: str) -> Part:
    """An accumulator that is multiplied and added to at each step."""
    k, b, s = rng.randint(2, 5), rng.randint(1, 6), rng.randint(0, 5)
    step = total(rng, [times(rng, k, "a"), b])

    def sides(term: str, start: str) -> tuple[str, str]:
        return total(rng, [times(rng, k - 1, term), b]), f"{k} ^ n * ({start})"

    return Part(
        {f: "Nat → Nat → Nat"},
        accumulated(f, step),
        (inductive(f"∀ n a, {' = '.join(sides(f'{f} n a', total(rng, [times(rng, k - 1, 'a'), b])))}", "a"),),
        f"{f} n {s}",
        equation=sides(f"{f} n {s}", str((k - 1) * s + b)),
        count=lambda n: k**n * s + b * (k**n - 1) // (k - 1),
    )


def registers(rng: Random, f: str) -> Part:
    """Two accumulators, of which one is added to the other."""
    c, s, t = rng.choice([0, 0, 1, 2, 3]), rng.randint(0, 6), rng.randint(1, 6)
    second = f"(b + {c})" if c else "b"
    square = f"{times(rng, c, 'n')} * n" if c else ""

    def sides(term: str, a: str | int, b: str) -> tuple[str, str]:
        twice = [f"2 * {term}", times(rng, c, "n")] if c else [term]
        return total(rng, twice), total(rng, [a, b, square])

    lemma = sides(f"{f} n a b", "2 * a", "2 * b * n") if c else sides(f"{f} n a b", "a", either(rng, "b * n; n * b"))
    known = sides(f"{f} n {s} {t}", 2 * s if c else s, times(rng, 2 * t if c else t, "n"))
    return Part(
        {f: "Nat → Nat → Nat → Nat"},
        (f"∀ a b, {f} 0 a b = a", f"∀ n a b, {f} (n + 1) a b = {f} n (a + b) {second}"),
        (inductive(f"∀ n a b, {' = '.join(lemma)}", "a b"),),
        f"{f} n {s} {t}",
        "" if c else known[1],
        equation=known,
        count=lambda n: s + t * n + c * n * (n - 1) // 2,
    )


def coupled(rng: Random, f: str) -> Part:
    """A sequence that grows by the values of another, whose closed form comes first."""
    g = f"{f}'"
    c, v, u = rng.randint(1, 6), rng.randint(0, 5), rng.randint(0, 5)
    square = f"{times(rng, c, 'n')} * n"
    sides = (total(rng, [f"2 * {f} n", times(rng, c, "n")]), total(rng, [square, times(rng, 2 * v, "n"), 2 * u]))
    return Part(
        {g: "Nat → Nat", f: "Nat → Nat"},
        (f"{g} 0 = {v}", f"∀ n, {g} (n + 1) = {g} n + {c}", f"{f} 0 = {u}", f"∀ n, {f} (n + 1) = {f} n + {g} n"),
        (
            inductive(f"∀ n, {g} n = {total(rng, [times(rng, c, 'n'), v])}"),
            inductive(f"∀ n, {' = '.join(sides)}"),
        ),
        f"{f} n",
        equation=sides,
        count=lambda n: u + v * n + c * n * (n - 1) // 2,
    )


def orbit(rng: Random, f: str) -> Part:
    """A sequence of remainders that returns to itself: which values it takes."""
    while True:
        m, start = rng.randint(4, 14), rng.randint(0, 9)
        k, b = rng.randint(1, m - 1), rng.randint(1, m - 1)
        seen = [start % m]
        while (following := (k * seen[-1] + b) % m) not in seen:
            seen.append(following)
        others = [x for x in range(m) if x not in seen]
        if 2 <= len(seen) <= 4 and len(others) > 1:
            break
    step = total(rng, [times(rng, k, f"{f} n"), b])
    return Part(
        {f: "Nat → Nat"},
        (f"{f} 0 = {seen[0]}", f"∀ n, {f} (n + 1) = ({step}) % {m}"),
        (inductive(f"∀ n, {' ∨ '.join(f'{f} n = {x}' for x in seen)}"),),
        f"{f} n",
        values=tuple(seen),
        others=tuple(others),
        modulus=m,
    )


def fibonacci(rng: Random, f: str) -> Part:
    """A recursion over the two values before, and the same by two accumulators."""
    g = f"{f}'"
    p, q, d = rng.randint(0, 3), rng.randint(1, 4), rng.choice([0, 0, 1, 2])
    after = total(rng, [f"{g} (n + 1)", f"{g} n", d])
    sum_ = total(rng, ["a", "b", d])
    return Part(
        {g: "Nat → Nat", f: "Nat → Nat → Nat → Nat"},
        (
            f"{g} 0 = {p}",
            f"{g} 1 = {q}",
            f"∀ n, {g} (n + 2) = {after}",
            f"∀ a b, {f} 0 a b = a",
            f"∀ n a b, {f} (n + 1) a b = {f} n b ({sum_})",
        ),
        (
            Lemma(
                f"∀ n m, {f} n ({g} m) ({g} (m + 1)) = {g} (n + m)",
                ("intro n", NUMBERS, "intro m", "grind", "intro m", "have h := ih (m + 1)", "grind"),
            ),
        ),
        f"{f} n {p} {q}",
        f"{g} n",
    )


def iterated(rng: Random, f: str) -> Part:
    """A function applied n times, and one that commutes with it."""
    g, k = f"{f}'", f"{f}''"
    times_ = rng.randint(2, 3)

    def applied(inner: str) -> str:
        for _ in range(times_):
            inner = f"{k} {inner}" if " " not in inner else f"{k} ({inner})"
        return inner

    return Part(
        {f: "Nat → Nat → Nat", g: "Nat → Nat", k: "Nat → Nat"},
        (f"∀ x, {f} 0 x = x", f"∀ n x, {f} (n + 1) x = {f} n ({g} x)", f"∀ x, {g} ({k} x) = {k} ({g} x)"),
        (inductive(f"∀ n x, {f} n ({k} x) = {k} ({f} n x)", "x"),),
        f"{f} n ({applied('0')})",
        applied(f"({f} n 0)"),
    )


def product(rng: Random, f: str) -> Part:
    """Multiplication by repeated addition, which is itself given by recursion."""
    g = f"{f}'"
    c, s = rng.choice([0, 0, 1, 2]), rng.randint(1, 6)
    step = either(rng, f"{g} a ({f} n a); {g} a ({f} n a); {g} ({f} n a) a")
    return Part(
        {g: "Nat → Nat → Nat", f: "Nat → Nat → Nat"},
        (*accumulated(g, "a + 1"), f"∀ a, {f} 0 a = {c}", f"∀ n a, {f} (n + 1) a = {step}"),
        (
            inductive(f"∀ n a, {g} n a = {either(rng, 'n + a; a + n')}", "a"),
            inductive(f"∀ n a, {f} n a = {total(rng, [either(rng, 'n * a; a * n'), c])}", "a"),
        ),
        f"{f} n {s}",
        total(rng, [times(rng, s, "n"), c]),
        count=lambda n: s * n + c,
    )


def nested(rng: Random, f: str) -> Part:
    """An accumulator that grows by the values of another accumulator."""
    g = f"{f}'"
    k, s = rng.randint(1, 5), rng.randint(0, 5)
    square = f"{times(rng, k, 'n')} * n"

    def sides(term: str, start: str | int) -> tuple[str, str]:
        return total(rng, [f"2 * {term}", times(rng, k, "n")]), total(rng, [square, start])

    return Part(
        {g: "Nat → Nat → Nat", f: "Nat → Nat → Nat"},
        (*accumulated(g, total(rng, ["a", k])), *accumulated(f, f"{g} n a")),
        (
            inductive(f"∀ n a, {g} n a = {total(rng, [times(rng, k, 'n'), 'a'])}", "a"),
            inductive(f"∀ n a, {' = '.join(sides(f'{f} n a', '2 * a'))}", "a"),
        ),
        f"{f} n {s}",
        equation=sides(f"{f} n {s}", 2 * s),
        count=lambda n: s + k * n * (n - 1) // 2,
    )


def alternating(rng: Random, f: str) -> Part:
    """A sequence with two steps by turns: known at even and odd places together only."""
    a, b, c = rng.randint(1, 6), rng.randint(0, 6), rng.randint(0, 6)
    test = either(rng, "n % 2 = 0; n % 2 = 0; n % 2 = 1")
    first, second = total(rng, [f"{f} n", a]), total(rng, [f"{f} n", b])
    step = f"if {test} then {first} else {second}" if test.endswith("0") else f"if {test} then {second} else {first}"
    even, odd = (total(rng, [times(rng, a + b, "n"), start]) for start in (c, c + a))
    is_odd = rng.random() < 0.5
    return Part(
        {f: "Nat → Nat"},
        (f"{f} 0 = {c}", f"∀ n, {f} (n + 1) = {step}"),
        (inductive(f"∀ n, {f} (2 * n) = {even} ∧ {f} (2 * n + 1) = {odd}"),),
        f"{f} (2 * n + 1)" if is_odd else f"{f} (2 * n)",
        odd if is_odd else even,
        count=lambda n: (a + b) * n + c + (a if is_odd else 0),
    )


def listed(rng: Random, f: str) -> Part:
    """An accumulator over a list."""
    d, s = rng.randint(1, 7), rng.randint(0, 5)
    step, what = rng.choice([(total(rng, ["a", d]), "xs.length"), (total(rng, ["a", times(rng, d, "x")]), "xs.sum")])
    return Part(
        {f: "List Nat → Nat → Nat"},
        (f"∀ a, {f} [] a = a", f"∀ x xs a, {f} (x :: xs) a = {f} xs ({step})"),
        (inductive(f"∀ xs a, {f} xs a = {total(rng, [times(rng, d, what), 'a'])}", "a"),),
        f"{f} xs {s}",
        total(rng, [times(rng, d, what), s]),
        variable="xs",
    )


def reversed_(rng: Random, f: str) -> Part:
    """A list taken apart into an accumulator, twice."""
    inner = rng.choice(["[]", "[0]", "xs"])
    return Part(
        {f: "List Nat → List Nat → List Nat"},
        (f"∀ a, {f} [] a = a", f"∀ x xs a, {f} (x :: xs) a = {f} xs (x :: a)"),
        (inductive(f"∀ xs a, {f} xs a = xs.reverse ++ a", "a"),),
        f"{f} ({f} xs {inner}) []",
        "xs" if inner == "[]" else f"{inner}.reverse ++ xs",
        variable="xs",
    )


def folded(rng: Random, f: str) -> Part:
    """A sum over a list, which does not depend on its order."""
    k, c = rng.randint(1, 5), rng.randint(0, 4)
    weight = total(rng, [rng.choice(["x * x", times(rng, k, "x")]), c])
    inner = rng.choice(["xs.reverse", "(xs ++ xs)"])
    return Part(
        {f: "List Nat → Nat"},
        (f"{f} [] = 0", f"∀ x xs, {f} (x :: xs) = {total(rng, [weight, f'{f} xs'])}"),
        (
            inductive(f"∀ xs ys, {f} (xs ++ ys) = {f} xs + {f} ys", "ys"),
            inductive(f"∀ xs, {f} xs.reverse = {f} xs"),
        )[: 2 if inner == "xs.reverse" else 1],
        f"{f} {inner}",
        f"{f} xs" if inner == "xs.reverse" else f"2 * {f} xs",
        variable="xs",
    )
