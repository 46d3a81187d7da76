"""The steps of the loop as tasks: each runs if `plan` says that it has something to do, and waits for the tasks whose outputs it reads.

`iteration` has all of them; `search` and `evaluate` have some, and use what earlier steps left in the store.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain

from hera.workflows import DAG, Workflow

from burnqed.config import RunConfig
from burnqed.steps.redo import parse_redo
from burnqed.steps.table import Step, find, loop, whole

from .templates import new_workflow, question, step

GATE = "{{workflow.parameters.gate}}"
DECISION = "{{tasks.decide.outputs.parameters.go}}"
ARTIFACTS = {"report": ("report.html",), "lean-start": ("index.html",)}
"""Pages that tasks show in Argo's UI."""


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
    """The workflow of one iteration, or of the tasks in `only`, which use the outputs of the others.

    `redo` names finished steps to do again; `gate` is `off`, `auto` (the workflow fails if the verdict is no) or `ask`
    (somebody decides). With `delete_run` the whole run is deleted at the end. Raises BadInput for a step to redo that the
    workflow does not have.
    """
    steps = [row for row in loop() if row.task in only] if only else whole()
    parse_redo(redo, steps)
    parameters = {"store": store, "run": run, "iteration": str(iteration), "redo": redo, "gate": gate}
    with new_workflow(name, config, parameters) as workflow:
        workflow.on_exit = step(
            find("release"), config, identity=True
        )  # releases the lease that the plan took, and settles the bill
        options = {"only": ",".join(only)} if only else {}
        plan = step(find("plan"), config, options=options, outputs=[row.output for row in steps])
        containers = {row.task: step(row, config, artifacts=ARTIFACTS.get(row.task, ())) for row in steps}
        if judged := "report" in containers:
            verdict = step(find("gate"), config)
            asked = "Is the next iteration worth its price? See the report of the previous step."
            decide = question("decide", "go", asked)
            decision = step(find("gate"), config, label="decision", inputs=("answer",))
        if delete_run:
            clean = step(find("clean"), config, flags=("whole-run",))
        with DAG(name="main"):
            plan(name="plan")
            for row in steps:
                planned = f"{{{{tasks.plan.outputs.parameters.{row.output}}}}}"
                condition = {"with_param": planned, "arguments": {"shard": "{{item}}"}} if row.sharded else {"when": f"{planned} == yes"}  # fmt: skip
                containers[row.task](name=row.task, depends=after(waits_for(row, containers)), **condition)
            if judged:
                verdict(name="gate", depends=after(["report"]), when=f"{GATE} == auto")
                decide(name="decide", depends=after(["report"]), when=f"{GATE} == ask")
                decision(name="decision", depends="decide.Succeeded", arguments={"answer": DECISION})
            if delete_run:
                clean(name="clean", depends=after(["report"]))
    return workflow  # type: ignore[no-any-return]


def waits_for(row: Step, present: Collection[str]) -> list[str]:
    """The nearest tasks before a step that are in the workflow."""
    by_task = {before.task: before for before in loop()}
    nearest = [[task] if task in present else waits_for(by_task[task], present) for task in row.after]
    return list(dict.fromkeys(chain(*nearest)))


def after(names: Collection[str]) -> str:
    """A `depends` on all these tasks, done now or earlier; on `plan` if there are none."""
    return " && ".join(f"({name}.Succeeded || {name}.Skipped)" for name in names) or "plan"
