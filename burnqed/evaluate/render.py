"""Results on a terminal.

print_summary(summary, Console())
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from burnqed.display import cell, shown, tell
from burnqed.evaluate.compare import Change, Comparison, from_head, from_previous
from burnqed.evaluate.compare import change as between
from burnqed.evaluate.compare_seeds import SeededComparison
from burnqed.evaluate.costs import total
from burnqed.evaluate.course import CourseRow, course
from burnqed.evaluate.course import names as course_names
from burnqed.evaluate.effects import EFFECT_COLUMNS, Effect
from burnqed.evaluate.experiment import ARM_COLUMNS, HEAD_COLUMNS, Experiments
from burnqed.evaluate.gates import GateVerdict
from burnqed.evaluate.intervals import percent, signed, wilson
from burnqed.evaluate.lean_start import COLUMNS as LEAN_START_COLUMNS
from burnqed.evaluate.lean_start import GO, LeanStart
from burnqed.evaluate.parts import Breakdown
from burnqed.evaluate.read import Labelled
from burnqed.evaluate.results import EvaluationResult, IterationResult, Summary, on_benchmark, share
from burnqed.evaluate.summary import rows
from burnqed.progress import duration
from burnqed.trajectory.schema import ProofStatus

NAMES_SHOWN = 12


def print_summary(summary: Summary, console: Console) -> None:
    """One row per iteration, and per benchmark where there are several, then the course of each with intervals: the end of `make demo`'s output."""
    lines = rows(summary)
    several = len({row.benchmark for row in lines}) > 1
    trained = any(row.trained_on for row in lines)
    columns = ("solved", "total", "budget", "without head", "with head", "ever", "errors", "timed out")
    apart = ("trained on", "solved of others") if trained else ()
    table = table_of("iteration", *(["benchmark"] if several else []), *columns, *apart)
    for row in lines:
        numbers = [
            row.solved,
            row.total,
            row.budget,
            row.without_head,
            row.with_head,
            row.ever,
            row.errors,
            row.timed_out,
        ]
        numbers += [row.trained_on, row.solved_untrained] if trained else []
        counts = ("-" if n is None else f"{n:,}" for n in numbers)
        table.add_row(str(row.iteration), *([cell(row.benchmark)] if several else []), *counts)
    console.print(table)
    for benchmark in dict.fromkeys(row.benchmark for row in lines):
        print_course(course(on_benchmark(summary.iterations, benchmark)), benchmark if several else "", console)


def print_course(rows: Sequence[CourseRow], benchmark: str, console: Console) -> None:
    """The iterations with intervals, and what changed from one to the next."""
    series = course_names(rows)
    table = table_of(f"iteration{f', {benchmark}' if benchmark else ''}", *series)
    for row in rows:
        table.add_row(row.label, *(row.text(name) for name in series))
    console.print()
    console.print(table)


def print_evaluation(evaluation: EvaluationResult, console: Console) -> None:
    """One row per budget, and what could not be tried."""
    console.print(evaluation_table([evaluation]))
    for k, rate in evaluation.pass_n.items():
        if evaluation.samples > 1:
            errors = evaluation.at_largest.errors
            untried = f", {errors} of {evaluation.at_largest.total} could not be tried" if errors else ""
            interval = percent(evaluation.pass_intervals.get(k))
            console.print(f"pass@{k}: {rate:.1%}{f' ({interval})' if interval else ''}{untried}")
    if (rank := evaluation.at_largest.path_rank) is not None:
        console.print(f"mean rank of a proof's next state in the queue: {rank:.1f}", highlight=False)
    proved = [o.name for o in evaluation.per_theorem if o.proof]
    if proved:
        tell(console, "proved: ", names(proved))
    failed = [o for o in evaluation.per_theorem if o.status is ProofStatus.ERROR]
    for o in failed[:NAMES_SHOWN]:
        tell(console, "could not be tried: ", f"{shown(o.name)}: {o.reason}")
    if len(failed) > NAMES_SHOWN:
        console.print(f"and {len(failed) - NAMES_SHOWN} more")


