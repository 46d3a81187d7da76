"""Writes the part files of one shard, exactly once (DESIGN, principle 5).

The shard's theorems are sorted by name; part K holds theorems K·m to (K+1)·m−1 with all their samples. A part is written when all of
its searches are finished; writing it again replaces it. `flush_open` writes open parts with what is finished, and
`pending` of the next writer leaves that out. So the rows of all parts hold every search at most once at any moment, and
exactly once at the end, wherever the process was cut off.

An error counts as finished, but when a later writer finds one from a first attempt, it asks for that search once more. The old rows
stay until the new ones replace them. A writer with another m than the one before divides them anew.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from burnqed.errors import BadInput
from burnqed.layout import PART_ENDING, part_file
from burnqed.lean.protocol import Theorem
from burnqed.log import log
from burnqed.store import Store
from burnqed.trajectory.reader import read_part, theorem_results
from burnqed.trajectory.rows import SearchResult, Task, to_table
from burnqed.trajectory.schema import SCHEMA, ProofStatus, TheoremResult

ATTEMPTS = 2
"""Searches of a theorem that ends in errors, over all runs of the step."""


class ShardWriter:
    def __init__(
        self,
        store: Store,
        prefix: str,
        theorems: Sequence[Theorem],
        *,
        per_part: int,
        run: str,
        iteration: int,
        samples: int = 1,
        seed: int = 0,
    ) -> None:
        """Reads which parts below `prefix` are there, and what they hold."""
        self._store = store
        self._prefix = prefix
        self._run, self._iteration = run, iteration
        theorems = sorted(theorems, key=lambda t: t.name)
        if len({t.name for t in theorems}) != len(theorems):
            raise ValueError("theorem names of a shard must be unique")
        self._lock = threading.Lock()
        """A part may wait for a store that is away, in a thread, while the process is told to end."""
        self._parts = [_Part(theorems[i : i + per_part], samples, seed) for i in range(0, len(theorems), per_part)]
        self._part_of = {key: part for part in self._parts for key in part.todo}
        self.found: list[TheoremResult] = []
        """Results of earlier runs of the step that stand, for progress and counts."""
        self._resume([path for path in store.list(prefix) if path.endswith(PART_ENDING)])

    def pending(self) -> list[Task]:
        """Searches still to do, in the order that completes part after part."""
        return [task for part in self._parts for task in part.todo.values()]

    def add(self, searched: SearchResult) -> None:
        """Takes a finished search of a pending task; writes its part when it was the last one. For any thread."""
        key = (searched.result.name, searched.result.sample)
        part = self._part_of[key]
        with self._lock:
            del part.todo[key]
            part.tables[key] = to_table(searched, self._run, self._iteration)
            part.changed = True
            if not part.todo:
                self._write(part)

    def flush_open(self) -> None:
        """Writes open parts with what is finished, before the step ends early."""
        with self._lock:
            for part in self._parts:
                if part.changed:
                    self._write(part)

    def finish(self) -> list[str]:
        """Paths of all parts, in order; every search has to be finished."""
        if left := self.pending():
            raise ValueError(f"{len(left)} searches of {self._prefix} are not finished")
        return [self._path(number) for number in range(len(self._parts))]

    def _resume(self, paths: Sequence[str]) -> None:
        """Takes over what an earlier writer left."""
        part_at = {self._path(number): part for number, part in enumerate(self._parts)}
        standing: dict[tuple[str, int], TheoremResult] = {}
        for path in paths:
            try:
                rows = read_part(self._store, path)
            except BadInput as error:
                log.warning("what %s held is searched again: %s", path, error)
                self._store.delete(path)
                continue
            for result in theorem_results(rows):
                key = (result.name, result.sample)
                part = self._part_of[key]
                if part is not part_at.get(path):
                    for touched in filter(None, (part, part_at.get(path))):
                        touched.changed = True
                if part.resume(result, rows):
                    standing[key] = result
        self.found = list(standing.values())
        self.flush_open()
        for path in set(paths) - part_at.keys():
            self._store.delete(path)
        for part in self._parts:
            part.forget_if_done()

    def _path(self, number: int) -> str:
        return f"{self._prefix}/{part_file(number)}"

    def _write(self, part: _Part) -> None:
        rows = pa.concat_tables([SCHEMA.empty_table(), *(part.tables[key] for key in sorted(part.tables))])
        buffer = io.BytesIO()
        pq.write_table(rows, buffer, compression="zstd")
        self._store.write_bytes(self._path(self._parts.index(part)), buffer.getvalue())
        part.changed = False
        part.forget_if_done()


class _Part:
    """One part while it is made: the searches to do, and the rows of those finished, by (theorem, sample)."""

    def __init__(self, theorems: Sequence[Theorem], samples: int, seed: int) -> None:
        self.todo = {(t.name, s): Task(t, sample=s, seed=seed) for t in theorems for s in range(samples)}
        self.tables: dict[tuple[str, int], pa.Table] = {}
        self.changed = False

    def resume(self, result: TheoremResult, rows: pa.Table) -> bool:
        """Takes over a search that an earlier writer left. Returns whether it stands, and is not to be tried again."""
        key = (result.name, result.sample)
        mine = pc.and_(pc.equal(rows["theorem"], result.name), pc.equal(rows["sample"], result.sample))
        self.tables[key] = rows.filter(mine).cast(SCHEMA)
        task = self.todo.pop(key, None)
        stands = result.status is not ProofStatus.ERROR or result.attempt + 1 >= ATTEMPTS
        if task and not stands:
            self.todo[key] = Task(task.theorem, result.attempt + 1, task.sample, task.seed)
        return stands

    def forget_if_done(self) -> None:
        if not self.todo:
            self.tables.clear()
