"""Whether a proposition holds for given numbers: families use it to write down true statements (nearly always).

`holds("2 * f n = n * (n + 1)", n=3, f=lambda n: 6)` reads the proposition as Lean would: `f n` is application, `∣` is
divisibility, `/` rounds down. What holds for the first few numbers may still be false for a later one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from random import Random
from types import CodeType
from typing import Any

from burnqed.lean.lexer import tokens

_PYTHON = {
    "∧": "and",
    "∨": "or",
    "¬": "not",
    "=": "==",
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
    "^": "**",
    "/": "//",
    "∣": "|_divides|",
}
_FUNCTIONS = frozenset({"f", "g", "max", "min"})
_ATOMLESS = _FUNCTIONS | {"if", "then", "else"}
"""Words that are not arguments of a function."""
FIRST = 12
"""Numbers 0 … FIRST - 1 are tried for each variable of a recurrence."""


class _Divides:
    """`m |_divides| n` in Python binds as loosely as `m ∣ n` in Lean."""

    def __ror__(self, divisor: int) -> _DivisorOf:
        return _DivisorOf(divisor)


class _DivisorOf:
    def __init__(self, divisor: int) -> None:
        self.divisor = divisor

    def __or__(self, number: int) -> bool:
        return number == 0 if self.divisor == 0 else number % self.divisor == 0


def _translate(words: list[str]) -> str:
    """Python text of an expression or proposition; functions are applied to the atoms after them."""
    out: list[str] = []
    while words and words[0] != ")":
        word = words.pop(0)
        if word == "(":
            out.append(_group(words))
        elif word in _FUNCTIONS:
            arguments = []
            while words and (words[0] == "(" or re.match(r"\w", words[0])) and words[0] not in _ATOMLESS:
                atom = words.pop(0)
                arguments.append(_group(words) if atom == "(" else atom)
            out.append(f"{word}({', '.join(arguments)})")
        elif word == "if":  # `if c then a else b`, up to the closing bracket or the end
            condition, consequence = _translate(_until(words, "then")), _translate(_until(words, "else"))
            out.append(f"(({consequence}) if ({condition}) else ({_translate(words)}))")
        else:
            out.append(_PYTHON.get(word, word))
    return " ".join(out)


def _group(words: list[str]) -> str:
    inner = _translate(words)
    words.pop(0)
    return f"({inner})"


def _until(words: list[str], end: str) -> list[str]:
    at = words.index(end)
    taken = words[:at]
    del words[: at + 1]
    return taken


@lru_cache(maxsize=50_000)
def _compiled(text: str) -> CodeType:
    return compile(_translate([token.text for token in tokens(text)]), "<proposition>", "eval")


_ALWAYS: dict[str, Any] = {"__builtins__": {}, "max": max, "min": min, "_divides": _Divides()}


def value(text: str, **values: Any) -> Any:
    """Value of an expression (a number) or proposition (a truth value) without quantifiers, `→` and `↔`."""
    return eval(_compiled(text), _ALWAYS, values)


def holds(proposition: str, **values: Any) -> bool:
    return bool(value(proposition, **values))


@dataclass(frozen=True)
class Recursion:
    """Functions on the natural numbers: their first values, and text for the value at n + (number of first values)."""

    bases: dict[str, list[int]]
    steps: dict[str, str]

    @cached_property
    def functions(self) -> dict[str, Callable[[int], int]]:
        """The functions, for arguments below 4 · FIRST."""
        return self._extended({name: list(base) for name, base in self.bases.items()}, range(4 * FIRST))

    def _extended(self, tables: dict[str, list[int]], numbers: range) -> dict[str, Callable[[int], int]]:
        """Functions that look up the tables, with the values at n + order added for each number n, in order; a step
        may use the new values of the functions listed before its own."""
        functions: dict[str, Callable[[int], int]] = {name: table.__getitem__ for name, table in tables.items()}
        for n, (name, base) in product(numbers, self.bases.items()):
            if len(tables[name]) == n + len(base):
                tables[name].append(int(value(self.steps[name], n=n, **functions)))
        return functions

    def value(self, term: str, n: int) -> Any:
        """Value of a term or proposition in n and the functions."""
        return value(term, n=n, **self.functions)

    def always(self, proposition: str, numbers: range = range(FIRST)) -> bool:
        """Whether `∀ n, proposition` seems true: it holds for every n in `numbers`."""
        return all(self.value(proposition, n) for n in numbers)

    def inductive(self, proposition: str, tries: int = 40) -> bool:
        """Whether the proposition seems to pass from n (n + 1, …) to the next number for values other than the true ones
        as well: then induction proves it without strengthening."""
        rng = Random(proposition)
        order = max(map(len, self.bases.values()))
        for _ in range(tries):
            n = rng.randint(0, 6)
            tables = {name: [0] * n + self._near(rng, name, n, len(base)) for name, base in self.bases.items()}
            functions = self._extended(tables, range(n, n + 3))
            before = all(holds(proposition, n=k, **functions) for k in range(n, n + order))
            if before and not holds(proposition, n=n + order, **functions):
                return False
        return True

    def _near(self, rng: Random, name: str, n: int, count: int) -> list[int]:
        return [
            max(0, self.functions[name](n + i) + rng.randint(-9, 9)) if rng.random() < 0.6 else rng.randint(0, 40)
            for i in range(count)
        ]
