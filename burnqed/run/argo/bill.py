"""What a workflow has cost, according to Argo's record: the exit handler replaces the pods' own estimates with it.

A pod's time runs from its creation by Argo until its last container ended. (`resourcesDuration`, Argo's own sum, lacks pods that were deleted, counts
Argo's containers, and drops what is below a second of a core.)
"""

from __future__ import annotations

from datetime import UTC, datetime

from burnqed.cluster_config import CostConfig
from burnqed.errors import BadInput
from burnqed.holding import of_template
from burnqed.layout import Layout
from burnqed.ledger import PodTime, settle
from burnqed.log import log
from burnqed.run.argo.access import Document
from burnqed.run.argo.nodes import tasks_of
from burnqed.run.argo.own import own_workflow
from burnqed.run.works import specification_of
from burnqed.store import Store

EXIT = ".onExit"


def bill(store: Store, layout: Layout, workflow: str, prices: CostConfig) -> None:
    """Settles the workflow's account. If that fails, says so and leaves the estimates."""
    try:
        pods = pods_of(own_workflow(workflow), datetime.now(UTC))
        account = settle(store, layout, workflow, pods, prices)
    except Exception as error:  # whatever it is, the rest of the exit handler matters more
        log.warning("the cost of %s remains an estimate: %s", workflow, error)
        return
    if account:
        hours, count = sum(attempt.seconds for attempt in account.attempts) / 3600, len(account.attempts)
        log.info("%s has cost $%.2f: %d pods, %.2f hours in total", workflow, account.dollars, count, hours)


def pods_of(workflow: Document, now: datetime) -> list[PodTime]:
    """Every pod of a workflow, of all attempts; what still runs, such as the exit handler itself, counts until `now`. Raises BadInput if Argo offloads its nodes."""
    if workflow.get("status", {}).get("offloadNodeStatusVersion"):
        raise BadInput("Argo keeps this workflow's nodes in its own database, not in the object")
    templates = {template["name"]: template for template in specification_of(workflow).get("templates", ())}
    return [
        PodTime(
            task=attempt.template if task.task.endswith(EXIT) else task.task,
            began=attempt.started.timestamp(),
            ended=(attempt.finished or now).timestamp(),
            held=of_template(templates[attempt.template]),
        )
        for task in tasks_of(workflow)
        for attempt in task.attempts
        if attempt.started
    ]
