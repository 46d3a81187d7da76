"""`burnqed step NAME`, what a container runs; and `burnqed serve`, the policy server beside it."""

from __future__ import annotations

import asyncio
import os
import platform
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from burnqed import lease, modelcache
from burnqed.cli import options
from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.log import bind, in_pod, log
from burnqed.modelcache import fetch_address
from burnqed.remembered import remember, resolve_run
from burnqed.resolve import from_json
from burnqed.signals import on_signal
from burnqed.steps.base import Context, execute
from burnqed.store import Store
from burnqed.storelog import StoreLog

WITHOUT_RUN = ("gate", "release", "import-data", "import-model")
"""Steps that write nothing of a run's, or end the work on it."""
FIRST = ("plan", "import-data", "import-model", "clean")
"""Steps that a workflow may begin with."""


def add_to(app: typer.Typer) -> None:
    app.command("step")(step)
    app.command("serve")(serve)


def configuration(store: Store, run: str, profile: str | None, overrides: list[str]) -> RunConfig:
    """The workflow's configuration ($BURNQED_CONFIG), or, when a person runs the step, the run's or a profile's."""
    document = os.environ.get("BURNQED_CONFIG")
    return from_json(document) if document else resolve_run(store, run, profile, overrides).config


def open_store(address: str, *, first: bool = False) -> Store:
    """A workflow's store. After its first step, whatever it starts waits for a store that is away."""
    return Store(options.absolute(address), known=lease.VARIABLE in os.environ or (in_pod() and not first))


def keep_log(store: Store, layout: Layout) -> None:
    """In a pod: says whose log it is, and keeps a copy in the store."""
    if in_pod():
        workflow, task = os.environ["BURNQED_WORKFLOW"], os.environ["BURNQED_TASK"]
        attempt = int(os.environ["BURNQED_ATTEMPT"])
        bind(run=layout.run, iteration=layout.iteration, workflow=workflow, task=task, attempt=attempt)
        log.addHandler(StoreLog(store, layout.log(workflow, task, attempt, os.environ["ARGO_CONTAINER_NAME"])))


def sidecar(variable: str) -> str | None:
    """Address of the pod's own policy server, whose port is in an environment variable."""
    port = os.environ.get(variable)
    return f"http://127.0.0.1:{port}" if port else None


def step(
    name: str = typer.Argument(..., help="plan, data, base, select, sft, export, embed, ebm, search, …"),
    iteration: int = typer.Option(-1, "--iter", min=-1, help="Iteration, from 0."),
    store: str = options.Store,
    run: str = options.Run,
    stage: str = typer.Option("", "--stage", help="search or final, for embed and ebm."),
    shard: int = typer.Option(0, "--shard", min=0),
    profile: str | None = options.RunProfile,
    overrides: list[str] = options.Set,
    redo: str = typer.Option("", "--redo", envvar="BURNQED_REDO"),
    only: str = typer.Option("", "--only", help="For plan: tasks that the workflow has, as in evaluate,report."),
    answer: str = typer.Option("", "--answer", help="For gate: yes or no; the verdict's own without it."),
    source: str = typer.Option("", "--source", help="For import-data and import-model: what is imported."),
    imported: str = typer.Option("", "--name", help="For import-data and import-model: the name it gets."),
    whole_run: bool = typer.Option(False, "--whole-run", help="For clean: the run instead of one iteration."),
) -> None:
    """Run one step of an iteration, from the store to the store."""
    from burnqed import metrics
    from burnqed.steps.clean import clean
    from burnqed.steps.gate import gate
    from burnqed.steps.import_data import import_data
    from burnqed.steps.import_model import import_model
    from burnqed.steps.plan import plan, write_outputs
    from burnqed.steps.redo import parse_redo
    from burnqed.steps.registry import STEPS, find

    layout, target = Layout(run, iteration), open_store(store, first=name in FIRST)
    config = configuration(target, run, profile, overrides)
    if name not in ("clean", "release"):  # whose log would stay behind, alone
        keep_log(target, layout)

    async def work() -> None:
        with tempfile.TemporaryDirectory(prefix="burnqed-step-") as folder:
            context = Context(
                store=target,
                layout=layout,
                config=config,
                workdir=Path(folder),
                stage=stage,
                shard=shard,
                redo=parse_redo(redo, (s.name for s, _ in STEPS)),
                policy_url=sidecar("BURNQED_POLICY_PORT"),
                score_url=sidecar("BURNQED_SCORE_PORT"),
            )
            on_signal(context.stop.set)
            metrics.serve()
            if name == "plan":
                outputs = plan([(s, at) for s, at in STEPS if not only or s.task(at) in only.split(",")], context)
                if folder_for_outputs := os.environ.get("BURNQED_OUTPUTS"):
                    write_outputs(outputs, Path(folder_for_outputs))
                if not only:
                    remember(target, run, config)
            elif name == "gate":
                gate(target, layout, answer)
            elif name == "release":
                lease.release(target, run, os.environ.get("BURNQED_WORKFLOW", ""))
            elif name == "clean":
                clean(target, layout, whole_run=whole_run)
            elif name == "import-data":
                await import_data(source, imported, target, layout, config.lean)
            elif name == "import-model":
                await asyncio.to_thread(import_model, source, imported, target, config, context.workdir)
            else:
                await execute(find(name), context)

    with working(target, layout, name):
        asyncio.run(work())


