"""Whether the head pays, and whether joint training keeps it so: the arms of an experiment, compared theorem by theorem.

Every arm is a model with a head that learned from the trajectories of iteration 0: A, the model of iteration 0; S, that of iteration 1, fine-tuned again with the proofs that
iteration 0 found, and the head that it searches with; the control, fine-tuned again without them; B, one trained jointly instead, with a head trained on its finished
embeddings; and C, that model with the head that was trained with it. So A to control is more training, control to S what found proofs do, S to B what joint training
does to the model, B to C what it does to the head. Ablations, where there are any, are the model of iteration 0 with heads that lack something, beside A.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import Field, computed_field

from burnqed.evaluate.compare import change, nodes_within, solved_at
from burnqed.evaluate.intervals import Interval, bootstrap, difference, percent, ratio, signed, wilson
from burnqed.evaluate.parts import divisions
from burnqed.evaluate.results import (
    CHANCE,
    ERROR,
    HEAD,
    PLAIN,
    SEARCH_HEAD,
    EvaluationResult,
    IterationResult,
    Result,
    on_benchmark,
)
from burnqed.trajectory.schema import ProofStatus

HELD = 0.9
"""Joint training holds the embeddings if their distance is at least this share of iteration 0's."""
FEWER = 0.75
"""One evaluation is better than another, too, if its searches need less than this share of the nodes; worse, if the other's do."""
MARGIN = 0.05
"""A gain of the rate that is smaller is none."""
FEWEST = 6
"""Fewer theorems than this that differ are no ground for a bootstrap."""
DISTANCE, PROBE, RANK1 = "centroid_scaled", "linear_probe", "rank1"
"""Of the metrics of a head's training: the distance between the mean embeddings of states on and off proofs, in pooled deviations; the accuracy of a linear probe;
how often a positive has the lowest energy among its negatives."""
PLAN, DATA, DEBUG, UNDECIDED = (
    "plan the next iteration",
    "data was the bottleneck",
    "debug joint training",
    "not decided",
)
"""Verdicts."""


class Arm(NamedTuple):
    """A model and one of its heads."""

    name: str
    what: str
    iteration: int
    branch: str
    """What the name of its run ends with, after the experiment's; empty for an iteration of the experiment's run itself."""
    variant: str
    """Of the evaluation with the head."""
    figures: str
    """Begins the head's figures among those of the training."""
    is_ablation: bool = False
    """Not every experiment has it."""


WITHOUT = "without-"
"""Begins the branches of ablations."""
ABLATIONS = {"goal": "it does not see the goal", "noise": "it did not learn from the searches at the noise temperature"}
"""What a head of iteration 0 can lack, and what that means."""
ARMS = (
    Arm("A", "iteration 0; head on its embeddings", 0, "", HEAD, "head"),
    Arm("S", "fine-tuned again, with found proofs; head on its embeddings", 1, "", SEARCH_HEAD, SEARCH_HEAD),
    Arm("B", "trained jointly; head on its finished embeddings", 1, "joint", HEAD, "head"),
    Arm("C", "trained jointly; the head of that training", 1, "joint", SEARCH_HEAD, SEARCH_HEAD),
    Arm("control", "fine-tuned again, without found proofs; head on its embeddings", 1, "control", HEAD, "head"),
    *(
        Arm(
            f"A without {name}",
            f"iteration 0; a head on its embeddings: {what}",
            1,
            f"{WITHOUT}{name}",
            HEAD,
            "head",
            is_ablation=True,
        )
        for name, what in ABLATIONS.items()
    ),
)
QUESTIONS = (
    ("A", "control", "more training"),
    ("control", "S", "found proofs"),
    ("A", "S", "both"),
    ("S", "B", "joint training, on the model"),
    ("B", "C", "joint training, on the head"),
    *((f"A without {name}", "A", f"the {name}, for the head") for name in ABLATIONS),
)
"""From which arm to which, and what the difference is."""


