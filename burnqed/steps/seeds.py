"""What a run and its branches have measured, and which of it may be compared: everything that was made and evaluated alike, but for what the question is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, count
from pathlib import Path
from typing import NamedTuple

from burnqed.branch import layout_of
from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.arms import ARMS, RAW, WITHOUT, Seed
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
from burnqed.steps.sft import unused
from burnqed.steps.table import loop
from burnqed.store import Store

AGAIN = "run the experiment again"
UNCOMPARED = {"data.origin", "data.benchmarks", "search.enabled", "search.guided", "evaluate.search_head"}
"""Settings in which seeds may differ, beside seeds and gates: they do not decide what is compared, or (benchmarks) are compared by what they hold."""
ASIDE = {"ebm.resume", "evaluate.search_head"}
"""Settings in which a branch differs from the run whatever its question is."""
ASKED = {"control": "sft.found_proofs", f"{WITHOUT}goal": "ebm.head", f"{WITHOUT}noise": "ebm.noise"}
"""By branch, the setting that its question is about, where the steps read it that are compared."""
BRANCHES = {arm.branch: arm.is_ablation for arm in ARMS if arm.branch and arm.iteration}
"""Those with an iteration 1, by name, and whether it is iteration 0 with another head."""
Place = tuple[str, int]
"""A branch (empty: the run itself) and an iteration."""


class Measured(NamedTuple):
    """The results of a run and its branches, and the settings that they were made with."""

    seed: Seed
    configs: Mapping[Place, RunConfig]


def measured(store: Store, run: str) -> Measured:
    """What may be compared; what may not is left out with a warning. Raises BadInput for a run without iteration 0."""
    made: dict[Place, tuple[IterationResult, RunConfig]] = {}
    for number in count():
        layout = Layout(run, number)
        if (result := result_at(store, layout)) is None:
            break
        made["", number] = result, config_at(store, layout)
    if not made:
        raise BadInput(f"The run {run!r} in {store.uri} has no finished iteration 0; run the experiment first.")
    places = {arm.name: (arm.branch, arm.iteration) for arm in ARMS}
    of_branches = {place for place in places.values() if place[0]}
    made |= {place: found for place in sorted(of_branches) if (found := of_branch(store, run, *place))}
    configs = {place: config for place, (_, config) in made.items()}
    leans = {place: leans_of(result) for place, (result, _) in made.items()}
    unlike = dict.fromkeys((place for place in made if leans[place] != leans["", 0]), "version of Lean")
    unlike |= evaluated_otherwise(configs)
    configs = {place: config for place, config in configs.items() if place not in unlike}
    no_arms = unlike | trained_otherwise(configs)
    for (branch, number), key in no_arms.items():
        what = f"iteration {number} of {run}{branch and f'-{branch}'}"
        log.warning("%s is left out: made with another %s than what it is compared with; %s", what, key, AGAIN)
    arms = {name: made[at][0] for name, at in places.items() if at in made and at not in no_arms}
    return Measured(Seed(run, [made[at][0] for at in configs if not at[0]], arms), configs)


def leans_of(result: IterationResult) -> set[str]:
    """The versions of Lean that an iteration was evaluated with."""
    return {e.lean_version for e in result.evaluations}


def evaluated_otherwise(configs: Mapping[Place, RunConfig]) -> dict[Place, str]:
    """What was evaluated otherwise than iteration 0, and a setting in which."""
    found = {place: differing(configs["", 0], config, "evaluate") - ASIDE for place, config in configs.items()}
    return {place: min(different) for place, different in found.items() if different}


def trained_otherwise(configs: Mapping[Place, RunConfig]) -> dict[Place, str]:
    """What is no arm, and a setting for which: an ablation whose head was trained otherwise than that of iteration 0, and a branch trained otherwise than iteration 1, in more than their
    questions are about; iteration 1 itself if it is the one that differs from all."""
    first, second = configs["", 0], configs.get(("", 1))
    here = [branch for branch in BRANCHES if (branch, 1) in configs]
    heads = {b: differing(first, configs[b, 1], "embed", "ebm") - ASIDE - {ASKED[b]} for b in here if BRANCHES[b]}
    models = {b: apart(second, b, configs[b, 1]) for b in here if second and not BRANCHES[b]}
    found = {(branch, 1): min(different) for branch, different in heads.items() if different}
    if models and all(models.values()):
        return found | {("", 1): min(models.values())}
    return found | {(branch, 1): key for branch, key in models.items() if key}


def differing(one: RunConfig, other: RunConfig, *steps: str) -> set[str]:
    """The settings that these steps read, or that decide what they make, and that differ."""
    reads = {name for step in loop() if step.name in steps for name in step.reads}
    return {key for key in unequal(one, other) if {key, key.partition(".")[0]} & reads}


def unequal(one: RunConfig, other: RunConfig) -> set[str]:
    """The settings in which two differ, but for how work is done."""
    values, others = (config.meaning(Kind.ADDRESS, Kind.STRUCTURE) for config in (one, other))
    return {key for key in {*values, *others} if values.get(key) != others.get(key)}


def apart(config: RunConfig, branch: str, other: RunConfig) -> str:
    """A setting of training and evaluation in which iteration 1 differs from a branch, in more than the branch's question is about; empty if there is none."""
    if config.joint.enabled or not config.sft.found_proofs:
        return "joint.enabled" if config.joint.enabled else "sft.found_proofs"
    return min(differing(config, other, "sft", "ebm", "evaluate") - ASIDE - {ASKED.get(branch)}, default="")


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


