"""Comparing evaluations of the same benchmark.

    burnqed compare STORE/RUN/iterations/iter_0 STORE/RUN/iterations/iter_1

Solved counts at the budgets that all of them have; and, from each to the next and from the first to the last, which
theorems are newly solved, which are lost, and McNemar's test on these pairs at the largest common budget.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from statistics import fmean

from burnqed.errors import BadInput
from burnqed.evaluate.figures import pass_estimates
from burnqed.evaluate.intervals import bootstrap, difference, paired, ratio
from burnqed.evaluate.read import Labelled
from burnqed.evaluate.results import HEAD, PLAIN, EvaluationResult, IterationResult, Result, TheoremOutcome
from burnqed.trajectory.schema import ProofStatus

WITH_HEAD = " with its head"
Variants = Callable[[str], EvaluationResult | None]
"""The evaluation of a variant, where there is one."""


class Side(Result):
    """One of the compared evaluations."""

    label: str
    variant: str
    model: str
    head: str | None
    total: int
    errors: int
    solved: dict[int, int]
    """By budget."""
    rate: float
    """At the largest common budget, of those that could be tried."""


class Change(Result):
    """From one evaluation to another, over the theorems that could be tried in both and on which neither model was trained."""

    before: str
    after: str
    budget: int
    tried: int
    both: int
    """Solved by both."""
    newly_solved: list[str]
    lost: list[str]
    p: float
    """McNemar's exact test, two-sided: how likely a split at least this uneven would be if neither were better."""
    gain: tuple[float, float] | None = None
    """95 % interval of the difference of the solve rates (Newcombe). None of no theorems."""
    effort: float | None = None
    """Where it was asked for: ratio of the mean numbers of nodes, after to before: those until the proof, or the budget where none was found within it."""
    effort_interval: tuple[float, float] | None = None
    """By bootstrap over theorems; None where fewer than six differ."""
    samples: int = 1
    """N of the largest pass@N that both have."""
    pass_change: float | None = None
    """Where `effort` was asked for and both have several samples: what became of pass@N."""
    pass_interval: tuple[float, float] | None = None
    """By bootstrap over theorems."""
    path_rank: tuple[float, float] | None = None
    """Mean rank of a proof's next state in the queue, before and after, over the theorems that both solve and that have one on both sides."""
    ranked: int = 0
    """How many these are."""

    @property
    def net(self) -> int:
        return len(self.newly_solved) - len(self.lost)


class Comparison(Result):
    benchmark: str
    benchmark_hash: str
    budgets: list[int]
    sides: list[Side]
    changes: list[Change]
    """From each side to the next."""
    first_to_last: Change
    notes: list[str]
    """Settings in which the evaluations differ although the benchmark is the same, and what a model was trained on."""


def compare(results: Sequence[Labelled]) -> Comparison:
    """Compares two or more evaluations of one benchmark. Raises BadInput when they cannot be compared."""
    budgets, (_, first), rest = common_budgets(results), results[0], results[1:]
    return Comparison(
        benchmark=first.benchmark,
        benchmark_hash=first.benchmark_hash,
        budgets=budgets,
        sides=[side(label, e, budgets) for label, e in results],
        changes=[change(a, b, budgets[-1], effort=True) for a, b in zip(results, rest, strict=False)],
        first_to_last=change(results[0], results[-1], budgets[-1], effort=True),
        notes=[*differences([e for _, e in results]), *trained(results, budgets[-1])],
    )


def common_budgets(results: Sequence[Labelled]) -> list[int]:
    """Those that all have, ascending. Raises BadInput for fewer than two evaluations, for different benchmarks, and where there are none."""
    if len(results) < 2:
        raise BadInput("A comparison needs two results; give at least two addresses.")
    (first_label, first), rest = results[0], results[1:]
    for label, other in rest:
        if other.benchmark_hash != first.benchmark_hash:
            raise BadInput(
                f"{first_label} and {label} were evaluated on different benchmarks ({first.benchmark}, hash "
                f"{first.benchmark_hash}, and {other.benchmark}, hash {other.benchmark_hash}); evaluate both on the same one."
            )
    budgets = sorted(set.intersection(*({row.budget for row in e.budgets} for _, e in results)))
    if not budgets:
        have = "; ".join(f"{label}: {', '.join(str(row.budget) for row in e.budgets)}" for label, e in results)
        raise BadInput(f"The results have no budget in common ({have}); evaluate again with --budgets.")
    return budgets


def side(label: str, evaluation: EvaluationResult, budgets: Sequence[int]) -> Side:
    rows = {row.budget: row for row in evaluation.budgets}
    return Side(
        label=label,
        variant=evaluation.variant,
        model=evaluation.model,
        head=evaluation.head,
        total=rows[budgets[-1]].total,
        errors=rows[budgets[-1]].errors,
        solved={b: rows[b].solved for b in budgets},
        rate=rows[budgets[-1]].rate,
    )


