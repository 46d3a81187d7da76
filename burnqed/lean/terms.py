"""Reads terms as Lean prints them, without a Lean at hand: which operator stands above which.

    term("a * (b + 1) = c", {"a", "b", "c"})    # = above * above + …

It is for comparing statements with proof states, and never fails: what it does not know is an atom, and a header's own notation reads as application.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

_NAME = r"(?:«[^»]*»|[^\W\dλΠΣ][\w'!?✝]*)"
_TOKEN = re.compile(
    rf"{_NAME}(?:\.(?:{_NAME}|\d+))*"  # a name with its dots
    rf"|\.(?:{_NAME}|\d+)"  # a field of what stands before it
    r'|\d+(?:\.\d+)?|"(?:\\.|[^"\\])*"'
    r"|\|\|\||&&&|\^\^\^|<<<|>>>|\.\.\.|<:\+|<\+:|<\||\|>|<\+|>>=|:=|::|\+\+|\|\||&&|==|!=|=>|//|#\[|\]\?|\]!|⁻¹"
    r"|\S"
)
_BOUND = re.compile(rf"((?:{_NAME} +)+):|(?:fun|λ|∀|∃!?)\s+((?:{_NAME}\s+)*{_NAME})\s*(?:=>|[,∈<≤])")
_SYNONYMS = {"ℕ": "Nat", "ℤ": "Int", "λ": "fun", "bif": "if"}
_PRECEDENCE = {
    operator: precedence
    for precedence, operators in {
        10: "<| |>", 20: "↔", 25: "→", 30: "∨ ||", 35: "∧ && ×", 50: "= ≠ < > ≤ ≥ ∈ ∉ ∣ ⊆ ⊂ ~ ≈ == != <+ <+: <:+", 55: "||| >>=", 58: "^^^",
        60: "&&& ...", 65: "+ - ++ ∪", 67: "::", 70: "* / % ∩ \\", 73: "•", 75: "^ <<< >>>", 90: "∘",
    }.items()
    for operator in operators.split()
}  # fmt: skip
_TO_THE_RIGHT = frozenset(["→", "∧", "∨", "×", "::", "^", "∘", "<|"])
_PREFIX = {"¬": 40, "-": 75, "!": 90, "↑": 90, "⇑": 90}
_BINDERS = frozenset({"∀", "∃", "∃!", "fun"})
_CLOSING = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⦃": "⦄", "#[": "]"}
_CLOSED = frozenset([*_CLOSING.values(), "]?", "]!"])
_ENDS = _CLOSED | {"", ",", ":", ":=", "=>", "then", "else", "with", "|", ";"}
_FLIPPED = {"≥": "≤", ">": "<"}
_LITERALS = frozenset("012")
"""Numerals that statements are about; any other is as good as a variable."""
_UNIVERSES = frozenset({"Type", "Sort"})
"""What they are applied to is no term."""
_DEEPEST = 60
"""Terms within terms that are read."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term: an operator or function, and what it is applied to."""

    head: str
    """Without its namespace; empty for what could not be read."""
    children: tuple[Term, ...] = ()
    is_variable: bool = False
    """Whether the head is a variable, or a numeral that stands for any."""

    @property
    def symbol(self) -> str:
        """The head, unless that is a variable."""
        return "" if self.is_variable else self.head


def bound_names(text: str) -> set[str]:
    """The names that a printed text binds: its variables and hypotheses."""
    return {name for typed, untyped in _BOUND.findall(text) for name in (typed or untyped).split()}


def term(text: str, variables: Collection[str]) -> Term:
    """The term that a text is, in which `variables` may occur."""
    return _Reader(text, variables).term(0)


def subterms(whole: Term) -> Iterator[Term]:
    """All of them, the term itself first."""
    left = [whole]
    while left:
        yield (at := left.pop())
        left.extend(at.children)


def premises(statement: Term) -> tuple[list[Term], Term]:
    """What stands before the arrows of a statement, with the types of its variables, and its conclusion."""
    found: list[Term] = []
    while statement.head in ("∀", "→") and statement.children:
        *before, statement = statement.children
        found += before
    return found, statement


def is_infix(symbol: str) -> bool:
    return symbol in _PRECEDENCE


