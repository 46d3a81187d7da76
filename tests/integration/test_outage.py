"""A store that goes away, is overwhelmed, or cuts connections, for everything that a store does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Timer

import pytest

from burnqed import lease, outage
from burnqed.config import RunConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.layout import Layout
from burnqed.log import log
from burnqed.run.session import run_here
from burnqed.store import Store
from tests.fixtures.bad_line import BadLine, bad_line
from tests.fixtures.s3 import S3Server
from tests.fixtures.small_workflows import single

LARGE = 101 * 2**20
"""Bytes of a file that s3fs sends in parts."""


@pytest.fixture
def line(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[BadLine]:
    with bad_line(s3.endpoint) as line:
        monkeypatch.setenv("AWS_ENDPOINT_URL", line.endpoint)
        yield line


@pytest.fixture
def store(line: BadLine, s3: S3Server, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Over the line, and reached before."""
    monkeypatch.setattr(log, "propagate", True)
    store = Store(f"s3://{s3.bucket}/{uuid.uuid4().hex}")
    store.write_text("a/one", "1")
    return store


OPERATIONS: dict[str, Callable[[Store, Path], object]] = {
    "list": lambda store, _: store.list(""),
    "read": lambda store, _: store.read_text("a/one"),
    "read many": lambda store, _: store.read_many(["a/one"]),
    "stream": lambda store, _: store.digest("a/one"),
    "is it there": lambda store, _: (store.exists("a/one"), store.exists("a/two")),
    "write": lambda store, _: (store.write_text("new", "2"), store.read_text("new")),
    "write on condition": lambda store, _: (store.write_if("new", b"2", None), store.write_if("new", b"3", None)),
    "stamp": lambda store, _: store.stamp("a/one"),
    "delete": lambda store, _: (store.delete("a"), store.list("")),
    "upload": lambda store, folder: (store.upload(folder, "up"), store.list("up")),
    "fetch": lambda store, folder: (store.fetch("a", folder / "down"), (folder / "down/one").read_text()),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_rides_out_an_outage_says_so_once_and_gives_what_it_would_have_given(
    name: str,
    store: Store,
    line: BadLine,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outage, "SILENT_S", 0.0)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/file").write_text("x")
    undisturbed = Store(store.uri + "-undisturbed")
    undisturbed.write_text("a/one", "1")
    expected = OPERATIONS[name](undisturbed, tmp_path)
    line.refuses = 3
    found = OPERATIONS[name](store, tmp_path)
    if name != "stamp":  # which has a time
        assert found == expected
    assert line.refuses == 0
    said = [r.getMessage() for r in caplog.records if "the store at" in r.getMessage()]
    assert [("does not answer" in text, "answers again" in text) for text in said] == [(True, False), (False, True)]


@pytest.mark.long
def test_a_server_that_was_killed_is_waited_for(s3: S3Server) -> None:
    store = Store(f"s3://{s3.bucket}/{uuid.uuid4().hex}")
    store.write_text("a", "1")
    s3.process.kill()
    Timer(3.0, s3.process.start).start()
    assert store.read_text("a") == "1"
    assert store.list("") == ["a"]


def test_a_storm_of_refusals_is_weathered(store: Store, line: BadLine) -> None:
    line.refused = 0.5
    paths = [f"storm/{number}" for number in range(20)]
    for path in paths[:5]:
        store.write_text(path, path)
    for path in paths[5:]:
        store.fs.pipe_file(store.full(path), path.encode())
    assert store.read_many(paths) == {path: path.encode() for path in paths}
    assert sorted(store.list("storm")) == sorted(paths)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("large") / "file"
    file.write_bytes(os.urandom(1 << 20) * (LARGE >> 20))
    return file


def unfinished(store: Store) -> list[str]:
    bucket = store.root.partition("/")[0]
    return [upload["Key"] for upload in store.fs.call_s3("list_multipart_uploads", Bucket=bucket).get("Uploads", [])]


def test_an_upload_that_is_cut_arrives_whole_and_only_the_cut_part_is_sent_again(
    store: Store, line: BadLine, large: Path
) -> None:
    line.cuts.append(lambda request: "partNumber=2" in request.raw_path)
    line.loses_answer.append(lambda request: request.method == "POST" and "uploadId" in request.raw_path)
    line.seen.clear()
    store.upload_file(large, "large")
    assert sum("partNumber" in request for request in line.seen) == 4
    assert store.digest("large") == store.written_digest("large")
    assert unfinished(store) == []


def test_a_download_that_is_cut_is_made_again(store: Store, line: BadLine, tmp_path: Path) -> None:
    store.write_bytes("file", os.urandom(3 << 20))
    for read in (
        lambda: store.read_bytes("file"),
        lambda: store.read_many(["file"])["file"],
        lambda: (store.fetch("", tmp_path), (tmp_path / "file").read_bytes())[1],
    ):
        line.loses_answer.append(lambda request: request.method == "GET" and request.path.endswith("/file"))
        assert len(read()) == 3 << 20
        assert line.loses_answer == []
    line.loses_answer.append(lambda request: request.method == "GET" and request.path.endswith("/file"))
    assert store.digest("file") == store.written_digest("file")


def test_what_a_killed_process_left_of_an_upload_is_removed_by_the_next_one(store: Store, large: Path) -> None:
    bucket, key, _ = store.fs.split_path(store.full("large"))
    left = store.fs.call_s3("create_multipart_upload", Bucket=bucket, Key=key)
    store.fs.call_s3(
        "upload_part", Bucket=bucket, Key=key, UploadId=left["UploadId"], PartNumber=1, Body=bytes(5 << 20)
    )
    other = store.fs.call_s3("create_multipart_upload", Bucket=bucket, Key=f"{key}-other")
    store.upload_file(large, "large")
    assert unfinished(store) == [f"{key}-other"]
    store.fs.call_s3("abort_multipart_upload", Bucket=bucket, Key=f"{key}-other", UploadId=other["UploadId"])


def test_a_lease_outlives_an_outage_and_nobody_else_gets_the_run(
    store: Store, line: BadLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "RENEWED_S", 0.1)
    path = Layout("run").lease
    # What was written although its answer was lost is known as one's own.
    line.loses_answer.append(lambda request: request.method == "PUT" and request.path.endswith(path))
    with lease.held(store, "run", "the first"):
        assert line.loses_answer == []
        line.refused = 1.0
        time.sleep(2.0)
        before = len(line.seen)
        line.refused = 0.0
        with pytest.raises(BadInput, match="the first has been working on the run"):
            lease.take(store, "run", lease.Lease.new("another", "the second", is_process=False))
        while sum(request.startswith("PUT") for request in line.seen[before:]) < 2:
            time.sleep(0.05)
    assert store.stamp(path) is None, "it was given back"


def test_a_log_that_cannot_be_kept_ends_nothing(
    store: Store, line: BadLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise TryAgain("the store did not answer")

    monkeypatch.setattr(store, "upload_file", refuse)
    assert run_here(single("one", "pass"), store, Layout("run"), RunConfig(), pytest.fail) == 0
    assert "The log of one is not kept: the store did not answer" in capsys.readouterr().err


def test_patience_ends(store: Store, line: BadLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(outage.VARIABLE, "1")
    line.refused = 1.0
    with pytest.raises(TryAgain, match="did not answer at .*/a/one"):
        store.read_text("a/one")
    line.refused = 0.0
    assert store.read_text("a/one") == "1"


def test_the_first_contact_of_a_process_fails_at_once_unless_the_store_is_known(
    line: BadLine, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "servers", {})
    line.refused = 1.0
    with pytest.raises(TryAgain, match="did not answer"):
        Store(f"s3://{s3.bucket}/x").exists("y")
    assert len(line.seen) == 1
    monkeypatch.setattr(outage, "servers", {})
    line.refused, line.refuses = 0.0, 3
    assert not Store(f"s3://{s3.bucket}/x", known=True).exists("y")
    assert line.refuses == 0


def test_patience_that_is_no_number_is_bad_input(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(outage.VARIABLE, "long")
    with pytest.raises(BadInput, match="BURNQED_STORE_PATIENCE is 'long'"):
        Store(f"s3://{s3.bucket}/x").exists("y")


@pytest.mark.parametrize("operation", ["exists", "list", "read_bytes", "stamp"])
def test_a_bucket_that_does_not_exist_is_said_as_that(s3: S3Server, operation: str) -> None:
    with pytest.raises(BadInput, match="There is no bucket 'no-such-bucket' at http"):
        getattr(Store("s3://no-such-bucket/x"), operation)("y")


WAITING = """
import asyncio, sys
from burnqed.log import set_up
from burnqed.signals import on_signal
from burnqed.store import Store
set_up()
store = Store(sys.argv[1])
store.write_text("x", "1")
async def work():
    on_signal(lambda: print("acted", flush=True))
    print("reached", flush=True)
    sys.stdin.readline()
    try:
        store.read_text("x")  # blocks the event loop
    except Exception as error:
        print(type(error).__name__, flush=True)
    await asyncio.sleep(0.1)
asyncio.run(work())
"""


@pytest.mark.parametrize(("number", "trouble"), [(signal.SIGTERM, "hangs"), (signal.SIGINT, "refused")])
def test_a_signal_ends_the_wait_at_once_also_where_the_event_loop_is_blocked(
    number: signal.Signals, trouble: str, line: BadLine, s3: S3Server
) -> None:
    command = [sys.executable, "-c", WAITING, f"s3://{s3.bucket}/{uuid.uuid4().hex}"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == "reached\n"
        setattr(line, trouble, True)
        process.stdin.write("\n")
        process.stdin.flush()
        assert "does not answer" in process.stderr.readline()
        began = time.monotonic()
        process.send_signal(number)
        assert process.stdout.read() == "TryAgain\nacted\n"
        assert time.monotonic() - began < 10, "not the ten minutes"
        assert process.wait() == 0
