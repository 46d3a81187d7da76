"""Characters that make a text read otherwise than Lean reads it.

    hidden(text)          # what in it is invisible, or moves what is visible, as a sentence; None for an honest text
    confused(texts)       # two of its names that look alike
    twins(text)           # the ASCII that its letters can be taken for, for whoever knows the library's names

Hidden characters are refused in every header, statement and proof. A comment may hold more than code: joiners of emoji, scripts that
run from right to left when nothing follows them on their line, letters that only later versions of Unicode know.

**Look-alikes** only matter where nobody vouches for header and statement. The table is Unicode's (UTS #39, `confusable-homoglyphs`):
`skeleton` draws every letter as the one that stands for all that look like it. A name is refused when it has the skeleton of another
name of the same header and statement and differs from it in more than ASCII characters (`l1` and `lI` are everybody's own affair); names are
compared component by component, texts in quotes as a whole. Letters that mathematics uses besides the Latin ones count as themselves
(the small Greek letters but omicron, and script, double-struck and Fraktur letters), unless they are in a name with two
ASCII letters or more, as in `ρrime`. So `∀ (ν v : Nat) (N : ℕ) (hα : 0 < α) (ha : 0 < a)` passes, and `∀ а a : Nat` with one Cyrillic letter
does not. Names of the library are compared in `names.cjs`, which knows them, by the letters that `twins` gives.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from functools import cache, lru_cache

import regex

from burnqed.lean.lexer import Kind, normalised, tokens
from burnqed.unshown import UNSHOWN

# ---- hidden characters

_SUSPICIOUS = regex.compile(rf"(?![\n\t ])(?:{UNSHOWN.pattern}|[\p{{Zs}}\p{{bc=R}}\p{{bc=AL}}\p{{bc=AN}}\u2800])")


class _Place(Enum):
    """Where characters of a kind may stand."""

    NOWHERE = auto()
    COMMENT = auto()
    LAST_ON_LINE = auto()
    """In a comment that nothing follows on its line."""


_KINDS = [
    (r"[\r\v\f\x85\p{Zl}\p{Zp}]", "looks like the end of a line but is not one to Lean; end lines with LF", _Place.NOWHERE),
    (r"\p{Cs}", "is half of a character; write the whole one", _Place.NOWHERE),
    (r"\p{Cc}", "is not shown, or steers the terminal; remove it", _Place.NOWHERE),
    (r"\p{Bidi_Control}", "changes the order in which text is shown; remove it", _Place.NOWHERE),
    (r"\p{Default_Ignorable_Code_Point}", "is not shown; remove it", _Place.COMMENT),
    (r"[\p{Co}\p{Cn}]", "has no shape that all agree on; remove it", _Place.COMMENT),
    (r"[\p{Zs}\u2800]", "looks like a space but is not one to Lean; write an ordinary one", _Place.COMMENT),
    (r".", "runs from right to left and reorders what stands beside it; keep it to comments that end their line", _Place.LAST_ON_LINE),
]  # fmt: skip
"""Kinds of hidden characters, the narrower first: what they do and the way out, and where they may stand."""


def _of_kinds(*places: _Place) -> regex.Pattern[str]:
    """Characters whose kind, the first that fits, may stand in no more than one of these places."""
    are_kinds = (f"(?:{kind})" if place in places else f"(?:{kind})(*SKIP)(*FAIL)" for kind, _, place in _KINDS)
    return regex.compile(f"(?={_SUSPICIOUS.pattern})(?:{'|'.join(are_kinds)})")


_NEVER = _of_kinds(_Place.NOWHERE)
"""Not even in a comment."""
_BEFORE_CODE = _of_kinds(_Place.NOWHERE, _Place.LAST_ON_LINE)
"""Not in a comment that something follows on its line."""
_NOTHING_ELSE = re.compile(r"[^\S\n]*(?:\n|\Z)")
_NAMES = {"\0": "NULL", "\x1b": "ESCAPE", "\r": "CARRIAGE RETURN", "\v": "LINE TABULATION", "\f": "FORM FEED", "\x85": "NEXT LINE"}  # fmt: skip
"""Of control characters, to which Unicode gives none."""


def called(character: str) -> str:
    """`U+200B ZERO WIDTH SPACE`."""
    name = _NAMES.get(character) or unicodedata.name(character, "")
    return f"U+{ord(character):04X} {name}".rstrip()


def hidden(text: str) -> str | None:
    """The first hidden character of a text, as what comes after `It contains`: which, where, what it does, the way out."""
    text = normalised(text)
    match = next(_misplaced(text), None) if _SUSPICIOUS.search(text) else None
    if match is None:
        return None
    character, at = match[0], match.start()
    what, place = next((what, place) for kind, what, place in _KINDS if regex.match(kind, character))
    is_written_out = place is not _Place.NOWHERE and ord(character) <= 0xFFFF
    in_text = f", or write \\u{ord(character):04x} in a text" if is_written_out else ""
    return f"{called(character)} in line {text.count(chr(10), 0, at) + 1}, which {what}{in_text}"


def _misplaced(text: str) -> Iterator[regex.Match[str]]:
    """Suspicious characters where they may not stand: the first of each stretch of code, of each comment but its last line, and of that.
    Every part of the text is searched once, however many such characters it has."""
    code = 0  # where the code after the last comment begins
    for comment in (token for token in tokens(text) if token.kind is Kind.COMMENT):
        last_line = text.rfind("\n", comment.start, comment.end) + 1 or comment.start
        is_last = _NOTHING_ELSE.match(text, comment.end) is not None
        matches = [
            _SUSPICIOUS.search(text, code, comment.start),
            _NEVER.search(text, comment.start, last_line),
            (_NEVER if is_last else _BEFORE_CODE).search(text, last_line, comment.end),
        ]
        yield from filter(None, matches)
        code = comment.end
    yield from filter(None, [_SUSPICIOUS.search(text, code)])


# ---- letters that look alike

_MATHEMATICS = frozenset("αβγδεζηθικλμνξπρςστυφχψωϑϕϖϰϱϵ")
_STYLES = re.compile(r"(MATHEMATICAL )?(BOLD )?(DOUBLE-STRUCK|SCRIPT|FRAKTUR|BLACK-LETTER) (?!SMALL O$)")
_CLOSE = {"ĸ": "k", "ꭓ": "x", "ꞷ": "w", "n̩": "n"}
"""Skeletons that the table holds apart from the ASCII letter they resemble: of κ, χ, ω and η."""
_ALIKE = {"l": ["I", "l", "1"], "O": ["O", "0"], "rn": ["m"]}
"""Skeletons of ASCII characters other than themselves."""
_SMALL_CAPITAL = "LATIN LETTER SMALL CAPITAL "


@cache
def _table() -> dict[str, str]:
    """Unicode's confusable characters, each with the character, or several, that stands for all that look like it."""
    from confusable_homoglyphs.confusables import confusables_data  # takes a tenth of a second

    # The package lists, for a character that stands for others, all of them, and for any other the one that stands for it. Of a
    # pair either could be meant.
    alike = {character: [other["c"] for other in others] for character, others in confusables_data.items()}
    pairs = ((character, others[0]) for character, others in alike.items() if len(others) == 1)
    return {character: other for character, other in pairs if len(alike[other]) > 1 or other < character}


