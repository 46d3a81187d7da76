"""Keys tell the truth: what decides an output is in its key, what does not is in none, for every value of the configuration."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hera.workflows import Workflow
from pydantic import ValidationError

from burnqed.config import SHIPPED, RunConfig
from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.theorems import dump_index, shipped_benchmark
from burnqed.errors import BadInput
from burnqed.key import Key
from burnqed.layout import SUCCESS, Layout
from burnqed.lean.pantograph import project
from burnqed.lean.pantograph.project import FILE, Project, mathlib
from burnqed.lean.protocol import Theorem
from burnqed.record import read_record, write_record
from burnqed.resolve import KEYS
from burnqed.section import Kind, Section, Undeclared
from burnqed.steps import data, known, report
from burnqed.steps import ebm as steps_ebm
from burnqed.steps import sft as steps_sft
from burnqed.steps.base import Context, Unit, execute
from burnqed.steps.facts import BaseFacts
from burnqed.steps.known import known_proofs
from burnqed.steps.models import as_searched
from burnqed.steps.select import Selection
from burnqed.steps.table import Step, loop, step_named
from burnqed.store import Store
from burnqed_workflows import evaluate, iteration
from tests.fixtures.finished import RUN, Finished
from tests.fixtures.own_steps import own_step

ONE_VALUE = {"lean.backend"}
"""What else it could be is for other packages to say."""
OTHERS: list[object] = [True, False, 7, 2, 999, 0.37, 3.0, "3", "merged", "same", "lora", "bfloat16", "sglang", "qwen", "nf4", "prompt", "brief", "paged_adamw_8bit", "theorems", "searched", "auto", "Always", "main:0", [7, 9], ["a=b"], ["a:NoSchedule"], ["moves"], "pvc:x", {"a": 0.5}]  # fmt: skip


def with_value(config: RunConfig, key: str, value: object) -> RunConfig:
    document = config.model_dump()
    section, _, name = key.rpartition(".")
    (document[section] if section else document)[name] = value
    return RunConfig.model_validate(document)


def changed(key: str, base: RunConfig | None = None) -> RunConfig:
    """The defaults, or `base`, with another value of one field."""
    base = base or RunConfig()
    for other in OTHERS:
        try:
            config = with_value(base, key, other)
        except ValidationError:
            continue
        if config != base:
            return config
    raise AssertionError(f"no other value for {key}")


def kind(key: str) -> Kind | None:
    section, _, name = key.rpartition(".")
    if not section:
        return RunConfig.kind(name)
    inner = RunConfig.model_fields[section].annotation
    assert isinstance(inner, type)
    assert issubclass(inner, Section)
    return RunConfig.kind(section) or inner.kind(name)


MEANING = [key for key in KEYS if kind(key) is None and key not in ONE_VALUE]
OPERATION = [key for key in KEYS if kind(key) is Kind.OPERATION]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known, "known_proofs", functools.cache(known_proofs))
        yield Finished(Store(str(tmp_path_factory.mktemp("finished"))))


JOINT = with_value(RunConfig(), "joint.enabled", True)


@pytest.fixture(scope="module")
def finished_jointly(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known, "known_proofs", functools.cache(known_proofs))
        yield Finished(Store(str(tmp_path_factory.mktemp("jointly"))), JOINT)


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    logging.getLogger("burnqed").propagate = True
    caplog.set_level("INFO", logger="burnqed")
    return caplog


def test_a_finished_iteration_is_all_hits(finished: Finished, said: pytest.LogCaptureFixture) -> None:
    assert finished.planned(RunConfig()) == []
    assert {record.message.rpartition(": ")[2] for record in said.records} == {"hit"}


@pytest.mark.parametrize("key", OPERATION)
def test_how_work_is_done_remakes_nothing(finished: Finished, said: pytest.LogCaptureFixture, key: str) -> None:
    assert finished.planned(changed(key)) == []
    assert {record.message.rpartition(": ")[2] for record in said.records} == {"hit"}


@pytest.mark.parametrize("key", MEANING)
def test_what_decides_an_output_remakes_it_or_is_said(
    finished: Finished, finished_jointly: Finished, said: pytest.LogCaptureFixture, key: str
) -> None:
    done, before = (finished_jointly, JOINT) if key.startswith("joint.") else (finished, RunConfig())
    readers = list(done.readers(key, changed(key, before)))
    planned = done.planned(changed(key, before))
    reasons = [record.message for record in said.records if f"{key} went from " in record.message]
    assert readers
    for step, label in readers:
        if step.kept:
            assert any(reason.startswith(f"{label}: hit, but {label} was kept although ") for reason in reasons)
        else:
            assert step.task in planned
            assert any(reason.startswith(f"{label}: miss, because ") for reason in reasons)


@pytest.mark.parametrize("key", ["ebm.enabled", "evaluate.with_head"])
def test_which_outputs_there_are_changes_only_what_is_made_of_them(finished: Finished, key: str) -> None:
    assert finished.planned(changed(key)) == ["report"]


def test_what_is_not_learned_from_is_no_input(finished: Finished) -> None:
    assert finished.planned(changed("sft.found_proofs"))[0] == "sft"
    assert finished.planned(changed("ebm.noise"))[0] == "embed-search"


def test_what_an_embedding_is_decides_a_joint_training_and_no_fine_tuning(
    finished: Finished, finished_jointly: Finished
) -> None:
    assert finished_jointly.planned(with_value(JOINT, "policy.embedding", "prompt"))[0] == "sft"
    assert "sft" not in finished.planned(with_value(RunConfig(), "policy.embedding", "prompt"))


def test_preferences_come_from_searches_and_replays_where_they_count(tmp_path: Path) -> None:
    store, preferring = Store(str(tmp_path)), with_value(RunConfig(), "sft.preferences", 0.5)
    before = Finished(store, last=0)

    def learned(config: RunConfig) -> set[str]:
        (unit,) = step_named("sft").work.units(before.context(config, 1))
        return {prefix.split("/")[4] for prefix in unit.inputs if "/trajectories/" in prefix}

    assert (learned(RunConfig()), learned(preferring)) == ({"main", "noise"}, {"main", "noise", "replay"})
    assert learned(with_value(preferring, "sft.found_proofs", False)) == set()
    store.delete(before.context(preferring, 0).layout.trajectories("replay"))
    assert learned(preferring) == {"main", "noise"}, "no iteration has replayed any"


@pytest.mark.parametrize("recorded_by", ["this version", "an earlier one"])
def test_how_later_iterations_train_decides_nothing_about_iteration_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorded_by: str
) -> None:
    with monkeypatch.context() as patch:
        if recorded_by == "an earlier one":
            patch.setattr(steps_sft, "NOT_AT_FIRST", frozenset())
        first = Finished(Store(str(tmp_path)), last=0)
    assert [key for key in steps_sft.NOT_AT_FIRST if first.planned(changed(key))] == []
    assert first.planned(changed("sft.steps"))[0] == "sft"


def test_joint_training_takes_the_place_of_fine_tuning_and_of_the_search_head_from_iteration_1_on(
    finished: Finished, finished_jointly: Finished, tmp_path: Path
) -> None:
    first = Finished(Store(str(tmp_path)), last=0)
    assert first.planned(JOINT) == []
    assert {"sft", "export", "embed-search", "ebm-search"} <= set(finished.planned(JOINT))
    assert finished_jointly.planned(with_value(JOINT, "ebm.enabled", False))[:1] == ["sft"]


def test_every_value_decides_something_or_nothing() -> None:
    assert len(MEANING) > 80
    assert len(OPERATION) > 50
    assert {key for key in KEYS if kind(key) is Kind.ADDRESS} == {
        "data.theorems",
        "data.pairs",
        "data.proofs",
        "data.benchmarks",
        "policy.model",
    }
    assert {key for key in KEYS if kind(key) is Kind.STRUCTURE} == {
        "data.origin",
        "sft.enabled",
        "sft.found_proofs",
        "ebm.enabled",
        "ebm.noise",
        "joint.enabled",
        "search.enabled",
        "search.guided",
        "search.noise",
        "evaluate.with_head",
        "evaluate.search_head",
        "gate.baseline",
    }


# ---- what lies at an address


def write_index(file: Path, statement: str) -> str:
    file.write_text(dump_index([Theorem(name="t", statement=statement)]), encoding="utf-8")
    return str(file)


def write_pairs(file: Path, tactic: str) -> str:
    PAIRS.write(
        Store(str(file.parent)),
        file.name,
        [PAIRS.batch([TacticPair(theorem="t", state="⊢ p", tactic=tactic, source="s")])],
    )
    return str(file)


def write_model(folder: Path, weights: bytes) -> None:
    folder.mkdir(exist_ok=True)
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_text("{}", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(weights)


def benchmarks(file: str) -> RunConfig:
    return with_value(RunConfig(), "data.benchmarks", {"core": SHIPPED, "mine": file})


def theorems(file: str) -> RunConfig:
    return with_value(RunConfig(), "data.theorems", file)


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (theorems, "data: miss, because what lies at data.theorems changed"),
        (benchmarks, "data: miss, because benchmarks/mine is redone"),
    ],
)
def test_another_index_at_the_same_address_makes_the_data_anew(
    tmp_path: Path, said: pytest.LogCaptureFixture, config: Callable[[str], RunConfig], reason: str
) -> None:
    file = write_index(tmp_path / "a.json", "True")
    finished = Finished(Store(str(tmp_path / "store")), config(file))
    elsewhere = shutil.copy(tmp_path / "a.json", tmp_path / "b.json")
    assert finished.planned(config(str(elsewhere))) == []
    write_index(tmp_path / "a.json", "1 = 1")
    assert "data" in finished.planned(config(file))
    assert reason in said.text


def test_an_iteration_that_has_searched_keeps_its_search_whatever_the_settings_say_later(tmp_path: Path) -> None:
    before = Finished(Store(str(tmp_path)), RunConfig())
    off = with_value(RunConfig(), "search.enabled", [7])
    kept = as_searched(before.store, Layout(RUN, 1), off)
    assert before.planned(kept) == []
    assert before.planned(off) != [], "without that, what learned from the search would be made anew"
    other = as_searched(before.store, Layout(RUN, 2), off)
    assert other == off, "this one has not searched"


def test_other_pairs_at_the_same_address_or_another_weight_make_the_data_anew(
    tmp_path: Path, said: pytest.LogCaptureFixture
) -> None:
    def config(given: str) -> RunConfig:
        return with_value(RunConfig(), "data.pairs", [given])

    file = write_pairs(tmp_path / "a.parquet", "simp")
    finished = Finished(Store(str(tmp_path / "store")), config(file))
    assert "data" in finished.planned(RunConfig())
    elsewhere = shutil.copy(tmp_path / "a.parquet", tmp_path / "b.parquet")
    for same in (file, str(elsewhere), f"{elsewhere}=1.0"):
        assert finished.planned(config(same)) == []
    assert "data" in finished.planned(config(f"{file}=2"))
    write_pairs(tmp_path / "a.parquet", "omega")
    said.clear()
    assert "data" in finished.planned(config(file))
    assert "data: miss, because what lies at data.pairs changed" in said.text


# ---- benchmarks that are added


def test_a_benchmark_that_is_added_has_only_itself_its_evaluation_and_the_reports_made(
    tmp_path: Path, said: pytest.LogCaptureFixture
) -> None:
    finished = Finished(Store(str(tmp_path / "store")))
    config = benchmarks(write_index(tmp_path / "a.json", "True"))
    assert finished.planned(config) == ["benchmark", "evaluate", "report"]
    made = {record.message.partition(": ")[0] for record in said.records if ": miss" in record.message}
    shards = [f"iterations/iter_1/evaluation/mine/{v}/shard-000{n}-of-0002" for v in ("plain", "head") for n in (0, 1)]
    assert made == {"benchmarks/mine", *shards, "iterations/iter_1/report"}


def test_theorems_of_the_index_that_are_held_out_have_the_data_made_anew_but_no_other_benchmark(
    tmp_path: Path, said: pytest.LogCaptureFixture
) -> None:
    config = with_value(RunConfig(), "data.in_domain", 5)
    first = Finished(Store(str(tmp_path / "first")))
    assert {"benchmark", "data", "sft", "select", "evaluate"} <= set(first.planned(config))
    assert "main/benchmarks/core" not in {r.message.partition(": ")[0] for r in said.records if ": miss" in r.message}
    held_out = Finished(Store(str(tmp_path / "second")), config)
    assert held_out.planned(config) == []
    added = with_value(config, "data.benchmarks", benchmarks(write_index(tmp_path / "a.json", "True")).data.benchmarks)
    assert held_out.planned(added) == ["benchmark", "evaluate", "report"], "another benchmark leaves them as they are"
    assert {"benchmark", "data", "sft"} <= set(held_out.planned(with_value(config, "data.generated", 7)))


def test_training_that_is_done_anew_for_another_reason_holds_back_what_was_added_meanwhile(tmp_path: Path) -> None:
    finished = Finished(Store(str(tmp_path / "store")))
    added = benchmarks(write_index(tmp_path / "a.json", "True"))

    def held_back(config: RunConfig, *redo: str) -> list[str]:
        (unit,) = data.units(replace(finished.context(config), redo=frozenset(redo)))
        return [prefix.rpartition("/")[2] for prefix in unit.inputs]

    assert held_back(added) == ["core"]
    assert held_back(added, "data") == ["core", "mine"]
    assert held_back(with_value(added, "data.generated", 7)) == ["core", "mine"]
    assert held_back(with_value(added, "data.benchmarks", {"mine": added.data.benchmarks["mine"]})) == ["core"]


def test_a_benchmark_may_have_the_name_of_another_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = with_value(RunConfig(), "data.benchmarks", {"selection": SHIPPED, "trajectories": SHIPPED})
    finished = Finished(Store(str(tmp_path / "store")), config)
    context, read = finished.context(config), []
    layout, (unit,) = context.layout, report.units(context)
    assert {prefix.rpartition("/shard-")[0] for prefix in unit.sources["searched"]} == {layout.trajectories("main")}
    monkeypatch.setattr(report, "read_proofs", lambda *_: [])
    monkeypatch.setattr(
        report, "read_selection", lambda _, prefix: read.append(prefix) or Selection(theorems=[], probe_easy=[])
    )
    report.trained_statements(context, unit)
    assert read == [layout.at(0).selection, layout.selection]


def test_another_first_benchmark_is_what_the_gates_look_at(tmp_path: Path, said: pytest.LogCaptureFixture) -> None:
    config = benchmarks(write_index(tmp_path / "a.json", "True"))
    finished = Finished(Store(str(tmp_path / "store")), config)
    reordered = with_value(config, "data.benchmarks", dict(reversed(config.data.benchmarks.items())))
    assert finished.planned(reordered) == ["report"]
    assert 'the benchmark of the gates went from "core" to "mine"' in said.text


@pytest.mark.parametrize("harm", ["another benchmark", "damage", "no benchmark"])
def test_training_whose_inputs_changed_or_that_is_damaged_holds_back_what_was_added_meanwhile(
    tmp_path: Path, harm: str
) -> None:
    finished = Finished(Store(str(tmp_path / "store")))
    added = benchmarks(write_index(tmp_path / "a.json", "True"))
    unit = finished.context(added).layout.benchmark("core")
    if harm == "damage":
        finished.store.write_text("main/data/out", "")
    else:
        finished.store.delete(unit)
    if harm == "another benchmark":
        write_record(finished.store, unit, Key(step="", version=1), added, {}, datetime.now(UTC), dollars_per_hour=0)
    (found,) = data.units(finished.context(added))
    assert [prefix.rpartition("/")[2] for prefix in found.inputs] == ["core", "mine"]


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_another_model_at_the_same_address_makes_the_base_anew(tmp_path: Path, scheme: str) -> None:
    write_model(tmp_path / "model", b"1")
    config = with_value(RunConfig(), "policy.model", f"{scheme}{tmp_path / 'model'}")
    finished = Finished(Store(str(tmp_path / "store")), config)
    assert finished.planned(config) == []
    write_model(tmp_path / "model", b"22")
    assert finished.planned(config)[:2] == ["base", "sft"]


def test_the_shape_of_the_tiny_model_decides_nothing_about_another_one(tmp_path: Path) -> None:
    write_model(tmp_path / "model", b"1")
    config = with_value(RunConfig(), "policy.model", str(tmp_path / "model"))
    assert Finished(Store(str(tmp_path / "store")), config).planned(with_value(config, "policy.layers", 9)) == []


def test_deep_theorems_depend_on_the_benchmark_that_they_are_apart_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finished: Finished
) -> None:
    deep = with_value(RunConfig(), "data.deep", 3)
    before = Finished(Store(str(tmp_path)), deep)
    assert before.planned(deep) == []
    monkeypatch.setattr(known, "shipped_benchmark", lambda: shipped_benchmark()[1:])
    assert "data" in before.planned(deep)
    assert finished.planned(RunConfig()) == []


# ---- a step sees what it declares


def test_a_step_that_reads_what_it_does_not_declare_fails(tmp_path: Path) -> None:
    async def run(context: Context, unit: Unit) -> BaseFacts:
        return BaseFacts(version=f"{context.config.lean.workers}", bytes=int(context.config.policy.top_p))

    def made(*reads: str) -> dict[str, object]:
        step = own_step("step", lambda _: [Unit(f"{RUN}/out")], run, reads=reads)
        context = Context(Store(str(tmp_path)), Layout(RUN, 0), RunConfig(), tmp_path)
        asyncio.run(execute(step, context))
        return json.loads((tmp_path / RUN / "out/_SUCCESS").read_text())["key"]["settings"]  # type: ignore[no-any-return]

    with pytest.raises(Undeclared, match=r"PolicyConfig\.top_p"):
        made("sft")
    assert made("policy.top_p") == {"policy.top_p": 0.95}


# ---- the version of Lean


def write_project(folder: Path, version: str) -> Path:
    """The description of a Lean project for the backend `pantograph`; nothing of it is started."""
    folder.mkdir(exist_ok=True)
    project = Project(**mathlib().model_dump() | {"version": version}, repl=("repl",), checker=("checker",), environment={}, readable=())  # fmt: skip
    (folder / FILE).write_text(project.model_dump_json(), encoding="utf-8")
    return folder


def native(project: Path | None) -> RunConfig:
    return RunConfig.model_validate({"lean": {"backend": "pantograph", "project": project and str(project)}})


OF_LEAN = ["benchmark", "data", "select", "trivial", "search", "replay", "lean-start", "evaluate"]


def opens_lean(step: Step) -> bool:
    return any(name in ("lean", "lean.backend") for name in step.reads)


def test_the_steps_that_open_a_lean_are_those_that_read_which() -> None:
    assert [*dict.fromkeys(step.name for step in loop() if opens_lean(step))] == OF_LEAN


def test_another_version_of_lean_remakes_what_was_made_with_it_and_keeps_searches(
    tmp_path: Path, said: pytest.LogCaptureFixture
) -> None:
    old, new = write_project(tmp_path / "a", "4.29.1/a"), write_project(tmp_path / "b", "4.29.1/b")
    finished = Finished(Store(str(tmp_path / "store")), native(old))
    shutil.copytree(old, tmp_path / "moved")
    assert finished.planned(native(tmp_path / "moved")) == []
    said.clear()
    planned = finished.planned(native(new))
    assert {"benchmark", "data", "select", "evaluate", "report"} <= set(planned)
    assert not {"search", "replay"} & set(planned)
    why = 'lean went from "4.29.1/a" to "4.29.1/b"'
    lines = {record.message.partition(": ")[0]: record.message.partition(": ")[2] for record in said.records}
    for label in ("benchmarks/core", "data", "iterations/iter_1/selection"):
        assert lines[label] == f"miss, because {why}"
    kept = "iterations/iter_1/trajectories/main/shard-0000-of-0002"
    assert lines[kept] == f"hit, but {kept} was kept although {why}; --redo search redoes it"


def test_another_commit_of_mathlib_is_another_lean_where_none_is_installed(
    tmp_path: Path, said: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BURNQED_CACHE", str(tmp_path / "cache"))
    finished = Finished(Store(str(tmp_path / "store")), native(None))
    assert finished.planned(native(None)) == []
    before = mathlib()
    after = before.model_copy(update={"version": before.version.replace("mathlib-", "mathlib-0")})
    monkeypatch.setattr(project, "mathlib", lambda: after)
    assert "benchmark" in finished.planned(native(None))
    assert f'benchmarks/core: miss, because lean went from "{before.version}" to "{after.version}"' in said.text


def test_the_embedded_lean_is_in_no_key_so_earlier_outputs_stay(finished: Finished) -> None:
    records = [path for path in finished.store.list(RUN) if path.endswith(SUCCESS)]
    assert records
    assert not [path for path in records if "lean" in finished.store.read_json(path)["key"]["settings"]]


# ---- the library's lemmas


def test_the_lemmas_that_prompts_offer_are_listed_once_whatever_their_number(
    finished: Finished, tmp_path: Path
) -> None:
    def offering(number: int) -> RunConfig:
        return with_value(RunConfig(), "policy.lemmas", number)

    assert {"data", "sft", "export", "evaluate"} <= set(finished.planned(offering(8)))
    other = Finished(Store(str(tmp_path)), offering(8), last=0)
    assert other.planned(offering(8)) == []
    assert {"sft", "export", "evaluate"} <= set(other.planned(offering(16)))
    assert not {"data", "base", "select"} & set(other.planned(offering(16)))
    without = RunConfig()
    assert not {"data", "base"} & set(other.planned(without))


def test_what_offers_no_lemmas_has_the_keys_that_it_always_had(finished: Finished) -> None:
    records = [finished.store.read_json(path) for path in finished.store.list(RUN) if path.endswith(SUCCESS)]
    assert not [record for record in records if "lemmas" in json.dumps(record["key"])]


def test_heads_that_learned_depth_as_it_was_meant_before_are_trained_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finished_jointly: Finished
) -> None:
    deep = with_value(JOINT, "ebm.depth_weight", 1.0)
    monkeypatch.setattr(steps_ebm, "learning_parameters", lambda config: ())
    before = Finished(Store(str(tmp_path)), deep)
    assert before.planned(deep) == []
    monkeypatch.undo()
    assert {"sft", "ebm-final"} <= set(before.planned(deep))
    assert not finished_jointly.planned(JOINT)


# ---- words


@pytest.mark.parametrize("build", [iteration.build, evaluate.build])
def test_a_step_to_redo_that_the_workflow_does_not_have_is_bad_input(build: Callable[..., Workflow]) -> None:
    def built(redo: str) -> Workflow:
        return build(RunConfig(), store="runs", run=RUN, iteration=0, redo=redo)

    with pytest.raises(BadInput, match=r"no step 'evaluat' to redo here \(did you mean 'evaluate'"):
        built("evaluat")
    built("evaluate, report")
    with pytest.raises(BadInput, match="no step 'gate'"):
        built("gate")


def test_what_rests_on_a_kept_search_says_so(finished: Finished, said: pytest.LogCaptureFixture) -> None:
    assert finished.planned(with_value(RunConfig(), "search.budget", 300)) == []
    kept = "iterations/iter_1/trajectories/main/shard-0000-of-0002 was kept although search.budget went from 100 to 300"
    lines = {record.message.partition(": ")[0]: record.message for record in said.records}
    for label in ("embeddings/final", "ebm/final", "evaluation/core/head/shard-0000-of-0002", "report"):
        assert f"hit, but {kept}" in lines[f"iterations/iter_1/{label}"]
    assert lines["iterations/iter_1/adapter"].endswith(": hit")


def test_the_report_tells_what_kept_searches_ran_with(finished: Finished) -> None:
    layout = Layout(RUN, 1)
    folders = [
        path.removesuffix(f"/{SUCCESS}") for path in finished.store.list(layout.trajectories("main")) if SUCCESS in path
    ]
    records = [record for prefix in folders if (record := read_record(finished.store, prefix))]
    assert len(records) == 2
    for budget, said in ((100, []), (300, ["search.budget went from 100 to 300"])):
        config = with_value(RunConfig(), "search.budget", budget)
        context = replace(finished.context(config), recorded=config)
        assert report.changed_since(context, records) == said
