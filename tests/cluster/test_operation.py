"""Operating a workflow: what fails is mended and retried alone, what is asked is answered, what is wrong is said before anything runs."""

from __future__ import annotations

import pytest

from burnqed.data.theorems import dump_index, shipped_benchmark
from burnqed.run.argo.nodes import TaskNode, phase_of, suspended, tasks_of
from burnqed.steps.indices import some
from tests.fixtures.cluster import TAG, Cluster, has_failed, publish, without_secret

BROKEN = "broken"


def runs_of(tasks: dict[str, TaskNode]) -> dict[str, list[str]]:
    """The pods of each task that had any, and when it began; without the exit handler, which runs at every end."""
    return {
        name: [str(task.started), *(a.pod for a in task.attempts)]
        for name, task in tasks.items()
        if task.attempts and not name.endswith(".onExit")
    }


def check_retried(cluster: Cluster, name: str, failed: str, before: dict[str, list[str]]) -> None:
    """Everything succeeded, and nothing that had succeeded before ran again."""
    tasks = cluster.tasks(name)
    assert phase_of(cluster.access.get(name)) == "Succeeded"
    assert tasks[failed].phase == "Succeeded"
    kept = {task: runs for task, runs in before.items() if task != failed}
    assert kept
    assert {task: runs for task, runs in runs_of(tasks).items() if task in kept} == kept


@pytest.mark.timeout(900)
def test_a_missing_secret_is_mended_by_making_it(cluster: Cluster, iterations: list[str], small: list[str]) -> None:
    name = cluster.submit("iteration", "--iter", "1", "--gate", "ask", *small)
    cluster.wait(name, suspended)
    with without_secret(cluster):
        assert cluster.hera("approve", name).returncode == 0
        cluster.wait(name, has_failed)
    before = runs_of(cluster.tasks(name))
    assert before.keys() == {"plan", "decision"}
    assert "s3://" in cluster.hera("logs", name, "--step", "decision", through="server").stdout
    done = cluster.hera("retry", name, "--watch")
    assert done.returncode == 0, done.stdout + done.stderr
    check_retried(cluster, name, "decision", before)


@pytest.mark.timeout(900)
def test_a_wrong_value_is_mended_by_a_retry_with_the_right_one(cluster: Cluster, small: list[str]) -> None:
    """Then the workflow is stopped, in a step that would take long."""
    cluster.store.write_text("mended/inputs/right.json", '[{"name": "a", "statement": "1 + 1 = 2"}]')
    cluster.store.write_text("mended/inputs/wrong.json", dump_index(some(shipped_benchmark(), 8, lambda t: t.name)))
    given = ("--set", "data.theorems=inputs/wrong.json", "--set", "sft.steps=100000")
    name = cluster.submit("iteration", "--iter", "0", "--run", "mended", *small, *given)
    cluster.wait(name, has_failed)
    before = runs_of(cluster.tasks(name))
    assert before.keys() == {"plan", "benchmark", "data"}
    assert "is also in a benchmark" in cluster.hera("logs", name, "--step", "data").stdout
    done = cluster.hera("retry", name, "--set", "data.theorems=inputs/right.json")
    assert done.returncode == 0, done.stderr
    cluster.wait(name, lambda w: any(t.task == "sft" and t.phase == "Running" for t in tasks_of(w)))
    after = cluster.tasks(name)
    assert after["data"].phase == "Succeeded"
    assert all(runs_of(after)[task] == before[task] for task in ("plan", "benchmark"))
    assert cluster.hera("stop", name, through="server").returncode == 0
    stopped = cluster.wait(name, has_failed, seconds=120)
    assert {t.phase for t in tasks_of(stopped)} - {"Omitted"} == {"Succeeded", "Failed"}
    (sft,) = (t for t in tasks_of(stopped) if t.task == "sft")
    assert (sft.phase, len(sft.attempts)) == ("Failed", 1)
    assert cluster.hera("watch", name).returncode == 1


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_bug_in_the_image_is_mended_by_a_retry_with_another_image(
    cluster: Cluster, iterations: list[str], small: list[str]
) -> None:
    publish(f"burnqed-worker:{BROKEN}", "-f", "tests/cluster/broken.Dockerfile", "--build-arg", f"WORKER={cluster.worker}")  # fmt: skip
    name = cluster.submit("evaluate", "--iter", "0", "--redo", "report", "--image", BROKEN, *small)
    cluster.wait(name, has_failed)
    before = runs_of(cluster.tasks(name))
    assert {task: len(runs) for task, runs in before.items()} == {"plan": 2, "report": 2}, "a bug is not repeated"
    assert "Traceback" in cluster.hera("logs", name, "--step", "report").stdout
    done = cluster.hera("retry", name, "--image", TAG, "--watch", through="server")
    assert done.returncode == 0, done.stdout + done.stderr
    check_retried(cluster, name, "report", before)
    again = cluster.hera("retry", name)
    assert again.returncode == 2, "what succeeded is not retried"
    assert "Traceback" not in again.stderr


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("answer", "left"), [("--no", True), ("", False)], ids=["no", "yes"])
def test_a_question_is_listed_shown_and_answered(cluster: Cluster, answer: str, left: bool) -> None:
    run = f"asked{answer}"
    cluster.store.write_text(f"{run}/iterations/iter_0/x", "x")
    name = cluster.submit("clean", "--iter", "0", "--run", run)
    cluster.wait(name, suspended)
    for through in ("kube", "server"):
        assert "waits for an answer" in cluster.hera("status", name, through=through).stdout
        assert name in cluster.hera("list", through=through).stdout
    done = cluster.hera("approve", name, *filter(None, [answer]))
    assert done.returncode == 0, done.stderr
    assert phase_of(cluster.wait(name)) == "Succeeded"
    assert cluster.store.exists(f"{run}/iterations/iter_0/x") == left
    done = cluster.hera("approve", name)
    assert done.returncode == 2
    assert "is not waiting for an answer" in done.stderr


BAD = [
    (("--namespace", "nowhere"), {}, "chart is not installed in the namespace nowhere"),
    (("--iter", "3"), {}, "Iteration 2 of the run 'main'"),
    (("--store", "folder"), {}, "pods do not see"),
    ((), {"KUBECONFIG": "/nonexistent"}, "No cluster is configured"),
    ((), {"ARGO_SERVER": "127.0.0.1:1"}, "does not answer"),
    ((), {"ARGO_TOKEN": "wrong", "ARGO_SERVER": "the cluster's"}, "ARGO_TOKEN"),
]


@pytest.mark.parametrize(("words", "environment", "said"), BAD, ids=[said for _, _, said in BAD])
def test_what_is_wrong_is_one_sentence_before_anything_is_submitted(
    cluster: Cluster, words: tuple[str, ...], environment: dict[str, str], said: str
) -> None:
    before = len(cluster.access.list())
    if environment.get("ARGO_SERVER") == "the cluster's":
        environment = {**environment, "ARGO_SERVER": cluster.argo}
    done = cluster.hera("submit", "iteration", "--iter", "0", *words, **environment)
    assert done.returncode in (2, 75), done.stdout + done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(cluster.access.list()) == before


def test_a_missing_secret_is_said_before_anything_is_submitted(cluster: Cluster) -> None:
    with without_secret(cluster):
        done = cluster.hera("submit", "iteration", "--iter", "0")
    assert done.returncode == 2
    assert "The Secret burnqed-store is missing" in done.stderr
