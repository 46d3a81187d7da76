"""Several processes that train one model, one on each GPU (or, without any, on the processor: gloo).

    run(2, work, arguments, stop)          # in the step's process: starts the others, and returns what the first of them returned
    processes = Processes.here()           # in each of them; alone, it is one of one

All have the same data in the same order, and take turns with the parts of a batch. Gradients are summed over processes once a step, after all its parts, and
divided by nothing: the loss is already the mean over the whole step. (accelerate's DDP averages at every backward pass, and would have to be told not to, at each part and by
the number of processes.) So a step is that of one process up to rounding, but for dropout.

With `sharded`, each process has only its part of the decoder layers' weights (FSDP, `torch.distributed.fsdp.fully_shard`): of a model whose weights are all
trained also of their gradients and their optimiser's state.
"""

from __future__ import annotations

import importlib
import math
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.tensor import DTensor, distribute_tensor

from burnqed import lifeline
from burnqed.errors import EXIT_BUG, EXIT_TRY_AGAIN, BadInput, TryAgain
from burnqed.log import log, set_up

T = TypeVar("T")
ARGUMENTS, RESULT, FAILURE, STOP, MEETING = "arguments.pickle", "result.pickle", "failure-{}.pickle", "stop", "meeting"
"""Files of a folder that the processes share."""
GRACE_S = 30.0
"""How long processes may take to end after one of them has failed."""
POLL_S = 0.2
WAIT = timedelta(days=1)
"""For which one process waits for another: a checkpoint of the first may take long, and when one ends all are ended."""


