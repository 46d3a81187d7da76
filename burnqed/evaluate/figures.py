"""From the outcomes of single searches to the figures of an evaluation.

One run with the largest budget gives the figures for all smaller ones: a theorem is solved at budget b when its proof was found
within b expanded nodes. With N samples a theorem is proved when one of them is; it is an error only when none could be tried.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from burnqed.config import EvaluateConfig
from burnqed.errors import BadInput
from burnqed.evaluate.intervals import mean_interval
from burnqed.evaluate.results import BudgetResult, EvaluationResult, SearchFigures, TheoremOutcome
from burnqed.lean.protocol import Theorem
from burnqed.trajectory.schema import ProofStatus, TheoremResult

NO_RESULT = "no result: its search never ended"


def evaluation_result(
    results: Iterable[TheoremResult],
    theorems: Sequence[Theorem],
    *,
    variant: str,
    model: str,
    head: str | None,
    benchmark: str,
    header: str,
    lean_version: str,
    config: EvaluateConfig,
    trained_on: Collection[str] = (),
    made_with: Mapping[str, Any] | None = None,
    recalled: bool = False,
    easy: Mapping[str, bool] | None = None,
    known_proofs: Mapping[str, int] | None = None,
) -> EvaluationResult:
    """Figures of one variant on one benchmark.

    `results` holds at most one result per theorem and sample, in any order; a theorem of the benchmark without any is an error.
    `header` is that of theorems without one; `trained_on` names those that the model was trained on; `easy` says of theorems whether a single probe tactic proves them, and
    `known_proofs` how many tactics their known proofs have.

    Raises BadInput for a result that does not belong to the benchmark.
    """
    budgets = sorted(set(config.budgets))
    results = list(results)
    by_name: dict[str, list[TheoremResult]] = {t.name: [] for t in theorems}
    for result in results:
        if result.name not in by_name:
            raise BadInput(f"There is a result for {result.name!r}, which is not in {benchmark}; evaluate again.")
        by_name[result.name].append(result)
    for name, runs in by_name.items():
        if len({r.sample for r in runs}) != len(runs):
            raise ValueError(f"{name} has several results for one sample")

    groups = [by_name[t.name] for t in theorems]
    outcomes = [
        outcome(t, runs, budgets, header).model_copy(
            update={"probe_easy": (easy or {}).get(t.name), "known_proof": (known_proofs or {}).get(t.name)}
        )
        for t, runs in zip(theorems, groups, strict=True)
    ]
    rows = [budget_result(outcomes, groups, b) for b in budgets]
    estimates = {str(k): list(pass_estimates(outcomes, k).values()) for k in pass_sizes(config.samples)}
    estimates = {k: values for k, values in estimates.items() if values}
    others = [i for i, t in enumerate(theorems) if t.name not in trained_on] if trained_on else []
    apart = [budget_result([outcomes[i] for i in others], [groups[i] for i in others], b) for b in budgets if others]
    return EvaluationResult(
        variant=variant,
        model=model,
        head=head,
        benchmark=benchmark,
        benchmark_hash=benchmark_hash(theorems, header),
        lean_version=lean_version,
        header=header,
        candidates=config.candidates,
        temperature=config.temperature,
        samples=config.samples,
        probe_tactics=config.probe_tactics,
        budgets=rows,
        cumulative=rows[-1].solved,
        pass_n={k: fmean(values) for k, values in estimates.items()},
        pass_intervals={
            k: interval for k, values in estimates.items() if config.samples > 1 and (interval := mean_interval(values))
        },
        trained_on=[t.name for t in theorems if t.name in trained_on],
        without_trained=apart,
        search=search_figures(results),
        recalled=recalled,
        made_with=dict(made_with or {}),
        per_theorem=outcomes,
    )


def benchmark_hash(theorems: Iterable[Theorem], header: str) -> str:
    """SHA-256 over the sorted (name, header, statement) of all theorems, in hexadecimal."""
    rows = sorted([t.name, header if t.header is None else t.header, t.statement] for t in theorems)
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode()).hexdigest()


def within(result: TheoremResult, budget: int) -> bool:
    """Whether this search proves its theorem at this budget of nodes."""
    return result.status is ProofStatus.PROVED and proof_nodes(result) <= budget


def proof_nodes(result: TheoremResult) -> int:
    if result.nodes_at_proof is None:
        raise ValueError(f"{result.name} is proved, but its result does not say after how many nodes")
    return result.nodes_at_proof


def outcome(theorem: Theorem, runs: Sequence[TheoremResult], budgets: Sequence[int], header: str) -> TheoremOutcome:
    """The outcome of all samples of one theorem."""
    proofs = [r for r in runs if within(r, budgets[-1])]
    best = min(proofs, key=lambda r: (proof_nodes(r), r.sample), default=None)
    tried = [r for r in runs if r.status is not ProofStatus.ERROR]
    status, reason = ProofStatus.UNPROVED, "; ".join(dict.fromkeys(r.reason or "budget" for r in tried))
    if best:
        status, reason = ProofStatus.PROVED, ""
    elif not tried:
        status, reason = ProofStatus.ERROR, "; ".join(dict.fromkeys(r.reason for r in runs)) or NO_RESULT
    elif any(r.status is ProofStatus.TIMED_OUT for r in tried):
        status = ProofStatus.TIMED_OUT
    return TheoremOutcome(
        name=theorem.name,
        statement=theorem.statement,
        header=None if theorem.header in (None, header) else theorem.header,
        status=status,
        reason=reason,
        budget_at_proof=next(b for b in budgets if within(best, b)) if best else None,
        nodes_at_proof=proof_nodes(best) if best else None,
        path_rank=best.statistics.path_rank if best else None,
        nodes=sum(r.nodes for r in runs),
        lean_calls=sum(r.lean_calls for r in runs),
        seconds=sum(r.seconds for r in runs),
        proof=best.proof if best else None,
        samples=(len(proofs), len(tried)) if len(runs) > 1 else None,
    )


def budget_result(
    outcomes: Sequence[TheoremOutcome], groups: Sequence[Sequence[TheoremResult]], budget: int
) -> BudgetResult:
    """Figures at one budget; `groups` holds the samples of each outcome."""
    proved = [
        (o.nodes_at_proof, o.path_rank) for o in outcomes if o.nodes_at_proof is not None and o.nodes_at_proof <= budget
    ]
    nodes, ranks = [found for found, _ in proved], [rank for _, rank in proved if rank is not None]
    seconds = [
        sum(r.seconds * (min(1.0, budget / r.nodes) if r.nodes else 1.0) for r in runs)
        for o, runs in zip(outcomes, groups, strict=True)
        if o.status is not ProofStatus.ERROR
    ]
    tried = len(seconds)
    cut_off = [
        o.nodes_at_proof is None and any(r.status is ProofStatus.TIMED_OUT and r.nodes < budget for r in runs)
        for o, runs in zip(outcomes, groups, strict=True)
    ]
    return BudgetResult(
        budget=budget,
        solved=len(nodes),
        total=len(outcomes),
        errors=len(outcomes) - tried,
        timed_out=sum(cut_off),
        rate=len(nodes) / tried if tried else 0.0,
        mean_nodes=fmean(nodes) if nodes else None,
        median_nodes=median(nodes) if nodes else None,
        path_rank=fmean(ranks) if ranks else None,
        mean_seconds=fmean(seconds) if seconds else 0.0,
        median_seconds=median(seconds) if seconds else 0.0,
    )


def pass_at_k(n: int, c: int, k: int) -> float:
    """Probability that at least one of k samples drawn from n, of which c succeed, is a success: 1 − C(n−c, k) / C(n, k).

    The unbiased estimator of Chen et al. 2021, "Evaluating Large Language Models Trained on Code", equation 1.
    """
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def pass_estimates(outcomes: Iterable[TheoremOutcome], k: int) -> dict[str, float]:
    """pass@k by theorem, of those of which at least k samples could be tried."""
    counts = {o.name: o.samples or (int(o.proof is not None), int(o.status is not ProofStatus.ERROR)) for o in outcomes}
    return {name: pass_at_k(tried, proofs, k) for name, (proofs, tried) in counts.items() if tried >= k}


def pass_sizes(samples: int) -> list[int]:
    """k = 1, 2, 4, … and N."""
    return sorted({2**i for i in range(samples.bit_length())} | {samples})


def search_figures(results: Sequence[TheoremResult]) -> SearchFigures:
    """Sums over the searches. The mean of distinct candidates weighs every expanded node equally."""
    statuses = Counter(r.status for r in results)
    expanded = [r for r in results if r.nodes > 0 and r.statistics.candidates_max > 0]
    nodes = sum(r.nodes for r in expanded)
    failed: Counter[str] = Counter()
    for result in results:
        failed.update(result.statistics.lean_errors)
    return SearchFigures(
        theorems=len(results),
        proved=statuses[ProofStatus.PROVED],
        unproved=statuses[ProofStatus.UNPROVED],
        timed_out=statuses[ProofStatus.TIMED_OUT],
        errors=statuses[ProofStatus.ERROR],
        **{name: sum(getattr(r, name) for r in results) for name in ("nodes", "lean_calls", "tokens", "seconds")},
        candidates_min=min((r.statistics.candidates_min for r in expanded), default=0),
        candidates_mean=sum(r.statistics.candidates_mean * r.nodes for r in expanded) / nodes if nodes else 0.0,
        candidates_max=max((r.statistics.candidates_max for r in expanded), default=0),
        lean_errors=dict(sorted(failed.items())),
        **{name: sum(getattr(r.statistics, name) for r in results) for name in ("generation_s", "lean_s", "scoring_s")},
    )


def eval_json(result: EvaluationResult) -> dict[str, Any]:
    """The document of `burnqed eval --json`: the figures at the largest budget, every budget, and every theorem."""
    keep = {"name", "status", "reason", "budget_at_proof", "nodes", "lean_calls", "seconds", "proof"}
    return {
        **result.at_largest.model_dump(include={"solved", "total", "errors", "rate"}),
        **result.model_dump(mode="json", exclude={"per_theorem"}),
        "theorems": [o.model_dump(mode="json", include=keep) for o in result.per_theorem],
    }
