"""`burnqed submit|status|watch|logs|retry|stop|approve|list`: workflows on a cluster. `hera` has the same commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.table import Column, Table

from burnqed.cli import options
from burnqed.cli.indices import indices_to_keep, keep, keep_rows, rows_to_keep, using
from burnqed.display import shown_lines, tell, wide
from burnqed.errors import EXIT_BUG, BadInput, TryAgain

if TYPE_CHECKING:
    from burnqed.config import RunConfig

PLACEHOLDER = "s3://BUCKET/PREFIX"
"""Stands for the chart's store where the chart could not be read."""
Namespace = options.cluster(
    None,
    "--namespace",
    "-n",
    help="Namespace of the chart.",
    show_default="that of the kubeconfig's context, or burnqed",
)
Workflow = typer.Argument(..., metavar="NAME", help="Name of a submitted workflow, as `list` prints it.")
ChartProfile = options.profile(None, options.AS_BEFORE.format("the chart's"))
Image = options.cluster(None, "--image", metavar="TAG", help="Tag of the images.", show_default="the chart's")
Watch = options.output(False, "--watch", help="Show its steps until it ends.")


def reach(namespace: str | None) -> Any:
    """The cluster's API: through an Argo server where one is configured, else with a kubeconfig."""
    from burnqed.run.argo.connect import open_access  # takes seconds to import

    return open_access(namespace)


def submit(
    workflow: str = options.Workflow,
    iteration: int | None = options.OptionalIteration,
    iters: str | None = options.Iterations,
    profile: str | None = ChartProfile,
    store: str | None = options.which(
        None,
        "--store",
        envvar="BURNQED_STORE",
        help="s3://BUCKET/PREFIX for everything that is kept.",
        show_default="the chart's",
    ),
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
    source: str | None = options.Source,
    imported: str | None = options.Name,
    image: str | None = Image,
    namespace: str | None = Namespace,
    dry_run: bool = options.output(False, "--dry-run", help="Print the exact YAML instead of submitting it."),
    watch: bool = Watch,
    yes: bool = options.Yes,
) -> None:
    """Submit a workflow to the cluster.

    Example: burnqed submit iteration --iter 0 --namespace burnqed --watch
    """
    from burnqed.branch import check_given, layout_of
    from burnqed.run.argo.preflight import preflight
    from burnqed.run.argo.submit import build, resolved
    from burnqed.run.superseding import ask_all
    from burnqed.steps.budget import check_prices
    from burnqed.store import Store
    from burnqed_workflows.registry import WORKFLOWS

    given = options.for_workflow(
        workflow, iteration=iteration, iters=iters, gate=gate, redo=redo, source=source, name=imported, ablate=ablate
    )
    run = name or options.default_run(workflow)
    overrides = options.with_origin(options.with_cost(overrides, max_cost), origin)
    try:
        access = reach(namespace)
        settings = access.settings()
    except (BadInput, TryAgain) as error:
        if not dry_run:
            raise
        settings, unreadable = None, error
    address = store or (settings.store if settings else PLACEHOLDER)
    base = None if profile or address == PLACEHOLDER else recalled(address, run, origin)
    config = resolved(settings, profile, overrides, base, workflow)
    check_prices(config.cost)
    layout = layout_of(run, options.first_of(workflow, iteration, iters), config)
    is_given = theorems or benchmark or pairs or proofs
    if is_given or workflow in options.GIVING:
        check_given(layout)
    if is_given:
        target = None if dry_run else Store(address)
        indices = indices_to_keep(theorems, benchmark, workflow, config, target, run)
        rows = rows_to_keep(pairs, proofs, workflow)
        if target:
            keep(indices, target, run)
            keep_rows(rows, target, run)
        config = using(config, indices, rows)
    document = build(workflow, config, settings, store=address, run=run, image=image, given=given)
    if dry_run:
        import yaml

        if settings is None:
            typer.echo(placeholders(unreadable, store, profile))
        typer.echo(yaml.safe_dump(document, sort_keys=False, width=120), nl=False)
        return
    console = Console(stderr=True, soft_wrap=True)
    assert settings is not None
    checked = preflight(access, document, settings, config, address, layout)
    for warning in checked.warnings:
        tell(console, "warning: ", warning, "yellow")
    if checked.store is not None:
        ask_all(WORKFLOWS[workflow].tasks, checked.store, document, yes=yes)
    submitted = access.create(document)["metadata"]["name"]
    typer.echo(submitted)
    console.print(access.link(submitted), highlight=False)
    if watch:
        finish(access, submitted)


