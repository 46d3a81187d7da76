"""Workflows that create others: what a child is, and how the local runner walks it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hera.workflows import Workflow

from burnqed.errors import BadInput
from burnqed.layout import iterations_of
from burnqed.resolve import from_json, resolve
from burnqed.run.expressions import Phase, substitute
from burnqed.run.local import LocalRunner, RunResult
from burnqed.run.vocabulary import check
from burnqed_workflows import iteration, iterations
from burnqed_workflows.children import manifest

OVERRIDES = ["lean.heartbeats=123456", "trainer.memory=9Gi"]


def series(iters: str = "0..2") -> Workflow:
    config = resolve("smoke", OVERRIDES).config
    return iterations.build(config, store='runs "of" mine', run="r", iters=iters, gate="auto")


def walked(workflow: Workflow, phases: dict[int, Phase]) -> tuple[RunResult, list[dict[str, Any]]]:
    """The result, and the children that were created; each ends as `phases` says."""
    created: list[dict[str, Any]] = []

    async def child(document: dict[str, Any]) -> RunResult:
        check(document)
        created.append(document)
        return RunResult(phases.get(parameters(document)["iteration"], Phase.SUCCEEDED))

    return asyncio.run(LocalRunner(workflow, child=child, echo=lambda _: None).run()), created


def parameters(document: dict[str, Any]) -> dict[str, Any]:
    given = {p["name"]: p["value"] for p in document["spec"]["arguments"]["parameters"]}
    return {**given, "iteration": int(given["iteration"])}


def test_a_child_is_the_workflow_that_would_have_been_submitted_alone() -> None:
    config = resolve("smoke", OVERRIDES).config
    _, created = walked(series(), {})
    assert len(created) == 3
    for number, document in enumerate(created):
        alone = iteration.build(config, store='runs "of" mine', run="r", iteration=number, gate="auto").to_dict()
        assert from_json(parameters(document)["config"]) == config
        assert parameters(document) == parameters(alone)
        assert {**document["spec"], "arguments": {}} == {**alone["spec"], "arguments": {}}


def test_a_child_is_named_after_its_parent_and_owned_by_it() -> None:
    _, (first, *_) = walked(series(), {})
    metadata = first["metadata"]
    assert metadata["name"] == "local-iter-0"
    assert (
        metadata["labels"].items()
        >= {"burnqed.dev/parent": "local", "burnqed.dev/run": "r", "burnqed.dev/iteration": "0"}.items()
    )
    (owner,) = metadata["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("Workflow", "local", True)


def test_no_placeholder_of_a_child_can_be_taken_for_its_parent_s() -> None:
    document = iteration.build(resolve("smoke").config, store="s", run="r", iteration=0).to_dict()
    text = manifest(document)
    assert "{{workflow.name}}-{{inputs.parameters.name}}" in text
    before_arguments = text[text.index('"spec":') : text.rindex('"arguments":')]
    assert "{{" not in before_arguments
    assert "{{workflow.parameters.store}}" in json.dumps(json.loads("{" + before_arguments.rstrip(", ") + "}}"))


def test_an_iteration_that_fails_ends_the_series() -> None:
    result, created = walked(series(), {1: Phase.FAILED})
    assert [parameters(document)["iteration"] for document in created] == [0, 1]
    assert {node.name: node.phase.value for node in result.nodes} == {
        "iter-0": "Succeeded",
        "iter-1": "Failed",
        "iter-2": "Omitted",
    }
    assert result.phase is Phase.FAILED


def test_the_exit_code_is_that_of_the_child_that_failed() -> None:
    async def child(_: dict[str, Any]) -> RunResult:
        from burnqed.run.local import Node

        return RunResult(Phase.FAILED, [Node("sft", Phase.FAILED, 75)])

    result = asyncio.run(LocalRunner(series(), child=child, echo=lambda _: None).run())
    assert result.exit_code == 75


@pytest.mark.parametrize("text", ["0", "2..1", "a..b", "0..", "-1..2", "0..1..2", ""])
def test_iterations_are_a_range(text: str) -> None:
    with pytest.raises(BadInput, match=r"write FIRST\.\.LAST"):
        iterations_of(text)
    assert [*iterations_of("2..4")] == [2, 3, 4]
    assert [*iterations_of("3")] == [0, 1, 2]


def test_a_value_becomes_json_where_the_workflow_says_so() -> None:
    values = {"workflow.parameters.worker-image": 'a "b"'}
    assert substitute("{{=toJson(workflow.parameters['worker-image'])}}", values) == json.dumps('a "b"')
    with pytest.raises(BadInput, match="has no value"):
        substitute("{{=toJson(workflow.parameters['other'])}}", values)
