"""Embeddings of proof states in the store, by embedding_id and text, so that no text is encoded twice.

    cache = EmbeddingCache(store, f"{layout.embeddings('final')}", encoder.embedding_id, earlier=[layout.embeddings("search")])
    cache.add(texts, encoder.embed, save_every=20_000)
    embeddings = cache.select(texts)

Files: PREFIX/EMBEDDING_ID/part-00000.parquet with columns `text_hash` and `embedding`. Every part that exists is complete, so a stopped
encoding continues after the last one. A cache knows where each embedding is; the embeddings themselves are read when they are selected, into a file
that is mapped into memory.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
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
Embed = Callable[[Sequence[str]], Matrix]
"""Texts to [n, d], as `burnqed.policy.encode.Encoder.embed`."""

ABSENT = -1
CHUNK = 512
"""Texts that are encoded between two calls of `should_stop`."""


def text_hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]


@dataclass(frozen=True)
class Embeddings:
    """Embeddings of distinct texts."""

    embedding_id: str
    matrix: Matrix
    """[n, d], in the order of the texts; from `EmbeddingCache`, in a temporary file."""


class EmbeddingCache:
    """The embeddings below `prefix`, where new ones are written, and below the `earlier` prefixes, which are only read."""

    def __init__(self, store: Store, prefix: str, embedding_id: str, earlier: Sequence[str] = ()) -> None:
        self.store, self.embedding_id = store, embedding_id
        self.folder = f"{prefix}/{embedding_id}"
        self.rows: dict[bytes, int] = {}
        """Row of each embedding, counted through all parts."""
        self.paths: list[str] = []
        self.lengths: list[int] = []
        """Embeddings in each part."""
        for other in earlier:
            for path in store.list(f"{other}/{embedding_id}"):
                self._read(path)
        paths = store.list(self.folder)
        for path in paths:
            try:
                self._read(path)
            except BadInput as error:
                log.warning("the contents of %s are encoded again: %s", path, error)
                store.delete(path)
        self.parts = 1 + int(paths[-1].removesuffix(PART_ENDING)[-PART_DIGITS:]) if paths else 0

    def add(
        self,
        texts: Sequence[str],
        embed: Embed,
        *,
        likeness: Callable[[str], int] = len,
        save_every: int = 20_000,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Encodes the new ones of these texts, in the order of their `likeness`, and returns their number; saves after every `save_every` of them.

        Raises TryAgain, after saving what is encoded, once `should_stop` says so.
        """
        where = {key: (likeness(text), i) for i, text in enumerate(texts) if (key := text_hash(text)) not in self.rows}
        new = [i for _, i in sorted(where.values())]
        pending: list[tuple[list[bytes], Matrix]] = []
        with Progress(len(new), "embeddings", "states") as progress:
            for start in range(0, len(new), CHUNK):
                chunk = [texts[i] for i in new[start : start + CHUNK]]
                pending.append(([text_hash(text) for text in chunk], embed(chunk)))
                progress.advance(len(chunk))
                stopped = should_stop()
                if sum(len(keys) for keys, _ in pending) >= save_every or stopped or progress.done == len(new):
                    self._write(pending)
                    pending = []
                if stopped:
                    raise TryAgain(
                        f"Encoding was stopped after {progress.done} of {len(new)} states; the same command continues it."
                    )
        return len(new)

    def select(self, texts: Sequence[str]) -> Embeddings:
        """Embeddings of these texts. Raises BadInput when one has not been encoded."""
        if not texts:
            raise BadInput(
                "There are no states to take embeddings of; run a search, or the replay of known proofs, first."
            )
        rows = np.fromiter((self.rows.get(text_hash(text), ABSENT) for text in texts), np.int64, len(texts))
        if missing := int((rows == ABSENT).sum()):
            raise BadInput(
                f"{missing} of {len(texts)} states have no embedding {self.embedding_id} in {self.store.locate(self.folder)}; run the embed step first."
            )
        matrix: Matrix | None = None
        end = 0
        for path, length in zip(self.paths, self.lengths, strict=True):
            start, end = end, end + length
            here = np.flatnonzero((rows >= start) & (rows < end))
            if not len(here):
                continue
            block = vectors_of(read_parquet(self.store, path, ["embedding"]))
            if matrix is None:
                with tempfile.TemporaryFile() as file:  # the mapping keeps it
                    matrix = np.memmap(file, np.float32, "w+", shape=(len(rows), block.shape[1]))
            matrix[here] = block[rows[here] - start]
        assert matrix is not None
        return Embeddings(self.embedding_id, matrix)

    def _write(self, pending: Sequence[tuple[list[bytes], Matrix]]) -> None:
        keys = [key for chunk, _ in pending for key in chunk]
        matrix = np.concatenate([vectors for _, vectors in pending]).astype(np.float32)
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), matrix.shape[1])
        table = pa.table({"text_hash": pa.array(keys, pa.binary(16)), "embedding": vectors})
        buffer = io.BytesIO()
        pq.write_table(table, buffer, compression="none")  # floats of a model do not compress
        path = f"{self.folder}/{part_file(self.parts)}"
        self.store.write_bytes(path, buffer.getvalue())
        self.parts += 1
        self._keep(keys, path)

    def _read(self, path: str) -> None:
        self._keep(read_parquet(self.store, path, ["text_hash"])["text_hash"].to_pylist(), path)

    def _keep(self, keys: Sequence[bytes], path: str) -> None:
        start = sum(self.lengths)
        self.rows.update(zip(keys, range(start, start + len(keys)), strict=True))
        self.paths.append(path)
        self.lengths.append(len(keys))


def vectors_of(part: pa.Table) -> Matrix:
    """The embeddings [n, d] of a part."""
    flat: Matrix = part["embedding"].combine_chunks().flatten().to_numpy()
    return flat.reshape(len(part), -1)
