"""`burnqed step NAME`, which a container runs; and `burnqed serve`, the policy server beside it."""

from __future__ import annotations

import asyncio
import os
import platform
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from burnqed.cli import options
from burnqed.errors import BadInput
from burnqed.layout import Layout, check_name
from burnqed.log import bind, in_pod, log
from burnqed.machine import check_gpus
from burnqed.policy.refusal import noted
from burnqed.steps.table import SERVED, STEPS, Row, Step, find, loop, names, present_name

if TYPE_CHECKING:
    from burnqed.config import RunConfig
    from burnqed.store import Store


def configuration(
    store: Store, run: str, profile: str | None, overrides: list[str], model: str | None = None
) -> RunConfig:
    """The workflow's configuration ($BURNQED_CONFIG), or, when a person runs the step, the run's or a profile's; that of the run of a `model`, if one is given."""
    from burnqed.remembered import resolve_run, settings_for
    from burnqed.resolve import from_json, resolve

    if document := os.environ.get("BURNQED_CONFIG"):
        return from_json(document)
    if model is not None:
        return resolve(profile, overrides, base=None if profile else settings_for(model)).config
    return resolve_run(store, run, profile, overrides).config


def open_store(address: str, *, first: bool = False) -> Store:
    """The store of a step or a server. Where an earlier step of the workflow has reached it, an outage is waited out from the start."""
    from burnqed import lease
    from burnqed.store import Store

    return Store(options.absolute(address), known=lease.VARIABLE in os.environ or (in_pod() and not first))


def keep_log(store: Store, layout: Layout) -> None:
    """In a pod: adds the attempt to every line of the log, and keeps a copy in the store."""
    from burnqed.storelog import StoreLog

    if in_pod():
        workflow, task = os.environ["BURNQED_WORKFLOW"], os.environ["BURNQED_TASK"]
        attempt = int(os.environ["BURNQED_ATTEMPT"])
        bind(run=layout.run, iteration=layout.iteration, workflow=workflow, task=task, attempt=attempt)
        log.addHandler(StoreLog(store, layout.log(workflow, task, attempt, os.environ["ARGO_CONTAINER_NAME"])))


def sidecar(variable: str) -> str | None:
    """Address of the pod's own policy server, whose port is in an environment variable."""
    port = os.environ.get(variable)
    return f"http://127.0.0.1:{port}" if port else None


def listed(words: Iterable[str], last: str = "and") -> str:
    """`search, replay and evaluate`."""
    *others, final = dict.fromkeys(words)
    return f"{', '.join(others)} {last} {final}" if others else final


def taking(option: str) -> str:
    """The start of the help of an option that only some steps take."""
    return f"For {listed(names([row for row in STEPS if option in (*row.needs, *row.takes)]))}: "


STAGED = [row for row in loop() if row.task != row.name]
SHARDED = [row for row in STEPS if row.sharded]
ASKING = [row for row in STEPS if row.asks]
STAGES = [row.stage for row in STAGED]
SERVED_STAGES = [row.stage for row in loop() if row.policy]
port_option = partial(options.address, min=1, max=65535)


def step(
    name: str = typer.Argument(..., help=f"One of: {', '.join(names())}.", autocompletion=options.one_of(names())),
    iteration: int = options.which(
        -1, "--iter", min=-1, help="Iteration, from 0; -1 for what belongs to none, as imports."
    ),
    store: str = options.Store,
    run: str = options.Run,
    stage: str = options.which("", "--stage", help=f"{listed(STAGES, 'or')}, for {listed(names(STAGED))}."),
    shard: int = options.which(0, "--shard", min=0, help=f"For {listed(names(SHARDED))}: which part."),
    profile: str | None = options.RunProfile,
    overrides: list[str] = options.Set,
    redo: str = options.how("", "--redo", envvar="BURNQED_REDO", help="Steps to do again although they are done."),
    only: str = options.how("", "--only", help=taking("only") + "tasks that the workflow has, as in evaluate,report."),
    iters: str = options.which("", "--iters", help=taking("iters") + "which iterations it has."),
    answer: str = options.how("", "--answer", help=taking("answer") + "yes or no.", show_default="the verdict's own"),
    source: str = options.importing("", "--source", help=taking("source") + "what is imported or traced."),
    imported: str = options.importing("", "--name", help=taking("name") + "the name it gets."),
    whole_run: bool = options.how(False, "--whole-run", help=taking("whole_run") + "the run instead of one iteration."),
    yes: bool = options.how(False, "--yes", "-y", help=f"For {listed(names(ASKING))}: do not ask before it deletes."),
) -> None:
    """Run one step of an iteration, from the store to the store.

    Example: burnqed step sft --iter 0 --store runs
    """
    row = find(name, stage)
    if answer:
        options.check_word(answer, ("yes", "no"), "answer")
    if iteration < 0 and row.iterated and not whole_run:
        raise BadInput(f"The step {row.name} belongs to an iteration; give --iter.")
    values = {
        "only": only,
        "iters": iters,
        "answer": answer,
        "source": source,
        "name": imported,
        "whole_run": whole_run,
    }
    for option in row.needs:
        if not values[option]:
            raise BadInput(f"The step {row.name} needs --{option}; see `burnqed step --help`.")
    if imported:
        check_name(imported, "an import")
    for task in only.split(",") if only else ():
        options.check_word(task, [step.task for step in loop()], "task")
    from burnqed import lease, metrics
    from burnqed.branch import layout_of
    from burnqed.holding import of_machine, of_pools
    from burnqed.ledger import metered
    from burnqed.run.contradictions import check_settings
    from burnqed.signals import on_signal
    from burnqed.steps.base import Context, execute
    from burnqed.steps.models import as_searched
    from burnqed.steps.redo import parse_redo

    redone = parse_redo(redo, loop())
    target = open_store(store, first=row.first)
    config = configuration(target, run, profile, overrides)
    layout = layout_of(run, iteration, config)
    config = as_searched(target, layout, config)
    check_settings(config, [row.task])
    shares = config.workflow.parallelism if row.sharded and lease.VARIABLE in os.environ else 1
    held = of_pools(config, row.pools) if in_pod() else of_machine(shares)
    noted_as = os.environ.get("BURNQED_TASK") or (f"{row.task}({shard})" if row.sharded else row.task)
    given = {option: values[option] for option in (*row.needs, *row.takes)}
    if row.recorded:
        keep_log(target, layout)
    check_gpus()

    async def work(account: str) -> None:
        with tempfile.TemporaryDirectory(prefix="burnqed-step-") as folder:
            context = Context(
                store=target,
                layout=layout,
                config=config,
                workdir=Path(folder),
                stage=row.stage,
                shard=shard,
                redo=redone,
                policy_url=sidecar("BURNQED_POLICY_PORT"),
                score_url=sidecar("BURNQED_SCORE_PORT"),
                account=account,
                dollars_per_hour=held.dollars(config.cost, 3600),
            )
            on_signal(context.stop.set)
            metrics.serve()
            await (execute(row, context) if isinstance(row, Step) else row.command.run(context, **given))

    if row.asks and not in_pod() and lease.VARIABLE not in os.environ:
        row.command.ask(target, layout, **given, yes=yes)
    with working(target, layout, row) as account:
        noting = metered(target, layout, account, noted_as, held, config.cost) if is_metered(row) else nullcontext()
        with noting:
            asyncio.run(work(account))


