"""`burnqed run WORKFLOW`: runs a workflow on this machine, with the same steps in the same order as on a cluster."""

from __future__ import annotations

from pathlib import Path

import typer

from burnqed import workflow_names
from burnqed.cli import options
from burnqed.cli.indices import indices_to_keep, keep, keep_rows, rows_to_keep, using

WITHOUT_LEAN = ("clean", "import-model")
"""Workflows that start none."""


def run(
    workflow: str = options.Workflow,
    iteration: int | None = options.OptionalIteration,
    iters: str | None = options.Iterations,
    profile: str | None = options.RunProfile,
    store: str = options.Store,
    name: str | None = options.OptionalRun,
    origin: str | None = options.From,
    overrides: list[str] = options.Set,
    theorems: Path | None = options.Theorems,
    pairs: list[str] = options.Pairs,
    proofs: list[str] = options.Proofs,
    benchmark: str | None = options.Benchmark,
    gate: str = options.Gate,
    redo: str = options.Redo,
    ablate: str = options.Ablate,
    max_cost: float | None = options.MaxCost,
    recall: Path | None = options.Recall,
    source: str | None = options.Source,
    imported: str | None = options.Name,
    yes: bool = options.Yes,
) -> None:
    """Run a workflow on this machine.

    Example: burnqed run iteration --iter 0 --profile demo --store runs
    """
    options.check_word(workflow, workflow_names.WORKFLOWS, "workflow")
    from burnqed.branch import check_branch, check_given, layout_of
    from burnqed.lean.backends import check_installed
    from burnqed.remembered import resolve_run
    from burnqed.steps.budget import check_prices
    from burnqed.steps.plan import require_predecessor
    from burnqed.store import Store

    run_name = name or options.default_run(workflow)
    address = options.absolute(store)
    target = Store(address)
    overrides = options.with_origin(options.with_cost(overrides, max_cost), origin)
    config = resolve_run(target, run_name, profile, overrides, origin=origin, workflow=workflow).config
    layout = layout_of(run_name, options.first_of(workflow, iteration, iters), config)
    check_branch(target, layout)
    if theorems or benchmark or pairs or proofs or workflow in options.GIVING:
        check_given(layout)
    check_prices(config.cost)
    if workflow in workflow_names.OF_ITERATIONS:  # before the imports that take seconds
        require_predecessor(target, layout)
    if workflow not in WITHOUT_LEAN:
        check_installed(config.lean)
    given = options.for_workflow(
        workflow, iteration=iteration, iters=iters, gate=gate, redo=redo, source=source, name=imported, ablate=ablate
    )
    indices = indices_to_keep(theorems, benchmark, workflow, config, target, run_name)
    rows = rows_to_keep(pairs, proofs, workflow)
    from burnqed.policy.sglang import check_here
    from burnqed.run.contradictions import check_settings
    from burnqed.run.local import confirm_on_terminal
    from burnqed.run.session import run_here
    from burnqed.run.superseding import ask_all
    from burnqed.run.works import place_of, tasks_in, works_of
    from burnqed.steps.clean import ask_to_delete
    from burnqed_workflows.registry import WORKFLOWS

    if indices or rows:
        config = using(config, indices, rows)
    built = WORKFLOWS[workflow].build(config, store=address, run=run_name, **given)
    document = built.to_dict()
    for work in works_of(document):
        settings = place_of(work)[1]
        check_settings(settings, tasks_in(work))
        if settings.workflow.policy_server == "sglang" and {"search", "replay", "evaluate"} & {*tasks_in(work)}:
            check_here(settings)
    if workflow == "clean":
        ask_to_delete(target, layout, yes=yes)
    target.check_writable()
    keep(indices, target, run_name)
    keep_rows(rows, target, run_name)
    ask_all(WORKFLOWS[workflow].tasks, target, document, yes=yes)
    confirm = (lambda _: True) if workflow == "clean" else confirm_on_terminal
    if code := run_here(built, target, layout, config, confirm, recall):
        raise typer.Exit(code)
