"""Preferences beside the next-token loss: at states of found and of replayed proofs, the proof's tactic over those that Lean refused there.

Direct preference optimisation (Rafailov et al. 2023, arXiv:2305.18290, equation 7), on pairs as BFS-Prover takes them (Xin et al. 2025, arXiv:2502.03438):

    −log σ(β · [(log π(w) − log π₀(w)) − (log π(l) − log π₀(l))])

π₀ is the model that the training starts from. A step adds the mean over its pairs, times `sft.preferences`, to the step's next-token loss.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from burnqed.config import SftConfig
from burnqed.data.pairs import TacticPair
from burnqed.data.split import split, unit_interval
from burnqed.errors import BadInput, TryAgain
from burnqed.log import log
from burnqed.policy.batches import batches
from burnqed.policy.template import Template
from burnqed.progress import Progress
from burnqed.train.checkpoint import Checkpoints
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


def draw(
    preferences: Iterable[Preference], config: SftConfig, steps: int, validation_fraction: float
) -> list[Preference]:
    """As many of those of training theorems as the steps can use, each once, chosen by hash."""
    training, _ = split(dict.fromkeys(preferences), validation_fraction)
    return heapq.nsmallest(
        steps * config.preference_pairs, training, key=lambda p: unit_interval("preference", config.seed, *p)
    )


def encode_preferences(
    tokenizer: Any, drawn: Sequence[Preference], config: SftConfig, template: Template
) -> list[PreferencePair]:
    """Those whose two sides have at most `sft.max_length` tokens together, as they go through the model together."""

    def encoded(tactics: Iterable[str]) -> list[Example]:
        sides = [
            TacticPair(theorem=p.theorem, state=p.state, tactic=tactic, depth=None, source="search")
            for p, tactic in zip(drawn, tactics, strict=True)
        ]
        return encode(tokenizer, sides, sys.maxsize, template)

    sides = zip(encoded(p.chosen for p in drawn), encoded(p.rejected for p in drawn), strict=True)
    short = [(one, other) for one, other in sides if len(one) + len(other) <= config.max_length]
    log.info("fine-tuning: %d preferences; %d too long", len(short), len(drawn) - len(short))
    return [PreferencePair(number, *pair) for number, pair in enumerate(short)]


class PreferenceTraining(Training):
    """A fine-tuning in progress that also learns preferences. The weights that are kept are those with the lowest next-token loss, as without."""

    def __init__(self, model: Any, *material: Any, preferences: Sequence[PreferencePair], **schedule: Any) -> None:
        super().__init__(model, *material, **schedule)
        order = islice(shuffled([1] * len(preferences), self.config.seed), self.steps * self.config.preference_pairs)
        self.order = [preferences[i] for i in order]
        """Those of step n begin at n · `sft.preference_pairs`."""
        self.preferences = preferences
        self.margins: list[float] = []
        """log π₀(w) − log π₀(l) of each pair, by number; empty before the first step."""
        self.losses: list[float] = []
        self.should_stop: Callable[[], bool] = lambda: False

    def run(self, checkpoints: Checkpoints, fingerprint: str, should_stop: Callable[[], bool]) -> None:
        self.should_stop = should_stop
        super().run(checkpoints, fingerprint, should_stop)

    @torch.no_grad()
    def start_margins(self) -> list[float]:
        """Those of the model as it is. Raises TryAgain when stopped."""
        self.model.eval()
        found = [0.0] * len(self.preferences)
        parts = list(batches(sorted(self.preferences, key=len), self.piece))
        with Progress(len(parts), "preferences of the start", "batches") as progress:
            for part, counts in self.processes.share(parts):
                for pair, margin in zip(part, self.margin(part).tolist(), strict=True):
                    found[pair.number] = counts * margin
                progress.advance(self.processes.number)
                if self.processes.any(self.should_stop()):
                    raise TryAgain("Fine-tuning was stopped before its first step; the same command continues it.")
        self.model.train()
        return self.processes.sum(*found)

    @property
    def piece(self) -> int:
        """Tokens that are computed at once."""
        return self.config.batch_tokens // (self.splits * self.processes.number)

    def margin(self, part: Sequence[PreferencePair]) -> Tensor:
        """[n]: log π(w) − log π(l) of these pairs."""
        sides = [side for pair in part for side in (pair.chosen, pair.rejected)]
        packed: Packed = self.packed(sides).to(self.device)
        with self.autocast():
            log_probs = completion_log_probs(self.model, packed, len(sides))
        return log_probs[0::2] - log_probs[1::2]

    def gradient(self, micro_batches: list[list[Example]]) -> tuple[list[Packed], float]:
        while True:
            packed, total = super().gradient(micro_batches)
            full = False
            try:
                self.margins = self.margins or self.start_margins()  # before the first step
                loss = self.prefer()
            except torch.OutOfMemoryError as error:  # which holds on to the memory as long as it is there
                longest = max(map(len, self.preferences))
                if self.is_sharded or self.piece <= longest:
                    raise BadInput(
                        f"Two tactics at a state, of {longest} tokens together, need more memory than there is; set sft.gradient_checkpointing=true, or "
                        "lower sft.max_length."
                    ) from error
                full = True
            if not self.processes.any(full):
                self.losses.append(self.processes.sum(loss)[0])
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
        self.rows[-1] = self.rows[-1].model_copy(update={"preference": self.losses.pop()})

    def state(self) -> dict[str, Any]:
        return super().state() | {"margins": self.margins}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.margins = state["margins"]
