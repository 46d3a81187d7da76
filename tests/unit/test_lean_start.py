"""The workflow lean-start: the verdict is about theorems that the head was not trained on, and says why."""

from __future__ import annotations

import io
import json
import string
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from burnqed.data.split import is_validation
from burnqed.data.theorems import dump_index
from burnqed.errors import BadInput
from burnqed.evaluate.lean_start import GO, NO_GO, LeanStart, judged
from burnqed.evaluate.render import print_lean_start
from burnqed.evaluate.report.lean_start import write_page
from burnqed.evaluate.results import HEAD, EvaluationResult
from burnqed.key import Key
from burnqed.lean.protocol import Theorem
from burnqed.record import write_record
from burnqed.resolve import resolve
from burnqed.run.works import place_of, tasks_in, works_of
from burnqed.steps.base import Context, Unit
from burnqed.steps.lean_start import trained_on
from burnqed.steps.models import GUIDED
from burnqed.steps.table import loop
from burnqed.store import Store
from burnqed_workflows import iteration, lean_start
from tests.fixtures.evaluations import evaluation, proved, solving, unproved
from tests.fixtures.finished import Finished

ALL = string.ascii_letters
HALF = ALL[:26]
"""Of which the head was trained."""
REST = ALL[26:]


def found(without: str, guided: str, *, accepted: bool = True, known: str = HALF) -> LeanStart:
    plain = solving(without, ALL, trained_on=known)
    return verdict(plain, solving(guided, ALL, variant=HEAD, trained_on=known), accepted=accepted)


def verdict(plain: EvaluationResult, guided: EvaluationResult, *, accepted: bool = True) -> LeanStart:
    return judged("r", plain, guided, accepted=accepted, is_raw=True, max_p=0.05)


def test_a_head_that_helps_where_it_was_not_trained_goes() -> None:
    one = found(REST[:3], REST[:12])
    assert one.verdict == GO
    assert (one.held_out.tried, one.held_out.both, len(one.held_out.newly_solved)) == (26, 3, 9)
    assert "of 26 theorems that the head was not trained on, the search proves 12 with it and 3 without" in one.reason


def test_what_it_proves_of_its_training_theorems_decides_nothing_and_is_shown_apart() -> None:
    one = found(REST[:3], REST[:3] + HALF)
    assert one.verdict == NO_GO
    assert one.held_out.net == 0
    assert one.every.net == 26
    assert [row[:4] for row in one.rows] == [["held out", "26", "3", "3"], ["all, training too", "52", "3", "29"]]


def test_a_gain_that_chance_may_give_does_not_go() -> None:
    one = found(REST[:3], REST[:5])
    assert one.verdict == NO_GO
    assert "which chance may give, too" in one.reason


def test_as_many_proofs_with_clearly_fewer_nodes_go() -> None:
    plain = evaluation([proved(name, 60) for name in REST], trained_on="")
    guided = evaluation([proved(name, 20) for name in REST], variant=HEAD, trained_on="")
    assert verdict(plain, guided).verdict == GO
    nearly = evaluation([proved(name, 55) for name in REST], variant=HEAD, trained_on="")
    assert verdict(plain, nearly).verdict == NO_GO
    fewer = evaluation([*(proved(n, 5) for n in REST[:-1]), unproved(REST[-1])], variant=HEAD, trained_on="")
    assert verdict(plain, fewer).verdict == NO_GO, "one is lost"


def test_a_head_that_harms_or_that_no_search_would_use_does_not_go() -> None:
    assert "does harm" in found(REST[:12], REST[:3]).reason
    refused = found(REST[:3], REST[:12], accepted=False)
    assert (refused.verdict, "did not accept the head" in refused.reason) == (NO_GO, True)
    nothing = found("", "", known=ALL)
    assert (nothing.verdict, "select.theorems" in nothing.reason) == (NO_GO, True)


