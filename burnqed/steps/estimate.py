"""What a workflow would take, from what earlier iterations took: the time of a step grows with an amount that the configuration says.

rates = rates_of(store, ["main"])
estimate([(layout, config), …], documented(config, rates) | rates, tasks)
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from burnqed.config import PolicyConfig, RunConfig
from burnqed.evaluate.results import SEARCH_HEAD, Result
from burnqed.holding import NOTHING, Holding, of_pools
from burnqed.layout import Layout
from burnqed.ledger import Account, Attempt, accounts
from burnqed.record import read_record
from burnqed.steps.base import Context
from burnqed.steps.base_model import TINY
from burnqed.steps.evaluate import variants
from burnqed.steps.models import has_search_head, learned_variants, search_variants, searches, trains_jointly
from burnqed.steps.report import read_result
from burnqed.steps.table import Step, loop
from burnqed.store import Store

SPREAD = (0.7, 1.5)
"""How much less and more than a rate that was measured once the next one may be; also below the lowest and above the highest of several."""
ELSEWHERE = (0.5, 3.0)
"""Likewise where it is documented, and the machine another one."""
JOINT = "joint sft"
"""The task `sft` where model and head are trained together, which takes several times as long."""
LARGE = "a model of 7 billion parameters on an A100"
DOCUMENTED_LARGE = {"sft": 10_080 / (1_500 * 32 * 200), "embed-final": 1 / 86}
"""Of DeepSeek-Prover-V2-7B on one A100 of 40 GB: 1,500 steps of 32 sequences of about 200 tokens with QLoRA in 2 h 48 min; 86 states a second."""
SMALL = "a model of 1.2 million parameters on two processor cores, with the demo's data and a benchmark of 107 theorems"
DOCUMENTED_SMALL = {
    "benchmark": 0.7,
    "data": 145.0,
    "base": 7.0,
    "select": 0.0047,
    "sft": 1 / 8_800,
    JOINT: 1 / 2_700,
    "export": 6.0,
    "embed-final": 1 / 260,
    "ebm-final": 1 / 2_200,
    "search": 0.1,
    "replay": 0.21,
    "evaluate": 4.2,
    "report": 3.2,
}
"""Of `make demo`, which took 24 minutes, and of 90 steps of a joint training after it (29 November 2026; slower machines took up to 2.4 times as long)."""
SIZES = ("hidden_size", "layers", "vocabulary")
"""Settings of the tiny model that decide how fast it is."""
TWINS = {
    "embed-search": "embed-final",
    "ebm-search": "ebm-final",
    "search-final": "search",
    "evaluate-search": "evaluate",
}
"""Tasks that do the same at two stages: the rate of one, where the other's is not known."""
EVALUATIONS = {"evaluate", "evaluate-search"}
"""Tasks that take less time where an evaluation before them in the same `burnqed run` asked Lean the same."""
Amount = Callable[[RunConfig, int], float]
"""Of an iteration with these settings."""


def states(config: RunConfig, iteration: int) -> float:
    """Expanded nodes and replayed branches of an iteration: the states that a head learns from grow with them."""
    if not searches(config, iteration):
        return 0.0
    searched = [v for v in search_variants(config, iteration) if v in learned_variants(config, iteration)]
    return len(searched) * config.select.theorems * config.search.budget + replayed(config, iteration)


def replayed(config: RunConfig, _: int) -> float:
    return float(config.negatives.theorems * (1 + config.negatives.candidates))


def encoded_before(config: RunConfig, iteration: int) -> float:
    return sum(states(config, i) for i in range(iteration))


def encoded_at_the_end(config: RunConfig, iteration: int) -> float:
    """Without those that were encoded before the search."""
    before = 0.0 if has_search_head(config, iteration) else encoded_before(config, iteration)
    return before + states(config, iteration)


def tokens(config: RunConfig, iteration: int) -> float:
    """In the optimiser's steps."""
    sft = config.sft
    steps = sft.steps if iteration == 0 else config.joint.steps if trains_jointly(config) else sft.later_steps
    return float(steps * sft.batch_tokens * sft.accumulation)


def searched(config: RunConfig, iteration: int) -> float:
    return float(len(search_variants(config, iteration)) * config.select.theorems * config.search.budget)


def evaluated(config: RunConfig, iteration: int) -> float:
    """Nodes for each theorem of the benchmarks, whose number is taken to be the same."""
    found = [v for v in variants(context_of(Layout("run", iteration), config)) if v != SEARCH_HEAD]
    return float(len(found) * max(config.evaluate.budgets) * config.evaluate.samples * len(config.data.evaluated))


