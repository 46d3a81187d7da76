"""Embeddings of proof states: the mean over the content tokens of the last hidden state.

    encoder = Encoder("demo/store/demo/iterations/iter_0/model", dtype="float32", max_tokens=512)
    encoder.embed(["n : Nat\\n⊢ n + 0 = n"])       # float32 [1, d]

The mean never includes padding, an end token or the prompt's instruction: the text is the bare state. Texts are truncated to
`max_tokens` tokens (the main goal comes first). The server and the training steps both use this class, so a head always gets embeddings
of the kind it was trained on; `embedding_id` names the kind.

Texts of similar length share a batch, whose size is limited in tokens, padding included. A batch that needs more memory than there is is halved,
and so are all later ones. (A Llama without quantisation packs what it is given into passes of a size of its own, without padding.)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from burnqed.config import Weights
from burnqed.errors import BadInput
from burnqed.log import log
from burnqed.policy.model import LanguageModel, load_model
from burnqed.policy.version import embedding_identity

BATCH, BATCH_TOKENS = 64, 16_384


class Encoder:
    def __init__(
        self,
        model: str | Path | LanguageModel,
        *,
        dtype: str = "float32",
        max_tokens: int,
        weights: Weights = "full",
        batch: int = BATCH,
        batch_tokens: int = BATCH_TOKENS,
    ) -> None:
        """`model` is a folder, or a loaded model, which keeps its dtype and its weights. A batch has at most `batch` texts, and `batch_tokens` tokens."""
        self.model = model if isinstance(model, LanguageModel) else load_model(Path(model), dtype, weights=weights)
        self.max_tokens = max_tokens
        self.batch, self.batch_tokens = batch, batch_tokens

    @property
    def embedding_id(self) -> str:
        return embedding_identity(
            self.model.version, dtype=self.model.dtype, max_tokens=self.max_tokens, weights=self.model.weights
        )

    @property
    def width(self) -> int:
        """d."""
        return self.model.network.width

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embeddings [len(texts), d], in order. Raises BadInput for an empty text, and for one that alone is more than the memory holds."""
        encoded = self.model.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ids = [e.ids[: self.max_tokens] for e in encoded]
        if empty := [i for i, tokens in enumerate(ids) if not tokens]:
            raise BadInput(f"Text {empty[0]} is empty and has no embedding; leave out states without goals.")
        out = np.empty((len(ids), self.width), dtype=np.float32)
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        while order:
            chosen = order[: self._fitting([len(ids[i]) for i in order[: self.batch]])]
            if (means := self._means([ids[i] for i in chosen])) is None:
                self._halve(len(chosen), len(ids[chosen[-1]]))
                continue
            out[chosen] = means
            del order[: len(chosen)]
        return out

    def _means(self, sequences: Sequence[Sequence[int]]) -> NDArray[np.float32] | None:
        """[len(sequences), d]; None when there is not enough memory for so many at once. Raises BadInput when it is not enough for one."""
        try:
            hidden = self.model.network.hidden(sequences)
            means: NDArray[np.float32] = torch.stack([h.float().mean(0) for h in hidden]).cpu().numpy()
        except torch.OutOfMemoryError as error:
            if len(sequences) == 1:
                raise BadInput(
                    f"A state of {len(sequences[0])} tokens alone needs more memory than there is; lower policy.embed_max_tokens, or give "
                    "more memory."
                ) from error
            return None
        return means

    def _fitting(self, lengths: Sequence[int]) -> int:
        """How many of the first texts, in order of their lengths, share a batch: one at least."""
        return sum(i == 1 or i * length <= self.batch_tokens for i, length in enumerate(lengths, 1))

    def _halve(self, texts: int, longest: int) -> None:
        torch.cuda.empty_cache()
        self.batch_tokens = texts * longest // 2
        log.warning("out of memory: from now on %d tokens are encoded at once", self.batch_tokens)
