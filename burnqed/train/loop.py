"""The optimiser loop of fine-tuning: steps, evaluations, the best weights so far, checkpoints.

Everything that a step depends on is either a function of (settings, step) or in the checkpoint, so that an interrupted
training continues to the same losses as one that was not: the order of the data follows from the seed by counting batches,
the learning rate from the step; weights, optimiser and random numbers are saved.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Literal

import torch
from pydantic import BaseModel, ConfigDict, computed_field

from burnqed.config import SftConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.log import log
from burnqed.progress import Progress
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.losses import completion_loss
from burnqed.train.model import copy_weights, set_weights, trainable
from burnqed.train.packing import Example, Packed, batches, pack, shuffled

Kind = Literal["base", "trajectory"]


class EvaluationLoss(BaseModel):
    """Loss per completion token on validation theorems."""

    model_config = ConfigDict(frozen=True)

    total: float
    """Over all: chooses the checkpoint. The trajectory part alone overfits and would choose wrongly."""
    base: float | None
    trajectory: float | None
    """Of each kind of pair; None where there is none."""


class LossRow(BaseModel):
    """One optimiser step; step 0 is the start, evaluated only."""

    model_config = ConfigDict(frozen=True)

    step: int
    loss: float | None = None
    """Per completion token of the step's batch, with the weights before the step."""
    learning_rate: float = 0.0
    tokens: int = 0
    """Trained on in this step, prompts included, padding not."""
    seconds: float = 0.0
    """Without evaluation and checkpoint."""
    evaluation: EvaluationLoss | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def tokens_per_s(self) -> float:
        return self.tokens / self.seconds if self.seconds else 0.0


def learning_rate(step: int, steps: int, warmup: int, peak: float) -> float:
    """Of the step-th of `steps` (counted from 0): linear warm-up, then a cosine to 0 after the last step.

    The warm-up takes at most a quarter of a short training.
    """
    warmup = min(warmup, steps // 4)
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * 0.5 * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup)))


class Training:
    """A fine-tuning under way.

    `training` examples come `repeats` times a round. `validation` may lack kinds, or be empty: then the last weights count
    as the best.
    """

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
        self.model, self.training, self.config, self.steps, self.peak = model, training, config, steps, peak
        self.repeats = repeats
        self.validation = {kind: part for kind, part in validation.items() if part}
        self.device = next(model.parameters()).device
        decayed = [p for p in trainable(model).values() if p.ndim >= 2]
        others = [p for p in trainable(model).values() if p.ndim < 2]  # norms and biases
        self.optimizer = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": config.weight_decay}, {"params": others, "weight_decay": 0.0}],
            lr=peak,
            betas=(0.9, 0.95),
            fused=True,
        )
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
                if should_stop():
                    checkpoints.save(fingerprint, self.state())
                    raise TryAgain(f"Fine-tuning was stopped after step {self.step}; the same command continues it.")
                if self.step == self.steps:
                    break
                self.advance(list(islice(upcoming, self.config.accumulation)))
                if self.step % self.config.checkpoint_every == 0:
                    checkpoints.save(fingerprint, self.state())
                row = self.rows[-1]
                facts: dict[str, Any] = {
                    "loss": row.loss,
                    "tokens_per_s": round(row.tokens_per_s),
                    **self.latest_evaluation(),
                }
                progress.advance(1, **facts)
        if self.best_weights is None:
            self.best_step = self.steps
        else:
            set_weights(self.model, self.best_weights)

    def advance(self, micro_batches: list[list[Example]]) -> None:
        """One optimiser step: the mean loss over all completion tokens of its micro-batches."""
        started = time.perf_counter()
        self.model.train()
        rate = learning_rate(self.step, self.steps, self.config.warmup_steps, self.peak)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        packed = [pack(batch) for batch in micro_batches]
        counted = sum(batch.completion_tokens for batch in packed)
        total = 0.0
        for batch in packed:
            loss = self.loss(batch.to(self.device)) / counted
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.item()
        if not math.isfinite(total):
            raise BadInput(
                f"The loss is no number any more at step {self.step + 1} of the fine-tuning; lower sft.learning_rate ({rate:g} here)."
            )
        torch.nn.utils.clip_grad_norm_(trainable(self.model).values(), self.config.gradient_clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.rows.append(
            LossRow(
                step=self.step + 1,
                loss=total,
                learning_rate=rate,
                tokens=sum(batch.tokens for batch in packed),
                seconds=time.perf_counter() - started,
            )
        )

    def loss(self, batch: Packed) -> torch.Tensor:
        """Summed over the batch's completion tokens."""
        half = self.config.precision == "bfloat16"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=half):
            return completion_loss(self.model, batch)

    @torch.no_grad()
    def evaluate(self, should_stop: Callable[[], bool]) -> None:
        """Measures the loss on validation theorems and keeps the weights when it is the lowest so far.

        The start is measured and never kept: it would make the iteration a copy of the one before, however low its loss. Gives up, as if it had not begun, when `should_stop` says so.
        """
        self.model.eval()
        sums: dict[Kind, float] = {}
        tokens: dict[Kind, int] = {}
        for kind, examples in self.validation.items():
            sums[kind], tokens[kind] = 0.0, 0
            for batch in batches(sorted(examples, key=len), self.config.batch_tokens):
                packed = pack(batch).to(self.device)
                sums[kind] += self.loss(packed).item()
                tokens[kind] += packed.completion_tokens
                if should_stop():
                    return
        found = EvaluationLoss(
            total=sum(sums.values()) / sum(tokens.values()),
            base=sums["base"] / tokens["base"] if "base" in sums else None,
            trajectory=sums["trajectory"] / tokens["trajectory"] if "trajectory" in sums else None,
        )
        self.rows[-1] = self.rows[-1].model_copy(update={"evaluation": found})
        if self.step and (self.best is None or found.total < self.best.total):
            self.best, self.best_step, self.best_weights = found, self.step, copy_weights(self.model)

    def latest_evaluation(self) -> dict[str, float]:
        """For the progress line."""
        found = next((row.evaluation for row in reversed(self.rows) if row.evaluation), None)
        return {"evaluation": found.total} if found else {}

    def state(self) -> dict[str, Any]:
        return {
            "weights": copy_weights(self.model),
            "optimizer": self.optimizer.state_dict(),
            "rows": [row.model_dump(exclude={"tokens_per_s"}) for row in self.rows],
            "best": self.best.model_dump() if self.best else None,
            "best_step": self.best_step,
            "best_weights": self.best_weights,
        }

    def restore(self, state: dict[str, Any]) -> None:
        set_weights(self.model, state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.rows = [LossRow.model_validate(row) for row in state["rows"]]
        self.best = EvaluationLoss.model_validate(state["best"]) if state["best"] else None
        self.best_step, self.best_weights = state["best_step"], state["best_weights"]
