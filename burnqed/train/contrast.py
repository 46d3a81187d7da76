"""The head's loss through the weights of a language model in training: proof states are embedded by the model as it is, and the loss changes both
the model and the head. It is InfoNCE, with `ebm.depth_weight` times `depth_loss`.

    contrast = Contrast(model, tokenizer, head, examples, training, seen, config.ebm, config.joint, …)
    loss, z = contrast.backward(step)          # adds λ · the gradient of that to model and head; `loss` is InfoNCE

A group is a positive, its negatives, and its root state; the states of a step's groups are embedded once each and packed, as
`burnqed.policy.encode` does with a finished model (`burnqed.policy.pooling`). If a step's states exceed `joint.batch_tokens`, they are
embedded piece by piece with a gradient cache (GradCache, arXiv:2101.06983): first without gradients, then the loss on all embeddings, then each piece
again with gradients, under the same random numbers, and the gradient of its embeddings. The result is that of one large batch.

Random numbers (dropout, power iterations) are a function of seed and step alone: nothing of them is in a checkpoint, and the
next-token loss beside this one has those that it has alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from burnqed.config import EbmConfig, JointConfig
from burnqed.errors import BadInput
from burnqed.head.base import Head
from burnqed.policy.batches import batches
from burnqed.policy.pooling import Pooling
from burnqed.train.depth import DRAWN, EarlierBatch, depth_alone, depth_loss, earlier_states, with_others
from burnqed.train.examples import HeadExamples
from burnqed.train.losses import PACKING_TOLERANCE, info_nce, last_hidden
from burnqed.train.model import trainable
from burnqed.train.negatives import NegativeSampler
from burnqed.train.packing import NOTHING, Example, pack
from burnqed.train.parallel import Processes
from burnqed.train.ragged import Indices, Ragged
from burnqed.train.varlen import is_used

HEAD = 1 << 20
"""Where a process's rank is otherwise: no process has it."""
PACKED_TOGETHER = 8
"""States that are packed and compared with single ones."""


@dataclass(frozen=True)
class Groups:
    """The B groups of one step, over S distinct states."""

    states: Indices
    """[S]: rows of the examples' texts, in order."""
    members: Indices
    """[B, 1 + K]: places in `states` of the positive and its negatives."""
    goals: Indices
    """[B]: places of the root states."""
    present: NDArray[np.bool_]
    """[B, K]: False where a positive has fewer than K negatives."""
    depth: DepthGroups | None
    """If depth counts."""


@dataclass(frozen=True)
class DepthGroups:
    """P positives whose depth counts, those of the step first; goals and members are places in its states."""

    goals: Indices
    """[P]: the root states."""
    members: Indices
    """[P, 1 + DRAWN]: the positives, and states before them on their proofs."""
    earlier: EarlierBatch
    """Which of those there are, and how far before; its rows are those of the examples' texts."""


