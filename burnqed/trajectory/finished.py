"""Which parts of trajectories lie below an address, by what the records of finished units list."""

from __future__ import annotations

from burnqed.errors import BadInput
from burnqed.layout import PART_ENDING, REPLAYED
from burnqed.record import read_record
from burnqed.snapshot import Snapshot
from burnqed.store import Store, split_address

EVAL_PARTS = "trajectories"
REPLAYED_UNITS = f"/trajectories/{REPLAYED}/"


def finished_parts(address: str) -> list[str]:
    """Paths, in the store that `split_address` gives, of the finished searches of a store, a run, an iteration, a variant (…/trajectories/main), or of what
    `burnqed eval --out` wrote.

    Where there are searches for training, evaluations (…/evaluation) are left out. Replayed known proofs (…/trajectories/replay), which are
    no searches, are only what their own address gives. Raises BadInput where there are none.
    """
    store, prefix = split_address(address)
    snapshot = Snapshot(store, [prefix])
    units = snapshot.units(prefix)
    if REPLAYED_UNITS not in f"{store.full(prefix)}/":
        units = [unit for unit in units if REPLAYED_UNITS not in f"{store.full(unit)}/"]
    for kind in ("/trajectories/", "/evaluation/"):
        parts = [path for unit in units if kind in f"/{store.full(unit)}/" for path in _parts(snapshot, unit)]
        if parts:
            break
    else:  # written by `burnqed eval`
        parts = [path for path in snapshot.list(f"{prefix}/{EVAL_PARTS}") if path.endswith(PART_ENDING)]
    if not parts:
        raise BadInput(
            f"There are no finished trajectories below {address}; give a store, a run, an iteration, or an --out folder."
        )
    return parts


def _parts(store: Store, unit: str) -> list[str]:
    record = read_record(store, unit)
    return record.paths(unit, PART_ENDING) if record else []