def print_comparison(comparison: Comparison, console: Console, parts: Sequence[Breakdown] = ()) -> None:
    """Solved by budget, then the paired counts of every change, what is solved of the benchmark's parts, and the theorems behind it."""
    solved = table_of(
        "result", "variant", *(f"budget {b}" for b in comparison.budgets), "total", "errors", "rate", "95%"
    )
    for s in comparison.sides:
        counts = [str(s.solved[b]) for b in comparison.budgets]
        rate = share(s.solved[comparison.budgets[-1]], s.total, s.errors)
        solved.add_row(
            cell(s.label),
            cell(s.variant),
            *counts,
            str(s.total),
            str(s.errors),
            rate,
            percent(wilson(s.solved[comparison.budgets[-1]], s.total - s.errors)),
        )
    changes = table_of(
        "from", "to", "both", "newly solved", "lost", "change", "of the rate, 95%", "McNemar p", "nodes", "95%"
    )
    last = comparison.first_to_last
    for c in [*comparison.changes, last] if len(comparison.changes) > 1 else comparison.changes:
        counts = [str(n) for n in (c.both, len(c.newly_solved), len(c.lost))]
        net, gain, *effort = against(c)
        changes.add_row(cell(c.before), cell(c.after), *counts, net, gain, f"{c.p:.3g}", *effort)
    console.print(solved)
    console.print()
    where = f"on {comparison.benchmark} at budget {last.budget}"
    console.print(cell(f"{where}, over what could be tried on both sides"), soft_wrap=True)
    console.print(changes)
    for c in comparison.changes:
        if c.pass_change is not None:
            interval = f" ({signed(c.pass_interval)})" if c.pass_interval else ""
            told = f"{c.before} → {c.after}: pass@{c.samples} {c.pass_change:+.1%}{interval}"
            console.print(cell(told), soft_wrap=True)
        if c.path_rank is not None:
            ranks = "{:.1f} → {:.1f}".format(*c.path_rank)
            told = f"{c.before} → {c.after}: mean rank of a proof's next state in the queue {ranks}, over what both solve ({c.ranked})"
            console.print(cell(told), soft_wrap=True)
    console.print()
    for found in parts:
        table = table_of(found.by, "theorems", *(cell(s.label) for s in comparison.sides), "first to last, 95%")
        for p in found.parts:
            table.add_row(cell(p.name), str(p.theorems), *(rate.text for rate in p.rates), p.change)
        console.print(table)
        console.print()
    tell(console, "newly solved from first to last: ", names(last.newly_solved))
    tell(console, "lost: ", names(last.lost))
    for note in comparison.notes:
        tell(console, "note: ", shown(note), "yellow")


def print_seeds(found: SeededComparison, console: Console) -> None:
    """Solved by budget with each seed, the effects over all seeds, and those over parts of the benchmark."""
    budgets = [*found.sides[0].solved]
    solved = table_of("", "variant", *(f"budget {b}" for b in budgets), "total")
    for side in found.sides:
        counts = [", ".join(map(str, side.solved[b])) for b in budgets]
        solved.add_row(side.name, cell(side.variant), *counts, str(side.total))
    console.print(cell(f"{found.benchmark}, solved with each seed"))
    console.print(solved)
    for side in found.sides:
        tell(console, f"{side.name}: ", shown(", ".join(side.labels)))
    print_effects(found.effects, console)
    for by, effects in found.parts.items():
        ends = f"from {found.sides[0].name} to {found.sides[-1].name} at {budgets[-1]} nodes"
        print_effects(effects, console, f"by {by}, {ends}")
    console.print()
    console.print(
        "Gains in points of the rate; 95% intervals over theorems, whose seeds are averaged first: how trainings vary is in none.",
        soft_wrap=True,
    )
    for note in found.notes:
        tell(console, "note: ", shown(note), "yellow")


