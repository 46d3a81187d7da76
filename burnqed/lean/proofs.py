"""Reads whole proofs from a file: a JSON list of {name, statement, proof, header?}, or Lean source.

A proof may be written in every way that Lean knows: a block of tactics, `by …`, a term, either of them after `:=`, cases (`| 0 => …`), the fields of
a structure (`where …`). It is kept as it stands; `introductions` says what may be put between statement and proof, and Lean's parser
decides among them.

In Lean source (`*.lean`), each `theorem`, `lemma` or `example` is one proof to check; `burnqed.lean.source` cuts it, which takes a Lean.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ConfigDict, StringConstraints, TypeAdapter, ValidationError

from burnqed.errors import BadInput
from burnqed.files import once, read_given
from burnqed.lean.lexer import Kind, normalised, tokens
from burnqed.lean.protocol import LeanBackend, LeanText, Theorem
from burnqed.lean.source import ProofToCheck, cut

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Filled = Annotated[LeanText, StringConstraints(pattern=r"\S")]


class Written(Theorem):
    """A theorem with its proof, in JSON."""

    model_config = ConfigDict(strict=True, extra="ignore")  # results have more fields

    name: Annotated[str, StringConstraints(pattern=r"\S")]
    statement: Filled
    proof: Filled


WRITTEN = TypeAdapter(list[Written])
SHAPE = "a JSON list of {name, statement, proof, header?}"
MOST_BYTES = 1 << 26


def introductions(proof: str) -> list[str]:
    """What can stand between a statement and this proof, likeliest first; the first with which Lean can parse the proof is meant.

    `intro n` and `h` differ only for a parser: the one is a block of tactics, the other a term.
    """
    words = (token.text for token in tokens(proof) if token.kind is not Kind.COMMENT)
    match list(islice(words, 2)):
        case [":", "="] | ["|", *_] | ["where", *_]:
            return [""]
        case ["by", *_]:
            return [":="]
    return [":= by", ":="]


def tactics(proof: str) -> str:
    """The proof as a block of tactics, for those who replay it: without `:= by`; a term becomes `exact term`."""
    bare = re.sub(r"\A\s*:=[ \t]*", "", proof)
    if block := re.match(r"\s*by\b[ \t]*\n?", bare):
        return bare[block.end() :]
    if bare != proof:
        return f"exact {bare}"
    return f"exact fun\n{proof}" if introductions(proof) == [""] else proof


async def read_proofs(path: Path, lean: LeanBackend, *, is_trusted: bool = False) -> list[ProofToCheck]:
    """The proofs in a file, in its order. Raises BadInput when it cannot be read as one of the two forms.

    `is_trusted`: somebody vouches for a .lean file, all of whose commands are elaborated then.
    """
    return await read_lean(path, lean, is_trusted=is_trusted) if path.suffix == ".lean" else read_json(path)


async def read_lean(path: Path, lean: LeanBackend, *, is_trusted: bool = False) -> list[ProofToCheck]:
    try:
        return _some(path, await cut(_text(path), lean, is_trusted=is_trusted))
    except BadInput as error:
        raise BadInput(str(error) if str(path) in str(error) else f"{path} {error}") from None


def read_json(path: Path) -> list[ProofToCheck]:
    return _some(path, _from_json(path, _text(path)))


def _text(path: Path) -> str:
    return normalised(read_given(path, "file", f"{SHAPE}, or a .lean file", MOST_BYTES))


def _some(path: Path, proofs: list[ProofToCheck]) -> list[ProofToCheck]:
    if not proofs:
        raise BadInput(f"{path} holds no proofs; give {SHAPE}, or a .lean file with theorems.")
    return proofs


# ---- JSON


def _from_json(path: Path, text: str) -> list[ProofToCheck]:
    try:
        entries = json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"{path} is not JSON (line {error.lineno}, column {error.colno}: {error.msg}); give {SHAPE}."
        ) from None
    except (ValueError, RecursionError) as error:  # a key given twice, a number too long, too many brackets
        raise BadInput(f"{path} cannot be read ({error}); give {SHAPE}.") from None
    try:
        return [
            ProofToCheck.of(Theorem.model_validate(dict(entry), extra="ignore"), entry.proof)
            for entry in WRITTEN.validate_python(entries)
        ]
    except ValidationError as error:
        raise BadInput(f"{_complaint(path, entries, error.errors()[0])}; give {SHAPE}, all of them text.") from None


def _complaint(path: Path, entries: Any, error: ErrorDetails) -> str:
    place, key = [*error["loc"], None, None][:2]
    value = error["input"]
    if not isinstance(place, int):
        return f"{path} holds {_shape(value)}"
    if key is None:
        return f"Entry {place + 1} of {path} is {_shape(value)}"
    name = entries[place].get("name")
    called = f" ({name})" if isinstance(name, str) and key != "name" else ""
    wrong = "no" if error["type"] == "missing" else f"{_shape(value)} as"
    return f"Entry {place + 1}{called} of {path} has {wrong} `{key}`"


def _shape(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case str():
            if half := re.search("[\ud800-\udfff]", value):
                return f"half of a character (U+{ord(half[0]):04X})"
            return "a text" if value.strip() else "an empty text"
        case list():
            return "a list"
        case dict():
            return "an object"
    return f"{value!r:.40}"
