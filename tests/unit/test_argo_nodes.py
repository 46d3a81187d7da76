"""Argo's flat map of nodes, read as tasks, shards and attempts."""

from __future__ import annotations

from typing import Any

from burnqed.run.argo.nodes import is_over, phase_of, suspended, tasks_of
from burnqed.run.works import parameters_of


def node(name: str, kind: str, phase: str, *children: str, **more: Any) -> dict[str, Any]:
    full = f"w-1.{name}"
    return {
        "id": name,
        "name": full,
        "displayName": name,
        "type": kind,
        "phase": phase,
        "children": list(children),
        **more,
    }


def workflow(*nodes: dict[str, Any], phase: str = "Running") -> dict[str, Any]:
    return {"metadata": {"name": "w-1"}, "status": {"phase": phase, "nodes": {n["id"]: n for n in nodes}}}


def test_a_task_is_shown_once_with_its_attempts_in_order() -> None:
    second = node("data(1)", "Pod", "Running", startedAt="2026-01-01T00:02:00Z", templateName="data")
    first = node(
        "data(0)", "Pod", "Error", startedAt="2026-01-01T00:00:00Z", templateName="data", message="pod deleted"
    )
    retry = node("data", "Retry", "Running", "data(1)", "data(0)", startedAt="2026-01-01T00:00:00Z")
    (task,) = tasks_of(workflow(second, retry, first))
    assert (task.task, task.phase, task.message) == ("data", "Running", "")
    assert [(a.phase, a.message) for a in task.attempts] == [("Error", "pod deleted"), ("Running", "")]
    assert len({a.pod for a in task.attempts}) == 2
    assert all(a.pod.startswith("w-1-data-") for a in task.attempts)


def test_a_pod_is_called_by_workflow_template_and_the_hash_of_its_node() -> None:
    pod = node("data(0)", "Pod", "Running", templateName="data") | {"id": "w-1-1895360977"}
    long = pod | {"templateName": "t" * 300}
    assert [task.attempts[0].pod for given in (pod, long) for task in tasks_of(workflow(given))] == [
        "w-1-data-1895360977",
        f"w-1-{'t' * 238}-1895360977",
    ]
    alone = pod | {"id": "w-1", "name": "w-1", "displayName": "w-1"}
    assert tasks_of(workflow(alone))[0].attempts[0].pod == "w-1"


def test_a_stopped_task_ended_as_its_last_attempt_did_though_argo_leaves_it_running() -> None:
    pod = node("base(0)", "Pod", "Failed", startedAt="2026-01-01T00:00:00Z", finishedAt="2026-01-01T00:00:09Z")
    retry = node("base", "Retry", "Running", "base(0)", startedAt="2026-01-01T00:00:00Z")
    (task,) = tasks_of(workflow(retry, pod, phase="Failed"))
    assert (task.phase, task.seconds) == ("Failed", 9)


def test_shards_are_named_by_their_number_not_by_their_place() -> None:
    group = node("search", "TaskGroup", "Running", "search(0:3)")
    shard = node("search(0:3)", "Retry", "Pending", startedAt="2026-01-01T00:00:00Z")
    skipped = node("base", "Skipped", "Skipped", startedAt="2025-12-31T23:59:59Z")
    assert [(t.task, t.phase) for t in tasks_of(workflow(group, shard, skipped))] == [
        ("base", "Skipped"),
        ("search(3)", "Pending"),
    ]


def test_only_a_question_that_is_open_waits_for_an_answer() -> None:
    asked, answered = node("decide", "Suspend", "Running"), node("sure", "Suspend", "Succeeded")
    assert [n["id"] for n in suspended(workflow(asked, answered))] == ["decide"]


def test_a_workflow_that_the_controller_has_not_seen_is_pending() -> None:
    fresh: dict[str, Any] = {"metadata": {"name": "w-1"}}
    assert (phase_of(fresh), is_over(fresh), tasks_of(fresh)) == ("Pending", False, [])
    assert is_over(workflow(phase="Failed"))


def test_parameters_are_those_of_the_template_under_its_own() -> None:
    template = {"arguments": {"parameters": [{"name": "run", "value": "main"}, {"name": "iteration", "default": "0"}]}}
    started = {
        "spec": {"arguments": {"parameters": [{"name": "run", "value": "other"}]}},
        "status": {"storedWorkflowTemplateSpec": template},
    }
    assert parameters_of(started) == {"run": "other", "iteration": "0"}
