"""gate: fails the workflow if the verdict on the iteration, or the person asked, says no."""

from __future__ import annotations

from burnqed.documents import READ_AGAIN, read_document
from burnqed.errors import BadInput
from burnqed.evaluate.gates import GateVerdict
from burnqed.log import log
from burnqed.record import output
from burnqed.steps.base import Command, Context


async def run(context: Context, *, answer: str) -> None:
    """Raises BadInput if `answer` is `no`, or is empty and the verdict is no."""
    store, layout = context.store, context.layout
    verdict = read_document(store, f"{output(store, layout.report)}/gate.json", GateVerdict, READ_AGAIN)
    for check in verdict.failed:
        log.warning("%s: %s is not %s. %s", check.name, check.measured, check.asked, check.advice)
    if answer == "no":
        raise BadInput(f"Iteration {layout.iteration} was not approved; its report is {store.locate(layout.report)}.")
    if not answer and not verdict.go:
        raise BadInput(
            f"The gate says no to iteration {layout.iteration}: {', '.join(c.name for c in verdict.failed)}; see docs/gates.md, "
            "or run with --gate off."
        )


COMMAND = Command(run)
