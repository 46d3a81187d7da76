"""Settings that contradict each other are refused before anything runs: by `run`, `step`, `submit` and `retry`."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from burnqed.cli.main import app
from burnqed.errors import BadInput
from burnqed.resolve import profiles, resolve
from burnqed.run.argo.preflight import check_contradictions
from burnqed.run.argo.submit import retried
from burnqed.run.contradictions import check_settings
from burnqed.steps.table import loop
from tests.unit.test_preflight import document

EVERY = [row.task for row in loop()]
CONTRADICTIONS = {
    "base": ("must be a multiple of twice policy.heads", ["policy.hidden_size=50"]),
    "sft": ("policy.thinking is for models that are not trained here", ["policy.thinking=true", "policy.template=qwen"]),
    "sft ": ("set sft.method=lora, too", ["sft.base_weights=nf4"]),
    "sft  ": ("applies from step joint.judged_after .2000. on, and there are only 100", ["joint.enabled=true", "joint.steps=100", "joint.max_loss=1"]),
    "sft   ": ("joint.min_centroid is measured on validation theorems", ["joint.enabled=true", "joint.min_centroid=3", "joint.judged_after=100", "data.validation_fraction=0"]),
    "sft    ": ("sft.optimizer=muon is for whole matrices", ["sft.optimizer=muon", "sft.method=lora"]),
    "replay": ("policy.quantization=fp8 is for SGLang", ["policy.quantization=fp8"]),
    "ebm-final": ("must be below ebm.max_temperature", ["ebm.min_temperature=10"]),
    "ebm-search": ("leave no other negatives", ["ebm.earlier_share=0.5", "ebm.expanded_share=0.5"]),
    "ebm-final ": ("set ebm.depth_weight=1, too", ["ebm.known_proofs=100"]),
    "evaluate": ("set policy.template, too", ["policy.thinking=true"]),
    "search": ("--dtype, which burnqed sets itself", ["workflow.policy_server=sglang", "policy.sglang_args=[--dtype=half]"]),
}  # fmt: skip
"""By a task that each would end."""


@pytest.mark.parametrize(("task", "sentence", "settings"), [(t.strip(), *found) for t, found in CONTRADICTIONS.items()])
def test_a_contradiction_is_refused_where_a_task_would_meet_it(task: str, sentence: str, settings: list[str]) -> None:
    config = resolve("small", settings).config
    with pytest.raises(BadInput, match=sentence):
        check_settings(config, [task])
    check_settings(config, ["data", "report"])


@pytest.mark.parametrize("task", ["data", "evaluate"])
def test_lemmas_are_offered_where_the_backend_can_list_those_of_its_library(task: str) -> None:
    check_settings(resolve("small", ["policy.lemmas=8"]).config, [task])
    check_settings(resolve("small", ["lean.backend=pantograph"]).config, [task])
    with pytest.raises(BadInput, match=r"which the Lean backend pantograph cannot list; set policy\.lemmas=0"):
        check_settings(resolve("small", ["policy.lemmas=8", "lean.backend=pantograph"]).config, [task])


def test_a_limit_that_also_decides_what_is_kept_may_stand_alone() -> None:
    settings = ["joint.enabled=true", "joint.steps=100", "joint.min_linear_probe=0.6"]
    check_settings(resolve("small", settings).config, EVERY)


@pytest.mark.parametrize("name", profiles())
def test_no_shipped_profile_contradicts_itself(name: str) -> None:
    check_settings(resolve(name).config, EVERY)


@pytest.mark.parametrize("words", [("run", "iteration"), ("run", "smoke"), ("step", "sft")], ids=" ".join)
def test_a_command_ends_with_2_and_one_sentence_before_it_writes(words: tuple[str, str], tmp_path: Path) -> None:
    store = tmp_path / "store"
    iteration = [] if "smoke" in words else ["--iter", "0"]
    done = CliRunner().invoke(app, [*words, *iteration, "--store", str(store), "--set", "sft.base_weights=nf4"])
    assert isinstance(done.exception, BadInput)  # exit code 2
    assert str(done.exception).count(". ") == 0
    assert not store.exists()


def test_an_evaluation_may_think(tmp_path: Path) -> None:
    check_settings(resolve("small", CONTRADICTIONS["sft"][1]).config, ["benchmark", "evaluate", "report"])


def test_a_submission_and_a_retry_are_refused_too() -> None:
    with pytest.raises(BadInput, match="set sft.method=lora"):
        check_contradictions(document(), {"config": resolve("small", ["sft.base_weights=nf4"]).config.to_json()})
    with pytest.raises(BadInput, match="set sft.method=lora"):
        retried(document(), None, ["sft.base_weights=nf4"])
