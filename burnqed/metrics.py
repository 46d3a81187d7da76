"""Metrics for Prometheus: a search pod serves them at $BURNQED_METRICS_PORT, a policy server at /metrics.

Rates come from counters: `rate(burnqed_tactics_total[5m])` is tactics per second, `rate(burnqed_theorems_total[5m])` theorems.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from prometheus_client import Counter, Gauge, start_http_server

from burnqed.log import in_pod

if TYPE_CHECKING:
    from burnqed.trajectory.schema import TheoremResult

VARIABLE = "BURNQED_METRICS_PORT"

THEOREMS = Counter("burnqed_theorems", "Theorems searched to the end.", ["status"])
NODES = Counter("burnqed_nodes", "States expanded.")
TACTICS = Counter("burnqed_tactics", "Tactics that Lean was asked to apply.")
LEAN_ERRORS = Counter("burnqed_lean_errors", "Tactics that failed, by kind.", ["kind"])
SECONDS = Counter("burnqed_search_seconds", "Seconds that theorems waited, by what for.", ["what"])
QUEUE = Gauge("burnqed_queue", "Items that wait.", ["what"])
TOKENS = Counter("burnqed_generated_tokens", "Tokens that the embedded policy server generated.")
GPU = Gauge("burnqed_gpu_utilisation_percent", "Utilisation of the first GPU.")


def count(result: TheoremResult) -> None:
    """Counts one finished search."""
    THEOREMS.labels(str(result.status)).inc()
    NODES.inc(result.nodes)
    TACTICS.inc(result.lean_calls)
    for kind, number in result.statistics.lean_errors.items():
        LEAN_ERRORS.labels(kind).inc(number)
    for what in ("generation", "lean", "scoring"):
        SECONDS.labels(what).inc(getattr(result.statistics, f"{what}_s"))


def watch_queue(what: str, length: Callable[[], int]) -> None:
    """Reports the length of a queue whenever metrics are read."""
    QUEUE.labels(what).set_function(length)


def serve() -> None:
    """Serves metrics at $BURNQED_METRICS_PORT, where a workflow sets it."""
    if port := os.environ.get(VARIABLE):
        start_http_server(int(port), addr="0.0.0.0" if in_pod() else "127.0.0.1")
