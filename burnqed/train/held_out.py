"""What a head is measured on: positives of held-out theorems, each with one fixed draw of negatives, so that all figures compare."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from burnqed.config import EbmConfig
from burnqed.data.split import unit_interval
from burnqed.head.base import Head
from burnqed.head.metric import Metric, Metrics
from burnqed.train.examples import HeadExamples
from burnqed.train.losses import info_nce
from burnqed.train.monitor import Scored, head_metrics
from burnqed.train.negatives import NegativeSampler
from burnqed.train.ragged import Indices

MOST_POSITIVES = 2_000


class HeldOut:
    """At most `most` of these `positives` of the examples, chosen by the hash of theorem and state, and their negatives."""

    def __init__(
        self, examples: HeadExamples, positives: Indices, config: EbmConfig, most: int = MOST_POSITIVES
    ) -> None:
        def rank(positive: int) -> float:
            theorem, state = examples.theorem[positive], examples.state[positive]
            return unit_interval("head", examples.theorems[theorem], examples.texts[state])

        self.chosen = np.array(sorted(positives.tolist(), key=rank)[:most], dtype=np.int64)
        # Never earlier or expanded states: what is chosen by siblings is what search has to choose, and figures of trainings compare.
        measured = config.model_copy(update={"earlier_share": 0.0, "expanded_share": 0.0})
        sampler = NegativeSampler(examples, self.chosen, examples.states, measured)
        judged = sampler.usable()
        self.positives = self.chosen[judged]
        """Those of the chosen that have any negative, [n]."""
        self.negatives = sampler.draw(judged, np.random.default_rng(config.seed))
        self.goals = examples.goal[self.positives]
        self.depth = examples.depth[self.positives]
        own = examples.state[self.positives]
        self.rows = np.concatenate([own[:, None], self.negatives.rows], axis=1)
        """States of positives and negatives, [n, 1 + K]."""

    def __len__(self) -> int:
        return len(self.positives)

    def metrics(self, head: Head, embed: Callable[[Indices], Tensor]) -> Metrics:
        """`loss` (InfoNCE in nats) and `head_metrics` of the head as it is; empty when there is no positive. `embed` gives states [...] their
        embeddings [..., d]."""
        if not len(self):
            return {}
        z, g = embed(self.rows), embed(self.goals)[:, None]
        energies = head.plain().to(z.device).group_energies(z, g)
        present = self.negatives.present
        loss = info_nce(energies[:, 0], energies[:, 1:], torch.from_numpy(present).to(z.device)).item()
        own, others = energies[:, 0].cpu().numpy(), energies[:, 1:].cpu().numpy()
        scored = Scored(own, others, present, self.negatives.kinds, self.depth)
        by_chance = float(np.log(1 + present.sum(axis=1)).mean())
        return {"loss": Metric(value=loss, chance=by_chance, count=len(self))} | head_metrics(scored)
