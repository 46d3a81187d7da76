"""The optimiser loop of fine-tuning: steps, evaluations, the best weights so far, checkpoints.

Everything that a step depends on is either a function of (settings, step) or in the checkpoint, so an interrupted training has the
same losses as an uninterrupted one: the order of the data follows from the seed by counting batches, the learning rate from the step;
weights, optimiser and random numbers are saved.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Literal

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, computed_field

from burnqed.config import SftConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.log import log
from burnqed.policy.batches import batches
from burnqed.progress import Progress
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.losses import both_losses, completion_loss
from burnqed.train.memory import fit
from burnqed.train.model import copy_weights, set_weights, trainable
from burnqed.train.optimizers import MuonAndAdamW, optimizer_of
from burnqed.train.packing import Example, Packed, pack, shuffled
from burnqed.train.parallel import Processes, clip, part_state, shard, whole_state
from burnqed.train.varlen import is_used

Kind = Literal["base", "trajectory"]


class EvaluationLoss(BaseModel):
    """Loss per completion token on validation theorems."""

    model_config = ConfigDict(frozen=True)

    total: float
    """Over all pairs; decides which weights are kept. The trajectory pairs alone overfit and would choose wrongly."""
    base: float | None = None
    trajectory: float | None = None
    """Of each kind of pair; None where there are none."""


class LossRow(BaseModel):
    """One optimiser step; step 0 is the start, which is only evaluated."""

    model_config = ConfigDict(frozen=True)

    step: int
    loss: float | None = None
    """Per completion token of the step's batch, with the weights before the step."""
    learning_rate: float = 0.0
    tokens: int = 0
    """Trained on in this step, including prompts but not padding."""
    seconds: float = 0.0
    """Without evaluation and checkpoint."""
    preference: float | None = None
    """The mean preference loss of the step's pairs (`burnqed.train.preferences`), where there are any."""
    evaluation: EvaluationLoss | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def tokens_per_s(self) -> float:
        return self.tokens / self.seconds if self.seconds else 0.0


def learning_rate(step: int, steps: int, warmup: int, peak: float) -> float:
    """The learning rate of step `step` of `steps`, counted from 0: linear warm-up, then a cosine to 0 after the last step.

    The warm-up takes at most a quarter of a short training.
    """
    warmup = min(warmup, steps // 4)
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * 0.5 * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup)))


