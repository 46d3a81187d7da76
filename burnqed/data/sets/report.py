"""What an import found: one document, written beside the output and shown as a table."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import BaseModel, Field

from burnqed.data.sets.catalogue import Kind

NAMED = 100
"""Rows, names or values of a kind that the report names; it counts all of them."""


class BadRow(BaseModel):
    """A row that is not what the column map says."""

    file: str
    row: int
    """Counted from 1."""
    column: str
    """Empty where it is the whole row."""
    what: str
    """Continues `the column`, or `the row`: `is null`."""

    def __str__(self) -> str:
        column = f", column {self.column}" if self.column else ""
        return f"{self.file}, row {self.row}{column}: {self.what}"


class ImportReport(BaseModel):
    """Counts are of rows, after `each` made several of one, unless they say otherwise."""

    data_set: str
    """Its name in sets.yaml; empty for a column map of one's own."""
    source: str
    kind: Kind
    licence: str = ""
    lean: str = ""
    """The version of Lean that it was made with."""
    files: dict[str, str] = {}
    """SHA-256 of what was read, by path within the source."""
    rows: int = 0
    imported: int = 0
    theorems: int = 0
    """Different names among the imported rows."""
    bad: int = 0
    bad_rows: list[BadRow] = []
    left_out: dict[str, int] = {}
    """Rows that are as they should be and were not imported, by reason."""
    names: dict[str, list[str]] = {}
    """Of those, by reason: whom it concerns."""
    foreign_imports: dict[str, int] = {}
    """Rows by the module that their header imports although no Lean here has it."""
    cheats: int = 0
    """Proofs with sorry or admit (left out), or pairs with such a tactic (kept; the step `data` leaves out the whole theorem)."""
    terms: int = 0
    """Proofs that are terms, not tactics."""
    long_proofs: int = 0
    """Theorems whose proof has more than a hundred tactics; they are kept."""
    answers: int = 0
    """Definitions that were left open with their value in a comment, which was put in."""
    renamed: int = 0
    """Rows whose name belonged to another theorem, and got a number."""
    headers: int = 0
    """Different headers."""
    splits: dict[str, int] = {}
    counts: dict[str, dict[str, int]] = {}
    """By column, how many rows have each of its values (the most frequent hundred)."""
    absent: list[str] = []
    """Columns of the map that the files do not have; none of them is needed."""
    not_elaborating: dict[str, str] = {}
    """Lean's reason by name; statements of a benchmark stay nevertheless."""
    elaborated: bool = False
    benchmark_hash: str = Field("", description="As in results.json; empty for what is no theorem index.")

    def leave_out(self, reason: str, name: str) -> None:
        self.left_out[reason] = self.left_out.get(reason, 0) + 1
        if name and len(named := self.names.setdefault(reason, [])) < NAMED:
            named.append(name)

    def broken(self, file: str, row: int, column: str, what: str) -> None:
        self.bad += 1
        if len(self.bad_rows) < NAMED:
            self.bad_rows.append(BadRow(file=file, row=row, column=column, what=what))

    def text(self) -> str:
        return json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"

    def lines(self) -> Iterator[tuple[str, str]]:
        """What the table shows: figures that are not zero."""
        yield "rows", f"{self.rows:,}"
        yield "imported", f"{self.imported:,}" + (f" of {self.theorems:,} theorems" if self.kind is Kind.PAIRS else "")
        for reason, count in self.left_out.items():
            yield f"left out: {reason}", f"{count:,}"
        for label, count in {
            "bad rows": self.bad,
            "with sorry or admit": self.cheats,
            "proofs that are terms": self.terms,
            "proofs over 100 tactics": self.long_proofs,
            "answers put in": self.answers,
            "renamed": self.renamed,
            "headers": self.headers,
            "do not elaborate": len(self.not_elaborating),
        }.items():
            if count:
                yield label, f"{count:,}"
        for module, count in self.foreign_imports.items():
            yield f"imports {module}", f"{count:,}"
        for label, values in {"split": self.splits, **self.counts}.items():
            if values:
                shown = list(values.items())[:8]
                more = ", …" if len(values) > len(shown) else ""
                yield label, ", ".join(f"{value or '(empty)'} {count:,}" for value, count in shown) + more
        if self.benchmark_hash:
            yield "hash", self.benchmark_hash
        if self.absent:
            yield "columns not there", ", ".join(self.absent)
