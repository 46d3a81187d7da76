"""Whether a run may continue, given its cost so far (`--max-cost`)."""

from __future__ import annotations

from burnqed.cluster_config import CostConfig
from burnqed.errors import BadInput
from burnqed.ledger import spent
from burnqed.log import log
from burnqed.store import Store

WARN_FROM = 0.8


def check_prices(cost: CostConfig) -> None:
    """Raises BadInput for a limit that can never be reached because nothing has a price."""
    if cost.max_dollars is not None and not (cost.cpu_hour or cost.memory_hour or cost.gpu_hour):
        raise BadInput(
            f"The cost of the run is limited to ${cost.max_dollars:.2f} (--max-cost), but nothing has a price; set cost.gpu_hour, cost.cpu_hour and cost.memory_hour."
        )


def check_budget(store: Store, run: str, most: float | None, account: str = "") -> None:
    """Raises BadInput once the run has cost `most` dollars; warns from four fifths of that on. `account` is the caller's own."""
    if most is None:
        return
    so_far = spent(store, run, account)
    if so_far >= most:
        raise BadInput(
            f"The run {run!r} has cost ${so_far:.2f} of its limit of ${most:.2f}; raise --max-cost to continue."
        )
    if so_far >= WARN_FROM * most:
        log.warning("the run %s has cost $%.2f of its limit of $%.2f", run, so_far, most)
