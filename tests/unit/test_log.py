"""The log in a pod: JSON lines that say whose they are, and their copy in the store."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from burnqed import log as logs
from burnqed import storelog
from burnqed.log import bind, close, log, set_up
from burnqed.progress import Progress
from burnqed.store import Store
from burnqed.storelog import StoreLog


@pytest.fixture
def pod(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A pod's log, for one test."""
    monkeypatch.setenv("ARGO_CONTAINER_NAME", "main")
    monkeypatch.setattr(logs, "_identity", {})
    before, propagate = log.handlers[:], log.propagate
    log.handlers[:] = []
    log.setLevel(logging.INFO)
    yield
    log.handlers[:], log.propagate = before, propagate
    logging.captureWarnings(False)


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_line_is_one_json_object_with_run_task_and_attempt(pod: None, capsys: pytest.CaptureFixture[str]) -> None:
    set_up()
    bind(run="main", iteration=2, workflow="w-1", task="search(3)", attempt=1)
    log.warning("two\nlines")
    with Progress(2, "search", "theorems") as progress:
        progress.advance(2)
    try:
        raise ValueError("wrong")
    except ValueError:
        log.exception("a bug")
    first, second, third = lines(capsys.readouterr().err)
    assert first.pop("time")
    assert first == {"level": "warning", "run": "main", "iteration": 2, "workflow": "w-1", "task": "search(3)", "attempt": 1, "message": "two\nlines"}  # fmt: skip
    assert str(second["message"]).startswith("search 2/2 theorems")
    assert "ValueError: wrong" in str(third["traceback"])


def test_the_store_has_the_whole_log_at_the_end(pod: None, tmp_path: Path) -> None:
    log.addHandler(StoreLog(Store(str(tmp_path)), "logs/search(3)-0-main.log"))
    log.info("first")
    log.info("second")
    assert not (tmp_path / "logs").exists()
    close()
    kept = (tmp_path / "logs/search(3)-0-main.log").read_text()
    assert [line["message"] for line in lines(kept)] == ["first", "second"]


def test_a_second_pod_of_the_same_attempt_goes_on_after_what_the_first_wrote(pod: None, tmp_path: Path) -> None:
    for message in ("first", "second"):
        log.addHandler(StoreLog(Store(str(tmp_path)), "a.log"))
        log.info(message)
        close()
    assert [line["message"] for line in lines((tmp_path / "a.log").read_text())] == ["first", "second"]


def test_the_store_has_it_while_the_pod_runs(pod: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storelog, "EVERY_S", 0.01)
    handler = StoreLog(Store(str(tmp_path)), "a.log")
    log.addHandler(handler)
    log.info("first")
    while not (tmp_path / "a.log").exists():
        pass
    handler.close()
    log.removeHandler(handler)


def test_a_store_that_is_gone_costs_the_log_only(pod: None, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    handler = StoreLog(Store(str(tmp_path)), "file/a.log")
    log.addHandler(handler)
    log.info("first")
    handler.close()
    log.removeHandler(handler)
