"""All steps, in the order of the loop. `embed` and `ebm` stand twice: before the search and after it."""

from __future__ import annotations

from burnqed.errors import BadInput
from burnqed.steps import (
    base_model,
    benchmark,
    data,
    ebm,
    embed,
    evaluate,
    export,
    negatives,
    report,
    search,
    select,
    sft,
)
from burnqed.steps.base import Step

STEPS: tuple[tuple[Step, str], ...] = (
    (benchmark.STEP, ""),
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


def find(name: str, stage: str = "") -> tuple[Step, str]:
    """A step and its stage, which has to be given where it has several. Raises BadInput for one that there is not."""
    stages = {at: step for step, at in STEPS if step.name == name}
    if not stages:
        raise BadInput(
            f"There is no step {name!r}; the steps are {', '.join(dict.fromkeys(s.name for s, _ in STEPS))}."
        )
    if not stage and len(stages) == 1:
        (stage,) = stages
    if stage not in stages:
        wanted = " or ".join(f"--stage {at}" for at in stages if at)
        raise BadInput(f"The step {name} has no stage {stage!r}; {f'give {wanted}' if wanted else 'give none'}.")
    return stages[stage], stage
