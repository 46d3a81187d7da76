"""Which statements of a data set are a benchmark's: compared by what they assume and state, however they are written.

held = Held({"miniF2F": benchmark})
held.leak("theorem x (n : ℕ) (h : n = 0) : 0 + n = 0")     # "miniF2F: its theorem y", or None
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from burnqed.data.sets.states import proposition
from burnqed.data.skeleton import normal_form
from burnqed.lean.printed import goals
from burnqed.lean.protocol import Theorem

_WORD = re.compile(r"[\w«][\w'«»!?₀-₉✝]*")
_PAIRS = {"(": ")", "{": "}", "⦃": "⦄", "[": "]"}
_OPEN, _CLOSE = frozenset("([{⟨⦃"), frozenset(")]}⟩⦄")
_VARIABLE = re.compile(r"v\d+")
"""A bound variable of `normal_form`."""
_BINDS = frozenset({"∀", "∃", "fun", "let", "if", "match", "have", "show", "from", "by", "then", "else", "with"})
_LOOSER = frozenset("↔$;,:⟶⥤≅≌▸")
"""What binds less than an arrow does, or ends a term."""
_TIGHTER = frozenset("=≠<>≤≥+-*/^%∣∧∨¬∈∉⊆⊂∪∩•∘×.'|!↑()[]{}⟨⟩⦃⦄")
"""What binds more."""


@lru_cache(1 << 12)
def form(statement: str) -> str:
    """`normal_form` as what is assumed, one by one, and what follows: `(a b : Nat)` is `(a : Nat) (b : Nat)`, `∀ x, ∀ y` is `∀ x y`, and `A → B` is
    `∀ (h : A), B`. A variable is numbered by its place among the assumptions."""
    words, types, places = normal_form(statement).split(" "), list[str](), dict[str, str]()

    def assume(kind: list[str], name: str = "") -> None:
        places[name] = f"a{len(types)}"
        types.append(" ".join(_bare(kind)))

    while words[:1] == ["∀"] or (arrow := _arrow(words)):
        if words[0] != "∀":
            assume(words[:arrow])
            words = words[arrow + 1 :]
            continue
        words = words[1:]
        while words and words[0] != ",":
            if words[0] in _PAIRS:
                end = _closing(words)
                names, colon, kind = _parted(words[1:end])
                for name in names:
                    assume(kind, name)
                if not colon:
                    assume(words[: end + 1])
                words = words[end + 1 :]
            elif ":" in words and "," in words and words.index(":") < words.index(","):  # a b : T
                names, _, _ = _parted(words)
                end = words.index(",")
                for name in names:
                    assume(words[len(names) + 1 : end], name)
                words = words[end:]
            else:
                assume([], words[0])
                words = words[1:]
        words = words[1:]
    inner = dict[str, str]()

    def placed(word: str) -> str:
        name, dot, rest = word.partition(".")
        if _VARIABLE.fullmatch(name):
            return (places.get(name) or inner.setdefault(name, f"v{len(inner)}")) + dot + rest
        return word

    return " ".join(map(placed, " ; ".join([*types, "⊢ " + " ".join(words)]).split(" ")))


def _arrow(words: Sequence[str]) -> int:
    """Where the arrow is that the statement is an implication by; 0 where it is none, or not certainly."""
    depth, found = 0, 0
    for at, word in enumerate(words):
        depth += (word in _OPEN) - (word in _CLOSE)
        if depth or word in _CLOSE:
            continue
        if word in _BINDS:
            break
        if word in _LOOSER or words[at : at + 2] in (["<", "|"], ["|", ">"]):
            return 0
        if not found and word == "→" and words[at + 1 : at + 2] and words[at + 1][0] not in "+*₀ₗₐₛᵢ":
            found = at
        elif not found and not (word[0].isalnum() or word[0] in "_«" or word in _TIGHTER):
            return 0
    return found


def _bare(words: Sequence[str]) -> list[str]:
    """Without brackets around the whole."""
    while words[:1] == ["("] and _closing(words) == len(words) - 1:
        if words[1] not in ("∀", "∃") and {",", ":", "·"} & set(words):
            break
        words = words[1:-1]
    return list(words)


def _closing(words: Sequence[str]) -> int:
    depth = 0
    for at, word in enumerate(words):
        depth += (word in _PAIRS) - (word in _PAIRS.values())
        if not depth:
            return at
    return len(words) - 1


def _parted(words: Sequence[str]) -> tuple[list[str], bool, list[str]]:
    """Names, whether a colon follows them, and what follows that."""
    colon = words.index(":") if ":" in words else len(words)
    names = list(words[:colon])
    if colon == len(words) or not all(name.replace("_", "v").isalnum() for name in names):
        return [], False, []
    return names, True, list(words[colon + 1 :])


class Held:
    """The statements of benchmarks."""

    def __init__(self, benchmarks: Mapping[str, Sequence[Theorem]]) -> None:
        self._names = {
            form(theorem.statement): f"{benchmark}: {theorem.name}"
            for benchmark, theorems in benchmarks.items()
            for theorem in theorems
        }
        self._shapes = {_shape(form.rpartition("⊢")[2]) for form in self._names}
        """Of their conclusions: what tells most statements apart at once."""

    def __bool__(self) -> bool:
        return bool(self._names)

    def leak(self, statement: str) -> str | None:
        """Which benchmark's theorem a statement is, or None."""
        return self._names.get(form(statement)) if self._names else None

    def leak_of_state(self, state: str) -> str | None:
        """The same of a proof state, which is a statement with its assumptions named; None also where it is not to be read as one."""
        target = next(iter(goals(state)), "").rpartition("⊢")[2]
        if not target.lstrip().startswith("∀") and _shape(target) not in self._shapes:
            return None
        stated = proposition(state)
        return self.leak(stated.statement) if stated else None


def _shape(conclusion: str) -> str:
    """The text without spaces, and with one letter for each word and numeral."""
    return "".join(_WORD.sub("x", conclusion).split())
