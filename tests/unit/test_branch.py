"""A branch reads the beginning of another run in place, makes its own iterations, and writes nothing there."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from burnqed.branch import branches, check_branch, check_given, layout_of
from burnqed.cli.main import app
from burnqed.cli.options import with_origin
from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.summary import summarize
from burnqed.layout import Layout
from burnqed.remembered import recall_or, remember
from burnqed.resolve import resolve
from burnqed.run.superseding import ask
from burnqed.steps.base import Context, execute
from burnqed.steps.plan import planned
from burnqed.steps.table import loop, step_named
from burnqed.store import Store
from tests.fixtures.evaluations import iteration, solving
from tests.fixtures.finished import RUN, Finished

PLAIN = RunConfig()
BRANCH = PLAIN.model_copy(update={"data": PLAIN.data.model_copy(update={"origin": f"{RUN}:0"})})


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trunk")
    store = Store(str(folder))
    Finished(store)  # iterations 0 and 1
    remember(store, RUN, PLAIN)
    return folder


@pytest.fixture
def store(written: Path, tmp_path: Path) -> Store:
    shutil.copytree(written, tmp_path / "store")
    return Store(str(tmp_path / "store"))


def with_data(config: RunConfig, **values: object) -> RunConfig:
    return config.model_copy(update={"data": config.data.model_copy(update=values)})


def context(store: Store, config: RunConfig, iteration: int = 1) -> Context:
    return Context(store, layout_of("other", iteration, config), config, Path("/nonexistent"))


def test_its_beginning_is_the_other_runs_and_the_rest_its_own() -> None:
    layout = layout_of("other", 2, BRANCH)
    assert [layout.data, layout.base, layout.benchmark("core")] == [f"{RUN}/{x}" for x in ("data", "base", "benchmarks/core")]  # fmt: skip
    assert [layout.at(number).root for number in range(3)] == [
        f"{run}/iterations/iter_{number}" for number, run in enumerate([RUN, "other", "other"])
    ]
    assert layout.at(2) == layout
    assert layout.at(0).at(0) == layout.at(0)
    assert (layout.settings, layout.summary, layout.lease) == ("other/run.json", "other/summary.json", "other/_LEASE")


def test_a_branch_that_shares_no_iteration_begins_with_its_own_iteration_0(store: Store) -> None:
    config = with_data(PLAIN, origin=f"{RUN}:base")
    assert recall_or(store, "other", f"{RUN}:base") == PLAIN
    layout = layout_of("other", 0, config)
    check_branch(store, layout)
    assert (layout.data, layout.base, layout.at(1).model) == (f"{RUN}/data", f"{RUN}/base", "other/iterations/iter_1/model")  # fmt: skip
    found = {o.label for o in planned(loop(), context(store, config, 0)) if not o.verdict.miss}
    assert found == {f"{RUN}/benchmarks/core", f"{RUN}/data", f"{RUN}/base"}
    remember(store, "other", config)
    assert list(branches(store, RUN)) == [("other", -1)]
    words = ["step", "clean", "--store", store.uri, "--yes", "--run", RUN]
    assert "'other' began as branches of 'main'" in str(CliRunner().invoke(app, [*words, "--whole-run"]).exception)
    with pytest.raises(BadInput, match="there is nobody to ask"):
        ask(["data"], store, Layout(RUN, 0), with_data(PLAIN, generated=7), "")
    check_branch(store, layout_of("other", 1, config))
    with pytest.raises(BadInput, match=f"was begun as a branch of {RUN}:base, and stays so"):
        check_branch(store, layout_of("other", 1, BRANCH))


def test_all_of_its_own_iteration_is_to_be_made_and_nothing_of_the_others(store: Store) -> None:
    before = store.files("")
    found = list(planned(loop(), context(store, BRANCH)))
    done = {output.label for output in found if not output.verdict.miss}
    assert done == {f"{RUN}/benchmarks/core", f"{RUN}/data", f"{RUN}/base"}
    assert {output.label.partition("/")[0] for output in found if output.verdict.miss} == {"iterations"}
    assert store.files("") == before


def test_the_theorems_that_the_other_run_holds_out_are_held_out_in_the_branch_as_well(tmp_path: Path) -> None:
    store, theirs = Store(str(tmp_path)), with_data(PLAIN, in_domain=5)
    Finished(store, theirs, last=0)
    remember(store, RUN, theirs)
    config = with_data(theirs, origin=f"{RUN}:0")
    found = list(planned(loop(), context(store, config)))
    assert {o.label for o in found if not o.verdict.miss} >= {f"{RUN}/benchmarks/in-domain", f"{RUN}/data"}
    assert any("/evaluation/in-domain/" in o.label for o in found)
    with pytest.raises(BadInput, match="'other' is a branch of 'main' and changes nothing there"):
        list(planned(loop(), context(store, with_data(config, in_domain=6))))


@pytest.mark.parametrize(
    "changed", [{"generated": 7}, {"in_domain": 7}, {"benchmarks": {"core": "shipped", "second": "shipped"}}]
)
def test_what_the_other_run_does_not_have_is_refused(store: Store, changed: dict[str, object]) -> None:
    before, config = store.files(""), with_data(BRANCH, **changed)
    with pytest.raises(BadInput, match="'other' is a branch of 'main' and changes nothing there"):
        list(planned(loop(), context(store, config)))
    with pytest.raises(BadInput, match="would be made anew"):
        asyncio.run(execute(step_named("data" if "generated" in changed else "benchmark"), context(store, config)))
    assert store.files("") == before


def test_it_begins_with_the_other_runs_settings(store: Store) -> None:
    theirs = with_data(PLAIN, generated=11)
    remember(store, RUN, theirs)
    assert recall_or(store, "other", f"{RUN}:0") == theirs
    remember(store, "other", BRANCH)
    assert recall_or(store, "other", f"{RUN}:0") == BRANCH


@pytest.mark.parametrize(
    ("run", "iteration", "origin", "reason"),
    [
        ("other", 0, f"{RUN}:0", "its own begin with --iter 1"),
        ("other", 1, "mian:0", "has no run 'mian' to begin from"),
        ("other", 1, "twig:1", "'twig' is itself a branch of main:0"),
        (RUN, 2, f"{RUN}:0", "was begun without --from, and stays so; leave --from out"),
        ("twig", 1, None, "was begun as a branch of main:0, and stays so; give --from main:0"),
        ("twig", 2, f"{RUN}:1", "was begun as a branch of main:0"),
    ],
)
def test_what_is_no_branch_is_refused(store: Store, run: str, iteration: int, origin: str | None, reason: str) -> None:
    remember(store, "twig", BRANCH)
    with pytest.raises(BadInput, match=reason):
        check_branch(store, layout_of(run, iteration, with_data(PLAIN, origin=origin)))


def test_it_takes_no_data_of_its_own(store: Store) -> None:
    check_branch(store, layout_of("other", 1, BRANCH))
    check_given(layout_of("main", 1, PLAIN))
    with pytest.raises(BadInput, match="has the data and benchmarks of 'main'"):
        check_given(layout_of("other", 1, BRANCH))


def test_what_it_needs_is_not_deleted(store: Store) -> None:
    remember(store, "other", BRANCH)
    store.write_text("my run/run.json", "{}")
    store.write_text("third/run.json", '{"data": {"origin": 7, "of another version": 1}}')
    assert list(branches(store, RUN)) == [("other", 0)]
    words = ["run", "clean", "--store", store.uri, "--yes"]
    store.delete(Layout(RUN, 1).root)
    refused = CliRunner().invoke(app, [*words, "--iter", "0"])
    assert "'other' began as branches of 'main'" in str(refused.exception)
    assert store.files(Layout(RUN, 0).root)


@pytest.mark.parametrize(
    "text", ["", "main", "main:x", "main:bsae", "base", ":0", "main:-1", "main:00", "my run:0", f"main:{'1' * 5_000}"]
)
def test_an_origin_names_an_iteration(text: str) -> None:
    with pytest.raises(ValueError, match="write RUN:N, as in main:0, or RUN:base|cannot name a run"):
        type(PLAIN.data)(origin=text)


def test_a_run_whose_name_is_a_number_can_be_shared() -> None:
    assert resolve("default", with_origin([], "2024:0")).config.data.origin == "2024:0"


def test_its_summary_has_its_name_though_the_first_iteration_is_anothers() -> None:
    theirs, own = iteration(0, solving("a", "ab"), run=RUN), iteration(1, solving("b", "ab"), run="other")
    assert summarize([theirs, own]).run == "other"


@pytest.mark.parametrize("redo", ["", "data"])
def test_what_branches_read_is_not_remade_without_a_word(store: Store, redo: str) -> None:
    remember(store, "other", BRANCH)
    config = PLAIN if redo else with_data(PLAIN, generated=7)
    arguments = (["data"], store, Layout(RUN, 0), config, redo)
    with pytest.raises(BadInput, match="there is nobody to ask"):
        ask(*arguments)
    ask(*arguments, yes=True)
    store.delete("other")
    ask(*arguments)  # next to nothing to make
