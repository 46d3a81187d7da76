"""Ten small workflows end with the same phases under the local runner and under Argo."""

from __future__ import annotations

import asyncio
import textwrap
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hera.workflows import DAG, Container, EmptyDirVolume, Env, Parameter, Resources, UserContainer, Workflow
from hera.workflows.models import ExecutorConfig, HTTPGetAction, Mutex, Probe, Synchronization, ValueFrom

from burnqed.run.argo.nodes import is_over, phase_of, suspended, tasks_of
from burnqed.run.local import LocalRunner
from burnqed_workflows.templates import PART_OF, SECURE, RetryPolicy, question
from tests.cluster.conftest import Cluster

RESOURCES = Resources(cpu_request="50m", cpu_limit="1", memory_request="64Mi", memory_limit="256Mi")
PATIENCE_S = 240


def new(entrypoint: str = "main", **options: Any) -> Workflow:
    return Workflow(
        generate_name="parity-", labels=PART_OF, entrypoint=entrypoint, service_account_name="burnqed", automount_service_account_token=False,
        executor=ExecutorConfig(service_account_name="burnqed"), arguments=[Parameter(name="image", value="IMAGE")], **options,
    )  # fmt: skip


def python(name: str, script: str = "pass", *, retry: RetryPolicy | None = None, **options: Any) -> Container:
    if retry:
        options |= {"retry_strategy": retry.strategy(), "annotations": retry.annotation()}
    return Container(
        name=name, image="{{workflow.parameters.image}}", command=["python", "-c"], args=[textwrap.dedent(script)], resources=RESOURCES,
        security_context=SECURE, volumes=[EmptyDirVolume(name="scratch", mount_path="/tmp")], **options,
    )  # fmt: skip


def skip() -> Workflow:
    with new() as w:
        one, two, three = python("one"), python("two"), python("three")
        with DAG(name="main"):
            one(name="one")
            two(name="two", depends="one", when="no == yes")
            three(name="three", depends="two.Succeeded || two.Skipped")
    return w


def fan_out(count: int) -> Workflow:
    with new() as w:
        plan = python(
            "plan", f"import json, os; os.makedirs(os.environ['OUT']); json.dump(list(range({count})), open(os.environ['OUT'] + '/shards', 'w'))",
            env=[Env(name="OUT", value="/tmp/out")], outputs=[Parameter(name="shards", value_from=ValueFrom(path="/tmp/out/shards"))],
        )  # fmt: skip
        shard, last = python("shard", inputs=[Parameter(name="shard")]), python("last")
        with DAG(name="main"):
            plan(name="plan")
            shard(
                name="shard",
                depends="plan",
                with_param="{{tasks.plan.outputs.parameters.shards}}",
                arguments={"shard": "{{item}}"},
            )
            last(name="last", depends="shard.Succeeded || shard.Skipped")
    return w


def retried() -> Workflow:
    """The first attempt is interrupted; the second one succeeds."""
    with new() as w:
        flaky = python("flaky", "import os, sys; sys.exit(75 if os.environ['ATTEMPT'] == '0' else 0)", retry=RetryPolicy(2, 1),
                       env=[Env(name="ATTEMPT", value="{{retries}}")])  # fmt: skip
        with DAG(name="main"):
            flaky(name="flaky")
    return w


def bug() -> Workflow:
    """Not repeated, and nothing that depends on it runs."""
    with new() as w:
        broken, never = python("broken", "raise ValueError('a bug')", retry=RetryPolicy(2, 1)), python("never")
        with DAG(name="main"):
            broken(name="broken")
            never(name="never", depends="broken")
    return w


def deadline() -> Workflow:
    with new() as w:
        slow = python("slow", "import time; time.sleep(120)", active_deadline_seconds=5, retry=RetryPolicy(2, 1))
        with DAG(name="main"):
            slow(name="slow")
    return w


def dying_sidecar() -> Workflow:
    """A main container that finds its sidecar gone asks to be run again; the second sidecar lives."""
    serve = "import http.server, os, sys, threading, time\nserver = http.server.HTTPServer(('127.0.0.1', int(os.environ['SIDE_PORT'])), http.server.SimpleHTTPRequestHandler)\nthreading.Thread(target=server.serve_forever, daemon=True).start()\ntime.sleep(2 if os.environ['ATTEMPT'] == '0' else 600)\nsys.exit(1)"
    main = """
    import os, sys, time, urllib.request
    def there():
        try: urllib.request.urlopen(f"http://127.0.0.1:{os.environ['SIDE_PORT']}/", timeout=5); return True
        except OSError: return False
    until = time.monotonic() + 60
    while not there():
        if time.monotonic() > until: sys.exit(75)
        time.sleep(0.2)
    for _ in range(40):
        if not there(): sys.exit(75)
        time.sleep(0.1)
    """
    env = [Env(name="SIDE_PORT", value="8000"), Env(name="ATTEMPT", value="{{retries}}")]
    with new() as w:
        sidecar = UserContainer(
            name="side", image="{{workflow.parameters.image}}", command=["python", "-c"], args=[serve], env=env, resources=RESOURCES, security_context=SECURE,
            readiness_probe=Probe(http_get=HTTPGetAction(path="/", port=8000), period_seconds=1),
        )  # fmt: skip
        served = python("served", main, env=env, sidecars=[sidecar], retry=RetryPolicy(2, 1))
        with DAG(name="main"):
            served(name="served")
    return w


