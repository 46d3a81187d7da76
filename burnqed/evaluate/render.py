"""Results on a terminal: each function returns what rich prints.

from rich.console import Console
Console().print(summary_table(summary))
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from burnqed.evaluate.compare import Change, Comparison, from_head, from_previous
from burnqed.evaluate.gates import GateVerdict
from burnqed.evaluate.results import EvaluationResult, IterationResult, Summary
from burnqed.evaluate.summary import rows
from burnqed.progress import duration

NAMES_SHOWN = 12


def summary_table(summary: Summary) -> Table:
    """One row per iteration: what `make demo` ends with."""
    table = table_of("iteration", "solved", "total", "budget", "without head", "with head", "ever", "errors")
    for row in rows(summary):
        numbers = (row.solved, row.total, row.budget, row.without_head, row.with_head, row.ever, row.errors)
        table.add_row(str(row.iteration), *("-" if n is None else f"{n:,}" for n in numbers))
    return table


def evaluation_table(evaluations: Sequence[EvaluationResult]) -> Table:
    """One row per variant and budget."""
    table = table_of("variant", "budget", "solved", "total", "errors", "rate", "mean nodes", "median s")
    for evaluation in evaluations:
        for b in evaluation.budgets:
            nodes = "-" if b.mean_nodes is None else f"{b.mean_nodes:.1f}"
            counts = (str(n) for n in (b.budget, b.solved, b.total, b.errors))
            table.add_row(evaluation.variant, *counts, f"{b.rate:.1%}", nodes, f"{b.median_seconds:.1f}")
    return table


def comparison_view(comparison: Comparison) -> RenderableType:
    """Solved by budget, then the paired counts of every change and the names behind them."""
    solved = table_of("result", "variant", *(f"budget {b}" for b in comparison.budgets), "total", "errors", "rate")
    for side in comparison.sides:
        counts = [str(side.solved[b]) for b in comparison.budgets]
        solved.add_row(escape(side.label), side.variant, *counts, str(side.total), str(side.errors), f"{side.rate:.1%}")
    changes = table_of("from", "to", "both", "newly solved", "lost", "change", "McNemar p")
    shown = comparison.changes
    if len(shown) > 1:
        shown = [*shown, comparison.first_to_last]
    for c in shown:
        counts = [str(n) for n in (c.both, len(c.newly_solved), len(c.lost))]
        changes.add_row(escape(c.before), escape(c.after), *counts, f"{c.net:+d}", f"{c.p:.3g}")
    last = comparison.first_to_last
    return Group(
        solved,
        f"\nat budget {last.budget}, over what could be tried on both sides",
        changes,
        *(f"{label}: {names(found)}" for label, found in (("newly solved", last.newly_solved), ("lost", last.lost))),
        *(f"[yellow]note: {escape(note)}[/]" for note in comparison.notes),
    )


def iteration_view(
    result: IterationResult, earlier: Sequence[IterationResult], verdict: GateVerdict | None = None
) -> RenderableType:
    """The end of an iteration: figures, changes, where the time went, gate."""
    lines: list[RenderableType] = [f"[bold]{escape(result.run)}, iteration {result.iteration}[/]"]
    lines.append(evaluation_table(result.evaluations))
    lines.extend(sentence(c) for c in (from_previous(result, earlier), from_head(result)) if c)
    lines.append(f"solved by any variant in any iteration so far: {result.ever}")
    if result.cost:
        total = sum(c.seconds for c in result.cost)
        longest = sorted(result.cost, key=lambda c: -c.seconds)[:4]
        steps = ", ".join(f"{c.step} {duration(c.seconds)}" for c in longest)
        dollars = sum(c.dollars for c in result.cost)
        lines.append(f"time: {duration(total)} ({steps})" + (f", ${dollars:,.2f}" if dollars else ""))
    if verdict:
        lines.append(gate_view(verdict))
    return Group(*lines)


def gate_view(verdict: GateVerdict) -> RenderableType:
    """The checks, and the advice of those that failed."""
    table = table_of("gate", "value", "threshold", "")
    for c in verdict.checks:
        value = "not measured" if c.value is None else f"{c.value:.3f}"
        mark = "[green]ok[/]" if c.ok else "[red]falls short[/]"
        table.add_row(c.name, value, f"{'≤' if c.at_most else '≥'} {c.threshold:g}", mark)
    word = "[green]go[/]" if verdict.go else "[red]no-go[/]"
    return Group(table, f"verdict: {word}", *(f"  {c.name}: {escape(c.advice)}" for c in verdict.failed))


def sentence(change: Change) -> str:
    """`iteration 0 → iteration 1 at budget 64: +4 (5 newly solved, 1 lost, p = 0.219)`"""
    return (
        f"{escape(change.before)} → {escape(change.after)} at budget {change.budget}: {change.net:+d} "
        f"({len(change.newly_solved)} newly solved, {len(change.lost)} lost, p = {change.p:.3g})"
    )


def names(found: Sequence[str]) -> str:
    more = f" and {len(found) - NAMES_SHOWN} more" if len(found) > NAMES_SHOWN else ""
    return escape(", ".join(found[:NAMES_SHOWN])) + more if found else "none"


def table_of(*columns: str) -> Table:
    """A table whose first column is text and whose others are numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right")
    return table
