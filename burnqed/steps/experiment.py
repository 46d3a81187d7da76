"""experiment: judges a run and the branches of it that were trained in other ways; writes `RUN/experiment/` (experiment.json, index.html)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

from rich.console import Console

from burnqed.branch import layout_of
from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.arms import ARMS, Seed
from burnqed.evaluate.experiment import Experiments, judged
from burnqed.evaluate.render import print_experiment
from burnqed.evaluate.report.experiment import write_page
from burnqed.evaluate.results import IterationResult
from burnqed.layout import Layout, iterations_of
from burnqed.log import log
from burnqed.progress import duration
from burnqed.record import read_record
from burnqed.remembered import recall
from burnqed.snapshot import Snapshot
from burnqed.steps.base import Command, Context, show_in_argo
from burnqed.steps.plan import superseded
from burnqed.steps.report import read_result
from burnqed.steps.table import loop
from burnqed.store import Store

DOCUMENT, PAGE = "experiment.json", "index.html"


def seed_of(store: Store, run: str) -> Seed:
    """What a run and its branches have measured. Raises BadInput for a run without iteration 0."""
    iterations = []
    for number in count():
        if (result := result_at(store, Layout(run, number))) is None:
            break
        iterations.append(result)
    if not iterations:
        raise BadInput(f"The run {run!r} in {store.uri} has no finished iteration 0; run the experiment first.")
    results = {("", result.iteration): result for result in iterations}
    configs = []
    for branch, is_ablation in sorted({(arm.branch, arm.is_ablation) for arm in ARMS if arm.branch}):
        if found := of_branch(store, run, branch):
            results[branch, 1], config = found
            configs += [] if is_ablation else [config]  # its model is that of iteration 0
    if ("", 1) in results and (different := apart(config_at(store, Layout(run, 1)), configs)):
        log.warning(
            "iteration 1 of %s is left out: it was made with another %s; run the experiment again", run, different
        )
        del results["", 1]
    arms = {arm.name: results.get((arm.branch, arm.iteration)) for arm in ARMS}
    return Seed(run, iterations, {name: result for name, result in arms.items() if result})


def apart(config: RunConfig, branches: Sequence[RunConfig]) -> str:
    """A setting of training and evaluation in which iteration 1 differs from what branches are compared with it for; empty if there is none."""
    if config.joint.enabled or not config.sft.found_proofs:
        return "joint.enabled" if config.joint.enabled else "sft.found_proofs"
    reads = {name for step in loop() if step.name in ("sft", "ebm", "evaluate") for name in step.reads}
    own, *others = (one.only(reads).meaning() for one in (config, *branches))
    different = {key for other in others for key in {*own, *other} if own.get(key) != other.get(key)}
    return min(different - {"ebm.resume"}, default="")


def result_at(store: Store, layout: Layout) -> IterationResult | None:
    """What an iteration has measured. None where there is nothing, and where what it was made from has been made anew since."""
    report = read_record(store, layout.report)
    if report is None:
        return None
    adapter = [layout.adapter] if layout.adapter in report.key.inputs else []
    for unit, record in ((layout.report, report), *((a, read_record(store, a)) for a in adapter)):
        if record is None:
            return None
        snapshot = Snapshot.of(store, list(record.key.inputs))
        for prefix, digest in record.key.inputs.items():
            now = read_record(snapshot, prefix)
            if now is None or now.digest != digest:
                log.warning("%s was made from another %s, and is left out; run the experiment again", unit, prefix)
                return None
    return read_result(store, layout.report)


def of_branch(store: Store, run: str, branch: str) -> tuple[IterationResult, RunConfig] | None:
    """The result of a branch's iteration 1, as `result_at`, and the branch's settings. None, too, where the run of that name is no such branch, and where it is not of the branch's present settings."""
    name = f"{run}-{branch}"
    if (config := recall(store, name)) is None:
        return None
    if config.data.origin != f"{run}:0":
        log.warning("the run %s is no branch of %s:0, and is left out", name, run)
        return None
    layout = layout_of(name, 1, config)
    if (result := result_at(store, layout)) and (
        lost := superseded(loop(), Context(store, layout, config, Path())).labels
    ):
        log.warning("%s is left out: %s; run the experiment again", name, lost[0])
        return None
    return (result, config) if result else None


def config_at(store: Store, layout: Layout) -> RunConfig:
    """The settings that an iteration was finished with."""
    record = read_record(store, layout.report)
    assert record is not None, layout
    return RunConfig.model_validate(record.config)


def check_alike(seeds: Sequence[Seed], configs: Sequence[RunConfig]) -> None:
    """Raises BadInput for runs that differ in more than seeds."""
    evaluated = [
        {(e.benchmark, e.benchmark_hash, *(b.budget for b in e.budgets)) for e in seed.iterations[0].evaluations}
        for seed in seeds
    ]
    settings = [{k: v for k, v in config.meaning().items() if not k.endswith("seed")} for config in configs]
    searching = [{r.iteration: bool(r.search.theorems) for r in seed.iterations} for seed in seeds]
    for seed, found in zip(seeds[1:], searching[1:], strict=True):
        if apart_at := [i for i in searching[0].keys() & found.keys() if searching[0][i] != found[i]]:
            log.warning(
                "iteration %d of one of the runs %s and %s searched, that of the other did not: their heads learned from different data",
                min(apart_at),
                seeds[0].run,
                seed.run,
            )
    for seed, on, other in zip(seeds[1:], evaluated[1:], settings[1:], strict=True):
        different = sorted(key for key in {*settings[0], *other} if settings[0].get(key) != other.get(key))
        if different or on != evaluated[0]:
            what = ", ".join(different[:5]) or "their benchmarks"
            raise BadInput(
                f"Iterations 0 of the runs {seeds[0].run!r} and {seed.run!r} differ in {what}; seeds of one experiment differ in their seeds alone."
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


def judge(store: Store, runs: Sequence[str], folder: Path) -> tuple[Experiments, list[Seed]]:
    """Judges runs, which are the seeds of one experiment, on each benchmark; writes the document and the page into the folder. Returns what they have measured, too. Raises BadInput as `seed_of` does, and for runs
    that differ in more than seeds."""
    seeds = [seed_of(store, run) for run in dict.fromkeys(runs)]
    configs = [config_at(store, Layout(seed.run, 0)) for seed in seeds]
    check_alike(seeds, configs)
    found = Experiments(
        results=[judged(seeds, name) for name in seeds[0].iterations[0].benchmarks], settings=sizes(configs, seeds)
    )
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