class Contrast:
    """`training` are positives of the examples, and `seen` the states that may be trained on, by theorem. `pooling` says
    what an embedding is; `batch_tokens` are embedded at once; `bfloat16` says what the model computes in (the head always computes in float32).

    Raises BadInput when there is nothing to learn from.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        head: Head,
        examples: HeadExamples,
        training: Indices,
        seen: Ragged,
        ebm: EbmConfig,
        joint: JointConfig,
        *,
        pooling: Pooling,
        batch_tokens: int,
        bfloat16: bool,
    ) -> None:
        self.model, self.tokenizer, self.head, self.examples = model, tokenizer, head, examples
        self.pooling, self.batch_tokens, self.bfloat16 = pooling, batch_tokens, bfloat16
        self.weight, self.size, self.seed, self.depth_weight = joint.weight, joint.positives, ebm.seed, ebm.depth_weight
        self.device = next(head.parameters()).device
        self.training, self.others = examples.contrasted(training), depth_alone(examples, training)
        self.sampler = NegativeSampler(examples, self.training, seen, ebm)
        self.usable = self.sampler.usable()
        self.processes = Processes.here()
        self.splits = 1
        """By which `batch_tokens` is divided, for a piece to fit into memory."""
        if not self.usable:
            raise BadInput(
                "There is no state on a proof with another state beside it for joint training; search more theorems in the iteration before "
                "(select.theorems), replay known proofs (negatives.theorems), or set joint.enabled=false."
            )

    def groups(self, step: int) -> Groups:
        """Those of a step. In each round every positive comes once, in an order that follows from the seed."""
        stream = np.arange(step * self.size, (step + 1) * self.size)
        round_, place = stream // len(self.usable), stream % len(self.usable)
        orders = {r: np.random.default_rng([self.seed, r]).permutation(len(self.usable)) for r in set(round_.tolist())}
        chosen = [self.usable[orders[r][p]] for r, p in zip(round_.tolist(), place.tolist(), strict=True)]
        random = np.random.default_rng([self.seed, step])
        drawn = self.sampler.draw(chosen, random)
        positives = self.training[chosen]
        rows = np.concatenate(
            [self.examples.goal[positives][:, None], self.examples.state[positives][:, None], drawn.rows], axis=1
        )
        # an absent negative has the row 0, which is not embedded for its sake
        rows[:, 2:] = np.where(drawn.present, rows[:, 2:], rows[:, 1:2])
        if not self.depth_weight:
            states, places = located(rows)
            return Groups(states, places[:, 1:], places[:, 0], drawn.present, None)
        deep = with_others(positives, self.others, random)
        earlier = earlier_states(self.examples, deep, DRAWN, random)
        deep_rows = [self.examples.goal[deep][:, None], self.examples.state[deep][:, None], earlier.rows]
        states, places, deep_places = located(rows, np.concatenate(deep_rows, axis=1))
        depth = DepthGroups(deep_places[:, 0], deep_places[:, 1:], earlier)
        return Groups(states, places[:, 1:], places[:, 0], drawn.present, depth)

    def sequences(self, states: Indices) -> list[Example]:
        """The states in tokens, as `burnqed.policy.encode.Encoder` has them. Raises BadInput for one without any."""
        texts = [self.examples.texts[i] for i in states.tolist()]
        found = [np.array(ids, dtype=np.int64) for ids in self.pooling.tokens(texts, self.tokenize)]
        if not all(map(len, found)):
            raise BadInput(
                "A proof state of the trajectories has an empty text, which has no embedding; redo their search."
            )
        return [Example(tokens, len(tokens)) for tokens in found]

    def tokenize(self, texts: list[str], special: bool) -> list[list[int]]:
        encoded = self.tokenizer(texts, add_special_tokens=special, return_attention_mask=False)
        ids: list[list[int]] = encoded["input_ids"]
        return ids

    def embed(self, sequences: Sequence[Example]) -> Tensor:
        """Embeddings of sequences, [n, width] in float32."""
        packed = pack(sequences, sum(map(len, sequences)) if is_used(self.model) else None).to(self.device)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bfloat16):
            hidden = last_hidden(self.model, packed)
        inside = packed.segments != NOTHING
        segment, states = packed.segments[inside], hidden[inside].float()  # [T], [T, d]
        # the tokens of a sequence lie together
        is_last = segment != F.pad(segment[1:], (0, 1), value=NOTHING)
        nothing = states.new_zeros(len(sequences), states.shape[-1])
        means = nothing.index_add(0, segment, states) / segment.bincount(minlength=len(sequences))[:, None]
        return self.pooling.join(means, nothing.index_add(0, segment[is_last], states[is_last]))

    @torch.no_grad()
    def embeddings(self, states: Indices, should_stop: Callable[[], bool] = lambda: False) -> Tensor | None:
        """[S, width] of the model as it is, without dropout; None once `should_stop` says so."""
        self.model.eval()
        sequences = self.sequences(states)
        order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
        pieces = self.pieces([sequences[i] for i in order])
        parts = []
        for piece, counts in self.processes.share(pieces):
            parts.append(self.embed(piece)[: len(piece) * counts])
            if self.processes.any(should_stop()):
                return None
        places = torch.empty(len(order), dtype=torch.long, device=self.device)
        places[order] = torch.arange(len(order), device=self.device)
        return self.together(parts, pieces)[places]

    @property
    def piece(self) -> int:
        """Tokens that a process embeds at once."""
        return self.batch_tokens // (self.splits * self.processes.number)

    def pieces(self, sequences: Sequence[Example]) -> list[list[Example]]:
        return list(batches(sequences, self.piece))

    def together(self, parts: list[Tensor], pieces: Sequence[Sequence[Example]]) -> Tensor:
        """The embeddings of all pieces, in order, from those of this process's pieces and of the other processes'."""
        number = self.processes.number
        lengths = [[len(piece) for piece in pieces[rank::number]] for rank in range(number)]
        gathered = self.processes.gather(torch.cat(parts), [sum(of_rank) for of_rank in lengths])
        split = [torch.split(z, of_rank) for z, of_rank in zip(gathered, lengths, strict=True)]
        return torch.cat([split[i % number][i // number] for i in range(len(pieces))])

    def backward(self, step: int, weight: float | None = None) -> tuple[float, Tensor]:
        """Adds λ (or `weight`) times the gradient of the step's loss to model and head. Returns InfoNCE in nats, and the embeddings [S, width].

        Of several processes, each adds the part of the model's gradient that comes through its own pieces, and all of the head's. Raises
        torch.OutOfMemoryError, and leaves part of the gradient behind.
        """
        weight = self.weight if weight is None else weight
        groups = self.groups(step)
        self.model.train()
        self.head.train()
        pieces = self.pieces(self.sequences(groups.states))
        with random_numbers(self.seed, step, self.processes.rank):
            if len(pieces) == self.processes.number == 1:
                z = self.embed(pieces[0])
                loss, contrast = self.seeded_loss(z, groups, step)
                (weight * loss).backward()  # type: ignore[no-untyped-call]
                return contrast.item(), z.detach()
            own = self.processes.share(pieces)
            states, parts = [], []
            for piece, counts in own:
                states.append(random_state())
                with torch.no_grad():
                    parts.append(self.embed(piece)[: len(piece) * counts])
            z = self.together(parts, pieces).requires_grad_()
            loss, contrast = self.seeded_loss(z, groups, step)
            (weight * loss).backward()  # type: ignore[no-untyped-call]
            assert z.grad is not None
            gradients = torch.split(z.grad, [len(piece) for piece in pieces])[
                self.processes.rank :: self.processes.number
            ]
            for (piece, counts), state, gradient in zip(own, states, [*gradients, None], strict=False):
                set_random_state(state)
                z_piece = self.embed(piece)
                z_piece.backward(gradient if counts else torch.zeros_like(z_piece))  # type: ignore[no-untyped-call]
        return contrast.item(), z.detach()

    def seeded_loss(self, z: Tensor, groups: Groups, step: int) -> tuple[Tensor, Tensor]:
        """`loss` with the head's random numbers, which are those of all processes, in however many pieces the states were embedded."""
        with random_numbers(self.seed, step, HEAD):
            return self.loss(z, groups)

    def loss(self, z: Tensor, groups: Groups) -> tuple[Tensor, Tensor]:
        """The loss of the groups over the embeddings [S, width] of their states, and InfoNCE alone."""
        members, goals = (torch.from_numpy(places).to(self.device) for places in (groups.members, groups.goals))
        energies = self.head(z[members], z[goals][:, None])  # [B, 1 + K]
        contrast = info_nce(energies[:, 0], energies[:, 1:], torch.from_numpy(groups.present).to(self.device))
        if (depth := groups.depth) is None:
            return contrast, contrast
        members, goals = (torch.from_numpy(places).to(self.device) for places in (depth.members, depth.goals))
        energies = self.head(z[members], z[goals][:, None])  # [P, 1 + DRAWN]
        return contrast + self.depth_weight * depth_loss(energies[:, 0], energies[:, 1:], depth.earlier), contrast

    def check(self) -> None:
        """Tries one batch: packed embeddings are those of single sequences, and the gradient of the loss reaches the model's weights and the head's.
        It changes nothing.

        Raises BadInput when one of these does not hold.
        """
        sequences = self.sequences(self.groups(0).states)[:PACKED_TOGETHER]
        self.model.eval()
        with torch.no_grad():
            packed, single = self.embed(sequences), torch.cat([self.embed([one]) for one in sequences])
        off = ((packed - single).norm() / single.norm()).item()
        if not off <= PACKING_TOLERANCE[torch.bfloat16 if self.bfloat16 else torch.float32]:
            raise BadInput(
                f"Packed states have other embeddings than single ones with {type(self.model).__name__} (by {off:.2g} of their norm); choose a "
                "model that keeps them apart, such as Llama or Qwen."
            )
        self.backward(0, weight=1.0)
        for name, module in (("model", self.model), ("head", self.head)):
            gradients = [p.grad for p in trainable(module).values() if p.grad is not None]
            (square,) = self.processes.sum(sum(g.float().square().sum().item() for g in gradients))
            norm = math.sqrt(square)
            module.zero_grad(set_to_none=True)
            if not (0 < norm < math.inf):
                raise BadInput(
                    f"The gradient of the head's loss has the norm {norm:g} at the weights of the {name}, so joint training would teach it nothing; "
                    "check the model's weights, or set joint.enabled=false."
                )


def located(*tables: Indices) -> tuple[Indices, ...]:
    """The distinct values of tables of rows, in order, and each table with their places instead."""
    states, places = np.unique(np.concatenate([rows.reshape(-1) for rows in tables]), return_inverse=True)
    parts = np.split(places, np.cumsum([rows.size for rows in tables])[:-1])
    return states, *(part.reshape(rows.shape) for part, rows in zip(parts, tables, strict=True))


@contextmanager
def random_numbers(seed: int, *more: int) -> Iterator[None]:
    """Torch's random numbers are a function of these numbers inside, and continue outside as if nothing had been drawn."""
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(int(np.random.SeedSequence([seed, *more]).generate_state(1)[0]))
        yield


def random_state() -> tuple[Tensor, list[Tensor]]:
    return torch.get_rng_state(), torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []


def set_random_state(state: tuple[Tensor, list[Tensor]]) -> None:
    torch.set_rng_state(state[0])
    if state[1]:
        torch.cuda.set_rng_state_all(state[1])
