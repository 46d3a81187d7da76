"""The steps of the loop as tasks: each runs where `plan` says that it has something to do, and waits for what it reads.

`iteration` is all of them; `search` and `evaluate` are parts, over what earlier steps left in the store.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from hera.workflows import DAG, Container, Workflow

from burnqed.config import RunConfig
from burnqed.steps.redo import parse_redo

from .templates import new_workflow, question, step

GATE = "{{workflow.parameters.gate}}"
DECISION = "{{tasks.decide.outputs.parameters.go}}"
REPORT = "report.html"


@dataclass(frozen=True)
class Part:
    """One step of the loop."""

    task: str
    after: tuple[str, ...]
    """Tasks whose outputs it reads."""
    step: str = ""
    """Where it is not the task's name."""
    stage: str = ""
    training: bool = False
    fanned: bool = False
    """One pod for each unfinished shard, with a policy server beside it."""

    @property
    def output(self) -> str:
        """Name of the parameter in which `plan` says what is to be done."""
        return f"{self.task}-shards" if self.fanned else self.task

    def container(self, config: RunConfig) -> Container:
        artifacts = (REPORT,) if self.task == "report" else ()
        return step(
            self.step or self.task, config, label=self.task, stage=self.stage, training=self.training,
            sharded=self.fanned, policy=self.fanned, artifacts=artifacts,
        )  # fmt: skip


PARTS = (
    Part("benchmark", ()),
    Part("data", ("benchmark",)),
    Part("base", ("data",), training=True),
    Part("select", ("data",)),
    Part("sft", ("base",), training=True),
    Part("export", ("sft",), training=True),
    Part("embed-search", ("export",), "embed", "search", training=True),
    Part("ebm-search", ("embed-search",), "ebm", "search", training=True),
    Part("search", ("select", "ebm-search"), stage="search", fanned=True),
    Part("negatives", ("search",), stage="negatives", fanned=True),
    Part("embed-final", ("negatives",), "embed", "final", training=True),
    Part("ebm-final", ("embed-final",), "ebm", "final", training=True),
    Part("evaluate", ("ebm-final",), stage="final", fanned=True),
    Part("report", ("evaluate",)),
)
TASKS = tuple(part.task for part in PARTS)


def build_loop(
    name: str,
    config: RunConfig,
    *,
    store: str,
    run: str,
    iteration: int,
    redo: str = "",
    gate: str = "off",
    only: Collection[str] = (),
    delete_run: bool = False,
) -> Workflow:
    """The workflow of one iteration, or of the tasks in `only`; the others have to be done before.

    `redo` names finished steps that are done again; `gate` is `off`, `auto` (a no of the verdict fails the workflow) or `ask`
    (somebody decides). `delete_run` ends with the deletion of the whole run. Raises BadInput for a step to redo that the
    workflow does not have.
    """
    parts = [part for part in PARTS if not only or part.task in only]
    parse_redo(redo, (part.step or part.task for part in parts))
    parameters = {"store": store, "run": run, "iteration": str(iteration), "redo": redo, "gate": gate}
    with new_workflow(name, config, parameters) as workflow:
        workflow.on_exit = step("release", config, identity=True)  # of the lease that the plan took; and the bill
        plan = step("plan", config, options={"only": ",".join(only)} if only else {}, outputs=[p.output for p in parts])
        containers = {part.task: part.container(config) for part in parts}
        if judged := "report" in containers:
            verdict = step("gate", config)
            decide = question(
                "decide", "go", "Is the next iteration worth its price? See the report of the step before."
            )
            decision = step("gate", config, label="decision", inputs=("answer",))
        if delete_run:
            clean = step("clean", config, flags=("whole-run",))
        with DAG(name="main"):
            plan(name="plan")
            for part in parts:
                planned = f"{{{{tasks.plan.outputs.parameters.{part.output}}}}}"
                condition = {"with_param": planned, "arguments": {"shard": "{{item}}"}} if part.fanned else {"when": f"{planned} == yes"}  # fmt: skip
                containers[part.task](name=part.task, depends=after(waits_for(part, containers)), **condition)
            if judged:
                verdict(name="gate", depends=after(["report"]), when=f"{GATE} == auto")
                decide(name="decide", depends=after(["report"]), when=f"{GATE} == ask")
                decision(name="decision", depends="decide.Succeeded", arguments={"answer": DECISION})
            if delete_run:
                clean(name="clean", depends=after(["report"]))
    return workflow  # type: ignore[no-any-return]


def waits_for(part: Part, present: Collection[str]) -> list[str]:
    """The nearest tasks before a part that the workflow has."""
    by_name = {p.task: p for p in PARTS}
    found: list[str] = []
    for name in part.after:
        found += [name] if name in present else waits_for(by_name[name], present)
    return list(dict.fromkeys(found))


def after(names: Collection[str]) -> str:
    """Depends on all of these, done now or done before; on `plan` when there are none."""
    return " && ".join(f"({name}.Succeeded || {name}.Skipped)" for name in names) or "plan"
