"""Proofs to be traced, from a file: each with a name that stands for it in part files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from burnqed.config import LeanConfig
from burnqed.data.filters import cheats
from burnqed.data.pairs import TacticPair
from burnqed.data.proofs import PROOFS, WholeProof
from burnqed.data.rows import LINES
from burnqed.data.sets.source import is_term
from burnqed.data.trace.parts import Result, Trace
from burnqed.data.trace.steps import LeftOut
from burnqed.errors import BadInput
from burnqed.key import digest_of
from burnqed.lean.backends import open_lean
from burnqed.lean.proofs import read_json, read_lean
from burnqed.store import split_address

SORRY = "sorry"
"""Why a theorem is rejected whose proof or header has a hole."""
UNREADABLE = "cannot be read"
"""Why one is rejected that cannot be cut out of its text."""


@dataclass(frozen=True)
class Item:
    """A proof."""

    proof: WholeProof

    @property
    def name(self) -> str:
        """Different for proofs that differ, also where their theorems have one name."""
        return f"{self.proof.name} {digest_of(self.proof.model_dump())[:12]}"

    def result(self, pairs: list[TacticPair], left_out: Counter[LeftOut]) -> Result:
        whole_term = is_term(self.proof.proof) and not pairs  # without `by` it may be either, until it takes a step
        counted = {"pairs": len(pairs), "left_out": dict(left_out), "is_term": whole_term}
        trace = self._trace.model_copy(update=counted)
        return Result(self.name, [trace], pairs)

    def rejected(self, reason: str, message: str) -> Result:
        return Result(self.name, [self._trace.model_copy(update={"rejected": reason, "message": message})])

    @property
    def _trace(self) -> Trace:
        proof = self.proof
        path = proof.file_path or ""
        return Trace(theorem=proof.name, source=proof.source, file_path=path)


def has_sorry(proof: WholeProof) -> bool:
    """Whether header or proof have a hole; a statement may end in one, which stands for its proof."""
    return cheats(proof.header or "") or cheats(proof.proof)


@dataclass(frozen=True)
class Proofs:
    """A file of proofs."""

    count: int
    digest: str
    read: Callable[[], Iterator[WholeProof]]
    refused: dict[str, str] = field(default_factory=dict)
    """Theorems of Lean source that cannot be cut out of it, with the reason."""

    def remaining(self, done: Collection[str], is_wanted: Callable[[str], bool] = lambda _: True) -> Iterator[Item]:
        """The wanted proofs that are not done, by the names of the items; each once."""
        seen = set(done)
        for proof in self.read():
            item = Item(proof)
            if item.name not in seen and is_wanted(item.name):
                seen.add(item.name)
                yield item


async def proofs_at(address: str, config: LeanConfig, source: str) -> Proofs:
    """Imported proofs (.parquet, .jsonl), which name their sources, at a path or in a store; or a file on this machine with proofs of this source:
    Lean source (.lean), which Lean cuts, or a JSON list. Raises BadInput."""
    if address.endswith((".parquet", LINES)):
        store, path = split_address(address)
        if (count := sum(len(batch) for batch in PROOFS.read(store, path))) == 0:
            raise BadInput(f"{address} holds no proofs; give another file.")
        return Proofs(count, store.digest(path), lambda: PROOFS.rows(PROOFS.read(store, path)))
    if "://" in address:
        raise BadInput(
            f"{address} cannot be read from there, only Parquet and JSON lines ({LINES}) can; import it with `burnqed data import`, or copy it to this machine."
        )
    path_ = Path(address).expanduser()
    if path_.suffix == ".lean":
        async with open_lean(config) as lean:
            given = await read_lean(path_, lean, is_trusted=True)
    else:
        given = read_json(path_)
    whole, refused = list[WholeProof](), dict[str, str]()
    for one in given:
        if one.refusal:
            refused[one.name] = one.message or one.refusal
        else:
            theorem, proof = one.read()
            whole.append(WholeProof(**theorem.model_dump(), proof=proof, source=source))
    return Proofs(len(whole), digest_of([proof.model_dump() for proof in whole]), lambda: iter(whole), refused)