def placeholders(unreadable: Exception, store: str | None, profile: str | None) -> str:
    """Comments before the YAML of a workflow that was built without the chart: what stands for the chart's values."""
    lines = [
        f"The chart could not be read: {unreadable}",
        "So these are placeholders:",
        *([] if store else [f"- store: {PLACEHOLDER} (give --store)"]),
        "- worker-image, trainer-image, sglang-image: the chart knows where yours are",
        f"- config: {'' if profile else 'of the profile default, and '}without the chart's settings",
    ]
    return "\n".join(f"# {shown_lines(line, '# ')}" for line in lines)


def recalled(address: str, run: str, origin: str | None) -> RunConfig | None:
    """The configuration that the run, or the one that it branches from, has used so far. Also None where the store cannot be reached from here, which the preflight reports."""
    from burnqed.remembered import recall_or
    from burnqed.store import Store

    try:
        return recall_or(Store(address), run, origin)
    except (BadInput, TryAgain):
        return None


def finish(access: Any, name: str) -> None:
    """Watches to the end. Exits with an error unless the workflow succeeded."""
    from burnqed.run.argo.children import children_of
    from burnqed.run.argo.logs import layout_of, store_of
    from burnqed.run.argo.nodes import phase_of
    from burnqed.run.argo.watch import watch
    from burnqed.run.session import print_figures, print_judged
    from burnqed.run.works import parameters_of
    from burnqed_workflows.templates import WORKFLOW_LABEL

    console = wide()
    workflow = watch(access, name, console)
    if phase_of(workflow) != "Succeeded":
        raise typer.Exit(EXIT_BUG)
    is_experiment = workflow["metadata"]["labels"].get(WORKFLOW_LABEL) == "experiment"
    last = [] if is_experiment else children_of(access, workflow)[-1:]
    workflow = access.get(last[0]["metadata"]["name"]) if last else workflow
    if is_experiment or "iteration" in parameters_of(workflow):
        store, layout = store_of(workflow), layout_of(workflow)
        where = layout.experiment if is_experiment else layout.report
        try:
            print_judged(store, layout, console) if is_experiment else print_figures(store, layout, console)
        except Exception as error:  # the run is done, though this machine may have no access to its store
            tell(console, "The results are in ", f"{store.locate(where)} ({error}).")


def status(name: str = Workflow, namespace: str | None = Namespace, as_json: bool = options.Json) -> None:
    """Show the steps of a workflow.

    Example: burnqed status iteration-x7k2p --json
    """
    from burnqed.run.argo.children import at_work, children_of
    from burnqed.run.argo.nodes import phase_of, tasks_of
    from burnqed.run.argo.watch import picture

    access = reach(namespace)
    workflow = access.get(name)
    if as_json:
        steps = [
            {"step": t.task, "phase": t.phase, "seconds": t.seconds, "attempts": len(t.attempts), "message": t.message}
            for t in tasks_of(workflow)
        ]
        created = {w["metadata"]["name"]: phase_of(w) for w in children_of(access, workflow)}
        told = {"name": name, "phase": phase_of(workflow), "steps": steps, "created": created}
        typer.echo(json.dumps(told, indent=1))
        return
    wide().print(picture([workflow, *at_work(access, workflow)]))


def watch(name: str = Workflow, namespace: str | None = Namespace) -> None:
    """Show the steps of a workflow until it ends; exit code 0 only on success.

    Example: burnqed watch iteration-x7k2p
    """
    finish(reach(namespace), name)


def logs(
    name: str = Workflow,
    step: str = typer.Option("", "--step", help="Only this step."),
    shard: int | None = typer.Option(None, "--shard", min=0, help="Only this shard."),
    container: str = typer.Option("main", "--container", help="main, or policy for the policy server."),
    follow: bool = typer.Option(False, "--follow", "-f", help="Go on until the workflow ends."),
    raw: bool = typer.Option(False, "--raw", help="JSON lines as the pods wrote them."),
    namespace: str | None = Namespace,
) -> None:
    """Print logs: from the pods while they exist, from the store afterwards.

    Example: burnqed logs iteration-x7k2p --step search --shard 3 --follow
    """
    from burnqed.run.argo.logs import Wanted, logs_of_all, readable

    for task, line in logs_of_all(reach(namespace), name, Wanted(step, shard, container), follow=follow):
        typer.echo(line if raw else f"{task} │ {shown_lines(readable(line))}")