def gate() -> Workflow:
    """Somebody says no, and what follows hears it."""
    with new() as w:
        ask = question("ask", "go", "Shall we?")
        heard = python("heard", "import sys; sys.exit(0 if sys.argv[1] == 'no' else 1)", inputs=[Parameter(name="go")])
        heard.args.append("{{inputs.parameters.go}}")
        with DAG(name="main"):
            ask(name="ask")
            heard(name="heard", depends="ask.Succeeded", arguments={"go": "{{tasks.ask.outputs.parameters.go}}"})
    return w


def exit_handler() -> Workflow:
    with new(on_exit="outcome") as w:
        broken = python("broken", "import sys; sys.exit(2)")
        python("outcome", "import os, sys; sys.exit(0 if os.environ['STATUS'] == 'Failed' else 1)", env=[Env(name="STATUS", value="{{workflow.status}}")])  # fmt: skip
        with DAG(name="main"):
            broken(name="broken")
    return w


def mutex() -> Workflow:
    with new(synchronization=Synchronization(mutexes=[Mutex(name="parity")])) as w:
        alone = python("alone", "import time; time.sleep(2)")
        with DAG(name="main"):
            alone(name="alone")
    return w


@dataclass(frozen=True)
class Outcome:
    phase: str
    tasks: dict[str, str]
    attempts: dict[str, int]


CASES: dict[str, Callable[[], Workflow]] = {
    "skip": skip,
    "fan-out of none": lambda: fan_out(0),
    "fan-out of one": lambda: fan_out(1),
    "fan-out of five": lambda: fan_out(5),
    "retry": retried,
    "bug": bug,
    "deadline": deadline,
    "dying sidecar": dying_sidecar,
    "gate": gate,
    "exit handler": exit_handler,
}


def here(workflow: Workflow) -> Outcome:
    result = asyncio.run(LocalRunner(workflow, echo=lambda _: None, confirm=lambda _: False).run())
    nodes = {("outcome" if n.name == "exit handler" else n.name): n for n in result.nodes}
    return Outcome(
        result.phase.value,
        {name: n.phase.value for name, n in nodes.items()},
        {name: n.attempts for name, n in nodes.items() if n.attempts},
    )


def there(workflow: Workflow, cluster: Cluster) -> Outcome:
    document = workflow.to_dict()
    document["spec"]["arguments"]["parameters"][0]["value"] = f"{cluster.images}/burnqed-worker:test"
    name = cluster.access.create(document)["metadata"]["name"]
    until = time.monotonic() + PATIENCE_S
    while not is_over(found := cluster.access.get(name)):
        assert time.monotonic() < until, found["status"]
        if suspended(found):
            assert cluster.burnqed("approve", name, "--no").returncode == 0
        time.sleep(1)
    tasks = {t.task.removesuffix(".onExit").replace(name, "outcome"): t for t in tasks_of(found)}
    return Outcome(
        phase_of(found),
        {task: t.phase for task, t in tasks.items()},
        {task: len(t.attempts) for task, t in tasks.items() if t.attempts},
    )


@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", CASES)
def test_both_runners_end_with_the_same_phases(case: str, cluster: Cluster) -> None:
    assert there(CASES[case](), cluster) == here(CASES[case]())


@pytest.mark.timeout(600)
def test_two_workflows_with_one_mutex_run_one_after_the_other(cluster: Cluster, tmp_path: Path) -> None:
    outcomes: list[Outcome] = []
    threads = [threading.Thread(target=lambda: outcomes.append(there(mutex(), cluster))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [here(mutex()), here(mutex())]
    both = [w for w in cluster.access.list() if "synchronization" in w.get("spec", {})]
    spans = sorted((t.started, t.finished) for w in both for t in tasks_of(cluster.access.get(w["metadata"]["name"])))
    assert spans[0][1] <= spans[1][0]  # type: ignore[operator]
