"""When two statements count as the same: up to renaming and spacing, or up to all names and numerals.

`normal_form` keeps training theorems and the benchmark apart; `skeleton` limits how often one shape is repeated.
Both work on the text of a statement alone, so that they also serve statements that Lean has not seen yet. `normal_form` takes a full theorem
for the closed proposition that it states.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate, groupby

from burnqed.lean.lexer import Kind, tokens

_BINDERS = frozenset({"∀", "∃", "fun", "λ"})
_THEOREMS = frozenset({"theorem", "lemma", "example"})
_OPEN = frozenset("([{⟨⦃")
_CLOSE = frozenset(")]}⟩⦄")
_CONNECTIVES = frozenset({*"→,∧∨↔∀∃", "if", "then", "else"})
_KEYWORDS = frozenset({"fun", "λ", "if", "then", "else", "let", "match", "with", "show", "from", "have", "by"})
_SYNONYMS = {"ℕ": "Nat", "ℤ": "Int", "λ": "fun"}


def _words(statement: str) -> list[str]:
    """Names, numerals and symbols, in order."""
    return [token.text for token in tokens(statement) if token.kind is not Kind.COMMENT]


def _closed(words: list[str]) -> list[str]:
    """`theorem foo (a : Nat) : a = a := by …` as `∀ (a : Nat), a = a`; anything else as it is."""
    at = next((at for at, word in enumerate(words) if word in _THEOREMS or word in _BINDERS), len(words))
    if at == len(words) or words[at] in _BINDERS:
        return words
    start = at + 1 + (words[at] != "example")
    if words[start : start + 2] == [".", "{"] and "}" in words[start:]:  # universes
        start = words.index("}", start) + 1
    depth, bound, colon, end = 0, 0, None, len(words)
    for index in range(start, len(words)):
        word = words[index]
        depth += (word in _OPEN) - (word in _CLOSE)
        if depth:
            continue
        bound += word in ("let", "have")
        if word == ":" and words[index + 1 : index + 2] == ["="]:
            if not bound:
                end = index
                break
            bound -= 1
        elif word == ":" and colon is None:
            colon = index
    if colon is None:
        return words
    parameters, proposition = words[start:colon], words[colon + 1 : end]
    return ["∀", *parameters, ",", *proposition] if parameters else proposition


def _is_word(token: str) -> bool:
    return token[0].isalpha() or token[0] in "_«"


def _is_name(token: str) -> bool:
    return _is_word(token) and token not in _KEYWORDS


def _names(words: list[str], start: int) -> list[str]:
    """The run of names that begins at `start`."""
    end = start
    while end < len(words) and _is_name(words[end]):
        end += 1
    return words[start:end]


@dataclass
class _Scope:
    """What is bound between two brackets: a binder of Lean reaches to the bracket that closes around it."""

    renamed: dict[str, str] = field(default_factory=dict)
    in_binder: bool = False
    """Between `∀` and its comma (`fun` and its arrow), where `(a b : T)` binds for the rest of this scope."""


def skeleton(statement: str) -> str:
    """The statement with every word blanked to `x` and every numeral to `0`, without spaces."""
    return "".join(_blanked(_words(statement)))


def _blanked(words: list[str]) -> list[str]:
    return ["0" if word.isdecimal() else "x" if _is_word(word) else word for word in words]


def unordered(statement: str) -> str:
    """The skeletons of the binders, the hypotheses and the conclusion of a closed proposition, each without the order of its words, in any order: statements that differ by the sides
    of an equation, the order of summands or that of hypotheses have the same, and so have those that write an inequality as `l ≤ r`, `r ≥ l`, `l < r + 1` or `¬ r < l`."""
    parts, depth = [list[str]()], 0
    for word in _blanked(_with_at_most(_words(statement))):
        depth += (word in _OPEN) - (word in _CLOSE)
        if word in ("→", ",") and not depth:
            parts.append([])
        else:
            parts[-1].append(word)
    return "→".join(sorted("".join(sorted(part)) for part in parts))


def _with_at_most(words: list[str]) -> list[str]:
    """With `≤` for `≥`, `¬ … < …` and `… < … + 1`. The sides stay where they are, so this is for those who forget the order."""
    out: list[str] = []
    for _, run in groupby(words, _CONNECTIVES.__contains__):
        relation = ["≤" if word == "≥" else word for word in run]
        if "<" in relation:
            at = relation.index("<")
            depths = accumulate((word in _OPEN) - (word in _CLOSE) for word in relation[at:])
            end = next((at + after for after, depth in enumerate(depths) if depth < 0), len(relation))
            if "¬" in relation[:at]:
                relation[at] = "≤"
                relation.remove("¬")
            elif relation[end - 2 : end] == ["+", "1"]:
                relation[at] = "≤"
                del relation[end - 2 : end]
        out += relation
    return out


PER_SKELETON = 5
"""Generated statements that may share a skeleton, those that are known before included."""


class Distinct:
    """Statements that differ by more than names, and of which only some share a skeleton."""

    def __init__(self, known: Iterable[str] = (), per_skeleton: int = PER_SKELETON) -> None:
        known = list(known)
        self._per_skeleton = per_skeleton
        self._forms = {normal_form(statement) for statement in known}
        self._shapes = Counter(skeleton(statement) for statement in known)

    def add(self, statement: str) -> str | None:
        """12 hexadecimal digits that follow from its normal form; None, and nothing is added, where one like it is there, or enough of its skeleton."""
        shape = skeleton(statement)
        if self._shapes[shape] >= self._per_skeleton or (form := normal_form(statement)) in self._forms:
            return None
        self._forms.add(form)
        self._shapes[shape] += 1
        return hashlib.sha256(form.encode()).hexdigest()[:12]


def normal_form(statement: str) -> str:
    """The statement with bound variables numbered in order of their binders, and one space between words.

    Two statements that differ only in the names of bound variables, in spacing, in `ℕ` for `Nat`, or in being a theorem with parameters have the
    same normal form.
    """
    words = _closed(_words(statement))
    scopes = [_Scope()]
    out: list[str] = []
    bound = 0  # variables so far
    i = 0

    def declare(names: list[str]) -> int:
        nonlocal bound
        for name in names:
            scopes[-1].renamed[name] = f"v{bound}"
            out.append(f"v{bound}")
            bound += 1
        return len(names)

    def renamed(name: str) -> str:
        head, dot, rest = name.partition(".")
        for scope in reversed(scopes):
            if head in scope.renamed:
                return scope.renamed[head] + dot + rest
        return _SYNONYMS.get(name, name)

    while i < len(words):
        token = words[i]
        i += 1
        if token in _BINDERS:
            out.append(_SYNONYMS.get(token, token))
            scopes[-1].in_binder = True
            i += declare(_names(words, i))
        elif token in _OPEN:
            out.append(token)
            names = _names(words, i) if scopes[-1].in_binder else []
            if names and words[i + len(names) : i + len(names) + 1] == [":"]:
                i += declare(names)
            scopes.append(_Scope())
        elif token in _CLOSE:
            out.append(token)
            if len(scopes) > 1:
                scopes.pop()
        elif _is_name(token):
            out.append(renamed(token))
        else:
            out.append(token)
            if token in {",", "="}:
                scopes[-1].in_binder = False
    return " ".join(out)
