"""What of a store nobody reads any more: outputs that others took the place of, and attempts at ones that were given up.

What may still be continued stays: a revision of a unit that has no output yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from burnqed.layout import STARTED, SUPERSEDED
from burnqed.record import look, parse_record
from burnqed.snapshot import Snapshot


@dataclass(frozen=True)
class Garbage:
    root: str
    """A revision's folder, or the unit's where the output lies beside its record."""
    why: str
    paths: list[str]
    size: int
    """In bytes."""


def garbage(snapshot: Snapshot, prefix: str) -> Iterator[Garbage]:
    """Below a prefix, by place."""
    for path in snapshot.list(prefix):
        root, _, name = path.rpartition("/")
        if name == SUPERSEDED and not snapshot.exists(f"{root}/{STARTED}"):  # it lay beside its record
            old = parse_record(snapshot.read_bytes(path))
            yield collected(snapshot, root, "superseded", [path, *(old.paths(root) if old else [])])
        elif name == STARTED:
            unit, _, revision = root.rpartition("/")
            present, _ = look(snapshot, unit)
            if present and present.revision != revision:
                why = "superseded" if snapshot.exists(f"{root}/{SUPERSEDED}") else "given up"
                yield collected(snapshot, root, why, snapshot.list(root))


def collected(snapshot: Snapshot, root: str, why: str, paths: list[str]) -> Garbage:
    there = [path for path in paths if snapshot.exists(path)]
    return Garbage(root, why, there, sum(snapshot.size(path) for path in there))
