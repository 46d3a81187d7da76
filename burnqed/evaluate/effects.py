"""What another evaluation changes: solve rates and nodes of the same theorems before and after, over several seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from pydantic import computed_field

from burnqed.evaluate.compare import change, nodes_within, solved_at
from burnqed.evaluate.intervals import Interval, bootstrap, difference, ratio, signed
from burnqed.evaluate.results import EvaluationResult, Result
from burnqed.trajectory.schema import ProofStatus

FEWER = 0.75
"""One evaluation is better than another, too, if its searches need less than this share of the nodes; worse, if the other's do."""
EFFECT_COLUMNS = (
    *("", "from → to", "theorems"),
    *("each seed", "gain", "95%", "nodes", "95%", "rank in the queue", ""),
)
Pairs = Sequence[tuple[EvaluationResult, EvaluationResult]]
"""For each seed, what is compared."""


class Effect(Result):
    """From one evaluation to another over the same theorems; each value is the mean over seeds. The interval of the gain is Newcombe's with one seed; with several, like that
    of the nodes, by bootstrap over theorems, or, where fewer than six of these differ, from the lowest end to the highest of the seeds' own. How trainings with other seeds vary is in no interval."""

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
    path_rank: tuple[float, float] | None = None
    """Mean rank of a proof's next state in the queue, before and after, over what both solve with the same seed; None of nothing."""
    ranked: int = 0
    """How many proofs these are."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def shown(self) -> str:
        """`better` if the interval of the gain lies above 0, or that of the nodes below 0.75; `worse` if it lies below 0, or above 1/0.75; else `not shown`."""
        gain, nodes = self.gain_interval or (0.0, 0.0), self.nodes_interval or (1.0, 1.0)
        better, worse = gain[0] > 0 or nodes[1] < FEWER, gain[1] < 0 or nodes[0] > 1 / FEWER
        return "not shown" if better == worse else "better" if better else "worse"

    @property
    def in_words(self) -> str:
        if self.gain is None:
            return "no theorem could be tried on both sides"
        return f"{self.gain:+.1%} (95%: {signed(self.gain_interval)})"

    @property
    def cells(self) -> list[str]:
        """As a row of text, for `EFFECT_COLUMNS`."""
        *figures, shown = self.figures
        rank = "{:.2f} → {:.2f} ({})".format(*self.path_rank, self.ranked) if self.path_rank else "-"
        seeds = ", ".join(f"{100 * gain:+.0f}" for gain in self.gains)
        return [self.question, f"{self.before} → {self.after}", str(self.theorems), seeds, *figures, rank, shown]

    @property
    def figures(self) -> list[str]:
        """The gain, its interval, the nodes, their interval, and what is shown."""
        nodes = "-" if self.nodes is None else f"× {self.nodes:.2f}"
        spread = "{:.2f} to {:.2f}".format(*self.nodes_interval) if self.nodes_interval else ""
        gain = "-" if self.gain is None else f"{self.gain:+.1%}"
        return [gain, signed(self.gain_interval), nodes, spread, self.shown]


def comparable(both: Iterable[tuple[EvaluationResult | None, EvaluationResult | None]]) -> Pairs:
    """Those of which both are there, on the same theorems."""
    return [(one, other) for one, other in both if one and other and one.benchmark_hash == other.benchmark_hash]


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
    own = [c.gain for c in alone if c.gain]
    hull = (min(low for low, _ in own), max(high for _, high in own)) if own else None
    ranked = sum(c.ranked for c in alone)
    ranks = [sum(c.path_rank[side] * c.ranked for c in alone if c.path_rank) for side in (0, 1)]
    return Effect(
        question=question,
        before=before,
        after=after,
        budget=budget,
        seeds=len(pairs),
        theorems=len(names),
        gain=float(np.mean(rates[1]) - np.mean(rates[0])) if names else None,
        gains=[c.net / c.tried for c in alone if c.tried],
        gain_interval=(bootstrap(*rates, difference) if len(pairs) > 1 else None) or hull,
        nodes=sum(nodes[1]) / sum(nodes[0]) if sum(nodes[0]) else None,
        nodes_interval=bootstrap(*nodes, ratio) if sum(nodes[0]) else None,
        path_rank=(ranks[0] / ranked, ranks[1] / ranked) if ranked else None,
        ranked=ranked,
    )
