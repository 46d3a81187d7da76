"""Where things lie in the store: RUN/data, RUN/iterations/iter_N/…, RUN/summary.json."""

from __future__ import annotations

import re
from dataclasses import dataclass

from burnqed.errors import BadInput

NAME = re.compile(r"[^\W_][\w.-]{0,99}")
SUCCESS = "_SUCCESS"
STARTED = "_STARTED"
PART_ENDING = ".parquet"


@dataclass(frozen=True)
class Layout:
    """Paths of one iteration of one run, relative to the store's URI."""

    run: str
    iteration: int = -1
    """-1 for work that belongs to no iteration: of these paths it has those of the run, and its own logs."""

    def __post_init__(self) -> None:
        check_name(self.run, "a run")

    @property
    def data(self) -> str:
        return f"{self.run}/data"

    @property
    def base(self) -> str:
        """The model that iteration 0 is trained from."""
        return f"{self.run}/base"

    @property
    def lease(self) -> str:
        return f"{self.run}/_LEASE"

    @property
    def settings(self) -> str:
        return f"{self.run}/run.json"

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
    def report(self) -> str:
        return f"{self.root}/report"

    @property
    def logs(self) -> str:
        return f"{self.root}/logs" if self.iteration >= 0 else f"{self.run}/logs"

    def log(self, workflow: str, task: str, attempt: int, container: str) -> str:
        """What one container of one attempt at a task (`search(3)`) of a workflow wrote."""
        return f"{self.logs}/{workflow}/{task}-{attempt}-{container}.log"

    def embeddings(self, stage: str) -> str:
        return f"{self.root}/embeddings/{stage}"

    def head(self, stage: str) -> str:
        """`search`: the head that this iteration's search uses; `final`: trained on its trajectories too."""
        return f"{self.root}/ebm/{stage}"

    def trajectories(self, variant: str) -> str:
        return f"{self.root}/trajectories/{variant}"

    def evaluation(self, variant: str) -> str:
        return f"{self.root}/evaluation/{variant}"

    def at(self, iteration: int) -> Layout:
        return Layout(self.run, iteration)


def check_name(name: str, what: str) -> None:
    """Raises BadInput for what cannot name a folder of the store."""
    if not NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} cannot name {what}; use letters, digits, `.`, `_` and `-`, beginning with a letter or digit."
        )


def shard_folder(prefix: str, shard: int, shards: int) -> str:
    return f"{prefix}/shard-{shard:04d}-of-{shards:04d}"


def part_file(part: int) -> str:
    return f"part-{part:05d}{PART_ENDING}"
