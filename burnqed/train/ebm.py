"""Trains the head on frozen embeddings.

    outcome = train_head(examples, embeddings, config.ebm, validation_fraction=0.05, workdir=…, checkpoints=Checkpoints(store, path))

writes `workdir/head` (see `burnqed.head.base`) with the outcome (`ebm.json`). InfoNCE: each positive against its negatives,
under the root state of the positive's theorem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict
from torch import Tensor

from burnqed.config import EbmConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.head.base import Head, HeadDescription, make_head
from burnqed.head.metric import HEALTHY_TEMPERATURE, Metrics
from burnqed.key import digest_of
from burnqed.log import log
from burnqed.progress import Progress
from burnqed.train.checkpoint import Checkpoints, State
from burnqed.train.depth import DRAWN, depth_alone, depth_loss, earlier_states, meaning, with_others
from burnqed.train.embeddings import Embeddings
from burnqed.train.examples import HeadExamples
from burnqed.train.held_out import HeldOut
from burnqed.train.loop import learning_rate
from burnqed.train.losses import info_nce_by_group
from burnqed.train.model import device
from burnqed.train.monitor import verdict
from burnqed.train.negatives import Kind, NegativeBatch, NegativeSampler, harder
from burnqed.train.optimizers import adamw
from burnqed.train.packing import balanced, shuffled
from burnqed.train.quality import quality
from burnqed.train.ragged import Indices, Ragged

OUTCOME_FILE = "ebm.json"
CHECKPOINT_LOGS = 5
"""Log lines between two checkpoints."""
ACTIVE = 0.1
"""A group with a larger InfoNCE, in nats, still has something to teach: its positive has less than nine tenths of the probability."""
HARD_FROM = 4
"""The hardest negatives are chosen among so many times as many."""
SAVED = (
    "step",
    "losses",
    "active",
    "drawn",
    "best",
    "best_step",
    "best_loss",
    "best_rank",
    "stale",
    "left_healthy",
    "aborted",
)
"""Attributes of a training that its checkpoint holds as they are."""


class HeadRow(BaseModel):
    """One line of the training log."""

    model_config = ConfigDict(frozen=True)

    step: int
    loss: float | None
    """InfoNCE in nats, mean since the last line; None at the start."""
    temperature: float
    active_ratio: float | None = None
    """Share of the groups since the last line whose InfoNCE was above 0.1 nats; None at the start."""
    metrics: Metrics
    """On validation theorems; empty when there are none."""


class HeadOutcome(BaseModel):
    """The result of a training of the head."""

    model_config = ConfigDict(frozen=True)

    head: HeadDescription
    accepted: bool
    reason: str
    """Why it is not accepted; empty when it is."""
    aborted: str
    """Why the training ended early (the temperature reached a bound); empty otherwise. An aborted head is not accepted."""
    steps: int
    best_step: int
    """The step whose weights were kept: with the lowest validation loss (with that of depth, by its weight), or with the best rank-1 accuracy if there is a patience."""
    continued: str = ""
    """The head_id of the head whose training it continued; empty for a new one."""
    left_healthy: list[int] = []
    """Steps at which the temperature was found to have left the range from 0.5 to 3.0."""
    positives: int
    validation_positives: int
    shares: dict[str, float]
    """Actual shares of the kinds of negatives trained on: sibling, theorem, other, earlier, expanded."""
    metrics: Metrics
    """Of the kept weights on validation theorems, and of the embeddings themselves (centroid_l2, linear_probe)."""
    rank_shares: dict[str, dict[str, float]] = {}
    """Of rank1 and rank1_siblings: what each validation theorem adds (`burnqed.train.monitor.rank_shares`)."""
    rows: list[HeadRow]


def train_head(
    examples: HeadExamples,
    embeddings: Embeddings,
    config: EbmConfig,
    *,
    validation_fraction: float,
    workdir: Path,
    checkpoints: Checkpoints,
    earlier: Head | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> HeadOutcome:
    """Trains a head and writes `workdir/head`; continues from the checkpoint, if there is one. It starts from the `earlier` head, if that belongs to the
    same embeddings and has the same shape.

    `embeddings` are those of the texts of `examples`. As in fine-tuning, the hash of its name decides whether a theorem is held out for
    validation.

    Raises BadInput when there is nothing to learn from, TryAgain (after a checkpoint) once `should_stop` says so.
    """
    # 1. Data
    held_out = examples.held_out(validation_fraction)
    is_validation = held_out[examples.theorem]
    training = np.flatnonzero(~is_validation)
    validation = HeldOut(examples, np.flatnonzero(is_validation), config)
    # 2. Training
    torch.manual_seed(config.seed)
    head = make_head(torch.from_numpy(embeddings.matrix), config)
    continued = continue_from(earlier, head, embeddings.embedding_id) if earlier else ""
    head.to(device())
    run = HeadTraining(head, embeddings, config, examples, training, validation, examples.states.where(~held_out))
    run.run(checkpoints, fingerprint(examples, embeddings, config, validation_fraction, continued), should_stop)
    # 3. Result
    head.load_state_dict(run.best)
    kept = head.plain()
    metrics = validation.metrics(kept, run.embed) | quality(
        examples, embeddings.matrix, training, validation.chosen, seed=config.seed
    )
    reason = run.aborted or verdict(metrics)
    return write_outcome(
        workdir,
        HeadOutcome(
            head=head.save(workdir / "head", embeddings.embedding_id, metrics, config.head),
            accepted=not reason,
            reason=reason,
            aborted=run.aborted,
            steps=run.step,
            best_step=run.best_step,
            continued=continued,
            left_healthy=run.left_healthy,
            positives=len(run.usable),
            validation_positives=len(run.validation),
            shares=run.shares(),
            metrics=metrics,
            rank_shares=validation.rank_shares(kept, run.embed),
            rows=run.rows,
        ),
    )


def write_outcome(workdir: Path, outcome: HeadOutcome) -> HeadOutcome:
    """Beside the head in `workdir/head`."""
    (workdir / "head" / OUTCOME_FILE).write_text(outcome.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return outcome


class HeadTraining:
    """A training of the head in progress."""

    def __init__(
        self,
        head: Head,
        embeddings: Embeddings,
        config: EbmConfig,
        examples: HeadExamples,
        training: Indices,
        validation: HeldOut,
        seen: Ragged,
    ) -> None:
        """`training` are positives of the examples; `seen` holds the states that may be trained on, by theorem."""
        self.head, self.config = head, config
        self.device = next(head.parameters()).device
        self.matrix = torch.from_numpy(embeddings.matrix).to(self.device)  # [N, d]
        self.examples, self.validation = examples, validation
        self.training = examples.contrasted(training)
        """Positives of InfoNCE."""
        self.sampler = NegativeSampler(examples, self.training, seen, config)
        self.usable = self.sampler.usable()
        self.others = depth_alone(examples, training)
        if not self.usable:
            raise BadInput(
                "There is no state on a proof with another state beside it to train the head on; search more "
                "theorems (select.theorems), replay known proofs (negatives.theorems), or set ebm.enabled=false."
            )
        self.optimizer = adamw(head.parameters(), config.weight_decay, lr=config.learning_rate)
        self.step = 0
        self.rows: list[HeadRow] = []
        self.losses: list[float] = []
        """Of the steps since the last row."""
        self.active: list[float] = []
        """Shares of active groups, likewise."""
        self.drawn = [0] * len(Kind)
        """Number of negatives so far, by `Kind`."""
        self.best = self.weights()
        self.best_step, self.best_loss, self.best_rank = 0, math.inf, -math.inf
        self.stale = 0
        """Measurements since the best one."""
        self.left_healthy: list[int] = []
        self.aborted = ""

    def run(self, checkpoints: Checkpoints, fingerprint: str, should_stop: Callable[[], bool]) -> None:
        """Trains to the end, or until the temperature reaches a bound, which sets `aborted`."""
        if (state := checkpoints.load(fingerprint)) is not None:
            self.restore(state)
            log.info("head: continues after step %d", self.step)
        stream = self.stream()
        order = islice(stream, self.step * self.config.batch, None)
        with Progress(self.config.steps, "head", "steps", done=self.step) as progress:
            while True:
                due = self.step % self.config.log_every == 0 or self.step == self.config.steps or self.aborted
                if due and (not self.rows or self.rows[-1].step < self.step):
                    self.record()
                    if self.step % (CHECKPOINT_LOGS * self.config.log_every) == 0 and self.step:
                        checkpoints.save(fingerprint, self.state())
                if should_stop():
                    checkpoints.save(fingerprint, self.state())
                    raise TryAgain(
                        f"The head's training was stopped after step {self.step}; the same command continues it."
                    )
                if self.step == self.config.steps or self.aborted:
                    return
                if self.config.patience and self.stale >= self.config.patience:
                    log.info(
                        "head: stops at step %d, as no measurement since step %d was better", self.step, self.best_step
                    )
                    return
                self.advance(list(islice(order, self.config.batch)))
                progress.advance(1, loss=self.losses[-1], temperature=self.head.temperature)

    def advance(self, batch: list[int]) -> None:
        """One optimiser step on these positives."""
        self.head.train()
        rate = learning_rate(self.step, self.config.steps, self.config.steps // 20, self.config.learning_rate)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        random = np.random.default_rng([self.config.seed, self.step])
        drawn = self.negatives(batch, random)
        for kind in Kind:
            self.drawn[kind] += int((drawn.present & (drawn.kinds == kind)).sum())
        energies = self.head(*self.inputs(self.training[batch], drawn))  # [B, 1 + K]
        losses = info_nce_by_group(energies[:, 0], energies[:, 1:], torch.from_numpy(drawn.present).to(self.device))
        loss = contrast = losses.mean()
        if self.config.depth_weight:
            loss = loss + self.config.depth_weight * self.depth_loss(self.training[batch], random)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.step += 1
        self.losses.append(contrast.item())
        self.active.append((losses > ACTIVE).float().mean().item())
        if not math.isfinite(self.losses[-1]):
            raise BadInput(f"The head's loss is not a finite number at step {self.step}; lower ebm.learning_rate.")
        if reached := self.head.bound_temperature(self.config.min_temperature, self.config.max_temperature):
            self.aborted = f"its temperature reached the {reached} at step {self.step}"

    def depth_loss(self, positives: Indices, random: np.random.Generator) -> Tensor:
        """Of these positives, and of as many of the others."""
        positives = with_others(positives, self.others, random)
        drawn = earlier_states(self.examples, positives, DRAWN, random)
        rows = np.concatenate([self.examples.state[positives][:, None], drawn.rows], axis=1)
        energies = self.head(self.embed(rows), self.embed(self.examples.goal[positives])[:, None])  # [n, 1 + DRAWN]
        return depth_loss(energies[:, 0], energies[:, 1:], drawn)

    def stream(self) -> Iterator[int]:
        """Positives, endlessly."""
        if self.config.balance == "positives":
            return (self.usable[i] for i in shuffled([1] * len(self.usable), self.config.seed))
        usable = np.array(self.usable)
        theorems = self.examples.theorem[self.training[usable]]
        return balanced([usable[theorems == t] for t in np.unique(theorems)], self.config.seed)

    def negatives(self, batch: list[int], random: np.random.Generator) -> NegativeBatch:
        """Those of a step: some of them the hardest of many, if so configured."""
        drawn = self.sampler.draw(batch, random)
        share = self.config.hard_negatives * self.step / self.config.steps
        if not share:
            return drawn
        pool = self.sampler.draw(batch, random, HARD_FROM)
        z, g = self.inputs(self.training[batch], pool)
        energies = self.head.group_energies(z[:, 1:], g)
        self.head.train()
        return harder(drawn, pool, energies.cpu().numpy(), share)

    def inputs(self, positives: Indices, negatives: NegativeBatch) -> tuple[Tensor, Tensor]:
        """Embeddings of positives and negatives [B, 1 + K, d], and of the root states [B, 1, d]."""
        rows = np.concatenate([self.examples.state[positives][:, None], negatives.rows], axis=1)
        return self.embed(rows), self.embed(self.examples.goal[positives])[:, None]

    def embed(self, states: Indices) -> Tensor:
        return self.matrix[torch.from_numpy(states).to(self.device)]

    def evaluate(self) -> Metrics:
        """The metrics of the current weights on the validation theorems; empty when there are none."""
        return self.validation.metrics(self.head, self.embed)

    def record(self) -> None:
        """Adds a row, logs it, and keeps the weights when they are the best so far."""
        metrics = self.evaluate()
        loss, active = (float(np.mean(found)) if found else None for found in (self.losses, self.active))
        temperature = self.head.temperature
        self.rows.append(
            HeadRow(step=self.step, loss=loss, temperature=temperature, active_ratio=active, metrics=metrics)
        )
        self.losses, self.active = [], []
        names = ("loss", "rank1", "pairwise", "sibling_discrimination", "energy_gap", "progress", "depth_loss")
        shown = " · ".join(f"{name} {metrics[name]}" for name in names if name in metrics)
        log.info(
            "head: step %d · training loss %s · active %s · temperature %.3f · validation: %s",
            self.step, "-" if loss is None else f"{loss:.3f}", "-" if active is None else f"{active:.0%}", temperature, shown or "none",
        )  # fmt: skip
        self.left_healthy += temperature_left(
            self.step, temperature, self.rows[-2].temperature if self.rows[1:] else 1.0
        )
        # without validation the last weights are kept
        validation_loss = metrics["loss"].value if metrics else -self.step
        if self.config.depth_weight and "depth_loss" in metrics:
            validation_loss += self.config.depth_weight * metrics["depth_loss"].value
        rank = metrics["rank1"].value if metrics and self.config.patience else 0.0
        if (rank, -validation_loss) > (self.best_rank, -self.best_loss):
            self.best, self.best_step, self.stale = self.weights(), self.step, 0
            self.best_loss, self.best_rank = validation_loss, rank
        elif metrics:
            self.stale += 1

    def shares(self) -> dict[str, float]:
        return {kind.name.lower(): self.drawn[kind] / max(1, sum(self.drawn)) for kind in Kind}

    def weights(self) -> dict[str, Tensor]:
        return {name: tensor.cpu().clone() for name, tensor in self.head.state_dict().items()}

    def state(self) -> State:
        return {
            "weights": self.weights(),
            "optimizer": self.optimizer.state_dict(),
            "rows": [row.model_dump() for row in self.rows],
            **{name: getattr(self, name) for name in SAVED},
        }

    def restore(self, state: State) -> None:
        self.head.load_state_dict(state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.rows = [HeadRow.model_validate(row) for row in state["rows"]]
        for name in SAVED:
            setattr(self, name, state.get(name, getattr(self, name)))  # earlier versions had fewer


def temperature_left(step: int, now: float, before: float) -> list[int]:
    """The step, if the temperature is no longer healthy; says so, and when it is again."""
    least, most = HEALTHY_TEMPERATURE
    if (least <= now <= most) == (least <= before <= most):
        return []
    if least <= now <= most:
        log.info("head: the temperature is %.3f at step %d, healthy again", now, step)
        return []
    log.warning("head: the temperature is %.3f at step %d; between %g and %g is healthy", now, step, least, most)
    return [step]


def continue_from(earlier: Head, head: Head, embedding_id: str) -> str:
    """Gives a new head the weights of an earlier one and returns that one's head_id; if they do not fit together, says why, and returns nothing."""
    if earlier.embedding_id != embedding_id:
        log.info("head: a new one, as %s belongs to other embeddings", earlier.head_id)
        return ""
    try:
        if type(earlier) is not type(head):
            raise RuntimeError(f"{type(earlier).__name__} instead of {type(head).__name__}")
        head.start_from(earlier)
    except RuntimeError as error:
        log.info("head: a new one, as %s has another shape (%s)", earlier.head_id, str(error).splitlines()[0])
        return ""
    log.info("head: continues the training of %s", earlier.head_id)
    return earlier.head_id


def fingerprint(
    examples: HeadExamples, embeddings: Embeddings, config: EbmConfig, validation_fraction: float, continued: str
) -> str:
    """A digest of everything that decides the course of a training."""
    start = [continued] if continued else []
    return digest_of(
        [config.meaning(), validation_fraction, embeddings.embedding_id, examples.digest, *start, *meaning(config)]
    )
