"""Fixtures that several test files share: a real S3 server, the shared folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.s3 import S3Server, serve_s3
from tests.fixtures.shared import shared_folder
from tests.fixtures.wheel import SmokeRun

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as burnqed.cli.main does


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with serve_s3(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Small matrices on a shared machine: threads would only wait for each other."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file's tests are one process's (`pytest -n 2`), for they share fixtures. So are those that share a run, and they come first, since it takes minutes."""

    def needs_run(item: pytest.Item) -> bool:
        return "smoke" in getattr(item, "fixturenames", ())

    for item in items:
        item.add_marker(pytest.mark.xdist_group("smoke" if needs_run(item) else item.nodeid.partition("::")[0]))
    items.sort(key=needs_run, reverse=True)


@pytest.fixture(scope="session")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> SmokeRun:
    return SmokeRun(tmp_path_factory.mktemp("smoke"))


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


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with public statements and prototypes; tests that need it are skipped where it is absent."""
    folder = shared_folder()
    if folder is None:
        pytest.skip("the shared folder is absent: set BURNQED_SHARED")
    return folder
