"""What a run and its branches have measured, and which of it may be compared: everything that was made and evaluated alike, but for what the question is about."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, count
from pathlib import Path
from typing import NamedTuple

from burnqed.branch import layout_of
from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.arms import ARMS, Seed
from burnqed.evaluate.results import IterationResult
from burnqed.layout import Layout
from burnqed.log import log
from burnqed.record import read_record
from burnqed.remembered import recall
from burnqed.section import Kind
from burnqed.snapshot import Snapshot
from burnqed.steps.base import Context
from burnqed.steps.plan import superseded
from burnqed.steps.report import read_result
from burnqed.steps.table import loop
from burnqed.store import Store

AGAIN = "run the experiment again"
UNCOMPARED = {"profile", "data.origin", "search.enabled", "search.guided", "evaluate.search_head"}
"""Settings in which seeds may differ, beside seeds and gates: they do not decide what is compared."""
Place = tuple[str, int]
"""A branch (empty: the run itself) and an iteration."""


class Measured(NamedTuple):
    """The results of a run and its branches, and the settings that they were made with."""

    seed: Seed
    configs: Mapping[Place, RunConfig]


def measured(store: Store, run: str) -> Measured:
    """What may be compared. What differs from iteration 0 in how it was evaluated is left out with a warning, and so is iteration 1 among the arms if it was trained otherwise than the branches.

    Raises BadInput for a run without iteration 0.
    """
    made: dict[Place, tuple[IterationResult, RunConfig]] = {}
    for number in count():
        layout = Layout(run, number)
        if (result := result_at(store, layout)) is None:
            break
        made["", number] = result, config_at(store, layout)
    if not made:
        raise BadInput(f"The run {run!r} in {store.uri} has no finished iteration 0; run the experiment first.")
    branches = sorted({arm.branch for arm in ARMS if arm.branch})
    made |= {(branch, 1): found for branch in branches if (found := of_branch(store, run, branch))}
    first = made["", 0][1]
    for branch, number in [*made]:
        if different := differing(first, made[branch, number][1], "evaluate"):
            what = f"iteration {number} of {run}{branch and f'-{branch}'}"
            log.warning("%s is left out: evaluated with another %s than iteration 0; %s", what, different[0], AGAIN)
            del made[branch, number]
    arms = {arm.name: (arm.branch, arm.iteration) for arm in ARMS if (arm.branch, arm.iteration) in made}
    trained = {
        arm.branch for arm in ARMS if arm.branch and not arm.is_ablation
    }  # an ablation's model is that of iteration 0
    others = [config for (branch, _), (_, config) in made.items() if branch in trained]
    if ("", 1) in made and (other := apart(made["", 1][1], others)):
        log.warning("iteration 1 of %s is no arm: it was made with another %s; %s", run, other, AGAIN)
        arms = {name: place for name, place in arms.items() if place != ("", 1)}
    iterations = [result for (branch, _), (result, _) in made.items() if not branch]
    seed = Seed(run, iterations, {name: made[place][0] for name, place in arms.items()})
    return Measured(seed, {place: config for place, (_, config) in made.items()})


def differing(one: RunConfig, other: RunConfig, *steps: str) -> list[str]:
    """The settings that these steps read and that differ."""
    reads = {name for step in loop() if step.name in steps for name in step.reads}
    return unequal(*(config.only(reads).meaning() for config in (one, other)))


def unequal(one: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    return sorted(key for key in {*one, *other} if one.get(key) != other.get(key))


def apart(config: RunConfig, branches: Collection[RunConfig]) -> str:
    """A setting of training and evaluation in which iteration 1 differs from what branches are compared with it for; empty if there is none."""
    if config.joint.enabled or not config.sft.found_proofs:
        return "joint.enabled" if config.joint.enabled else "sft.found_proofs"
    different = {key for branch in branches for key in differing(config, branch, "sft", "ebm", "evaluate")}
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
                log.warning("%s was made from another %s, and is left out; %s", unit, prefix, AGAIN)
                return None
    return read_result(store, layout.report)


def of_branch(store: Store, run: str, branch: str) -> tuple[IterationResult, RunConfig] | None:
    """The result of a branch's iteration 1, as `result_at`, and the branch's settings. None, too, where the run of that name is no such branch, and where the result is not of its
    present settings."""
    name = f"{run}-{branch}"
    if (config := recall(store, name)) is None:
        return None
    if config.data.origin != f"{run}:0":
        log.warning("the run %s is no branch of %s:0, and is left out", name, run)
        return None
    layout = layout_of(name, 1, config)
    if (result := result_at(store, layout)) is None:
        return None
    try:
        lost = superseded(loop(), Context(store, layout, config, Path())).labels
    except BadInput as error:  # what it shares with the run would be made anew, too
        lost = [str(error)]
    if lost:
        log.warning("%s is left out: %s; %s", name, lost[0], AGAIN)
        return None
    return result, config


def config_at(store: Store, layout: Layout) -> RunConfig:
    """The settings that an iteration was finished with."""
    record = read_record(store, layout.report)
    assert record is not None, layout
    return RunConfig.model_validate(record.config)


def compared(config: RunConfig) -> dict[str, object]:
    """What seeds have in common."""
    values = config.meaning(Kind.ADDRESS, Kind.STRUCTURE)
    sections = {"gate"} if config.joint.enabled else {"gate", "joint"}
    return {
        key: value
        for key, value in values.items()
        if key not in UNCOMPARED and not key.endswith("seed") and key.partition(".")[0] not in sections
    }


def check_alike(seeds: Sequence[Measured]) -> None:
    """Raises BadInput for runs that differ in more than their seeds, or not even in these."""
    (first, configs), *rest = seeds
    for (one, of_one), (other, of_other) in combinations(seeds, 2):
        drawn = [{k: v for k, v in c["", 0].meaning().items() if k.endswith("seed")} for c in (of_one, of_other)]
        if drawn[0] == drawn[1]:
            raise BadInput(
                f"The runs {one.run!r} and {other.run!r} have the same seeds ({', '.join(drawn[0])}): that is one seed twice; name one of them."
            )
    for seed, others in rest:
        different = [
            f"{key} ({'iteration' if branch == '' else branch + ', iteration'} {number})"
            for branch, number in [*configs]
            if (branch, number) in others
            for key in unequal(compared(configs[branch, number]), compared(others[branch, number]))
        ]
        if not different and evaluated(first) != evaluated(seed):
            different = ["their benchmarks"]
        if different:
            raise BadInput(
                f"The runs {first.run!r} and {seed.run!r} differ in {', '.join(different[:5])}; seeds of one experiment differ in their seeds alone."
            )
        results = zip(first.iterations, seed.iterations, strict=False)
        if unlike := [one.iteration for one, two in results if bool(one.search.theorems) != bool(two.search.theorems)]:
            log.warning(
                "iteration %d of one of the runs %s and %s searched, that of the other did not: their heads learned from different data",
                unlike[0],
                first.run,
                seed.run,
            )


def evaluated(seed: Seed) -> set[tuple[object, ...]]:
    """Benchmarks and budgets of iteration 0."""
    return {(e.benchmark, e.benchmark_hash, *(b.budget for b in e.budgets)) for e in seed.iterations[0].evaluations}
