"""The profiles for one GPU: they differ in how work is divided, and on one machine trainer and policy server take turns."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from burnqed.errors import BadInput
from burnqed.policy.client import context_length
from burnqed.policy.sglang import COMMAND, check_here, program, room
from burnqed.resolve import KEYS, flat, is_operation, resolve
from burnqed.run.local import LocalRunner
from burnqed_workflows.registry import WORKFLOWS
from tests.fixtures.shared import ROOT

PROFILES = ("single-gpu-24", "single-gpu", "single-gpu-80")
SMALLER = {"policy.embed_weights", "policy.quantization", "sft.base_weights", "sft.optimizer"}
"""What else differs with 24 GB, and what its outputs mean with it."""
SHAPE = {"num_attention_heads": 32, "hidden_size": 4096, "num_hidden_layers": 30}
"""DeepSeek-Prover-V2-7B."""
PARAMETERS = 2 * 102_400 * 4096 + 30 * (4 * 4096**2 + 3 * 4096 * 11_008) + 61 * 4096
GIB = {"single-gpu": 39.4, "single-gpu-80": 79.1}
"""What an A100 of 40 and one of 80 GB have."""


def test_every_size_trains_on_the_same_tokens_a_step_and_has_the_same_settings_but_for_its_memory() -> None:
    settings = {name: flat(resolve(name).config.model_dump()) for name in PROFILES}
    assert {s["sft.batch_tokens"] * s["sft.accumulation"] for s in settings.values()} == {32_768}
    for name in PROFILES:
        differing = {
            key for key in KEYS if settings[name][key] != settings["single-gpu"][key] and not is_operation(key)
        }
        assert differing - {"sft.batch_tokens", "sft.accumulation"} == (SMALLER if name == "single-gpu-24" else set())


@pytest.mark.parametrize("name", GIB)
def test_sglang_s_share_holds_the_model_and_as_many_tokens_as_the_document_says(name: str, tmp_path: Path) -> None:
    config = resolve(name).config
    (tmp_path / "config.json").write_text(json.dumps(SHAPE))
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.truncate(2 * PARAMETERS)
    tokens = room(tmp_path, config.policy, int(config.workflow.sglang_memory * GIB[name] * 2**30))
    assert tokens
    assert tokens > 5 * context_length(config.policy)
    document = (ROOT / "docs/one-gpu.md").read_text(encoding="utf-8")
    assert f"{tokens // 1000},{tokens // 100 % 10}00 tokens" in document


def test_without_sglang_that_is_said_before_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COMMAND, "/no/such/sglang serve")
    with pytest.raises(BadInput, match=r"no program '/no/such/sglang' .* or set workflow.policy_server=embedded"):
        program()


def test_several_sglangs_on_one_machine_are_refused_before_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COMMAND, "/bin/true serve")
    with pytest.raises(BadInput, match=r"workflow.parallelism=4 would start as many SGLangs on the same GPU"):
        check_here(resolve("joint-7b").config)
    check_here(resolve("single-gpu").config)


# ---- taking turns

SERVER = """
import os, signal, sys, time
def note(what): open({log!r}, "a").write(what + "\\n")
def leave(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a pod asks twice
    note("{name} -")
    os._exit(0)
signal.signal(signal.SIGTERM, leave)
note("{name} +")
time.sleep(60)
"""
STEP = """
import os, sys, time
def note(what): open({log!r}, "a").write(what + "\\n")
note("{name} +")
for output in {outputs!r}:
    os.makedirs(os.environ["BURNQED_OUTPUTS"], exist_ok=True)
    open(os.environ["BURNQED_OUTPUTS"] + "/" + output, "w").write("[0, 1]" if output.endswith("-shards") else "yes")
while {waits} and open({log!r}).read().count("policy +") == open({log!r}).read().count("policy -"):
    time.sleep(0.05)
note("{name} -")
"""


def noting(workflow: dict[str, Any], log: str) -> dict[str, Any]:
    """The workflow with containers that only write down when they begin and end."""
    for template in workflow["spec"]["templates"]:
        if container := template.get("container"):
            outputs = [parameter["name"] for parameter in template.get("outputs", {}).get("parameters", [])]
            sidecars = template.get("sidecars", [])
            script = STEP.format(log=log, name=template["name"], outputs=outputs, waits=bool(sidecars))
            container |= {"command": ["python", "-c"], "args": [script]}
            for sidecar in sidecars:
                sidecar |= {"command": ["python", "-c"], "args": [SERVER.format(log=log, name="policy")]}
    return workflow


@pytest.mark.parametrize("profile", PROFILES)
def test_the_policy_server_runs_only_beside_the_steps_that_ask_it_and_nothing_else_meanwhile(
    profile: str, tmp_path: Path
) -> None:
    (log := tmp_path / "log").touch()
    built = WORKFLOWS["iteration"].build(resolve(profile).config, store=str(tmp_path), run="main", iteration=1)
    document = noting(built.to_dict(), str(log))
    began = time.monotonic()
    result = asyncio.run(LocalRunner(cast(Any, SimpleNamespace(to_dict=lambda: document)), echo=lambda _: None).run())
    assert result.exit_code == 0, (result.nodes, time.monotonic() - began)
    running: set[str] = set()
    beside: set[str] = set()
    for line in log.read_text().splitlines():
        name, sign = line.split()
        running ^= {name}
        assert (name in running) == (sign == "+"), "one at a time"
        assert len(running - {"policy"}) <= 1, running
        if "policy" in running:
            beside |= running - {"policy"}
    assert not running
    assert beside == {"trivial-search", "search", "replay", "evaluate", "evaluate-search"}
    assert {"sft", "export", "embed-final", "ebm-final"} <= {line.split()[0] for line in log.read_text().splitlines()}