@dataclass(frozen=True)
class Processes:
    """Who this process is among those that train together."""

    rank: int = 0
    number: int = 1

    @staticmethod
    def here() -> Processes:
        return Processes(dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else Processes()

    def share(self, parts: Sequence[T]) -> list[tuple[T, bool]]:
        """The parts that this process has to do, and whether each counts. All processes have equally many, because they wait for each other in every pass:
        who has one less does the first part again, for nothing."""
        turns = range(self.rank, -(-len(parts) // self.number) * self.number, self.number)
        return [(parts[i], True) if i < len(parts) else (parts[0], False) for i in turns]

    def sum(self, *values: float) -> list[float]:
        """The sums over all processes."""
        if self.number == 1:
            return list(values)
        tensor = torch.tensor(values, dtype=torch.float64, device=_device())
        dist.all_reduce(tensor)
        return [float(v) for v in tensor]

    def any(self, flag: bool) -> bool:
        """Whether it is so in one of them; all get the same answer."""
        return self.sum(float(flag))[0] > 0

    def least(self, value: float) -> float:
        """The smallest of all processes'."""
        if self.number == 1:
            return value
        tensor = torch.tensor(value, dtype=torch.float64, device=_device())
        dist.all_reduce(tensor, dist.ReduceOp.MIN)
        return float(tensor)

    def gather(self, tensor: Tensor, lengths: Sequence[int]) -> list[Tensor]:
        """The tensors [lengths[rank], d] of all processes."""
        if self.number == 1:
            return [tensor]
        padded = tensor.new_zeros(max(lengths), *tensor.shape[1:])
        padded[: len(tensor)] = tensor
        every = [torch.empty_like(padded) for _ in lengths]
        dist.all_gather(every, padded)
        return [part[:length] for part, length in zip(every, lengths, strict=True)]

    def sum_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Over all processes; those of sharded weights have been summed already."""
        if self.number == 1:
            return
        for parameter in parameters:
            if not isinstance(parameter, DTensor):
                if parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)
                dist.all_reduce(parameter.grad)


def clip(parameters: Iterable[nn.Parameter], most: float) -> None:
    """As `torch.nn.utils.clip_grad_norm_`, but some of the weights may be sharded."""
    gradients = [p.grad for p in parameters if p.grad is not None]
    parts = [g.to_local() for g in gradients if isinstance(g, DTensor)]
    others = [g for g in gradients if not isinstance(g, DTensor)]
    squares = (sum(float(g.double().square().sum()) for g in some) for some in (parts, others))
    (of_parts,) = Processes.here().sum(next(squares))
    factor = min(1.0, most / (math.sqrt(of_parts + next(squares)) + 1e-6))
    for gradient in (*parts, *others):
        gradient.mul_(factor)


def shard(model: Any, *, trains_all: bool) -> None:
    """Divides the weights of the decoder's layers among the processes, in place. Trained adapters beside frozen weights stay whole.

    Raises BadInput for quantised weights; RuntimeError if a process still has all weights.
    """
    from torch.distributed.fsdp import FSDPModule, fully_shard

    decoder = model.get_decoder()
    if any(not p.is_floating_point() for p in decoder.parameters()):
        raise BadInput(
            "Weights of 4 bits cannot be divided among GPUs; set sft.sharded=false (each GPU then has all of them, 4 GB of a 7B model), or "
            "sft.base_weights=full."
        )
    whole = set() if trains_all else {p for p in decoder.parameters() if p.requires_grad}
    in_layers = {p for layer in decoder.layers for p in layer.parameters()}
    for layer in decoder.layers:
        fully_shard(layer, ignored_params=whole)
    fully_shard(decoder, ignored_params=whole | {p for p in decoder.parameters() if p not in in_layers})
    for module in (decoder, *decoder.layers):
        assert isinstance(module, FSDPModule)
        module.set_gradient_divide_factor(1.0)  # sums, not means
        module.set_force_sum_reduction_for_comms(True)
    check_sharded(model)


def check_sharded(model: Any) -> None:
    """Raises RuntimeError unless this process has only a part of the decoder layers' weights. (On a processor, other libraries fall back to whole copies
    without a word.)"""
    sharded = [p for p in model.get_decoder().parameters() if isinstance(p, DTensor)]
    number = Processes.here().number
    here, all_ = sum(p.to_local().numel() for p in sharded), sum(p.numel() for p in sharded)
    if not sharded or (number > 1 and here > 0.75 * all_):
        raise RuntimeError(f"The weights are not divided among {number} processes: this one has {here:,} of {all_:,}.")


def whole(tensor: Tensor) -> Tensor:
    """All of a sharded tensor; every process has to ask for it."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def parted(tensor: Tensor, like: Tensor) -> Tensor:
    """This process's part of a whole tensor, for a weight that is sharded like `like`; otherwise the tensor."""
    if not isinstance(like, DTensor):
        return tensor
    return distribute_tensor(tensor.to(like.device), like.device_mesh, like.placements)


def whole_state(optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Its state as that of one process, on the processor of the first; the others have to ask for it, too."""
    saved = optimizer.state_dict()
    is_first = Processes.here().rank == 0

    def collected(value: Any) -> Any:
        if not isinstance(value, DTensor):
            return value
        full = whole(value)
        return full.cpu() if is_first else None

    return {**saved, "state": {i: {k: collected(v) for k, v in s.items()} for i, s in saved["state"].items()}}


def part_state(optimizer: torch.optim.Optimizer) -> None:
    """Divides a state that was loaded whole, as the weights are divided."""
    for parameter, state in optimizer.state.items():
        for name, value in state.items():
            if isinstance(value, Tensor) and value.shape == parameter.shape:
                state[name] = parted(value, parameter)


# ---- starting and ending


def run(number: int, work: Callable[..., Any], arguments: tuple[Any, ...], should_stop: Callable[[], bool]) -> Any:
    """Calls `work(*arguments, should_stop)` in `number` new processes, and returns what the first of them returned. `work` is found by its name; arguments
    and result are pickled.

    Raises what the first process that failed raised; ends all of them then. None outlives this process, however it ends.
    """
    with tempfile.TemporaryDirectory(prefix="burnqed-processes-") as name:
        folder = Path(name)
        (folder / ARGUMENTS).write_bytes(pickle.dumps((f"{work.__module__}:{work.__qualname__}", arguments)))
        threads = max(1, (os.cpu_count() or 1) // number)
        env = os.environ | {"OMP_NUM_THREADS": str(threads)}
        command = [sys.executable, "-m", "burnqed.train.parallel", str(folder)]
        children: list[lifeline.Child] = []
        try:
            for rank in range(number):
                children.append(lifeline.Child([*command, str(rank), str(number)], env=env))
            while any(child.poll() is None for child in children):
                if should_stop():
                    (folder / STOP).touch()
                if any(child.poll() for child in children):  # the others would wait for it for ever
                    time.sleep(POLL_S)
                    break
                time.sleep(POLL_S)
            ended = [child.returncode for child in children if child.returncode]
        finally:
            for child in children:
                child.end(GRACE_S if should_stop() else 0.0)
        raised = [
            pickle.loads((folder / FAILURE.format(r)).read_bytes())
            for r in range(number)
            if (folder / FAILURE.format(r)).exists()
        ]
        if raised:
            raise next((error for error in raised if isinstance(error, BadInput)), raised[0])
        if EXIT_BUG in ended and min(ended) > 0:  # those that lose one that was killed fail, too
            raise RuntimeError(f"One of {number} processes that trained together failed; its error is above.")
        if ended:
            raise TryAgain(
                f"One of {number} processes that trained together ended with code {min(ended)}; the same command continues after the last checkpoint."
            )
        return pickle.loads((folder / RESULT).read_bytes())


def main(folder: Path, rank: int, number: int) -> None:
    lifeline.watch()
    for number_of_signal in (signal.SIGINT, signal.SIGTERM):  # the parent says when to stop
        signal.signal(number_of_signal, signal.SIG_IGN)
    set_up()
    if rank:
        log.setLevel("ERROR")
    (name, arguments) = pickle.loads((folder / ARGUMENTS).read_bytes())
    module, _, function = name.partition(":")
    try:
        if torch.cuda.is_available():
            torch.cuda.set_device(rank)
        dist.init_process_group(
            "nccl" if torch.cuda.is_available() else "gloo",
            init_method=(folder / MEETING).as_uri(),
            rank=rank,
            world_size=number,
            timeout=WAIT,
        )
        result = getattr(importlib.import_module(module), function)(*arguments, (folder / STOP).exists)
        if rank == 0:
            (folder / RESULT).write_bytes(pickle.dumps(result))
    except (BadInput, TryAgain) as error:
        failure = folder / FAILURE.format(rank)
        failure.with_suffix(".part").write_bytes(pickle.dumps(error))
        failure.with_suffix(".part").rename(failure)
        os._exit(EXIT_TRY_AGAIN)  # not waiting for the others
    except Exception:
        traceback.print_exc()
        os._exit(EXIT_BUG)
    dist.destroy_process_group()


def _device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
