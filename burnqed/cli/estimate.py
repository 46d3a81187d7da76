"""`burnqed estimate WORKFLOW`: how long it would take, and what it would cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.console import Console

from burnqed import display
from burnqed.cli import options
from burnqed.errors import BadInput
from burnqed.workflow_names import OF_ITERATIONS

if TYPE_CHECKING:
    from burnqed.steps.estimate import Estimate


def estimate(
    workflow: str = options.Workflow,
    iteration: int | None = options.OptionalIteration,
    iters: str | None = options.Iterations,
    like: list[str] = options.which(
        [],
        "--like",
        metavar="RUN",
        help="Run whose times are the measure; may be repeated.",
        show_default="the run itself",
    ),
    ablate: str = options.Ablate,
    store: str = options.Store,
    name: str | None = options.OptionalRun,
    profile: str | None = options.RunProfile,
    overrides: list[str] = options.Set,
    as_json: bool = options.Json,
) -> None:
    """Estimate a workflow's time, pods, GPU hours and price from what earlier iterations took, or from documented rates.

    Example: burnqed estimate experiment --iters 3 --like main --store runs --set cost.gpu_hour=2
    """
    options.check_word(workflow, OF_ITERATIONS, "workflow with iterations")
    from burnqed.remembered import resolve_run
    from burnqed.run.works import place_of, works_of
    from burnqed.steps.estimate import documented, documented_for, rates_of
    from burnqed.steps.estimate import estimate as estimated
    from burnqed.store import Store
    from burnqed_workflows.registry import WORKFLOWS

    target, run = Store(options.absolute(store)), name or options.default_run(workflow)
    config = resolve_run(target, run, profile, overrides, workflow=workflow).config
    given = options.for_workflow(
        workflow, iteration=iteration, iters=iters, gate="off", redo="", source=None, name=None, ablate=ablate
    )
    document = WORKFLOWS[workflow].build(config, store=target.uri, run=run, **given).to_dict()
    measured = like or [run]
    rates, runs = rates_of(target, measured), ", ".join(measured)
    if like and not rates:
        raise BadInput(
            f"{store} has no finished iteration of {runs}, whose times could be the measure; give another --like."
        )
    works = [place_of(work) for work in works_of(document)]
    found = estimated(works, documented(config, rates) | rates, WORKFLOWS[workflow].tasks)
    sources = [f"measured in {runs}, on what it ran on" if rates else f"{store} has no finished iteration of {runs}"]
    if assumed := [row.task for row in found.rows if row.is_documented]:
        which = f"those of {', '.join(assumed)}" if rates else "all"
        sources.append(f"{which} documented for {documented_for(config)}")
    source = "; ".join(sources)
    if not found.rows:
        raise BadInput(
            f"Nothing is known of how long this takes: {store} has no finished iteration of {runs}; run one, or give --like RUN."
        )
    if as_json:
        typer.echo(display.as_json({"source": source, **found.model_dump(mode="json")}, indent=1))
        return
    print_estimate(found, source, display.wide())


def print_estimate(found: Estimate, source: str, console: Console) -> None:
    from burnqed.evaluate.render import table_of
    from burnqed.progress import duration

    priced = any(row.dollars[1] for row in found.rows)
    on_gpus = any(row.gpu_hours[1] for row in found.rows)
    columns = [
        "grows with",
        "pods",
        "wall time",
        "from",
        "to",
        *(["GPU hours"] if on_gpus else []),
        *(["US dollars"] if priced else []),
    ]
    table = table_of("step", *columns)
    for row in found.rows:
        low, mean, high = row.wall
        grows = f"{row.amount:,.0f} {row.unit}" if row.unit else ""
        more = [f"{row.gpu_hours[1]:,.2f}"] * on_gpus + [f"{row.dollars[1]:,.2f}"] * priced
        table.add_row(row.task, grows, str(row.pods), *map(duration, (mean, low, high)), *more)
    low, mean, high = found.total("wall")
    more = [
        f"{found.total(figure)[1]:,.2f}" for figure, shown in (("gpu_hours", on_gpus), ("dollars", priced)) if shown
    ]
    table.add_row(
        "these, one after the other" if found.unknown else "all, one after the other",
        "",
        str(sum(row.pods for row in found.rows)),
        *map(duration, (mean, low, high)),
        *more,
        style="bold",
    )
    console.print(table)
    for figure, title, shown in (("gpu_hours", "GPU hours", on_gpus), ("dollars", "US dollars", priced)):
        if shown:
            low, _, high = found.total(figure)
            console.print(f"{title}: {low:,.2f} to {high:,.2f}")
    console.print(f"Rates: {source}. What is finished already is not subtracted.", soft_wrap=True)
    if found.unknown:
        unknown = f"All of it takes more: no rate is known of {', '.join(found.unknown)}, which are in no figure."
        console.print(unknown, style="yellow", soft_wrap=True)
