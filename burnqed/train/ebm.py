"""Trains the energy head on frozen embeddings.

    outcome = train_head(examples, embeddings, config.ebm, validation_fraction=0.05, workdir=…, checkpoints=Checkpoints(store, path))

writes `workdir/head` (see `burnqed.train.head`) with the outcome (`ebm.json`). InfoNCE: each positive against its negatives,
under the root state of the positive's theorem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict
from torch import Tensor

from burnqed.config import EbmConfig
from burnqed.data.split import is_validation, split, unit_interval
from burnqed.errors import BadInput, TryAgain
from burnqed.log import log
from burnqed.manifest import digest_of
from burnqed.progress import Progress
from burnqed.train.checkpoint import Checkpoints, State
from burnqed.train.embeddings import Embeddings
from burnqed.train.head import EnergyHead, HeadDescription, make_head
from burnqed.train.loop import learning_rate
from burnqed.train.losses import info_nce
from burnqed.train.model import device
from burnqed.train.monitor import Metric, Metrics, Scored, embedding_metrics, head_metrics, verdict
from burnqed.train.negatives import HeadExample, HeadExamples, Kind, NegativeBatch, NegativeSampler
from burnqed.train.packing import shuffled

OUTCOME_FILE = "ebm.json"
VALIDATION_POSITIVES = 2_000
"""Positives that the head is measured on at most."""
CHECKPOINT_LOGS = 5
"""Checkpoints are written every so many log lines."""


class HeadRow(BaseModel):
    """One line of the log."""

    model_config = ConfigDict(frozen=True)

    step: int
    loss: float | None
    """InfoNCE in nats, mean since the last line; None at the start."""
    temperature: float
    metrics: Metrics
    """On validation theorems; empty when there are none."""


class HeadOutcome(BaseModel):
    """What a training of the head did."""

    model_config = ConfigDict(frozen=True)

    head: HeadDescription
    accepted: bool
    reason: str
    """Why not; empty when accepted."""
    aborted: str
    """Why it ended early (the temperature at a bound); empty otherwise. An aborted head is not accepted."""
    steps: int
    best_step: int
    """Whose weights were kept: the lowest validation loss."""
    positives: int
    validation_positives: int
    shares: dict[str, float]
    """Actual shares of the kinds of negatives trained on: sibling, theorem, other."""
    metrics: Metrics
    """Of the kept weights on validation theorems, with the embeddings' own (centroid_l2, linear_probe)."""
    rows: list[HeadRow]


