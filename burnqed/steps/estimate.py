"""What a workflow would take, from what earlier iterations took: each step's time grows with an amount that the configuration says.

rates = rates_of(store, "main")
estimate(works, rates)          # a row per step; `works` are iterations with their settings
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from burnqed.config import RunConfig
from burnqed.layout import Layout
from burnqed.steps.base import Context
from burnqed.steps.evaluate import variants
from burnqed.steps.models import has_search_head, learned_variants, search_variants
from burnqed.steps.table import FINAL, SEARCH
from burnqed.store import Store

SPREAD = (0.7, 1.5)
"""Of a rate that was measured once: how much lower and higher the next one may be."""


def context_of(layout: Layout, config: RunConfig, stage: str = "") -> Context:
    """For what depends on nothing but settings and iteration."""
    return Context(Store("."), layout, config, Path(), stage=stage)


def explored(config: RunConfig, iteration: int) -> float:
    """States that an iteration's searches and replays meet, up to a factor."""
    searched = len(set(search_variants(config, iteration)) & {*learned_variants(config, iteration)})
    replayed = (
        config.negatives.theorems * (1 + config.negatives.candidates) if learned_variants(config, iteration) else 0
    )
    return searched * config.select.theorems * config.search.budget + replayed


def embedded(config: RunConfig, iteration: int, stage: str) -> float:
    """States that the stage has to encode: those of earlier iterations, and at the end, where the others were encoded before the search, this one's."""
    before, own = sum(explored(config, i) for i in range(iteration)), explored(config, iteration)
    if stage == SEARCH:
        return before
    return own if has_search_head(config, iteration) else before + own


def trained(config: RunConfig, iteration: int) -> float:
    """Tokens in the optimiser's steps."""
    first = iteration == 0
    steps = (
        config.joint.steps
        if config.joint.enabled and not first
        else config.sft.steps
        if first
        else config.sft.later_steps
    )
    return float(steps * config.sft.batch_tokens * config.sft.accumulation)


def evaluated(config: RunConfig, iteration: int, stage: str) -> float:
    """Nodes for each theorem of the benchmarks."""
    here = [
        v for v in variants(context_of(Layout("x", iteration), config)) if (v == "search_head") == (stage == SEARCH)
    ]
    return float(len(here) * max(config.evaluate.budgets) * config.evaluate.samples * len(config.data.benchmarks))


Amount = Callable[[RunConfig, int], float]
AMOUNTS: dict[str, tuple[str, Amount]] = {
    "data": (
        "known proofs and theorems",
        lambda c, _: float((c.data.known_proofs or 1_100) + c.data.generated + 10 * c.data.deep),
    ),
    "select": ("theorems", lambda c, _: float(c.select.theorems)),
    "sft": ("tokens", trained),
    "embed-search": ("states", lambda c, i: embedded(c, i, SEARCH)),
    "embed-final": ("states", lambda c, i: embedded(c, i, FINAL)),
    "ebm-search": ("steps", lambda c, _: float(c.ebm.steps * c.ebm.batch)),
    "ebm-final": ("steps", lambda c, _: float(c.ebm.steps * c.ebm.batch)),
    "search": ("nodes", lambda c, i: float(c.select.theorems * c.search.budget * len(search_variants(c, i)))),
    "replay": ("proofs", lambda c, _: float(c.negatives.theorems * (1 + c.negatives.candidates))),
    "evaluate": ("nodes a theorem", lambda c, i: evaluated(c, i, FINAL)),
    "evaluate-search": ("nodes a theorem", lambda c, i: evaluated(c, i, SEARCH)),
}
"""By task, what its time grows with; that of other tasks is the same each time."""
