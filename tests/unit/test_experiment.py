"""The judgement of an experiment: arms, effects with their intervals, seeds as strata, and the verdict."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from burnqed.config import GateConfig, RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.arms import Seed
from burnqed.evaluate.compare import change
from burnqed.evaluate.experiment import Experiments, Ranked, judged
from burnqed.evaluate.render import print_experiment
from burnqed.evaluate.report.experiment import write_page
from burnqed.evaluate.results import HEAD, PLAIN, SEARCH_HEAD, EvaluationResult, IterationResult
from burnqed.evaluate.verdict import DATA, DEBUG, PLAN, UNDECIDED
from burnqed.resolve import from_json, resolve
from burnqed.steps.experiment import judge
from burnqed.steps.seeds import apart, measured
from burnqed.store import Store
from burnqed.train.monitor import mean_metric, shares_of
from burnqed_workflows import experiment
from tests.fixtures.evaluations import evaluation, failed, iteration, proved, solving, unproved

THEOREMS = [f"t{i:03}" for i in range(60)]


def solves(
    number: int, variant: str, *, nodes: int = 10, errors: int = 0, trained_on: tuple[str, ...] = ()
) -> EvaluationResult:
    """The first `number` of the theorems, each after `nodes` nodes; the last `errors` could not be tried."""
    results = [proved(name, nodes) for name in THEOREMS[:number]] + [
        unproved(name) for name in THEOREMS[number : 60 - errors]
    ]
    return evaluation(
        [*results, *(failed(name) for name in THEOREMS[60 - errors :])], variant=variant, trained_on=trained_on
    )


def arm(
    number: int, head: int, joint: int | None = None, *, distance: float = 0.5, spread: float = 0.01, n: int = 1
) -> IterationResult:
    """An iteration that solves `number` without head, `head` with it, and `joint` with that of joint training."""
    found = [solves(number, PLAIN), solves(head, HEAD)] + ([] if joint is None else [solves(joint, SEARCH_HEAD)])
    figures = {
        "head__centroid_within": distance,
        "head__centroid_within_spread": spread,
        "head__rank1": 0.7,
        "head__rank1_chance": 0.2,
        "head__rank1_error": 0.05,
        "head__linear_probe": 0.8,
    }
    return iteration(n, *found, **figures, **{f"search_{name}": value for name, value in figures.items()})


def seed(
    s: int = 30,
    b: int = 40,
    c: int = 42,
    *,
    a: int = 20,
    distance: float = 0.5,
    spread: float = 0.01,
    run: str = "main",
) -> Seed:
    first, second, joint = arm(15, a, n=0), arm(24, 33, s), arm(25, b, c, distance=distance, spread=spread)
    raw = iteration(0, solves(3, PLAIN))
    arms = {"baseline": raw, "A": first, "S": second, "B": joint, "C": joint, "control": arm(16, 21)}
    return Seed(run, [first, second], arms)


def test_each_arm_has_its_model_its_head_and_their_figures() -> None:
    found = judged([seed()], "core")
    assert [(a.name, a.plain[64], a.solved.get(64)) for a in found.arms] == [
        ("baseline", 3, None), ("A", 15, 20), ("S", 24, 30), ("B", 25, 40), ("C", 25, 42), ("control", 16, 21),
    ]  # fmt: skip
    steps = [(e.before, e.after, round(60 * (e.gain or 0))) for e in found.steps]
    assert steps == [
        ("baseline", "A", 12), ("A", "control", 1), ("control", "S", 9), ("A", "S", 10), ("S", "B", 10), ("B", "C", 2),
    ]  # fmt: skip
    raw = found.arms[0]
    assert (raw.rate, raw.cells[1:3], raw.rank1) == (0.05, ["- / 3", "- / 3"], None)
    assert [round(60 * (e.gain or 0)) for e in found.heads] == [5, 6, 15, 17, 5]
    assert [(e.before, e.after, round(60 * (e.gain or 0))) for e in found.iterations] == [
        ("iteration 0", "iteration 1", 13)
    ]
    assert found.missing == []


def test_heads_that_lack_something_stand_beside_that_of_iteration_0_where_they_were_asked_for() -> None:
    one = seed()
    found = judged([one._replace(arms={**one.arms, "A without goal": arm(15, 17)})], "core")
    assert [a.name for a in found.arms][-1] == "A without goal"
    worth = next(e for e in found.steps if e.before == "A without goal")
    assert (worth.after, round(60 * (worth.gain or 0))) == ("A", 3)
    assert found.missing == []
    without = judged([one], "core")
    assert (found.verdict, found.reasons[1:]) == (without.verdict, without.reasons[1:])


def test_an_ablation_keeps_the_model_and_changes_the_head_alone() -> None:
    config = resolve("demo", ["search.noise=true"], workflow="experiment").config
    built = experiment.build(config, store="s", run="mine", iters="2", ablate="goal,noise").to_dict()
    given = {p["name"]: p["value"] for p in built["spec"]["arguments"]["parameters"]}
    goal, noise = (from_json(given[f"config-without-{name}"]) for name in ("goal", "noise"))
    assert (goal.ebm.head, goal.ebm.noise, noise.ebm.head, noise.ebm.noise) == (
        "relative-without-goal", True, "relative", False,
    )  # fmt: skip
    assert {c.data.origin for c in (goal, noise)} == {"mine:0"}
    assert not any(c.sft.enabled or c.search.enabled for c in (goal, noise))
    (main,) = (t for t in built["spec"]["templates"] if t["name"] == "main")
    tasks = {task["name"]: task for task in main["dag"]["tasks"]}
    assert tasks["without-goal"]["depends"] == "iter-0.Succeeded"
    assert "without-noise.Failed" in tasks["experiment"]["depends"]


@pytest.mark.parametrize(
    ("overrides", "ablate", "words"),
    [
        ([], "luck", "--ablate knows goal and noise, not 'luck'"),
        ([], "noise", "search.noise=true"),
        (["ebm.head=mlp-without-goal"], "goal", "no head like 'mlp-without-goal'"),
    ],
)
def test_what_cannot_be_ablated_is_said(overrides: list[str], ablate: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        experiment.build(resolve("demo", overrides).config, store="s", run="mine", iters="2", ablate=ablate)


def test_with_one_seed_the_figures_are_those_of_a_comparison() -> None:
    one = seed()
    (head, *_) = judged([one], "core").heads
    evaluations = one.arms["A"].evaluations
    other = change(("", evaluations[0]), ("", evaluations[1]), 64, effort=True)
    assert head.gain == pytest.approx(other.net / other.tried)
    assert (head.gain_interval, head.nodes, head.nodes_interval) == (other.gain, other.effort, other.effort_interval)


def test_theorems_that_could_not_be_tried_or_were_trained_on_count_nowhere() -> None:
    first = iteration(0, solves(10, PLAIN, errors=5), solves(20, HEAD, errors=2, trained_on=("t000", "t015")))
    (head,) = judged([Seed("main", [first], {"A": first})], "core").heads
    assert head.theorems == 60 - 5 - 2
    assert round((head.gain or 0) * head.theorems) == 9


def shown(before: EvaluationResult, after: EvaluationResult) -> str:
    first = iteration(0, before, after)
    return judged([Seed("main", [first], {"A": first})], "core").heads[0].shown


def test_better_and_worse_are_by_proofs_or_by_nodes_and_only_if_chance_does_not_explain_them() -> None:
    assert shown(solves(20, PLAIN), solves(35, HEAD)) == "better"
    assert shown(solves(35, PLAIN), solves(20, HEAD)) == "worse"
    assert shown(solves(20, PLAIN), solves(24, HEAD)) == "not shown"
    assert shown(solves(50, PLAIN, nodes=50), solves(50, HEAD, nodes=20)) == "better"
    assert shown(solves(50, PLAIN, nodes=20), solves(50, HEAD, nodes=50)) == "worse"
    assert shown(solves(50, PLAIN, nodes=50), solves(50, HEAD, nodes=45)) == "not shown"
    assert shown(solves(50, PLAIN, nodes=60), solves(42, HEAD, nodes=1)) == "not shown", "they contradict each other"


def test_seeds_are_averaged_theorem_by_theorem_so_that_more_of_the_same_prove_nothing_more() -> None:
    two, four = (judged([seed(run=f"r{i}", a=30) for i in range(n)], "core").heads[0] for n in (2, 4))
    assert (four.gain, four.gain_interval) == (two.gain, two.gain_interval)
    assert (two.seeds, four.seeds, four.gains) == (2, 4, [0.25] * 4)
    assert four.cells[3] == "+25, +25, +25, +25"
    mixed = judged([seed(a=20), seed(a=15), seed(a=16)], "core").heads[0]
    assert mixed.gain == pytest.approx((5 + 0 + 1) / 3 / 60)
    own = [e for a in (20, 15, 16) if (e := judged([seed(a=a)], "core").heads[0].gain_interval)]
    assert mixed.gain_interval == (min(low for low, _ in own), max(high for _, high in own)), "five theorems that differ are too few to draw from"  # fmt: skip
    assert mixed.gain_interval[0] < 0
    assert mixed.shown == "not shown"


def test_the_interval_of_a_gain_covers_the_true_one_as_often_as_it_says() -> None:
    draw, covered = random.Random(1), 0
    for _ in range(100):
        outcomes = [(draw.random() < 0.3, draw.random() < 0.5) for _ in THEOREMS]
        sides = [
            evaluation(
                [proved(t, 9) if o[side] else unproved(t) for t, o in zip(THEOREMS, outcomes, strict=True)],
                variant=(PLAIN, HEAD)[side],
            )
            for side in (0, 1)
        ]
        first = iteration(0, *sides)
        interval = judged([Seed("main", [first], {"A": first})], "core").heads[0].gain_interval
        assert interval
        covered += interval[0] <= 0.2 <= interval[1]
    assert covered >= 89


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ({}, PLAN),
        ({"distance": 0.40}, DEBUG),
        ({"distance": 0.46}, PLAN),
        ({"distance": 0.40, "spread": 0.05}, PLAN),
        ({"distance": 0.0, "spread": 0.05}, DEBUG),
        ({"s": 40, "b": 25, "c": 40}, DEBUG),
        ({"s": 20, "b": 16, "c": 15}, DEBUG),
        ({"s": 15, "b": 15, "c": 14}, DATA),
        ({"a": 30, "s": 26, "b": 26, "c": 25}, DATA),
        ({"s": 20, "b": 20, "c": 20}, DATA),
        ({"s": 20, "b": 20, "c": 22}, UNDECIDED),
        ({"s": 20, "b": 40, "c": 22}, UNDECIDED),
    ],
    ids=str,
)
def test_the_verdict_follows_from_embeddings_and_proofs(given: dict[str, Any], verdict: str) -> None:
    """C alone is compared with A: to take the better of B and C would find a gain where there is none."""
    found = judged([seed(**given)], "core")
    assert found.verdict == verdict, found.reasons
    heads, _, on_model, against_a, *_ = found.reasons
    assert heads.startswith("heads: A better")
    assert on_model.startswith("B against S at 64 nodes: ")
    assert against_a.startswith("C against A at 64 nodes: "), "also where something else decides"


@pytest.mark.parametrize(
    ("distance", "told"),
    [(0.55, "have held"), (0.47, "may have held or not"), (0.40, "have not held")],
)
def test_whether_embeddings_have_held_is_said_with_its_uncertainty(distance: float, told: str) -> None:
    found = judged([seed(distance=distance)], "core")
    assert f"{distance / 0.5:.1%} of iteration 0's is left (95%: " in found.reasons[1]
    assert found.reasons[1].endswith(f"the embeddings {told}")
    (b,) = (a for a in found.arms if a.name == "B")
    assert b.distance_interval == pytest.approx((distance - 0.0196, distance + 0.0196))
    assert f"{distance:.3f} ({distance - 0.0196:.2f} to {distance + 0.0196:.2f})" in b.head_cells


def ranking(values: np.ndarray[Any, Any], *, is_noted: bool = True) -> Ranked:
    """Of three seeds [3, n] of n theorems of one state each, what the head of A puts first where chance has 0."""
    seeds, n = [], len(values[0])
    for number, of_seed in enumerate(values):
        metric = mean_metric(of_seed, np.zeros(n), np.full(n, 0.1), np.arange(n))
        assert metric
        assert metric.spread
        assert metric.error
        figures = {"": metric.value, "_chance": 0.0, "_error": metric.error, "_spread": metric.spread}
        one = iteration(0, solves(15, PLAIN), solves(20, HEAD), **{f"head__rank1{k}": v for k, v in figures.items()})
        shares = {"head.rank1": {f"t{t}": share for t, share in shares_of(of_seed, np.arange(n)).items()}}
        seeds.append(Seed(f"run{number}", [one], {"A": one.model_copy(update={"shares": shares if is_noted else {}})}))
    (found,) = (a.rank1 for a in judged(seeds, "core").arms if a.name == "A")
    assert found
    return found


def test_the_interval_of_a_rank_is_over_theorems_whose_seeds_are_averaged_first() -> None:
    """What the seeds have in common stays in it, and what each has alone grows less; without what each theorem adds, it is as wide as one seed's."""
    draw = np.random.default_rng(0)
    theorems, n = draw.normal(size=40), 40
    alike, mixed = np.tile(theorems, (3, 1)), theorems + 2 * draw.normal(size=(3, n))
    student = 2.0227 / 1.96  # of 39 degrees of freedom
    assert ranking(alike).spread == pytest.approx(student * theorems.std(ddof=1) / math.sqrt(n), rel=1e-4)
    assert ranking(mixed).spread == pytest.approx(student * mixed.mean(axis=0).std(ddof=1) / math.sqrt(n), rel=1e-4)
    assert ranking(mixed, is_noted=False).spread == pytest.approx(
        student * mixed.std(axis=1, ddof=1).mean() / math.sqrt(n), rel=1e-4
    )
    assert (ranking(mixed).spread or 0) < 0.75 * (ranking(mixed, is_noted=False).spread or 0)