def test_the_page_and_the_terminal_show_both_rows_and_the_verdict(tmp_path: Path) -> None:
    one = found(REST[:3], REST[:12])
    write_page(one, {"profile": "demo"}, tmp_path / "index.html")
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    print_lean_start(one, Console(width=120, file=(text := io.StringIO())))
    printed = text.getvalue()
    for shown in (page, printed):
        assert "held out" in shown
        assert "all, training too" in shown
        assert one.reason[1:] in shown
    assert "Newly solved with the head" in page
    assert "go: of 26 theorems" in printed
    assert LeanStart.model_validate_json(one.model_dump_json()) == one


def test_a_theorem_whose_statement_is_in_the_training_under_another_name_is_not_held_out(tmp_path: Path) -> None:
    names = [f"t{i}" for i in range(40)]
    held = [name for name in names if is_validation(name, 0.5)]
    learned = [name for name in names if name not in held]
    theorems = [Theorem(name=name, statement=f"∀ n : Nat, n + {i} = {i} + n") for i, name in enumerate(held[:4])]
    same = [
        Theorem(name=learned[0], statement="∀ m : Nat, m + 0 = 0 + m"),  # searched, as theorem 0
        Theorem(name=held[5], statement="∀ m : Nat, m + 1 = 1 + m"),  # held out as well
    ]
    store, data = Store(str(tmp_path)), "main/data"
    known = [{"name": learned[1], "statement": "∀ k : Nat, k + 2 = 2 + k", "tactics": ["omega"]}]
    store.write_text(f"{data}/theorems.json", dump_index(theorems))
    store.write_json(f"{data}/proofs.json", {"proofs": known})
    config = resolve("default", workflow="lean-start").config
    write_record(store, data, Key(step="data", version=1), config, {}, datetime.now(UTC), dollars_per_hour=0)
    context = Context(store, Finished(store, last=0).context(config).layout, config, tmp_path)
    unit = Unit("main/iterations/iter_0/lean-start", {"data": [data]})
    assert trained_on(context, unit, [*theorems, *same]) == {held[0], held[2], learned[0]}


# ---- the workflow


def test_it_is_a_part_of_iteration_0_that_searches_again_with_the_head_of_its_first_search(tmp_path: Path) -> None:
    config = resolve("smoke", ["search.shards=2"], workflow="lean-start").config
    (work,) = works_of(lean_start.build(config, store="s", run="lean-start").to_dict())
    layout, settings = place_of(work)
    assert (layout.iteration, settings.search.guided) == (0, True)
    assert not {"evaluate", "report"} & {*tasks_in(work)}
    templates = {t["name"]: t for t in work["spec"]["templates"]}
    assert "ebm-final.Succeeded" in next(
        t["depends"] for t in templates["main"]["dag"]["tasks"] if t["name"] == "search-final"
    )
    words = templates["search-final"]["sidecars"][0]["args"]
    assert words[words.index("--stage") + 1] == "final"
    assert [artifact["name"] for artifact in templates["lean-start"]["outputs"]["artifacts"]] == ["index"]


def test_an_iteration_has_none_of_it() -> None:
    built = iteration.build(resolve("default").config, store="s", run="r", iteration=0).to_dict()
    assert not {"search-final", "lean-start"} & {t["name"] for t in built["spec"]["templates"]}


def test_nothing_is_trained_on_the_second_search(tmp_path: Path) -> None:
    config = resolve("default", ["search.guided=true"]).config
    finished = Finished(Store(str(tmp_path)), config)
    records = {path: json.loads(finished.store.read_text(path)) for path in finished.store.list("main") if path.endswith("_SUCCESS")}  # fmt: skip
    guided = f"trajectories/{GUIDED}/"
    assert any(guided in path for path in records)
    readers = {r["key"]["step"] for r in records.values() if any(guided in name for name in r["key"]["inputs"])}
    assert readers == {"lean-start"}
    assert not any("iter_1" in path and (guided in path or "lean-start" in path) for path in records)


def test_what_cannot_be_judged_is_said() -> None:
    for override, words in (("ebm.enabled=false", "ebm.enabled=true"), ("data.validation_fraction=0", "set it to 0.5")):
        with pytest.raises(BadInput, match=words):
            lean_start.build(resolve("demo", [override], workflow="lean-start").config, store="s", run="r")


def test_its_steps_are_known_to_plans_and_redos() -> None:
    assert {"search-final", "lean-start"} <= {step.task for step in loop() if step.apart}
