"""A package that is not burnqed's, installed by pip from a folder, brings a Lean backend and a head along; a whole iteration uses both."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import burnqed
from burnqed.store import Store
from tests.fixtures.shared import ROOT
from tests.fixtures.wheel import UV

SMALL = ROOT / "tests/fixtures/stores/75ab427.yaml"
"""Next to nothing to do."""
THEIRS = ("--set", "lean.backend=noted", "--set", "ebm.head=bilinear")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """With the package on the path."""
    folder = tmp_path_factory.mktemp("installed")
    package = ROOT / "tests/fixtures/plugin"
    command = [UV, "pip", "install", "--quiet", "--no-deps", "--python", sys.executable, "--target", folder, package]
    subprocess.run(command, check=True)
    inherited = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [inherited, str(folder)]))}


def run(environment: dict[str, str], *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "burnqed.cli.main", *words]
    return subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_an_iteration_searches_with_their_lean_and_trains_and_serves_their_head(
    environment: dict[str, str], tmp_path: Path
) -> None:
    words = ("run", "iteration", "--iter", "0", "--profile", str(SMALL), "--store", "here")
    done = run(environment, *words, *THEIRS, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "the noted Lean starts" in done.stdout + done.stderr
    (iteration,) = burnqed.Run(str(tmp_path / "here")).iterations
    plain, guided = iteration.results.evaluations
    assert plain.lean_version.startswith("noted ")
    assert plain.header == "set_option autoImplicit false\n"
    assert guided.head is not None
    store = Store(str(tmp_path / "here"))
    (description,) = (path for path in store.list("main/iterations/iter_0/ebm/final") if path.endswith("head.json"))
    assert store.read_json(description)["kind"] == "bilinear"
    assert store.read_json(description)["head_id"] == guided.head
    again = run(environment, *words, *THEIRS, cwd=tmp_path)
    assert again.returncode == 0
    assert "miss" not in again.stdout + again.stderr


def test_doctor_lists_them_and_says_what_cannot_be_imported(environment: dict[str, str], tmp_path: Path) -> None:
    printed = " ".join(run({**environment, "COLUMNS": "400"}, "doctor", cwd=tmp_path).stdout.split())
    assert "mlp, mlp-without-goal, relative, relative-without-goal, bilinear" in printed
    assert "Lean backend unimportable" in printed
    assert "burnqed_plugin.missing:Lean: ModuleNotFoundError" in printed


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("lean.backend=other", "no Lean backend 'other'; there are: embedded, pantograph, noted, unimportable."),
        (
            "lean.backend=unimportable",
            "The Lean backend 'unimportable' cannot be loaded (burnqed_plugin.missing:Lean: ",
        ),
        (
            "ebm.head=cubic",
            "no head 'cubic'; there are: mlp, mlp-without-goal, relative, relative-without-goal, bilinear.",
        ),
    ],
)
def test_what_is_not_there_is_said_before_anything_runs(
    environment: dict[str, str], tmp_path: Path, setting: str, said: str
) -> None:
    words = ("run", "iteration", "--iter", "0", "--profile", str(SMALL), "--store", "here", "--set", setting)
    done = run(environment, *words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stdout + done.stderr
    assert not (tmp_path / "here/main/data").exists()