ARM_COLUMNS = ("rate", "95%", "rank-1", "by chance", "distance", "probe")
"""After the name and the budgets; the rate is at the largest."""
EFFECT_COLUMNS = ("", "from", "to", "seeds", "theorems", "gain of the rate", "95%", "nodes, after : before", "95%", "")


class ArmResult(Result):
    name: str
    what: str
    seeds: int
    solved: dict[int, float]
    """By budget, with the head; mean over seeds."""
    plain: dict[int, float]
    """Without it."""
    total: int
    """Theorems of the benchmark."""
    rate: float
    """With the head at the largest budget, of what could be tried."""
    interval: Interval | None
    """Of the rate: Wilson's with one seed, by bootstrap over theorems with several."""
    rank1: float | None = None
    chance: float | None = None
    error: float | None = None
    """Of rank1 by chance alone; over seeds."""
    distance: float | None = None
    probe: float | None = None

    @property
    def cells(self) -> list[str]:
        """As a row of text: its name, a column for each budget, and `ARM_COLUMNS`."""
        counts = [
            f"{count:.3g} / {self.plain[budget]:.3g}" if budget in self.plain else f"{count:.3g}"
            for budget, count in self.solved.items()
        ]
        error = "" if self.error is None else f" ± {self.error:.3f}"
        ranked = "-" if self.rank1 is None else f"{self.rank1:.3f}{error}"
        measured = ["-" if value is None else f"{value:.3f}" for value in (self.chance, self.distance, self.probe)]
        return [self.name, *counts, f"{self.rate:.1%}", percent(self.interval), ranked, *measured]


class Effect(Result):
    """From one evaluation to another over the same theorems; each value is the mean over seeds. The interval of the gain is Newcombe's with one seed; with several, like that
    of the nodes, by bootstrap over theorems. How trainings with other seeds vary is in no interval."""

    question: str
    before: str
    after: str
    budget: int
    seeds: int
    theorems: int
    """That could be tried on both sides with every seed, and that no model was trained on."""
    gain: float | None
    """Of the solve rate; None of no theorems."""
    gains: list[float]
    """Of each seed."""
    gain_interval: Interval | None
    nodes: float | None
    """Ratio of the mean of min(nodes to the proof, budget), after to before."""
    nodes_interval: Interval | None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def shown(self) -> str:
        """`better` if the interval of the gain lies above 0, or that of the nodes below 0.75; `worse` if it lies below 0, or above 1/0.75; else `not shown`."""
        gain, nodes = self.gain_interval or (0.0, 0.0), self.nodes_interval or (1.0, 1.0)
        better, worse = gain[0] > 0 or nodes[1] < FEWER, gain[1] < 0 or nodes[0] > 1 / FEWER
        return "not shown" if better == worse else "better" if better else "worse"

    @property
    def cells(self) -> list[str]:
        """As a row of text, for `EFFECT_COLUMNS`."""
        nodes = "-" if self.nodes is None else f"× {self.nodes:.2f}"
        spread = "{:.2f} to {:.2f}".format(*self.nodes_interval) if self.nodes_interval else ""
        gain = "-" if self.gain is None else f"{self.gain:+.1%}"
        return [
            self.question,
            self.before,
            self.after,
            str(self.seeds),
            str(self.theorems),
            gain,
            signed(self.gain_interval),
            nodes,
            spread,
            self.shown,
        ]


class PartResult(Result):
    """Some theorems of the benchmark; what each arm solves of them at the largest budget, in the mean over seeds."""

    by: str
    name: str
    theorems: int
    solved: dict[str, float]
    """By arm, with its head."""
    plain: dict[str, float]
    """Without it."""


class Experiment(Result):
    """An experiment's results on one benchmark."""

    runs: list[str]
    """One for each seed."""
    benchmark: str
    benchmark_hash: str
    budgets: list[int]
    arms: list[ArmResult]
    heads: list[Effect]
    """What each arm's head changes against the same model without one."""
    steps: list[Effect]
    """From arm to arm, with their heads."""
    iterations: list[Effect]
    """From each iteration to the next, with their heads."""
    parts: list[PartResult] = Field(default_factory=list)
    """Of the benchmark, by each quality that is known and tells theorems apart."""
    verdict: str
    reasons: list[str]
    missing: list[str] = Field(default_factory=list)
    """What the experiment should have and does not."""


