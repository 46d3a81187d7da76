"""experiment: judges a run and the branches of it that were trained in other ways; writes `RUN/experiment/` (experiment.json, index.html)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

from rich.console import Console

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.experiment import ARMS, Experiments, Seed, judged
from burnqed.evaluate.render import print_experiment
from burnqed.evaluate.report.experiment import write_page
from burnqed.evaluate.results import IterationResult
from burnqed.layout import Layout
from burnqed.log import log
from burnqed.progress import duration
from burnqed.record import read_record
from burnqed.remembered import recall
from burnqed.steps.base import Command, Context
from burnqed.steps.report import read_result
from burnqed.store import Store

DOCUMENT, PAGE = "experiment.json", "index.html"


def result_at(store: Store, layout: Layout) -> IterationResult | None:
    return read_result(store, layout.report) if read_record(store, layout.report) else None


def seed_of(store: Store, run: str) -> Seed:
    """What a run and its branches have measured. Raises BadInput for a run without iteration 0."""
    iterations = []
    for number in count():
        if (result := result_at(store, Layout(run, number))) is None:
            break
        iterations.append(result)
    if not iterations:
        raise BadInput(f"The run {run!r} in {store.uri} has no finished iteration 0; run the experiment first.")
    branches = {a.branch: of_branch(store, run, a.branch) for a in ARMS if a.branch}
    arms = {arm.name: branches[arm.branch] if arm.branch else iterations[0] for arm in ARMS}
    return Seed(run, iterations, {name: result for name, result in arms.items() if result})


def of_branch(store: Store, run: str, branch: str) -> IterationResult | None:
    """The result of a branch's iteration 1. None where there is none, where the run of that name is no such branch, and where what it was trained on has been made anew since."""
    layout, config = Layout(f"{run}-{branch}", 1), recall(store, f"{run}-{branch}")
    result, trained = result_at(store, layout), read_record(store, layout.adapter)
    if result is None or trained is None or config is None:
        return None
    if config.data.origin != f"{run}:0":
        log.warning("the run %s is no branch of %s:0, and is left out", layout.run, run)
        return None
    for prefix, digest in trained.key.inputs.items():
        record = read_record(store, prefix)
        if record is None or record.digest != digest:
            log.warning("%s was trained on another %s, and is left out; run the experiment again", layout.run, prefix)
            return None
    return result


def config_of(store: Store, run: str) -> RunConfig:
    config = recall(store, run)
    assert config is not None, run  # the plan of its iterations wrote it
    return config


def check_alike(store: Store, runs: Sequence[str]) -> None:
    """Raises BadInput for runs whose settings differ in more than seeds."""
    first, *others = (
        {k: v for k, v in config_of(store, run).meaning().items() if not k.endswith("seed")} for run in runs
    )
    for run, other in zip(runs[1:], others, strict=True):
        if different := sorted(key for key in {*first, *other} if first.get(key) != other.get(key)):
            raise BadInput(
                f"The runs {runs[0]!r} and {run!r} differ in {', '.join(different[:5])}; seeds of one experiment differ in their seeds alone."
            )


def sizes(configs: Sequence[RunConfig], seeds: Sequence[Seed]) -> dict[str, str]:
    """What was done, in words, for the report."""
    c, e = configs[0], configs[0].evaluate
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
        "fine-tuning again": f"{c.sft.later_steps:,} steps",
        "joint training": f"{c.joint.steps:,} steps of {c.joint.positives} positives, weight {c.joint.weight:g}",
        "a head on finished embeddings": f"{c.ebm.steps:,} steps of {c.ebm.batch} positives",
        "seeds": "; ".join(
            f"{s.run}: sft {one.sft.seed}, ebm {one.ebm.seed}, search {one.search.seed}"
            for s, one in zip(seeds, configs, strict=True)
        ),
        "time": duration(sum(once.values())),
    }


def judge(store: Store, runs: Sequence[str], folder: Path) -> Experiments:
    """Judges runs, which are the seeds of one experiment, on each benchmark; writes the document and the page into the folder. Raises BadInput as `seed_of` does."""
    runs = list(dict.fromkeys(runs))
    seeds = [seed_of(store, run) for run in runs]
    check_alike(store, runs)
    found = Experiments(
        results=[judged(seeds, name) for name in seeds[0].iterations[0].benchmarks],
        settings=sizes([config_of(store, run) for run in runs], seeds),
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DOCUMENT).write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")
    write_page(found, folder / PAGE)
    return found


async def run(context: Context) -> None:
    store, layout = context.store, context.layout
    folder = context.workdir / "experiment"
    found = judge(store, [layout.run], folder)
    store.upload(folder, layout.experiment)
    if artifacts := os.environ.get("BURNQED_ARTIFACTS"):
        Path(artifacts).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / PAGE, Path(artifacts) / PAGE)
    print_experiment(found, Console(width=120))
    log.info("the report is %s", store.locate(f"{layout.experiment}/{PAGE}"))


COMMAND = Command(run)
