"""Does the head pay, and does joint training keep it so? Iterations, and beside them iteration 1 trained in other ways, and the model before any training; each a workflow of its own, then one report.

    burnqed run experiment --iters 3 --profile demo
    burnqed submit experiment --iters 3

    burnqed run experiment --iters 3 --profile demo --ablate goal,noise      # also heads of iteration 0 that lack something

The other ways are branches of the run (`RUN-joint`, `RUN-control`, and those of ablations): they share its iteration 0, do not search, and are evaluated with heads that learned from iteration 0's
trajectories, as iteration 1 of the run is with the head of its search. `RUN-raw` shares the run's data alone: the model as it was, asked in the prompt that the others are trained on, and evaluated without a head.
`burnqed.evaluate.arms` says what is compared.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from hera.workflows import DAG, Workflow

from burnqed.config import SHIPPED, GateConfig, RunConfig, includes
from burnqed.errors import BadInput
from burnqed.evaluate.arms import ABLATIONS, RAW, WITHOUT
from burnqed.head import WITHOUT_GOAL
from burnqed.layout import Layout, iterations_of
from burnqed.log import log
from burnqed.resolve import resolve
from burnqed.steps.table import find

from . import iteration
from .children import CONFIG_OF, child, in_turn, of_iterations
from .templates import new_workflow, parameter, step


class Branch(NamedTuple):
    """A run that shares its beginning with the experiment's."""

    settings: tuple[str, ...]
    """In which it differs from the experiment's run."""
    iteration: int = 1
    """The only one of its own."""


BRANCHES = {
    RAW: Branch(("sft.enabled=false", "ebm.enabled=false"), iteration=0),
    "joint": Branch(("joint.enabled=true",)),
    "control": Branch(("sft.found_proofs=false",)),
}
"""By the end of their names, after the run's."""
COMMON = ("search.enabled=false", "ebm.resume=none")
"""Settings of all branches: nothing learns from what they would find, and a head that continues another one's training would have learned longer."""
OF_RUN = ("joint.enabled=false", "evaluate.search_head=[1]")
"""Settings of the run itself: it is what joint training is compared with, and of the heads of its searches, that of iteration 1 is compared."""
ENDED = ("Succeeded", "Failed", "Errored", "Omitted")
PAGE = "index.html"


def ablations(given: str, config: RunConfig) -> dict[str, Branch]:
    """Branches by name that keep the model of iteration 0 and have a head without one of what is `given`, separated by commas. Raises BadInput for what there is not."""
    found: dict[str, Branch] = {}
    for name in filter(None, given.split(",")):
        if name not in ABLATIONS:
            raise BadInput(
                f"--ablate knows {' and '.join(ABLATIONS)}, not {name!r}; every arm is evaluated without its head, too."
            )
        if name == "noise" and not (config.search.noise and config.ebm.noise):
            raise BadInput(
                "No head learns from searches at the noise temperature here, so there is nothing to ablate; set search.noise=true and ebm.noise=true."
            )
        if name == "goal" and config.ebm.head not in WITHOUT_GOAL:
            raise BadInput(
                f"There is no head like {config.ebm.head!r} that does not see the goal; give ebm.head={' or '.join(WITHOUT_GOAL)}."
            )
        lacking = "ebm.noise=false" if name == "noise" else f"ebm.head={WITHOUT_GOAL[config.ebm.head]}"
        found[f"{WITHOUT}{name}"] = Branch(("sft.enabled=false", lacking))
    return found


def branch_config(config: RunConfig, run: str, branch: Branch) -> RunConfig:
    origin = json.dumps(Layout(run, branch.iteration - 1).address)
    if branch.iteration == 0:  # the gates are those of models that were trained
        config = config.model_copy(update={"gate": GateConfig()})
    return resolve(None, [*COMMON, *branch.settings, f"data.origin={origin}"], base=config).config


def build(config: RunConfig, *, store: str, run: str, iters: str, redo: str = "", ablate: str = "") -> Workflow:
    """Raises BadInput for `iters` that is not 0 and 1 at least, for a run that is a branch, for settings that leave nothing to compare, and for ablations that there are not."""
    numbers = iterations_of(iters)
    if numbers[0] != 0:
        raise BadInput(
            f"An experiment begins with iteration 0; give --iters {max(2, len(numbers))}. What is finished is not done again."
        )
    if len(numbers) < 2:
        raise BadInput("An experiment compares iteration 0 with iteration 1, trained in several ways; give --iters 2.")
    if config.data.origin:
        raise BadInput("An experiment has branches of its run, which cannot be a branch itself; leave --from out.")
    if not config.sft.enabled:
        raise BadInput("An experiment trains the model in several ways; set sft.enabled=true.")
    if not includes(config.search.enabled, 1):
        raise BadInput(
            "An experiment trains on what its iterations find, and compares the head of iteration 1's search; set search.enabled=true."
        )
    if not config.sft.found_proofs:
        raise BadInput(
            "An experiment's branch `control` leaves found proofs out, and nothing else does; set sft.found_proofs=true."
        )
    if not config.ebm.enabled:
        raise BadInput("An experiment is about the head; set ebm.enabled=true.")
    if not config.evaluate.with_head:
        raise BadInput("An experiment compares searches with and without the head; set evaluate.with_head=true.")
    if [*config.data.benchmarks.values()] == [SHIPPED]:
        log.warning(
            "the experiment is evaluated on the shipped benchmark, whose theorems take a few nodes, so that a head has little to decide; --profile demo has deep theorems, and proofs of such to learn from"
        )
    if config.joint.enabled:
        log.info("an experiment's iterations are trained by next token alone, and jointly in the branch %s-joint", run)
    if idle := [number for number in numbers[1:] if not includes(config.search.enabled, number)]:
        log.warning(
            "search.enabled is %s, so there is no search in iteration %s, which learns from those before; --set search.enabled=true has one in each",
            config.search.enabled,
            " and ".join(map(str, idle)),
        )
    config = resolve(None, OF_RUN, base=config).config
    one = iteration.build(config, store=store, run=run, iteration=0, redo=redo)
    parameters = {"store": store, "run": run, "iters": iters, "redo": redo, "ablate": ablate, "gate": "off"}
    branches = BRANCHES | ablations(ablate, config)
    configs = {f"{CONFIG_OF}{name}": branch_config(config, run, branch).to_json() for name, branch in branches.items()}
    with new_workflow("experiment", config, parameters | configs) as workflow:
        template = child(one, config)
        report = step(find("experiment"), config, options={"iters": parameter("iters")}, artifacts=(PAGE,))
        with DAG(name="main"):
            in_turn(template, numbers, redo)
            for name, branch in branches.items():
                given = {"run": f"{parameter('run')}-{name}", "config": parameter(f"{CONFIG_OF}{name}")}
                arguments = {"name": name, "iteration": str(branch.iteration), "redo": of_iterations(redo), **given}
                template(name=name, depends="iter-0.Succeeded", arguments=arguments)
            others = [*(f"iter-{number}" for number in numbers[1:]), *branches]
            ended = [f"({' || '.join(f'{name}.{phase}' for phase in ENDED)})" for name in others]
            report(name="experiment", depends=" && ".join(["iter-0.Succeeded", *ended]))
    return workflow  # type: ignore[no-any-return]
