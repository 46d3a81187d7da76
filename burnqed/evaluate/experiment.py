"""Whether the head pays, and whether joint training keeps it so: the arms of an experiment (arms.py), compared theorem by theorem, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from statistics import fmean

from pydantic import Field

from burnqed.evaluate.arms import (
    ARMS,
    CALIBRATION,
    DISTANCE,
    PROBE,
    QUESTIONS,
    RANK1,
    SIBLINGS,
    Arm,
    Seed,
    evaluation,
    mean_of,
    metrics,
    named,
    paired,
    spread_of,
    with_heads,
)
from burnqed.evaluate.compare import solved_at
from burnqed.evaluate.effects import Effect, Pairs, by_theorem, comparable, effect
from burnqed.evaluate.intervals import Interval, around, mean_interval, percent, wilson
from burnqed.evaluate.parts import LENGTH, divisions
from burnqed.evaluate.results import CHANCE, ERROR, HEAD, PLAIN, EvaluationResult, Result, on_benchmark
from burnqed.evaluate.verdict import verdict_of

ARM_COLUMNS = ("rate", "95%")
"""After the name and the budgets; the rate is at the largest."""
HEAD_COLUMNS = ("rank-1", "by chance", "siblings", "by chance", "ECE", "distance", "probe")
"""After the name."""


class Ranked(Result):
    """How often a head puts a proof's state first, in the mean over seeds."""

    value: float
    chance: float
    error: float
    """Standard deviation by chance alone; of the mean over seeds."""
    spread: float | None = None
    """Standard error of value − chance over theorems (`burnqed.evaluate.arms.spread_of`); None of a few theorems, and in results of earlier versions."""

    @property
    def interval(self) -> Interval | None:
        """Of the value, with the chance of these states: 95 %, over theorems."""
        return None if self.spread is None else around(self.value, self.spread, is_rate=True)

    @property
    def cells(self) -> tuple[str, str]:
        """As text: the value with its interval, and chance."""
        return f"{self.value:.3f}{in_brackets(self.interval)}", f"{self.chance:.2f} ± {self.error:.2f}"


class ArmResult(Result):
    name: str
    what: str
    seeds: int
    solved: dict[int, float]
    """By budget, with the head, if it has one; mean over seeds."""
    plain: dict[int, float]
    """Without it."""
    total: int
    """Theorems of the benchmark."""
    rate: float | None
    """At the largest budget, with the head if it has one, of what could be tried with every seed and no model was trained on."""
    interval: Interval | None
    """Of the rate: Wilson's with one seed, by bootstrap over theorems with several."""
    rank1: Ranked | None = None
    """Among its negatives of the same theorem."""
    siblings: Ranked | None = None
    """Among the states that the same expansion led to, which is what a search chooses between."""
    calibration: float | None = None
    """Expected calibration error of the choice among them."""
    distance: float | None = None
    distance_interval: Interval | None = None
    """95 %, over theorems."""
    probe: float | None = None

    @property
    def has_head(self) -> bool:
        return bool(self.solved)

    @property
    def cells(self) -> list[str]:
        """As a row of text: its name, a column for each budget, and `ARM_COLUMNS`."""
        counts = [of_both(self.solved.get(b), self.plain.get(b)) for b in {**self.plain, **self.solved}]
        return [self.name, *counts, "-" if self.rate is None else f"{self.rate:.1%}", percent(self.interval)]

    @property
    def head_cells(self) -> list[str]:
        """As a row of text: its name, and `HEAD_COLUMNS`."""
        ranks = (self.rank1, self.siblings)
        ranked = [r.cells if r else ("-", "-") for r in ranks]
        calibration, distance, probe = (
            "-" if value is None else f"{value:.3f}" for value in (self.calibration, self.distance, self.probe)
        )
        return [self.name, *chain(*ranked), calibration, distance + in_brackets(self.distance_interval), probe]


def in_brackets(interval: Interval | None) -> str:
    """Behind a figure; empty without one."""
    return " ({:.2f} to {:.2f})".format(*interval) if interval else ""


def of_both(solved: float | None, plain: float | None) -> str:
    """What is solved with a head / without one."""
    return " / ".join("-" if count is None else f"{count:.3g}" for count in (solved, plain))


class PartResult(Result):
    """Some theorems of the benchmark; what each arm solves of them at the largest budget, in the mean over seeds."""

    by: str
    name: str
    theorems: int
    solved: dict[str, float]
    """By arm that has a head, with it."""
    plain: dict[str, float]
    """Without it."""
    head: Effect | None = None
    """What the head of A changes; not by length of proof, which depends on what was proved with it."""


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
    notes: list[str] = Field(default_factory=list)
    """What the arms differ in besides what they are compared for."""


