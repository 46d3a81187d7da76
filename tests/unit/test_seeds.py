"""What of a run, its branches and other seeds may be compared."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.results import HEAD, PLAIN, SEARCH_HEAD
from burnqed.key import Key
from burnqed.layout import Layout
from burnqed.record import write_record
from burnqed.remembered import remember
from burnqed.resolve import resolve
from burnqed.steps import seeds
from burnqed.steps.experiment import judge, notes
from burnqed.steps.plan import Superseded
from burnqed.steps.report import RESULTS
from burnqed.steps.seeds import alike, measured
from burnqed.store import Store
from tests.fixtures.evaluations import evaluation, iteration, proved, unproved

RUN = "mine"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Branches in it are up to date."""
    monkeypatch.setattr(seeds, "superseded", lambda *_: Superseded([], 0.0, 0.0, is_done=True))
    return Store(str(tmp_path / "store"))


def config(*overrides: str) -> RunConfig:
    return resolve("demo", list(overrides)).config


def finish(store: Store, layout: Layout, settings: RunConfig, *variants: str, lean: str = "4.28.0") -> None:
    """An iteration that has been evaluated, as its report has it."""
    results = [evaluation([proved("a", 10), unproved("b")], variant=variant) for variant in variants]
    results = [e.model_copy(update={"lean_version": lean}) for e in results]
    done = iteration(layout.iteration, *results).model_copy(update={"run": layout.run})
    store.write_text(f"{layout.report}/1/{RESULTS}", done.model_dump_json())
    key = Key(step="report", version=1, config={}, inputs={}, parameters={})
    write_record(store, layout.report, key, settings, {}, datetime.now(UTC), revision="1", dollars_per_hour=0)


def run(store: Store, name: str, *overrides: str, joint: tuple[str, ...] = (), control: tuple[str, ...] = ()) -> None:
    """An experiment; its branches may have further settings."""
    finish(store, Layout(name, 0), config(*overrides), PLAIN, HEAD)
    finish(store, Layout(name, 1), config(*overrides), PLAIN, HEAD, SEARCH_HEAD)
    branches = {"joint": ("joint.enabled=true", *joint), "control": ("sft.found_proofs=false", *control)}
    for branch, own in branches.items():
        settings = config(*overrides, *own, f'data.origin="{name}:0"')
        remember(store, f"{name}-{branch}", settings)
        finish(store, Layout(f"{name}-{branch}", 1), settings, PLAIN, HEAD, SEARCH_HEAD)


def raw(store: Store, name: str, *overrides: str) -> None:
    """The baseline of an experiment."""
    settings = config("sft.enabled=false", "ebm.enabled=false", f'data.origin="{name}:base"', *overrides)
    remember(store, f"{name}-raw", settings)
    finish(store, Layout(f"{name}-raw", 0), settings, PLAIN)


