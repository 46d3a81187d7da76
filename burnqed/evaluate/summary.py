"""`summary.json`: the results of all iterations of a run, with a table row for each iteration and benchmark.

burnqed summary --store STORE
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from burnqed.documents import read_document
from burnqed.evaluate.course import course
from burnqed.evaluate.results import HEAD, PLAIN, EvaluationResult, IterationResult, Result, Summary, on_benchmark
from burnqed.layout import Layout
from burnqed.store import Store
from burnqed.trajectory.schema import ProofStatus


class SummaryRow(Result):
    """The results of one iteration on one benchmark, at the largest budget."""

    iteration: int
    benchmark: str
    benchmark_hash: str
    solved: int
    """By the better variant."""
    total: int
    budget: int
    without_head: int | None
    with_head: int | None
    ever: int
    errors: int
    """The largest number of theorems that a variant could not try."""
    timed_out: int
    """The largest number of a variant's searches that ran into the safety limit in seconds."""
    trained_on: int
    """Theorems of the benchmark that the model was trained on."""
    solved_untrained: int
    """Of the other theorems, by the better variant."""


def read_summary(store: Store, run: str) -> Summary | None:
    """The summary of a run; None before its first report."""
    path = Layout(run, 0).summary
    return read_document(store, path, Summary, "run an iteration with --redo report") if store.exists(path) else None


def summary_json(summary: Summary) -> dict[str, Any]:
    """The document of `burnqed summary --json`: the rows of its tables."""
    benchmarks = dict.fromkeys(name for r in summary.iterations for name in r.benchmarks)
    return {
        "run": summary.run,
        "iterations": [r.model_dump(mode="json") for r in rows(summary)],
        "course": {
            name: [r.model_dump(mode="json") for r in course(on_benchmark(summary.iterations, name))]
            for name in benchmarks
        },
    }


def summarize(results: Sequence[IterationResult]) -> Summary:
    """The summary of one or more iterations of a run, whose last is its own (the first may be those of the run that it branched from); `ever` is counted again."""
    ordered = sorted(results, key=lambda r: r.iteration)
    counted = [r.model_copy(update={"ever": ever(r.evaluations, ordered[:i])}) for i, r in enumerate(ordered)]
    return Summary(run=ordered[-1].run, iterations=counted)


def ever(evaluations: Sequence[EvaluationResult], earlier: Sequence[IterationResult]) -> dict[str, int]:
    """By benchmark: theorems solved by any variant, now or in an earlier iteration on the same benchmark."""
    past = [e for r in earlier for e in r.evaluations]
    solved: dict[str, set[str]] = {}
    for now in evaluations:
        same = [e for e in past if e.benchmark_hash == now.benchmark_hash]
        names = {o.name for e in [*same, now] for o in e.per_theorem if o.status is ProofStatus.PROVED}
        solved[now.benchmark] = solved.get(now.benchmark, set()) | names
    return {benchmark: len(names) for benchmark, names in solved.items()}


def rows(summary: Summary) -> list[SummaryRow]:
    return [row(on_one) for r in summary.iterations for name in r.benchmarks for on_one in on_benchmark([r], name)]


def row(result: IterationResult) -> SummaryRow:
    """The row of an iteration that is reduced to one benchmark."""
    best = max((e.at_largest for e in result.evaluations), key=lambda b: b.solved)
    plain, head, first = result.variant(PLAIN), result.variant(HEAD), result.evaluations[0]
    return SummaryRow(
        iteration=result.iteration,
        benchmark=first.benchmark,
        benchmark_hash=first.benchmark_hash,
        solved=best.solved,
        total=best.total,
        budget=best.budget,
        without_head=plain.at_largest.solved if plain else None,
        with_head=head.at_largest.solved if head else None,
        ever=result.ever[first.benchmark],
        errors=max(e.at_largest.errors for e in result.evaluations),
        timed_out=max(e.at_largest.timed_out for e in result.evaluations),
        trained_on=len(first.trained_on),
        solved_untrained=max(e.untrained.solved if e.untrained else 0 for e in result.evaluations),
    )
