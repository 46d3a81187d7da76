"""`doctor` looks into what is there, not only whether it is."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from burnqed.cli import doctor
from burnqed.config import LeanConfig
from burnqed.lean.embedded import install
from burnqed.lean.pantograph.project import FILE, Project, mathlib


@pytest.fixture
def baked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation, small, with its digests."""
    monkeypatch.setattr(install, "baked_folder", lambda: tmp_path)
    for name in ("lean.js", "lean.wasm"):
        (tmp_path / name).write_text(name)
    digests = {file.name: install.digest(file) for file in tmp_path.iterdir()}
    (tmp_path / install.DIGESTS).write_text(json.dumps(digests))
    return tmp_path


def advice() -> str:
    (found,) = (finding.advice for finding in doctor.lean(LeanConfig()) if finding.what == "Lean")
    return found


def test_the_project_that_is_configured_is_looked_at_and_needed(tmp_path: Path) -> None:
    described = Project(
        **mathlib().model_dump(), repl=("/gone/repl",), checker=("/gone/checker",), environment={}, readable=()
    )
    (tmp_path / FILE).write_text(described.model_dump_json())
    found = {f.what: f for f in doctor.lean(LeanConfig(backend="pantograph", project=str(tmp_path)))}
    assert (found["Pantograph"].found, found["Pantograph"].needed) == ("gone: /gone/repl", True)
    assert not found["Lean"].needed
    (tmp_path / FILE).unlink()
    (absent,) = (f for f in doctor.lean(LeanConfig(project=str(tmp_path))) if f.what == "Lean backend pantograph")
    assert (f"{tmp_path} holds no project.json" in absent.advice, absent.needed) == (True, False)


def test_an_installation_as_it_was_made_is_well(baked: Path) -> None:
    assert advice() == ""


@pytest.mark.parametrize("name", ["lean.wasm", install.DIGESTS])
def test_a_damaged_installation_is_noticed(baked: Path, name: str) -> None:
    content = (baked / name).read_bytes()
    (baked / name).write_bytes(content[:-1])
    assert advice() == f"{name} is not what was installed; run `burnqed lean install --force`"
    (baked / name).unlink()
    assert advice() == f"{name} is not what was installed; run `burnqed lean install --force`"


@pytest.mark.parametrize("address", ["file", "file/below/it", "/dev/null/x", "http://x", "", "s3://"])
def test_a_store_that_cannot_be_written_is_said(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    (finding,) = doctor.storage(address)
    assert finding.advice
    assert finding.needed


def test_a_store_that_can_be_created_is_ok_and_not_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (finding,) = doctor.storage("new/runs")
    assert (finding.found, finding.advice) == ("new/runs (will be created)", "")
    assert list(tmp_path.iterdir()) == []


def test_packages_that_every_process_compiles_anew_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "learned").mkdir()
    (tmp_path / "learned/__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (writable,) = doctor.bytecode("learned")
    assert (writable.found, writable.advice) == ("learned is compiled when it is first imported", "")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (forgotten,) = doctor.bytecode("learned")
    assert not forgotten.needed
    command = shlex.split(forgotten.advice.partition(";")[0])
    subprocess.run(command, check=True)
    (compiled,) = doctor.bytecode("learned")
    assert (compiled.found, compiled.advice) == ("learned is compiled", "")
    assert doctor.bytecode("unlearned") == []