def test_a_whole_experiment_has_all_its_arms_and_its_baseline(store: Store) -> None:
    run(store, RUN)
    raw(store, RUN)
    found = measured(store, RUN)
    assert list(found.seed.arms) == ["baseline", "A", "S", "B", "C", "control"]
    assert found.seed.arms["baseline"].run == f"{RUN}-raw"
    assert found.configs.keys() == {("", 0), ("", 1), ("raw", 0), ("control", 1), ("joint", 1)}


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (("evaluate.candidates=7",), "made with another evaluate.candidates"),
        (("sft.enabled=true",), f"the run {RUN}-raw is left out: its model was fine-tuned"),
        ((f'data.origin="{RUN}:0"',), f"the run {RUN}-raw is no branch of {RUN}:base"),
    ],
)
def test_what_is_no_baseline_is_left_out_alone(
    store: Store, overrides: tuple[str, ...], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    run(store, RUN)
    raw(store, RUN, *overrides)
    found = measured(store, RUN)
    assert list(found.seed.arms) == ["A", "S", "B", "C", "control"]
    assert words in caplog.text


def test_settings_that_a_baseline_was_made_with_and_never_reads_keep_no_seeds_apart(store: Store) -> None:
    run(store, "one", "sft.steps=900")
    raw(store, "one")
    run(store, "two", *SEEDS, "sft.steps=900")
    raw(store, "two", *SEEDS, "sft.steps=900")
    assert all("baseline" in one.seed.arms for one in alike([measured(store, name) for name in ("one", "two")]))


@pytest.mark.parametrize(("setting", "name"), [("search.beta=3", "search.beta"), ("evaluate.candidates=7", "evaluate.candidates"), ("lean.heartbeats=7", "lean.heartbeats")])  # fmt: skip
def test_a_branch_that_was_evaluated_otherwise_is_left_out_alone(
    store: Store, setting: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    run(store, RUN, joint=(setting,))
    assert list(measured(store, RUN).seed.arms) == ["A", "S", "control"]
    assert f"iteration 1 of {RUN}-joint is left out: made with another {name} than" in caplog.text


def test_what_another_lean_evaluated_is_in_no_comparison(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    run(store, RUN)
    finish(store, Layout(RUN, 1), config(), PLAIN, HEAD, SEARCH_HEAD, lean="4.29.0")
    assert list(measured(store, RUN).seed.arms) == ["A", "B", "C", "control"]
    assert f"iteration 1 of {RUN} is left out: made with another version of Lean than" in caplog.text
    run(store, "other", *SEEDS)
    finish(store, Layout("other", 0), config(*SEEDS), PLAIN, HEAD, lean="4.29.0")
    with pytest.raises(BadInput, match="differ in their versions of Lean"):
        alike([measured(store, RUN), measured(store, "other")])


def test_an_iteration_that_was_evaluated_otherwise_is_in_no_comparison(store: Store) -> None:
    run(store, RUN)
    finish(store, Layout(RUN, 1), config("evaluate.candidates=7"), PLAIN, HEAD, SEARCH_HEAD)
    found = measured(store, RUN).seed
    assert list(found.arms) == ["A", "B", "C", "control"]
    assert [result.iteration for result in found.iterations] == [0]


def test_an_iteration_that_was_trained_otherwise_than_all_branches_is_no_arm_but_an_iteration(store: Store) -> None:
    run(store, RUN)
    finish(store, Layout(RUN, 1), config("sft.later_steps=7"), PLAIN, HEAD, SEARCH_HEAD)
    found = measured(store, RUN).seed
    assert list(found.arms) == ["A", "B", "C", "control"]
    assert [result.iteration for result in found.iterations] == [0, 1]


@pytest.mark.parametrize("setting", ["sft.later_steps=7", "ebm.noise=false", "ebm.steps=7"])
def test_a_branch_that_was_trained_otherwise_is_left_out_alone(store: Store, setting: str) -> None:
    run(store, RUN, control=(setting,))
    found = measured(store, RUN).seed
    assert list(found.arms) == ["A", "S", "B", "C"]
    assert [result.iteration for result in found.iterations] == [0, 1]


@pytest.mark.parametrize(("settings", "stays"), [((), True), (("ebm.steps=7",), False), (("ebm.noise=false",), False)])
def test_a_head_that_lacks_something_is_compared_only_if_it_lacks_nothing_else(
    store: Store, settings: tuple[str, ...], stays: bool
) -> None:
    run(store, RUN, "ebm.head=relative")
    branch = config("ebm.head=relative-without-goal", "sft.enabled=false", *settings, f'data.origin="{RUN}:0"')
    remember(store, f"{RUN}-without-goal", branch)
    finish(store, Layout(f"{RUN}-without-goal", 1), branch, PLAIN, HEAD)
    assert ("A without goal" in measured(store, RUN).seed.arms) == stays


def test_a_branch_of_which_a_shared_part_would_be_made_anew_is_left_out_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_: object, context: seeds.Context) -> Superseded:
        if context.layout.run == f"{RUN}-joint":
            raise BadInput("data would be made anew")
        return Superseded([], 0.0, 0.0, is_done=True)

    run(store, RUN)
    monkeypatch.setattr(seeds, "superseded", refuse)
    assert list(measured(store, RUN).seed.arms) == ["A", "S", "control"]
    assert f"{RUN}-joint is left out: data would be made anew" in caplog.text


SEEDS = ("sft.seed=1", "search.seed=1")


def test_runs_that_differ_in_seeds_gates_and_joint_settings_that_nothing_read_are_seeds(store: Store) -> None:
    run(store, "one")
    run(store, "two", *SEEDS, "gate.min_rate=0.5")
    finish(store, Layout("two", 0), config(*SEEDS, "joint.weight=0.5"), PLAIN, HEAD)
    found = measured(store, "two")
    assert alike([measured(store, "one"), found]) == [measured(store, "one"), found]


def test_what_a_branch_remembers_later_does_not_count(store: Store) -> None:
    run(store, "one")
    run(store, "two", *SEEDS)
    later = config(*SEEDS, "joint.enabled=true", "search.budget=200", 'data.origin="two:0"')
    remember(store, "two-joint", later)
    alike([measured(store, "one"), measured(store, "two")])


def test_an_added_benchmark_makes_no_other_experiment(store: Store) -> None:
    run(store, "one")
    run(store, "two", *SEEDS)
    finish(store, Layout("two", 1), config(*SEEDS, "data.benchmarks={new: new.json}"), PLAIN, HEAD, SEARCH_HEAD)
    alike([measured(store, "one"), measured(store, "two")])


def test_a_later_iteration_that_was_made_otherwise_is_left_out_alone(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    for name, own in (("one", ()), ("two", (*SEEDS, "select.theorems=99"))):
        run(store, name, *own[:2])
        finish(store, Layout(name, 2), config(*own), PLAIN, HEAD)
    one, two = alike([measured(store, "one"), measured(store, "two")])
    assert [[result.iteration for result in seed.seed.iterations] for seed in (one, two)] == [[0, 1, 2], [0, 1]]
    assert "iteration 2 of two is left out: select.theorems is not that of one" in caplog.text


def test_seeds_are_compared_with_one_another_not_with_the_first_alone(store: Store) -> None:
    run(store, "one")
    store.delete("one-joint")
    run(store, "two", *SEEDS)
    run(store, "three", "sft.seed=2", joint=("joint.weight=0.9",))
    with pytest.raises(BadInput, match=r"'two' and 'three' differ in joint\.weight \(joint, iteration 1\)"):
        alike([measured(store, name) for name in ("one", "two", "three")])


def test_the_sizes_are_those_of_the_first_seed_that_has_the_branch(store: Store, tmp_path: Path) -> None:
    run(store, "one")
    store.delete("one-joint")
    run(store, "two", *SEEDS, joint=("joint.steps=77",))
    found, _ = judge(store, ["one", "two"], tmp_path / "out")
    assert "77 steps" in found.settings["joint training"]
    assert found.notes


@pytest.mark.parametrize(
    ("overrides", "joint", "words"),
    [
        (["policy.model=other"], (), r"policy\.model \(iteration 0\)"),
        (['data.pairs=["other.jsonl"]'], (), r"data\.pairs \(iteration 0\)"),
        (["sft.later_steps=7"], (), r"sft\.later_steps"),
        ([], ("joint.weight=0.5",), r"joint\.weight \(joint, iteration 1\)"),
        (["search.noise=true"], (), r"search\.noise"),
        (["data.generator_seed=1"], (), r"data\.generator_seed"),
    ],
)
def test_runs_that_differ_in_more_than_seeds_are_refused(
    store: Store, overrides: list[str], joint: tuple[str, ...], words: str
) -> None:
    run(store, "one")
    run(store, "two", *SEEDS, *overrides, joint=joint)
    with pytest.raises(BadInput, match=rf"The runs 'one' and 'two' differ in .*{words}"):
        alike([measured(store, "one"), measured(store, "two")])


def test_an_iteration_0_that_was_finished_with_other_settings_of_later_ones_keeps_no_seeds_apart(store: Store) -> None:
    """It is not made anew when they change."""
    run(store, "one")
    run(store, "two", *SEEDS)
    finish(store, Layout("two", 0), config(*SEEDS, "sft.learning_rate_decay=0.9", "sft.later_steps=7"), PLAIN, HEAD)
    assert len(alike([measured(store, "one"), measured(store, "two")])) == 2


def test_one_seed_twice_is_refused(store: Store) -> None:
    run(store, "one")
    run(store, "two", "gate.min_rate=0.5")
    with pytest.raises(BadInput, match="have the same seeds .* one seed twice"):
        alike([measured(store, "one"), measured(store, "two")])


def test_a_run_without_a_head_is_one_sentence(store: Store, tmp_path: Path) -> None:
    finish(store, Layout(RUN, 0), config(), PLAIN)
    raw(store, RUN)
    with pytest.raises(BadInput, match="Iteration 0 of mine was evaluated without a head"):
        judge(store, [RUN], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_report_tells_the_settings_of_the_branches_and_where_they_are_unequal(store: Store, tmp_path: Path) -> None:
    run(store, RUN, joint=("joint.steps=77", "joint.weight=0.25"))
    found, _ = judge(store, [RUN], tmp_path / "out")
    assert "77 steps" in found.settings["joint training"]
    assert "weight 0.25" in found.settings["joint training"]
    assert [note.partition(":")[0] for note in found.notes] == [
        "From S to B is not joint training alone",
        "From B to C is not the way of training alone",
    ]
    page = (tmp_path / "out/index.html").read_text()
    assert f"B 77 at {config().joint.learning_rate}" in page


@pytest.mark.parametrize("profile", ["demo", "small", "smoke"])
def test_the_profiles_train_jointly_as_long_and_as_fast_as_by_next_token_alone(profile: str) -> None:
    settings = resolve(profile, workflow="experiment").config
    assert [note for note in notes({("joint", 1): settings}) if "From S to B" in note] == []
