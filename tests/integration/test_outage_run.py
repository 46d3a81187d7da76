"""The S3 server is killed in the middle of a run's steps: the run waits, and ends as if nothing had been.

make test-outage      # for 90 s in each of data, sft, search, evaluate and report; `make test` does two short ones
"""

from __future__ import annotations

import io
import os
import sys
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from burnqed.layout import Layout
from burnqed.lifeline import Child
from burnqed.record import output, read_record
from burnqed.steps.select import read_selection
from burnqed.store import Store
from burnqed.train.sft import OUTCOME_FILE
from tests.fixtures.s3 import S3Server
from tests.fixtures.wheel import STORE
from tests.integration.test_kill import RUN, WITHOUT_HEAD, phase

SECONDS = float(os.environ.get("BURNQED_OUTAGE", "0"))
STEPS = ("data", "sft", "search", "evaluate", "report")
LAYOUT = Layout("main", 0)


def run_with_outages(
    store: Store, server: S3Server, log: Path, steps: Sequence[str], seconds: float, options: Sequence[str] = ()
) -> str:
    """Runs the smoke profile; kills the server once in each of the steps, for so many seconds and until it is missed. Returns what was printed."""
    with log.open("wb") as output:
        process = Child(
            [sys.executable, "-m", "burnqed.cli.main", *RUN, store.uri, *options],
            env={**os.environ, "TMPDIR": str(log.parent)},
            stdout=output,
            stderr=output,
        )
    try:
        for step in steps:
            while process.poll() is None and not phase(log).startswith(step):
                time.sleep(0.05)
            if process.poll() is None:
                noticed = missed(log)
                with server.away():
                    time.sleep(seconds)
                    while process.poll() is None and missed(log) == noticed:  # a step that computes asks for nothing
                        time.sleep(0.05)
        code = process.wait()
    finally:
        process.end(10)
    said = log.read_text()
    assert code == 0, said[-5000:]
    return said


def missed(log: Path) -> int:
    return log.read_text().count("does not answer")


def check(store: Store, said: str, steps: Sequence[str]) -> None:
    """Everything is there once, and no step was made twice for it."""
    assert "exit code" not in said, "a step ended"
    assert said.count("answers again") >= len(steps)
    names = [theorem.name for theorem in read_selection(store, LAYOUT.selection).theorems]
    for variant in ("main", "noise"):
        counts: Counter[str] = Counter()
        for path in store.list(LAYOUT.trajectories(variant)):
            if path.endswith(".parquet"):
                rows = pq.read_table(io.BytesIO(store.read_bytes(path)), columns=["theorem", "status"]).to_pylist()
                assert "error" not in {row["status"] for row in rows}
                counts.update(row["theorem"] for row in rows if row["status"] is not None)
        assert counts == Counter(names)
    logs = [path.rpartition("/")[2] for path in store.list(LAYOUT.logs)]
    assert {"report-0-main.log", "search(0)-0-main.log"} <= set(logs)
    assert store.read_text(f"{output(store, LAYOUT.report)}/index.html").rstrip().endswith("</html>")


def losses(store: Store) -> list[float]:
    return [row["loss"] for row in store.read_json(f"{output(store, LAYOUT.adapter)}/{OUTCOME_FILE}")["rows"]]


@pytest.mark.long
def test_a_run_whose_store_was_away_in_its_search_and_its_report_ends_as_if_it_had_not_been(
    tmp_path: Path, smoke_run: Path, s3: S3Server
) -> None:
    """The small version of `make test-outage`; what comes before the search is there already."""
    store = Store(f"s3://{s3.bucket}/{uuid.uuid4().hex}")
    for file in sorted((smoke_run / STORE).rglob("*")):
        path = file.relative_to(smoke_run / STORE).as_posix()
        if file.is_file() and "/logs/" not in path and not path.startswith(LAYOUT.trajectories("main")):
            store.upload_file(file, path)
    steps = ("search", "report")
    said = run_with_outages(store, s3, tmp_path / "run.log", steps, 3.0, WITHOUT_HEAD)
    check(store, said, steps)


@pytest.mark.timeout(3600)
@pytest.mark.skipif(not SECONDS, reason="takes half an hour; `make test-outage` runs it")
def test_a_run_whose_store_was_away_in_every_kind_of_step_ends_as_if_it_had_not_been(
    tmp_path: Path, s3: S3Server
) -> None:
    store = Store(f"s3://{s3.bucket}/{uuid.uuid4().hex}")
    said = run_with_outages(store, s3, tmp_path / "run.log", STEPS, SECONDS)
    print("\n".join(line for line in said.splitlines() if "the store at" in line))
    check(store, said, STEPS)
    undisturbed = Store(f"s3://{s3.bucket}/{uuid.uuid4().hex}")
    run_with_outages(undisturbed, s3, tmp_path / "undisturbed.log", (), 0)
    for unit in (LAYOUT.data, LAYOUT.base, LAYOUT.selection):
        records = [read_record(s, unit) for s in (store, undisturbed)]
        assert len({record.digest for record in records if record}) == 1, unit
    assert losses(store) == pytest.approx(losses(undisturbed))
