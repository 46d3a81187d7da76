"""Checks within minutes that a cluster (or this machine) is set up right: a whole iteration with the profile's own model, Lean, images
and node pools, but next to nothing to do, in a separate run that is deleted at the end.

    burnqed submit smoke --watch
    burnqed submit smoke --profile cluster-7b --watch
"""

from __future__ import annotations

from typing import Any

from hera.workflows import Workflow

from burnqed.config import RunConfig

from .loop import build_loop

SIZES: dict[str, dict[str, Any]] = {
    "data": {"known_proofs": 60, "generated": 60, "benchmark_theorems": 6},
    "select": {"theorems": 6, "quotas": {}},
    "sft": {"steps": 20, "warmup_steps": 5, "checkpoint_every": 10, "evaluate_every": 10, "evaluation_pairs": 50},
    "ebm": {"steps": 40},
    "search": {"budget": 6, "candidates": 4, "shards": 2, "theorems_per_part": 2, "probe_tactics": True},
    "negatives": {"theorems": 6, "theorems_per_part": 6},
    "evaluate": {"budgets": [2, 6], "candidates": 4, "samples": 1, "shards": 1},
}
"""How much is done; everything else is as in the profile."""


def shrunk(config: RunConfig) -> RunConfig:
    document = config.model_dump()
    return RunConfig.model_validate(document | {name: document[name] | sizes for name, sizes in SIZES.items()})


def build(config: RunConfig, *, store: str, run: str) -> Workflow:
    return build_loop("smoke", shrunk(config), store=store, run=run, iteration=0, delete_run=True)
