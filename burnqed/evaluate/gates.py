"""Whether a run is worth continuing after an iteration: go or no-go, and what to look at (docs/gates.md)."""

from __future__ import annotations

from collections.abc import Sequence

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


class GateCheck(Result):
    name: str
    value: float | None
    """None: it was not measured, which fails a check that the configuration asks for."""
    threshold: float
    at_most: bool = False
    """The value must not exceed the threshold; otherwise it must reach it."""
    above: bool = False
    """Reaching it is not enough."""
    ok: bool
    advice: str
    """What to do when it fails."""

    @property
    def relation(self) -> str:
        return "≤" if self.at_most else ">" if self.above else "≥"


class GateVerdict(Result):
    go: bool
    checks: list[GateCheck]

    @property
    def failed(self) -> list[GateCheck]:
        return [c for c in self.checks if not c.ok]


def verdict(result: IterationResult, earlier: Sequence[IterationResult], config: GateConfig) -> GateVerdict:
    """Checks an iteration. Thresholds of 0 (or None) are not checked; gains are wherever there is something to compare."""
    checks = [
        *rate_checks(result, config),
        *gain_checks(result, earlier, config),
        *training_checks(result, config),
    ]
    return GateVerdict(go=all(c.ok for c in checks), checks=checks)


def at_least(name: str, value: float | None, threshold: float, advice: str) -> GateCheck:
    return GateCheck(
        name=name, value=value, threshold=threshold, ok=value is not None and value >= threshold, advice=advice
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
            checks.append(at_least(name, rate, threshold, rate_advice(rate, result.iteration)))
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
        gain = change.net / change.tried
        ok = round(gain - config.min_gain, 9) >= 0 and (gain > 0 or config.min_gain < 0)
        advice = (
            "Stop: a solve rate that is level or falling does not recover by itself; compare the data, the loss and the "
            f"distinct candidates of both iterations ({len(change.newly_solved)} newly solved, {len(change.lost)} lost, "
            f"p = {change.p:.2g})."
        )
        name = f"gain from {change.before}"
        checks.append(
            GateCheck(
                name=name, value=gain, threshold=config.min_gain, above=config.min_gain == 0, ok=ok, advice=advice
            )
        )
    effect = from_head(result)
    if effect and effect.tried:
        gain = effect.net / effect.tried
        advice = "Look at the embeddings (do positives and negatives separate at all?) before training the head longer."
        checks.append(
            GateCheck(name="gain from the head", value=gain, threshold=0.0, above=True, ok=gain > 0, advice=advice)
        )
    return checks


def training_checks(result: IterationResult, config: GateConfig) -> list[GateCheck]:
    metrics, checks = result.training, []
    if config.max_loss is not None:
        loss = metrics.get(EVALUATION_LOSS)
        ok = loss is not None and loss <= config.max_loss
        advice = "Check learning rate, data and that the loss covers the tactic only."
        name = "evaluation loss"
        checks.append(GateCheck(name=name, value=loss, threshold=config.max_loss, at_most=True, ok=ok, advice=advice))
    if config.min_rank1_deep > 0:
        advice = "Look at the negatives (siblings of deep states) and at the embeddings."
        checks.append(at_least("rank-1 at depth 4+", metrics.get(RANK1_DEEP), config.min_rank1_deep, advice))
    if ENERGY_GAP in metrics:
        gap = metrics[ENERGY_GAP]
        advice = "The head does not tell provable states apart; do not search with it."
        checks.append(GateCheck(name="energy gap", value=gap, threshold=0.0, above=True, ok=gap > 0, advice=advice))
    if RANK_ACCURACY in metrics:
        advice = "The head is hardly better than chance (0.5); look at the negatives and at the embeddings."
        checks.append(at_least("head's rank accuracy", metrics[RANK_ACCURACY], MIN_RANK_ACCURACY, advice))
    return checks