def guided(config: RunConfig, _: int) -> float:
    return float(max(config.evaluate.budgets) * config.evaluate.samples * len(config.data.evaluated))


def searched_again(config: RunConfig, _: int) -> float:
    return float(config.select.theorems * config.search.budget)


def head_steps(config: RunConfig, _: int) -> float:
    return float(config.ebm.steps * config.ebm.batch)


AMOUNTS: dict[str, tuple[str, Amount]] = {
    "select": ("theorems", lambda config, _: float(config.select.theorems)),
    "sft": ("tokens", tokens),
    JOINT: ("tokens", tokens),
    "embed-search": ("states", encoded_before),
    "ebm-search": ("positives", head_steps),
    "search": ("nodes", searched),
    "replay": ("replayed branches", replayed),
    "embed-final": ("states", encoded_at_the_end),
    "ebm-final": ("positives", head_steps),
    "search-final": ("nodes", searched_again),
    "evaluate": ("nodes a theorem", evaluated),
    "evaluate-search": ("nodes a theorem", guided),
}
"""By task, what its time grows with. That of other tasks is taken to be the same each time."""


@dataclass
class Rate:
    """What a task took, for one of what its time grows with."""

    own: list[float] = field(default_factory=list)
    """One for each time that it was measured, over all shards."""
    held: Holding = NOTHING
    """What it held meanwhile; of a documented one it is not known."""
    recalled: list[float] = field(default_factory=list)
    """Likewise, of evaluations that recalled what an earlier one had asked."""
    is_documented: bool = False
    """Not measured."""

    @property
    def seconds(self) -> list[float]:
        """What an evaluation recalled is a measure only where there is no other."""
        return self.own or self.recalled

    @property
    def range(self) -> tuple[float, float, float]:
        """Low, mean, high."""
        less, more = ELSEWHERE if self.is_documented else SPREAD
        low, high = min(self.seconds) * less, max(self.seconds) * more
        return low, sum(self.seconds) / len(self.seconds), high


class Row(Result):
    """A step of all iterations together."""

    task: str
    is_documented: bool
    """Whether its rate is."""
    amount: float
    unit: str
    """Empty where the time is the same each time."""
    pods: int
    seconds: tuple[float, float, float]
    """Of work, over all shards: low, mean, high."""
    wall: tuple[float, float, float]
    """With as many shards at a time as the settings say."""
    gpu_hours: tuple[float, float, float]
    dollars: tuple[float, float, float]


class Estimate(Result):
    rows: list[Row]
    unknown: list[str]
    """Tasks of which no rate is known: they are in no figure."""

    def total(self, figure: str) -> tuple[float, float, float]:
        values = [getattr(row, figure) for row in self.rows]
        low, mean, high = (float(sum(value[i] for value in values)) for i in range(3))
        return low, mean, high


def context_of(layout: Layout, config: RunConfig, stage: str = "") -> Context:
    """For what depends on nothing but settings and iteration."""
    return Context(Store("."), layout, config, Path(), stage=stage)


def amount_of(task: str, config: RunConfig, iteration: int) -> float:
    return AMOUNTS[task][1](config, iteration) if task in AMOUNTS else 1.0


def rates_of(store: Store, runs: Sequence[str]) -> dict[str, Rate]:
    """By task, from the accounts of these runs' finished iterations."""
    rates: dict[str, Rate] = {}
    for run in runs:
        attempts = once(accounts(store, run))
        for iteration in sorted(number for number in attempts if number >= 0):
            if record := read_record(store, Layout(run, iteration).report):
                first = read_result(store, Layout(run, iteration).report).evaluations[0]
                measure(rates, attempts[iteration], record.settings, iteration, recalled=first.recalled)
    return rates


def once(accounts: Iterable[Account]) -> dict[int, list[Attempt]]:
    """By iteration: of each task the attempts of the last command that worked on it, for at least a tenth of the longest one's time: later ones found it finished, and earlier ones made it
    with what may have been other settings. What was interrupted and continued counts with its last part."""
    tasks: dict[tuple[int, str], list[list[Attempt]]] = defaultdict(list)
    for account in accounts:
        for task in {attempt.task for attempt in account.attempts}:
            tasks[account.iteration, task].append([attempt for attempt in account.attempts if attempt.task == task])
    found: dict[int, list[Attempt]] = defaultdict(list)
    for (iteration, _), made in sorted(tasks.items()):
        seconds = [sum(attempt.seconds for attempt in attempts) for attempts in made]
        worked = [attempts for attempts, took in zip(made, seconds, strict=True) if took >= max(seconds) / 10]
        found[iteration] += max(worked, key=lambda attempts: max(attempt.ended for attempt in attempts))
    return found


