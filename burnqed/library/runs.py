"""What runs have left in a store, for scripts and notebooks.

run = Run("s3://bucket/burnqed")
run.iterations[-1].results.evaluations[0].at_largest.solved
load_trajectories("runs/main").to_pandas()
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cached_property

import pyarrow as pa

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.results import IterationResult, Summary
from burnqed.evaluate.summary import read_summary
from burnqed.layout import Layout
from burnqed.library.arguments import as_address
from burnqed.record import read_record
from burnqed.remembered import recall
from burnqed.store import Store, split_address
from burnqed.trajectory.finished import finished_parts
from burnqed.trajectory.reader import read_parts
from burnqed.trajectory.schema import SCHEMA

_ITERATION = re.compile(r"/iterations/iter_(\d+)/")


class Run:
    """A run in a store, as it is now. Reads when asked, and writes nothing."""

    def __init__(self, uri: str | os.PathLike[str], name: str = "main") -> None:
        """`uri`: the store, a folder or s3://BUCKET/PREFIX. Raises BadInput when it has no such run."""
        self.store, self.name = Store(as_address(uri)), name
        if not self.store.files(Layout(name).run):
            paths = self.store.files("")
            if not paths:
                raise BadInput(f"There is nothing at {uri}; check the address.")
            if any(path.startswith("iterations/") for path in paths):
                raise BadInput(f"{uri} is itself a run; give the folder around it, and its name if that is not `main`.")
            runs = sorted({path.partition("/")[0] for path in paths if _ITERATION.search(path)})
            others = f"its runs are {', '.join(runs)}" if runs else "it has no runs; check the address"
            raise BadInput(f"{uri} has no run {name!r}: {others}.")

    def __repr__(self) -> str:
        return f"Run({self.store.uri!r}, {self.name!r})"

    @property
    def config(self) -> RunConfig | None:
        """What it last ran with; None before its first plan."""
        return recall(self.store, self.name)

    @property
    def summary(self) -> Summary | None:
        """All iterations' results; None before the first report."""
        return read_summary(self.store, self.name)

    @property
    def iterations(self) -> list[Iteration]:
        """Those that have begun."""
        numbers = {
            int(match[1]) for path in self.store.files(f"{self.name}/iterations") if (match := _ITERATION.search(path))
        }
        return [Iteration(self.store, Layout(self.name, number)) for number in sorted(numbers)]

    def trajectories(self, columns: str | Sequence[str] | None = None) -> pa.Table:
        """Of all iterations, as `load_trajectories`."""
        return load_trajectories(self.store.locate(self.name), columns)


class Iteration:
    """One iteration of a run."""

    def __init__(self, store: Store, layout: Layout) -> None:
        self.store, self.layout = store, layout

    def __repr__(self) -> str:
        return f"Iteration({self.layout.iteration} of {self.layout.run!r})"

    @property
    def number(self) -> int:
        return self.layout.iteration

    @cached_property
    def results(self) -> IterationResult:
        """What its report says. Raises BadInput before there is one."""
        record = read_record(self.store, self.layout.report)
        if record is None:
            raise BadInput(
                f"{self.store.locate(self.layout.root)} has no report yet; run the iteration to its end first."
            )
        path = f"{record.root(self.layout.report)}/results.json"
        return IterationResult.model_validate_json(self.store.read_bytes(path))

    @property
    def model(self) -> str | None:
        """Address for `serve`; None before it is exported."""
        return self._address(self.layout.model)

    @property
    def head(self) -> str | None:
        """Address of the head that its trajectories trained; None without one."""
        return self._address(self.layout.head("final"))

    def trajectories(self, columns: str | Sequence[str] | None = None) -> pa.Table:
        """As `load_trajectories`."""
        return load_trajectories(self.store.locate(self.layout.root), columns)

    def _address(self, unit: str) -> str | None:
        return self.store.locate(unit) if read_record(self.store, unit) else None


def load_trajectories(uri: str | os.PathLike[str], columns: str | Sequence[str] | None = None) -> pa.Table:
    """Every state and failed tactic of the finished searches below an address: of a store, a run, an iteration, a variant
    (…/trajectories/main), or what `burnqed eval --out` wrote.

    Where there are searches for training, evaluations (…/evaluation) are left out. Replayed known proofs (…/trajectories/replay), which are
    no searches, are only what their own address gives. Columns are those of docs/formats.md, or the ones named. `.to_pandas()` makes a data frame of
    it, `datasets.Dataset(table)` a Hugging Face data set. Raises BadInput where there are none.
    """
    address = as_address(uri)
    wanted = [columns] if isinstance(columns, str) else None if columns is None else list(columns)
    if unknown := [name for name in wanted or () if name not in SCHEMA.names]:
        raise BadInput(f"Trajectories have no column {unknown[0]!r}; they have {', '.join(SCHEMA.names)}.")
    store, _ = split_address(address)
    return pa.concat_tables(read_parts(store, finished_parts(address), wanted))
