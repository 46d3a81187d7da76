"""One iteration of the loop: plan, data, select, train, search, train the head again, evaluate, report.

    burnqed run iteration --iter 0 --profile demo      # on this machine
    burnqed submit iteration --iter 0                  # on a cluster

`plan` reads the store and says which steps have to run; all others stand still when their output is there.
"""

from __future__ import annotations

from hera.workflows import DAG, Task, Workflow

from burnqed.config import RunConfig

from .templates import new_workflow, question, step

PLANNED = (
    "data",
    "base",
    "select",
    "sft",
    "export",
    "embed-search",
    "ebm-search",
    "embed-final",
    "ebm-final",
    "report",
)
FANNED = ("search", "negatives", "evaluate")
GATE = "{{workflow.parameters.gate}}"
DECISION = "{{tasks.decide.outputs.parameters.go}}"


def build(config: RunConfig, *, store: str, run: str, iteration: int, redo: str = "", gate: str = "off") -> Workflow:
    """The workflow object of one iteration. `gate`: `off`, `auto` (a no fails the workflow) or `ask` (somebody decides)."""
    parameters = {"store": store, "run": run, "iteration": str(iteration), "redo": redo, "gate": gate}
    with new_workflow("iteration", config, parameters) as workflow:
        plan = step("plan", config, outputs=(*PLANNED, *(f"{name}-shards" for name in FANNED)))
        data = step("data", config)
        base = step("base", config, training=True)
        select = step("select", config)
        sft = step("sft", config, training=True)
        export = step("export", config, training=True)
        embed_search = step("embed", config, training=True, stage="search", label="embed-search")
        ebm_search = step("ebm", config, training=True, stage="search", label="ebm-search")
        search = step("search", config, stage="search", sharded=True, policy=True)
        negatives = step("negatives", config, stage="negatives", sharded=True, policy=True)
        embed_final = step("embed", config, training=True, stage="final", label="embed-final")
        ebm_final = step("ebm", config, training=True, stage="final", label="ebm-final")
        evaluate = step("evaluate", config, stage="final", sharded=True, policy=True)
        report = step("report", config, artifacts=("report.html",))
        verdict = step("gate", config)
        decide = question("decide", "go", "Is the next iteration worth its price? See the report of the step before.")
        decision = step("gate", config, label="decision", inputs=("answer",))
        with DAG(name="main"):
            plan(name="plan")
            planned("data", data, "plan")
            planned("base", base, "data")
            planned("select", select, "data")
            planned("sft", sft, "base")
            planned("export", export, "sft")
            planned("embed-search", embed_search, "export")
            planned("ebm-search", ebm_search, "embed-search")
            fanned("search", search, "select", "ebm-search")
            fanned("negatives", negatives, "search")
            planned("embed-final", embed_final, "negatives")
            planned("ebm-final", ebm_final, "embed-final")
            fanned("evaluate", evaluate, "ebm-final")
            planned("report", report, "evaluate")
            verdict(name="gate", depends=after("report"), when=f"{GATE} == auto")
            decide(name="decide", depends=after("report"), when=f"{GATE} == ask")
            decision(name="decision", depends="decide.Succeeded", arguments={"answer": DECISION})
    return workflow  # type: ignore[no-any-return]


def after(*names: str) -> str:
    """Depends on all of these, done now or done before."""
    return " && ".join("plan" if name == "plan" else f"({name}.Succeeded || {name}.Skipped)" for name in names)


def planned(name: str, template: object, *earlier: str) -> Task:
    """A task that runs when `plan` says so."""
    return template(name=name, depends=after(*earlier), when=f"{{{{tasks.plan.outputs.parameters.{name}}}}} == yes")  # type: ignore[operator, no-any-return]


def fanned(name: str, template: object, *earlier: str) -> Task:
    """One task for each shard that `plan` found unfinished."""
    return template(  # type: ignore[operator, no-any-return]
        name=name,
        depends=after(*earlier),
        with_param=f"{{{{tasks.plan.outputs.parameters.{name}-shards}}}}",
        arguments={"shard": "{{item}}"},
    )