def print_effects(effects: Sequence[Effect], console: Console, title: str = "") -> None:
    """`title`: what all of them are about, and lead from and to."""
    rows = [EFFECT_COLUMNS, *(effect.cells for effect in effects)]
    columns, *cells = [[*row[:1], *row[2:]] if title else row for row in rows]
    table = table_of(*columns)
    for row in cells:
        table.add_row(*map(cell, row))
    console.print()
    if title:
        console.print(cell(title))
    console.print(table)


def print_sweep(found: Sequence[Labelled], console: Console) -> None:
    """A row per setting: solved by budget, and what changed against the first."""
    first, budgets = found[0], [row.budget for row in found[0][1].budgets]
    table = table_of("", *(f"budget {b}" for b in budgets), "95%", "against the first", "95%", "nodes", "95%")
    for label, evaluation in found:
        counts = [str(row.solved) for row in evaluation.budgets]
        table.add_row(cell(label), *counts, evaluation.at_largest.interval, *against(between(first, (label, evaluation), budgets[-1], effort=True)))  # fmt: skip
    console.print(table)


def print_experiment(found: Experiments, console: Console) -> None:
    """The arms, what the heads do, what leads from arm to arm and from iteration to iteration, and the verdict."""
    for e in found.results:
        seeds = f", {len(e.runs)} seeds" if len(e.runs) > 1 else ""
        console.print(cell(f"{', '.join(e.runs)} on {e.benchmark}{seeds}"), style="bold")
        arms = table_of("", *(f"at {b} nodes" for b in e.budgets), *ARM_COLUMNS)
        for arm in e.arms:
            arms.add_row(*map(cell, arm.cells))
        console.print(arms)
        trained = table_of("", *HEAD_COLUMNS)
        for column in trained.columns:
            column.no_wrap = True
        for arm in e.arms:
            if arm.has_head:
                trained.add_row(*map(cell, arm.head_cells))
        console.print(trained)
        console.print(f"Solved of {e.arms[0].total} with the head / without it.")
        for arm in e.arms:
            console.print(cell(f"  {arm.name}: {arm.what}"), soft_wrap=True)
        compared = [(effect, effect.question) for effect in e.heads]
        compared += [(effect, f"{effect.before} → {effect.after}: {effect.question}") for effect in e.steps]
        compared += [(effect, f"{effect.before} → {effect.after}") for effect in e.iterations]
        effects = table_of("", "gain", "95%", "nodes", "95%", "")
        for column in effects.columns[1:]:
            column.no_wrap = True
        for effect, what in compared:
            fewer = f" ({effect.seeds} of {len(e.runs)} seeds)" if effect.seeds < len(e.runs) else ""
            effects.add_row(*map(cell, (what + fewer, *effect.figures)))
        console.print(effects)
        if counts := {effect.theorems for effect, _ in compared}:
            theorems = " to ".join(map(str, sorted({min(counts), max(counts)})))
            console.print(
                f"Gain of the rate, and nodes after : before, on {theorems} theorems at {e.budgets[-1]} nodes."
            )
        for missing in e.missing:
            tell(console, "missing: ", missing, "yellow")
        tell(console, "verdict: ", f"{e.verdict}: {'; '.join(e.reasons)}")
        console.print()
    for note in found.notes:
        tell(console, "note: ", note, "yellow")


def print_lean_start(found: LeanStart, console: Console) -> None:
    """The searches without and with the head, and the verdict in one sentence."""
    table = table_of("", *LEAN_START_COLUMNS)
    table.columns[0].no_wrap = True
    for row in found.rows:
        table.add_row(*map(cell, row))
    console.print(table)
    apart = f"The head was trained on {found.trained_on} of {found.theorems} theorems, or on others with the same statement; held out are the rest."
    console.print(apart, soft_wrap=True, highlight=False)
    tell(console, f"{found.verdict}: ", found.reason, "green" if found.verdict == GO else "red")


def against(c: Change) -> list[str]:
    """What a change is in a table: its size, the interval of the rate's difference, the ratio of nodes, its interval."""
    effort = "-" if c.effort is None else f"× {c.effort:.2f}"
    spread = "{:.2f} to {:.2f}".format(*c.effort_interval) if c.effort_interval else ""
    return [f"{c.net:+d}", signed(c.gain), effort, spread]


