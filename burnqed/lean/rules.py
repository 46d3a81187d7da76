"""What no tactic or proof may say, judged on its text: whatever would make Lean run the author's code while it elaborates.

    refusal("simp (maxSteps := unsafeIO …)")        # why not, as what comes after `Not allowed:`; None for an honest text

The rules are data (`rules.json`), which the embedded backend reads as well and applies to Lean's own syntax trees (`embedded/rules.cjs`). So does the
checker of the Pantograph backend, before it elaborates a proof. This is for tactics on their way to a Lean that has no such hold: it reads
words, not syntax, and so refuses a little more (a named argument that is called like an option of a tactic), and what only a tree shows it
cannot see. No verdict rests on it; what does, and what stands behind: docs/trust.md.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from burnqed.lean.lexer import BRACKETS, Kind, Token, tokens

FILE = Path(__file__).with_name("rules.json")
RULES: dict[str, Any] = json.loads(FILE.read_bytes())

_WORDS: dict[str, str] = RULES["words"]
_COMPILER, _UNSAFE = RULES["compiler"], RULES["unsafe"]
_ATTRIBUTES, _OPTIONS, _CONFIGURATIONS = RULES["attributes"], RULES["options"], RULES["configurations"]
_NUMBER_OR_BOOL = re.compile(r"\d\w*|true|false")
_TERM = re.compile(r"\{([^}]*)\}")
_SCOPES = {"local", "scoped"}
"""In front of an attribute."""


def refusal(text: str) -> str | None:
    """Why a tactic, a block of them, or a proof must not be elaborated; None when nothing speaks against it."""
    found = list(tokens(text))
    words = [token for token in found if token.kind not in (Kind.COMMENT, Kind.STRING)]
    terms = (term for token in found if token.kind is Kind.STRING for term in _terms(token.text))
    whys = (_refusal_at(words, at) for at in range(len(words)))
    return next((why for why in itertools.chain(whys, map(refusal, terms)) if why), None)


def _refusal_at(words: Sequence[Token], at: int) -> str | None:
    token = words[at]
    if token.text == "@" and _text(words, at + 1) == "[":
        return _attribute_refusal(words, at + 2)
    if token.text == "(" and _text(words, at + 2) == ":" and _text(words, at + 3) == "=":
        return _configuration_refusal(_plain(_text(words, at + 1)), _bracketed(words, at)[3:])
    if token.kind is not Kind.WORD:
        return None
    name = _plain(token.text)
    last = name.rpartition(".")[2]
    followed = name + _text(words, at + 1) if _text(words, at + 1) in ("%", "?") else name
    for word in (followed, name, last):
        if word in _WORDS:
            return _WORDS[word]
    if last in _COMPILER["names"]:
        return str(_COMPILER["why"]).replace("{name}", name)
    if re.match(_UNSAFE["prefix"] + "[A-Z]", last):
        return str(_UNSAFE["why"])
    if last == "native" and (_text(words, at - 1) == "+" or _text(words, at + 1) == ":"):
        return str(_CONFIGURATIONS["native"])
    if name == "set_option" and not _is_option(option := _plain(_text(words, at + 1))):
        return str(_OPTIONS["why"]).replace("{name}", option)
    return None


def _terms(text: str) -> list[str]:
    """The terms in an interpolated text such as `s!"{term}"`."""
    return [] if text.startswith(('"', "r")) else _TERM.findall(text)


def _attribute_refusal(words: Sequence[Token], at: int) -> str | None:
    depth, is_first = 0, True
    for token in words[at:]:
        if depth == 0 and token.text == "]":
            return None
        if is_first and token.text not in _SCOPES:
            if token.text not in _ATTRIBUTES["allowed"]:
                return str(_ATTRIBUTES["why"]).replace("{name}", token.text)
            is_first = False
        depth += (token.text in BRACKETS) - (token.text in BRACKETS.values())
        is_first = is_first or (depth == 0 and token.text == ",")
    return None


def _is_option(name: str) -> bool:
    return not name or name in _OPTIONS["allowed"] or name.partition(".")[0] in _OPTIONS["families"]


def _configuration_refusal(option: str, value: Sequence[str]) -> str | None:
    """Of `(option := value)`, which may also be an argument of a function."""
    is_written_out = _is_structure(value) if option == _CONFIGURATIONS["whole"] else _is_value(option, value)
    is_configuration = option == _CONFIGURATIONS["whole"] or option in _CONFIGURATIONS["fields"]
    if is_configuration and option == "native":
        return str(_CONFIGURATIONS["native"])
    return str(_CONFIGURATIONS["why"]) if is_configuration and not is_written_out else None


def _is_value(option: str, value: Sequence[str]) -> bool:
    """Whether a value is a number, `true`, `false`, or one of Lean's own words for the option."""
    if option not in _CONFIGURATIONS["words"]:
        return bool(_NUMBER_OR_BOOL.fullmatch("".join(value)))  # `1_000` and `0x3` are a number and a word
    match list(value):
        case [".", word]:
            return word in _CONFIGURATIONS["words"][option]
        case [".", word, "[", *numbers, "]"]:
            is_list = word in _CONFIGURATIONS["lists"].get(option, [])
            return is_list and bool(re.fullmatch(r"(\d+(,\d+)*)?", "".join(numbers)))
    return False


def _is_structure(value: Sequence[str]) -> bool:
    """Whether a value is `{ option := value, … }` and nothing else."""
    if len(value) < 2 or (value[0], value[-1]) != ("{", "}"):
        return False
    fields, depth = list[list[str]]([[]]), 0
    for word in value[1:-1]:
        depth += (word in BRACKETS) - (word in BRACKETS.values())
        if word == "," and depth == 0:
            fields.append([])
        else:
            fields[-1].append(word)
    return all(not field or (field[1:3] == [":", "="] and _is_value(_plain(field[0]), field[3:])) for field in fields)


def _bracketed(words: Sequence[Token], at: int) -> list[str]:
    """What stands between the bracket at a place and the one that closes it."""
    inside, depth = list[str](), 0
    for token in words[at:]:
        depth += (token.text in BRACKETS) - (token.text in BRACKETS.values())
        if depth == 0:
            return inside[1:]
        inside.append(token.text)
    return inside[1:]


def _plain(name: str) -> str:
    return name.replace("«", "").replace("»", "")


def _text(words: Sequence[Token], at: int) -> str:
    return words[at].text if 0 <= at < len(words) else ""
