"""Embeddings of proof states by a finished model.

    encoder = Encoder("demo/store/demo/iterations/iter_0/model", Pooling(max_tokens=512), dtype="float32")
    encoder.embed(["n : Nat\\n⊢ n + 0 = n"])       # float32 [1, d]

An embedding is the mean over the last hidden states of the bare state's tokens, never of padding, an end token or the prompt's instruction; with a
`template` it is of the state's prompt (`burnqed.policy.pooling`). Texts are truncated to `max_tokens` tokens (the main goal comes first). The server and
the training steps both use this class, so a head always gets embeddings of the kind it was trained on; `embedding_id` names the kind.

Texts of similar length share a batch, whose size is limited in tokens, padding included. A batch that needs more memory than there is is halved,
and so are all later ones. (A Llama without quantisation packs what it is given into passes of a size of its own, without padding; there texts that begin alike share
a batch, and their beginning is processed once.)
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from burnqed.config import Weights
from burnqed.errors import BadInput
from burnqed.log import log
from burnqed.policy.model import LanguageModel, load_model
from burnqed.policy.pooling import Pooling
from burnqed.policy.recent import Recent
from burnqed.policy.version import embedding_identity

BATCH, BATCH_TOKENS = 64, 16_384
STEM = 32
"""Characters in which texts agree that are taken to begin alike."""


class Encoder:
    def __init__(
        self,
        model: str | Path | LanguageModel,
        pooling: Pooling,
        *,
        dtype: str = "float32",
        weights: Weights = "full",
        batch: int = BATCH,
        batch_tokens: int = BATCH_TOKENS,
        lately_bytes: int = 0,
    ) -> None:
        """`model` is a folder, or a loaded model, which keeps its dtype and its weights. A batch has at most `batch` texts, and `batch_tokens` tokens. `lately_bytes`: how much
        of what was computed of recent texts is kept for others that begin alike, where a network can make use of it (on a processor)."""
        self.model = model if isinstance(model, LanguageModel) else load_model(Path(model), dtype, weights=weights)
        self.pooling = pooling
        self.batch, self.batch_tokens = batch, batch_tokens
        self.lately: Recent[Any] | None = Recent(lately_bytes) if lately_bytes else None

    @property
    def embedding_id(self) -> str:
        return embedding_identity(
            self.model.version,
            dtype=self.model.dtype,
            max_tokens=self.pooling.max_tokens,
            weights=self.model.weights,
            pooling=self.pooling.name,
        )

    @property
    def width(self) -> int:
        """Of an embedding."""
        return self.pooling.width(self.model.network.width)

    def likeness(self, text: str) -> int:
        """Texts for which this is the same, or about the same, are embedded in less time together."""
        return len(text) if self.model.network.pads else zlib.crc32(self.pooling.shown(text)[:STEM].encode())

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embeddings [len(texts), width] of states, in order. Raises BadInput for an empty text, and for one that alone is more than the memory holds."""
        ids = self.pooling.tokens(texts, self._tokenize)
        if empty := [i for i, tokens in enumerate(ids) if not tokens]:
            raise BadInput(f"Text {empty[0]} is empty and has no embedding; leave out states without goals.")
        out = np.empty((len(ids), self.width), dtype=np.float32)
        pads = self.model.network.pads
        order = sorted(range(len(ids)), key=lambda i: (len(ids[i]) if pads else 0, ids[i]))
        while order:
            chosen = order[: self._fitting([len(ids[i]) for i in order[: self.batch]])]
            if (pooled := self._pooled([ids[i] for i in chosen])) is None:
                self._halve([len(ids[i]) for i in chosen])
                continue
            out[chosen] = pooled
            del order[: len(chosen)]
        return out

    def _tokenize(self, texts: list[str], special: bool) -> list[list[int]]:
        return [encoded.ids for encoded in self.model.tokenizer.encode_batch(texts, add_special_tokens=special)]

    def _pooled(self, sequences: Sequence[Sequence[int]]) -> NDArray[np.float32] | None:
        """[len(sequences), width]; None when there is not enough memory for so many at once. Raises BadInput when it is not enough for one."""
        try:
            hidden = (h.float() for h in self.model.network.hidden(sequences, self.lately))
            pooled: NDArray[np.float32] = (
                torch.stack([self.pooling.join(h.mean(0), h[-1]) for h in hidden]).cpu().numpy()
            )
        except torch.OutOfMemoryError as error:
            if len(sequences) == 1:
                raise BadInput(
                    f"A state of {len(sequences[0])} tokens alone needs more memory than there is; lower policy.embed_max_tokens, or give "
                    "more memory."
                ) from error
            return None
        return pooled

    def _fitting(self, lengths: Sequence[int]) -> int:
        """How many of the first texts share a batch: one at least."""
        return sum(i == 0 or size <= self.batch_tokens for i, size in enumerate(self._sizes(lengths)))

    def _sizes(self, lengths: Sequence[int]) -> list[int]:
        """Tokens of the first text, of the first two, and so on, padding included."""
        if not self.model.network.pads:
            return list(accumulate(lengths))
        return [i * longest for i, longest in enumerate(accumulate(lengths, max), 1)]

    def _halve(self, lengths: Sequence[int]) -> None:
        torch.cuda.empty_cache()
        self.batch_tokens = self._sizes(lengths)[-1] // 2
        log.warning("out of memory: from now on %d tokens are encoded at once", self.batch_tokens)
