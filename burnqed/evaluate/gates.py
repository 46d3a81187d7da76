"""Whether a run is worth continuing after an iteration: go or no-go, and what to look at (docs/gates.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Literal

from pydantic import computed_field

from burnqed.config import GateConfig, at_iteration
from burnqed.evaluate.compare import Change, best_of, from_earlier, from_head, from_previous
from burnqed.evaluate.intervals import Interval, wilson
from burnqed.evaluate.results import CHANCE, COUNT, ERROR, HEAD, PLAIN, SPREAD, IterationResult, Result, on_benchmark
from burnqed.head.metric import LEAST_POSITIVES, LEAST_RANK_ACCURACY

# Names in IterationResult.training that checks read
EVALUATION_LOSS = "sft.evaluation_loss"
TRAINED_STEPS = "sft.trained_steps"
RANK1_DEEP = "head.rank1_depth_4+"
RANK1_SIBLINGS = "head.rank1_siblings"
ENERGY_GAP = "head.energy_gap"
RANK_ACCURACY = "head.pairwise"
LINEAR_PROBE = "head.linear_probe"
CENTROID = "head.centroid_l2"

LEVEL = (
    "Stop: a solve rate that is level or falling does not recover by itself; compare the data, the loss and the distinct "
    "candidates of both iterations"
)
PLATEAU = "Stop: these iterations have gained nothing together, so a further one like them will not either; compare their data, loss and distinct candidates, and change one"
NO_HELP = "Look at the embeddings (do positives and negatives separate at all?) before training the head longer"
PERHAPS_CHANCE = "Chance alone may give as much: evaluate on more theorems before building on it"

TOO_FEW = "Too few validation positives to judge the head by, and training searches go without it; raise negatives.theorems or select.theorems."

ADVICE = {
    RANK1_DEEP: "Look at the negatives (siblings of deep states) and at the embeddings.",
    RANK1_SIBLINGS: "Among the states that a search chooses between, the head is no better than chance; look at the siblings among its negatives.",
    ENERGY_GAP: "The head does not tell provable states apart; do not search with it.",
    RANK_ACCURACY: "The head is hardly better than chance (0.5); look at the negatives and at the embeddings.",
}
"""When the head falls short."""

FEW_IDEAS = "The policy proposes the same few tactics again and again: raise search.temperature, search.candidates or search.draws, or look at what it was trained on."
COLLAPSED = "The embeddings hardly tell states on proofs from others: compare them with those before the fine-tuning, and train jointly (joint.enabled), or with a larger joint.weight."

Relation = Literal["≥", ">", "≤"]


class GateCheck(Result):
    name: str
    value: float | None
    """None: it was not measured, which fails a check that the configuration asks for."""
    threshold: float
    relation: Relation = "≥"
    """Required of the value and the threshold."""
    n: int | None = None
    """Number of theorems, positives or pairs behind the value; None where it was not recorded."""
    interval: Interval | None = None
    """95 %, of a rate or of a gain."""
    untried: int = 0
    """Further theorems, which could not be tried."""
    chance: float | None = None
    """The value of random choice."""
    p: float | None = None
    """How likely chance alone would give as much; None where that is not known."""
    max_p: float | None = None
    """The largest p at which the value counts as more than chance; None where it need not be more."""
    least_n: int = 0
    """The value says nothing with a smaller n."""
    advice: str
    """What to do when the check fails."""

    @property
    def holds(self) -> bool:
        """Whether the value alone meets the threshold."""
        if self.value is None:
            return False
        beyond = round(self.value - self.threshold, 9)  # rates are quotients: 0.3 - 0.1 must reach 0.2
        return beyond <= 0 if self.relation == "≤" else beyond > 0 if self.relation == ">" else beyond >= 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ok(self) -> bool:
        is_enough = self.n is None or self.n >= self.least_n
        return is_enough and self.holds and (self.max_p is None or (self.p is not None and self.p <= self.max_p))

    @property
    def measured(self) -> str:
        """`0.368 (n = 420, chance 0.362, p = 0.4)`, `0.080 (0.012 to 0.151, n = 50, p = 0.12)`"""
        if self.value is None:
            return "not measured"
        beside = [
            *([] if self.interval is None else ["{:.3f} to {:.3f}".format(*self.interval)]),
            *([] if self.n is None else [f"n = {self.n:,}"]),
            *([f"{self.untried:,} not tried"] if self.untried else []),
            *([] if self.chance is None else [f"chance {self.chance:.3f}"]),
            *([] if self.p is None else [f"p = {self.p:.2g}"]),
        ]
        return f"{self.value:.3f}" + (f" ({', '.join(beside)})" if beside else "")

    @property
    def asked(self) -> str:
        """`> 0, p ≤ 0.05, n ≥ 20`"""
        evidence = "" if self.max_p is None else f", p ≤ {self.max_p:g}"
        number = f", n ≥ {self.least_n}" if self.least_n else ""
        return f"{self.relation} {self.threshold:.3g}{evidence}{number}"


NO_BASELINE = GateCheck(
    name="gain from the baseline",
    value=None,
    threshold=0.0,
    advice="The run of gate.baseline was not evaluated on the same theorems at a common budget; evaluate it on this benchmark (`burnqed run evaluate --run BASELINE --iter N --benchmark INDEX`), or set gate.baseline=null.",
)


class GateVerdict(Result):
    checks: list[GateCheck]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def go(self) -> bool:
        return not self.failed

    @property
    def failed(self) -> list[GateCheck]:
        return [c for c in self.checks if not c.ok]


def verdict(
    result: IterationResult,
    earlier: Sequence[IterationResult],
    config: GateConfig,
    *,
    baseline: IterationResult | None = None,
) -> GateVerdict:
    """Checks an iteration on its first benchmark. Thresholds of 0 (or None) are not checked; gains are checked wherever there is something
    to compare with. `baseline` is what iteration 0 is compared with, as later ones are with the previous; it may name the same benchmark otherwise."""
    first = result.benchmarks[0]
    from_baseline = baseline_change(result, baseline) if baseline else None
    (result,), earlier = on_benchmark([result], first), on_benchmark(earlier, first)
    checks = [
        *rate_checks(result, config),
        *([NO_BASELINE] if baseline and not from_baseline else []),
        *gain_checks(result, [from_baseline, from_previous(result, earlier)], config),
        *plateau_checks(result, earlier, config),
        *search_checks(result, config),
        *training_checks(result, config),
    ]
    return GateVerdict(checks=checks)


def rate_checks(result: IterationResult, config: GateConfig) -> list[GateCheck]:
    checks = []
    for variant, thresholds, name in (
        (PLAIN, config.min_rate, "solve rate without head"),
        (HEAD, config.min_rate_with_head, "solve rate with head"),
    ):
        evaluation, threshold = result.variant(variant), at_iteration(thresholds, result.iteration)
        if threshold > 0:
            row = evaluation.untrained if evaluation else None
            rate, n, untried = (row.rate, row.total - row.errors, row.errors) if row else (None, None, 0)
            interval = wilson(row.solved, row.total - row.errors) if row else None
            advice = rate_advice(rate, result.iteration)
            check = GateCheck(
                name=name, value=rate, threshold=threshold, n=n, untried=untried, interval=interval, advice=advice
            )
            checks.append(check)
    return checks


def rate_advice(rate: float | None, iteration: int) -> str:
    if rate is None:
        return "It was not evaluated; see evaluate.with_head and ebm.enabled."
    if rate < 0.05:
        return "Check first that the model loads the right weights and that the prompt is the one it was trained on."
    if iteration == 0:
        return "Check the prompt format first, then data and loss of the fine-tuning."
    return "Stop; look at the theorems that were lost and at the data of this iteration before paying for another one."


def baseline_change(result: IterationResult, baseline: IterationResult) -> Change | None:
    """What changed from the baseline on the first benchmark: with heads where both have one, else without. None where it was not evaluated on these theorems."""
    theirs = {e.variant: e for e in baseline.evaluations if e.benchmark_hash == result.evaluations[0].benchmark_hash}
    (ours,) = on_benchmark([result], result.benchmarks[0])
    return best_of(("the baseline", f"iteration {result.iteration}"), theirs.get, ours.variant)


def gain_checks(result: IterationResult, before: Sequence[Change | None], config: GateConfig) -> list[GateCheck]:
    """Gains over the theorems that could be tried on both sides. A gain that chance would give fails, and so does no gain, unless
    `min_gain` is negative: then a loss is tolerated, and no evidence is needed."""
    least = at_iteration(config.min_gain, result.iteration)
    return [
        *(check for c in before if c for check in gain_check(f"gain from {c.before}", c, least, config, LEVEL)),
        *gain_check("gain from the head", from_head(result), 0.0, config, NO_HELP),
    ]


def gain_check(name: str, change: Change | None, least: float, config: GateConfig, stop: str) -> list[GateCheck]:
    """At most one: none of nothing. `stop` is what to do where there is no gain."""
    if not (change and change.tried):
        return []
    gain = change.net / change.tried
    advice = PERHAPS_CHANCE if change.net > 0 and gain >= least else stop
    return [
        GateCheck(
            name=name,
            value=gain,
            threshold=least,
            relation=">" if least == 0 else "≥",
            n=change.tried,
            interval=change.gain,
            p=change.p,
            max_p=config.max_p if least >= 0 else None,
            advice=f"{advice} ({len(change.newly_solved)} newly solved, {len(change.lost)} lost, p = {change.p:.2g}).",
        )
    ]


def plateau_checks(result: IterationResult, earlier: Sequence[IterationResult], config: GateConfig) -> list[GateCheck]:
    """Whether the last iterations have gained anything together: a series may have a level one, but not several on end. Nothing before there are as many."""
    back = config.plateau
    change = from_earlier(result, earlier, back) if back else None
    return gain_check(f"gain over {back} iteration{'s' if back > 1 else ''}", change, 0.0, config, PLATEAU)


def search_checks(result: IterationResult, config: GateConfig) -> list[GateCheck]:
    """Whether the policy still has several ideas at a state."""
    least, search = at_iteration(config.min_candidates, result.iteration), result.search
    if least <= 0:
        return []
    value, n = (search.candidates_mean, search.nodes) if search.nodes else (None, None)
    return [GateCheck(name="distinct candidates", value=value, threshold=least, n=n, advice=FEW_IDEAS)]


def training_checks(result: IterationResult, config: GateConfig) -> list[GateCheck]:
    """The evaluation loss, and the figures of the head, which have to be more than chance whatever the threshold."""
    metrics, checks = result.training, []
    if config.max_loss is not None and metrics.get(TRAINED_STEPS, math.inf) >= config.loss_after:
        loss, limit = metrics.get(EVALUATION_LOSS), at_iteration(config.max_loss, result.iteration)
        advice = "Check learning rate, data and that the loss covers the tactic only."
        n = count(metrics, EVALUATION_LOSS)
        checks.append(GateCheck(name="evaluation loss", value=loss, threshold=limit, relation="≤", n=n, advice=advice))
    deep = at_iteration(config.min_rank1_deep, result.iteration)
    siblings = metrics.get(RANK1_SIBLINGS + CHANCE, 0.0)
    of_head: tuple[tuple[str, str, Relation, float], ...] = (
        (RANK1_DEEP, "rank-1 at depth 4+", "≥", deep),
        (RANK1_SIBLINGS, "rank-1 among siblings", ">", siblings),
        (ENERGY_GAP, "energy gap", ">", 0.0),
        (RANK_ACCURACY, "head's rank accuracy", "≥", LEAST_RANK_ACCURACY),
    )
    for metric, name, relation, threshold in of_head:
        if deep > 0 if metric == RANK1_DEEP else metric in metrics:
            value, chance, error, spread = (metrics.get(metric + ending) for ending in ("", CHANCE, ERROR, SPREAD))
            p = None
            if value is not None and chance is not None and error:
                p = NormalDist().cdf((chance - value) / max(error, spread or 0.0))
            n, least_n = count(metrics, metric), LEAST_POSITIVES if metric == RANK_ACCURACY else 0
            check = GateCheck(
                name=name, value=value, threshold=threshold, relation=relation, n=n, chance=chance, p=p, max_p=config.max_p,
                least_n=least_n, advice=TOO_FEW if n is not None and n < least_n else ADVICE[metric],
            )  # fmt: skip
            checks.append(check)
    for metric, name, thresholds in (
        (LINEAR_PROBE, "linear probe of the embeddings", config.min_linear_probe),
        (CENTROID, "distance of the mean embeddings", config.min_centroid),
    ):
        if (least := at_iteration(thresholds, result.iteration)) > 0:
            value, n = metrics.get(metric), count(metrics, metric)
            checks.append(GateCheck(name=name, value=value, threshold=least, n=n, advice=COLLAPSED))
    return checks


def count(metrics: Mapping[str, float], metric: str) -> int | None:
    number = metrics.get(metric + COUNT)
    return None if number is None else int(number)
