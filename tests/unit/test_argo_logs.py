"""Logs of a workflow: of its pods while they are there, then of the store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.run.argo.access import Access
from burnqed.run.argo.logs import Wanted, log_lines
from burnqed.store import Store

ARGO_S_OWN = "time=2026-01-01 level=info msg=capturing argo=true"


@dataclass
class Pods:
    """A cluster with one workflow of three shards, and what its pods wrote as far as they are there."""

    parameters: dict[str, str]
    written: dict[int, list[str]] = field(default_factory=dict)

    def get(self, name: str) -> dict[str, Any]:
        nodes = [
            {"id": f"n{i}", "name": f"{name}.search({i}:{i})", "displayName": f"search({i}:{i})", "type": "Pod", "phase": "Succeeded",
             "startedAt": f"2026-01-01T00:00:0{i}Z", "templateName": f"search{i}"}
            for i in range(3)
        ]  # fmt: skip
        given = [{"name": key, "value": value} for key, value in self.parameters.items()]
        return {
            "metadata": {"name": name},
            "spec": {"arguments": {"parameters": given}},
            "status": {"phase": "Succeeded", "nodes": {n["id"]: n for n in nodes}},
        }

    def logs(self, name: str, pod: str, container: str, *, follow: bool) -> Iterator[str]:
        (shard,) = (i for i in range(3) if f"-search{i}-" in pod)
        yield from self.written.get(shard, [])


def lines(pods: Pods, **wanted: Any) -> list[tuple[str, str]]:
    return list(log_lines(cast(Access, pods), "w-1", Wanted(**wanted), follow=False))


def test_a_pod_that_is_gone_has_its_log_in_the_store_and_no_other_workflow_s(tmp_path: Path) -> None:
    store, layout = Store(str(tmp_path)), Layout("main", 1)
    for name in ("w-1", "w-2"):
        store.write_text(layout.log(name, "search(1)", 0, "main"), f"kept of {name}\n")
    pods = Pods({"store": str(tmp_path), "run": "main", "iteration": "1"}, {0: ["live", ARGO_S_OWN]})
    assert lines(pods) == [("search(0)", "live"), ("search(1)", "kept of w-1")]
    assert lines(pods, step="search", shard=1) == [("search(1)", "kept of w-1")]


def test_a_workflow_that_is_not_ours_has_the_logs_of_its_pods() -> None:
    assert lines(Pods({}, {2: ["theirs"]})) == [("search(2)", "theirs")]


def test_a_step_that_did_not_run_is_bad_input_that_names_those_that_did() -> None:
    with pytest.raises(BadInput, match="its steps so far: search"):
        lines(Pods({}), step="sft")
