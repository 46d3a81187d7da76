"""Whether a run is worth continuing after an iteration: go or no-go, and what to look at (docs/gates.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import computed_field

from burnqed.config import GateConfig
from burnqed.evaluate.compare import from_head, from_previous
from burnqed.evaluate.results import HEAD, PLAIN, IterationResult, Result

# Names in IterationResult.training that checks read
EVALUATION_LOSS = "sft.evaluation_loss"
RANK1_DEEP = "head.rank1_depth_4+"
ENERGY_GAP = "head.energy_gap"
RANK_ACCURACY = "head.pairwise"

MIN_RANK_ACCURACY = 0.6
"""How often a positive must lie below one of its negatives for a head to be worth using; random choice: 0.5."""


Relation = Literal["≥", ">", "≤"]


class GateCheck(Result):
    name: str
    value: float | None
    """None: it was not measured, which fails a check that the configuration asks for."""
    threshold: float
    relation: Relation = "≥"
    """Of the value to the threshold."""
    advice: str
    """What to do when it fails."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ok(self) -> bool:
        if self.value is None:
            return False
        beyond = round(self.value - self.threshold, 9)  # rates are quotients: 0.3 - 0.1 must reach 0.2
        return beyond <= 0 if self.relation == "≤" else beyond > 0 if self.relation == ">" else beyond >= 0


class GateVerdict(Result):
    checks: list[GateCheck]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def go(self) -> bool:
        return not self.failed

    @property
    def failed(self) -> list[GateCheck]:
        return [c for c in self.checks if not c.ok]


def verdict(result: IterationResult, earlier: Sequence[IterationResult], config: GateConfig) -> GateVerdict:
    """Checks an iteration. Thresholds of 0 (or None) are not checked; gains are wherever there is something to compare."""
    return GateVerdict(
        checks=[
            *rate_checks(result, config),
            *gain_checks(result, earlier, config),
            *training_checks(result, config),
        ]
    )


def rate_checks(result: IterationResult, config: GateConfig) -> list[GateCheck]:
    checks = []
    for variant, threshold, name in (
        (PLAIN, config.min_rate, "solve rate without head"),
        (HEAD, config.min_rate_with_head, "solve rate with head"),
    ):
        evaluation = result.variant(variant)
        if threshold > 0:
            rate = evaluation.at_largest.rate if evaluation else None
            advice = rate_advice(rate, result.iteration)
            checks.append(GateCheck(name=name, value=rate, threshold=threshold, advice=advice))
    return checks


def rate_advice(rate: float | None, iteration: int) -> str:
    if rate is None:
        return "It was not evaluated; see evaluate.with_head and ebm.enabled."
    if rate < 0.05:
        return "Check first that the model loads the right weights and that the prompt is the one it was trained on."
    if iteration == 0:
        return "Check the prompt format first, then data and loss of the fine-tuning."
    return "Stop; look at the theorems that were lost and at the data of this iteration before paying for another one."


def gain_checks(result: IterationResult, earlier: Sequence[IterationResult], config: GateConfig) -> list[GateCheck]:
    """Rates over the theorems that could be tried on both sides. A gain of nothing fails unless `min_gain` is negative."""
    checks = []
    change = from_previous(result, earlier)
    if change and change.tried:
        advice = (
            "Stop: a solve rate that is level or falling does not recover by itself; compare the data, the loss and the "
            f"distinct candidates of both iterations ({len(change.newly_solved)} newly solved, {len(change.lost)} lost, "
            f"p = {change.p:.2g})."
        )
        name, gain = f"gain from {change.before}", change.net / change.tried
        relation: Relation = ">" if config.min_gain == 0 else "≥"
        checks.append(GateCheck(name=name, value=gain, threshold=config.min_gain, relation=relation, advice=advice))
    effect = from_head(result)
    if effect and effect.tried:
        gain = effect.net / effect.tried
        advice = "Look at the embeddings (do positives and negatives separate at all?) before training the head longer."
        checks.append(GateCheck(name="gain from the head", value=gain, threshold=0.0, relation=">", advice=advice))
    return checks


def training_checks(result: IterationResult, config: GateConfig) -> list[GateCheck]:
    metrics, checks = result.training, []
    if config.max_loss is not None:
        loss = metrics.get(EVALUATION_LOSS)
        advice = "Check learning rate, data and that the loss covers the tactic only."
        name = "evaluation loss"
        checks.append(GateCheck(name=name, value=loss, threshold=config.max_loss, relation="≤", advice=advice))
    if config.min_rank1_deep > 0:
        deep, threshold = metrics.get(RANK1_DEEP), config.min_rank1_deep
        advice = "Look at the negatives (siblings of deep states) and at the embeddings."
        checks.append(GateCheck(name="rank-1 at depth 4+", value=deep, threshold=threshold, advice=advice))
    if ENERGY_GAP in metrics:
        gap = metrics[ENERGY_GAP]
        advice = "The head does not tell provable states apart; do not search with it."
        checks.append(GateCheck(name="energy gap", value=gap, threshold=0.0, relation=">", advice=advice))
    if RANK_ACCURACY in metrics:
        accuracy, threshold = metrics[RANK_ACCURACY], MIN_RANK_ACCURACY
        advice = "The head is hardly better than chance (0.5); look at the negatives and at the embeddings."
        checks.append(GateCheck(name="head's rank accuracy", value=accuracy, threshold=threshold, advice=advice))
    return checks
