"""All steps, in the order of the loop. `embed` and `ebm` stand twice: before the search and after it."""

from __future__ import annotations

from burnqed.errors import BadInput
from burnqed.steps import base_model, data, ebm, embed, evaluate, export, negatives, report, search, select, sft
from burnqed.steps.base import Step

STEPS: tuple[tuple[Step, str], ...] = (
    (data.STEP, ""),
    (base_model.STEP, ""),
    (select.STEP, ""),
    (sft.STEP, ""),
    (export.STEP, ""),
    (embed.STEP, "search"),
    (ebm.STEP, "search"),
    (search.STEP, "search"),
    (negatives.STEP, "negatives"),
    (embed.STEP, "final"),
    (ebm.STEP, "final"),
    (evaluate.STEP, "final"),
    (report.STEP, ""),
)


def find(name: str) -> Step:
    for step, _ in STEPS:
        if step.name == name:
            return step
    raise BadInput(f"There is no step {name!r}; the steps are {', '.join(dict.fromkeys(s.name for s, _ in STEPS))}.")
