"""Texts by number, kept in a file: millions of proof states that are each looked at once."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from typing import overload

import numpy as np

from burnqed.train.ragged import Indices


class Texts(Sequence[str]):
    """Texts in a temporary file, which is gone with the last of them; memory holds 16 bytes for each."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._starts: list[Indices] = []
        self._lengths: list[Indices] = []
        self._end = 0
        self._places: tuple[Indices, Indices] | None = None

    def extend(self, texts: Iterable[str]) -> None:
        content = [text.encode() for text in texts]
        lengths = np.array([len(text) for text in content], dtype=np.int64)
        ends = self._end + np.cumsum(lengths, dtype=np.int64)
        self._file.write(b"".join(content))
        self._starts.append(ends - lengths)
        self._lengths.append(lengths)
        self._end, self._places = int(ends[-1]) if len(ends) else self._end, None

    def take(self, chosen: Indices) -> Texts:
        """These of the texts, in this order, in the same file."""
        starts, lengths = self._where()
        taken = Texts.__new__(Texts)
        taken._file, taken._end = self._file, self._end
        taken._starts, taken._lengths, taken._places = [], [], (starts[chosen], lengths[chosen])
        return taken

    def _where(self) -> tuple[Indices, Indices]:
        if self._places is None:
            self._file.flush()
            none = np.empty(0, dtype=np.int64)
            self._places = np.concatenate([none, *self._starts]), np.concatenate([none, *self._lengths])
        return self._places

    def __len__(self) -> int:
        return len(self._where()[0])

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        starts, lengths = self._where()
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(starts)))]
        return os.pread(self._file.fileno(), int(lengths[index]), int(starts[index])).decode()