class Training:
    """A fine-tuning in progress.

    Each of the `training` examples comes as often a round as `repeats` says. `validation` may lack kinds; where it is empty, the last
    weights count as the best.
    """

    RATE = "sft.learning_rate"

    def __init__(
        self,
        model: Any,
        training: Sequence[Example],
        repeats: Sequence[int],
        validation: dict[Kind, list[Example]],
        config: SftConfig,
        *,
        steps: int,
        peak: float,
    ) -> None:
        self.model, self.config, self.steps, self.peak = model, config, steps, peak
        self.training, self.repeats = training, repeats
        self.validation = {kind: part for kind, part in validation.items() if part}
        self.device = next(model.parameters()).device
        self.processes = Processes.here()
        self.is_sharded = config.sharded and self.processes.number > 1
        if self.is_sharded:
            shard(model, trains_all=config.method == "full")
        self.optimizer = optimizer_of(model, config, peak, sharded=self.is_sharded)
        self.splits = fit(model, config)
        """By which `sft.batch_tokens` is divided, for a batch to fit into memory."""
        self.rows: list[LossRow] = []
        self.best: EvaluationLoss | None = None
        self.best_step = 0
        self.best_weights: dict[str, torch.Tensor] | None = None

    @property
    def step(self) -> int:
        """Optimiser steps done."""
        return self.rows[-1].step if self.rows else 0

    def run(self, checkpoints: Checkpoints, fingerprint: str, should_stop: Callable[[], bool]) -> None:
        """Trains to the end, from the checkpoint if there is one, and leaves the best weights in the model.

        Raises TryAgain, after a checkpoint, once `should_stop` says so (and goes on saying so).
        """
        if (state := checkpoints.load(fingerprint)) is not None:
            self.restore(state)
            log.info("fine-tuning: continues after step %d", self.step)
        order = (self.training[i] for i in shuffled(self.repeats, self.config.seed))
        upcoming = islice(batches(order, self.config.batch_tokens), self.step * self.config.accumulation, None)
        self.rows = self.rows or [LossRow(step=0)]
        with Progress(self.steps, "fine-tuning", "steps", done=self.step) as progress:
            while True:
                due = self.step % self.config.evaluate_every == 0 or self.step == self.steps
                if due and self.validation and self.rows[-1].evaluation is None:
                    self.evaluate(should_stop)
                if self.processes.any(should_stop()):
                    self.save(checkpoints, fingerprint)
                    raise TryAgain(f"Fine-tuning was stopped after step {self.step}; the same command continues it.")
                if self.step == self.steps:
                    break
                self.advance(list(islice(upcoming, self.config.accumulation)))
                if self.step % self.config.checkpoint_every == 0:
                    self.save(checkpoints, fingerprint)
                row = self.rows[-1]
                latest = next(({"evaluation": r.evaluation.total} for r in reversed(self.rows) if r.evaluation), {})
                progress.advance(1, loss=row.loss, tokens_per_s=round(row.tokens_per_s), **latest)
        if self.best_weights is None:
            self.best_step = self.steps
        else:
            self.set_weights(self.best_weights)

    def advance(self, micro_batches: list[list[Example]]) -> None:
        """One optimiser step: the mean loss over all completion tokens of its micro-batches."""
        started = time.perf_counter()
        self.model.train()
        if self.processes.number > 1:  # dropout differs from process to process, and is in no checkpoint
            torch.manual_seed(
                int(np.random.SeedSequence([self.config.seed, self.step, self.processes.rank]).generate_state(1)[0])
            )
        rate = learning_rate(self.step, self.steps, self.config.warmup_steps, self.peak)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        packed, total = self.gradient(micro_batches)
        if not math.isfinite(total):
            raise BadInput(
                f"The loss is not a finite number at step {self.step + 1} of the training; lower {self.RATE} (now at {rate:g})."
            )
        self.update()
        self.rows.append(
            LossRow(
                step=self.step + 1,
                loss=total,
                learning_rate=rate,
                tokens=sum(batch.tokens for batch in packed),
                seconds=time.perf_counter() - started,
            )
        )

    def update(self) -> None:
        """Changes the weights by the gradient, and forgets it."""
        self.processes.sum_gradients(trainable(self.model).values())
        if self.is_sharded:
            clip(trainable(self.model).values(), self.config.gradient_clip)
        else:
            torch.nn.utils.clip_grad_norm_(trainable(self.model).values(), self.config.gradient_clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def gradient(self, micro_batches: list[list[Example]]) -> tuple[list[Packed], float]:
        """Adds up the gradient of the mean loss; in smaller parts, from now on, when the memory is not enough. Returns the parts and the loss.

        Raises BadInput when it is not enough for a single example.
        """
        while True:
            size = self.config.batch_tokens // (self.splits * self.processes.number)
            parts = [part for batch in micro_batches for part in batches(batch, size)]
            packed = [self.packed(part) for part in parts]
            counted = sum(batch.completion_tokens for batch in packed)
            total, full = 0.0, False
            try:
                for batch, counts in self.processes.share(packed):
                    total += self.backward(batch, counted, counts)
            except torch.OutOfMemoryError as error:  # which holds on to the memory as long as it is there
                if max(map(len, parts)) == 1:
                    raise BadInput(
                        f"A sequence of {max(len(e) for part in parts for e in part)} tokens alone needs more memory than there is; set "
                        "sft.gradient_checkpointing=true or sft.base_weights=nf4, or lower sft.max_length."
                    ) from error
                if self.is_sharded:  # the other processes wait in the middle of a pass
                    raise BadInput(
                        f"A batch of {size} tokens needs more memory than there is; set sft.gradient_checkpointing=true, or lower sft.batch_tokens."
                    ) from error
                full = True
            if not self.processes.any(full):
                return packed, self.processes.sum(total)[0]
            self.optimizer.zero_grad(set_to_none=True)
            torch.cuda.empty_cache()
            self.splits *= 2
            log.warning("out of memory: from now on each batch is computed in %d parts", self.splits)

    def packed(self, examples: Sequence[Example]) -> Packed:
        """In one row, where attention computes nothing between sequences."""
        return pack(examples, sum(map(len, examples)) if is_used(self.model) else None)

    def backward(self, batch: Packed, counted: int, counts: bool = True) -> float:
        """Adds the gradient of the batch's share of the mean over `counted` tokens, and returns that share; 0 if it does not count. Prompts are in the gradient, if they count, and never
        in what is returned."""
        batch, share = batch.to(self.device), counts / counted
        if not self.config.prompt_weight:
            loss = objective = self.loss(batch) * share
        else:
            with self.autocast():
                completions, prompts = both_losses(self.model, batch)
            loss, objective = completions * share, (completions + self.config.prompt_weight * prompts) * share
        objective.backward()  # type: ignore[no-untyped-call]
        return loss.item()

    def loss(self, batch: Packed) -> torch.Tensor:
        """Summed over the batch's completion tokens."""
        with self.autocast():
            return completion_loss(self.model, batch)

    def autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.config.precision == "bfloat16")

    @torch.no_grad()
    def evaluate(self, should_stop: Callable[[], bool]) -> None:
        """Measures the loss on validation theorems and keeps the weights when it is the lowest so far.

        The start is measured but never kept: that would make the iteration a copy of the previous one. Stops, without a result, once
        `should_stop` says so.
        """
        self.model.eval()
        sums: dict[Kind, float] = {}
        tokens: dict[Kind, int] = {}
        for kind, examples in self.validation.items():
            sums[kind], tokens[kind] = 0.0, 0
            size = self.config.batch_tokens // (self.splits * self.processes.number)
            for batch, counts in self.processes.share(list(batches(sorted(examples, key=len), size))):
                packed = self.packed(batch).to(self.device)
                sums[kind] += counts * self.loss(packed).item()
                tokens[kind] += counts * packed.completion_tokens
                if self.processes.any(should_stop()):
                    return
            sums[kind], counted = self.processes.sum(sums[kind], tokens[kind])
            tokens[kind] = int(counted)
        means = {kind: sums[kind] / tokens[kind] for kind in sums}
        evaluation = EvaluationLoss(total=sum(sums.values()) / sum(tokens.values()), **means)
        self.rows[-1] = self.rows[-1].model_copy(update={"evaluation": evaluation})
        if self.step and self.holds() and (self.best is None or evaluation.total < self.best.total):
            self.best, self.best_step, self.best_weights = evaluation, self.step, self.weights()

    def holds(self) -> bool:
        """Whether the weights may be kept, whatever their loss."""
        return True

    def weights(self) -> dict[str, torch.Tensor]:
        """A copy of the weights that are trained, on the CPU."""
        return copy_weights(self.model)

    def set_weights(self, weights: dict[str, torch.Tensor]) -> None:
        set_weights(self.model, weights)

    def save(self, checkpoints: Checkpoints, fingerprint: str) -> None:
        """The first process writes the checkpoint, and the others wait for it."""
        state = self.state()
        if self.processes.rank == 0:
            checkpoints.save(fingerprint, state)
        self.processes.any(False)

    def state(self) -> dict[str, Any]:
        return {
            "weights": self.weights(),
            "optimizer": self.optimizer.state_dict()
            if isinstance(self.optimizer, MuonAndAdamW)
            else whole_state(self.optimizer),
            "rows": [row.model_dump(exclude={"tokens_per_s"}) for row in self.rows],
            "best": self.best.model_dump() if self.best else None,
            "best_step": self.best_step,
            "best_weights": self.best_weights,
            "splits": self.splits,
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.set_weights(state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        if not isinstance(self.optimizer, MuonAndAdamW):
            part_state(self.optimizer)
        self.rows = [LossRow.model_validate(row) for row in state["rows"]]
        self.best = EvaluationLoss.model_validate(state["best"]) if state["best"] else None
        self.best_step, self.best_weights = state["best_step"], state["best_weights"]
        self.splits = max(self.splits, state.get("splits", 1))  # which earlier versions did not have
