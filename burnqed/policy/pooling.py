"""Which tokens of a state are embedded, and what of their last hidden states is its embedding (`policy.embedding`).

    pooling = Pooling.of(config)
    pooling = Pooling(max_tokens=512)                          `mean`
    pooling = Pooling(max_tokens=512, template=COMPLETION)     `prompt`

`mean`: the bare state; the mean over its tokens, of width d. `prompt`: the prompt that asks for a tactic at the state; the mean over its tokens, and
the last one, where a language model holds what it is about to propose; of width 2·d.

The encoder of finished models (`burnqed.policy.encode`) and joint training (`burnqed.train.contrast`) both go by this, each with its own tokenizer
and its own passes through the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from burnqed.config import PolicyConfig, States
from burnqed.policy.states import shown
from burnqed.policy.template import Template, bare_template

END = 32
"""Tokens of its end that a prompt keeps when it is cut: those behind the state, in any template, or it would not ask for a tactic any more."""

Tokenize = Callable[[list[str], bool], list[list[int]]]
"""Token ids of texts, with or without those that a tokenizer adds around a text."""


@dataclass(frozen=True)
class Pooling:
    max_tokens: int
    """The most tokens of a state, or of its prompt."""
    template: Template | None = None
    """In whose prompt, without lemmas, a state is embedded; None for a bare state."""
    states: States = "whole"
    """How a bare state is shown; a template says so itself."""

    @classmethod
    def of(cls, config: PolicyConfig) -> Pooling:
        if config.embedding == "prompt":
            return cls(config.embed_max_tokens, bare_template(config))
        return cls(config.embed_max_tokens, states=config.states)

    @property
    def name(self) -> str:
        """What distinguishes its embeddings from those of other kinds with the same `max_tokens`."""
        if self.template is None:
            return "mean" if self.states == "whole" else f"mean, {self.states}"
        of = "" if self.template.states == "whole" else f" {self.template.states}"
        return f"mean and last, cut before the last {END}, of{of} {self.template.bare_prompt('')}"

    def shown(self, state: str) -> str:
        """The state as it is embedded, bare or inside its prompt."""
        return shown(state, self.template.states if self.template else self.states)

    def width(self, d: int) -> int:
        """Of embeddings by a model whose hidden states have the width d."""
        return d if self.template is None else 2 * d

    def tokens(self, states: Sequence[str], tokenize: Tokenize) -> list[list[int]]:
        """What is given to the model for each state; nothing for one without text."""
        if self.template is None:
            return [ids[: self.max_tokens] for ids in tokenize([self.shown(state) for state in states], False)]
        prompts = tokenize([self.template.bare_prompt(state) for state in states], True)
        return [self.cut(ids) if state else [] for state, ids in zip(states, prompts, strict=True)]

    def cut(self, prompt: list[int]) -> list[int]:
        """Its beginning, with the main goal, and its end, so that no more than `max_tokens` are left."""
        if len(prompt) <= self.max_tokens:
            return prompt
        end = min(END, self.max_tokens // 2)
        return prompt[: self.max_tokens - end] + prompt[-end:]

    def join(self, mean: Tensor, last: Tensor) -> Tensor:
        """The embeddings [..., width] from the mean over a text's hidden states and the last one of these, each [..., d]."""
        return mean if self.template is None else torch.cat([mean, last], dim=-1)
