"""Where an iteration's model and head are, for the policy server beside its steps."""

from __future__ import annotations

from burnqed.config import RunConfig, includes
from burnqed.errors import BadInput
from burnqed.layout import REPLAYED, Layout
from burnqed.log import log
from burnqed.record import read_record
from burnqed.steps.base import Context, Unit
from burnqed.steps.facts import HeadFacts
from burnqed.steps.table import REPLAY, SEARCH
from burnqed.store import Store

GUIDED = "guided"
"""The variant of trajectories that are searched with the head that learned from the others; nothing is trained on them."""


def head_prefix(layout: Layout, stage: str, config: RunConfig) -> str | None:
    """Folder of the head that a stage uses. None if heads are off, for the replay of known proofs, and where the stage `search` has none."""
    if not config.ebm.enabled or stage == REPLAY or (stage == SEARCH and not has_search_head(config, layout.iteration)):
        return None
    return layout.head(stage)


def trusted_head(context: Context, unit: Unit) -> bool:
    """Whether a unit has a head that training accepted: one that ranks no better than chance would only mislead a search."""
    for head in unit.sources["head"]:
        record = read_record(context.store, head)
        if record and HeadFacts.of(record).accepted:
            return True
        log.warning("the head %s was not accepted, so this search runs without one", context.store.locate(head))
    return False


def served_paths(store: Store, layout: Layout, stage: str, config: RunConfig) -> tuple[str, str | None]:
    """Addresses of the model and, if the stage has one, of the head. Raises BadInput if one is not finished."""
    head = head_prefix(layout, stage, config)
    for prefix in filter(None, (layout.model, head)):
        if read_record(store, prefix) is None:
            raise BadInput(f"{store.locate(prefix)} is not finished; run the steps before {stage} first.")
    return store.locate(layout.model), store.locate(head) if head else None


def is_joint(context: Context) -> bool:
    """Whether the iteration trains the model and its search's head together (`burnqed.train.joint`)."""
    return trains_jointly(context.config) and context.config.ebm.enabled and context.iteration > 0


def trains_jointly(config: RunConfig) -> bool:
    """Whether iterations from 1 on do."""
    return config.sft.enabled and config.joint.enabled


def searches(config: RunConfig, iteration: int) -> bool:
    """Whether an iteration with these settings searches and replays. The first does, unless none is to and there is no head, which would have nothing else to learn from."""
    if iteration == 0:
        return config.ebm.enabled or bool(config.search.enabled)
    return includes(config.search.enabled, iteration)


def has_searched(store: Store, layout: Layout) -> bool:
    """Whether the layout's iteration did, or has begun to, whatever the settings are now."""
    return read_record(store, layout.selection) is not None


def as_searched(store: Store, layout: Layout, config: RunConfig) -> RunConfig:
    """The settings of the layout's iteration: one that has searched keeps its search, whatever `search.enabled` says by now, as later iterations learned from it."""
    if layout.iteration < 0 or searches(config, layout.iteration) or not has_searched(store, layout):
        return config
    return config.model_copy(update={"search": config.search.model_copy(update={"enabled": True})})


def has_search_head(config: RunConfig, iteration: int) -> bool:
    """Whether the iteration has the head of stage `search`: before the very first search there is nothing to learn from, and where there is no search, only a joint
    training makes one."""
    return config.ebm.enabled and iteration > 0 and (searches(config, iteration) or trains_jointly(config))


def is_guided(config: RunConfig, iteration: int) -> bool:
    """Whether the iteration also searches with the head that learned from its search."""
    return config.ebm.enabled and config.search.guided and iteration == 0


def search_variants(config: RunConfig, iteration: int) -> list[str]:
    """Variants of the search. Iteration 0 has no head yet; a noisy second search collects more failures and successes there."""
    return ["main", "noise"] if iteration == 0 and config.search.noise else ["main"]


def learned_variants(config: RunConfig, iteration: int) -> list[str]:
    """Variants of the trajectories, those of the replay of known proofs among them, that a head learns from."""
    searched = [variant for variant in search_variants(config, iteration) if config.ebm.noise or variant != "noise"]
    return [*searched, *([REPLAYED] if config.negatives.theorems else [])]
