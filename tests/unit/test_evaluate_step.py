"""What an evaluation knows while it works, when it sees only what it declares."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.results import HEAD, PLAIN, SEARCH_HEAD
from burnqed.layout import Layout
from burnqed.record import Record
from burnqed.resolve import resolve
from burnqed.run.session import run_here
from burnqed.steps import evaluate
from burnqed.steps.base import Context, view
from burnqed.steps.facts import ShardFacts
from burnqed.steps.report import took_from_another
from burnqed.steps.searching import kept_in
from burnqed.steps.table import FINAL, SEARCH, step_named
from burnqed.store import Store
from tests.fixtures.small_workflows import single

TELLING = f"""
import os, pathlib
where = os.environ[{evaluate.EXPANSIONS!r}]
assert os.path.isfile(where)
pathlib.Path({{told!r}}).write_text(where)
"""


@pytest.mark.parametrize(
    ("stage", "overrides", "again"),
    [
        (FINAL, [], True),
        (FINAL, ["evaluate.with_head=false"], False),
        (FINAL, ["ebm.enabled=false"], False),
        (SEARCH, ["evaluate.search_head=true"], False),
        (SEARCH, ["evaluate.search_head=[1]"], False),
    ],
)
def test_it_keeps_expansions_where_another_variant_meets_them(
    stage: str, overrides: list[str], again: bool, tmp_path: Path
) -> None:
    config = resolve("smoke", overrides).config
    context = Context(Store(str(tmp_path)), Layout("main", 1), config, tmp_path, stage=stage)
    unit = evaluate.units(context)[0]
    at_work = replace(context, config=view(step_named("evaluate"), context, unit), recorded=config)
    assert evaluate.meets_again(at_work) == again


def test_the_head_of_a_search_is_evaluated_in_the_iterations_that_are_named(tmp_path: Path) -> None:
    config = resolve("smoke", ["evaluate.search_head=[1,3]"]).config
    contexts = [Context(Store(str(tmp_path)), Layout("main", i), config, tmp_path, stage=SEARCH) for i in range(4)]
    assert [evaluate.needed(context) for context in contexts] == [False, True, False, True]


def test_an_iteration_that_does_not_search_has_no_head_of_a_search(tmp_path: Path) -> None:
    overrides = ["search.enabled=[1]", "evaluate.search_head=true"]
    config = resolve("smoke", overrides).config
    contexts = [Context(Store(str(tmp_path)), Layout("main", i), config, tmp_path) for i in range(3)]
    assert [evaluate.variants(context) for context in contexts] == [
        ["plain", "head"],
        ["plain", "head", "search_head"],
        ["plain", "head"],
    ]


@pytest.mark.parametrize("given", ["[true]", "[-1]", "1", "[0.5]"])
def test_what_names_no_iterations_is_refused(given: str) -> None:
    with pytest.raises(BadInput, match=r"give true, false, or a list of iterations, as in \[1\]"):
        resolve("smoke", [f"search.enabled={given}"])


@pytest.mark.parametrize(
    ("recalled", "variant", "expected"),
    [(0, HEAD, False), (3, PLAIN, True), (None, HEAD, True), (None, PLAIN, False), (None, SEARCH_HEAD, False)],
)
def test_seconds_are_its_own_where_nothing_was_taken_from_another_search(
    recalled: int | None, variant: str, expected: bool
) -> None:
    facts = ShardFacts(theorems=1, proved=1, unproved=0, error=0, recalled=recalled)
    assert took_from_another(Record.model_construct(facts=facts.document()), variant) is expected


def test_without_room_for_expansions_it_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "taken").mkdir()
    with kept_in(tmp_path / "taken") as known:
        assert known is None
    assert "expansions are not kept" in caplog.text
    with kept_in(tmp_path / "new.sqlite") as known:
        assert known is not None


def test_evaluations_of_a_run_share_expansions_until_it_ends(tmp_path: Path) -> None:
    workflow = single("one", TELLING.format(told=str(tmp_path / "told")))
    assert run_here(workflow, Store(str(tmp_path)), Layout("main"), RunConfig(), lambda _: True) == 0
    assert not Path((tmp_path / "told").read_text()).exists()
    assert evaluate.EXPANSIONS not in os.environ


def test_a_file_for_expansions_outlives_the_run(tmp_path: Path) -> None:
    workflow, kept = single("one", TELLING.format(told=str(tmp_path / "told"))), tmp_path / "kept.sqlite"
    for _ in range(2):
        assert run_here(workflow, Store(str(tmp_path)), Layout("main"), RunConfig(), lambda _: True, kept) == 0
        assert Path((tmp_path / "told").read_text()) == kept
    assert kept.is_file()
    kept.write_text("no expansions")
    with pytest.raises(BadInput, match=r"kept\.sqlite does not hold expansions"):
        run_here(workflow, Store(str(tmp_path)), Layout("main"), RunConfig(), lambda _: True, kept)