def change(before: Labelled, after: Labelled, budget: int, *, effort: bool = False) -> Change:
    """Paired counts at one budget, without theorems that could not be tried on either side or that a model was trained on; with the ratio of the nodes, whose interval
    takes time, if `effort` is asked for."""
    known = {*before[1].trained_on, *after[1].trained_on}
    others = {o.name: o for o in after[1].per_theorem}
    pairs = [
        (o, others[o.name])
        for o in before[1].per_theorem
        if o.name not in known and ProofStatus.ERROR not in (o.status, others[o.name].status)
    ]
    tried = [(o.name, solved_at(o, budget), solved_at(other, budget)) for o, other in pairs]
    gained = sorted(name for name, a, b in tried if b and not a)
    lost = sorted(name for name, a, b in tried if a and not b)
    solved = [pair for pair in pairs if all(solved_at(outcome, budget) for outcome in pair)]
    ranks = [(a.path_rank, b.path_rank) for a, b in solved if a.path_rank is not None and b.path_rank is not None]
    samples = min(before[1].samples, after[1].samples) if effort else 1
    passed = passes(pairs, samples) if samples > 1 else [[], []]
    nodes = [[float(nodes_within(pair[side], budget)) for pair in pairs] for side in (0, 1)] if effort else [[], []]
    return Change(
        before=before[0],
        after=after[0],
        budget=budget,
        tried=len(tried),
        both=len(solved),
        newly_solved=gained,
        lost=lost,
        p=mcnemar(len(gained), len(lost)),
        gain=paired(len(solved), len(lost), len(gained), len(tried) - len(solved) - len(lost) - len(gained)),
        effort=sum(nodes[1]) / sum(nodes[0]) if sum(nodes[0]) else None,
        effort_interval=bootstrap(nodes[0], nodes[1], ratio) if sum(nodes[0]) else None,
        samples=samples,
        pass_change=fmean(passed[1]) - fmean(passed[0]) if passed[0] else None,
        pass_interval=bootstrap(passed[0], passed[1], difference),
        path_rank=(fmean(rank for rank, _ in ranks), fmean(rank for _, rank in ranks)) if ranks else None,
        ranked=len(ranks),
    )


def passes(pairs: Sequence[tuple[TheoremOutcome, TheoremOutcome]], samples: int) -> list[list[float]]:
    """pass@N of both sides, over the theorems of which both could try as many samples."""
    one, other = (pass_estimates(side, samples) for side in zip(*pairs, strict=True)) if pairs else ({}, {})
    names = [name for name in one if name in other]
    return [[side[name] for name in names] for side in (one, other)]


def solved_at(outcome: TheoremOutcome, budget: int) -> bool:
    return outcome.budget_at_proof is not None and outcome.budget_at_proof <= budget


def nodes_within(outcome: TheoremOutcome, budget: int) -> int:
    """Nodes until the proof, or the budget where there is none within it."""
    found = outcome.nodes_at_proof
    return budget if found is None or not solved_at(outcome, budget) else min(found, budget)


def mcnemar(gained: int, lost: int) -> float:
    """Exact two-sided p of McNemar's test: each of the gained + lost theorems is as likely to be gained as lost."""
    n = gained + lost
    tail = sum(math.comb(n, i) for i in range(min(gained, lost) + 1))
    return min(1.0, 2 * tail / (1 << n))


def differences(evaluations: Sequence[EvaluationResult]) -> list[str]:
    """One sentence for each setting in which the evaluations differ."""
    notes = []
    shown = ("candidates", "temperature", "samples", "probe_tactics")
    for name in ("variant", *shown, "lean_version"):
        values = [str(getattr(e, name)) for e in evaluations]
        if len(set(values)) > 1:
            notes.append(f"{name.replace('_', ' ')} differs: {', '.join(values)}")
    known = [e.made_with for e in evaluations if e.made_with]
    if 0 < len(known) < len(evaluations):
        notes.append(f"other settings are known of {len(known)} of the {len(evaluations)} evaluations")
    told = {f"evaluate.{name}" for name in (*shown, "budgets")}  # only common budgets are compared
    for key in sorted({key for settings in known for key in settings} - told):
        values = [json.dumps(settings[key]) if key in settings else "default" for settings in known]
        if len(set(values)) > 1:
            notes.append(f"{key} differs: {', '.join(values)}")
    return notes


def trained(results: Sequence[Labelled], budget: int) -> list[str]:
    """One sentence for each evaluation of a model that was trained on theorems of the benchmark: its figures without them."""
    notes = []
    for label, e in results:
        if e.trained_on:
            row = next((row for row in e.without_trained if row.budget == budget), None)
            others = f"of the other {row.total} it solves {row.solved} ({row.share})" if row else "there are no others"
            count, names = len(e.trained_on), ", ".join(e.trained_on)
            notes.append(
                f"{label} was trained on {count} of the theorems ({names}), so changes leave them out; {others}"
            )
    return notes


def from_previous(result: IterationResult, earlier: Sequence[IterationResult]) -> Change | None:
    """What changed from the previous iteration to this one: with heads where both have one, else without.

    None at iteration 0, and when the benchmark or the budgets changed in between.
    """
    return from_earlier(result, earlier, 1)


def from_earlier(result: IterationResult, earlier: Sequence[IterationResult], back: int) -> Change | None:
    """The same from as many iterations before."""
    for previous in (r for r in earlier if r.iteration == result.iteration - back):
        names = f"iteration {previous.iteration}", f"iteration {result.iteration}"
        return best_of(names, previous.variant, result.variant)
    return None


def best_of(names: tuple[str, str], before: Variants, after: Variants) -> Change | None:
    """With heads where both have one, which their names then say, else without."""
    for variant, ending in ((HEAD, WITH_HEAD), (PLAIN, "")):
        if found := between((names[0] + ending, names[1] + ending), before(variant), after(variant)):
            return found
    return None


def from_head(result: IterationResult) -> Change | None:
    """What the head changed within this iteration; None without a head."""
    return between(("without head", "with head"), result.variant(PLAIN), result.variant(HEAD))


def between(labels: tuple[str, str], a: EvaluationResult | None, b: EvaluationResult | None) -> Change | None:
    """At the largest budget of both; None when one is missing, they have no benchmark or budget in common, or only one had probe tactics beside its model."""
    if a is None or b is None or (a.benchmark_hash, a.probe_tactics) != (b.benchmark_hash, b.probe_tactics):
        return None
    budgets = {row.budget for row in a.budgets} & {row.budget for row in b.budgets}
    return change((labels[0], a), (labels[1], b), max(budgets)) if budgets else None
