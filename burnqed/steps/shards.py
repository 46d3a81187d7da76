"""How theorems are distributed over shards, and which shard folders a finished step left.

A theorem's shard is the hash of its name modulo the number of shards. The first shard that starts fixes that number, so a
later change of parallelism does not mix two divisions.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from burnqed.errors import BadInput
from burnqed.layout import SUCCESS, shard_folder
from burnqed.lean.protocol import Theorem
from burnqed.store import Store

FOLDER = re.compile(r"/shard-(\d+)-of-(\d+)/")


def shard_of(name: str, shards: int) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % shards


def in_shard(theorems: Sequence[Theorem], shard: int, shards: int) -> list[Theorem]:
    """The shard's theorems, sorted by name."""
    return sorted((t for t in theorems if shard_of(t.name, shards) == shard), key=lambda t: t.name)


def shard_count(store: Store, prefix: str, wanted: int) -> int:
    """The number of shards that the output at `prefix` is divided into: as it was begun, else `wanted`."""
    return max(begun(store.files(prefix)), default=wanted)


def begun(paths: Iterable[str]) -> set[int]:
    """The numbers of shards that outputs were divided into."""
    return {int(match[2]) for path in paths if (match := FOLDER.search(path))}


def finished_shards(store: Store, prefix: str) -> list[str]:
    """Folders of all shards at `prefix`. Raises BadInput if one is missing."""
    paths = store.files(prefix)
    for shards in begun(paths):
        folders = [shard_folder(prefix, shard, shards) for shard in range(shards)]
        if all(f"{folder}/{SUCCESS}" in paths for folder in folders):
            return folders
    raise BadInput(f"{store.locate(prefix)} is not finished; finish the iteration that writes it first.")
