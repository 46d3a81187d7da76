"""The results of evaluations and iterations, as stored in `results.json` and `summary.json`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from burnqed.evaluate.intervals import Interval, percent, wilson
from burnqed.trajectory.schema import ProofStatus


class Result(BaseModel):
    model_config = ConfigDict(frozen=True)


PLAIN = "plain"
"""Variant that searches by the policy alone."""
HEAD = "head"
"""Variant whose search the head guides."""


SEARCH_HEAD = "search_head"
"""Variant whose search the head of the iteration's search guides. Also begins the figures of that head, among those of its training; `head` those of the last one."""
VARIANTS = {PLAIN: "without head", HEAD: "with head", SEARCH_HEAD: "with the search's head"}
"""All variants, as reports call them."""
CHANCE, COUNT, ERROR, SPREAD = "_chance", "_n", "_error", "_spread"
"""Suffixes of the figures beside a metric: its value under random choice, the number of states it is computed from, and the standard
deviation it would have if only chance decided it."""


BEFORE_IT_WAS_CORE = "burnqed core benchmark"
"""The name of the shipped benchmark in results from the time when there was no other."""


class TheoremOutcome(Result):
    """One benchmark theorem in one evaluation, over all its samples: effort is summed over them."""

    name: str
    statement: str
    header: str | None = None
    """Set where it differs from the evaluation's."""
    status: ProofStatus
    reason: str = ""
    budget_at_proof: int | None = None
    """Smallest of the evaluation's budgets that solves it."""
    nodes_at_proof: int | None = None
    """Nodes that the quickest sample had expanded when it found the proof."""
    path_rank: float | None = None
    """Of that sample: mean rank in the queue of the proof's states, each right after its parent was expanded (1: it was next). None where there is none, and in results of earlier versions."""
    nodes: int
    lean_calls: int
    seconds: float
    proof: str | None = None
    samples: tuple[int, int] | None = None
    """Of several samples: how many proved it at the largest budget, and how many could be tried."""
    probe_easy: bool | None = None
    """Whether a single probe tactic proves it; None where nobody has tried."""
    known_proof: int | None = None
    """Tactics of the proof that the run has had from the start, where it has one: of theorems that it holds out."""


class BudgetResult(Result):
    """Solve rate at one budget of nodes; `errors` could not be tried and count in `total` only."""

    budget: int
    solved: int
    total: int
    errors: int
    timed_out: int = 0
    """Neither solved nor tried to the end of this budget, because the search ran into the safety limit in seconds."""
    rate: float
    """solved / (total − errors); 0 when nothing could be tried."""
    mean_nodes: float | None
    median_nodes: float | None
    """Nodes expanded until the proof was found, over the proved theorems."""
    path_rank: float | None = None
    """Mean over the proved theorems that have one."""
    mean_seconds: float
    median_seconds: float
    """Over all theorems that could be tried. One run gives the figures for every budget: below the largest, the share of its seconds
    that belongs to the first `budget` nodes, as if all nodes took equally long."""

    @property
    def share(self) -> str:
        """The rate as text: `25.0%`, and where not everything could be tried `25.0% of 4 tried`."""
        return share(self.solved, self.total, self.errors)

    @property
    def interval(self) -> str:
        """The rate's 95 % interval as text."""
        return percent(wilson(self.solved, self.total - self.errors))


def share(solved: int, total: int, errors: int) -> str:
    """A solve rate as text that never hides what could not be tried."""
    tried = total - errors
    if tried == 0:
        return "none tried"
    return f"{solved / tried:.1%}" + (f" of {tried} tried" if errors else "")


