"""Several processes that train one model: the result is that of one."""

import functools
import os
import subprocess
import sys
import time
from collections.abc import Callable
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
from tests.fixtures.joint_data import SHAPE, pairs

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
ALL = bool(os.environ.get("BURNQED_KILLS"))
"""Set by `make test-kill`."""
Alone = Callable[[str], tuple[SftOutcome, Path]]
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


@pytest.fixture(scope="module")
def alone(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[SftOutcome, Path]]:
    """What one process makes, by method."""

    @functools.cache
    def trained(method: str) -> tuple[SftOutcome, Path]:
        workdir = tmp_path_factory.mktemp("alone")
        return train(base, workdir, 1, method=method), workdir

    return trained


@pytest.mark.skipif(not ALL, reason="make test-kill runs it; one that is stopped is compared in any case")
@pytest.mark.parametrize(("method", "sharded"), [("full", True), ("lora", True), ("lora", False)])
def test_two_processes_train_as_one_does(base: Path, alone: Alone, tmp_path: Path, method: str, sharded: bool) -> None:
    compare((train(base, tmp_path, 2, method=method, sharded=sharded), tmp_path), alone(method))


@pytest.mark.skipif(not ALL, reason="make test-kill runs it")
@pytest.mark.parametrize("killed_at", [2, 12, 25])
def test_when_one_process_is_killed_all_end_and_the_same_command_continues(
    base: Path, alone: Alone, tmp_path: Path, killed_at: int
) -> None:
    with pytest.raises(TryAgain, match=r"ended with code -9; the same command continues"):
        train(base, tmp_path, 2, method="lora", killed_at=killed_at)
    compare((train(base, tmp_path, 2, method="lora"), tmp_path), alone("lora"))


@pytest.mark.long
def test_a_training_that_is_stopped_continues_in_another_number_of_processes(
    base: Path, alone: Alone, tmp_path: Path
) -> None:
    store, method = tmp_path / "store", "full"

    def after_a_checkpoint() -> bool:
        return (store / "checkpoint.pt").exists()

    with pytest.raises(TryAgain, match="stopped after step"):
        train(base, tmp_path, 2, store=store, method=method, sharded=True, stop=after_a_checkpoint)
    compare((train(base, tmp_path, 1, store=store, method=method), tmp_path), alone(method))


@pytest.mark.skipif(not ALL, reason="make test-kill runs it")
def test_memory_that_is_not_enough_in_one_process_divides_the_batches_of_all(
    base: Path, alone: Alone, tmp_path: Path
) -> None:
    config = SETTINGS.model_copy(update={"method": "lora"})
    options = {"base": base, "pairs": PAIRS, "config": config, "iteration": 0, "validation_fraction": 0.1}
    outcome = parallel.run(2, trained_together.short_of_memory, (options, tmp_path), lambda: False)
    compare((outcome, tmp_path), alone("lora"))


@pytest.mark.long
def test_bad_input_in_one_process_is_what_the_user_reads(base: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no tactic pair to train on"):
        train(base, tmp_path, 2, max_length=8)
    with pytest.raises(BadInput, match="Weights of 4 bits cannot be divided among GPUs; set sft.sharded=false"):
        train(base, tmp_path, 2, method="lora", base_weights="nf4", sharded=True)


@pytest.mark.skipif(not ALL, reason="make test-kill runs it")
def test_no_process_outlives_the_one_that_started_them(base: Path, tmp_path: Path) -> None:
    code = (
        "from tests.integration.test_train_together import *\n"
        f"train(Path({str(base)!r}), Path({str(tmp_path)!r}), 2, steps=100_000, warmup_steps=0)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code])
    try:
        until(lambda: len(workers(parent.pid)) == 2)
        found = workers(parent.pid)
        until(lambda: (tmp_path / "store" / "checkpoint.pt").exists())
    finally:
        parent.kill()
        parent.wait()
    until(lambda: not [pid for pid in found if Path(f"/proc/{pid}").exists()])


def until(holds: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def workers(parent: int) -> list[int]:
    """Its children that train."""
    pids = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8").split()
    return [int(pid) for pid in pids if b"burnqed.train.parallel" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.mark.long
def test_a_model_that_is_not_divided_is_noticed() -> None:
    assert parallel.run(2, trained_together.who_has_what, (), lambda: False) == "not divided, then divided"


@pytest.mark.parametrize(("parts", "number", "rounds"), [(5, 2, 3), (4, 2, 2), (1, 3, 1)])
def test_every_process_has_equally_many_parts_and_each_part_counts_once(parts: int, number: int, rounds: int) -> None:
    shares = [parallel.Processes(rank, number).share(range(parts)) for rank in range(number)]
    assert {len(share) for share in shares} == {rounds}
    assert sorted(part for share in shares for part, counts in share if counts) == list(range(parts))


def test_a_whole_tensor_stays_as_it_is_without_other_processes() -> None:
    tensor = torch.ones(3)
    assert parallel.whole(tensor) is tensor
    assert parallel.parted(tensor, tensor) is tensor
    assert not isinstance(tensor, DTensor)
