"""What probing found, kept in the store for all runs: a theorem is probed once per Lean.

`_probes/LEAN/` holds Parquet files of two columns, `statement_hash` (of header and statement) and `easy`. Several runs may add files at the same time.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import re
from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from burnqed.config import SHIPPED_INDICES, LeanConfig
from burnqed.data.theorems import shipped_easy
from burnqed.errors import BadInput
from burnqed.key import digest_of
from burnqed.layout import PROBES
from burnqed.lean.backends import EMBEDDED
from burnqed.lean.protocol import LeanBackend, Theorem
from burnqed.log import log
from burnqed.parquet import read_parquet
from burnqed.progress import Progress
from burnqed.proof_search.many import run_many
from burnqed.proof_search.probes import probe_easy
from burnqed.steps.base import Context
from burnqed.store import Store
from burnqed.trajectory.rows import statement_hash

SCHEMA = pa.schema([pa.field("statement_hash", pa.string(), False), pa.field("easy", pa.bool_(), False)])
PER_FILE = 1_000


async def probe_all(context: Context, lean: LeanBackend, theorems: Sequence[Theorem]) -> None:
    """Probes those of the theorems of which it is not known, with a Lean that is open; keeps what is found also when stopped."""
    probed = Probed(context.store, lean, context.config.lean.heartbeats)
    with Progress(len(theorems), "probe", "theorems") as progress:
        await probed.probe([t for t in theorems if probed.easy(t) is None], lean, context.stop, progress.advance)
    probed.save()


def known_easy(
    store: Store, lean: LeanBackend, config: LeanConfig, theorems: Sequence[Theorem], address: str
) -> dict[str, bool]:
    """Of a benchmark at this address: whether a single probe tactic proves a theorem, as far as is known in this store, or comes with the package."""
    probed = Probed(store, lean, config.heartbeats)
    shipped = shipped_easy(address) if address in SHIPPED_INDICES and config.backend == EMBEDDED else None
    found = {}
    for theorem in theorems:
        easy = probed.easy(theorem)
        if easy is None and shipped is not None:
            easy = theorem.name in shipped
        if easy is not None:
            found[theorem.name] = easy
    return found


class Probed:
    """Which theorems the probe tactics of one Lean prove, as far as is known."""

    def __init__(self, store: Store, lean: LeanBackend, heartbeats: int) -> None:
        """Reads what is known for this Lean, with its probe tactics, at this limit of `heartbeats`."""
        digest = digest_of([lean.name, lean.version, list(lean.probe_tactics), heartbeats])[:12]
        self.store, self.folder = store, f"{PROBES}/{re.sub(r'[^A-Za-z0-9.-]+', '-', lean.version)}-{digest}"
        self._easy: dict[str, bool] = {}
        self._new: dict[str, bool] = {}
        for path in store.list(self.folder):
            try:
                rows = pa.table(read_parquet(store, path)).cast(SCHEMA)
            except (BadInput, pa.ArrowException, ValueError):
                log.warning("%s is not what probing writes and is left out", store.locate(path))
            else:
                self._easy.update(zip(*(rows[name].to_pylist() for name in SCHEMA.names), strict=True))

    def easy(self, theorem: Theorem) -> bool | None:
        """Whether a probe tactic proves the theorem; None where it is not known."""
        return self._easy.get(statement_hash(theorem))

    def add(self, theorem: Theorem, easy: bool) -> None:
        digest = statement_hash(theorem)
        self._easy[digest] = self._new[digest] = easy

    async def probe(
        self,
        theorems: Sequence[Theorem],
        lean: LeanBackend,
        stop: asyncio.Event,
        on_each: Callable[[], object] = lambda: None,
    ) -> set[str]:
        """Adds what a Lean that is open finds of these theorems, several at a time. Returns the names of those that it could not decide."""
        undecided: set[str] = set()

        async def probed(theorem: Theorem) -> tuple[Theorem, bool | None]:
            return theorem, await probe_easy(theorem, lean)

        def note(verdict: tuple[Theorem, bool | None]) -> None:
            theorem, found = verdict
            if found is None:
                undecided.add(theorem.name)
            else:
                self.add(theorem, found)
                self.save(PER_FILE)
            on_each()

        await run_many(theorems, probed, 4 * lean.capacity, note, stop)
        return undecided

    def save(self, at_least: int = 1) -> None:
        """Writes what was added since the last call, once it is `at_least` so many theorems."""
        if len(self._new) < at_least:
            return
        rows, buffer = sorted(self._new.items()), io.BytesIO()
        pq.write_table(pa.table([*zip(*rows, strict=True)], schema=SCHEMA), buffer)
        data = buffer.getvalue()
        self.store.write_bytes(f"{self.folder}/{hashlib.sha256(data).hexdigest()[:16]}.parquet", data)
        self._new = {}