def print_iteration(
    result: IterationResult, earlier: Sequence[IterationResult], verdict: GateVerdict | None, console: Console
) -> None:
    """An iteration's results: figures, changes, where the time went, gates."""
    console.print(cell(f"{result.run}, iteration {result.iteration}"), style="bold")
    console.print(evaluation_table(result.evaluations))
    for benchmark in result.benchmarks:
        where = f"{benchmark}: " if len(result.benchmarks) > 1 else ""
        (here,) = on_benchmark([result], benchmark)
        for change in (from_previous(here, on_benchmark(earlier, benchmark)), from_head(here)):
            if change:
                console.print(cell(where + sentence(change)), soft_wrap=True)
        if known := here.evaluations[0].trained_on:
            tell(console, f"{where}trained on {len(known)} of the theorems: ", names(known))
        console.print(cell(f"{where}solved by any variant in any iteration so far: {here.ever[benchmark]}"))
    if result.cost:
        longest = sorted(result.cost, key=lambda c: -c.seconds)[:4]
        steps = ", ".join(f"{c.step} {duration(c.seconds)}" for c in longest)
        everything = total(result)
        gpus = f", {everything.gpu_hours:,.1f} GPU hours" if everything.gpu_hours else ""
        price = f", ${everything.dollars:,.2f}" if everything.dollars else ""
        tell(console, "time: ", shown(f"{duration(everything.seconds)} ({steps}){gpus}{price}"))
    if verdict:
        print_gates(verdict, console)


def print_gates(verdict: GateVerdict, console: Console) -> None:
    """The checks, and the advice for those that failed."""
    table = table_of("gate", "value", "asked for", "")
    for c in verdict.checks:
        mark = "[green]ok[/]" if c.ok else "[red]falls short[/]"
        table.add_row(cell(c.name), cell(c.measured), cell(c.asked), mark)
    if verdict.checks:
        console.print(table)
    console.print(f"verdict: {'[green]go[/]' if verdict.go else '[red]no-go[/]'}")
    for c in verdict.failed:
        console.print(cell(f"  {c.name}: {c.advice}"), soft_wrap=True)


def evaluation_table(evaluations: Sequence[EvaluationResult]) -> Table:
    """One row per budget; then again without the theorems that the model was trained on, if there are any."""
    several = len({e.benchmark for e in evaluations}) > 1
    table = table_of("variant", "budget", "solved", "total", "errors", "timed out", "rate", "95%", "nodes", "median s")
    for e in evaluations:
        variant = f"{e.benchmark}, {e.variant}" if several else e.variant
        for label, rows_of in ((variant, e.budgets), (f"{variant}, not trained on", e.without_trained)):
            for b in rows_of:
                nodes = "-" if b.mean_nodes is None else f"{b.mean_nodes:.1f}"
                counts = (str(n) for n in (b.budget, b.solved, b.total, b.errors, b.timed_out))
                seconds = "-" if e.recalled else f"{b.median_seconds:.1f}"
                table.add_row(cell(label), *counts, b.share, b.interval, nodes, seconds)
    return table


def sentence(change: Change) -> str:
    """`iteration 0 → iteration 1 at budget 64: +4 (5 newly solved, 1 lost, p = 0.219)`"""
    return (
        f"{change.before} → {change.after} at budget {change.budget}: {change.net:+d} "
        f"({len(change.newly_solved)} newly solved, {len(change.lost)} lost, p = {change.p:.3g}{f'; rate {signed(change.gain)}' if change.gain else ''})"
    )


def names(theorems: Sequence[str]) -> str:
    more = f" and {len(theorems) - NAMES_SHOWN} more" if len(theorems) > NAMES_SHOWN else ""
    return shown(", ".join(theorems[:NAMES_SHOWN])) + more if theorems else "none"


def table_of(*columns: str | Text) -> Table:
    """A table whose first column is aligned left and whose others are aligned right; where it is too narrow, a figure goes on in the next line and loses no digit."""
    table = Table(box=None, header_style="bold")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right", overflow="fold")
    return table
