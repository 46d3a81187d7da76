"""What a run may cost."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.manifest import Key, write_manifest
from burnqed.steps.budget import check_budget, spent
from burnqed.store import Store

LAYOUT = Layout("main", 1)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A run whose two finished outputs took an hour each, at $2 and $3; another run beside it."""
    store = Store(str(tmp_path))
    begun = datetime.now(UTC) - timedelta(hours=1)
    for prefix, price in (("main/data", 2.0), ("main/iterations/iter_0/model", 3.0), ("other/data", 50.0)):
        store.write_text(f"{prefix}/x", "x")
        write_manifest(store, prefix, Key(step="s", version=1), RunConfig(), {}, begun, dollars_per_hour=price)
    return store


def test_a_run_costs_what_its_finished_outputs_took(store: Store) -> None:
    assert spent(store, LAYOUT) == pytest.approx(5.0, rel=0.01)


def test_a_run_ends_at_its_limit_and_warns_before(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("burnqed").propagate = True
    check_budget(store, LAYOUT, None)
    check_budget(store, LAYOUT, 10.0)
    assert not caplog.records
    check_budget(store, LAYOUT, 6.0)
    assert "has cost $5.00 of the $6.00" in caplog.text
    with pytest.raises(BadInput, match="raise --max-cost"):
        check_budget(store, LAYOUT, 5.0)
