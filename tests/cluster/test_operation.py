"""Operating a workflow: what fails is mended and retried alone, what is asked is answered, what is wrong is said before anything runs."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from burnqed.run.argo.nodes import phase_of, suspended, tasks_of
from burnqed.store import Store
from tests.cluster.conftest import Cluster

PATIENCE_S = 300


def wait_for(what: Callable[[], object], seconds: float = PATIENCE_S) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not come to that"
        time.sleep(1)


def submit(cluster: Cluster, *words: str, **environment: str) -> str:
    done = cluster.burnqed("submit", *words, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[0]


def phase(cluster: Cluster, name: str) -> str:
    return phase_of(cluster.access.get(name))


def index(cluster: Cluster, name: str) -> str:
    """A theorem index in the store; returns its address."""
    Store(cluster.store).write_text(f"indices/{name}.json", '[{"name": "a", "statement": "1 + 1 = 2"}]')
    return f"{cluster.store}/indices/{name}.json"


@pytest.mark.timeout(900)
def test_a_wrong_value_is_mended_by_a_retry_with_another_one(cluster: Cluster) -> None:
    source = index(cluster, "value")
    name = submit(
        cluster, "import-data", "--source", source, "--name", "v", "--run", "value", "--set", "lean.check_timeout_s=60"
    )
    wait_for(lambda: phase(cluster, name) == "Succeeded")
    done = cluster.burnqed("retry", name)
    assert done.returncode == 2, "what succeeded is not retried"
    assert "Traceback" not in done.stderr


@pytest.mark.timeout(900)
def test_a_bug_in_the_image_is_mended_by_a_retry_with_another_image(cluster: Cluster) -> None:
    """The trainer's image cannot read Lean's answers: it has no Lean. The step fails; with the right image it succeeds."""
    source = index(cluster, "image")
    name = submit(cluster, "import-data", "--source", source, "--name", "i", "--run", "image", "--image", "broken")
    wait_for(lambda: phase(cluster, name) in ("Failed", "Error"))
    retried = cluster.burnqed("retry", name, "--image", "test", "--watch")
    assert retried.returncode == 0, retried.stdout + retried.stderr
    assert Store(cluster.store).exists("image/inputs/i.json")


@pytest.mark.timeout(900)
def test_a_question_is_listed_shown_and_answered(cluster: Cluster) -> None:
    Store(cluster.store).write_text("asked/iterations/iter_0/x", "x")
    for answer, left in (("--no", True), ("", False)):
        name = submit(cluster, "clean", "--iter", "0", "--run", "asked")
        wait_for(lambda name=name: suspended(cluster.access.get(name)))  # type: ignore[misc]
        assert "waits for an answer" in cluster.burnqed("status", name).stdout
        assert name in cluster.burnqed("list", through="server").stdout
        done = cluster.burnqed("approve", name, *filter(None, [answer]))
        assert done.returncode == 0, done.stderr
        wait_for(lambda name=name: phase(cluster, name) == "Succeeded")  # type: ignore[misc]
        assert Store(cluster.store).exists("asked/iterations/iter_0/x") == left
    done = cluster.burnqed("approve", name)
    assert done.returncode == 2
    assert "does not wait for an answer" in done.stderr


@pytest.mark.timeout(900)
def test_stop_ends_a_workflow_and_its_pods(cluster: Cluster) -> None:
    name = submit(cluster, "smoke", "--run", "stopped")
    wait_for(lambda: any(t.task == "data" and t.phase == "Running" for t in tasks_of(cluster.access.get(name))))
    assert cluster.burnqed("stop", name).returncode == 0
    wait_for(lambda: phase(cluster, name) == "Failed", 120)
    assert cluster.burnqed("watch", name).returncode == 1


BAD = [
    (("--namespace", "nowhere"), {}, "chart is not installed in the namespace nowhere"),
    (("--iter", "3"), {}, "Iteration 2 of the run 'main'"),
    (("--store", "folder"), {}, "pods do not see"),
    ((), {"KUBECONFIG": "/nonexistent"}, "no way to a cluster"),
    ((), {"ARGO_SERVER": "10.88.0.1:1", "ARGO_SECURE": "false"}, "does not answer"),
]


@pytest.mark.parametrize(("words", "environment", "said"), BAD, ids=[said for _, _, said in BAD])
def test_what_is_wrong_is_one_sentence_before_anything_is_submitted(
    cluster: Cluster, words: tuple[str, ...], environment: dict[str, str], said: str
) -> None:
    before = len(cluster.access.list())
    given = ("--iter", "0", *words) if "--iter" not in words else words
    done = cluster.burnqed("submit", "iteration", *given, **environment)
    assert done.returncode in (2, 75), done.stdout + done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(cluster.access.list()) == before


def test_a_wrong_token_is_one_sentence(cluster: Cluster) -> None:
    done = cluster.burnqed("list", through="server", ARGO_TOKEN="wrong")
    assert done.returncode == 2
    assert "ARGO_TOKEN" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_secret_is_said_before_anything_is_submitted(cluster: Cluster) -> None:
    core, name = cluster.access.core, "burnqed-store"
    kept = core.read_namespaced_secret(name, cluster.namespace)
    core.delete_namespaced_secret(name, cluster.namespace)
    try:
        done = cluster.burnqed("submit", "iteration", "--iter", "0")
        assert done.returncode == 2
        assert f"The Secret {name} is missing" in done.stderr
    finally:
        kept.metadata.resource_version = None
        core.create_namespaced_secret(cluster.namespace, kept)
