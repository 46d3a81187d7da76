"""Preferences beside the next-token loss: at states of found proofs, the proof's tactic over those that Lean refused there.

Direct preference optimisation (Rafailov et al. 2023, arXiv:2305.18290, equation 7), on pairs as BFS-Prover takes them (Xin et al. 2025, arXiv:2502.03438):

    −log σ(β · [(log π(w) − log π₀(w)) − (log π(l) − log π₀(l))])

π₀ is the model that the training starts from. A step adds the mean over its pairs, times `sft.preferences`, to the step's next-token loss.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from burnqed.config import SftConfig
from burnqed.data.pairs import TacticPair
from burnqed.data.split import split
from burnqed.errors import BadInput
from burnqed.log import log
from burnqed.policy.batches import batches
from burnqed.policy.template import Template
from burnqed.train.loop import Training
from burnqed.train.losses import completion_log_probs
from burnqed.train.packing import Example, Packed, encode, shuffled
from burnqed.trajectory.reader import Preference


@dataclass(frozen=True, slots=True)
class PreferencePair:
    """A preference in tokens."""

    number: int
    chosen: Example
    rejected: Example

    def __len__(self) -> int:
        return len(self.chosen) + len(self.rejected)


def encode_preferences(
    tokenizer: Any, preferences: Iterable[Preference], config: SftConfig, validation_fraction: float, template: Template
) -> list[PreferencePair]:
    """Those of training theorems, each once, without those of which one side is too long."""
    training, _ = split(dict.fromkeys(preferences), validation_fraction)

    def encoded(tactics: Iterable[str]) -> list[Example]:
        sides = [
            TacticPair(theorem=p.theorem, state=p.state, tactic=tactic, depth=None, source="search")
            for p, tactic in zip(training, tactics, strict=True)
        ]
        return encode(tokenizer, sides, sys.maxsize, template)

    sides = zip(encoded(p.chosen for p in training), encoded(p.rejected for p in training), strict=True)
    short = [(one, other) for one, other in sides if max(len(one), len(other)) <= config.max_length]
    return [PreferencePair(number, *pair) for number, pair in enumerate(short)]


class PreferenceTraining(Training):
    """A fine-tuning in progress that also learns preferences."""

    def __init__(self, model: Any, *material: Any, preferences: Sequence[PreferencePair], **schedule: Any) -> None:
        super().__init__(model, *material, **schedule)
        order = islice(shuffled([1] * len(preferences), self.config.seed), self.steps * self.config.preference_pairs)
        self.order = [preferences[i] for i in order]
        """Those of step n begin at n · `sft.preference_pairs`."""
        self.margins = self.start_margins()
        self.preference_losses: list[float] = []

    @torch.no_grad()
    def start_margins(self) -> dict[int, float]:
        """log π₀(w) − log π₀(l) of each pair that is going to be used, by number."""
        self.model.eval()
        used = sorted({pair.number: pair for pair in self.order}.values(), key=len)
        log.info("fine-tuning: %d preferences", len(used))
        margins: dict[int, float] = {}
        for part in batches(used, self.piece):
            margins |= zip((pair.number for pair in part), self.margin(part).tolist(), strict=True)
        return margins

    @property
    def piece(self) -> int:
        """Tokens that are computed at once."""
        return self.config.batch_tokens // (self.splits * self.processes.number)

    def margin(self, part: Sequence[PreferencePair]) -> Tensor:
        """[n]: log π(w) − log π(l) of these pairs."""
        sides = [side for pair in part for side in (pair.chosen, pair.rejected)]
        packed: Packed = self.packed(sides).to(self.device)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.config.precision == "bfloat16"):
            log_probs = completion_log_probs(self.model, packed, len(sides))
        return log_probs[0::2] - log_probs[1::2]

    def gradient(self, micro_batches: list[list[Example]]) -> tuple[list[Packed], float]:
        while True:
            packed, total = super().gradient(micro_batches)
            full = False
            try:
                loss = self.prefer()
            except torch.OutOfMemoryError as error:  # which holds on to the memory as long as it is there
                if self.is_sharded or self.piece <= max(map(len, self.order)):
                    raise BadInput(
                        f"A pair of tactics of {self.piece} tokens needs more memory than there is; set sft.gradient_checkpointing=true, or lower "
                        "sft.batch_tokens or sft.max_length."
                    ) from error
                full = True
            if not self.processes.any(full):
                self.preference_losses.append(self.processes.sum(loss)[0])
                return packed, total
            self.optimizer.zero_grad(set_to_none=True)
            torch.cuda.empty_cache()
            self.splits *= 2
            log.warning("out of memory: from now on each batch is computed in %d parts", self.splits)

    def prefer(self) -> float:
        """Adds the gradient of the step's preferences, times their weight. Returns this process's share of their mean loss."""
        number = self.config.preference_pairs
        own = self.order[self.step * number : (self.step + 1) * number]
        total = 0.0
        for part, counts in self.processes.share(list(batches(own, self.piece))):
            before = torch.tensor([self.margins[pair.number] for pair in part], device=self.device)
            losses = -F.logsigmoid(self.config.preference_beta * (self.margin(part) - before))
            share = losses.sum() * (counts / len(own))
            (self.config.preferences * share).backward()  # type: ignore[no-untyped-call]
            total += share.item()
        return total

    def advance(self, micro_batches: list[list[Example]]) -> None:
        super().advance(micro_batches)
        self.rows[-1] = self.rows[-1].model_copy(update={"preference": self.preference_losses.pop()})
