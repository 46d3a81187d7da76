"""The cost of `plan` on a real S3 server, for many shards of search and of evaluation, compared with separate requests for everything.

    .venv/bin/python -m benchmarks.plan [--shards 1000] [--baseline 40]

Writes an iteration that looks finished, and plans it: with one listing per family of units and records read concurrently (as
`burnqed step plan` does), and for `--baseline` shards also without. Prints seconds, requests, and requests per unit.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from unittest import mock

from burnqed.config import RunConfig
from burnqed.steps import plan as planning
from burnqed.steps.table import loop
from burnqed.store import Store
from tests.fixtures.finished import RUN, Finished
from tests.fixtures.requests import counted
from tests.fixtures.s3 import S3Server, serve_s3


def finished(server: S3Server, folder: Path, shards: int) -> Finished:
    config = RunConfig.model_validate({"search": {"shards": shards}, "evaluate": {"shards": shards}})
    here = Finished(Store(str(folder)), config, last=0)
    here.store = Store(f"s3://{server.bucket}/{shards}")
    here.store.fs.put(str(folder / RUN), here.store.full(RUN), recursive=True)
    return here


def measure(label: str, here: Finished) -> None:
    units = sum(path.endswith("/_SUCCESS") for path in here.store.list(RUN))
    began = time.perf_counter()
    with counted(here.store) as requests:
        planning.plan(loop(), here.context(RunConfig()))
    seconds = time.perf_counter() - began
    print(
        f"{label}: {units} units, {seconds:.1f} s, {requests.total()} requests, {requests.total() / units:.2f} per unit"
    )


def served(folder: str) -> Path:
    """A folder for the S3 server beside those of the runs."""
    path = Path(folder, "s3")
    path.mkdir()
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=1_000)
    parser.add_argument("--baseline", type=int, default=40)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_s3(served(folder)) as server,
        mock.patch.dict("os.environ", server.environment()),
    ):
        small = finished(server, Path(folder, "small"), options.baseline)
        with mock.patch.object(planning, "Snapshot", lambda store, _: store):
            measure(f"{options.baseline} shards, one by one", small)
        measure(f"{options.baseline} shards", small)
        measure(f"{options.shards} shards", finished(server, Path(folder, "large"), options.shards))


if __name__ == "__main__":
    main()
