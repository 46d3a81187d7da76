"""Energies that fall on the way to the end of a proof (`ebm.depth_weight`), so that search can compare states at different depths.

A state before a positive on the same proof should lie above it, by NATS for each tactic between the two. Only states of one theorem are compared: how long its proof is does not
matter to a search for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from burnqed.config import EbmConfig
from burnqed.train.examples import HeadExamples
from burnqed.train.ragged import Indices

NATS = 0.5
"""By which the energy falls with each tactic."""
DRAWN = 2
"""Earlier states that a positive is compared with in one step of a training."""


def meaning(config: EbmConfig) -> list[object]:
    """What decides a training beside its settings: a part of its digest."""
    return ["contrasted", *(["depth", NATS, DRAWN] if config.depth_weight else [])]


@dataclass(frozen=True)
class EarlierBatch:
    """At most K states before each of n positives, on its proof."""

    rows: Indices
    """[n, K]: rows of the embedding matrix; the positive's own where `present` is False."""
    between: Indices
    """[n, K]: tactics from that state to the positive."""
    present: NDArray[np.bool_]
    """[n, K]"""


def earlier_states(examples: HeadExamples, positives: Indices, most: int, random: np.random.Generator) -> EarlierBatch:
    """Draws them, `most` for each positive."""
    rows = np.repeat(examples.state[positives][:, None], most, axis=1)
    between, present = np.zeros_like(rows), np.zeros(rows.shape, dtype=np.bool_)
    for i, positive in enumerate(positives.tolist()):
        way = examples.earlier[positive]
        drawn = random.choice(len(way), min(most, len(way)), replace=False)
        n = len(drawn)
        present[i, :n] = way[drawn] != rows[i, :n]  # a proof may come back to a state
        rows[i, :n], between[i, :n] = way[drawn], len(way) - drawn
    return EarlierBatch(rows, between, present)


def depth_alone(examples: HeadExamples, training: Indices) -> Indices:
    """The positives that only the depth is learned from: without states beside them, and with states before them."""
    others = np.setdiff1d(training, examples.contrasted(training))
    return others[(examples.earlier.end > examples.earlier.begin)[others]]


def with_others(positives: Indices, others: Indices, random: np.random.Generator) -> Indices:
    """The positives, and as many of the others, drawn with repetition; of none, none."""
    return np.concatenate(
        [positives, others[random.integers(len(others), size=len(positives))] if len(others) else others]
    )


def depth_loss(positive: Tensor, earlier: Tensor, batch: EarlierBatch) -> Tensor:
    """Smooth L1 of how far energies of earlier states [n, K] lie above those of the positives [n], from how far they should; the mean over those that are present, 0 where none is."""
    present = torch.from_numpy(batch.present).to(positive.device)
    wanted = NATS * torch.from_numpy(batch.between).to(positive)
    off = F.smooth_l1_loss(earlier - positive[:, None], wanted, reduction="none")
    return (off * present).sum() / present.sum().clamp(min=1)
