"""The inputs of an iteration's report. Everything but the results may be missing, and is then left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from burnqed.evaluate.gates import GateVerdict
from burnqed.evaluate.report.proofs import Proof
from burnqed.evaluate.results import IterationResult, Result
from burnqed.record import Record


class LossPoint(Result):
    """Losses at one optimiser step: per token, or InfoNCE in nats."""

    step: int
    train: float | None = None
    evaluation: float | None = None
    """On the held-out theorems; measured less often."""


class JointFigures(Result):
    """What a joint training measured."""

    contrastive: list[LossPoint]
    """InfoNCE."""
    measured: list[dict[str, float | None]]
    """At each measured step `step`, `evaluation`, `temperature` and the metrics by name."""
    kept_step: int
    """Whose model and head were kept."""
    accepted: bool
    """Whether the search used the head."""


class HeldOutStates(Result):
    """States of theorems that were held out from the head's training (`burnqed.train.pictures`)."""

    version: int
    x: list[float]
    """First principal component of each state's embedding; likewise:"""
    y: list[float]
    depth: list[int]
    """Tactics from the root."""
    on_path: list[bool]
    """Whether it lies on a proof; the others are siblings of such."""
    variance: tuple[float, float]
    """Shares of the variance in the two components."""
    families: list[list[float]]
    """Energies: of a state on a proof, then of its siblings."""


@dataclass(frozen=True)
class ReportInputs:
    result: IterationResult
    earlier: Sequence[IterationResult] = ()
    """Iterations before this one, of the same run, in any order."""
    verdict: GateVerdict | None = None
    loss: Sequence[LossPoint] = ()
    """Of the fine-tuning, per token."""
    joint: JointFigures | None = None
    """Of a joint training."""
    positive_energies: Sequence[float] = ()
    negative_energies: Sequence[float] = ()
    """Energies of the head's held-out positives and negatives."""
    embeddings: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Two principal components of states on and off proofs (`burnqed.train.quality.picture`)."""
    held_out: HeldOutStates | None = None
    training_proofs: Sequence[Proof] = ()
    """Found by the search for training data."""
    kept: Sequence[str] = ()
    """What changed in the configuration after the searches for training data; they are not repeated for it."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """The resolved configuration, by section."""
    records: Mapping[str, Record] = field(default_factory=dict)
    """Records of the outputs the report is based on, by their folder in the store."""
