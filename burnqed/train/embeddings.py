"""Embeddings of proof states in the store, by embedding_id and text: what is there is not encoded again.

    cache = EmbeddingCache(store, f"{layout.embeddings('final')}", encoder.embedding_id, earlier=[layout.embeddings("search")])
    cache.add(texts, encoder.embed, save_every=20_000)
    embeddings = cache.select(texts)

Files: PREFIX/EMBEDDING_ID/part-00000.parquet with columns `text_hash` and `embedding`. Every part is complete when it is there, so
that a stopped encoding goes on behind the last one.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from burnqed.errors import BadInput, TryAgain
from burnqed.layout import PART_DIGITS, PART_ENDING, part_file
from burnqed.log import log
from burnqed.parquet import read_parquet
from burnqed.progress import Progress
from burnqed.store import Store

Matrix = NDArray[np.float32]
Embed = Callable[[Sequence[str], int], Matrix]
"""(texts, batch size) to [n, d], as `burnqed.policy.encode.Encoder.embed`."""

STOP_EVERY = 4
"""Batches between two looks at `should_stop`."""


def text_hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]


@dataclass(frozen=True)
class Embeddings:
    """Embeddings of distinct texts."""

    embedding_id: str
    matrix: Matrix
    """[n, d]"""
    row: dict[str, int]
    """Of the matrix, by text."""

    @property
    def d(self) -> int:
        return int(self.matrix.shape[1])


class EmbeddingCache:
    """The embeddings below `prefix` (where new ones go) and below `earlier` prefixes (only read)."""

    def __init__(self, store: Store, prefix: str, embedding_id: str, earlier: Sequence[str] = ()) -> None:
        self.store, self.embedding_id = store, embedding_id
        self.folder = f"{prefix}/{embedding_id}"
        self.found: dict[bytes, Matrix] = {}
        for other in earlier:
            for path in store.list(f"{other}/{embedding_id}"):
                self._read(path)
        paths = store.list(self.folder)
        for path in paths:
            try:
                self._read(path)
            except BadInput as error:
                log.warning("what %s held is encoded again: %s", path, error)
                store.delete(path)
        self.parts = 1 + int(paths[-1].removesuffix(PART_ENDING)[-PART_DIGITS:]) if paths else 0

    def add(
        self,
        texts: Sequence[str],
        embed: Embed,
        *,
        batch: int = 64,
        save_every: int = 20_000,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Encodes the texts that are not there yet and says how many; saves after every `save_every` of them.

        Raises TryAgain, after saving what is encoded, once `should_stop` says so.
        """
        new = sorted({text for text in texts if text_hash(text) not in self.found}, key=lambda text: (len(text), text))
        pending: dict[bytes, Matrix] = {}
        with Progress(len(new), "embeddings", "states") as progress:
            for start in range(0, len(new), batch * STOP_EVERY):
                chunk = new[start : start + batch * STOP_EVERY]
                pending.update(zip(map(text_hash, chunk), embed(chunk, batch), strict=True))
                progress.advance(len(chunk))
                stopped = should_stop()
                if len(pending) >= save_every or stopped or start + len(chunk) == len(new):
                    self._write(pending)
                    pending = {}
                if stopped:
                    raise TryAgain(
                        f"Encoding was stopped after {progress.done} of {len(new)} states; the same command continues it."
                    )
        return len(new)

    def select(self, texts: Sequence[str]) -> Embeddings:
        """Embeddings of these texts. Raises BadInput when one has not been encoded."""
        row: dict[str, int] = {}
        for text in texts:
            row.setdefault(text, len(row))
        missing = [text for text in row if text_hash(text) not in self.found]
        if missing:
            raise BadInput(
                f"{len(missing)} of {len(row)} states have no embedding {self.embedding_id} in {self.store.locate(self.folder)}; run the embed step first."
            )
        if not row:
            raise BadInput("There are no states to take embeddings of; run a search or the negatives step first.")
        return Embeddings(self.embedding_id, np.stack([self.found[text_hash(text)] for text in row]), row)

    def _write(self, pending: dict[bytes, Matrix]) -> None:
        matrix = np.stack(list(pending.values())).astype(np.float32)
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), matrix.shape[1])
        table = pa.table({"text_hash": pa.array(list(pending), pa.binary(16)), "embedding": vectors})
        buffer = io.BytesIO()
        pq.write_table(table, buffer, compression="none")  # floats of a model do not compress
        self.store.write_bytes(f"{self.folder}/{part_file(self.parts)}", buffer.getvalue())
        self.parts += 1
        self.found.update(pending)

    def _read(self, path: str) -> None:
        table = read_parquet(self.store, path).combine_chunks()
        vectors = table["embedding"].combine_chunks()
        matrix = vectors.flatten().to_numpy().reshape(len(table), -1)
        self.found.update(zip(table["text_hash"].to_pylist(), matrix, strict=True))
