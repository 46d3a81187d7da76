"""Ten small workflows end with the same phases under the local runner and under Argo."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass

import pytest
from hera.workflows import Workflow

from burnqed.run.argo.nodes import is_over, phase_of, suspended, tasks_of
from burnqed.run.local import LocalRunner
from tests.fixtures.cluster import Cluster
from tests.fixtures.small_workflows import CASES, mutex


@dataclass(frozen=True)
class Outcome:
    phase: str
    tasks: dict[str, str]
    attempts: dict[str, int]


def here(workflow: Workflow) -> Outcome:
    result = asyncio.run(LocalRunner(workflow, echo=lambda _: None, confirm=lambda _: False).run())
    nodes = {("outcome" if n.name == "exit handler" else n.name): n for n in result.nodes}
    return Outcome(
        result.phase.value,
        {name: n.phase.value for name, n in nodes.items()},
        {name: n.attempts for name, n in nodes.items() if n.attempts},
    )


def there(name: str, cluster: Cluster) -> Outcome:
    found = cluster.wait(name, lambda document: is_over(document) or suspended(document))
    if not is_over(found):
        assert cluster.hera("approve", name, "--no").returncode == 0
        found = cluster.wait(name)
    tasks = {t.task.removesuffix(".onExit").replace(name, "outcome"): t for t in tasks_of(found)}
    return Outcome(
        phase_of(found),
        {task: t.phase for task, t in tasks.items()},
        {task: len(t.attempts) for task, t in tasks.items() if t.attempts},
    )


@pytest.fixture(scope="module")
def created(cluster: Cluster) -> dict[str, str]:
    """Names of the small workflows, all of which run at once: most of their time is waiting."""
    return {case: cluster.create(make()) for case, make in CASES.items()}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", CASES)
def test_both_runners_end_with_the_same_phases(case: str, cluster: Cluster, created: dict[str, str]) -> None:
    assert there(created[case], cluster) == here(CASES[case]())


@pytest.mark.timeout(600)
def test_two_workflows_with_one_mutex_run_one_after_the_other(cluster: Cluster) -> None:
    outcomes: list[Outcome] = []
    names = [cluster.create(mutex()) for _ in range(2)]
    threads = [
        threading.Thread(target=lambda name: outcomes.append(there(name, cluster)), args=(name,)) for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [here(mutex()), here(mutex())]
    both = [w for w in cluster.access.list() if "synchronization" in w.get("spec", {})]
    spans = sorted((t.started, t.finished) for w in both for t in tasks_of(cluster.access.get(w["metadata"]["name"])))
    assert spans[0][1] <= spans[1][0]  # type: ignore[operator]
