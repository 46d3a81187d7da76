"""What a run has cost by step, by iteration and in total, from its accounts (`burnqed.ledger`).

costs = run_costs(accounts(store, "main"))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from burnqed.display import cell
from burnqed.evaluate.results import Cost, IterationResult, Result, StepCost
from burnqed.ledger import Account, Attempt
from burnqed.progress import duration


class IterationCost(Cost):
    iteration: int
    """-1 for work that belongs to no iteration."""
    steps: list[StepCost]


class RunCosts(Result):
    iterations: list[IterationCost]
    steps: list[StepCost]
    """Over all iterations."""
    run: Cost


def run_costs(accounts: Iterable[Account]) -> RunCosts:
    by_iteration: dict[int, list[Attempt]] = {}
    for account in accounts:
        by_iteration.setdefault(account.iteration, []).extend(account.attempts)
    everything = [attempt for attempts in by_iteration.values() for attempt in attempts]
    iterations = [
        IterationCost(iteration=number, steps=step_costs(attempts), **cost_of(attempts))
        for number, attempts in sorted(by_iteration.items())
    ]
    return RunCosts(iterations=iterations, steps=step_costs(everything), run=Cost(**cost_of(everything)))


def step_costs(attempts: Iterable[Attempt]) -> list[StepCost]:
    """In the order in which the steps first began."""
    by_step: dict[str, list[Attempt]] = {}
    for attempt in sorted(attempts, key=lambda attempt: attempt.began):
        by_step.setdefault(attempt.step, []).append(attempt)
    return [StepCost(step=step, **cost_of(attempts_at)) for step, attempts_at in by_step.items()]


def cost_of(attempts: Sequence[Attempt]) -> dict[str, float]:
    """The fields of a Cost."""

    def hours(resource: str) -> float:
        return float(sum(getattr(a.held, resource) * a.seconds for a in attempts)) / 3600

    return {
        "attempts": len(attempts),
        "seconds": wall(attempts),
        "cpu_hours": hours("cpus"),
        "memory_hours": hours("gib"),
        "gpu_hours": hours("gpus"),
        "dollars": sum(a.dollars for a in attempts),
    }


def wall(attempts: Iterable[Attempt]) -> float:
    """Seconds during which at least one of them was running."""
    total, until = 0.0, float("-inf")
    for attempt in sorted(attempts, key=lambda attempt: attempt.began):
        total += max(0.0, attempt.ended - max(attempt.began, until))
        until = max(until, attempt.ended)
    return total


def print_costs(costs: RunCosts, console: Console) -> None:
    """A row per iteration, and one per step over all of them."""
    priced = costs.run.dollars > 0
    console.print(table("step", [(step.step, step) for step in costs.steps], priced))
    console.print()
    iterations = [("none" if cost.iteration < 0 else str(cost.iteration), cost) for cost in costs.iterations]
    console.print(table("iteration", [*iterations, ("all", costs.run)], priced))


def total(result: IterationResult) -> Cost:
    """The cost of all its steps."""
    fields = ("attempts", "cpu_hours", "memory_hours", "gpu_hours", "dollars")
    return Cost(seconds=result.seconds, **{name: sum(getattr(step, name) for step in result.cost) for name in fields})


def table(first: str, rows: Sequence[tuple[str, Cost]], priced: bool) -> Table:
    filled = Table(box=None, header_style="bold")
    filled.add_column(first)
    for column in ("wall time", *columns_of(priced)):
        filled.add_column(column, justify="right")
    for name, cost in rows:
        filled.add_row(cell(name), duration(cost.seconds), *numbers(cost, priced))
    return filled


def columns_of(priced: bool) -> list[str]:
    """The names of `numbers`."""
    return ["attempts", "CPU hours", "GiB hours", "GPU hours", *(["US dollars"] if priced else [])]


def numbers(cost: Cost, priced: bool) -> list[str]:
    """Attempts, hours, and dollars where there are prices."""
    hours = (cost.cpu_hours, cost.memory_hours, cost.gpu_hours)
    return [str(cost.attempts), *(f"{h:,.2f}" for h in hours), *([f"{cost.dollars:,.2f}"] if priced else [])]