def train_head(
    examples: HeadExamples,
    embeddings: Embeddings,
    config: EbmConfig,
    *,
    validation_fraction: float,
    workdir: Path,
    checkpoints: Checkpoints,
    should_stop: Callable[[], bool] = lambda: False,
) -> HeadOutcome:
    """Trains a head and writes `workdir/head`; continues from the checkpoint, if there is one.

    `embeddings` hold every text of `examples`. Theorems are validation or not by the hash of their name, as for fine-tuning.

    Raises BadInput when there is nothing to learn from, TryAgain (after a checkpoint) once `should_stop` says so.
    """
    # 1. Data
    training, validation = split(examples.positives, validation_fraction)
    validation = sorted(validation, key=lambda e: unit_interval("head", e.theorem, e.state))[:VALIDATION_POSITIVES]
    # 2. Training
    torch.manual_seed(config.seed)
    head = make_head(torch.from_numpy(embeddings.matrix), config).to(device())
    run = HeadTraining(head, embeddings, config, training, validation, examples.states, validation_fraction)
    run.run(checkpoints, fingerprint(examples, embeddings, config, validation_fraction), should_stop)
    # 3. Result
    head.load_state_dict(run.best)
    classes = [*class_rows(training, examples.states, embeddings), *class_rows(validation, examples.states, embeddings)]
    ours, theirs, held_ours, held_theirs = (embeddings.matrix[rows] for rows in classes)
    metrics = run.evaluate() | embedding_metrics(ours, theirs, held_ours, held_theirs, config.seed)
    reason = run.aborted or verdict(metrics)
    outcome = HeadOutcome(
        head=head.save(workdir / "head", embeddings.embedding_id, metrics),
        accepted=not reason,
        reason=reason,
        aborted=run.aborted,
        steps=run.step,
        best_step=run.best_step,
        positives=len(run.usable),
        validation_positives=len(run.validation),
        shares=run.shares(),
        metrics=metrics,
        rows=run.rows,
    )
    (workdir / "head" / OUTCOME_FILE).write_text(outcome.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return outcome


class HeadTraining:
    """A training of the head under way."""

    def __init__(
        self,
        head: EnergyHead,
        embeddings: Embeddings,
        config: EbmConfig,
        training: list[HeadExample],
        validation: list[HeadExample],
        states: dict[str, tuple[str, ...]],
        validation_fraction: float,
    ) -> None:
        self.head, self.config = head, config
        self.device = next(head.parameters()).device
        self.matrix = torch.from_numpy(embeddings.matrix).to(self.device)  # [N, d]
        self.row = embeddings.row
        seen = {theorem: found for theorem, found in states.items() if not is_validation(theorem, validation_fraction)}
        self.training, self.sampler = training, NegativeSampler(training, seen, self.row, config)
        self.usable = self.sampler.usable()
        if not self.usable:
            raise BadInput(
                "There is no state on a proof with another state beside it to train the energy head on; search more "
                "theorems (select.theorems), replay known proofs (negatives.theorems), or set ebm.enabled=false."
            )
        # one fixed draw, so that the figures of all steps compare
        sampler = NegativeSampler(validation, states, self.row, config)
        judged = sampler.usable()
        self.validation = [validation[i] for i in judged]
        self.validation_negatives = sampler.draw(judged, np.random.default_rng(config.seed))
        decayed = [p for p in head.parameters() if p.ndim >= 2]
        others = [p for p in head.parameters() if p.ndim < 2]  # biases and the temperature
        self.optimizer = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": config.weight_decay}, {"params": others, "weight_decay": 0.0}],
            lr=config.learning_rate,
        )
        self.step = 0
        self.rows: list[HeadRow] = []
        self.losses: list[float] = []
        """Since the last row."""
        self.drawn = [0, 0, 0]
        """Negatives so far, by `Kind`."""
        self.best = self.weights()
        self.best_step, self.best_loss = 0, math.inf
        self.aborted = ""

    def run(self, checkpoints: Checkpoints, fingerprint: str, should_stop: Callable[[], bool]) -> None:
        """Trains to the end, or until the temperature reaches a bound, which sets `aborted`."""
        if (state := checkpoints.load(fingerprint)) is not None:
            self.restore(state)
            log.info("energy head: continues after step %d", self.step)
        stream = (self.usable[i] for i in shuffled([1] * len(self.usable), self.config.seed))
        order = islice(stream, self.step * self.config.batch, None)
        with Progress(self.config.steps, "energy head", "steps", done=self.step) as progress:
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
                self.advance(list(islice(order, self.config.batch)))
                progress.advance(1, loss=self.losses[-1], temperature=self.head.temperature)

    def advance(self, batch: list[int]) -> None:
        """One optimiser step on these positives."""
        self.head.train()
        rate = learning_rate(self.step, self.config.steps, self.config.steps // 20, self.config.learning_rate)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        drawn = self.sampler.draw(batch, np.random.default_rng([self.config.seed, self.step]))
        for kind in Kind:
            self.drawn[kind] += int((drawn.present & (drawn.kinds == kind)).sum())
        energies = self.head(*self.inputs([self.training[i] for i in batch], drawn))  # [B, 1 + K]
        loss = info_nce(energies[:, 0], energies[:, 1:], torch.from_numpy(drawn.present).to(self.device))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.step += 1
        self.losses.append(loss.item())
        if not math.isfinite(self.losses[-1]):
            raise BadInput(
                f"The energy head's loss is no number any more at step {self.step}; lower ebm.learning_rate."
            )
        least, most = self.config.min_temperature, self.config.max_temperature
        with torch.no_grad():
            self.head.log_temperature.clamp_(math.log(least), math.log(most))
        for bound, name in ((least, "floor"), (most, "ceiling")):
            if math.isclose(self.head.temperature, bound, rel_tol=1e-5):
                self.aborted = f"its temperature reached the {name} {bound:g} at step {self.step}"

    def inputs(self, examples: Sequence[HeadExample], negatives: NegativeBatch) -> tuple[Tensor, Tensor]:
        """Embeddings of positives and negatives [B, 1 + K, d], and of the root states [B, 1, d]."""
        positive = np.array([[self.row[e.state]] for e in examples])
        z = self.matrix[torch.from_numpy(np.concatenate([positive, negatives.rows], axis=1)).to(self.device)]
        return z, self.matrix[[self.row[e.goal] for e in examples]][:, None]

    def evaluate(self) -> Metrics:
        """Of the weights as they are, on the validation theorems; empty when there are none."""
        if not self.validation:
            return {}
        z, g = self.inputs(self.validation, self.validation_negatives)
        n, width, d = z.shape
        energies = self.head.plain().to(self.device).energies(z.reshape(-1, d), g.expand(-1, width, -1).reshape(-1, d))
        energies = energies.reshape(n, width)
        present = self.validation_negatives.present
        loss = info_nce(energies[:, 0], energies[:, 1:], torch.from_numpy(present).to(self.device)).item()
        scored = Scored(
            energies[:, 0].cpu().numpy(),
            energies[:, 1:].cpu().numpy(),
            present,
            self.validation_negatives.kinds,
            np.array([e.depth for e in self.validation]),
        )
        by_chance = float(np.log(1 + present.sum(axis=1)).mean())
        return {"loss": Metric(value=loss, chance=by_chance, count=n)} | head_metrics(scored)

    def record(self) -> None:
        """Adds a row, prints it, and keeps the weights when their validation loss is the lowest so far."""
        metrics = self.evaluate()
        loss = float(np.mean(self.losses)) if self.losses else None
        self.rows.append(HeadRow(step=self.step, loss=loss, temperature=self.head.temperature, metrics=metrics))
        self.losses = []
        shown = " · ".join(
            f"{name} {metrics[name]}" for name in ("loss", "rank1", "pairwise", "energy_gap") if name in metrics
        )
        log.info(
            "energy head: step %d · training loss %s · temperature %.3f · validation: %s",
            self.step, "-" if loss is None else f"{loss:.3f}", self.head.temperature, shown or "none",
        )  # fmt: skip
        validation_loss = metrics["loss"].value if metrics else -self.step  # without validation the last weights count
        if validation_loss < self.best_loss:
            self.best, self.best_step, self.best_loss = self.weights(), self.step, validation_loss

    def shares(self) -> dict[str, float]:
        return {kind.name.lower(): self.drawn[kind] / max(1, sum(self.drawn)) for kind in Kind}

    def weights(self) -> dict[str, Tensor]:
        return {name: tensor.cpu().clone() for name, tensor in self.head.state_dict().items()}

    def state(self) -> State:
        return {
            "step": self.step,
            "weights": self.weights(),
            "optimizer": self.optimizer.state_dict(),
            "rows": [row.model_dump() for row in self.rows],
            "losses": self.losses,
            "drawn": self.drawn,
            "best": self.best,
            "best_step": self.best_step,
            "best_loss": self.best_loss,
            "aborted": self.aborted,
        }

    def restore(self, state: State) -> None:
        self.step, self.losses, self.drawn = state["step"], state["losses"], state["drawn"]
        self.head.load_state_dict(state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.rows = [HeadRow.model_validate(row) for row in state["rows"]]
        self.best, self.best_step, self.best_loss = state["best"], state["best_step"], state["best_loss"]
        self.aborted = state["aborted"]


def class_rows(
    positives: Sequence[HeadExample], states: dict[str, tuple[str, ...]], embeddings: Embeddings
) -> tuple[list[int], list[int]]:
    """Rows of the positive states and of the other states of the same theorems."""
    theorems = {e.theorem for e in positives}
    ours = {embeddings.row[e.state] for e in positives}
    theirs = {embeddings.row[s] for t in theorems for s in states.get(t, ())} - ours
    return sorted(ours), sorted(theirs)


def fingerprint(examples: HeadExamples, embeddings: Embeddings, config: EbmConfig, validation_fraction: float) -> str:
    """Of all that decides the course of a training."""
    data = [[(e.theorem, e.goal, e.state, e.siblings) for e in examples.positives], examples.states]
    return digest_of([config.meaning(), validation_fraction, embeddings.embedding_id, data])
