"""Metrics: what Prometheus reads of a search."""

from __future__ import annotations

import re

import httpx
import pytest
from prometheus_client import REGISTRY

from burnqed import metrics
from burnqed.machine import free_port
from burnqed.trajectory.schema import ProofStatus, SearchStatistics, TheoremResult
from tests.fixtures.shared import ROOT


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_a_finished_search_is_counted_with_its_effort_and_its_errors() -> None:
    before = {name: value(name) for name in ("burnqed_nodes_total", "burnqed_tactics_total")}
    proved, timeouts = (
        value("burnqed_theorems_total", status="proved"),
        value("burnqed_lean_errors_total", kind="timeout"),
    )
    statistics = SearchStatistics(lean_errors={"timeout": 2, "error": 5}, lean_s=1.5)
    metrics.count(TheoremResult(name="t", status=ProofStatus.PROVED, nodes=3, lean_calls=20, statistics=statistics))
    assert value("burnqed_nodes_total") == before["burnqed_nodes_total"] + 3
    assert value("burnqed_tactics_total") == before["burnqed_tactics_total"] + 20
    assert value("burnqed_theorems_total", status="proved") == proved + 1
    assert value("burnqed_lean_errors_total", kind="timeout") == timeouts + 2


def test_they_are_served_where_a_workflow_gives_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    monkeypatch.setenv(metrics.VARIABLE, str(port))
    waiting = [1, 2, 3]
    metrics.watch_queue("test", lambda: len(waiting))
    metrics.serve()
    text = httpx.get(f"http://127.0.0.1:{port}/metrics").text
    assert 'burnqed_queue{what="test"} 3.0' in text
    assert "burnqed_theorems_total" in text


def test_the_dashboard_asks_for_metrics_that_exist() -> None:
    dashboard = (ROOT / "manifests" / "grafana-dashboard.json").read_text()
    asked = set(re.findall(r"\bburnqed_[a-z_]+", dashboard))
    assert asked <= {sample.name for family in REGISTRY.collect() for sample in family.samples} | {"burnqed_queue"}
    assert len(asked) >= 7
