"""The store, as a folder and on a real S3 server."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.copying import Copied, copy
from burnqed.errors import BadInput, TryAgain
from burnqed.key import Key
from burnqed.record import read_record, write_record
from burnqed.store import Store
from tests.fixtures.s3 import S3Server


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "folder":
        return Store(str(tmp_path / "store"))
    server: S3Server = request.getfixturevalue("s3")
    return Store(f"s3://{server.bucket}/{uuid.uuid4().hex}")


def test_a_file_is_written_and_read_piece_by_piece_and_a_writing_that_fails_leaves_none(store: Store) -> None:
    with store.writing("a/rows") as file, file.open("wb") as opened:
        opened.write(b"1")
        assert not store.exists("a/rows")
        opened.write(b"2")
    with store.reading("a/rows") as file:
        assert file.read_bytes() == b"12"
    assert store.written_digest("a/rows") == Store.digest(store, "a/rows")
    with pytest.raises(ZeroDivisionError), store.writing("a/more") as file:
        file.write_bytes(bytes([3 // 0]))
    assert store.list("") == ["a/rows"]
    with pytest.raises(BadInput, match="a/none does not exist"), store.reading("a/none"):
        pass


def test_what_is_written_is_read_back_and_listed(store: Store) -> None:
    store.write_text("a/b.txt", "αβγ")
    store.write_json("a/c/d.json", {"x": [1, 2]})
    assert store.read_text("a/b.txt") == "αβγ"
    assert store.read_json("a/c/d.json") == {"x": [1, 2]}
    assert store.list("a") == ["a/b.txt", "a/c/d.json"]
    assert store.list("") == ["a/b.txt", "a/c/d.json"]
    assert store.list("nothing") == []
    assert store.exists("a/b.txt")
    assert not store.exists("a/x")
    assert store.digest("a/b.txt") == Store.digest(store, "a/b.txt")


def test_a_second_write_replaces_the_first(store: Store) -> None:
    store.write_text("a", "one")
    assert store.read_text("a") == "one"
    store.write_text("a", "two")
    assert store.read_text("a") == "two"
    assert store.list("") == ["a"]


def test_deleting_takes_everything_below(store: Store) -> None:
    store.write_text("old/x/b/c", "1")
    store.write_text("old/x/d", "2")
    store.write_text("older", "3")
    store.delete("old")
    assert store.list("old") == []
    store.delete("old")
    assert store.list("") == ["older"]


def test_folders_go_up_and_come_back(store: Store, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "x.bin").write_bytes(b"\0\1")
    (source / "y").write_text("y")
    store.upload(source, "model")
    fetched = tmp_path / "down"
    store.fetch("model", fetched)
    assert (fetched / "deep" / "x.bin").read_bytes() == b"\0\1"
    assert (fetched / "y").read_text() == "y"


def test_an_absent_file_is_bad_input_that_names_it(store: Store) -> None:
    with pytest.raises(BadInput, match="no/such"):
        store.read_bytes("no/such")


def finished_unit(store: Store, prefix: str) -> None:
    for i in range(5):
        store.write_text(f"{prefix}/part-{i}", f"{i}" * 1000)
    key = Key(step="s", version=1)
    write_record(store, prefix, key, RunConfig(), {}, datetime.now(UTC), dollars_per_hour=0)


def test_a_copy_is_verified_and_continues_where_it_was_cut_off(store: Store, tmp_path: Path) -> None:
    finished_unit(store, "run")
    target = Store(str(tmp_path / "target"))
    target.write_text("run/part-0", "0" * 1000)
    target.write_text("run/part-1", "spoilt")
    order: list[str] = []
    assert copy(store, target, "run", order.append) == Copied(files=5, there=1, damaged={})
    assert order[-1] == "run/_SUCCESS"
    assert copy(store, target, "run") == Copied(files=0, there=6, damaged={})
    assert target.read_text("run/part-1") == "1" * 1000


@pytest.mark.parametrize(
    ("content", "reason"),
    [("1" * 999 + "0", "the content of part-1"), ("1" * 7, "part-1 has 7 bytes and was written with 1000")],
)
def test_what_is_damaged_is_not_copied_over_what_is_good(
    store: Store, tmp_path: Path, content: str, reason: str
) -> None:
    finished_unit(store, "run/a")
    finished_unit(store, "run/b")
    target, new = Store(str(tmp_path / "target")), Store(str(tmp_path / "new"))
    copy(store, target, "run")
    store.write_text("run/a/part-1", content)
    for other in (target, new):
        copied = copy(store, other, "run")
        assert copied.damaged.keys() == {"run/a"}
        assert reason in copied.damaged["run/a"]
        assert read_record(other, "run/b")
    assert read_record(target, "run/a")
    assert target.read_text("run/a/part-1") == "1" * 1000
    assert read_record(new, "run/a") is None
    assert not copy(target, store, "run").damaged, "and back it heals"
    assert read_record(store, "run/a")


def test_copying_nothing_is_bad_input(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nothing to copy"):
        copy(store, Store(str(tmp_path / "t")), "absent")


def test_wrong_keys_are_refused_in_one_sentence(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(BadInput, match="AWS_SECRET_ACCESS_KEY"):
        Store(f"s3://{s3.bucket}/x").check_writable()


def test_an_absent_bucket_is_bad_input(s3: S3Server) -> None:
    with pytest.raises(BadInput, match="no-such-bucket"):
        Store("s3://no-such-bucket/x").read_bytes("y")


def test_a_server_that_does_not_answer_is_worth_another_try(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(TryAgain, match="did not answer"):
        Store(f"s3://{s3.bucket}/x").read_bytes("y")


def test_an_unwritable_folder_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="folder"):
        Store(str(tmp_path / "file" / "store")).check_writable()


def test_a_writer_that_is_killed_leaves_either_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    script = "import sys; from burnqed.store import Store; s = Store(sys.argv[1]); n = 0\nwhile True: n += 1; s.write_bytes('x', bytes([n % 256]) * 5_000_000)"
    writer = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)])
    while not (tmp_path / "x").exists():
        time.sleep(0.01)
    time.sleep(0.5)
    writer.kill()
    writer.wait()
    data = Store(str(tmp_path)).read_bytes("x")
    assert len(data) == 5_000_000
    assert len(set(data)) == 1
    assert Store(str(tmp_path)).list("") == ["x"]
    assert os.path.getsize(tmp_path / "x") == 5_000_000
