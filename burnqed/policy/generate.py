"""Generation for many requests at once: samples join and leave a running batch, and what samples have in common, the prompt and the tokens until they part, is processed once.

    generator = Generator(model, max_batch=128)
    generator.submit(Sample(prompt=ids, params=SamplingParams(...)))
    while generator.busy:
        for sample in generator.step(): ...

One thread drives it (`burnqed.policy.worker`). Where the model is exact (`load_model`), a sample depends on its prompt, parameters and
seed alone, not on what else is in the batch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import Any

import torch
from torch import Tensor

from burnqed.policy.model import LanguageModel
from burnqed.policy.sampling import SamplingParams, sample, uniforms


@dataclass(slots=True, eq=False)
class Sample:
    """One reply in progress."""

    prompt: Sequence[int]
    params: SamplingParams
    tokens: list[int] = field(default_factory=list)
    """Token ids of the reply, including the one that ended it."""
    log_probs: list[float] = field(default_factory=list)
    text: str = ""
    """The reply without its end token or stop string; set when it is finished."""
    finish_reason: dict[str, Any] | None = None
    """`{"type": "stop", "matched": token id or string}` or `{"type": "length", "length": tokens}`."""
    shared: bool = False
    """Whether the prompt was processed for another sample of the batch."""
    draws: list[float] = field(default_factory=list)


class Generator:
    def __init__(self, model: LanguageModel, max_batch: int) -> None:
        self.model = model
        self.max_batch = max_batch
        self.rows = model.network.rows()
        self.active: list[list[Sample]] = []
        """By row: samples that have drawn the same tokens so far share one."""
        self.waiting: deque[Sample] = deque()
        self.empty: list[Sample] = []
        """Of which no token is wanted."""
        self._may_complete = cache(self._completes)

    @property
    def busy(self) -> bool:
        return bool(self.active or self.waiting or self.empty)

    def submit(self, sample: Sample) -> None:
        sample.draws = uniforms(sample.params.sampling_seed, sample.params.max_new_tokens)
        if sample.draws:
            self.waiting.append(sample)
        else:
            sample.finish_reason = {"type": "length", "length": 0}
            self.empty.append(sample)

    def step(self) -> list[Sample]:
        """Lets waiting samples join, adds one token to every sample, and returns those that are finished."""
        finished, self.empty = self.empty, []
        if joining := self._joining():
            groups = [list(same) for _, same in groupby(joining, key=lambda s: s.prompt)]
            logits = self.rows.admit([group[0].prompt for group in groups], [len(group) for group in groups])
            for group in groups:
                for other in group[1:]:
                    other.shared = True
            self._extend(groups, logits)
            self.active += groups
            finished += self._part()
        if self.active:
            self._extend(self.active, self.rows.advance([row[0].tokens[-1] for row in self.active]))
            finished += self._part()
        return finished

    def clear(self) -> None:
        """Forgets all samples (after a failure)."""
        self.active, self.rows = [], self.model.network.rows()
        self.waiting.clear()
        self.empty.clear()

    def _joining(self) -> list[Sample]:
        """The samples that join now; those of one prompt stay together unless they alone exceed the batch."""
        if not self.waiting or (self.active and not self.rows.can_join):
            return []
        free = self.max_batch - sum(map(len, self.active))
        joining: list[Sample] = []
        while self.waiting and free:
            prompt = self.waiting[0].prompt
            same = next((i for i, s in enumerate(self.waiting) if s.prompt != prompt), len(self.waiting))
            if same > free and (joining or self.active) and same <= self.max_batch:
                break
            count = min(same, free)
            joining += [self.waiting.popleft() for _ in range(count)]
            free -= count
        return joining

    def _extend(self, rows: Sequence[Sequence[Sample]], logits: Tensor) -> None:
        samples = [s for row in rows for s in row]
        with torch.inference_mode():
            logits = logits.repeat_interleave(torch.tensor([len(row) for row in rows], device=logits.device), dim=0)
            tokens, log_probs = sample(logits, [s.params for s in samples], [s.draws[len(s.tokens)] for s in samples])
        for s, token, log_prob in zip(samples, tokens, log_probs, strict=True):
            s.tokens.append(token)
            s.log_probs.append(log_prob)
            s.finish_reason = self._finish(s, token)

    def _part(self) -> list[Sample]:
        """Takes finished samples away, and gives those that have drawn different tokens rows of their own."""
        finished = [s for row in self.active for s in row if s.finish_reason]
        parted: list[list[Sample]] = []
        origins: list[int] = []
        for origin, row in enumerate(self.active):
            by_token: dict[int, list[Sample]] = {}
            for s in row:
                if not s.finish_reason:
                    by_token.setdefault(s.tokens[-1], []).append(s)
            parted += by_token.values()
            origins += [origin] * len(by_token)
        if origins != list(range(len(self.active))):
            self.rows.keep(origins)
        self.active = parted
        return finished

    def _finish(self, s: Sample, token: int) -> dict[str, Any] | None:
        """Why the sample ends with this token, if it does; sets its text then."""
        params = s.params
        if token in params.stop_token_ids or (token in self.model.end_ids and not params.ignore_eos):
            s.text = self._decode(s.tokens[:-1])
            return {"type": "stop", "matched": token}
        if params.stop and self._may_complete(params.stop, token):
            text = self._decode(s.tokens)
            if places := [(place, stop) for stop in params.stop if (place := text.find(stop)) >= 0]:
                place, stop = min(places)
                s.text = text[:place]
                return {"type": "stop", "matched": stop}
        if len(s.tokens) >= params.max_new_tokens:
            s.text = self._decode(s.tokens)
            return {"type": "length", "length": len(s.tokens)}
        return None

    def _completes(self, stops: tuple[str, ...], token: int) -> bool:
        """Whether this token can be the last one of a stop string: only then is the reply decoded and searched."""
        piece = self._decode([token])
        return "\ufffd" in piece or any(stop[-1] in piece for stop in stops if stop)

    def _decode(self, tokens: Sequence[int]) -> str:
        return str(self.model.tokenizer.decode(list(tokens), skip_special_tokens=True))