class Experiments(Result):
    """`experiment.json`."""

    results: list[Experiment]
    """By benchmark, in the order of the configuration."""
    settings: dict[str, str] = Field(default_factory=dict)
    """Sizes and settings, in words."""


class Seed(NamedTuple):
    """The results of one run: of its iterations, and by arm."""

    run: str
    iterations: Sequence[IterationResult]
    arms: Mapping[str, IterationResult]


Pairs = Sequence[tuple[EvaluationResult, EvaluationResult]]
"""For each seed, what is compared."""


def judged(seeds: Sequence[Seed], benchmark: str) -> Experiment:
    """The experiment's result on one benchmark. Every seed has iteration 0."""
    on = [on_one(seed, benchmark) for seed in seeds]
    first = on[0].iterations[0].evaluations[0]
    budgets = [row.budget for row in first.budgets]
    arms = [found for arm in ARMS if (found := arm_result(arm, on, budgets))]
    heads = [
        effect(f"the head of {arm.name}", f"{arm.name} without head", arm.name, pairs, budgets[-1])
        for arm in ARMS
        if (pairs := paired(on, (arm, PLAIN), (arm, arm.variant)))
    ]
    steps = [
        effect(question, before, after, pairs, budgets[-1])
        for before, after, question in QUESTIONS
        if (pairs := with_heads(on, before, after))
    ]
    verdict, reasons = verdict_of(arms, heads, steps, on, budgets[-1])
    return Experiment(
        runs=[seed.run for seed in seeds],
        benchmark=benchmark,
        benchmark_hash=first.benchmark_hash,
        budgets=budgets,
        arms=arms,
        heads=heads,
        steps=steps,
        iterations=progress(on, budgets[-1]),
        parts=parts_of(on, first, budgets[-1]),
        verdict=verdict,
        reasons=reasons,
        missing=[
            f"{arm.name} of {seed.run}"
            for seed in on
            for arm in ARMS
            if not arm.is_ablation and evaluation(seed, arm, arm.variant) is None
        ],
    )


def on_one(seed: Seed, benchmark: str) -> Seed:
    arms = {name: found[0] for name, result in seed.arms.items() if (found := on_benchmark([result], benchmark))}
    return Seed(seed.run, on_benchmark(seed.iterations, benchmark), arms)


def evaluation(seed: Seed, arm: Arm, variant: str) -> EvaluationResult | None:
    result = seed.arms.get(arm.name)
    return result.variant(variant) if result else None


def paired(seeds: Sequence[Seed], before: tuple[Arm, str], after: tuple[Arm, str]) -> Pairs:
    """Of the seeds that have both."""
    return comparable((evaluation(seed, *before), evaluation(seed, *after)) for seed in seeds)


def with_heads(seeds: Sequence[Seed], before: str, after: str) -> Pairs:
    """The evaluations of two arms, by their names, with their heads."""
    one, other = (next(arm for arm in ARMS if arm.name == name) for name in (before, after))
    return paired(seeds, (one, one.variant), (other, other.variant))


def comparable(both: Iterable[tuple[EvaluationResult | None, EvaluationResult | None]]) -> Pairs:
    """Those of which both are there, on the same theorems."""
    return [(one, other) for one, other in both if one and other and one.benchmark_hash == other.benchmark_hash]


def progress(seeds: Sequence[Seed], budget: int) -> list[Effect]:
    """From each iteration to the next."""
    by_number = [{result.iteration: result.variant(HEAD) for result in seed.iterations} for seed in seeds]
    effects = []
    for number in sorted({number for found in by_number for number in found if number > 0}):
        if pairs := comparable((found.get(number - 1), found.get(number)) for found in by_number):
            effects.append(effect("another iteration", f"iteration {number - 1}", f"iteration {number}", pairs, budget))
    return effects