def judged(seeds: Sequence[Seed], benchmark: str) -> Experiment:
    """The experiment's result on one benchmark. Every seed has iteration 0."""
    on = [on_one(seed, benchmark) for seed in seeds]
    first = on[0].iterations[0].evaluations[0]
    budgets = [row.budget for row in first.budgets]
    arms = [found for arm in ARMS if (found := arm_result(arm, on, budgets))]
    heads = [
        head_effect(arm, pairs, budgets[-1])
        for arm in ARMS
        if arm.has_head and (pairs := paired(on, (arm, PLAIN), (arm, arm.variant)))
    ]
    steps = [
        effect(question, before, after, pairs, budgets[-1])
        for before, after, question in QUESTIONS
        if (pairs := with_heads(on, before, after))
    ]
    verdict, reasons = verdict_of([arm.name for arm in arms], heads, steps, on, budgets[-1])
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


def head_effect(arm: Arm, pairs: Pairs, budget: int) -> Effect:
    return effect(f"the head of {arm.name}", f"{arm.name} without head", arm.name, pairs, budget)


def on_one(seed: Seed, benchmark: str) -> Seed:
    arms = {name: found[0] for name, result in seed.arms.items() if (found := on_benchmark([result], benchmark))}
    return Seed(seed.run, on_benchmark(seed.iterations, benchmark), arms)


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
    found = [e for seed in seeds if (e := evaluation(seed, arm, arm.variant))]
    if not found:
        return None
    without = [e for seed in seeds if (e := evaluation(seed, arm, PLAIN))]
    rate, interval = rate_of(found, budgets[-1])
    distance, spread = mean_of(arm, seeds, DISTANCE), spread_of(arm, seeds, DISTANCE)
    return ArmResult(
        name=arm.name,
        what=arm.what,
        seeds=len(found),
        solved=solved(found if arm.has_head else [], budgets),
        plain=solved(without, budgets),
        total=found[0].at_largest.total,
        rate=rate,
        interval=interval,
        rank1=ranked(arm, seeds, RANK1),
        siblings=ranked(arm, seeds, SIBLINGS),
        calibration=mean_of(arm, seeds, CALIBRATION),
        distance=distance,
        distance_interval=None if distance is None or spread is None else around(distance, spread, is_rate=False),
        probe=mean_of(arm, seeds, PROBE),
    )


def ranked(arm: Arm, seeds: Sequence[Seed], name: str) -> Ranked | None:
    value, chance = mean_of(arm, seeds, name), mean_of(arm, seeds, name + CHANCE)
    errors = metrics(arm, seeds, name + ERROR)
    if value is None or chance is None or not errors:
        return None
    return Ranked(
        value=value,
        chance=chance,
        error=math.sqrt(sum(e * e for e in errors)) / len(errors),
        spread=spread_of(arm, seeds, name),
    )


def parts_of(seeds: Sequence[Seed], first: EvaluationResult, budget: int) -> list[PartResult]:
    evaluated = {
        (arm.name, variant == PLAIN): found
        for arm in ARMS
        for variant in dict.fromkeys((PLAIN, arm.variant))
        if (found := [e for seed in seeds if (e := evaluation(seed, arm, variant))])
    }

    arm_a = named("A")
    of_a = paired(seeds, (arm_a, PLAIN), (arm_a, arm_a.variant))

    def head_on(theorems: set[str]) -> Effect:
        return head_effect(arm_a, [(before.over(theorems), after.over(theorems)) for before, after in of_a], budget)

    def solved_of(theorems: set[str], without: bool) -> dict[str, float]:
        return {
            name: sum(sum(solved_at(o, budget) for o in e.per_theorem if o.name in theorems) for e in found)
            / len(found)
            for (name, is_plain), found in evaluated.items()
            if is_plain == without
        }

    return [
        PartResult(
            by=by,
            name=name,
            theorems=len(theorems),
            solved=solved_of(theorems, False),
            plain=solved_of(theorems, True),
            head=head_on(theorems) if of_a and by != LENGTH else None,
        )
        for by, parts in divisions(first, [e for found in evaluated.values() for e in found]).items()
        for name, theorems in parts.items()
    ]


def solved(evaluations: Sequence[EvaluationResult], budgets: Sequence[int]) -> dict[int, float]:
    counts = {b: [sum(solved_at(o, b) for o in e.per_theorem) for e in evaluations] for b in budgets}
    return {budget: sum(found) / len(found) for budget, found in counts.items() if found}


def rate_of(evaluations: Sequence[EvaluationResult], budget: int) -> tuple[float | None, Interval | None]:
    """The rate over the theorems that count, in the mean over seeds, and its interval; None of none."""
    _, (rates, _), _ = by_theorem([(e, e) for e in evaluations], budget)
    if not rates:
        return None, None
    return fmean(rates), wilson(sum(rates), len(rates)) if len(evaluations) == 1 else mean_interval(rates)