def is_metered(row: Row) -> bool:
    """Whether the step itself records its cost: in pods, and where a person runs it; `burnqed run` does it for the steps that it starts."""
    from burnqed import lease

    return row.recorded and lease.VARIABLE not in os.environ and (in_pod() or row.leased)


@contextmanager
def working(store: Store, layout: Layout, row: Row) -> Iterator[str]:
    """Holds the run's lease for the step's workflow, or for the step where a person runs it; `burnqed run` holds it for the steps that it starts.

    Yields the name of the account that the work is charged to: the lease's token.
    """
    from burnqed import lease

    workflow = os.environ.get("BURNQED_WORKFLOW", "") if in_pod() else ""
    if token := os.environ.get(lease.VARIABLE):
        yield token
    elif not row.leased:
        yield workflow or uuid.uuid4().hex
    elif workflow:
        with lease.held(store, layout.run, f"The workflow {workflow}", token=workflow):
            yield workflow
    else:
        who = f"`burnqed step {row.name}` on {platform.node()} (process {os.getpid()})"
        with lease.held(store, layout.run, who) as token:
            yield token


def serve(
    model: str | None = typer.Option(
        None,
        "--model",
        help="Folder, or address in a store, of a causal language model.",
        show_default="that of --iter",
    ),
    head: str | None = typer.Option(None, "--head", help="Folder, or address in a store, of an energy head."),
    port: int = port_option(30000, "--port", envvar="BURNQED_POLICY_PORT", help="Where it listens."),
    host: str = options.address(
        "127.0.0.1",
        "--host",
        help="On which address. Whoever reaches it can have tokens generated, and the model replaced.",
    ),
    score_port: int | None = port_option(
        None,
        "--score-port",
        envvar="BURNQED_SCORE_PORT",
        help="With workflow.policy_server=sglang: for embeddings and energies.",
    ),
    status_port: int | None = port_option(
        None,
        "--status-port",
        envvar="BURNQED_STATUS_PORT",
        help="For /ready and /metrics alone; in a pod, at its address.",
    ),
    store: str = options.Store,
    run: str = options.Run,
    iteration: int | None = options.which(None, "--iter", min=0, help="Serve this iteration's model."),
    stage: str = options.which(
        "final", "--stage", help=f"With --iter: {listed(SERVED_STAGES, 'or')}, which determines the head."
    ),
    profile: str | None = options.RunProfile,
    overrides: list[str] = options.Set,
) -> None:
    """Serve a model over SGLang's protocol, with embeddings and energies.

    Example: burnqed serve --store runs --iter 0 --port 30000
    """
    from burnqed import modelcache
    from burnqed.branch import layout_of
    from burnqed.policy.server import serve as run_server
    from burnqed.steps.models import as_searched, served_paths

    target = open_store(store)
    config = configuration(target, run, profile, overrides, model if iteration is None else None)
    with noted():
        if model is None:
            if iteration is None:
                raise BadInput("Nothing to serve; give --model, or --iter with --store and --run.")
            stage = present_name(stage)
            options.check_word(stage, SERVED_STAGES, "stage")
            layout = layout_of(run, iteration, config)
            keep_log(target, layout)
            check_gpus()
            model, head = served_paths(target, layout, stage, as_searched(target, layout, config))
        served, beside = config.only(SERVED).policy, None
        if config.workflow.policy_server == "sglang":
            from burnqed.policy.sglang import launch

            if score_port is None:
                raise BadInput("SGLang has no embeddings, so a second port is needed; give --score-port.")
            folder = modelcache.fetch_address(model, Path(os.environ.get(modelcache.VARIABLE, tempfile.gettempdir())))
            beside = launch(folder, host, port, served, config.workflow.sglang_memory)
            model, port = str(folder), score_port
        run_server(model, port, head=head, host=host, config=served, beside=beside, status_port=status_port)
