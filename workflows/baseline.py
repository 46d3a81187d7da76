"""What the raw model can do: iteration 0 of a run of its own, without fine-tuning. First 16 trivial theorems, then benchmarks and theorems of the index; their trajectories and those
of replayed known proofs train a baseline head, and the benchmarks are evaluated without and with it.

    burnqed run baseline --profile demo
    burnqed submit baseline

Then `gate.baseline=baseline:0` compares iteration 0 of another run with it. How much is done is what the profile has for this workflow.
"""

from __future__ import annotations

from hera.workflows import Workflow

from burnqed.config import RunConfig
from burnqed.errors import BadInput

from .loop import build_loop


def build(config: RunConfig, *, store: str, run: str, redo: str = "", gate: str = "off") -> Workflow:
    """Raises BadInput for settings that fine-tune the model."""
    if config.sft.enabled:
        raise BadInput(
            f"A baseline is the model as it was before any fine-tuning, and the settings of the run {run!r} train it; give --run NAME for a run of its own, or "
            "--set sft.enabled=false."
        )
    return build_loop("baseline", config, store=store, run=run, iteration=0, redo=redo, gate=gate)
