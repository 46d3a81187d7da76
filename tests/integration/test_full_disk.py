"""A disk that is full: one sentence that says where, nothing half-written."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from burnqed.cli import main
from burnqed.errors import EXIT_BAD_INPUT, BadInput, full_disk
from burnqed.modelcache import fetch_once
from burnqed.store import Store
from burnqed.train.checkpoint import Checkpoints
from tests.fixtures.s3 import S3Server

SMALL = 2 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, where this user may mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", folder]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this user may not mount")
    yield folder
    subprocess.run(["umount", folder], check=True)


def limited(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs `burnqed` where no file may become larger than SMALL, with temporary files in `folder`."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, SMALL))

    return subprocess.run(
        [sys.executable, "-m", "burnqed.cli.main", *command],
        env={**os.environ, "TMPDIR": str(folder)}, preexec_fn=limit, capture_output=True, text=True,
    )  # fmt: skip


def test_a_store_on_a_full_disk_says_so_and_keeps_what_it_had(small_disk: Path, tmp_path: Path) -> None:
    store = Store(str(small_disk / "store"))
    store.write_text("kept", "old")
    (tmp_path / "large").write_bytes(bytes(SMALL))
    for write in (
        lambda: store.write_bytes("kept", bytes(SMALL)),
        lambda: store.upload_file(tmp_path / "large", "kept"),
        lambda: store.write_if("kept", bytes(SMALL), (store.stamp("kept") or ("", 0.0))[0]),
    ):
        with pytest.raises(BadInput, match=f"cannot use {store.uri}/kept .No space left on device.; free some space"):
            write()
        assert store.read_text("kept") == "old"
        assert [file.name for file in (small_disk / "store").iterdir()] == ["kept"]


def test_a_full_disk_for_models_is_said_as_that_and_leaves_no_part_of_one(
    small_disk: Path, s3: S3Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(f"s3://{s3.bucket}/{uuid.uuid4().hex}")
    store.write_bytes("model/weights", bytes(2 * SMALL))
    monkeypatch.setattr(main, "app", lambda: fetch_once(store, "model", small_disk / "models"))
    assert main.run_app() == EXIT_BAD_INPUT
    said = capsys.readouterr().err
    assert said.startswith(f"burnqed: No space is left at {small_disk}/models/")
    assert len(said.splitlines()) == 1
    assert list((small_disk / "models").iterdir()) == []


def test_a_checkpoint_that_finds_no_room_leaves_the_one_before(
    small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints = Checkpoints(Store(str(tmp_path / "store")), "checkpoint.pt")
    checkpoints.save("f", {"step": 1})
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    with pytest.raises(RuntimeError) as raised:
        checkpoints.save("f", {"step": 2, "weights": torch.zeros(SMALL)})
    assert full_disk(raised.value) == str(small_disk)
    assert checkpoints.load("f") == {"step": 1}
    assert list(small_disk.iterdir()) == []


def test_a_store_without_room_ends_a_command_with_one_sentence(tmp_path: Path) -> None:
    source = Store(str(tmp_path / "source"))
    source.write_bytes("run/weights", bytes(2 * SMALL))
    done = limited(tmp_path, "store", "copy", source.uri, str(tmp_path / "target"))
    assert f"{tmp_path}/target/run/weights" in done.stderr
    assert done.returncode == EXIT_BAD_INPUT, done.stderr
    assert "Traceback" not in done.stderr
    assert [file for file in (tmp_path / "target").rglob("*") if file.is_file()] == []