class _Reader:
    """Reads tokens by the precedence of operators. Where the text ends, the token is empty."""

    def __init__(self, text: str, variables: Collection[str]) -> None:
        matches = list(_TOKEN.finditer(text))
        self.tokens = [*(_SYNONYMS.get(m[0], m[0]) for m in matches), ""]
        self.follows = [False, *(a.end() == b.start() for a, b in pairwise(matches)), False]
        """Whether there is no space before a token."""
        self.variables = variables
        self.at = self.depth = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at]

    def take(self) -> str:
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def term(self, lowest: int) -> Term:
        """A term of operators that bind at least as strongly as `lowest`."""
        if self.depth == _DEEPEST:
            self.take()
            return Term("")
        self.depth += 1
        left = self.operand()
        while (precedence := _PRECEDENCE.get(self.next, -1)) >= lowest:
            operator = self.take()
            right = self.term(precedence + (operator not in _TO_THE_RIGHT))
            if operator in _FLIPPED:
                operator, left, right = _FLIPPED[operator], right, left
            left = Term(operator, (left, right))
        self.depth -= 1
        return left

    def operand(self) -> Term:
        """A function with its arguments, or what begins with a word or sign of its own."""
        if self.next in _PREFIX:
            sign = self.take()
            return Term(sign, (self.term(_PREFIX[sign]),))
        if self.next in _BINDERS:
            return self.binder(self.take())
        if self.next == "if":
            return self.conditional()
        if self.next in _ENDS or self.next in _PRECEDENCE:
            return Term("")
        function, arguments = self.atom(), list[Term]()
        while self.next not in _ENDS and self.next not in _PRECEDENCE:
            if self.next in _BINDERS:
                arguments.append(self.operand())
            elif self.next == "↑":
                arguments.append(Term(self.take(), (self.atom(),)))
            else:
                arguments.append(self.atom())
        if function.symbol in _UNIVERSES:
            return Term(function.head)
        return Term(function.head, (*function.children, *arguments), function.is_variable) if arguments else function

    def conditional(self) -> Term:
        parts = list[Term]()
        while self.next in ("if", "then", "else", ":"):
            self.take()
            parts.append(self.term(0))
        return Term("if", tuple(parts))

    def binder(self, kind: str) -> Term:
        """`(a b : T) [C] x, body`: the types, then the body."""
        types = list[Term]()
        while self.next not in ("", ",", "=>") and self.next not in _CLOSED:
            opening = self.take()
            if opening in _CLOSING:
                types.append(self.declared())
                while self.take() not in (_CLOSING[opening], ""):
                    pass
            elif opening == ":" or opening in _PRECEDENCE:  # `∃ x : T, …`, `∃ x < n, …`
                types.append(self.term(0))
        self.take()
        return Term(kind, (*types, self.term(0)))

    def declared(self) -> Term:
        """The type in `a b : T`, or in the brackets of an instance without a name."""
        names = self.at
        while self.next in self.variables:
            self.take()
        if self.next == ":":
            self.take()
        else:
            self.at = names
        return self.term(0)

    def atom(self) -> Term:
        """A name, a numeral or something in brackets, with the fields and indices that follow it."""
        token = self.take()
        if token in _CLOSING:
            found = self.bracketed(token)
        elif token[:1].isdigit():
            found = Term(token, is_variable=token not in _LITERALS)
        else:
            found = self.named(token)
        while self.follows[self.at]:
            if self.next[0] == "." and self.next != "...":
                found = _field(self.take()[1:], found)
            elif self.next == "⁻¹":
                found = Term(self.take(), (found,))
            elif self.next == "[":
                self.take()
                found = Term("[]", (found, *self.listed()))
            else:
                break
        return found

    def bracketed(self, opening: str) -> Term:
        parts = self.listed()
        return parts[0] if opening == "(" and len(parts) == 1 else Term(opening, tuple(parts))

    def listed(self) -> list[Term]:
        """Terms up to a closing bracket, whatever stands between them."""
        parts = list[Term]()
        while self.next and self.next not in _CLOSED:
            before = self.at
            parts.append(self.term(0))
            if self.next not in _CLOSED and (self.at == before or self.next in _ENDS):
                self.take()
        self.take()
        return parts

    def named(self, token: str) -> Term:
        if token in self.variables:
            return Term(token, is_variable=True)
        first, *fields = token.split(".")
        if first not in self.variables:
            return Term(fields[-1] if fields else first)
        found = Term(first, is_variable=True)
        for field in fields:
            found = _field(field, found)
        return found


def _field(name: str, of: Term) -> Term:
    return Term("+", (of, Term("1"))) if name == "succ" else Term(name, (of,))
