"""Models out of an S3 store on this machine's disk: fetched once, checked, never half there."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.copying import copy
from burnqed.errors import TryAgain
from burnqed.key import Key
from burnqed.modelcache import fetch_address, fetch_once
from burnqed.record import Damaged, read_record, write_record
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
    write_record(store, PREFIX, key, RunConfig(), {}, datetime.now(UTC), dollars_per_hour=0)
    return store


def test_a_model_is_fetched_once_whoever_asks_and_however(store: Store, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        folders = list(pool.map(lambda _: fetch_once(store, PREFIX, tmp_path), range(4)))
    (folder,) = set(folders)
    assert (folder / "weights/model.safetensors").read_bytes() == bytes(1000)
    (folder / "config.json").write_text("marked")
    assert (fetch_address(f"{store.uri}/{PREFIX}/", tmp_path) / "config.json").read_text() == "marked"
    assert list(tmp_path.iterdir()) == [folder], "nothing half-fetched stays"


def test_a_file_that_arrives_changed_is_not_kept(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed_on_the_way(self: Store, path: str, file: Path) -> None:
        file.write_bytes(self.read_bytes(path)[:-1] + b"x")

    monkeypatch.setattr(Store, "download_file", changed_on_the_way)
    with pytest.raises(TryAgain, match="did not arrive as it was written"):
        fetch_once(store, PREFIX, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert read_record(store, PREFIX), "the store is not to blame"


@pytest.mark.parametrize("where", ["s3", "folder"])
def test_a_model_whose_weights_changed_is_not_used_and_noted_as_damaged(
    store: Store, tmp_path: Path, where: str
) -> None:
    if where == "folder":
        copy(store, local := Store(str(tmp_path / "store")))
        store = local
    store.write_bytes(f"{PREFIX}/weights/model.safetensors", bytes(999) + b"x")
    assert read_record(store, PREFIX), "sizes tell nothing"
    for _ in range(2):
        with pytest.raises(Damaged, match=r"the content of weights/model\.safetensors is not what was written"):
            fetch_once(store, PREFIX, tmp_path / "cache")
    with pytest.raises(Damaged):
        read_record(store, PREFIX)
    assert not list((tmp_path / "cache").glob("*"))


def test_a_cached_model_is_not_fetched_again_when_its_unit_is_made_anew_equal(store: Store, tmp_path: Path) -> None:
    folder = fetch_once(store, PREFIX, tmp_path)
    for name in ("config.json", "weights/model.safetensors"):
        store.write_bytes(f"{PREFIX}/anew/{name}", store.read_bytes(f"{PREFIX}/{name}"))
    key = Key(step="export", version=1)
    write_record(store, PREFIX, key, RunConfig(), {}, datetime.now(UTC), revision="anew", dollars_per_hour=0)
    assert fetch_once(store, PREFIX, tmp_path) == folder


def test_a_folder_is_used_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    assert fetch_address(str(tmp_path / "model"), tmp_path / "cache") == tmp_path / "model"
    assert not (tmp_path / "cache").exists()
