"""release: what the exit handler of a cluster's workflow does: it settles the bill, and gives the run's lease back."""

from __future__ import annotations

from burnqed import lease
from burnqed.log import in_pod
from burnqed.run.argo.bill import bill
from burnqed.steps.base import Command, Context


async def run(context: Context) -> None:
    if in_pod():  # what `burnqed run` holds it gives back itself
        bill(context.store, context.layout, context.account, context.config.cost)
        lease.release(context.store, context.layout.run, context.account)


COMMAND = Command(run)