def of_branch(store: Store, run: str, branch: str, iteration: int) -> tuple[IterationResult, RunConfig] | None:
    """The result of a branch's first iteration, as `result_at`, and the settings that it was finished with. None, too, where the run of that name is no such branch, and where the result is not of its
    present settings."""
    name, origin = f"{run}-{branch}", Layout(run, iteration - 1).address
    if (config := recall(store, name)) is None:
        return None
    if config.data.origin != origin:
        log.warning("the run %s is no branch of %s, and is left out", name, origin)
        return None
    if branch == RAW and config.sft.enabled:
        log.warning("the run %s is left out: its model was fine-tuned, and is no baseline", name)
        return None
    layout = layout_of(name, iteration, config)
    if (result := result_at(store, layout)) is None:
        return None
    try:
        lost = superseded(loop(), Context(store, layout, config, Path())).labels
    except BadInput as error:  # what it shares with the run would be made anew, too
        lost = [str(error)]
    if lost:
        log.warning("%s is left out: %s; %s", name, lost[0], AGAIN)
        return None
    return result, config_at(store, layout)


def config_at(store: Store, layout: Layout) -> RunConfig:
    """The settings that an iteration was finished with."""
    record = read_record(store, layout.report)
    assert record is not None, layout
    return record.settings


def seeds_apart(one: RunConfig, other: RunConfig, iteration: int) -> list[str]:
    """Settings that must be equal in this iteration of two seeds, and are not."""
    unread = {"gate"} if one.joint.enabled or other.joint.enabled else {"gate", "joint"}
    different = unequal(one, other) - UNCOMPARED - unused(iteration)
    return sorted(key for key in different if not key.endswith(".seed") and key.partition(".")[0] not in unread)


def alike(every: Sequence[Measured]) -> list[Measured]:
    """The seeds of one experiment, without what single ones did otherwise from iteration 2 on, where there are no arms.

    Raises BadInput for runs that differ in more than their seeds, or not even in these.
    """
    for (one, configs), (other, others) in combinations(every, 2):
        if not any(key.endswith(".seed") for key in unequal(configs["", 0], others["", 0])):
            raise BadInput(
                f"The runs {one.run!r} and {other.run!r} have the same seeds (sft.seed, ebm.seed, search.seed, …): that is one seed twice; name one of them."
            )
        different = [
            f"{key} ({f'{branch}, ' if branch else ''}iteration {number})"
            for branch, number in sorted(configs.keys() & others.keys())
            if number < 2
            and branch
            != RAW  # compared with its own iteration 0 (evaluated_otherwise); other settings it does not read
            for key in seeds_apart(configs[branch, number], others[branch, number], number)
        ]
        if not different and evaluated(one) != evaluated(other):
            different = ["their benchmarks"]
        if not different and leans_of(one.iterations[0]) != leans_of(other.iterations[0]):
            different = ["their versions of Lean"]
        if different:
            raise BadInput(
                f"The runs {one.run!r} and {other.run!r} differ in {', '.join(different[:5])}; seeds of one experiment differ in their seeds alone."
            )
    first, *rest = every
    return [first, *(like(first, one) for one in rest)]


def like(first: Measured, other: Measured) -> Measured:
    """Without iterations from 2 on that were made otherwise; where one searched and the other did not, that is only said."""
    runs = first.seed.run, other.seed.run
    results = {result.iteration: result for result in first.seed.iterations}
    kept = []
    for result in other.seed.iterations:
        number = result.iteration
        if one := results.get(number):
            if different := seeds_apart(first.configs["", number], other.configs["", number], number):
                log.warning(
                    "iteration %d of %s is left out: %s is not that of %s", number, runs[1], different[0], runs[0]
                )
                continue
            if bool(one.search.theorems) != bool(result.search.theorems):
                log.warning(
                    "iteration %d of one of the runs %s and %s searched, that of the other did not: their heads learned from different data",
                    number,
                    *runs,
                )
        kept.append(result)
    return Measured(other.seed._replace(iterations=kept), other.configs)


def evaluated(seed: Seed) -> set[tuple[object, ...]]:
    """Benchmarks and budgets of iteration 0."""
    return {(e.benchmark, e.benchmark_hash, *(b.budget for b in e.budgets)) for e in seed.iterations[0].evaluations}
