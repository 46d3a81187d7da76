"""A Lean file, cut into its commands: what a backend says of it. Positions are bytes of UTF-8."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Failure(_Wire):
    """Why Lean cannot read something."""

    line: int
    text: str


class CutTheorem(_Wire):
    name: str
    """In full, as users write it; `example (line 3)` of an example."""
    written: list[str | int]
    """Parts of the name that it is declared with, without the present namespace."""
    line: int
    start: int
    keyword: int
    value: int | None
    """Where the proof begins with `:=`, `|` or `where`."""
    end: int
    is_lemma: bool
    is_example: bool


class Command(_Wire):
    start: int
    end: int
    line: int
    skipped: Failure | None
    """Of text in front of it that is not a command."""
    failure: Failure | None
    refused: str
    """The rule for strangers' headers that it breaks: it was not elaborated, so what follows may be read differently than it should be."""
    theorems: list[CutTheorem]
    names: frozenset[str]
    """Parts of all names in it, but for the names of its theorems."""
    opened: frozenset[str]
    """Those of the namespaces that it opens."""
    is_block: bool
    """Whether its theorems cannot be taken out of it, as those of `mutual`."""
    does_more: bool
    """Whether later theorems may need more of it than the theorems that they name."""


class Commands(_Wire):
    """A file, cut into its commands."""

    start: int
    """Where the imports end, with the space after them."""
    imports: list[list[str | int]]
    failure: Failure | None
    """Of the imports."""
    commands: list[Command]
    unread: bool
    """Whether Lean stops reading at the last of them, as at `#exit`, though something follows."""
