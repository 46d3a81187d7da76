"""Several processes that train one model: the result is that of one."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch.distributed.tensor import DTensor

from burnqed.config import SftConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.policy.prompt import prompt
from burnqed.policy.tiny import make_base
from burnqed.train import parallel
from burnqed.train.sft import Pairs, SftOutcome
from tests.fixtures import trained_together
from tests.fixtures.joint_data import pairs
from tests.integration.test_joint import SHAPE

PAIRS = Pairs(pairs(160, "known", 0), pairs(30, "search", 1))
SETTINGS = SftConfig(
    learning_rate=1e-2,
    steps=12,
    batch_tokens=1_024,
    max_length=160,
    warmup_steps=3,
    evaluate_every=4,
    checkpoint_every=3,
    lora_rank=4,
    lora_alpha=8,
    lora_dropout=0.0,
)
WEIGHTS = {"full": "model.safetensors", "lora": "adapter_model.safetensors"}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    make_base([prompt(pair.state) + pair.tactic for pair in PAIRS.base], folder, SHAPE, seed=0)
    return folder


def train(
    base: Path, workdir: Path, number: int, *, store: Path | None = None, stop: Any = None, killed_at: int = -1, **changes: Any
) -> SftOutcome:  # fmt: skip
    config = SETTINGS.model_copy(update=changes)
    options = {"base": base, "pairs": PAIRS, "config": config, "iteration": 0, "validation_fraction": 0.1}
    arguments = (options, str(store or workdir / "store"), workdir, killed_at)
    outcome: SftOutcome = parallel.run(number, trained_together.sft, arguments, stop or (lambda: False))
    return outcome


def compare(one: tuple[SftOutcome, Path], other: tuple[SftOutcome, Path]) -> None:
    for ours, theirs in zip(one[0].rows, other[0].rows, strict=True):
        assert ours.loss == pytest.approx(theirs.loss, rel=1e-4)
        assert ours.tokens == theirs.tokens
        if ours.evaluation and theirs.evaluation:
            assert ours.evaluation.total == pytest.approx(theirs.evaluation.total, rel=1e-4)
    file = WEIGHTS[one[0].method]
    first, second = (load_file(folder / "adapter" / file) for _, folder in (one, other))
    assert first.keys() == second.keys()
    off = max(float((first[name] - second[name]).abs().max()) for name in first)
    assert off < 1e-4
    assert one[0].best_step == other[0].best_step


@pytest.fixture(scope="module", params=["full", "lora"])
def alone(
    base: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[SftOutcome, Path]:
    workdir = tmp_path_factory.mktemp("alone")
    return train(base, workdir, 1, method=request.param), workdir


@pytest.mark.parametrize("sharded", [False, True])
def test_two_processes_train_as_one_does(
    base: Path, alone: tuple[SftOutcome, Path], tmp_path: Path, sharded: bool
) -> None:
    outcome = train(base, tmp_path, 2, method=alone[0].method, sharded=sharded)
    compare((outcome, tmp_path), alone)