class SearchFigures(Result):
    """Sums over a set of searches; in a pass@N evaluation every sample counts."""

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
    """Seconds that theorems waited for candidates (many are open at once, so the sum exceeds wall-clock time); likewise:"""
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
    probe_tactics: bool = False
    """Whether it also tried the probe tactics; absent in results of earlier versions, which never did."""
    budgets: list[BudgetResult]
    cumulative: int
    """Solved at any budget of this evaluation."""
    pass_n: dict[str, float] = Field(default_factory=dict)
    """Unbiased pass@k (Chen et al. 2021, equation 1) at the largest budget, by k."""
    pass_intervals: dict[str, Interval] = Field(default_factory=dict)
    """95 % intervals of these where there are several samples, by bootstrap over theorems."""
    trained_on: list[str] = Field(default_factory=list)
    """Theorems whose statement, up to renaming, the model was trained on; only a benchmark added after the training has any."""
    without_trained: list[BudgetResult] = Field(default_factory=list)
    """The figures over the other theorems; empty where there are no others, or where the model was trained on none."""
    search: SearchFigures = SearchFigures()
    recalled: bool = False
    """Whether it took expansions from another search: its seconds are then none of a search by itself, and tables leave them out."""
    made_with: dict[str, Any] = Field(default_factory=dict)
    """The settings that decide what it finds, by dotted name, without those of newer versions that have their default; empty in the results of runs of earlier versions."""
    per_theorem: list[TheoremOutcome]

    def over(self, theorems: Collection[str]) -> EvaluationResult:
        """The same with these theorems alone in `per_theorem`; its other figures stay those of all."""
        return self.model_copy(update={"per_theorem": [o for o in self.per_theorem if o.name in theorems]})

    @property
    def at_largest(self) -> BudgetResult:
        return self.budgets[-1]

    @property
    def untrained(self) -> BudgetResult | None:
        """At the largest budget, over the theorems that the model was not trained on; None where it was trained on all."""
        return self.without_trained[-1] if self.without_trained else None if self.trained_on else self.at_largest


class Cost(Result):
    """The cost of some attempts, failed ones included."""

    attempts: int = 0
    seconds: float
    """During which at least one of them was running: wall-clock time."""
    cpu_hours: float = 0.0
    """Sum of what they held; likewise:"""
    memory_hours: float = 0.0
    """In GiB."""
    gpu_hours: float = 0.0
    dollars: float = 0.0
    """At the configuration's prices; 0 without prices."""


class StepCost(Cost):
    """The cost of one step, all its shards together."""

    step: str


class IndexFigures(Result):
    """What is searched for training data."""

    theorems: int
    """In the index."""
    searched: int
    """Of these, by this iteration or an earlier one."""
    proved: list[str]
    """Names of those that this iteration's searches proved."""


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
    index: IndexFigures | None = None
    """None in results of earlier versions."""
    training: dict[str, float] = Field(default_factory=dict)
    """Final metrics: of the fine-tuning `sft.evaluation_loss`, …; of the head those of burnqed.train.monitor: `head.rank1`,
    `head.rank1_depth_4+`, `head.pairwise`, `head.energy_gap`, …; with NAME_chance, NAME_n, NAME_error and NAME_spread."""
    shares: dict[str, dict[str, float]] = Field(default_factory=dict)
    """Of `head.rank1` and others: by held-out theorem, what it adds to the figure's deviation from chance, minus what it would if all states were alike. With these the theorems of several
    seeds are averaged before a standard error is taken. Empty in results of earlier versions."""
    cost: list[StepCost] = Field(default_factory=list)
    """Of every step before the report."""
    seconds: float = 0.0
    """During which at least one of these was running: wall-clock time. Some run at the same time."""

    @field_validator("ever", mode="before")
    @classmethod
    def _of_one_benchmark(cls, value: object, others: ValidationInfo) -> object:
        """Before an iteration could have several benchmarks, this was the number for the only one."""
        evaluations: list[EvaluationResult] = others.data.get("evaluations") or []
        return {evaluations[0].benchmark: value} if evaluations and isinstance(value, int) else value

    @property
    def benchmarks(self) -> list[str]:
        """Their names; the gates use the first."""
        return list(dict.fromkeys(e.benchmark for e in self.evaluations))

    def variant(self, name: str) -> EvaluationResult | None:
        return next((e for e in self.evaluations if e.variant == name), None)


def on_benchmark(results: Iterable[IterationResult], benchmark: str) -> list[IterationResult]:
    """Each result reduced to this benchmark; those not evaluated on it are left out."""
    return [
        result.model_copy(update={"evaluations": [e for e in result.evaluations if e.benchmark == benchmark]})
        for result in results
        if benchmark in result.benchmarks
    ]


class Summary(Result):
    """`summary.json`: one row per iteration of a run."""

    run: str
    iterations: list[IterationResult] = Field(default_factory=list)
