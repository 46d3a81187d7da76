"""Models out of an S3 store on this machine's disk: fetched once, checked, never half there."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.errors import TryAgain
from burnqed.manifest import Key, write_manifest
from burnqed.modelcache import fetch_address, fetch_once
from burnqed.store import Store
from tests.fixtures.s3 import S3Server

PREFIX = "run/iterations/iter_0/model"


@pytest.fixture
def store(s3: S3Server) -> Store:
    """With one model."""
    store = Store(f"s3://{s3.bucket}/{uuid.uuid4().hex}")
    store.write_text(f"{PREFIX}/config.json", "{}")
    store.write_bytes(f"{PREFIX}/weights/model.safetensors", bytes(1000))
    key = Key(step="export", version=1)
    write_manifest(store, PREFIX, key, RunConfig(), {}, datetime.now(UTC), dollars_per_hour=0)
    return store


def test_a_model_is_fetched_once_whoever_asks_and_however(store: Store, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        folders = list(pool.map(lambda _: fetch_once(store, PREFIX, tmp_path), range(4)))
    (folder,) = set(folders)
    assert (folder / "weights/model.safetensors").read_bytes() == bytes(1000)
    (folder / "config.json").write_text("marked")
    assert (fetch_address(f"{store.uri}/{PREFIX}/", tmp_path) / "config.json").read_text() == "marked"
    assert list(tmp_path.iterdir()) == [folder], "nothing half-fetched stays"


def test_a_file_that_arrives_changed_is_not_kept(store: Store, tmp_path: Path) -> None:
    store.write_bytes(f"{PREFIX}/weights/model.safetensors", bytes(999))
    with pytest.raises(TryAgain, match="did not arrive as it was written"):
        fetch_once(store, PREFIX, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_used_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    assert fetch_address(str(tmp_path / "model"), tmp_path / "cache") == tmp_path / "model"
    assert not (tmp_path / "cache").exists()
