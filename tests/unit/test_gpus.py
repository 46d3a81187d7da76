"""A container whose pool has GPUs never computes without them: it says so at once, and the search beside it hears it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from burnqed.cli.main import app
from burnqed.errors import BadInput
from burnqed.machine import GPUS, check_gpus
from burnqed.policy import refusal
from burnqed.policy.refusal import not_refused, noted
from tests.unit.test_workflow import built

MISSING = r"pool has 99 GPU\(s\), and torch sees \d+;"
"""More than any machine has."""


def test_containers_of_pools_with_gpus_are_told_how_many_and_others_nothing() -> None:
    for template in built("default", "iteration", "trainer.gpus=2", "serving.gpus=1")["spec"]["templates"]:
        for container in [template.get("container", {}), *template.get("sidecars", [])]:
            limits = container.get("resources", {}).get("limits", {})
            told = {e["name"]: e["value"] for e in container.get("env", [])}.get(GPUS)
            assert told == limits.get("nvidia.com/gpu"), (template["name"], told)


def test_gpus_that_are_there_are_enough_and_without_torch_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    check_gpus()
    monkeypatch.setenv(GPUS, "2")
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=SimpleNamespace(device_count=lambda: 2)))
    check_gpus()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(BadInput, match="torch sees 0"):
        check_gpus()


@pytest.mark.parametrize(
    "step", ["base", "sft", "export", "embed --stage final", "ebm --stage final", "import-model --source m --name m"]
)
def test_a_step_ends_before_it_does_anything(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(GPUS, "99")
    done = CliRunner().invoke(app, ["step", *step.split(), "--iter", "0", "--store", str(tmp_path / "store")])
    assert isinstance(done.exception, BadInput)
    assert done.exception.args[0].startswith("The container's pool has 99 GPU(s)")
    assert not (tmp_path / "store").exists()


def test_a_policy_server_ends_too_and_the_search_beside_it_hears_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(GPUS, "99")
    monkeypatch.setenv(refusal.VARIABLE, str(tmp_path / "shared" / "refusal"))
    assert not_refused()
    done = CliRunner().invoke(app, ["serve", "--iter", "0", "--store", str(tmp_path / "store")])
    assert isinstance(done.exception, BadInput)
    with pytest.raises(BadInput, match=f"^The policy server ended: .*{MISSING}"):
        not_refused()


def test_only_bad_input_is_final(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(refusal.VARIABLE, str(tmp_path / "refusal"))
    with pytest.raises(RuntimeError), noted():
        raise RuntimeError
    assert not_refused()
    monkeypatch.delenv(refusal.VARIABLE)
    with pytest.raises(BadInput), noted():
        raise BadInput("no")
    assert not_refused()
    assert os.listdir(tmp_path) == []
