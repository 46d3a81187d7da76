"""The store is away for 90 s in the middle of a search: pods wait, no step is made twice, and everything ends as if nothing had been."""

from __future__ import annotations

import io
import time
from collections import Counter

import pyarrow.parquet as pq
import pytest

from burnqed.layout import Layout
from burnqed.run.argo.nodes import is_over
from burnqed.steps.select import read_selection
from tests.cluster.test_disruption import LONGER
from tests.fixtures.cluster import Cluster

LAYOUT = Layout("outage", 0)
SECONDS = 90.0


def parts(cluster: Cluster) -> list[str]:
    return [path for path in cluster.store.list(LAYOUT.trajectories("main")) if path.endswith(".parquet")]


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_workflow_whose_store_was_away_in_its_search_ends_as_if_it_had_not_been(
    cluster: Cluster, small: list[str]
) -> None:
    settings = [*small, *(word for value in LONGER for word in ("--set", value))]
    name = cluster.submit("iteration", "--iter", "0", "--run", LAYOUT.run, *settings)
    while not parts(cluster):
        assert not is_over(cluster.access.get(name)), cluster.hera("status", name).stdout
        time.sleep(1)
    with cluster.s3.away():
        time.sleep(SECONDS)
    watched = cluster.hera("watch", name)
    assert watched.returncode == 0, watched.stdout[-3000:] + cluster.hera("logs", name, "--step", "search").stdout
    tasks = cluster.tasks(name)
    assert {task.phase for task in tasks.values()} <= {"Succeeded", "Skipped", "Omitted"}
    assert {len(task.attempts) for task in tasks.values()} <= {0, 1}, "a step was begun again"
    counts: Counter[str] = Counter()
    for path in parts(cluster):
        rows = pq.read_table(io.BytesIO(cluster.store.read_bytes(path)), columns=["theorem", "status"]).to_pylist()
        assert "error" not in {row["status"] for row in rows}
        counts.update(row["theorem"] for row in rows if row["status"] is not None)
    assert counts == Counter(theorem.name for theorem in read_selection(cluster.store, LAYOUT.selection).theorems)
    logs = [cluster.store.read_text(path) for path in cluster.store.list(LAYOUT.logs) if "/search(" in path]
    waited = [log for log in logs if "does not answer" in log]
    assert waited
    assert all("answers again" in log for log in waited)