@contextmanager
def working(store: Store, layout: Layout, name: str) -> Iterator[None]:
    """Holds the run's lease for its workflow, or, when a person runs the step, for that. What `burnqed run` starts has it already."""
    if lease.VARIABLE in os.environ or name in WITHOUT_RUN:
        yield
    elif in_pod():
        workflow = os.environ["BURNQED_WORKFLOW"]
        with lease.held(store, layout.run, f"The workflow {workflow}", token=workflow):
            yield
    else:
        who = f"`burnqed step {name}` on {platform.node()} (process {os.getpid()})"
        with lease.held(store, layout.run, who):
            yield


def serve(
    model: str | None = typer.Option(
        None, "--model", help="Folder, or address in a store, of a causal language model."
    ),
    head: str | None = typer.Option(None, "--head", help="Folder, or address in a store, of an energy head."),
    port: int = typer.Option(30000, "--port", envvar="BURNQED_POLICY_PORT", min=1, max=65535),
    host: str = typer.Option("0.0.0.0" if in_pod() else "127.0.0.1", "--host"),
    score_port: int | None = typer.Option(
        None,
        "--score-port",
        envvar="BURNQED_SCORE_PORT",
        help="With workflow.policy_server=sglang: for embeddings and energies.",
    ),
    store: str = options.Store,
    run: str = options.Run,
    iteration: int | None = typer.Option(
        None, "--iter", min=0, help="Serve this iteration's model instead of --model."
    ),
    stage: str = typer.Option(
        "final", "--stage", help="With --iter: search, negatives or final, which tells the head."
    ),
    profile: str | None = options.RunProfile,
    overrides: list[str] = options.Set,
) -> None:
    """Serve a model over SGLang's protocol, with embeddings and energies."""
    from burnqed.policy.server import serve as run_server
    from burnqed.steps.models import served_paths
    from burnqed.steps.searching import SERVED

    target = open_store(store)
    config = configuration(target, run, profile if iteration is not None else profile or "default", overrides)
    if model is None:
        if iteration is None:
            raise BadInput("Nothing to serve; give --model, or --iter with --store and --run.")
        layout = Layout(run, iteration)
        keep_log(target, layout)
        model, head = served_paths(target, layout, stage, config)
    served = config.only(SERVED).policy
    if config.workflow.policy_server == "sglang":
        from burnqed.policy.sglang import launch

        if score_port is None:
            raise BadInput("SGLang knows no embeddings, so that a second port is needed; give --score-port.")
        folder = fetch_address(model, Path(os.environ.get(modelcache.VARIABLE, tempfile.gettempdir())))
        beside = launch(folder, host, port, served, config.workflow.sglang_memory)
        run_server(str(folder), score_port, head=head, host=host, config=served, beside=beside)
    run_server(model, port, head=head, host=host, config=served)
