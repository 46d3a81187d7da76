"""A workflow on this machine as its user sees it: the steps' output, what each step did, the results, and where they are."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
import uuid
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any

from hera.workflows import Workflow
from rich.console import Console
from rich.table import Table

from burnqed import lease
from burnqed.config import RunConfig
from burnqed.display import cell, shown
from burnqed.documents import READ_AGAIN, read_document
from burnqed.errors import EXIT_BAD_INPUT, EXIT_TRY_AGAIN, BadInput, TryAgain
from burnqed.evaluate.experiment import Experiments
from burnqed.evaluate.gates import GateVerdict
from burnqed.evaluate.lean_start import FILE as VERDICT
from burnqed.evaluate.lean_start import LeanStart
from burnqed.evaluate.render import print_experiment, print_iteration, print_lean_start, print_summary
from burnqed.evaluate.summary import read_summary
from burnqed.holding import of_machine
from burnqed.layout import Layout
from burnqed.ledger import metered
from burnqed.progress import duration
from burnqed.proof_search.recall import FILE, Recall
from burnqed.record import read_record
from burnqed.run.expressions import Phase
from burnqed.run.local import EXIT_HANDLER, LocalRunner, Node, RunResult
from burnqed.run.works import place_of
from burnqed.scratch import scratch_folder
from burnqed.signals import on_signal
from burnqed.steps.evaluate import EXPANSIONS
from burnqed.steps.table import STEPS, names
from burnqed.store import Store

GATES = ("gate", "decide", "decision")
"""Tasks that are skipped because nobody asked for them, not because they are done."""
UNRECORDED = {*names(row for row in STEPS if not row.recorded), EXIT_HANDLER}
"""Tasks whose logs and costs are not kept, because the run may just have been deleted."""


def run_here(
    workflow: Workflow,
    store: Store,
    layout: Layout,
    config: RunConfig,
    confirm: Callable[[str], bool],
    recall: Path | None = None,
) -> int:
    """Runs the workflow, asking `confirm` at its gates, and prints the results. Expansions of its evaluations are kept in the file `recall`, or as long as it runs. Returns the exit
    code; SIGTERM and SIGINT end it cleanly with 75.

    Raises BadInput if somebody else is working on the run, or if `recall` is something else.
    """
    with scratch_folder("burnqed-expansions-") as folder:
        expansions = (recall or folder / FILE).absolute()
        # made here, as shards that make it at the same time may lock each other out
        with nullcontext() if recall else suppress(BadInput), Recall(expansions):
            pass
        os.environ[EXPANSIONS] = str(expansions)
        try:
            result = asyncio.run(until_signal(carried_out(workflow.to_dict(), store, layout, config, confirm)))
        finally:
            del os.environ[EXPANSIONS]
    if result is None:
        say("Stopped; the same command continues.")
        return EXIT_TRY_AGAIN
    return result.exit_code


async def carried_out(
    document: dict[str, Any], store: Store, layout: Layout, config: RunConfig, confirm: Callable[[str], bool]
) -> RunResult:
    """Runs a workflow, and what it creates: on one machine one after the other, each with the lease of its run."""
    turn = asyncio.Lock()

    def keep(task: str, attempt: int, container: str, log: Path) -> None:
        if task not in UNRECORDED:
            try:
                store.upload_file(log, layout.log(runner.name, task, attempt, container))
            except (BadInput, TryAgain) as error:  # losing a log must not lose the work
                say(f"The log of {task} is not kept: {error}")

    def meter(task: str) -> AbstractContextManager[None]:
        if task in UNRECORDED:
            return nullcontext()
        shares = config.workflow.parallelism if "(" in task else 1  # several shards run at a time
        return metered(store, layout, token, task, of_machine(shares), config.cost)

    async def child(created: dict[str, Any]) -> RunResult:
        place, settings = place_of(created)
        async with turn:
            say(f"{created['metadata']['name']}: {title(place)}")
            try:
                return await carried_out(created, store, place, settings, confirm)
            except BadInput as error:  # somebody works on its run, say; on a cluster, too, the others go on
                say(str(error))
                return RunResult(Phase.FAILED, [Node("plan", Phase.FAILED, EXIT_BAD_INPUT, message=str(error))])

    runner = LocalRunner(document, child=child, logs=keep, meter=meter, echo=say, confirm=confirm)
    who = f"`burnqed run` on {platform.node()} (process {os.getpid()})"
    with nullcontext(uuid.uuid4().hex) if runner.creates else lease.held(store, layout.run, who) as token:
        if not runner.creates:
            os.environ[lease.VARIABLE] = token
        try:
            result = await runner.run()
        finally:
            os.environ.pop(lease.VARIABLE, None)
    console = Console(width=max(100, shutil.get_terminal_size().columns))
    print_steps(result, layout.run if runner.creates else title(layout), console)
    if layout.iteration >= 0 and not runner.creates:
        print_figures(store, layout, console, succeeded=result.phase is Phase.SUCCEEDED)
    return result


def say(line: str) -> None:
    print(shown(line), file=sys.stderr, flush=True)  # noqa: T201


async def until_signal(work: Coroutine[Any, Any, RunResult]) -> RunResult | None:
    """The result, or None if a signal ended the run."""
    running = asyncio.ensure_future(work)
    on_signal(running.cancel)
    try:
        return await running
    except asyncio.CancelledError:
        return None


def title(layout: Layout) -> str:
    return f"iteration {layout.iteration} of {layout.run}" if layout.iteration >= 0 else layout.run


def print_steps(result: RunResult, title: str, console: Console) -> None:
    table = Table("step", "", "time", "attempts", title=title, title_justify="left")
    styles = {Phase.SUCCEEDED: "green", Phase.SKIPPED: "dim", Phase.OMITTED: "dim"}
    for node in result.nodes:
        unasked = node.name in GATES and node.phase in (Phase.SKIPPED, Phase.OMITTED)
        if unasked or (node.name == EXIT_HANDLER and node.phase is Phase.SUCCEEDED):
            continue
        what = (
            "nothing to do" if node.phase is Phase.SKIPPED else " ".join(filter(None, (node.phase.value, node.message)))
        )
        time = duration(node.seconds) if node.attempts else ""
        table.add_row(node.name, cell(what), time, str(node.attempts or ""), style=styles.get(node.phase, "red"))
    console.print(table)


def print_judged(store: Store, layout: Layout, console: Console) -> None:
    """Prints the figures and the verdict of an experiment, and where its report is."""
    found = read_document(store, f"{layout.experiment}/experiment.json", Experiments, "run the experiment again")
    print_experiment(found, console)
    where = store.locate(f"{layout.experiment}/index.html")
    console.print(f"report  {where}", soft_wrap=True, highlight=False, markup=False)


def print_figures(store: Store, layout: Layout, console: Console, *, succeeded: bool = True) -> None:
    """Prints the iteration's figures if it succeeded, the run's summary, and where model, head and report are; of a lean start, its verdict."""
    summary = read_summary(store, layout.run)
    finished = read_record(store, layout.report)
    report = finished.root(layout.report) if finished else None
    if summary and summary.iterations:
        done = next((r for r in summary.iterations if r.iteration == layout.iteration), None)
        if succeeded and done and report:
            verdict = read_document(store, f"{report}/gate.json", GateVerdict, READ_AGAIN)
            print_iteration(done, summary.iterations, verdict, console)
            console.print()
        print_summary(summary, console)
    lean_start = read_record(store, layout.lean_start)
    if succeeded and lean_start:
        found = read_document(store, f"{lean_start.root(layout.lean_start)}/{VERDICT}", LeanStart, READ_AGAIN)
        print_lean_start(found, console)
    if succeeded:
        places = {"store": layout.run, "model": layout.model, "head": layout.head("final")}
        places |= {"report": f"{report}/index.html"} if report else {}
        places |= {"verdict": f"{lean_start.root(layout.lean_start)}/index.html"} if lean_start else {}
        for label, path in places.items():
            if store.exists(path):
                console.print(f"{label:<7} {store.locate(path)}", soft_wrap=True, highlight=False, markup=False)
