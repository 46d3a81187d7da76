"""The local runner: runs a built Hera workflow on this machine.

Containers become processes, sidecars background processes. Everything else works as on Argo: order by `depends`,
`when`, fan-out by `withParam`, parameters, retries, deadlines, gates, the exit handler.

    result = asyncio.run(LocalRunner(workflow).run())
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hera.workflows import Workflow
from rich.prompt import Confirm

from burnqed.errors import BadInput, first_of
from burnqed.run.expressions import Phase, depends_holds, names_in, substitute, when_holds
from burnqed.run.pod import Ended, Pod
from burnqed.run.vocabulary import check
from burnqed.scratch import scratch_folder
from burnqed_workflows.retry import RetryPolicy

Values = dict[str, str]
WORKFLOW_NAME = "local"
"""The value of `{{workflow.name}}`, unless the workflow has a name."""
EXIT_HANDLER = "exit handler"
"""The name of its node."""


@dataclass
class Node:
    """The outcome of one task, or of one element of a fan-out (`search(3)`)."""

    name: str
    phase: Phase
    exit_code: int | None = None
    attempts: int = 0
    seconds: float = 0.0
    message: str = ""


@dataclass
class RunResult:
    phase: Phase
    nodes: list[Node] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        """0 on success, else the exit code of the first node that failed."""
        if self.phase is Phase.SUCCEEDED:
            return 0
        return next((n.exit_code for n in self.nodes if n.exit_code and n.phase in (Phase.FAILED, Phase.ERROR)), 1)


def confirm_on_terminal(gate: str) -> bool:
    """Asks the user at the terminal. Raises BadInput if there is none."""
    if not sys.stdin.isatty():
        raise BadInput(f"The gate {gate!r} asks for a decision, but there is no terminal; use --gate auto or off.")
    return Confirm.ask(f"{gate}: continue?")


async def no_child(document: dict[str, Any]) -> RunResult:
    """For workflows that have none."""
    raise BadInput(f"Nothing runs the workflow {document['metadata']['name']}; fix the workflow.")


class LocalRunner:
    """Runs one workflow; mutexes are up to the caller (`burnqed.lease`).

    `logs` is called with task, attempt, container and file of every log; `meter` wraps every attempt at a task; `child` runs a workflow that this one
    creates; `echo` prints a line for the user.
    """

    def __init__(
        self,
        workflow: Workflow | dict[str, Any],
        *,
        child: Callable[[dict[str, Any]], Awaitable[RunResult]] = no_child,
        logs: Callable[[str, int, str, Path], None] | None = None,
        meter: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext(),
        echo: Callable[[str], None] = print,
        confirm: Callable[[str], bool] = confirm_on_terminal,
    ) -> None:
        document = workflow if isinstance(workflow, dict) else workflow.to_dict()
        check(document)
        self.name: str = document["metadata"].get("name", WORKFLOW_NAME)
        self.spec: dict[str, Any] = document["spec"]
        self.templates: dict[str, dict[str, Any]] = {t["name"]: t for t in self.spec["templates"]}
        self.creates = any("resource" in fields for fields in self.templates.values())
        """Whether it creates other workflows."""
        self.child = child
        self.logs = logs
        self.meter = meter
        self.echo = echo
        self.confirm = confirm
        self.nodes: list[Node] = []
        self._slots = asyncio.Semaphore(self.spec.get("parallelism") or 1_000)
        parameters = self.spec.get("arguments", {}).get("parameters", [])
        self._values: Values = {"workflow.name": self.name, "workflow.uid": self.name}
        self._values |= {f"workflow.parameters.{p['name']}": p["value"] for p in parameters}

    async def run(self) -> RunResult:
        """Runs the workflow to its end."""
        started = time.monotonic()
        try:
            async with asyncio.timeout(self.spec.get("activeDeadlineSeconds")):
                phase, _ = await self._template(self.spec["entrypoint"], self.spec["entrypoint"], self._values)
        except TimeoutError:
            phase = Phase.FAILED
        except ExceptionGroup as group:
            raise first_of(group) from None
        if handler := self.spec.get("onExit"):
            await self._template(EXIT_HANDLER, handler, {"workflow.status": phase.value})
        return RunResult(phase, self.nodes, time.monotonic() - started)

    async def _template(self, name: str, template: str, values: Values) -> tuple[Phase, Values]:
        """Runs a template; returns its phase and output parameters."""
        fields = self.templates[template]
        if "dag" in fields:
            return await self._dag(fields["dag"]["tasks"], values), {}
        if "suspend" in fields:
            return await self._suspend(name, fields)
        if "resource" in fields:
            return await self._child(name, fields["resource"], values), {}
        return await self._pod(name, fields, values)

    async def _dag(self, tasks: list[dict[str, Any]], values: Values) -> Phase:
        """Runs each task as soon as the tasks it depends on have ended."""
        ended: dict[str, asyncio.Task[Phase]] = {}
        outputs: Values = {}

        async def in_turn(task: dict[str, Any]) -> Phase:
            depends = task.get("depends", "")
            earlier = {name: await ended[name] for name in sorted(names_in(depends))}
            if depends and not depends_holds(depends, earlier):
                return self._note(Node(task["name"], Phase.OMITTED))
            return await self._task(task, values | outputs, outputs)

        async with asyncio.TaskGroup() as group:
            for task in self._ordered(tasks):
                ended[task["name"]] = group.create_task(in_turn(task))
        failed = any(t.result() in (Phase.FAILED, Phase.ERROR) for t in ended.values())
        return Phase.FAILED if failed else Phase.SUCCEEDED

    @staticmethod
    def _ordered(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The tasks, each after those it depends on. Raises BadInput for an unknown name or a cycle."""
        done: list[dict[str, Any]] = []
        left = list(tasks)
        known = {t["name"] for t in tasks}
        while left:
            names = {t["name"] for t in done}
            ready = [t for t in left if names_in(t.get("depends", "")) <= names]
            if not ready:
                unknown = {n for t in left for n in names_in(t.get("depends", ""))} - known
                raise BadInput(f"Tasks depend on {sorted(unknown) or 'each other in a cycle'}; fix the workflow.")
            done += ready
            left = [t for t in left if t not in ready]
        return done

    async def _task(self, task: dict[str, Any], values: Values, outputs: Values) -> Phase:
        name = task["name"]
        if "when" in task and not when_holds(substitute(task["when"], values)):
            return self._note(Node(name, Phase.SKIPPED))
        if "withParam" not in task:
            phase, produced = await self._template(name, task["template"], self._inputs(task, values))
            outputs |= {f"tasks.{name}.outputs.parameters.{key}": value for key, value in produced.items()}
            return phase
        items = json.loads(substitute(task["withParam"], values))
        if not items:
            return self._note(Node(name, Phase.SKIPPED))
        async with asyncio.TaskGroup() as group:
            runs = []
            for item in items:
                inputs = self._inputs(task, values | {"item": str(item)})
                runs.append(group.create_task(self._template(f"{name}({item})", task["template"], inputs)))
        phases = [r.result()[0] for r in runs]
        return next((p for p in (Phase.ERROR, Phase.FAILED) if p in phases), Phase.SUCCEEDED)

    @staticmethod
    def _inputs(task: dict[str, Any], values: Values) -> Values:
        parameters = task.get("arguments", {}).get("parameters", [])
        return {f"inputs.parameters.{p['name']}": substitute(str(p["value"]), values) for p in parameters}

    async def _suspend(self, name: str, template: Mapping[str, Any]) -> tuple[Phase, Values]:
        """Waits for a time, or for an answer: `yes` or `no` becomes the output that the template declares; if it declares none, a no is a failure."""
        if duration := (template["suspend"] or {}).get("duration"):
            await asyncio.sleep(float(str(duration).removesuffix("s")))
            return self._note(Node(name, Phase.SUCCEEDED)), {}
        agreed = await asyncio.to_thread(self.confirm, name)
        asked = [p["name"] for p in template.get("outputs", {}).get("parameters", [])]
        if asked or agreed:
            return self._note(Node(name, Phase.SUCCEEDED)), dict.fromkeys(asked, "yes" if agreed else "no")
        return self._note(Node(name, Phase.FAILED, message="not approved")), {}

    async def _child(self, name: str, resource: Mapping[str, Any], inputs: Values) -> Phase:
        """Runs the workflow of a manifest, whose format is that of `burnqed_workflows.children`, to its end."""
        result = await self.child(json.loads(substitute(resource["manifest"], self._values | inputs)))
        failed = result.phase is not Phase.SUCCEEDED
        message = "see its own steps" if failed else ""
        return self._note(Node(name, result.phase, result.exit_code if failed else 0, seconds=result.seconds, attempts=1, message=message))  # fmt: skip

    async def _pod(self, name: str, template: Mapping[str, Any], inputs: Values) -> tuple[Phase, Values]:
        """Runs a container template, and retries it as its policy says."""
        policy = RetryPolicy.of(template)
        node = Node(name, Phase.FAILED)
        async with self._slots:
            started = time.monotonic()
            while True:
                ended = await self._attempt(name, template, self._values | inputs, node.attempts)
                node.attempts += 1
                node.exit_code = ended.exit_code
                if ended.exit_code == 0 and not ended.late:
                    node.phase = Phase.SUCCEEDED
                    break
                node.message = "deadline exceeded" if ended.late else f"exit code {ended.exit_code}"
                wait = None if ended.late else policy.wait(ended.exit_code, node.attempts)
                if wait is None:
                    break
                self.echo(f"{name}: {node.message}; retrying in {wait} s")
                await asyncio.sleep(wait)
            node.seconds = time.monotonic() - started
        self._note(node)
        return node.phase, ended.outputs

    async def _attempt(self, name: str, template: Mapping[str, Any], values: Values, attempt: int) -> Ended:
        metering = ExitStack()
        values = values | {"retries": str(attempt)}
        with scratch_folder("burnqed-pod-") as folder:
            try:
                await asyncio.to_thread(metering.enter_context, self.meter(name))
                return await Pod(template, values, folder, lambda line: self.echo(f"{name} │ {line}")).run()
            finally:
                await asyncio.to_thread(metering.close)
                if self.logs:
                    for file in sorted(folder.glob("*.log")):
                        await asyncio.to_thread(self.logs, name, attempt, file.stem, file)

    def _note(self, node: Node) -> Phase:
        self.nodes.append(node)
        if node.phase in (Phase.FAILED, Phase.ERROR):
            self.echo(f"{node.name}: {node.phase} ({node.message})")
        return node.phase
