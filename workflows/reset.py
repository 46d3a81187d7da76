"""An iteration that starts again from the base model, with all data so far: what a row of fine-tunings has lost comes back, and what the searches found stays.

    burnqed run reset --iter 3
    burnqed submit reset --iter 3

It is iteration N with other settings, which the run does not keep: as many steps as iteration 0, at its learning rate (with joint training, those of the section `joint`), on all base pairs and all proofs that were found; then every
state is encoded anew, and a new head trained, before search and evaluation. Its search uses that head: a baseline's belongs to the embeddings of the base model.
"""

from __future__ import annotations

from hera.workflows import Workflow

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.resolve import resolve
from burnqed.steps.table import whole

from .loop import build_loop

TASKS = tuple(step.task for step in whole() if step.task not in ("benchmark", "data", "base"))
"""The others belong to all iterations; a plan that has them would make the settings the run's own."""


def as_first(config: RunConfig) -> RunConfig:
    """The settings with which an iteration starts like the first."""
    settings = (
        *("sft.start=base", f"sft.later_steps={config.sft.steps}", "sft.learning_rate_decay=1.0", "sft.base_pairs=0"),
        "ebm.resume=none",
    )
    return resolve(None, settings, base=config).config


def build(config: RunConfig, *, store: str, run: str, iteration: int, redo: str = "", gate: str = "off") -> Workflow:
    """Raises BadInput for iteration 0, which starts from the base model anyway, and for settings that do not train the model."""
    if iteration == 0:
        raise BadInput("Iteration 0 starts from the base model anyway; run iteration --iter 0, or reset a later one.")
    if not config.sft.enabled:
        raise BadInput("A reset trains the base model, and sft.enabled=false trains none; set sft.enabled=true.")
    return build_loop(
        "reset", as_first(config), store=store, run=run, iteration=iteration, redo=redo, gate=gate, only=TASKS
    )
