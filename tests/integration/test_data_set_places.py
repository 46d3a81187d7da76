"""Data sets that lie elsewhere: in a store, on the web, on the hub."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from burnqed.data.pairs import PAIRS
from burnqed.data.sets.catalogue import known
from burnqed.data.sets.places import located
from burnqed.errors import BadInput
from burnqed.store import Store
from tests.fixtures.data_sets import laid_out
from tests.fixtures.hub import serve_hub
from tests.fixtures.s3 import S3Server


def test_files_in_a_store_are_fetched_by_the_patterns_of_the_set(s3: S3Server, tmp_path: Path) -> None:
    store = Store(f"s3://{s3.bucket}/{tmp_path.name}")
    store.upload(laid_out("leandojo-benchmark-4", tmp_path / "sample"), "leandojo")
    with located(f"{store.uri}/leandojo", known()["leandojo-benchmark-4"]) as files:
        assert [(name, split) for name, _, split in files] == [
            ("random/train.json", "train"),
            ("random/val.json", "val"),
            ("random/test.json", "test"),
        ]
        assert all(path.stat().st_size for _, path, _ in files)
    with located(f"{store.uri}/leandojo/random/val.json", known()["leandojo-benchmark-4"]) as files:
        assert [(name, split) for name, _, split in files] == [("val.json", "val")]
    with pytest.raises(BadInput, match="has no files"), located(f"{store.uri}/leandojo", known()["putnambench"]):
        pass
    with pytest.raises(BadInput, match="nothing at"), located(f"{store.uri}/gone", known()["putnambench"]):
        pass


def test_a_file_on_the_web_is_fetched(tmp_path: Path) -> None:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    folder = laid_out("minif2f", tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/datasets"
        try:
            with located(f"{address}/minif2f.jsonl?download=true", known()["minif2f"]) as files:
                ((name, path, _),) = files
                assert (name, path.read_bytes()) == (
                    "minif2f.jsonl",
                    (folder / "datasets" / "minif2f.jsonl").read_bytes(),
                )
            for wrong, complaint in (("gone.jsonl", "cannot be read"), ("README", "does not end in")):
                with pytest.raises(BadInput, match=complaint), located(f"{address}/{wrong}", known()["minif2f"]):
                    pass
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.long
def test_from_the_hub_only_the_files_of_the_set_are_fetched(tmp_path: Path) -> None:
    folder = laid_out("lean-github", tmp_path / "sample")
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\n")
    (folder / "other.bin").write_bytes(b"x")

    def imported(source: str, address: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "burnqed.cli.main", "data", "import", source, "--set", "lean-github", "--out", str(tmp_path / "own.parquet")]  # fmt: skip
        environment = {
            **os.environ,
            "HF_ENDPOINT": address,
            "HF_HOME": str(tmp_path / "cache"),
            "HF_HUB_DISABLE_XET": "1",
        }
        environment.pop("HF_HUB_OFFLINE", None)
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    with serve_hub(folder) as (address, fetched):
        done = imported("hub:team/own", address)
        assert done.returncode == 0, done.stderr
        assert fetched == ["lean-github.parquet"]
        assert sum(map(len, PAIRS.read(Store(str(tmp_path)), "own.parquet"))) == 4
        absent = imported("hub:team/absent", address)
    assert absent.returncode == 2
    assert "The hub does not give team/absent" in absent.stderr
    assert "Traceback" not in absent.stderr
    away = imported("hub:team/other", address)
    assert away.returncode == 75
    assert "does not answer" in away.stderr


def test_a_set_that_is_not_on_the_hub_says_where_it_is() -> None:
    with pytest.raises(BadInput, match=r"not on the hub; it is to be had at https://zenodo"), located("hub", known()["leandojo-benchmark-4"]):  # fmt: skip
        pass
