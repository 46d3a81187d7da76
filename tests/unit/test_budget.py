"""What a run may cost: no step and no shard begins once it has."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from burnqed.cli.main import run_app
from burnqed.cluster_config import CostConfig
from burnqed.errors import BadInput
from burnqed.holding import Holding
from burnqed.layout import Layout
from burnqed.ledger import Account, Attempt
from burnqed.steps.budget import check_budget, check_prices
from burnqed.store import Store

HELD = Holding(cpus=2, gib=4, gpus=1)
PRICES = CostConfig(cpu_hour=0.5, memory_hour=0.25, gpu_hour=3.0)
"""Five dollars an hour for HELD."""


def spend(store: Store, run: str, name: str, *hours: float, before: float = 0.0) -> None:
    """An account with attempts of so many hours."""
    attempts = [
        Attempt(task=f"search({n})", began=n, seconds=h * 3600, held=HELD, dollars=HELD.dollars(PRICES, h * 3600))
        for n, h in enumerate(hours)
    ]
    account = Account(iteration=0, before=before, attempts=attempts)
    store.write_text(Layout(run).account(name), account.model_dump_json())


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A run that has cost $4 and $1; another run beside it."""
    store = Store(str(tmp_path))
    spend(store, "main", "w-1", 0.5, 0.3)
    spend(store, "main", "w-2", 0.2, before=4.0)
    spend(store, "other", "w-3", 10)
    return store


@pytest.mark.parametrize("account", ["", "w-2"], ids=["of all accounts", "by one's own"])
def test_a_run_ends_at_its_limit_and_warns_before(store: Store, account: str, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("burnqed").propagate = True
    check_budget(store, "main", None, account)
    check_budget(store, "main", 10.0, account)
    assert not caplog.records
    check_budget(store, "main", 6.0, account)
    assert "has cost $5.00 of its limit of $6.00" in caplog.text
    with pytest.raises(BadInput, match=r"The run 'main' has cost \$5\.00 of its limit of \$5\.00.* raise --max-cost"):
        check_budget(store, "main", 5.0, account)


def test_a_limit_without_prices_is_refused_since_it_would_never_be_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "iteration", "--iter", "0", "--profile", "smoke", "--store", str(tmp_path / "s")]
    monkeypatch.setattr(sys, "argv", ["burnqed", *words, "--max-cost", "5"])
    assert run_app() == 2
    assert (
        "The cost of the run is limited to $5.00 (--max-cost), but nothing has a price; set cost"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "s").exists()
    check_prices(PRICES.model_copy(update={"max_dollars": 5.0}))
    check_prices(CostConfig())


def test_an_account_that_cannot_be_read_is_one_sentence(store: Store) -> None:
    store.write_text("main/costs/w-1.json", "{")
    with pytest.raises(BadInput, match=r"w-1\.json is not what was written there .*; move it away"):
        check_budget(store, "main", 5.0)
