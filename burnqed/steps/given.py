"""Pairs and proofs that the configuration names, instead of the shipped corpus: where they are, what is there, and how often it counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from burnqed.config import weighted
from burnqed.data.corpus import split_tactics
from burnqed.data.pairs import PAIRS
from burnqed.data.proofs import PROOFS
from burnqed.data.trace.replay import KnownProof
from burnqed.key import digest_of
from burnqed.lean.proofs import tactics
from burnqed.steps.base import Context
from burnqed.steps.indices import INPUTS
from burnqed.store import Store, split_address


@dataclass(frozen=True)
class Given:
    """One file of `data.pairs` or `data.proofs`."""

    store: Store
    path: str
    weight: float
    """How often its pairs count."""

    @property
    def digest(self) -> str:
        """Of content and weight."""
        return digest_of([self.store.digest(self.path), self.weight])

    def pairs(self) -> Iterator[pa.RecordBatch]:
        return PAIRS.read(self.store, self.path)

    def proofs(self, header: str) -> Iterator[tuple[KnownProof, str]]:
        """Each proof, cut into its tactics, with its source. A proof without a header gets this one; a term is one tactic."""
        for proof in PROOFS.rows(PROOFS.read(self.store, self.path)):
            yield KnownProof(proof.theorem.with_header(header), split_tactics(tactics(proof.proof))), proof.source


def given(context: Context, addresses: list[str]) -> list[Given]:
    """The files at `ADDRESS[=WEIGHT]`; `inputs/…` are in the folder of the run that the data belongs to."""
    found = []
    for text in addresses:
        address, weight = weighted(text)
        inside = (context.store, f"{context.layout.trunk}/{address}")
        found.append(Given(*(inside if address.startswith(INPUTS) else split_address(address)), weight))
    return found
