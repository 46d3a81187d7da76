"""Embeddings of proof states: the mean over the content tokens of the last hidden state.

    encoder = Encoder("demo/store/demo/iterations/iter_0/model", dtype="float32", max_tokens=512)
    encoder.embed(["n : Nat\\n⊢ n + 0 = n"])       # float32 [1, d]

The mean never includes padding, an end token or the prompt's instruction: the text is the bare state. Texts are truncated to
`max_tokens` tokens (the main goal comes first). The server and the training steps both use this class, so a head always gets embeddings
of the kind it was trained on; `embedding_id` names the kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from burnqed.errors import BadInput
from burnqed.policy.model import LanguageModel, load_model
from burnqed.policy.version import embedding_identity

BATCH = 64


class Encoder:
    def __init__(self, model: str | Path | LanguageModel, *, dtype: str = "float32", max_tokens: int) -> None:
        """`model` is a folder, or a loaded model, which keeps its dtype."""
        self.model = model if isinstance(model, LanguageModel) else load_model(Path(model), dtype)
        self.max_tokens = max_tokens

    @property
    def embedding_id(self) -> str:
        return embedding_identity(self.model.version, dtype=self.model.dtype, max_tokens=self.max_tokens)

    @property
    def width(self) -> int:
        """d."""
        return self.model.network.width

    def embed(self, texts: Sequence[str], batch: int = BATCH) -> NDArray[np.float32]:
        """Embeddings [len(texts), d], in order; texts of similar length share a batch. Raises BadInput for an empty text."""
        encoded = self.model.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ids = [e.ids[: self.max_tokens] for e in encoded]
        if empty := [i for i, tokens in enumerate(ids) if not tokens]:
            raise BadInput(f"Text {empty[0]} is empty and has no embedding; leave out states without goals.")
        out = np.empty((len(ids), self.width), dtype=np.float32)
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            hidden = self.model.network.hidden([ids[i] for i in chosen])
            out[chosen] = torch.stack([h.float().mean(0) for h in hidden]).cpu().numpy()
        return out
