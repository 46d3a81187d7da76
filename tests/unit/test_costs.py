"""What a run has cost, told by step, by iteration and in all."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from hera.workflows import Env
from rich.console import Console

from burnqed.cli.main import run_app as burnqed
from burnqed.config import RunConfig
from burnqed.evaluate.costs import print_costs, run_costs
from burnqed.holding import Holding
from burnqed.layout import Layout
from burnqed.ledger import Account, Attempt, accounts
from burnqed.resolve import resolve
from burnqed.run.session import run_here
from burnqed.store import Store
from burnqed_workflows.retry import RetryPolicy
from tests.fixtures.small_workflows import fan_out, single

GPU, CPU = Holding(cpus=4, gib=8, gpus=2), Holding(cpus=2, gib=4, gpus=0)
HOUR = 3600.0


def attempt(task: str, began: float, hours: float, held: Holding, dollars: float) -> Attempt:
    return Attempt(task=task, began=began * HOUR, seconds=hours * HOUR, held=held, dollars=dollars)


def priced(scale: float = 1.0) -> list[Account]:
    """Two iterations; in the second two shards overlap, one of them in two attempts."""
    first = [attempt("data", 0, 1, CPU, 0.5 * scale), attempt("sft", 1, 2, GPU, 8 * scale)]
    second = [
        attempt("search(0)", 10, 2, GPU, 8 * scale),
        attempt("search(1)", 11, 0.5, GPU, 2 * scale),
        attempt("search(1)", 11.5, 1.5, GPU, 6 * scale),
    ]
    return [Account(iteration=0, attempts=first), Account(iteration=1, attempts=second)]


def lines(accounts: list[Account]) -> list[list[str]]:
    out = io.StringIO()
    print_costs(run_costs(accounts), Console(file=out, width=120))
    return [line.split() for line in out.getvalue().splitlines()]


def test_time_is_wall_clock_and_hours_are_what_was_held() -> None:
    costs = run_costs(priced())
    search = next(step for step in costs.steps if step.step == "search")
    assert (search.attempts, search.seconds / HOUR, search.gpu_hours, search.dollars) == (3, 3, 8, 16)
    assert [(i.iteration, i.seconds / HOUR, i.dollars) for i in costs.iterations] == [(0, 3, 8.5), (1, 3, 16)]
    assert (costs.run.seconds / HOUR, costs.run.cpu_hours, costs.run.gpu_hours) == (6, 26, 12)
    assert costs.run.dollars == 24.5


def test_a_summary_has_a_row_per_step_and_one_per_iteration() -> None:
    assert lines(priced())[1:] == [
        ["data", "1", "h", "00", "min", "1", "2.00", "4.00", "0.00", "0.50"],
        ["sft", "2", "h", "00", "min", "1", "8.00", "16.00", "4.00", "8.00"],
        ["search", "3", "h", "00", "min", "3", "16.00", "32.00", "8.00", "16.00"],
        [],
        ["iteration", "wall", "time", "attempts", "CPU", "hours", "GiB", "hours", "GPU", "hours", "US", "dollars"],
        ["0", "3", "h", "00", "min", "2", "10.00", "20.00", "4.00", "8.50"],
        ["1", "3", "h", "00", "min", "3", "16.00", "32.00", "8.00", "16.00"],
        ["all", "6", "h", "00", "min", "5", "26.00", "52.00", "12.00", "24.50"],
    ]


def test_without_prices_there_are_no_dollars() -> None:
    assert lines(priced(0))[-1] == ["all", "6", "h", "00", "min", "5", "26.00", "52.00", "12.00"]
    assert "dollars" not in str(lines(priced(0)))


RETRY = RetryPolicy(2, 0)
KILLED = "import os, time\ntime.sleep(0.3)\nif os.environ['ATTEMPT'] == '0': os.kill(os.getpid(), 9)"
PRICED = resolve("default", ["cost.cpu_hour=3600", "workflow.parallelism=2"]).config


def test_a_local_run_counts_an_attempt_that_was_killed_and_the_one_after_it(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    flaky = single("flaky", KILLED, retry=RETRY, env=[Env(name="ATTEMPT", value="{{retries}}")])
    assert run_here(flaky, store, Layout("main"), PRICED, lambda _: True) == 0
    (account,) = accounts(store, "main")
    assert [a.task for a in account.attempts] == ["flaky", "flaky"]
    assert all(a.dollars == pytest.approx(a.seconds * a.held.cpus) and a.seconds >= 0.3 for a in account.attempts)
    assert account.attempts[0].ended <= account.attempts[1].began + 0.1


def test_shards_that_run_beside_each_other_share_the_machine(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    assert run_here(fan_out(4), store, Layout("main"), PRICED, lambda _: True) == 0
    (account,) = accounts(store, "main")
    held = {a.task: a.held.cpus for a in account.attempts}
    assert held.keys() == {"plan", "shard(0)", "shard(1)", "shard(2)", "shard(3)", "last"}
    assert held["plan"] == held["last"] == 2 * held["shard(0)"]


def test_summary_tells_the_cost_of_a_run_that_has_no_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(str(tmp_path))
    for number, account in enumerate(priced()):
        store.write_text(Layout("main").account(f"w-{number}"), account.model_dump_json())
    monkeypatch.setattr(sys, "argv", ["burnqed", "summary", "--store", str(tmp_path)])
    assert burnqed() == 0
    assert "There are no results yet." in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--json"])
    assert burnqed() == 0
    document = json.loads(capsys.readouterr().out)
    assert document["iterations"] == []
    assert document["costs"]["run"]["dollars"] == 24.5
    assert [step["step"] for step in document["costs"]["iterations"][0]["steps"]] == ["data", "sft"]


def test_a_run_without_prices_still_tells_hours(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    assert run_here(single("one", "pass"), store, Layout("main"), RunConfig(), lambda _: True) == 0
    costs = run_costs(accounts(store, "main"))
    assert costs.run.dollars == 0
    assert costs.run.cpu_hours > 0
