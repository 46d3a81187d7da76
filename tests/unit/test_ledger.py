"""What a run has cost: every attempt is counted once, whoever else writes, and whatever becomes of it."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from burnqed import ledger
from burnqed.cluster_config import CostConfig
from burnqed.errors import TryAgain
from burnqed.holding import Holding
from burnqed.layout import Layout
from burnqed.ledger import Account, Attempt, PodTime, accounts, metered, settle, spent
from burnqed.steps.budget import check_budget
from burnqed.store import Store
from tests.fixtures.requests import counted
from tests.fixtures.s3 import S3Server

LAYOUT = Layout("main", 2)
HELD = Holding(cpus=2, gib=4, gpus=1)
PRICES = CostConfig(gpu_hour=3600.0)
"""A dollar a second for HELD."""


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "folder":
        return Store(str(tmp_path / "store"))
    server: S3Server = request.getfixturevalue("s3")
    return Store(f"s3://{server.bucket}/{tmp_path.name}")


def attempts(store: Store, run: str = "main") -> list[Attempt]:
    found = [attempt for account in accounts(store, run) for attempt in account.attempts]
    return sorted(found, key=lambda attempt: attempt.began)


def work(store: Store, task: str, seconds: float, name: str = "w", fails: Exception | None = None) -> None:
    with metered(store, LAYOUT, name, task, HELD, PRICES):
        time.sleep(seconds)
        if fails:
            raise fails


def test_an_attempt_is_noted_with_what_it_held_and_how_long_also_when_it_fails(store: Store) -> None:
    work(store, "sft", 0.3)
    with pytest.raises(OSError, match="gone"):
        work(store, "sft", 0.2, fails=OSError("gone"))
    (account,) = accounts(store, "main")
    assert account.iteration == 2
    first, second = account.attempts
    assert first.seconds >= 0.3
    assert second.seconds >= 0.2
    assert first.dollars == pytest.approx(first.seconds)
    assert spent(store, "main") == pytest.approx(first.seconds + second.seconds)


def test_of_many_writers_at_once_none_is_lost(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "NOTED_S", 0.3)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda number: work(store, f"search({number})", 1.0), range(32)))
    found = attempts(store)
    assert sorted(a.task for a in found) == sorted(f"search({number})" for number in range(32))
    assert all(a.seconds >= 1.0 for a in found)


def test_who_is_killed_loses_what_it_has_not_noted_yet(store: Store) -> None:
    code = (
        "import time; from burnqed import ledger; from tests.unit.test_ledger import *; ledger.NOTED_S = 0.2\n"
        f"with metered(Store({store.uri!r}), LAYOUT, 'w', 'sft', HELD, PRICES): time.sleep(60)"
    )
    killed = subprocess.Popen([sys.executable, "-c", code])
    try:
        while not [a for a in attempts(store) if a.seconds >= 1]:
            time.sleep(0.1)
    finally:
        killed.kill()
        killed.wait()
    work(store, "sft", 0.1)
    first, second = attempts(store)
    assert first.seconds >= 1
    assert spent(store, "main") == pytest.approx(first.seconds + second.seconds)


def test_the_running_total_takes_two_requests_however_many_shards_and_accounts_there_are(
    s3: S3Server, tmp_path: Path
) -> None:
    store = Store(f"s3://{s3.bucket}/{tmp_path.name}")
    for number in range(20):
        work(store, "sft", 0.05, f"earlier-{number}")
    for number in range(20):
        work(store, f"search({number})", 0.0)
    with counted(store) as requests:
        check_budget(store, "main", 1e9, "w")
        assert requests.total() <= 2, requests
        assert spent(store, "main", "w") == pytest.approx(spent(store, "main")) != 0


def test_a_store_that_refuses_ends_no_work_and_what_was_lost_is_noted_later(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger("burnqed").propagate = True
    original, answers = store.write_if, [TryAgain("away"), RuntimeError("a surprise")]

    def refuse(*given: object) -> bool:
        if answers:
            raise answers.pop()
        return original(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "write_if", refuse)
    monkeypatch.setattr(ledger, "NOTED_S", 0.2)
    work(store, "sft", 0.8)
    assert "the cost of sft could not be recorded: away" in caplog.text
    (found,) = attempts(store)
    assert found.seconds >= 0.8


def test_an_account_that_was_deleted_with_its_run_stays_away(store: Store) -> None:
    with metered(store, LAYOUT, "w", "clean", HELD, PRICES):
        store.delete("main")
    assert settle(store, LAYOUT, "w", [PodTime("clean", 0, 9, HELD)], PRICES) is None
    assert store.list("main") == []


# ---- the bill


def account(*estimates: tuple[str, float, float]) -> Account:
    made = [Attempt(task=t, began=b, seconds=s, held=HELD, dollars=s) for t, b, s in estimates]
    return Account(iteration=0, attempts=made)


def billed(found: Account) -> list[tuple[str, float, float]]:
    assert all(a.dollars == pytest.approx(a.held.dollars(PRICES, a.seconds)) for a in found.attempts)
    return sorted((a.task, a.began, a.seconds) for a in found.attempts if a.billed)


def test_pods_take_the_place_of_what_their_attempts_said() -> None:
    """Of a task's two attempts the first was killed; of another the pod was made anew without a second attempt in Argo's record."""
    said = account(("sft", 105, 40), ("sft", 205, 90), ("search(1)", 306, 10), ("search(1)", 330, 60))
    pods = [PodTime("sft", 100, 150, HELD), PodTime("sft", 200, 300, HELD), PodTime("search(1)", 300, 400, HELD),
            PodTime("release", 400, 402, HELD)]  # fmt: skip
    found = said.settled(pods, PRICES)
    assert billed(found) == [("release", 400, 2), ("search(1)", 300, 100), ("sft", 100, 50), ("sft", 200, 100)]
    assert len(found.attempts) == 4
    assert found.dollars == 252


def test_a_workflow_that_is_billed_again_after_a_retry_counts_nothing_twice_and_forgets_nothing() -> None:
    first = account(("data", 12, 7), ("sft", 25, 70)).settled(
        [PodTime("data", 10, 20, HELD), PodTime("sft", 20, 100, HELD), PodTime("release", 100, 101, HELD)], PRICES
    )
    # Argo forgets the pod that failed, and runs it and the exit handler anew.
    again = first.with_attempt(Attempt(task="sft", began=1005, seconds=60, held=HELD, dollars=60))
    pods = [PodTime("data", 10, 20, HELD), PodTime("sft", 1000, 1070, HELD), PodTime("release", 1070, 1072, HELD)]
    second = again.settled(pods, PRICES)
    assert billed(second) == [
        ("data", 10, 10), ("release", 100, 1), ("release", 1070, 2), ("sft", 20, 80), ("sft", 1000, 70)
    ]  # fmt: skip
    assert second.settled(pods, PRICES) == second


def test_a_pod_whose_clock_is_behind_is_counted_once() -> None:
    said = account(("sft", 90, 45), ("sft", 190, 45))
    pods = [PodTime("sft", 100, 150, HELD), PodTime("sft", 200, 250, HELD)]
    assert billed(found := said.settled(pods, PRICES)) == [("sft", 100, 50), ("sft", 200, 50)]
    assert len(found.attempts) == 2
    assert found.settled(pods, PRICES) == found


def test_what_a_pod_says_after_it_was_billed_is_not_added() -> None:
    found = account(("sft", 105, 40)).settled([PodTime("sft", 100, 150, HELD)], PRICES)
    assert found.with_attempt(Attempt(task="sft", began=105, seconds=45, held=HELD, dollars=45)) == found


def test_waiting_for_a_place_costs_nothing_but_for_the_start_of_a_node() -> None:
    hours = 6 * 3600
    pods = [PodTime("sft", 0, hours + 60, HELD), PodTime("search(0)", 0, hours, HELD)]
    found = account(("sft", hours, 60)).settled(pods, PRICES)
    assert billed(found) == [
        ("search(0)", hours - ledger.WAIT_S, ledger.WAIT_S),  # its step never began
        ("sft", hours - ledger.WAIT_S, ledger.WAIT_S + 60),
    ]
    assert found.settled(pods, PRICES) == found


def test_a_workflow_that_goes_on_after_others_have_worked_knows_what_they_cost(store: Store) -> None:
    work(store, "sft", 0.2, "first")
    now = time.time()
    settle(store, LAYOUT, "first", [PodTime("sft", now - 100, now, HELD)], PRICES)
    work(store, "sft", 0.2, "second")
    work(store, "sft", 0.1, "first")
    assert spent(store, "main", "first") == pytest.approx(spent(store, "main"))
    assert spent(store, "main") > 100
