"""The head of a joint training, for the model that was exported from it.

The embeddings of the exported model are not those of the model in training: adapters are merged, weights rounded to another type, perhaps
quantised. So its mean and deviation are measured anew on the exported model's embeddings, whose embedding_id it gets, and so is everything that says
how good it is. A head that has lost its accuracy on the way is not accepted.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from burnqed.config import EbmConfig
from burnqed.head.base import Head
from burnqed.head.metric import Metric
from burnqed.log import log
from burnqed.train.ebm import HeadOutcome, write_outcome
from burnqed.train.embeddings import Embeddings
from burnqed.train.examples import HeadExamples
from burnqed.train.held_out import HeldOut
from burnqed.train.joint import MONITORED, JointOutcome
from burnqed.train.model import device
from burnqed.train.monitor import verdict
from burnqed.train.quality import quality
from burnqed.train.ragged import Indices

JUDGED_BY = "pairwise"
"""The metric that must not fall: the head's rank accuracy."""


def adopt_head(
    trained: Path,
    joint: JointOutcome,
    examples: HeadExamples,
    embeddings: Embeddings,
    config: EbmConfig,
    *,
    validation_fraction: float,
    workdir: Path,
) -> HeadOutcome:
    """Writes `workdir/head` as `burnqed.train.ebm.train_head` does.

    trained: the folder of the head that `train_joint` wrote. The examples are those of the joint training, and `embeddings` the exported
    model's, of their texts.
    """
    is_validation = examples.held_out(validation_fraction)[examples.theorem]
    training, validation = np.flatnonzero(~is_validation), np.flatnonzero(is_validation)
    matrix = torch.from_numpy(embeddings.matrix)
    head = Head.load(trained).to(device())
    head.standardise(matrix)

    def embed(states: Indices) -> Tensor:
        return matrix[torch.from_numpy(states)].to(device())

    held_out = HeldOut(examples, validation, config)
    figures = quality(examples, embeddings.matrix, training, held_out.chosen, seed=config.seed)
    metrics = held_out.metrics(head, embed) | figures
    # on the positives that the training measured it on
    after = HeldOut(examples, validation, config, MONITORED).metrics(head, embed)
    reason = verdict(metrics) or fallen(joint.head.metrics.get(JUDGED_BY), after.get(JUDGED_BY))
    log.info(
        "head: of the joint training · rank accuracy %s, then %s with the exported model",
        joint.head.metrics.get(JUDGED_BY),
        after.get(JUDGED_BY),
    )
    return write_outcome(
        workdir,
        HeadOutcome(
            head=head.save(workdir / "head", embeddings.embedding_id, metrics, config.head),
            accepted=not reason,
            reason=reason,
            aborted="",
            steps=joint.steps,
            best_step=joint.kept_step,
            positives=joint.positives,
            validation_positives=len(held_out),
            shares={},
            metrics=metrics,
            rank_shares=held_out.rank_shares(head, embed),
            rows=[],
        ),
    )


def fallen(before: Metric | None, after: Metric | None) -> str:
    """Why a head counts as fallen: its accuracy is lower than before by more than two standard errors; empty if it does not."""
    if before is None or after is None or after.value >= before.value - 2 * (after.error or 0.0):
        return ""
    return (
        f"its rank accuracy fell from {before.value:.3f} in joint training to {after.value:.3f} with the exported model"
    )
