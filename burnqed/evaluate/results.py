"""The results of evaluations and iterations, as they lie in the store (`results.json`, `summary.json`)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from burnqed.trajectory.schema import ProofStatus


class Result(BaseModel):
    model_config = ConfigDict(frozen=True)


class TheoremOutcome(Result):
    """One benchmark theorem in one evaluation, over all its samples."""

    name: str
    statement: str
    status: ProofStatus
    reason: str = ""
    budget_at_proof: int | None = None
    """Smallest of the evaluation's budgets that solves it."""
    nodes: int
    lean_calls: int
    seconds: float
    proof: str | None = None


class BudgetResult(Result):
    """Solve rate at one budget of nodes; `errors` could not be tried and count in `total` only."""

    budget: int
    solved: int
    total: int
    errors: int
    rate: float
    """solved / (total − errors); 0 when nothing could be tried."""
    mean_nodes: float | None
    median_nodes: float | None
    """Of the proved ones."""
    mean_seconds: float
    median_seconds: float
    """Of all."""


class TimeSplit(Result):
    """Seconds spent waiting, summed over theorems."""

    generation_s: float = 0.0
    lean_s: float = 0.0
    scoring_s: float = 0.0


class EvaluationResult(Result):
    """One variant (with or without head) of an evaluation on one benchmark."""

    variant: str
    model: str
    """Model version (weight_version of the policy server)."""
    head: str | None
    benchmark: str
    benchmark_hash: str
    lean_version: str
    header: str
    candidates: int
    temperature: float
    samples: int
    budgets: list[BudgetResult]
    cumulative: int
    """Solved at any budget of this evaluation."""
    pass_n: dict[str, float] = Field(default_factory=dict)
    """Unbiased pass@k (Chen et al. 2021, equation 1) at the largest budget, by k."""
    time: TimeSplit = TimeSplit()
    per_theorem: list[TheoremOutcome]

    @property
    def at_largest(self) -> BudgetResult:
        return self.budgets[-1]


class StepCost(Result):
    """Wall clock and price of one step."""

    step: str
    seconds: float
    dollars: float = 0.0


class IterationResult(Result):
    """Everything an iteration measured: `report/results.json`."""

    run: str
    iteration: int
    profile: str
    finished: str
    """UTC, ISO 8601."""
    evaluations: list[EvaluationResult]
    ever: int
    """Benchmark theorems solved by any variant in this iteration or an earlier one of the run."""
    search: dict[str, float] = Field(default_factory=dict)
    """Of the search for training data: theorems, proved, unproved, errors, seconds, distinct candidates."""
    training: dict[str, float] = Field(default_factory=dict)
    """Final metrics of fine-tuning and head, by name."""
    cost: list[StepCost] = Field(default_factory=list)

    def variant(self, name: str) -> EvaluationResult | None:
        return next((e for e in self.evaluations if e.variant == name), None)


class Summary(Result):
    """`summary.json`: one row per iteration of a run."""

    run: str
    iterations: list[IterationResult] = Field(default_factory=list)
