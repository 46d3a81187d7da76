"""The results of evaluations and iterations, as they lie in the store (`results.json`, `summary.json`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from burnqed.trajectory.schema import ProofStatus


class Result(BaseModel):
    model_config = ConfigDict(frozen=True)


PLAIN = "plain"
"""Variant that searches by the policy alone."""
HEAD = "head"
"""Variant whose search the energy head guides."""


CHANCE, COUNT, ERROR = "_chance", "_n", "_error"
"""Endings of what stands beside a metric: what random choice would reach, how many states the metric is of, and the standard
deviation that it would have if only chance decided it."""


BEFORE_IT_WAS_CORE = "burnqed core benchmark"
"""What results called the shipped benchmark when there was no other."""


class TheoremOutcome(Result):
    """One benchmark theorem in one evaluation, over all its samples: effort is summed over them."""

    name: str
    statement: str
    header: str | None = None
    """Where it differs from the evaluation's."""
    status: ProofStatus
    reason: str = ""
    budget_at_proof: int | None = None
    """Smallest of the evaluation's budgets that solves it."""
    nodes_at_proof: int | None = None
    """Nodes that the quickest sample had expanded when it found the proof."""
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
    timed_out: int = 0
    """Neither solved nor tried to the end of this budget: the safety net of seconds ended the search."""
    rate: float
    """solved / (total − errors); 0 when nothing could be tried."""
    mean_nodes: float | None
    median_nodes: float | None
    """Expanded until the proof was found, of the proved ones."""
    mean_seconds: float
    median_seconds: float
    """Of all that could be tried. One run answers for every budget: below the largest, the share of the run's seconds that
    belongs to the first `budget` nodes, every node taken as equally long."""

    @property
    def share(self) -> str:
        """The rate for people: `25.0%`, and where not everything could be tried `25.0% of 4 tried`."""
        return share(self.solved, self.total, self.errors)


def share(solved: int, total: int, errors: int) -> str:
    """A solve rate in words that never hide what could not be tried."""
    tried = total - errors
    if tried == 0:
        return "none tried"
    return f"{solved / tried:.1%}" + (f" of {tried} tried" if errors else "")


class SearchFigures(Result):
    """What a set of searches did, summed over them; a pass@N evaluation counts every sample."""

    theorems: int = 0
    """Searches, one per theorem and sample."""
    proved: int = 0
    unproved: int = 0
    timed_out: int = 0
    errors: int = 0
    nodes: int = 0
    lean_calls: int = 0
    tokens: int = 0
    """Generated."""
    seconds: float = 0.0
    candidates_min: int = 0
    candidates_mean: float = 0.0
    candidates_max: int = 0
    """Distinct candidates per expansion."""
    lean_errors: dict[str, int] = Field(default_factory=dict)
    """Failed tactics by TacticStatus."""
    generation_s: float = 0.0
    """Seconds that theorems waited for candidates (many are open at once, so this is more than wall clock); likewise:"""
    lean_s: float = 0.0
    scoring_s: float = 0.0


class EvaluationResult(Result):
    """One variant (with or without head) of an evaluation on one benchmark."""

    variant: str
    model: str
    """Model version (weight_version of the policy server)."""
    head: str | None
    benchmark: Annotated[str, AfterValidator(lambda name: "core" if name == BEFORE_IT_WAS_CORE else name)]
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
    trained_on: list[str] = Field(default_factory=list)
    """Theorems whose statement, up to renaming, is one that the model was trained on: of a benchmark that was added after the training."""
    without_trained: list[BudgetResult] = Field(default_factory=list)
    """The figures over the other theorems; empty where there are none of those, or none that the model was trained on."""
    search: SearchFigures = SearchFigures()
    per_theorem: list[TheoremOutcome]

    @property
    def at_largest(self) -> BudgetResult:
        return self.budgets[-1]

    @property
    def untrained(self) -> BudgetResult | None:
        """At the largest budget, over the theorems that the model was not trained on; None where there are none."""
        return self.without_trained[-1] if self.without_trained else None if self.trained_on else self.at_largest


class Cost(Result):
    """What some attempts took: every one counts, also those that failed."""

    attempts: int = 0
    seconds: float
    """In which at least one of them was at work: wall clock."""
    cpu_hours: float = 0.0
    """Summed over them, by what they held; likewise:"""
    memory_hours: float = 0.0
    """In GiB."""
    gpu_hours: float = 0.0
    dollars: float = 0.0
    """By the configuration's prices, 0 without."""


class StepCost(Cost):
    """What one step took, all its shards together."""

    step: str


class IterationResult(Result):
    """Everything an iteration measured: `report/results.json`."""

    run: str
    iteration: int
    profile: str
    finished: str
    """UTC, ISO 8601."""
    evaluations: list[EvaluationResult] = Field(min_length=1)
    """By benchmark, in the order of the configuration, and variant."""
    ever: dict[str, int]
    """By benchmark: its theorems that any variant solved in this iteration or an earlier one of the run."""
    search: SearchFigures = SearchFigures()
    """Of the search for training data, all variants together."""
    training: dict[str, float] = Field(default_factory=dict)
    """Final metrics: of the fine-tuning `sft.evaluation_loss`, …; of the head those of burnqed.train.monitor: `head.rank1`,
    `head.rank1_depth_4+`, `head.pairwise`, `head.energy_gap`, …; beside them NAME_chance, NAME_n and NAME_error."""
    cost: list[StepCost] = Field(default_factory=list)
    """Of every step up to the report, and without it."""
    seconds: float = 0.0
    """In which at least one of these was at work: wall clock. Some run beside each other."""

    @field_validator("ever", mode="before")
    @classmethod
    def _of_one_benchmark(cls, value: object, others: ValidationInfo) -> object:
        """Until an iteration could have several benchmarks this was the number for the only one."""
        evaluations: list[EvaluationResult] = others.data.get("evaluations") or []
        return {evaluations[0].benchmark: value} if evaluations and isinstance(value, int) else value

    @property
    def benchmarks(self) -> list[str]:
        """Names; the first is the one that gates look at."""
        return list(dict.fromkeys(e.benchmark for e in self.evaluations))

    def variant(self, name: str) -> EvaluationResult | None:
        return next((e for e in self.evaluations if e.variant == name), None)


def on_benchmark(results: Iterable[IterationResult], benchmark: str) -> list[IterationResult]:
    """Each with its results on this benchmark alone; those that were not evaluated on it are left out."""
    return [
        result.model_copy(update={"evaluations": [e for e in result.evaluations if e.benchmark == benchmark]})
        for result in results
        if benchmark in result.benchmarks
    ]


class Summary(Result):
    """`summary.json`: one row per iteration of a run."""

    run: str
    iterations: list[IterationResult] = Field(default_factory=list)
