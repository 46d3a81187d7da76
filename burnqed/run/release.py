"""release: the exit handler of a workflow on a cluster: settles the bill and releases the run's lease."""

from __future__ import annotations

from burnqed import lease
from burnqed.log import in_pod
from burnqed.run.argo.bill import bill
from burnqed.steps.base import Command, Context


async def run(context: Context) -> None:
    if in_pod():  # `burnqed run` releases its own lease
        bill(context.store, context.layout, context.account, context.config.cost)
        lease.release(context.store, context.layout.run, context.account)


COMMAND = Command(run)
