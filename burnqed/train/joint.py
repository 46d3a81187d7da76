"""Joint training: fine-tuning with a second loss through the same weights, so that the embeddings stay good for a head.

    outcome = train_joint(base, pairs, examples, config, iteration=1, …)

writes `workdir/adapter` as `train_sft` does, with the head in `head/` and the outcome in `joint.json`. Each step has two packed forwards: prompts with
tactics for the next-token loss, states for λ times the head's loss (`burnqed.train.contrast`); both losses change the model, the second one also the head.
Model and head that are kept are those of one step.

The head has no embedding_id yet: embeddings of a model in training are no one's. `burnqed.train.adopt` gives it one after the export.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict

from burnqed.config import JointConfig, RunConfig, SftConfig
from burnqed.errors import BadInput
from burnqed.head.base import HeadDescription, make_head
from burnqed.head.metric import Metrics
from burnqed.key import digest_of
from burnqed.log import log
from burnqed.policy.pooling import Pooling
from burnqed.policy.template import COMPLETION, Template
from burnqed.train import depth
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.contrast import Contrast, random_numbers
from burnqed.train.ebm import temperature_left
from burnqed.train.examples import HeadExamples
from burnqed.train.held_out import HeldOut
from burnqed.train.loop import Training, learning_rate
from burnqed.train.optimizers import adamw
from burnqed.train.packing import Example, Packed
from burnqed.train.quality import class_rows, embedding_metrics
from burnqed.train.ragged import Indices
from burnqed.train.sft import Pairs, SftOutcome, Start, finish, material, prepare, schedule

OUTCOME_FILE = "joint.json"
HEAD_FOLDER = "head"
"""In the folder of the adapter."""
MONITORED = 500
"""The most validation positives, and the most states of each class, that a monitor embeds: in all about 10,000 states."""
MEMORY = 100
"""Steps over which the head's mean and deviation follow the embeddings; a tenth of the training if that is less."""
SHOWN = ("centroid_l2", "linear_probe", "rank1", "rank1_depth_4+", "pairwise", "energy_gap", "progress", "depth_loss")
"""Metrics in the log."""
TOO_FAR = "raise joint.weight, or lower joint.learning_rate"
"""Advice for embeddings that training spoils."""
HEAD_WEIGHT = "head: "
"""Begins the names of the head's weights among those of a training."""


class JointRow(BaseModel):
    """One line of the training log."""

    model_config = ConfigDict(frozen=True)

    step: int
    next_token: float | None
    """Loss per completion token, mean since the last line; None at the start. Likewise:"""
    contrastive: float | None
    """InfoNCE in nats, without λ."""
    temperature: float
    evaluation: float | None = None
    """Next-token loss on validation theorems, where it was measured."""
    metrics: Metrics = {}
    """Of the head and of the embeddings, where they were measured."""


class JointOutcome(BaseModel):
    """What joint training has in addition to `SftOutcome`."""

    model_config = ConfigDict(frozen=True)

    head: HeadDescription
    """Its metrics are those of the step that was kept; it has no embedding_id."""
    steps: int
    kept_step: int
    positives: int
    validation_positives: int
    rows: list[JointRow]

    @property
    def measured(self) -> list[JointRow]:
        return [row for row in self.rows if row.metrics]


