"""experiment: judges a run and the branches of it that were trained in other ways; writes `RUN/experiment/` (experiment.json, index.html)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from rich.console import Console

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.arms import Seed
from burnqed.evaluate.experiment import Experiments, judged
from burnqed.evaluate.render import print_experiment
from burnqed.evaluate.report.experiment import write_page
from burnqed.layout import iterations_of
from burnqed.log import log
from burnqed.progress import duration
from burnqed.steps.base import Command, Context, show_in_argo
from burnqed.steps.seeds import Measured, Place, alike, measured
from burnqed.store import Store

DOCUMENT, PAGE = "experiment.json", "index.html"


def sizes(found: Sequence[Measured], configs: Mapping[Place, RunConfig]) -> dict[str, str]:
    """What was done, in words, for the report."""
    seeds = [one.seed for one in found]
    c = configs["", 0]
    e, sft, joint = c.evaluate, configs.get(("", 1), c).sft, configs.get(("joint", 1), c).joint
    iterations = [
        *chain.from_iterable(s.iterations for s in seeds),
        *chain.from_iterable(s.arms.values() for s in seeds),
    ]
    once = {(result.run, result.iteration): result.seconds for result in iterations}
    return {
        "profile": c.profile,
        "models": ", ".join(dict.fromkeys(s.iterations[0].evaluations[0].model for s in seeds)),
        "search of iteration 0": f"{c.select.theorems:,} theorems, {c.search.budget} nodes, {c.search.candidates} candidates; {c.negatives.theorems:,} proofs replayed",
        "evaluation": f"{e.candidates} candidates at temperature {e.temperature:g}, {e.samples} sample{'s' if e.samples > 1 else ''}",
        "fine-tuning again": f"{sft.later_steps:,} steps at a learning rate of {sft.learning_rate * sft.learning_rate_decay:g}",
        "joint training": f"{joint.steps:,} steps of {joint.positives} positives at {joint.learning_rate:g}, weight {joint.weight:g}",
        "a head on finished embeddings": f"{c.ebm.steps:,} steps of {c.ebm.batch} positives",
        "seeds": "; ".join(
            f"{one.seed.run}: sft {config.sft.seed}, ebm {config.ebm.seed}, search {config.search.seed}"
            for one in found
            for config in [one.configs["", 0]]
        ),
        "time": duration(sum(once.values())),
    }


def notes(configs: Mapping[Place, RunConfig]) -> list[str]:
    """Where S and B, and B and C, differ in more than what they are compared for."""
    if ("joint", 1) not in configs:
        return []
    config = configs["joint", 1]
    sft, joint, ebm = config.sft, config.joint, config.ebm
    found = []
    rate = sft.learning_rate * sft.learning_rate_decay
    if sft.later_steps != joint.steps or not math.isclose(rate, joint.learning_rate):
        found.append(
            f"From S to B is not joint training alone: S has {sft.later_steps:,} steps at a learning rate of {rate:g}, B {joint.steps:,} at {joint.learning_rate:g} (joint.steps, joint.learning_rate)."
        )
    if (own := joint.steps * joint.positives) != (others := ebm.steps * ebm.batch):
        found.append(
            f"From B to C is not the way of training alone: the head of joint training learned from {own:,} positives, each of the others from {others:,} (joint.steps × joint.positives, ebm.steps × ebm.batch)."
        )
    return found


def judge(store: Store, runs: Sequence[str], folder: Path) -> tuple[Experiments, list[Seed]]:
    """Judges runs, which are the seeds of one experiment, on each benchmark; writes the document and the page into the folder. Returns what they have measured, too. Raises BadInput as `measured` and `alike`
    do, and where no head was evaluated."""
    every = alike([measured(store, run) for run in dict.fromkeys(runs)])
    configs = {place: config for one in reversed(every) for place, config in one.configs.items()}
    seeds = [one.seed for one in every]
    results = []
    for name in seeds[0].iterations[0].benchmarks:
        one = judged(seeds, name)
        if any(arm.has_head for arm in one.arms):
            results.append(one)
        else:
            log.warning("the benchmark %s is left out: nothing was evaluated on it with a head", name)
    if not results:
        raise BadInput(f"Iteration 0 of {seeds[0].run} was evaluated without a head, so there is nothing to judge.")
    found = Experiments(results=results, settings=sizes(every, configs), notes=notes(configs))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DOCUMENT).write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")
    write_page(found, folder / PAGE)
    return found, seeds


async def run(context: Context, *, iters: str) -> None:
    """Raises BadInput, once the report is written, if something is missing in it: a workflow whose parts failed fails, and a retry makes it anew."""
    store, layout = context.store, context.layout
    folder = context.workdir / "experiment"
    found, (seed,) = judge(store, [layout.run], folder)
    store.upload(folder, layout.experiment)
    show_in_argo(folder / PAGE, PAGE)
    print_experiment(found, Console(width=120))
    where = store.locate(f"{layout.experiment}/{PAGE}")
    log.info("the report is %s", where)
    missing = list(dict.fromkeys(name for result in found.results for name in result.missing))
    numbers = {result.iteration for result in seed.iterations}
    missing += [f"iteration {i} of {layout.run}" for i in iterations_of(iters) if i not in numbers]
    if missing:
        raise BadInput(
            f"The experiment lacks {', '.join(missing)}; see the workflows that should have made them. What is there is in {where}."
        )


COMMAND = Command(run)