def retry(
    name: str = Workflow,
    image: str | None = Image,
    overrides: list[str] = options.Set,
    namespace: str | None = Namespace,
    watch: bool = Watch,
) -> None:
    """Run what failed, and what follows it, again, if need be with another image or configuration.

    Example: burnqed retry iteration-x7k2p --set trainer.memory=32Gi --watch
    """
    from burnqed.run.argo.children import UNSUCCESSFUL, creates, failed
    from burnqed.run.argo.nodes import phase_of
    from burnqed.run.argo.submit import retried
    from burnqed_workflows.children import PARENT_LABEL

    access = reach(namespace)
    workflow = access.get(name)
    if parent := (workflow["metadata"].get("labels") or {}).get(PARENT_LABEL):
        raise BadInput(
            f"{name} was created by {parent}, which waits for it; run `burnqed retry {parent}`, which retries both."
        )
    if creates(workflow) and phase_of(workflow) not in UNSUCCESSFUL:
        raise BadInput(
            f"{name} is {phase_of(workflow)}, and only what failed can be retried; see `burnqed status {name}`."
        )
    again = {w["metadata"]["name"]: retried(w, image, overrides) for w in failed(access, workflow)}
    with with_server(access) as server:
        for one, parameters in again.items():
            server.retry(one, parameters)
            typer.echo(f"{one} runs again.")
    if watch:
        finish(access, name)


def stop(name: str = Workflow, namespace: str | None = Namespace) -> None:
    """Shut down a workflow's pods gracefully; what they finished is kept.

    Example: burnqed stop iteration-x7k2p
    """
    from burnqed.run.argo import children

    children.stop(reach(namespace), name)
    typer.echo(f"{name} is being stopped; submitting it again continues it.")


def approve(
    name: str = Workflow, no: bool = typer.Option(False, "--no", help="Say no."), namespace: str | None = Namespace
) -> None:
    """Answer a workflow that is waiting for a decision.

    Example: burnqed approve iteration-x7k2p --no
    """
    from burnqed.run.argo.children import at_work
    from burnqed.run.argo.nodes import suspended

    access = reach(namespace)
    workflow = access.get(name)
    waiting = [(w["metadata"]["name"], node) for w in (workflow, *at_work(access, workflow)) for node in suspended(w)]
    if not waiting:
        raise BadInput(f"{name} is not waiting for an answer; see `burnqed status {name}`.")
    (name, node), answer = waiting[0], "no" if no else "yes"
    (parameter,) = (p["name"] for p in node["outputs"]["parameters"])
    with with_server(access) as server:
        server.answer(name, node["displayName"], parameter, answer)
    typer.echo(f"{node['displayName']}: {answer}.")


def list_workflows(namespace: str | None = Namespace, as_json: bool = options.Json) -> None:
    """List the workflows of the namespace, newest first.

    Example: burnqed list --namespace burnqed
    """
    from burnqed.run.argo.nodes import phase_of
    from burnqed_workflows.templates import ITERATION_LABEL, RUN_LABEL, WORKFLOW_LABEL

    columns = ("name", "workflow", "run", "iteration", "phase", "progress", "created")
    rows = []
    for workflow in reach(namespace).list():
        metadata, progress = workflow["metadata"], workflow.get("status", {}).get("progress", "")
        labels = [metadata.get("labels", {}).get(label, "") for label in (WORKFLOW_LABEL, RUN_LABEL, ITERATION_LABEL)]
        rows.append((metadata["name"], *labels, phase_of(workflow), progress, metadata["creationTimestamp"]))
    if as_json:
        typer.echo(json.dumps([dict(zip(columns, row, strict=True)) for row in rows], indent=1))
        return
    table = Table(Column("name", no_wrap=True), *columns[1:])
    for row in rows:
        table.add_row(*row)
    wide().print(table)


def with_server(access: Any) -> Any:
    """The configured Argo server, or the cluster's through a port-forward."""
    from contextlib import nullcontext

    from burnqed.run.argo.server import ArgoServer

    if isinstance(access, ArgoServer):
        return nullcontext(access)
    from burnqed.run.argo.forward import argo_server

    return argo_server(access)
