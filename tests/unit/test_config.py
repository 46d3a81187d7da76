"""Configuration: profiles, overrides, provenance, and what a wrong one says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from burnqed.cli.config import app
from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.resolve import KEYS, explained, flat, from_json, profiles, resolve, section_text
from burnqed.workflow_names import WORKFLOWS


@pytest.mark.parametrize("name", profiles())
def test_every_shipped_profile_resolves(name: str) -> None:
    assert resolve(name).config.profile == name


@pytest.mark.parametrize("name", profiles())
def test_the_noisy_search_of_every_shipped_profile_is_hotter(name: str) -> None:
    search = resolve(name).config.search
    assert search.noise_temperature > search.temperature


def test_an_override_beats_the_profile_and_the_profile_the_default(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("search:\n  budget: 7\n  depth: 9\n")
    resolved = resolve(str(file), ["search.depth=11"])
    assert (resolved.config.search.budget, resolved.config.search.depth) == (7, 11)
    assert resolved.config.search.candidates == RunConfig().search.candidates
    assert resolved.origin["search.budget"] == f"profile {file}"
    assert resolved.origin["search.depth"] == "--set"
    assert resolved.origin["search.candidates"] == "default"


def test_a_configuration_travels_as_one_document() -> None:
    config = resolve("default", ["evaluate.budgets=[16, 64]", "policy.model=a/b"]).config
    assert from_json(config.to_json()) == config


def test_every_value_has_an_origin() -> None:
    resolved = resolve("demo", ["search.budget=1"])
    assert set(resolved.origin) == set(KEYS) == set(flat(resolved.config.model_dump()))


@pytest.mark.parametrize(
    ("override", "hint"),
    [
        ("serch.budget=3", "search.budget"),
        ("search.budgt=3", "search.budget"),
        ("sft.temperature=3", "search.temperature"),
        ("search.budget=many", "search.budget"),
        ("search.budget=0", "greater than or equal to 1"),
        ("search.budget", "section.key=value"),
        ("search.budget=[1", "YAML"),
        ("sft.method=magic", "sft.method"),
        ("data.benchmark=mine.json", "did you mean 'data.benchmarks'"),
        ("data.benchmarks=mine.json", "data.benchmarks.NAME=URI"),
        ("data.benchmarks.mine=3", "data.benchmarks.mine"),
        ("data.benchmarks.a/b=mine.json", "'a/b' is not a benchmark's name"),
        ("data.benchmarks={}", "at least 1"),
    ],
)
def test_a_wrong_override_is_one_sentence_that_helps(override: str, hint: str) -> None:
    with pytest.raises(BadInput) as error:
        resolve("default", [override])
    assert hint in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_profile_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match="did you mean 'demo'"):
        resolve("demos")


def test_an_unknown_key_in_a_document_is_refused() -> None:
    with pytest.raises(BadInput, match=r"search\.budget"):
        from_json('{"search": {"budgte": 3}}')


def test_a_document_of_an_earlier_version_is_read_with_the_keys_of_today() -> None:
    config = from_json('{"select": {"probe_timeout_s": 5.0}, "data": {"benchmark": null}, "search": {"budget": 7}}')
    assert config == resolve("default", ["search.budget=7"]).config
    assert from_json('{"data": {"benchmark": "mine.json"}}').data.benchmarks == {"core": "mine.json"}


def test_a_document_that_is_not_json_is_one_sentence() -> None:
    with pytest.raises(BadInput, match="is not JSON"):
        from_json('{"search": ')


def test_a_benchmark_is_added_by_its_name_and_all_are_replaced_by_theirs(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("data:\n  benchmarks: {a: a.json}\n")
    added = resolve("default", ["data.benchmarks.b=b.json"]).config
    assert added.data.benchmarks == {"core": "shipped", "b": "b.json"}
    assert resolve(None, ["data.benchmarks.c=c.json"], base=added).config.data.benchmarks == {
        **added.data.benchmarks,
        "c": "c.json",
    }
    assert resolve(str(file), []).config.data.benchmarks == {"a": "a.json"}
    assert resolve(str(file), ["data.benchmarks.b=b.json"]).config.data.benchmarks == {"a": "a.json", "b": "b.json"}


def test_a_profile_builds_on_the_one_that_it_names(tmp_path: Path) -> None:
    (mine := tmp_path / "mine.yaml").write_text("profile: single-gpu-24\nsft: {steps: 7}\n")
    found = resolve(str(mine))
    assert found.config.profile == str(mine)
    assert (found.config.sft.steps, found.config.sft.base_weights, found.config.sft.method) == (7, "nf4", "lora")
    assert [found.origin[f"sft.{name}"] for name in ("steps", "base_weights", "method", "seed")] == [
        f"profile {mine}",
        "profile single-gpu-24",
        "profile single-gpu",
        "default",
    ]


@pytest.mark.parametrize("base", ["ITSELF", "no-such", "[small]"])
def test_a_profile_that_builds_on_none_is_refused(base: str, tmp_path: Path) -> None:
    (mine := tmp_path / "mine.yaml").write_text(f"profile: {base.replace('ITSELF', str(tmp_path / 'mine.yaml'))}\n")
    with pytest.raises(BadInput):
        resolve(str(mine))


def test_every_value_says_what_it_means_and_what_it_decides() -> None:
    for key in KEYS:
        about = explained(key)
        assert about.text, f"{key} has no docstring"
        assert about.decides in ("operation", "address", "structure", "meaning")
    assert not [
        section for section in {key.partition(".")[0] for key in KEYS} - {"profile"} if not section_text(section)
    ]


@pytest.mark.parametrize(
    ("key", "unit", "decides"),
    [
        ("search.budget", "nodes", "meaning"),
        ("lean.recycle_minutes", "min", "operation"),
        ("search.tokens", "tokens", "meaning"),
        ("data.benchmarks", "", "address"),
        ("ebm.enabled", "", "structure"),
        ("worker.cpu", "", "operation"),
        ("cost.max_dollars", "US$", "operation"),
    ],
)
def test_marks_are_read_from_the_field_or_its_section(key: str, unit: str, decides: str) -> None:
    assert (explained(key).unit, explained(key).decides) == (unit, decides)


def test_the_reference_prints_every_value_in_whole_lines_where_no_terminal_wraps_them() -> None:
    printed = CliRunner().invoke(app, ["show", "--explain", "--set", "search.budget=7"])
    assert printed.exit_code == 0
    lines = printed.stdout.splitlines()
    for key in KEYS:
        (at,) = [number for number, line in enumerate(lines) if line.startswith(f"{key} = ")]
        assert lines[at + 1].strip() == explained(key).text
    assert "search.budget = 7 nodes  [meaning]  from --set; default 100" in lines
    assert "search.tokens = null  [meaning]" in lines
    document = json.loads(CliRunner().invoke(app, ["show", "--explain", "--json"]).stdout)
    assert document["search.budget"] == {"value": 100, "from": "default", **vars(explained("search.budget"))}


# ---- values for single workflows


def test_what_a_profile_has_for_a_workflow_counts_for_that_one_alone_and_below_an_override(tmp_path: Path) -> None:
    (mine := tmp_path / "mine.yaml").write_text(
        "select: {theorems: 7}\nworkflows: {baseline: {select: {theorems: 8}, search: {budget: 9}}}\n"
    )
    alone, found = resolve(str(mine)), resolve(str(mine), ["search.budget=10"], workflow="baseline")
    assert (alone.config.select.theorems, alone.config.sft.enabled) == (7, True)
    assert (found.config.select.theorems, found.config.search.budget) == (8, 10)
    assert not found.config.sft.enabled, "as the profile default says, on which every profile builds"
    assert [found.origin[key] for key in ("select.theorems", "search.budget", "sft.enabled")] == [
        f"profile {mine}, workflow baseline",
        "--set",
        "profile default, workflow baseline",
    ]


def test_a_profile_has_what_the_one_it_builds_on_has_for_a_workflow() -> None:
    found = resolve("joint-7b", workflow="baseline")
    assert found.origin["policy.template"] == "profile cluster-7b, workflow baseline"
    assert found.config.select.theorems == 2000


def test_a_run_that_goes_on_keeps_its_values_whatever_a_profile_has_for_the_workflow() -> None:
    before = resolve("demo").config
    assert resolve(None, base=before, workflow="baseline").config == before


def test_the_profile_default_has_values_for_workflows_only() -> None:
    assert resolve("default").config == RunConfig()
    assert set(resolve("default").origin.values()) == {"default"}


@pytest.mark.parametrize("name", profiles())
@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_every_shipped_profile_resolves_for_every_workflow(name: str, workflow: str) -> None:
    assert resolve(name, workflow=workflow).config.profile == name


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("workflows: {basline: {}}", "did you mean 'baseline'?"),
        ("workflows: {baseline: {search: {budgte: 3}}}", "did you mean 'search.budget'?"),
        ("workflows: {baseline: {profile: demo}}", "Unknown configuration key 'profile'"),
        ("workflows: {baseline: 3}", "must be a mapping of sections"),
        ("workflows: [baseline]", "write `workflows: "),
    ],
)
def test_a_wrong_word_there_is_refused_by_every_workflow(text: str, hint: str, tmp_path: Path) -> None:
    (mine := tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(BadInput) as error:
        resolve(str(mine), workflow="iteration")
    assert hint in str(error.value)
    assert "\n" not in str(error.value)


def test_show_tells_what_a_workflow_has() -> None:
    printed = CliRunner().invoke(app, ["show", "--profile", "smoke", "--workflow", "lean-start", "--json"])
    document = json.loads(printed.stdout)
    assert document["select.theorems"] == {"value": 12, "from": "profile smoke, workflow lean-start"}
