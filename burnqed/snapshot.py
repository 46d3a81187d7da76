"""A store as it was at one moment, below some prefixes: for plans, which make thousands of small queries.

One listing per prefix answers what exists and how large it is; all records are read at the same time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from burnqed.layout import SUCCESS, family
from burnqed.store import Store


class Snapshot(Store):
    """Reads like its store; what lies below `prefixes` (empty: everything) is as it was when the snapshot was taken."""

    def __init__(self, store: Store, prefixes: Iterable[str]) -> None:
        vars(self).update(vars(store))
        prefixes = list(prefixes)
        self._prefixes = tuple(f"{prefix}/" if prefix else "" for prefix in prefixes)
        self._files = {path: info for prefix in prefixes for path, info in store.files(prefix).items()}
        self._paths = sorted(self._files)
        self._contents = store.read_many([path for path in self._paths if path.endswith(f"/{SUCCESS}")])

    @classmethod
    def of(cls, store: Store, units: Iterable[str]) -> Store:
        """A snapshot for reading many units, with one listing per family of shards."""
        return store if isinstance(store, Snapshot) else cls(store, sorted({family(prefix) for prefix in units}))

    def units(self, prefix: str) -> list[str]:
        """The finished units below a prefix."""
        return [path.removesuffix(f"/{SUCCESS}") for path in self.files(prefix) if path.endswith(f"/{SUCCESS}")]

    def exists(self, path: str) -> bool:
        return path in self._files if self._covers(path) else super().exists(path)

    def read_bytes(self, path: str) -> bytes:
        return self._contents[path] if path in self._contents else super().read_bytes(path)

    def size(self, path: str) -> int:
        return int(self._files[path]["size"])

    def files(self, prefix: str) -> dict[str, dict[str, Any]]:
        folder = f"{prefix}/" if prefix else ""
        if not self._covers(folder):
            return super().files(prefix)
        below = takewhile(lambda path: path.startswith(folder), self._paths[bisect_left(self._paths, folder) :])
        return {path: self._files[path] for path in below}

    def _covers(self, path: str) -> bool:
        return path.startswith(self._prefixes)
