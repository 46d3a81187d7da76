"""Is the head worth anything, before large sums are spent? Theorems are searched by the raw model without a head, one is trained on this search and on replayed known proofs, and
the same theorems are searched again with it. The verdict is about those that were held out of the head's training.

    burnqed run lean-start --profile demo
    burnqed submit lean-start --set sft.enabled=true      # the fine-tuned model instead

It is a part of iteration 0 of a run of its own; `burnqed run iteration --iter 0 --run lean-start` would add the evaluation. How much is done is what the profile has for this workflow.
"""

from __future__ import annotations

from hera.workflows import Workflow

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.resolve import resolve
from burnqed.steps.table import loop

from .loop import build_loop

WITHOUT = ("evaluate", "evaluate-search", "report")
TASKS = tuple(step.task for step in loop() if step.task not in WITHOUT)


def build(config: RunConfig, *, store: str, run: str, redo: str = "") -> Workflow:
    """Raises BadInput for settings without a head, and for those that leave no theorem to judge it by."""
    if not config.ebm.enabled:
        raise BadInput("A lean start is about the head; set ebm.enabled=true.")
    if not config.data.validation_fraction:
        raise BadInput(
            "The head is judged by theorems that it was not trained on, and data.validation_fraction=0 holds none out; set it to 0.5, say."
        )
    guided = resolve(None, ["search.guided=true"], base=config).config
    return build_loop("lean-start", guided, store=store, run=run, iteration=0, redo=redo, only=TASKS)
