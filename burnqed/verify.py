"""Checks that a store still holds what was written: every file of every finished unit, by its digest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from burnqed.layout import DAMAGED
from burnqed.record import look, note_damage
from burnqed.snapshot import Snapshot
from burnqed.store import Store

AT_ONCE = 8
"""Units that are read in parallel."""


@dataclass(frozen=True)
class Verified:
    """A finished unit, and what is wrong with it, if anything."""

    prefix: str
    size: int
    """In bytes, as written."""
    damage: str


def verify(store: Store, snapshot: Snapshot, units: Sequence[str]) -> Iterator[Verified]:
    """The state of finished units.

    Damage that only digests show is noted in the unit, and the next workflow remakes it. A note that is no longer true is removed.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda unit: verify_unit(store, snapshot, unit), units)


def verify_unit(store: Store, snapshot: Store, unit: str) -> Verified:
    record, damage = look(snapshot, unit)
    if record is None:
        return Verified(unit, 0, damage)
    note = f"{record.root(unit)}/{DAMAGED}"
    noted = snapshot.read_text(note) if snapshot.exists(note) else ""
    if damage in ("", noted):  # otherwise sizes show the damage
        written = {f"{record.root(unit)}/{output.path}": output for output in record.outputs}
        changed = next((output for path, output in written.items() if store.digest(path) != output.sha256), None)
        damage = f"the content of {changed.path} is not what was written" if changed else ""
        if changed:
            note_damage(store, unit, record, damage)
        elif noted:
            store.delete(note)
    return Verified(unit, sum(output.size for output in record.outputs), damage)