def arm_result(arm: Arm, seeds: Sequence[Seed], budgets: Sequence[int]) -> ArmResult | None:
    """None where no seed has it."""
    with_head = [e for seed in seeds if (e := evaluation(seed, arm, arm.variant))]
    if not with_head:
        return None
    without = [e for seed in seeds if (e := evaluation(seed, arm, PLAIN))]
    errors = metrics(arm, seeds, RANK1 + ERROR)
    return ArmResult(
        name=arm.name,
        what=arm.what,
        seeds=len(with_head),
        solved=solved(with_head, budgets),
        plain=solved(without, budgets),
        total=with_head[0].at_largest.total,
        rate=sum(e.at_largest.rate for e in with_head) / len(with_head),
        interval=rate_interval(with_head, budgets[-1]),
        rank1=mean_of(arm, seeds, RANK1),
        chance=mean_of(arm, seeds, RANK1 + CHANCE),
        error=math.sqrt(sum(e * e for e in errors)) / len(errors) if errors else None,
        distance=mean_of(arm, seeds, DISTANCE),
        probe=mean_of(arm, seeds, PROBE),
    )


def parts_of(seeds: Sequence[Seed], first: EvaluationResult, budget: int) -> list[PartResult]:
    evaluated = {
        (arm.name, variant == PLAIN): found
        for arm in ARMS
        for variant in (PLAIN, arm.variant)
        if (found := [e for seed in seeds if (e := evaluation(seed, arm, variant))])
    }

    def solved_of(theorems: set[str], without: bool) -> dict[str, float]:
        return {
            name: sum(sum(solved_at(o, budget) for o in e.per_theorem if o.name in theorems) for e in found)
            / len(found)
            for (name, is_plain), found in evaluated.items()
            if is_plain == without
        }

    return [
        PartResult(
            by=by, name=name, theorems=len(theorems), solved=solved_of(theorems, False), plain=solved_of(theorems, True)
        )
        for by, parts in divisions(first, [e for found in evaluated.values() for e in found]).items()
        for name, theorems in parts.items()
    ]


def metrics(arm: Arm, seeds: Sequence[Seed], name: str) -> list[float]:
    """Of the arm's head, for the seeds that have it."""
    trainings = [seed.arms[arm.name].training for seed in seeds if arm.name in seed.arms]
    return [training[key] for training in trainings if (key := f"{arm.figures}.{name}") in training]


def mean_of(arm: Arm, seeds: Sequence[Seed], name: str) -> float | None:
    found = metrics(arm, seeds, name)
    return sum(found) / len(found) if found else None


def solved(evaluations: Sequence[EvaluationResult], budgets: Sequence[int]) -> dict[int, float]:
    counts = {b: [sum(solved_at(o, b) for o in e.per_theorem) for e in evaluations] for b in budgets}
    return {budget: sum(found) / len(found) for budget, found in counts.items() if found}


def rate_interval(evaluations: Sequence[EvaluationResult], budget: int) -> Interval | None:
    if len(evaluations) == 1:
        tried = [o for o in evaluations[0].per_theorem if o.status is not ProofStatus.ERROR]
        return wilson(sum(solved_at(o, budget) for o in tried), len(tried))
    _, rates, _ = by_theorem([(e, e) for e in evaluations], budget)
    return bootstrap(rates[1], rates[1], lambda _, after: after)


def by_theorem(
    pairs: Pairs, budget: int
) -> tuple[list[str], tuple[list[float], list[float]], tuple[list[float], list[float]]]:
    """Theorems that could be tried on both sides with every seed and that no model was trained on; for each, before and after: how often it was solved, and how many
    nodes were expanded within the budget, in the mean over seeds."""
    sides = [[{o.name: o for o in e.per_theorem} for e in pair] for pair in pairs]
    known = {name for pair in pairs for e in pair for name in e.trained_on}
    common = set.intersection(*({*outcomes} for pair in sides for outcomes in pair))
    names = [
        name
        for name in sorted(common - known)
        if all(outcomes[name].status is not ProofStatus.ERROR for pair in sides for outcomes in pair)
    ]
    rates, nodes = (
        tuple(
            [float(np.mean([measure(pair[side][name], budget) for pair in sides])) for name in names] for side in (0, 1)
        )
        for measure in (solved_at, nodes_within)
    )
    return names, (rates[0], rates[1]), (nodes[0], nodes[1])


