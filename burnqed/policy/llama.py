"""A Llama forward pass in plain torch, with a key-value cache made for sampling many tactics of each proof state.

With a small model, transformers.generate spends most of its time in Python, and it repeats the prompt for every sample. Here the
samples of one prompt share its keys and values: a *group* is one prompt and the tokens of all its samples, and a mask lets each sample
see the prompt and its own tokens. A step is one batched attention over the open groups. Prompts are packed one after the other, without
padding; one that begins like a recent one is taken up where they part. `tests/integration/test_policy_model.py` compares the logits with those of transformers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, count
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor

from burnqed.finite import check_finite
from burnqed.policy.batches import batches
from burnqed.policy.pack import Extend, Known, continued
from burnqed.policy.recent import Recent

MOST_IDLE_BYTES = 256 << 20
"""A larger cache is freed when nothing is being generated."""
MOST_KEPT_BYTES = 256 << 20
"""Of prompts' keys and values that are kept for others that begin alike. They stay when nothing is being generated."""
PACKED_TOKENS = 4_096
"""Tokens of one packed pass, which bounds the memory of activations; that of whole sequences' keys and values grows with what a caller gives at once."""


class Llama:
    """Weights of a LlamaForCausalLM. L layers, H heads, G key-value heads of width E, d hidden."""

    pads = False

    def __init__(self, folder: Path, dtype: torch.dtype, device: torch.device) -> None:
        config = json.loads((folder / "config.json").read_text())
        self.width: int = config["hidden_size"]
        self.heads: int = config["num_attention_heads"]
        self.kv_heads: int = config.get("num_key_value_heads") or self.heads
        self.head_width: int = config.get("head_dim") or self.width // self.heads
        self.layer_count: int = config["num_hidden_layers"]
        self.context: int = config["max_position_embeddings"]
        self.epsilon: float = config["rms_norm_eps"]
        self.dtype, self.device = dtype, device
        self.rotated = torch.promote_types(dtype, torch.float32)
        """Type of the rotation and of logits."""
        weights = {k: w for file in sorted(folder.glob("*.safetensors")) for k, w in load_file(file).items()}
        check_finite(weights.items(), folder)

        def take(name: str) -> Tensor:
            weight: Tensor = weights[name]
            return weight.to(device, dtype)

        self.embedding = take("model.embed_tokens.weight")
        self.norm = take("model.norm.weight")
        self.head = self.embedding if config.get("tie_word_embeddings") else take("lm_head.weight")
        self.layers = [self._layer(f"model.layers.{i}.", take) for i in range(self.layer_count)]
        theta = rope(config)["rope_theta"]
        frequency = theta ** -(torch.arange(0, self.head_width, 2, dtype=torch.float32) / self.head_width)
        angle = torch.outer(torch.arange(self.context, dtype=torch.float32), frequency).to(self.rotated)
        self.rotation = torch.polar(torch.ones_like(angle), angle).to(device)  # [context, E/2], complex

    @staticmethod
    def fits(config: dict[str, Any]) -> bool:
        """Whether this class implements the architecture that a config.json describes."""
        return (
            config.get("model_type") == "llama"
            and config.get("hidden_act", "silu") == "silu"
            and not config.get("attention_bias")
            and not config.get("mlp_bias")
            and not config.get("quantization_config")
            and rope(config)["rope_type"] == "default"
        )

    def _layer(self, prefix: str, take: Callable[[str], Tensor]) -> dict[str, Tensor]:
        """Fuses projections with the same input. Rows of queries and keys are reordered so that the two halves that RoPE rotates against
        each other are adjacent, as in complex numbers; attention does not depend on that order."""
        q, k, v = (take(f"{prefix}self_attn.{name}_proj.weight") for name in "qkv")
        q, k = (w.view(-1, 2, self.head_width // 2, self.width).transpose(1, 2).reshape(-1, self.width) for w in (q, k))
        gate, up = (take(f"{prefix}mlp.{name}_proj.weight") for name in ("gate", "up"))
        return {
            "norm1": take(f"{prefix}input_layernorm.weight"),
            "qkv": torch.cat([q, k, v]),
            "out": take(f"{prefix}self_attn.o_proj.weight"),
            "norm2": take(f"{prefix}post_attention_layernorm.weight"),
            "gate_up": torch.cat([gate, up]),
            "down": take(f"{prefix}mlp.down_proj.weight"),
        }

    def project(self, layer: dict[str, Tensor], x: Tensor, rotation: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """x [N, d] → queries [N, H, E], keys and values [N, G, E]; queries and keys rotated to their positions."""
        qkv = F.linear(F.rms_norm(x, (self.width,), layer["norm1"], self.epsilon), layer["qkv"])
        qkv = qkv.view(len(x), self.heads + 2 * self.kv_heads, self.head_width)
        turned, v = qkv[:, : -self.kv_heads], qkv[:, -self.kv_heads :]
        pairs = torch.view_as_complex(turned.to(self.rotated).view(*turned.shape[:-1], -1, 2)) * rotation.unsqueeze(1)
        turned = torch.view_as_real(pairs).flatten(-2).to(self.dtype)
        return turned[:, : self.heads], turned[:, self.heads :], v

    def finish(self, layer: dict[str, Tensor], x: Tensor, attended: Tensor) -> Tensor:
        """x [N, d] and the output of attention [N, H, E] → the layer's output [N, d]."""
        x = x + F.linear(attended.reshape(len(x), -1), layer["out"])
        gate_up = F.linear(F.rms_norm(x, (self.width,), layer["norm2"], self.epsilon), layer["gate_up"])
        gate, up = gate_up.chunk(2, dim=-1)
        return x + F.linear(F.silu(gate) * up, layer["down"])

    def final(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, (self.width,), self.norm, self.epsilon)

    def logits(self, hidden: Tensor) -> Tensor:
        """[N, d] → [N, V], at least float32."""
        return F.linear(hidden, self.head).to(self.rotated)

    @torch.inference_mode()
    def hidden(self, sequences: Sequence[Sequence[int]], lately: Recent[Known] | None = None) -> list[Tensor]:
        """Last hidden states, after the final norm: one [length, d] for each sequence of token ids. On a processor, one that begins like the one before, or like one of
        `lately`, to which these are added, is processed from where they part; on a GPU the many small calls that it takes cost more than they save."""
        shares = self.device.type == "cpu"
        lately = lately if shares else None
        out: list[Tensor] = []
        for pack in continued(sequences, PACKED_TOKENS, shares, lately):
            lengths = [len(part) for part in pack.parts]
            x = self.final(self.packed(pack.parts, pack.starts, pack.extend))
            hidden, _ = pack.extend(self.layer_count, torch.split(x, lengths), ())
            for whole, rows in zip(hidden, pack.rows, strict=True):
                if lately is not None:
                    lately.add(sequences[len(out)], rows, sum(t.nbytes for both in rows.values() for t in both))
                out.append(whole)
        return out

    def packed(
        self, parts: Sequence[Sequence[int]], starts: Sequence[int], extend: Extend, *, last: bool = False
    ) -> Tensor:
        """One pass over sequences, from their tokens `starts` on, which are the given `parts`; `extend` adds what is known of those before. Hidden states before the
        final norm: of all tokens given, [ΣT, d], or of the `last` token of each sequence alone, [len(parts), d]."""
        lengths = [len(part) for part in parts]
        ends = list(accumulate(lengths))
        x = F.embedding(torch.tensor([t for part in parts for t in part], device=self.device), self.embedding)
        rotation = torch.cat([self.rotation[start : start + n] for start, n in zip(starts, lengths, strict=True)])
        masks = [
            causal_mask(start, n, self.dtype).to(self.device) if start else None
            for start, n in zip(starts, lengths, strict=True)
        ]
        for i, layer in enumerate(self.layers):
            q, k, v = self.project(layer, x, rotation)
            keys, values = extend(i, torch.split(k, lengths), torch.split(v, lengths))
            last_only = last and i == self.layer_count - 1
            attended = torch.empty_like(q)
            for end, n, own_keys, own_values, mask in zip(ends, lengths, keys, values, masks, strict=True):
                queries = q[end - 1 : end] if last_only else q[end - n : end]
                seen = None if last_only else mask
                attended[end - len(queries) : end] = attend(queries, own_keys, own_values, seen)
            if last_only:
                rows = torch.tensor(ends, device=self.device) - 1
                x, attended = x[rows], attended[rows]
            x = self.finish(layer, x, attended)
        return x

    def rows(self) -> LlamaRows:
        return LlamaRows(self)


def rope(config: dict[str, Any]) -> dict[str, Any]:
    """`rope_type` and `rope_theta`, which transformers wrote at the top level before version 5."""
    settings = config.get("rope_parameters") or config.get("rope_scaling") or {}
    return {
        "rope_type": settings.get("rope_type") or settings.get("type") or "default",
        "rope_theta": settings.get("rope_theta") or config.get("rope_theta") or 10_000.0,
    }


def causal_mask(start: int, n: int, dtype: torch.dtype) -> Tensor:
    """[n, start + n]: 0 where tokens from `start` on see, −∞ elsewhere."""
    return torch.full((n, start + n), -torch.inf, dtype=dtype).triu(start + 1)


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """Attention of the last n tokens of one sequence: q [n, H, E], k and v [T, G, E] → [n, H, E]. The mask [n, T] is needed where neither n = T nor n = 1."""
    is_whole = len(q) == len(k)
    q, k, v = (t.transpose(0, 1).unsqueeze(0) for t in (q, k, v))
    out = F.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, is_causal=is_whole, enable_gqa=q.shape[1] != k.shape[1]
    )
    return out.squeeze(0).transpose(0, 1)


class Groups:
    """Keys and values of the open groups.

    `store` is [L, S, 2, G, T, E]: S slots of T columns. `mask` is [S, W, T]: 0 where sample w of the slot's group may attend, −∞ elsewhere.
    Both grow by doubling.
    """

    def __init__(self, model: Llama) -> None:
        shape = (model.layer_count, 0, 2, model.kv_heads, 0, model.head_width)
        self.store = torch.empty(shape, dtype=model.dtype, device=model.device)
        self.mask = torch.empty((0, 0, 0), dtype=model.dtype, device=model.device)
        self.used: list[int] = []
        """Number of columns used by each open slot; the open slots are always the first len(used)."""

    def open(self, lengths: Sequence[int], widths: Sequence[int]) -> list[int]:
        """Slots for new groups with prompts of `lengths` tokens and `widths` samples."""
        first = len(self.used)
        self.used.extend(lengths)
        self.reserve(len(self.used), max(widths), max(lengths))
        slots = list(range(first, len(self.used)))
        self.mask[first : len(self.used)] = -torch.inf
        for slot, length in zip(slots, lengths, strict=True):
            self.mask[slot, :, :length] = 0
        return slots

    def reserve(self, slots: int, width: int, columns: int) -> None:
        have = (self.store.shape[1], self.mask.shape[1], self.store.shape[4])
        want = tuple(h if w <= h else max(w, 2 * h) for h, w in zip(have, (slots, width, columns), strict=True))
        if want == have:
            return
        layers, _, two, heads, _, head_width = self.store.shape
        store = self.store.new_zeros((layers, want[0], two, heads, want[2], head_width))  # a mask does not hide NaN
        store[:, : have[0], :, :, : have[2]] = self.store
        mask = self.mask.new_full(want, -torch.inf)
        mask[: have[0], : have[1], : have[2]] = self.mask
        self.store, self.mask = store, mask

    def fill(
        self, slots: Sequence[int], starts: Sequence[int], layer: int, keys: Sequence[Tensor], values: Sequence[Tensor]
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Stores keys and values of the prompts' tokens from `starts` on, each [n, G, E], and gives those of whole prompts, each [T, G, E]."""
        whole: tuple[list[Tensor], list[Tensor]] = ([], [])
        for which, parts in enumerate((keys, values)):
            for slot, start, part in zip(slots, starts, parts, strict=True):
                columns = self.store[layer, slot, which, :, : start + len(part)]
                columns[:, start:] = part.transpose(0, 1)
                whole[which].append(columns.transpose(0, 1) if start else part)
        return whole

    def move(self, source: int, target: int) -> None:
        columns = self.used[source]
        self.store[:, target, :, :, :columns] = self.store[:, source, :, :, :columns]
        self.mask[target] = self.mask[source]
        self.used[target] = columns


class LlamaRows:
    """The sequences being decoded: row b is number `rank[b]` of the group in `slot[b]`, at `position[b]`."""

    can_join = True

    def __init__(self, model: Llama) -> None:
        self.model = model
        self.groups = Groups(model)
        self.prefixes: Recent[Tensor] = Recent(MOST_KEPT_BYTES)
        """Keys and values of prompts, [L, 2, G, T, E]."""
        self.slot: list[int] = []
        self.rank: list[int] = []
        self.position: list[int] = []

    def __len__(self) -> int:
        return len(self.slot)

    @torch.inference_mode()
    def admit(self, prompts: Sequence[Sequence[int]], widths: Sequence[int]) -> Tensor:
        """Appends a row for each prompt, which may become `widths[i]` rows; logits of the new rows' first token, [len(prompts), V]."""
        slots = self.groups.open([len(p) for p in prompts], widths)
        known: list[int] = []
        for slot, prompt in zip(slots, prompts, strict=True):
            length, kept = self.prefixes.longest(prompt)
            if kept is not None:
                self.groups.store[:, slot, :, :, :length] = kept[:, :, :, :length]
            known.append(length)
        last: list[Tensor] = []
        done = 0
        for pack in batches([prompt[n:] for prompt, n in zip(prompts, known, strict=True)], PACKED_TOKENS):
            part = slice(done, done + len(pack))
            extend = partial(self.groups.fill, slots[part], known[part])
            last.append(self.model.packed(pack, known[part], extend, last=True))
            done += len(pack)
        for slot, prompt in zip(slots, prompts, strict=True):
            if prompt not in self.prefixes:  # further draws at a state have the same
                kept = self.groups.store[:, slot, :, :, : len(prompt)]
                self.prefixes.add(prompt, kept.clone(), kept.nbytes)
            self.slot.append(slot)
            self.rank.append(0)
            self.position.append(len(prompt))
        return self.model.logits(self.model.final(torch.cat(last)))

    @torch.inference_mode()
    def advance(self, tokens: Sequence[int]) -> Tensor:
        """Appends one token to every row; logits of the next ones, [B, V]."""
        model, groups = self.model, self.groups
        columns = []
        for slot in self.slot:
            columns.append(groups.used[slot])
            groups.used[slot] += 1
        widest = max(groups.used)
        groups.reserve(len(groups.used), 1, widest)
        slot, rank, column, position, token = torch.tensor(
            [self.slot, self.rank, columns, self.position, list(tokens)], device=model.device
        )
        width = max(self.rank) + 1
        groups.mask[slot, rank, column] = 0
        mask = groups.mask[: len(groups.used), None, :width, :widest]
        x = F.embedding(token, model.embedding)
        rotation = model.rotation[position]
        queries = x.new_zeros((len(groups.used), width, model.heads, model.head_width))
        for i, layer in enumerate(model.layers):
            q, k, v = model.project(layer, x, rotation)
            store = groups.store[i, : len(groups.used)]
            store[slot, 0, :, column] = k
            store[slot, 1, :, column] = v
            queries[slot, rank] = q
            read = F.scaled_dot_product_attention(
                queries.transpose(1, 2),  # [S, H, W, E]
                store[:, 0, :, :widest],
                store[:, 1, :, :widest],
                attn_mask=mask,
                enable_gqa=model.heads != model.kv_heads,
            )
            x = model.finish(layer, x, read.transpose(1, 2)[slot, rank])
        self.position = [p + 1 for p in self.position]
        return model.logits(model.final(x))

    @torch.inference_mode()
    def keep(self, rows: Sequence[int]) -> None:
        """Keeps these rows, in this order; the copies of one that is listed several times see all that it saw. The last open groups move into the slots of finished groups."""
        taken = {(self.slot[r], self.rank[r]) for r in rows}
        ranks, met = list[int](), set[int]()
        for r in rows:
            slot, rank = self.slot[r], self.rank[r]
            if r in met:
                rank = next(free for free in count() if (slot, free) not in taken)
                taken.add((slot, rank))
                self.groups.mask[slot, rank] = self.groups.mask[slot, self.rank[r]]
            met.add(r)
            ranks.append(rank)
        self.slot, self.rank, self.position = [self.slot[r] for r in rows], ranks, [self.position[r] for r in rows]
        open_slots = set(self.slot)
        holes = [s for s in range(len(open_slots)) if s not in open_slots]
        moved = dict(zip(sorted(s for s in open_slots if s >= len(open_slots)), holes, strict=True))
        for source, target in moved.items():
            self.groups.move(source, target)
        self.slot = [moved.get(s, s) for s in self.slot]
        del self.groups.used[len(open_slots) :]
        if not open_slots and self.groups.store.nbytes > MOST_IDLE_BYTES:
            self.groups = Groups(self.model)
