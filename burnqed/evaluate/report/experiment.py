"""The page of an experiment."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from burnqed.evaluate.effects import EFFECT_COLUMNS, Effect
from burnqed.evaluate.experiment import ARM_COLUMNS, HEAD_COLUMNS, Experiment, Experiments, of_both
from burnqed.evaluate.report.page import pill, rendered
from burnqed.evaluate.report.plots import BEFORE, EVER, MUTED, PAPER, SEARCHED, WITH, WITHOUT, Plot, draw, whole_numbers
from burnqed.evaluate.report.tables import Table, signs
from burnqed.evaluate.verdict import DEBUG, PLAN

COLOURS = {"baseline": MUTED, "A": EVER, "S": WITHOUT, "B": SEARCHED, "C": WITH, "control": BEFORE}
"""Of the arms."""


def write_page(found: Experiments, path: Path) -> None:
    path.write_text(rendered("experiment.html.j2", **values(found)), encoding="utf-8")


def values(found: Experiments) -> dict[str, Any]:
    return {
        "runs": found.results[0].runs,
        "notes": found.notes,
        "settings": Table(("", ""), list(found.settings.items()), text_columns=2),
        "written": datetime.now(UTC),
        "benchmarks": [
            {
                "found": e,
                "kind": "good" if e.verdict == PLAN else "bad" if e.verdict == DEBUG else "",
                "arms": arm_table(e),
                "trained": Table(("", *HEAD_COLUMNS), [arm.head_cells for arm in e.arms if arm.has_head]),
                "heads": effect_table(e.heads),
                "steps": effect_table(e.steps),
                "iterations": effect_table(e.iterations),
                "curves": curves(e),
                "parts": part_tables(e),
            }
            for e in found.results
        ],
    }


def arm_table(e: Experiment) -> Table:
    columns = ("", "model; head", *(f"at {b} nodes" for b in e.budgets), *ARM_COLUMNS)
    return Table(columns, [[arm.name, arm.what, *arm.cells[1:]] for arm in e.arms], text_columns=2)


def part_tables(e: Experiment) -> list[tuple[str, Table]]:
    """For each quality, its name and what every arm solves of the parts, with its head / without; then what the head of A changes there."""
    names = [arm.name for arm in e.arms]
    tables = []
    for by in dict.fromkeys(p.by for p in e.parts):
        parts = [p for p in e.parts if p.by == by]
        rows = [
            [
                p.name,
                str(p.theorems),
                *(of_both(p.solved.get(n), p.plain.get(n)) for n in names),
                *(map(signs, p.head.figures[:2]) if p.head else ()),
            ]
            for p in parts
        ]
        of_head = ("gain by A's head", "95%") if parts[0].head else ()
        tables.append((by, Table(("", "theorems", *names, *of_head), rows)))
    return tables


def effect_table(effects: list[Effect]) -> Table | None:
    """None without any."""
    kinds = {"better": "good", "worse": "bad", "not shown": "plain"}
    rows = []
    for question, change, *figures, shown in (effect.cells for effect in effects):
        rows.append([question, change, *map(signs, figures), pill(shown, kinds[shown])])
    return Table(EFFECT_COLUMNS, rows, text_columns=2) if rows else None


def curves(e: Experiment) -> Plot:
    """Solved within each budget, by every arm with its head, and without (dashed)."""

    def paint(axes: Any) -> None:
        for arm in e.arms:
            colour = COLOURS.get(arm.name, EVER)  # ablations are of the model of A
            line = "o-" if arm.name in COLOURS else "x:"
            label = None if arm.has_head else arm.name
            axes.plot([*arm.plain], [*arm.plain.values()], color=colour, ls=(0, (3, 2)), lw=1.1, label=label)
            if arm.has_head:
                axes.plot(
                    [*arm.solved], [*arm.solved.values()], line, ms=5, color=colour, mec=PAPER, mew=1, label=arm.name
                )
        axes.set_xscale("log", base=2)
        axes.set_xticks(e.budgets, [str(budget) for budget in e.budgets])
        axes.minorticks_off()
        axes.set(ylim=(0, None), xlabel="nodes expanded per theorem", ylabel="solved")
        whole_numbers(axes.yaxis)
        axes.legend(loc="upper left", ncols=2)

    last = e.budgets[-1]
    words = "; ".join(f"{a.name}: {of_both(a.solved.get(last), a.plain.get(last))}" for a in e.arms)
    return draw(
        f"arms-{e.benchmark}",
        "Solved by budget",
        "with heads; dashed: without",
        f"Solved at {last} nodes with head / without: {words}.",
        paint,
    )