def measure(
    rates: dict[str, Rate], attempts: Sequence[Attempt], config: RunConfig, iteration: int, *, recalled: bool = False
) -> None:
    """Adds an iteration's rates; `recalled`: its evaluations recalled what an earlier one had asked."""
    for step in sorted({attempt.step for attempt in attempts}):
        own = [attempt for attempt in attempts if attempt.step == step]
        task = named(step, config, iteration)
        seconds, amount = sum(attempt.seconds for attempt in own), amount_of(task, config, iteration)
        if seconds and amount:
            rate = rates.setdefault(task, Rate())
            (rate.recalled if recalled and task in EVALUATIONS else rate.own).append(seconds / amount)
            rate.held = own[-1].held


def named(task: str, config: RunConfig, iteration: int) -> str:
    return JOINT if task == "sft" and iteration > 0 and trains_jointly(config) else task


def documented(config: RunConfig, measured: Mapping[str, Rate]) -> dict[str, Rate]:
    """Rates that are documented for `documented_for(config)`, as much slower or faster as what was measured is; none for a tiny model of another size."""
    if config.policy.model != TINY:
        known = DOCUMENTED_LARGE
    elif all(getattr(config.policy, name) == PolicyConfig.model_fields[name].default for name in SIZES):
        known = DOCUMENTED_SMALL
    else:
        return {}
    slower = [measured[task].range[1] / rate for task, rate in known.items() if task in measured]
    factor = median(slower) if slower else 1.0
    return {task: Rate([factor * rate], is_documented=True) for task, rate in known.items()}


def documented_for(config: RunConfig) -> str:
    """What the documented rates were measured with."""
    return SMALL if config.policy.model == TINY else LARGE


def estimate(works: Sequence[tuple[Layout, RunConfig]], rates: Mapping[str, Rate], tasks: Sequence[str]) -> Estimate:
    """What these tasks take in the iterations, as if nothing of them were there but what all iterations share after the first."""
    rows, unknown = [], []
    for step in (step for step in loop() if step.task in tasks):
        kinds: dict[str, list[tuple[Layout, RunConfig]]] = defaultdict(list)
        for at, config in works:
            if is_needed(step, at, config):
                kinds[named(step.task, config, at.iteration)].append((at, config))
        for task, here in kinds.items():
            known = [found for name in (task, TWINS.get(task, "")) if (found := rates.get(name))]
            if rate := max(known, key=lambda found: bool(found.own), default=None):
                rows.append(row_of(step, task, here, rate))
            else:
                unknown.append(task)
    return Estimate(rows=rows, unknown=unknown)


def is_needed(step: Step, layout: Layout, config: RunConfig) -> bool:
    is_shared = step.name in ("benchmark", "data", "base")
    first = layout.iteration == 0 and layout.origin is None
    return step.work.needed(context_of(layout, config, step.stage)) and (first or not is_shared)


def row_of(step: Step, task: str, works: Sequence[tuple[Layout, RunConfig]], rate: Rate) -> Row:
    amounts = [amount_of(task, config, at.iteration) for at, config in works]
    config = works[0][1]
    shards = shards_of(step, config)
    # A documented rate had the whole machine.
    at_a_time = 1 if rate.is_documented else min(shards, config.workflow.parallelism)
    held = of_pools(config, step.pools) if rate.is_documented else rate.held

    def of(factor: float) -> tuple[float, float, float]:
        low, mean, high = (factor * rate_s * sum(amounts) for rate_s in rate.range)
        return low, mean, high

    return Row(
        task=task,
        is_documented=rate.is_documented,
        amount=sum(amounts),
        unit=AMOUNTS[task][0] if task in AMOUNTS else "",
        pods=shards * len(works),
        seconds=of(1.0),
        wall=of(math.ceil(shards / at_a_time) / shards),
        gpu_hours=of(held.gpus / 3600),
        dollars=of(held.dollars(config.cost, 1.0)),
    )


def shards_of(step: Step, config: RunConfig) -> int:
    """How many pods a sharded step has."""
    if not step.sharded:
        return 1
    given = {"search": config.search.shards, "replay": config.negatives.shards}.get(step.name, config.evaluate.shards)
    return given or 2 * config.workflow.parallelism