def effect(question: str, before: str, after: str, pairs: Pairs, budget: int) -> Effect:
    names, rates, nodes = by_theorem(pairs, budget)
    alone = [change(("", one), ("", other), budget) for one, other in pairs]
    differ = sum(one != other for one, other in zip(*rates, strict=True))
    several = bootstrap(*rates, difference) if differ >= FEWEST else None
    return Effect(
        question=question,
        before=before,
        after=after,
        budget=budget,
        seeds=len(pairs),
        theorems=len(names),
        gain=float(np.mean(rates[1]) - np.mean(rates[0])) if names else None,
        gains=[c.net / c.tried for c in alone if c.tried],
        gain_interval=alone[0].gain if len(pairs) == 1 else several,
        nodes=sum(nodes[1]) / sum(nodes[0]) if sum(nodes[0]) else None,
        nodes_interval=bootstrap(*nodes, ratio) if sum(nodes[0]) else None,
    )


def verdict_of(
    arms: Sequence[ArmResult], heads: Sequence[Effect], steps: Sequence[Effect], seeds: Sequence[Seed], budget: int
) -> tuple[str, list[str]]:
    """The verdict, with its reasons, the first of which says whether the heads pay.

    Joint training is to be debugged if the embeddings did not hold, or if the model proves less than the one that was fine-tuned on next-token loss alone.
    Else the next iteration is worth planning if C, the model and head that it would search with, proves more than iteration 0. If that can be excluded, up to five points,
    data was the bottleneck; if not, nothing is decided.
    """
    found = {arm.name: arm for arm in arms}
    reasons = [f"heads: {', '.join(f'{e.after} {e.shown}' for e in heads) or 'none was evaluated'}"]
    joint = found.get("C") or found.get("B")
    if joint is None or "A" not in found:
        if "A" in found:
            told = "there is no result of joint training: if its own limits ended it (docs/joint.md), that is what to debug"
            return UNDECIDED, [*reasons, told]
        return UNDECIDED, [*reasons, "iteration 0 or a jointly trained model is missing"]
    common = [seed for seed in seeds if {"A", joint.name} <= seed.arms.keys()]
    distances = {arm.name: mean_of(arm, common, DISTANCE) for arm in ARMS if arm.name in ("A", "S", "B")}
    start, end = distances["A"], distances["B"]
    if not start or end is None:
        return UNDECIDED, [*reasons, "the embeddings were not measured"]
    told = ", ".join(f"{name} {value:.3f}" for name, value in distances.items() if value is not None)
    reasons.append(
        f"distance of the means of states on and off proofs: {told}; {end / start:.1%} of iteration 0's is left, and 90% is asked for"
    )
    if end < HELD * start:
        return DEBUG, reasons
    on_model = next((e for e in steps if (e.before, e.after) == ("S", "B")), None)
    if on_model:
        reasons.append(f"B against S at {budget} nodes: {words(on_model)}")
        if on_model.shown == "worse":
            return DEBUG, reasons
    if not (pairs := with_heads(seeds, "A", joint.name)):
        return UNDECIDED, [*reasons, f"A and {joint.name} were evaluated on different theorems"]
    gained = effect("", "A", joint.name, pairs, budget)
    reasons.append(f"{joint.name} against A at {budget} nodes: {words(gained)}")
    low, high = gained.gain_interval or (-1.0, 1.0)
    if low > 0:
        return PLAN, reasons
    if high < MARGIN:
        return DATA, reasons
    return UNDECIDED, [*reasons, "more theorems or more seeds would narrow the interval"]


def words(found: Effect) -> str:
    if found.gain is None:
        return "no theorem could be tried on both sides"
    if not found.gain_interval:
        return f"{found.gain:+.1%}, where too few theorems differ for an interval"
    return f"{found.gain:+.1%} (95%: {signed(found.gain_interval)})"