def train_joint(
    base: Path,
    pairs: Pairs,
    examples: HeadExamples,
    config: RunConfig,
    *,
    iteration: int,
    workdir: Path,
    checkpoints: Checkpoints,
    previous: Path | None = None,
    template: Template = COMPLETION,
    should_stop: Callable[[], bool] = lambda: False,
) -> tuple[SftOutcome, JointOutcome]:
    """Trains and writes `workdir/adapter`; continues from the checkpoint, if there is one. `examples` are the head's.

    Raises BadInput as `train_sft` and `train_head` do, and when a limit of the section `joint` is crossed, TryAgain (after a checkpoint) once
    `should_stop` says so.
    """
    # 1. Model and pairs
    joint, ebm = config.joint, config.ebm
    sft = settings(config.sft, joint)
    fraction = config.data.validation_fraction
    start = prepare(base, pairs, sft, iteration, fraction, previous, template)
    # 2. Head and states
    held_out = examples.held_out(fraction)
    is_validation = held_out[examples.theorem]
    training, validation = np.flatnonzero(~is_validation), np.flatnonzero(is_validation)
    pooling = Pooling.of(config.policy)
    width = pooling.width(start.model.config.hidden_size)
    with random_numbers(ebm.seed, 0):
        head = make_head(torch.zeros(1, width), ebm).to(start.model.device)
    contrast = Contrast(
        start.model,
        start.tokenizer,
        head,
        examples,
        training,
        examples.states.where(~held_out),
        ebm,
        joint,
        pooling=pooling,
        batch_tokens=joint.batch_tokens or sft.batch_tokens,
        bfloat16=sft.precision == "bfloat16",
    )
    monitor = Monitor(contrast, training, HeldOut(examples, validation, ebm, MONITORED), ebm.seed)
    log.info("joint training: %s positives, %s for validation", len(contrast.usable), len(monitor.held_out))
    # 3. Training
    if joint.min_centroid and width != 4096:
        log.warning(
            "joint.min_centroid=%g was found at 4,096 dimensions, and these embeddings have %d",
            *(joint.min_centroid, width),
        )
    run = JointTraining(start, sft, contrast, monitor, config)
    contrast.check()
    embedded = [pooling.max_tokens, pooling.name]
    identity = digest_of(
        [start.fingerprint, joint.meaning(), ebm.meaning(), *embedded, examples.digest, *depth.meaning(ebm)]
    )
    run.run(checkpoints, identity, should_stop)
    # 4. Result
    target = workdir / "adapter"
    trained = finish(start, run, target)
    metrics = next((row.metrics for row in run.lines if row.step == run.best_step), {})
    folder = target if run.processes.rank == 0 else workdir / f"process-{run.processes.rank}"
    outcome = JointOutcome(
        head=head.save(folder / HEAD_FOLDER, "", metrics, ebm.head),
        steps=run.steps,
        kept_step=run.best_step,
        positives=len(contrast.usable),
        validation_positives=len(monitor.held_out),
        rows=run.lines,
    )
    (folder / OUTCOME_FILE).write_text(outcome.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return trained, outcome


def settings(sft: SftConfig, joint: JointConfig) -> SftConfig:
    """The settings of fine-tuning with those of joint training in their place."""
    rank = joint.lora_rank or sft.lora_rank
    changed = {
        "later_steps": joint.steps,
        "learning_rate": joint.learning_rate / sft.learning_rate_decay,
        "evaluate_every": joint.evaluate_every,
        "lora_rank": rank,
        "lora_alpha": sft.lora_alpha * rank / sft.lora_rank,
    }
    return sft.model_copy(update=changed)


class Monitor:
    """What head and embeddings of the model in training are measured on: the same states each time."""

    def __init__(self, contrast: Contrast, training: Indices, held_out: HeldOut, seed: int) -> None:
        examples, random = contrast.examples, np.random.default_rng(seed)
        self.contrast, self.held_out, self.seed = contrast, held_out, seed
        classes = (*class_rows(examples, training), *class_rows(examples, held_out.chosen))
        some = [random.choice(rows, min(len(rows), MONITORED), replace=False) for rows in classes]
        self.states = np.unique(np.concatenate([*some, held_out.states]))
        self.classes = [self.places(rows) for rows in some]

    def places(self, states: Indices) -> Indices:
        """Their places among those that are embedded."""
        return np.searchsorted(self.states, states)

    def measure(self, should_stop: Callable[[], bool], *, standardise: bool = False) -> Metrics | None:
        """None once `should_stop` says so. `standardise` the head first, by these states."""
        z = self.contrast.embeddings(self.states, should_stop)
        if z is None:
            return None
        if standardise:
            self.contrast.head.standardise(z)
        metrics = self.held_out.metrics(self.contrast.head, lambda states: z[torch.from_numpy(self.places(states))])
        return metrics | embedding_metrics(z.cpu().numpy(), *self.classes, seed=self.seed)


class JointTraining(Training):
    """A joint training in progress."""

    RATE = "joint.learning_rate"

    def __init__(self, start: Start, sft: SftConfig, contrast: Contrast, monitor: Monitor, config: RunConfig) -> None:
        super().__init__(start.model, *material(start, sft), sft, **schedule(sft, start.iteration))
        self.contrast, self.monitor, self.joint, self.ebm = contrast, monitor, config.joint, config.ebm
        self.head = contrast.head
        contrast.splits = self.splits
        self.head_optimizer = adamw(self.head.parameters(), self.ebm.weight_decay, lr=self.joint.head_learning_rate)
        self.lines: list[JointRow] = []
        self.contrastive: list[float] = []
        """InfoNCE of the steps since the last line."""
        self.metrics: Metrics = {}
        """As measured last."""

    def run(self, checkpoints: Checkpoints, fingerprint: str, should_stop: Callable[[], bool]) -> None:
        """As `Training.run`. Raises BadInput when a limit is crossed, or the linear probe held at no step."""
        if not self.validation:
            log.warning(
                "joint training: there are no validation theorems, so nothing is measured, no limit holds, and the last weights are kept"
            )
            self.monitor.measure(lambda: False, standardise=True)
        super().run(checkpoints, fingerprint, should_stop)
        if self.validation and self.best is None:
            self.abort("the linear probe held at none of the steps at which it was measured", TOO_FAR)

    # ---- steps

    def gradient(self, micro_batches: list[list[Example]]) -> tuple[list[Packed], float]:
        while True:
            packed, total = super().gradient(micro_batches)
            full = False
            try:
                loss, z = self.contrast.backward(self.step)
            except torch.OutOfMemoryError as error:  # which holds on to the memory as long as it is there
                if self.processes.number > 1:  # the others wait for its embeddings
                    raise BadInput(
                        f"States of {self.contrast.piece} tokens together need more memory than there is; lower joint.batch_tokens, or set "
                        "sft.gradient_checkpointing=true."
                    ) from error
                if self.contrast.piece < 2:
                    raise BadInput(
                        "A proof state alone needs more memory than there is; set sft.gradient_checkpointing=true or "
                        "sft.base_weights=nf4, or lower policy.embed_max_tokens."
                    ) from error
                full = True
            if not full:
                break
            self.optimizer.zero_grad(set_to_none=True)
            self.head_optimizer.zero_grad(set_to_none=True)
            torch.cuda.empty_cache()
            self.contrast.splits *= 2
            log.warning("out of memory: from now on %d tokens of states are embedded at once", self.contrast.piece)
        if not math.isfinite(loss):
            self.abort("InfoNCE is not a finite number", "lower joint.learning_rate or joint.head_learning_rate")
        self.contrastive.append(loss)
        self.head.track(z, kept=1 - 1 / max(1, min(MEMORY, self.steps // 10)))
        return packed, total

    def update(self) -> None:
        super().update()
        rate = learning_rate(self.step, self.steps, self.config.warmup_steps, self.joint.head_learning_rate)
        for group in self.head_optimizer.param_groups:
            group["lr"] = rate
        torch.nn.utils.clip_grad_norm_(self.head.parameters(), self.config.gradient_clip)
        self.head_optimizer.step()
        self.head_optimizer.zero_grad(set_to_none=True)
        if reached := self.head.bound_temperature(self.ebm.min_temperature, self.ebm.max_temperature):
            self.abort(f"the head's temperature reached the {reached}", "lower joint.head_learning_rate")

    def advance(self, micro_batches: list[list[Example]]) -> None:
        super().advance(micro_batches)
        is_measured = self.validation and (self.step % self.joint.evaluate_every == 0 or self.step == self.steps)
        if self.step % self.joint.log_every == 0 and not is_measured:
            self.record()

    # ---- measurements

    def evaluate(self, should_stop: Callable[[], bool]) -> None:
        with random_numbers(self.ebm.seed, self.step):  # which copies of the head draw
            metrics = self.monitor.measure(should_stop, standardise=self.step == 0)
        if metrics is None:
            return
        self.metrics = metrics
        super().evaluate(should_stop)
        if self.rows[-1].evaluation is not None:
            self.record()
            self.judge()

    def holds(self) -> bool:
        """Whether the linear probe is neither below its limit nor, by two standard errors, below what it was at the start."""
        probe, start = (metrics.get("linear_probe") for metrics in (self.metrics, self.lines[0].metrics))
        if probe is None or start is None:
            return True
        least = max(self.joint.min_linear_probe, start.value - 2 * math.sqrt(0.25 / start.count))
        if probe.value < least:
            log.warning(
                "joint: step %d is not kept, because the linear probe did not hold: %.3f, and at least %.3f is needed (%.3f at the start)",
                *(self.step, probe.value, least, start.value),
            )
        return probe.value >= least

    def record(self) -> None:
        """Adds a line to the log."""
        row, last = self.rows[-1], self.lines[-1].step if self.lines else 0
        losses = [row.loss for row in self.rows if row.step > last and row.loss is not None]
        is_measured = row.evaluation is not None
        line = JointRow(
            step=self.step,
            next_token=float(np.mean(losses)) if losses else None,
            contrastive=float(np.mean(self.contrastive)) if self.contrastive else None,
            temperature=self.head.temperature,
            evaluation=row.evaluation.total if row.evaluation else None,
            metrics=self.metrics if is_measured else {},
        )
        before = self.lines[-1].temperature if self.lines else 1.0
        temperature_left(self.step, line.temperature, before)
        self.lines.append(line)
        self.contrastive = []
        means = "next token - · InfoNCE -" if line.next_token is None else (
            f"next token {line.next_token:.3f} · InfoNCE {line.contrastive:.3f}"
        )  # fmt: skip
        log.info("joint: step %d · %s · temperature %.3f", line.step, means, line.temperature)
        if is_measured:
            shown = " · ".join(f"{name} {line.metrics[name]}" for name in SHOWN if name in line.metrics)
            log.info(
                "joint: step %d · validation: next token %.3f · %s", line.step, line.evaluation, shown or "no states"
            )

    def judge(self) -> None:
        """Ends the training when a limit is crossed."""
        if self.step < self.joint.judged_after:
            return
        loss = self.lines[-1].evaluation
        if self.joint.max_loss is not None and loss is not None and loss > self.joint.max_loss:
            advice = "check data and prompt, raise joint.learning_rate, or lower joint.weight"
            self.abort(
                f"the next-token loss is {loss:.3f} on validation theorems, and may be {self.joint.max_loss:g} (joint.max_loss)",
                advice,
            )
        for name, limit, advice in (
            ("centroid_l2", "min_centroid", TOO_FAR),
            ("linear_probe", "min_linear_probe", TOO_FAR),
            ("rank1_depth_4+", "min_rank1_deep", "give the head more data, or raise joint.head_learning_rate"),
        ):
            metric, least = self.metrics.get(name), getattr(self.joint, limit)
            if metric and metric.value < least:
                self.abort(f"{name} is {metric.value:.3f}, and must be at least {least:g} (joint.{limit})", advice)

    def abort(self, verdict: str, advice: str) -> NoReturn:
        raise BadInput(f"Joint training ended after step {len(self.rows) - 1}: {verdict}; {advice}.")

    # ---- weights and checkpoints

    def weights(self) -> dict[str, torch.Tensor]:
        head = {HEAD_WEIGHT + name: tensor.cpu().clone() for name, tensor in self.head.state_dict().items()}
        return super().weights() | head

    def set_weights(self, weights: dict[str, torch.Tensor]) -> None:
        super().set_weights(weights)
        head = {name.removeprefix(HEAD_WEIGHT): t for name, t in weights.items() if name.startswith(HEAD_WEIGHT)}
        self.head.load_state_dict(head)

    def state(self) -> dict[str, Any]:
        return super().state() | {
            "head_optimizer": self.head_optimizer.state_dict(),
            "lines": [line.model_dump() for line in self.lines],
            "contrastive": self.contrastive,
            "pieces": self.contrast.splits,
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.head_optimizer.load_state_dict(state["head_optimizer"])
        self.lines = [JointRow.model_validate(line) for line in state["lines"]]
        self.contrastive, self.contrast.splits = state["contrastive"], state["pieces"]
