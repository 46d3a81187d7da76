"""One at a time works on a run, whatever their machines: a lease in the run's own store."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from burnqed import lease
from burnqed.errors import BadInput, TryAgain
from burnqed.layout import Layout
from burnqed.lease import Lease
from burnqed.store import Store
from tests.fixtures.s3 import S3Server

RUN = "main"
PATH = Layout(RUN).lease


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "folder":
        return Store(str(tmp_path / "store"))
    server: S3Server = request.getfixturevalue("s3")
    return Store(f"s3://{server.bucket}/{tmp_path.name}")


def of_a_workflow(token: str = "other") -> Lease:
    return Lease.new(token, f"The workflow {token}", is_process=False)


def test_the_second_is_refused_and_told_who_was_first(store: Store) -> None:
    with lease.held(store, RUN, "`burnqed run` on A"):
        with pytest.raises(
            BadInput, match="`burnqed run` on A has been working on the run 'main' in .* since .* UTC; wait for it"
        ):
            lease.take(store, RUN, of_a_workflow())
        with lease.held(store, "another", "`burnqed run` on B"):
            pass
    lease.take(store, RUN, of_a_workflow())


def test_of_many_who_take_it_at_once_one_has_it(store: Store) -> None:
    def attempt(number: int) -> bool:
        try:
            lease.take(store, RUN, of_a_workflow(f"w-{number}"))
        except (BadInput, TryAgain):
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(8))) == 1


def test_what_belongs_to_one_workflow_shares_it_until_it_is_given_back(store: Store) -> None:
    with lease.held(store, RUN, "The workflow w", token="w"), lease.held(store, RUN, "The workflow w", token="w"):
        pass
    with pytest.raises(BadInput):
        lease.take(store, RUN, of_a_workflow())
    lease.release(store, RUN, "somebody else's")
    with pytest.raises(BadInput):
        lease.take(store, RUN, of_a_workflow())
    lease.release(store, RUN, "w")
    lease.take(store, RUN, of_a_workflow())


def test_who_is_silent_for_too_long_loses_it_and_stops(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "SILENCE_S", 1.0)
    monkeypatch.setattr(lease, "RENEWED_S", 2.5)
    ended = []
    monkeypatch.setattr(os, "kill", lambda process, number: ended.append((process, number)))
    with lease.held(store, RUN, "`burnqed run` on A"):
        with pytest.raises(BadInput):
            lease.take(store, RUN, of_a_workflow())
        time.sleep(2.1)  # S3 tells times in whole seconds
        lease.take(store, RUN, of_a_workflow())
        time.sleep(1.5)
    assert ended == [(os.getpid(), signal.SIGTERM)]
    assert Lease.model_validate_json(store.read_bytes(PATH)).token == "other"


def test_who_renews_it_keeps_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "SILENCE_S", 3.0)
    monkeypatch.setattr(lease, "RENEWED_S", 0.5)
    with lease.held(store, RUN, "`burnqed run` on A"):
        time.sleep(4)
        with pytest.raises(BadInput):
            lease.take(store, RUN, of_a_workflow())


def test_a_run_whose_holder_was_killed_on_this_machine_is_free_at_once(store: Store) -> None:
    code = f"import time; from burnqed import lease; from burnqed.store import Store\nwith lease.held(Store({store.uri!r}), 'main', 'A'): print('held', flush=True); time.sleep(60)"
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(BadInput):
        lease.take(store, RUN, of_a_workflow())
    holder.kill()
    holder.wait()
    holder.stdout.close()
    lease.take(store, RUN, of_a_workflow())


def test_a_lease_that_was_deleted_with_its_run_stays_away(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEWED_S", 0.2)
    with lease.held(store, RUN, "A"):
        store.delete(RUN)
        time.sleep(0.6)
    assert store.list(RUN) == []


def test_a_lease_that_cannot_be_read_is_one_sentence(store: Store) -> None:
    store.write_text(PATH, "{")
    with pytest.raises(BadInput, match=r"_LEASE does not say who is working on the run; if nobody is, remove it\."):
        lease.take(store, RUN, of_a_workflow())


def test_a_store_without_conditional_writes_is_said(
    store: Store, monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store, "write_if", lambda path, data, stamp: store.write_bytes(path, data) or True)
    lease.take(store, RUN, of_a_workflow())
    assert "has no conditional writes" in said.text


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    logger = logging.getLogger("burnqed")
    logger.addHandler(caplog.handler)
    yield caplog
    logger.removeHandler(caplog.handler)
