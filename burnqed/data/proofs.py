"""Whole proofs: a theorem and how its author proved it, not yet replayed."""

from __future__ import annotations

import pyarrow as pa
from pydantic import ConfigDict, Field

from burnqed.data.rows import RowFormat
from burnqed.lean.protocol import LeanText, Theorem


class WholeProof(Theorem):
    """A theorem with a proof; the name carries its source, as in `workbook::1234`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    proof: LeanText = Field(min_length=1)
    """As its author wrote it: tactics, `by …`, a term, cases."""
    source: str
    """Where it comes from: `corpus`, `workbook`, …"""

    @property
    def theorem(self) -> Theorem:
        """The theorem alone."""
        return Theorem(name=self.name, statement=self.statement, header=self.header, file_path=self.file_path)


PROOFS = RowFormat(
    WholeProof,
    pa.schema(
        [
            pa.field("name", pa.string(), nullable=False),
            pa.field("statement", pa.string(), nullable=False),
            pa.field("header", pa.string()),
            pa.field("proof", pa.string(), nullable=False),
            pa.field("source", pa.string(), nullable=False),
            pa.field("file_path", pa.string()),
        ]
    ),
    "whole proof",
)