def test_a_distance_without_its_uncertainty_or_of_nothing_decides_nothing() -> None:
    whole = seed()
    figures = {name: value for name, value in whole.arms["B"].training.items() if not name.endswith("within_spread")}
    without = whole.arms["B"].model_copy(update={"training": figures})
    nothing = whole.arms["A"].model_copy(update={"training": whole.arms["A"].training | {"head.centroid_within": 0.0}})
    for changed in ({"B": without}, {"A": nothing}):
        found = judged([whole._replace(arms={**whole.arms, **changed})], "core")
        assert (found.verdict, found.reasons[-1].partition(",")[0]) == (UNDECIDED, "the embeddings were not measured")


def test_what_is_missing_is_said_and_nothing_is_decided_without_joint_training() -> None:
    whole = seed()
    found = judged([Seed("main", whole.iterations, {name: whole.arms[name] for name in ("A", "S")})], "core")
    assert found.verdict == UNDECIDED
    assert "if its own limits ended it" in found.reasons[-1]
    assert found.missing == ["baseline of main", "B of main", "C of main", "control of main"]
    assert [e.after for e in found.steps] == ["S"]
    assert judged([Seed("main", whole.iterations, {"A": whole.arms["A"]})], "core").verdict == UNDECIDED


def test_the_page_and_the_terminal_tell_the_same(tmp_path: Path) -> None:
    found = Experiments(results=[judged([seed()], "core")])
    write_page(found, tmp_path / "index.html")
    page, console = (tmp_path / "index.html").read_text(), Console(width=200, record=True)
    print_experiment(found, console)
    text = console.export_text()
    for words in ("42 / 25", "Plan the next iteration", "+8.3%", "found proofs", "<svg", "better", "not shown"):
        assert words in page
    for words in ("42 / 25", "plan the next iteration", "+8.3%", "control → S: found proofs", "on 60 theorems at"):
        assert words in text
    assert "<script" not in page


