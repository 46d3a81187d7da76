"""What a head is measured on: positives of held-out theorems, each with one fixed draw of negatives, so that all figures compare."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from burnqed.config import EbmConfig
from burnqed.data.split import unit_interval
from burnqed.head.base import Head
from burnqed.head.metric import Metric, Metrics
from burnqed.train.depth import depth_loss, earlier_states
from burnqed.train.examples import HeadExamples
from burnqed.train.losses import info_nce
from burnqed.train.monitor import Scored, head_metrics, pairwise, rank_shares
from burnqed.train.negatives import Kind, NegativeSampler
from burnqed.train.ragged import Indices

MOST_POSITIVES = 2_000
MOST_EARLIER = 4
"""States before a positive on its proof that it is compared with."""


class HeldOut:
    """At most `most` of these `positives` of the examples, chosen by the hash of theorem and state, and their negatives. Positives of theorems without other states are left out."""

    def __init__(
        self, examples: HeadExamples, positives: Indices, config: EbmConfig, most: int = MOST_POSITIVES
    ) -> None:
        def rank(positive: int) -> float:
            theorem, state = examples.theorem[positive], examples.state[positive]
            return unit_interval("head", examples.theorems[theorem], examples.texts[state])

        contrasted = examples.contrasted(positives)
        self.chosen = np.array(sorted(contrasted.tolist(), key=rank)[:most], dtype=np.int64)
        compared = config.model_copy(update={"earlier_share": 0.0, "expanded_share": 0.0})
        sampler = NegativeSampler(examples, self.chosen, examples.states, compared)
        judged = sampler.usable()
        self.positives = self.chosen[judged]
        """Those of the chosen that have any negative, [n]."""
        self.negatives = sampler.draw(judged, np.random.default_rng(config.seed))
        """What search has to tell from the positive; by these the figures of trainings compare."""
        self.trained_like = self.negatives
        """Negatives as in the training, by which the loss is measured."""
        if config != compared:
            sampler = NegativeSampler(examples, self.chosen, examples.states, config)
            self.trained_like = sampler.draw(judged, np.random.default_rng(config.seed))
        self.earlier = earlier_states(examples, self.positives, MOST_EARLIER, np.random.default_rng(config.seed))
        self.theorems = examples.theorems
        self.goals = examples.goal[self.positives]
        self.depth, self.remaining = examples.depth[self.positives], examples.remaining[self.positives]
        self.own, self.theorem = examples.state[self.positives], examples.theorem[self.positives]

    def __len__(self) -> int:
        return len(self.positives)

    @property
    def states(self) -> Indices:
        """All that are measured, some more than once."""
        others = (batch.rows.reshape(-1) for batch in (self.negatives, self.trained_like, self.earlier))
        return np.concatenate([self.own, self.goals, *others])

    def metrics(self, head: Head, embed: Callable[[Indices], Tensor]) -> Metrics:
        """`loss` (InfoNCE in nats), `head_metrics` of the head as it is, `progress`, how often a positive lies below a state before it on its proof, and `depth_loss` (its chance is
        that of a head for which all states are the same); empty when there is no positive.
        `embed` gives states [...] their embeddings [..., d]."""
        if not len(self):
            return {}
        plain = head.plain()
        own, others = self.energies(plain, embed, self.negatives.rows)
        scored = self.scored(own, others, self.negatives.present, self.negatives.kinds)
        metrics = head_metrics(scored) | self.on_the_way(*self.energies(plain, embed, self.earlier.rows))
        if self.trained_like is not self.negatives:
            own, others = self.energies(plain, embed, self.trained_like.rows)
        present = self.trained_like.present
        loss = info_nce(own, others, torch.from_numpy(present).to(own.device)).item()
        by_chance = float(np.log(1 + present.sum(axis=1)).mean())
        return {"loss": Metric(value=loss, chance=by_chance, count=len(self))} | metrics

    def rank_shares(self, head: Head, embed: Callable[[Indices], Tensor]) -> dict[str, dict[str, float]]:
        """`burnqed.train.monitor.rank_shares`, by the theorems' names; empty when there is no positive."""
        if not len(self):
            return {}
        own, others = self.energies(head.plain(), embed, self.negatives.rows)
        found = rank_shares(self.scored(own, others, self.negatives.present, self.negatives.kinds))
        return {name: {self.theorems[t]: share for t, share in shares.items()} for name, shares in found.items()}

    def energies(self, plain: Head, embed: Callable[[Indices], Tensor], rows: Indices) -> tuple[Tensor, Tensor]:
        """Of the positives [n], and of other states [n, K]."""
        z, g = embed(np.concatenate([self.own[:, None], rows], axis=1)), embed(self.goals)[:, None]
        found = plain.to(z.device).group_energies(z, g)
        return found[:, 0], found[:, 1:]

    def scored(self, own: Tensor, others: Tensor, present: NDArray[np.bool_], kinds: NDArray[np.int8]) -> Scored:
        return Scored(own.cpu().numpy(), others.cpu().numpy(), present, kinds, self.depth, self.remaining, self.theorem)

    def on_the_way(self, own: Tensor, earlier: Tensor) -> Metrics:
        """What energies of the positives [n], and of states before them [n, K], say about the way to the end of a proof; empty where there are no such states."""
        present, count = self.earlier.present, int(self.earlier.present.any(axis=1).sum())
        kinds = np.full(present.shape, Kind.EARLIER, dtype=np.int8)
        if not (progress := pairwise(self.scored(own, earlier, present, kinds), present)):
            return {}
        off = depth_loss(own, earlier, self.earlier).item()
        level = depth_loss(torch.zeros_like(own), torch.zeros_like(earlier), self.earlier).item()
        depth = {"depth_loss": Metric(value=off, chance=level, count=count)} if math.isfinite(off) else {}
        return {"progress": progress, **depth}
