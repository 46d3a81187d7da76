"""The `hera` command: ours for what is ours, Hera's for the rest, and its repair."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from burnqed.cli.hera_script import is_ours, repair
from burnqed.errors import BadInput

HERAS_OWN = "#!/usr/bin/python\nimport sys\nfrom hera.__main__ import main\nsys.exit(main())\n"


def run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("KUBECONFIG", "ARGO_SERVER")} | {
        "HOME": "/nonexistent"
    }
    return subprocess.run([script, *arguments], capture_output=True, text=True, env=environment)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """Hera's own, repaired."""
    path = tmp_path / "hera"
    path.write_text(HERAS_OWN)
    assert not is_ours(path)
    repair(path)
    return path


def test_after_a_repair_the_command_submits(script: Path) -> None:
    assert is_ours(script)
    assert [p.name for p in script.parent.iterdir()] == ["hera"]
    done = run(script, "submit", "iteration", "--iter", "0", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n" in done.stdout
    assert run(script, "submit", "iteratoin", "--dry-run").returncode == 2


def test_hera_s_own_commands_are_passed_on(script: Path) -> None:
    done = run(script, "generate", "--help")
    assert done.returncode == 0, done.stderr
    assert "Generate YAML from Python" in done.stdout


def test_a_script_that_cannot_be_replaced_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="burnqed submit"):
        repair(tmp_path / "absent" / "hera")