def test_the_page_tells_what_the_arms_solve_of_each_kind_in_the_mean_over_seeds(tmp_path: Path) -> None:
    moves, goals = (f"deep::{kind}_0123456789ab" for kind in ("moves", "goals"))

    def outcomes(*solved: str, variant: str = PLAIN) -> EvaluationResult:
        return evaluation([proved(n, 5) if n in solved else unproved(n) for n in (moves, goals)], variant=variant)

    seeds = []
    for run, solved in (("r0", (moves, goals)), ("r1", (goals,))):
        first = iteration(0, outcomes(moves), outcomes(*solved, variant=HEAD))
        seeds.append(Seed(run, [first], {"A": first, "A without goal": first}))
    found = judged(seeds, "core")
    parts = {p.name: (p.theorems, p.solved["A"], p.plain["A"]) for p in found.parts if p.by == "kind"}
    assert parts == {"moves": (1, 0.5, 1.0), "goals": (1, 1.0, 0.0)}
    gains = {p.name: (p.head.gain, p.head.theorems) for p in found.parts if p.by == "kind" and p.head}
    assert gains == {"moves": (-0.5, 1), "goals": (1.0, 1)}
    write_page(Experiments(results=[found]), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "By kind" in page
    assert "0.5 / 1" in page
    assert "−50.0%" in page
    assert "A without goal" in page


def test_a_run_s_name_is_never_markup(tmp_path: Path) -> None:
    first = iteration(0, solving("a", "abc"), solving("ab", "abc", variant=HEAD))
    write_page(Experiments(results=[judged([Seed("<b>", [first], {"A": first})], "core")]), tmp_path / "page.html")
    assert "<b>" not in (tmp_path / "page.html").read_text()


def test_a_run_that_has_no_iteration_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no finished iteration 0"):
        measured(Store(str(tmp_path)), "main")
    with pytest.raises(BadInput, match="has no finished iteration 0"):
        judge(Store(str(tmp_path)), ["main"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def configurations(config: RunConfig) -> dict[str, RunConfig]:
    built = experiment.build(config, store="s", run="mine", iters="3").to_dict()
    given = {p["name"]: p["value"] for p in built["spec"]["arguments"]["parameters"]}
    return {name.removeprefix("config-"): from_json(given[name]) for name in given if name.startswith("config-")}


def test_the_branches_differ_in_what_the_question_is_about_and_in_nothing_else() -> None:
    config = resolve("demo").config
    found = configurations(config)
    raw = found.pop("raw")
    assert raw.gate == GateConfig(), "those of the run are of models that were trained"
    assert (raw.data.origin, raw.sft.enabled, raw.ebm.enabled, raw.search.enabled) == ("mine:base", False, False, False)
    assert found.keys() == {"joint", "control"}
    assert {c.data.origin for c in found.values()} == {"mine:0"}
    assert not any(c.search.enabled for c in found.values())
    same = {name: c.model_dump() for name, c in found.items()}
    for name, document in same.items():
        assert document["joint"].pop("enabled") == (name == "joint")
        assert document["sft"].pop("found_proofs") == (name != "control")
    assert same["joint"] == same["control"]


@pytest.mark.parametrize(
    ("own", "different"),
    [
        ([], ""),
        (["sft.later_steps=7"], "sft.later_steps"),
        (["ebm.steps=7"], "ebm.steps"),
        (["evaluate.candidates=7"], "evaluate.candidates"),
        (["joint.steps=7", "ebm.resume=auto", "negatives.theorems=7", "evaluate.shards=3"], ""),
        (["joint.enabled=true"], "joint.enabled"),
        (["sft.found_proofs=false"], "sft.found_proofs"),
    ],
)
def test_iteration_1_is_compared_with_branches_only_if_it_was_made_as_they_were(own: list[str], different: str) -> None:
    branches = configurations(resolve("demo").config)
    del branches["raw"]  # an iteration 0
    own_config = resolve("demo", own).config
    assert {apart(own_config, name, branch) for name, branch in branches.items()} == {different}


def test_the_run_itself_is_trained_by_next_token_alone_whatever_its_profile_says() -> None:
    built = experiment.build(resolve("joint-7b").config, store="s", run="mine", iters="3").to_dict()
    (own,) = (from_json(p["value"]) for p in built["spec"]["arguments"]["parameters"] if p["name"] == "config")
    assert not own.joint.enabled


@pytest.mark.parametrize(("enabled", "said"), [(True, ""), ([1, 2], ""), ([1], "no search in iteration 2")])
def test_iterations_search_as_they_would_without_an_experiment_and_branches_do_not(
    enabled: bool | list[int], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    config = resolve("demo", [f"search.enabled={json.dumps(enabled)}"]).config
    built = experiment.build(config, store="s", run="mine", iters="3").to_dict()
    configs = {p["name"]: p["value"] for p in built["spec"]["arguments"]["parameters"]}
    own, joint = (from_json(configs[name]) for name in ("config", "config-joint"))
    assert (own.search.enabled, own.evaluate.search_head) == (enabled, [1])
    assert not joint.search.enabled
    assert said in caplog.text
    assert ("no search in iteration" in caplog.text) == bool(said)


def test_branches_follow_iteration_0_and_the_report_everything() -> None:
    built = experiment.build(resolve("demo").config, store="s", run="mine", iters="3").to_dict()
    (main,) = (t for t in built["spec"]["templates"] if t["name"] == "main")
    tasks = {task["name"]: task for task in main["dag"]["tasks"]}
    assert {name: tasks[name].get("depends") for name in ("iter-0", "iter-1", "joint")} == {
        "iter-0": None, "iter-1": "iter-0.Succeeded", "joint": "iter-0.Succeeded",
    }  # fmt: skip
    for name, number in (("raw", "0"), ("joint", "1")):
        arguments = {p["name"]: p["value"] for p in tasks[name]["arguments"]["parameters"]}
        assert (arguments["run"], arguments["iteration"]) == (f"{{{{workflow.parameters.run}}}}-{name}", number)
    assert "(joint.Succeeded || joint.Failed || joint.Errored || joint.Omitted)" in tasks["experiment"]["depends"]


@pytest.mark.parametrize(
    ("iters", "overrides", "words"),
    [
        ("1..2", [], "begins with iteration 0"),
        ("1", [], "give --iters 2"),
        ("1..1", [], "give --iters 2"),
        ("2", ["search.enabled=false"], "search.enabled=true"),
        ("3", ["search.enabled=[2]"], "search.enabled=true"),
        ("2", ["data.origin=main:base"], "leave --from out"),
        ("2", ["ebm.enabled=false"], "ebm.enabled=true"),
        ("2", ["sft.enabled=false"], "sft.enabled=true"),
        ("2", ["sft.found_proofs=false"], "sft.found_proofs=true"),
        ("2", ["evaluate.with_head=false"], "evaluate.with_head=true"),
    ],
)
def test_what_cannot_be_an_experiment_is_said(iters: str, overrides: list[str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        experiment.build(resolve("demo", overrides).config, store="s", run="mine", iters=iters)
