"""experiment: judges a run and the branches of it that were trained in other ways; writes `RUN/experiment/` (experiment.json, index.html)."""

from __future__ import annotations

import os
import shutil
from itertools import count
from pathlib import Path

from rich.console import Console

from burnqed.errors import BadInput
from burnqed.evaluate.experiment import ARMS, Experiments, Seed, judged
from burnqed.evaluate.render import print_experiment
from burnqed.evaluate.report.experiment import write_page
from burnqed.evaluate.results import IterationResult
from burnqed.layout import Layout
from burnqed.log import log
from burnqed.record import read_record
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
    branches = {a.branch: result_at(store, Layout(f"{run}-{a.branch}", 1)) for a in ARMS if a.branch}
    arms = {arm.name: branches[arm.branch] if arm.branch else iterations[0] for arm in ARMS}
    return Seed(run, iterations, {name: result for name, result in arms.items() if result})


def check_alike(seeds: list[Seed]) -> None:
    """Raises BadInput for runs that were evaluated on different benchmarks or with different budgets."""
    for seed in seeds[1:]:
        one, other = (
            {(e.benchmark, e.benchmark_hash, *(b.budget for b in e.budgets)) for e in s.iterations[0].evaluations}
            for s in (seeds[0], seed)
        )
        if one != other:
            raise BadInput(
                f"The runs {seeds[0].run!r} and {seed.run!r} were evaluated on different benchmarks, or with different budgets; seeds of one experiment differ in "
                "their seeds alone."
            )


def judge(store: Store, runs: list[str], folder: Path) -> Experiments:
    """Judges runs, which are the seeds of one experiment, on each benchmark; writes the document and the page into the folder. Raises BadInput as `seed_of` does."""
    seeds = [seed_of(store, run) for run in dict.fromkeys(runs)]
    check_alike(seeds)
    found = Experiments(results=[judged(seeds, name) for name in seeds[0].iterations[0].benchmarks])
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
