"""Fixtures that several test files share: a real S3 server, the shared folder."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import s3fs

from burnqed.lifeline import VARIABLE

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as burnqed.cli.main does

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class S3Server:
    endpoint: str
    bucket: str
    key: str
    secret: str

    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": self.key,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_DEFAULT_REGION": "us-east-1",
        }


def free_ports(count: int) -> list[int]:
    """Ports whose gRPC companions (port + 10000, which SeaweedFS takes) are free as well."""
    found: list[int] = []
    while len(found) < count:
        with socket.socket() as a, socket.socket() as b:
            a.bind(("127.0.0.1", 0))
            port = a.getsockname()[1]
            if port + 10_000 > 65_535:
                continue
            try:
                b.bind(("127.0.0.1", port + 10_000))
            except OSError:
                continue
            found.append(port)
    return found


GUARD = """
import os, signal, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try: os.read(int(os.environ["BURNQED_LIFELINE"]), 1)
finally: child.kill(); child.wait()
"""
"""Ends the server when the tests end, also when they are killed."""


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A SeaweedFS server with one bucket and one pair of keys."""
    weed = shutil.which("weed") or str(Path(sys.executable).parent / "weed")
    folder = tmp_path_factory.mktemp("s3")
    key, secret = "test-key", "test-secret"
    identity = {
        "name": "test",
        "credentials": [{"accessKey": key, "secretKey": secret}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    master, volume, filer, s3 = free_ports(4)
    read, write = os.pipe()
    guard = subprocess.Popen(
        [sys.executable, "-c", GUARD, weed, "server", f"-dir={folder}", "-ip=127.0.0.1", f"-master.port={master}", f"-volume.port={volume}",
         f"-filer.port={filer}", "-s3", f"-s3.port={s3}", f"-s3.config={folder / 's3.json'}", "-master.volumeSizeLimitMB=64", "-volume.max=20",
         "-master.volumePreallocate=false"],
        env={**os.environ, VARIABLE: str(read)}, pass_fds=(read,),
    )  # fmt: skip
    os.close(read)
    server = S3Server(f"http://127.0.0.1:{s3}", "test-bucket", key, secret)
    try:
        make_bucket(server)
        yield server
    finally:
        os.close(write)
        guard.wait(20)


def make_bucket(server: S3Server) -> None:
    """Waits until the server takes writes, and makes the bucket."""
    client = s3fs.S3FileSystem(
        key=server.key, secret=server.secret, endpoint_url=server.endpoint, skip_instance_cache=True
    )
    for _ in range(120):
        try:
            if not client.exists(server.bucket):
                client.mkdir(server.bucket)
            client.pipe_file(f"{server.bucket}/ready", b"1")
            client.rm_file(f"{server.bucket}/ready")
            return
        except Exception:
            time.sleep(0.5)
    raise RuntimeError("the S3 server did not start")


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A randomly initialised tiny model with its tokenizer."""
    from tests.fixtures.policy import make_tiny

    return make_tiny(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture
def s3(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> S3Server:
    """The S3 server, with this process's environment pointing at it."""
    for name, value in s3_server.environment().items():
        monkeypatch.setenv(name, value)
    return s3_server


def shared_folder() -> Path | None:
    folder = Path(os.environ.get("BURNQED_SHARED", ROOT.parent / "shared"))
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with public statements and prototypes; tests that need it are skipped where it is absent."""
    folder = shared_folder()
    if folder is None:
        pytest.skip("the shared folder is absent: set BURNQED_SHARED")
    return folder
