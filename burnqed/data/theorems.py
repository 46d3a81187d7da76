"""Theorem indices: `{"theorems": [{"name", "statement", "header"?, "file_path"?}], "header"?}`.

A plain list of theorems is read as well. A theorem without a header, in an index without one, gets the Lean backend's default header.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ValidationError

from burnqed.config import SHIPPED, SHIPPED_INDICES
from burnqed.errors import BadInput
from burnqed.files import once, read_given
from burnqed.lean.protocol import LeanText, Theorem
from burnqed.store import Store


class TheoremIndex(BaseModel):
    """A file of theorems. Reading puts the index's header into every theorem that has none."""

    theorems: list[Theorem]
    header: LeanText | None = None


def parse_index(text: str, where: str, header: str | None = None) -> list[Theorem]:
    """Theorems of an index, each with its header: its own, else the index's, else `header`.

    Raises BadInput when the text is not an index, is empty, or repeats a name.
    """
    try:
        document = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise BadInput(f"{where} is not valid JSON ({error.msg} at line {error.lineno}); fix it.") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where} cannot be read ({error}); fix it.") from None
    if isinstance(document, list):
        document = {"theorems": document}
    try:
        index = TheoremIndex.model_validate(document, extra="ignore")  # others' fields
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the document"
        raise BadInput(
            f'{where} is not a theorem index: {place}: {first["msg"]}; the form is {{"theorems": [{{"name", "statement"}}]}}.'
        ) from None
    if not index.theorems:
        raise BadInput(f"{where} holds no theorems; add some, or choose another file.")
    repeated = [name for name, count in Counter(t.name for t in index.theorems).items() if count > 1]
    if repeated:
        raise BadInput(f"{where} holds the name {repeated[0]!r} more than once; names must be unique.")
    common = header if index.header is None else index.header
    return index.theorems if common is None else [t.with_header(common) for t in index.theorems]


def read_index(location: str, header: str | None = None) -> list[Theorem]:
    """Reads an index from a path, a store URI or a web address, or one that comes with the package."""
    if location in SHIPPED_INDICES:
        return shipped_benchmark(header, location)
    if location.startswith(("https://", "http://")):
        import httpx  # takes a third of a second: not for every command

        try:
            reply = httpx.get(location, follow_redirects=True, timeout=60).raise_for_status()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise BadInput(f"{location} cannot be read ({error}); check the address and the network.") from None
        return parse_index(reply.text, location, header)
    if "://" in location:
        prefix, _, name = location.rpartition("/")
        return parse_index(Store(prefix).read_text(name), location, header)
    return parse_index(read_given(Path(location), "theorem index", "the path of a JSON file"), location, header)


def namespace(name: str) -> str:
    """The source that a theorem's name carries: `github` of `github::Nat.foo`; empty where it carries none."""
    source, mark, _ = name.partition("::")
    return source if mark else ""


def dump_index(theorems: Sequence[Theorem]) -> str:
    """The inverse of `parse_index`: headers that all theorems share are written once."""
    headers = {t.header for t in theorems}
    shared = next(iter(headers)) if len(headers) == 1 else None
    rows = [t.model_dump(exclude_none=True, exclude={"header"} if shared is not None else set()) for t in theorems]
    document = {"header": shared, "theorems": rows} if shared is not None else {"theorems": rows}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def common_header(theorems: Sequence[Theorem], default: str) -> str:
    """The header of all theorems, which may be empty; `default` where they have several, or none."""
    headers = {t.header for t in theorems}
    header = next(iter(headers)) if len(headers) == 1 else None
    return default if header is None else header


def shipped_benchmark(header: str | None = None, name: str = SHIPPED) -> list[Theorem]:
    """One of the project's own benchmarks (`SHIPPED_INDICES`), with this header; their reference proofs are not part of the package."""
    text = (resources.files("burnqed.data.benchmark") / SHIPPED_INDICES[name]).read_text(encoding="utf-8")
    return parse_index(text, f"the benchmark {name}", header)


def shipped_easy(name: str) -> set[str] | None:
    """The theorems of one of the project's own benchmarks that a single probe tactic of the embedded Lean proves within 40,000 heartbeats; None where nobody has tried."""
    text = (resources.files("burnqed.data.benchmark") / "easy.json").read_text(encoding="utf-8")
    names = json.loads(text).get(SHIPPED_INDICES[name])
    return None if names is None else set(names)
