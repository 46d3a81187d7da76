"""What is done with a workflow reaches those that it has created."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from burnqed.errors import BadInput
from burnqed.resolve import resolve
from burnqed.run.argo import children
from burnqed.run.argo.access import Access
from burnqed.run.argo.logs import Wanted, logs_of_all
from burnqed.run.argo.preflight import check_contradictions, check_images
from burnqed.run.argo.submit import build, retried
from burnqed.run.works import parameters_of, place_of, works_of
from burnqed_workflows import experiment, iterations

PARENT, CHILDREN = (
    "series-x",
    {"series-x-iter-0": "Succeeded", "series-x-iter-1": "Failed", "series-x-iter-2": "Running"},
)
OTHER = "iteration-y"


def node(name: str, task: str) -> dict[str, Any]:
    return {"id": f"{name}-{task}", "name": f"{name}.{task}", "displayName": task, "type": "Pod", "phase": "Succeeded",
            "startedAt": "2026-01-01T00:00:00Z", "templateName": task}  # fmt: skip


@dataclass
class Cluster:
    """A series whose three children have come to different points, and another workflow."""

    stopped: list[str] = field(default_factory=list)
    asked: int = 0

    def phase(self, name: str) -> str:
        """The parent's; it takes some looks to be over once it is stopped."""
        self.asked += name in self.stopped
        return "Failed" if self.asked > 2 else "Running"

    def get(self, name: str) -> dict[str, Any]:
        tasks = ["iter-0", "iter-1", "report"] if name == PARENT else ["plan", "search"]
        templates = [{"name": "child", "resource": {}}] if name == PARENT else [{"name": "plan"}]
        return {
            "metadata": {"name": name},
            "spec": {"templates": templates},
            "status": {
                "phase": CHILDREN.get(name) or self.phase(name),
                "nodes": {task: node(name, task) for task in tasks},
            },
        }

    def list(self, selector: str) -> list[dict[str, Any]]:
        label, _, parent = selector.partition("=")
        assert label == children.PARENT_LABEL
        found = CHILDREN if parent == PARENT else {}
        return [{"metadata": {"name": name}, "status": {"phase": phase}} for name, phase in reversed(found.items())]

    def stop(self, name: str) -> None:
        self.stopped.append(name)

    def logs(self, name: str, pod: str, container: str, *, follow: bool) -> Iterator[str]:
        yield f"of {pod}"


@pytest.fixture
def cluster() -> Any:
    return cast(Access, Cluster())


def test_a_workflow_s_children_are_those_that_say_so_oldest_first(cluster: Any) -> None:
    found = children.children_of(cluster, cluster.get(PARENT))
    assert [each["metadata"]["name"] for each in found] == [*CHILDREN]
    assert children.children_of(cluster, cluster.get(OTHER)) == []


def test_stopping_begins_with_the_parent_so_that_it_creates_no_more(cluster: Any) -> None:
    children.stop(cluster, PARENT, sleep=lambda _: None)
    assert cluster.stopped == [PARENT, "series-x-iter-2"]
    assert cluster.asked == 3, "what it created before it was over is stopped, too"
    children.stop(cluster, PARENT, sleep=lambda _: None)
    assert cluster.stopped == [PARENT, "series-x-iter-2", "series-x-iter-2"], "a workflow that is over is not stopped"


def test_a_retry_begins_with_the_children_that_failed_so_that_the_parent_finds_them_running(cluster: Any) -> None:
    names = [each["metadata"]["name"] for each in children.failed(cluster, cluster.get(PARENT))]
    assert names == ["series-x-iter-1", PARENT]


def test_logs_are_those_of_the_children_each_with_its_name_and_then_the_parent_s_own(cluster: Any) -> None:
    found = list(logs_of_all(cluster, PARENT, Wanted(), follow=False))
    assert [task for task, _ in found] == [
        *(f"{child} {task}" for child in CHILDREN for task in ("plan", "search")),
        "report",
    ]
    assert [t for t, _ in logs_of_all(cluster, PARENT, Wanted("report"), follow=False)] == ["report"]
    with pytest.raises(BadInput, match="nor what it has created"):
        list(logs_of_all(cluster, PARENT, Wanted("sft"), follow=False))


def test_a_retry_with_another_value_changes_it_in_every_child_s_configuration() -> None:
    config = resolve("small").config
    built = experiment.build(config, store="s3://b/p", run="r", iters="2").to_dict()
    changed = retried(built, None, ["search.seconds=77"])
    assert changed.keys() == {"config", "config-raw", "config-joint", "config-control"}
    assert all('"seconds":77.0' in value for value in changed.values())
    assert '"found_proofs":false' in changed["config-control"]


def test_what_a_series_works_on_is_what_its_children_do() -> None:
    config = resolve("small").config
    built = iterations.build(config, store="s", run="r", iters="1..2", redo="data,search").to_dict()
    works = works_of(built)
    assert [(place_of(w)[0].run, place_of(w)[0].iteration) for w in works] == [("r", 1), ("r", 2)]
    assert [parameters_of(w)["redo"] for w in works] == ["data,search", "search"], "what they share is done once"
    built = experiment.build(config, store="s", run="r", iters="2", redo="base,sft").to_dict()
    works = works_of(built)
    places = [place_of(w)[0] for w in works]
    found = [(layout.run, layout.iteration, layout.trunk) for layout in places]
    assert found == [
        ("r", 0, "r"),
        ("r", 1, "r"),
        ("r-raw", 0, "r"),
        *((f"r-{branch}", 1, "r") for branch in ("joint", "control")),
    ]
    assert [parameters_of(w)["redo"] for w in works] == ["base,sft", *["sft"] * 4]


def test_a_contradiction_in_one_branch_is_found_before_anything_runs() -> None:
    config = resolve("small", ["joint.max_loss=0.5"]).config
    built = experiment.build(config, store="s3://b/p", run="r", iters="2").to_dict()
    with pytest.raises(BadInput, match=r"joint\.judged_after"):
        check_contradictions(built)
    with pytest.raises(BadInput, match="No image is given for worker-image"):
        check_images(with_parameter(built, "worker-image", ""))


def test_a_branch_s_name_has_to_fit_into_a_label() -> None:
    run = "r" * 60
    with pytest.raises(BadInput, match=f"{run}-raw.*at most 63"):
        build("experiment", resolve("small").config, None, store="s3://b/p", run=run, image=None, given={"iters": "2"})


def with_parameter(document: dict[str, Any], name: str, value: str) -> dict[str, Any]:
    parameters = [{"name": key, "value": value if key == name else old} for key, old in parameters_of(document).items()]
    return {**document, "spec": {**document["spec"], "arguments": {"parameters": parameters}}}