@cache
def _drawn(letter: str) -> str:
    """What one character looks like."""
    style = unicodedata.decomposition(letter).partition(">")[0]
    plain = unicodedata.normalize("NFKC", letter) if style in ("<font", "<wide", "<narrow") else letter
    drawn = _table().get(letter) or "".join(_table().get(part, part) for part in plain)
    name = unicodedata.name(drawn, "") if len(drawn) == 1 else ""
    return name.removeprefix(_SMALL_CAPITAL) if name.startswith(_SMALL_CAPITAL) else _CLOSE.get(drawn, drawn)


@cache
def _ascii_drawn() -> dict[int, str]:
    """`_drawn` for `str.translate`."""
    return {code: _drawn(chr(code)) for code in range(128)}


@cache
def _is_of_mathematics(letter: str) -> bool:
    return letter in _MATHEMATICS or bool(_STYLES.match(unicodedata.name(letter, "")))


@lru_cache(1 << 16)
def skeleton(name: str) -> str:
    """What a name, or one component of it, looks like: two names that look alike have the same."""
    if name.isascii():
        return name.translate(_ascii_drawn())
    is_word = sum(letter.isascii() and letter.isalpha() for letter in name) >= 2
    letters = unicodedata.normalize("NFD", name)
    return "".join(letter if _is_of_mathematics(letter) and not is_word else _drawn(letter) for letter in letters)


def confused(texts: Iterable[str]) -> tuple[str, str] | None:
    """The first two names of the texts, taken together, that look alike without being equal. Names in ASCII are what they are."""
    texts = list(texts)
    if all(text.isascii() for text in texts):
        return None
    seen: dict[str, str] = {}
    for name in (name for text in texts for name in _names(text)):
        other = seen.setdefault(skeleton(name), name)
        if _in_ascii(name) != _in_ascii(other):
            return (other, name) if name.isascii() or not other.isascii() else (name, other)
    return None


def _names(text: str) -> Iterable[str]:
    """Components of the names in a text, and its texts in quotes."""
    for token in tokens(text):
        if token.kind is Kind.STRING:
            yield token.text
        elif token.kind is Kind.WORD:
            yield from token.text.translate({ord("«"): None, ord("»"): None}).split(".")


def _in_ascii(name: str) -> str:
    """The name with ASCII characters that look like each other made one."""
    return name.translate({ord("I"): "l", ord("1"): "l", ord("0"): "O"}).replace("m", "rn")


def twins(text: str) -> dict[str, list[str]]:
    """For each character beyond ASCII in a text that looks like ASCII ones: all that it can be taken for, likeliest first."""
    alike = {}
    for letter in {letter for letter in text if not letter.isascii() and letter.isalnum()}:
        drawn = _drawn(letter)
        if drawn.isascii():
            in_lower_case = [drawn.lower()] if letter.islower() and drawn.isupper() else []
            alike[letter] = [*in_lower_case, *_ALIKE.get(drawn, [drawn])]
    return alike
