"""Scratch folders: whoever asks for one removes what killed processes left, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from burnqed.scratch import YOUNG_S, scratch_folder

HOLDER = (
    "from burnqed.scratch import scratch_folder\nwith scratch_folder('burnqed-x-') as f: print(f, flush=True); input()"
)


def make_old(folder: Path) -> None:
    then = time.time() - YOUNG_S - 1
    os.utime(folder, (then, then))


def test_a_folder_goes_with_its_user_or_when_that_was_killed_with_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], env={**os.environ, "TMPDIR": str(tmp_path)},
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip
    try:
        assert holder.stdout is not None
        left = Path(holder.stdout.readline().strip())
        make_old(left)
        (other := tmp_path / "another-programs").mkdir()
        make_old(other)
        with scratch_folder("burnqed-x-") as own:
            assert {own, left, other} == set(tmp_path.iterdir()), "in use, though old"
    finally:
        holder.kill()
        holder.wait()
    assert {left, other} == set(tmp_path.iterdir())
    with scratch_folder("burnqed-x-") as own:
        assert {own, other} == set(tmp_path.iterdir())


def test_a_folder_that_was_just_made_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    young = Path(tempfile.mkdtemp(prefix="burnqed-x-"))
    with scratch_folder("burnqed-x-"):
        assert young.is_dir()
