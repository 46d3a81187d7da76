"""The Dockerfile: what its stages copy is enough for what they run, and the pods that run it have room."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from burnqed.lean import pool
from burnqed.lean.backends import open_lean
from burnqed.resolve import resolve
from tests.fixtures.shared import ROOT

MODULES = {"embedded": "burnqed.lean.embedded.install", "library": "burnqed.lean.pantograph.library"}
"""What the stages run that install a Lean, by stage: with as few of our files as possible, so that other changes do not repeat it."""


@pytest.mark.parametrize("stage", MODULES)
def test_a_stage_that_installs_a_lean_has_the_files_that_it_needs(stage: str, tmp_path: Path) -> None:
    dockerfile = (ROOT / "images" / "Dockerfile").read_text()
    (text,) = re.findall(rf"^FROM \S+ AS {stage}\n(.*?)^FROM ", dockerfile, re.MULTILINE | re.DOTALL)
    assert MODULES[stage] in text
    for line in re.findall(r"^COPY (burnqed.*)$", text, re.MULTILINE):
        *sources, to = line.split()
        (tmp_path / to).mkdir(parents=True, exist_ok=True)
        for source in sources:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, tmp_path / to, dirs_exist_ok=True)
            else:
                shutil.copy(ROOT / source, tmp_path / to)
    command = (
        f"import sys, {MODULES[stage]}; print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('burnqed')))"
    )
    done = subprocess.run([sys.executable, "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(file.startswith(str(tmp_path)) for file in done.stdout.split())


def test_a_worker_s_pod_of_the_cluster_profile_has_room_for_a_process_on_three_quarters_of_its_processors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = resolve("cluster-7b").config
    assert config.worker.memory.endswith("Gi")
    monkeypatch.setattr(pool, "memory_limit", lambda: int(config.worker.memory.removesuffix("Gi")) << 30)
    monkeypatch.setattr(pool, "cpu_quota", lambda: float(config.worker.cpu))
    assert open_lean(config.lean).capacity == int(config.worker.cpu) * 3 // 4
