"""Paths in the store: RUN/data, RUN/iterations/iter_N/…, RUN/summary.json."""

from __future__ import annotations

import re
from dataclasses import dataclass

from burnqed.errors import BadInput

NAME = re.compile(r"[^\W_][\w.-]{0,99}")
NUMBER = "0|[1-9][0-9]{0,5}"
BASE = "base"
"""In `RUN:base`, instead of an iteration: what all its iterations begin with."""
REPLAYED = "replay"
"""The variant of trajectories that are replayed known proofs: no searches."""
SETTINGS = "run.json"
"""What a run last used."""
SUCCESS = "_SUCCESS"
"""A unit's record. It names the revision, a folder beside it, that holds the unit's output."""
STARTED = "_STARTED"
"""In a revision: an attempt has begun to write it."""
DAMAGED = "_DAMAGED"
"""In a revision: the damage that was found in it."""
SUPERSEDED = "_SUPERSEDED"
"""In a revision: its record from when it was the unit's output."""
NOTES = (SUCCESS, STARTED, DAMAGED, SUPERSEDED)
"""Files about outputs, which are not outputs."""
PROBES = "_probes"
"""Of all runs of a store; no run can have this name."""
PART_ENDING = ".parquet"
PART_DIGITS = 5


@dataclass(frozen=True)
class Layout:
    """Paths of one iteration of one run, relative to the store's URI."""

    run: str
    iteration: int = -1
    """-1 for work that belongs to no iteration: only the paths of the run, and `logs`, apply to it."""
    origin: Layout | None = None
    """Of a branch (`burnqed.branch`): the last iteration, of another run, that it shares with it, besides data, base model and benchmarks; -1 if it shares none."""

    def __post_init__(self) -> None:
        check_name(self.run, "a run")

    @property
    def trunk(self) -> str:
        """The run that data, base model, benchmarks and the files that it was given belong to."""
        return self.origin.run if self.origin else self.run

    @property
    def address(self) -> str:
        """As `origin_of` reads it."""
        return f"{self.run}:{BASE if self.iteration < 0 else self.iteration}"

    @property
    def data(self) -> str:
        return f"{self.trunk}/data"

    @property
    def benchmarks(self) -> str:
        return f"{self.trunk}/benchmarks"

    def benchmark(self, name: str) -> str:
        return f"{self.benchmarks}/{name}"

    @property
    def base(self) -> str:
        """The model that iteration 0 is trained from."""
        return f"{self.trunk}/base"

    @property
    def lemmas(self) -> str:
        """The library's lemmas, where prompts offer some."""
        return f"{self.run}/lemmas"

    @property
    def lease(self) -> str:
        return f"{self.run}/_LEASE"

    @property
    def settings(self) -> str:
        return f"{self.run}/{SETTINGS}"

    @property
    def costs(self) -> str:
        """What the run has cost: an account for each workflow, and for each local command."""
        return f"{self.run}/costs"

    def account(self, name: str) -> str:
        return f"{self.costs}/{name}.json"

    @property
    def experiment(self) -> str:
        """Of an experiment that is about this run and branches of it."""
        return f"{self.run}/experiment"

    @property
    def summary(self) -> str:
        return f"{self.run}/summary.json"

    @property
    def root(self) -> str:
        return f"{self.run}/iterations/iter_{self.iteration}"

    @property
    def selection(self) -> str:
        return f"{self.root}/selection"

    @property
    def adapter(self) -> str:
        return f"{self.root}/adapter"

    @property
    def model(self) -> str:
        return f"{self.root}/model"

    @property
    def trivial(self) -> str:
        """What a raw model did on trivial theorems."""
        return f"{self.root}/trivial"

    @property
    def lean_start(self) -> str:
        """What a head is worth to the search that it learned from."""
        return f"{self.root}/lean-start"

    @property
    def report(self) -> str:
        return f"{self.root}/report"

    @property
    def logs(self) -> str:
        return f"{self.root}/logs" if self.iteration >= 0 else f"{self.run}/logs"

    def log(self, workflow: str, task: str, attempt: int, container: str) -> str:
        """The log of one container of one attempt at a workflow's task (`search(3)`)."""
        return f"{self.logs}/{workflow}/{task}-{attempt}-{container}.log"

    def embeddings(self, stage: str) -> str:
        return f"{self.root}/embeddings/{stage}"

    def head(self, stage: str) -> str:
        """`search`: the head that this iteration's search uses; `final`: also trained on its trajectories."""
        return f"{self.root}/ebm/{stage}"

    def trajectories(self, variant: str) -> str:
        return f"{self.root}/trajectories/{variant}"

    def evaluation(self, benchmark: str, variant: str) -> str:
        return f"{self.root}/evaluation/{benchmark}/{variant}"

    def at(self, iteration: int) -> Layout:
        if self.origin and iteration <= self.origin.iteration:
            return self.origin.at(iteration)
        return Layout(self.run, iteration, self.origin)


def origin_of(text: str) -> Layout:
    """What `RUN:N` or `RUN:base` names, where a branch begins. Raises BadInput for anything else."""
    found = re.fullmatch(f"([^:]+):({NUMBER}|{BASE})", text)
    if not found:
        raise BadInput(f"{text!r} names no beginning of a run; write RUN:N, as in main:0, or RUN:{BASE}.")
    return Layout(found[1], -1 if found[2] == BASE else int(found[2]))


def iteration_of(text: str) -> Layout:
    """The iteration that `RUN:N` names. Raises BadInput for anything else."""
    found = re.fullmatch(f"([^:]+):({NUMBER})", text)
    if not found:
        raise BadInput(f"{text!r} names no iteration of a run; write RUN:N, as in main:0.")
    return Layout(found[1], int(found[2]))


def iterations_of(text: str) -> range:
    """The iterations that `A..B` names, both included; `N` means the first N. Raises BadInput for anything else."""
    if re.fullmatch(r"[1-9]\d{0,3}", text):
        return range(int(text))
    found = re.fullmatch(r"(\d{1,6})\.\.(\d{1,6})", text)
    if not found or int(found[1]) > int(found[2]):
        raise BadInput(f"{text!r} names no iterations; write FIRST..LAST, as in 0..4, or how many from 0 on, as in 5.")
    return range(int(found[1]), int(found[2]) + 1)


def check_name(name: str, what: str) -> None:
    """Raises BadInput for a name that cannot be a folder's in the store."""
    if not NAME.fullmatch(name):
        allowed = "letters, digits, `.`, `_` and `-`, beginning with a letter or digit"
        raise BadInput(f"{name!r} cannot name {what}; use {allowed}.")


def family(prefix: str) -> str:
    """The folder of all shards of a sharded unit; for any other unit, its own."""
    return prefix.rpartition("/shard-")[0] or prefix


def shard_folder(prefix: str, shard: int, shards: int) -> str:
    return f"{prefix}/shard-{shard:04d}-of-{shards:04d}"


def part_file(part: int) -> str:
    return f"part-{part:0{PART_DIGITS}d}{PART_ENDING}"
