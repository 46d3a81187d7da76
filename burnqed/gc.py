"""What nobody reads any more in a store: superseded outputs, and attempts that were given up.

A revision of a unit that has no output yet may still be continued, and stays.
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
    """A revision's folder, or the unit's where the output is beside its record."""
    why: str
    paths: list[str]
    size: int
    """In bytes."""


def garbage(snapshot: Snapshot, prefix: str) -> Iterator[Garbage]:
    """The garbage below a prefix, in order of path."""
    for path in snapshot.list(prefix):
        root, _, name = path.rpartition("/")
        if name == SUPERSEDED and not snapshot.exists(f"{root}/{STARTED}"):  # it was beside its record
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
