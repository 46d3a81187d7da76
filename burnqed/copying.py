"""Copies between stores. Only files that match their records are copied."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from burnqed.errors import BadInput, TryAgain
from burnqed.layout import DAMAGED, SUCCESS
from burnqed.record import Record, look, note_damage, sha256
from burnqed.snapshot import Snapshot
from burnqed.store import Store

AT_ONCE = 8
"""Files that are copied in parallel."""


@dataclass(frozen=True)
class Copied:
    files: int
    there: int
    """Files that the target already had, with the same content."""
    damaged: dict[str, str]
    """Units of the source that do not match their records and were left out: the reason, by prefix."""


def copy(source: Store, target: Store, prefix: str = "", report: Callable[[str], None] = lambda _: None) -> Copied:
    """Copies everything below `prefix`, verified by digest; damaged units of the source are left out.

    Records go last: a copy that was cut off never looks complete. Raises BadInput where there is nothing to copy.
    """
    snapshot, here = Snapshot(source, [prefix]), target.files(prefix)
    paths = [path for path in snapshot.list(prefix) if not path.endswith(f"/{DAMAGED}")]
    if not paths:
        where = source.locate(prefix)
        raise BadInput(f"There is nothing to copy at {where}; check the address with `burnqed store show`.")
    records: dict[str, Record] = {}
    digests: dict[str, tuple[str, str]] = {}
    """The unit and the recorded digest of each file that a record lists."""
    damaged: dict[str, str] = {}
    units = snapshot.units(prefix)
    for unit in units:
        record, damage = look(snapshot, unit)
        if damage:
            damaged[unit] = damage
        if record:
            records[unit] = record
            digests |= {f"{record.root(unit)}/{o.path}": (unit, o.sha256) for o in record.outputs}

    def copy_file(path: str) -> int:
        """Returns how many files were copied: 1, or 0 where there was nothing to do."""
        unit, written = digests.get(path, ("", ""))
        if unit in damaged:
            return 0
        with on_disk(source, path) as file:
            digest = sha256(file)
            if written and digest != written:
                damaged[unit] = f"the content of {path.removeprefix(f'{unit}/')} is not what was written"
                note_damage(source, unit, records[unit], damaged[unit])
                return 0
            if path in here and here[path]["size"] == file.stat().st_size and target.digest(path) == digest:
                return 0
            target.upload_file(file, path)
        if target.digest(path) != digest:
            raise TryAgain(f"{target.locate(path)} differs from its source after the copy; run the same command again.")
        report(path)
        return 1

    with ThreadPoolExecutor(AT_ONCE) as pool:
        files = [path for path in paths if not path.endswith(f"/{SUCCESS}")]
        copied = sum(pool.map(copy_file, files))
        whole = [unit for unit in units if unit not in damaged]
        copied += sum(pool.map(copy_file, [f"{unit}/{SUCCESS}" for unit in whole]))
    for unit in whole:
        if (note := f"{records[unit].root(unit)}/{DAMAGED}") in here:
            target.delete(note)
    left_out = sum(digests.get(path, ("", ""))[0] in damaged for path in files) + len(units) - len(whole)
    return Copied(copied, len(paths) - left_out - copied, damaged)


@contextmanager
def on_disk(store: Store, path: str) -> Iterator[Path]:
    """A file of the store on this machine's disk."""
    if store.is_local:
        yield Path(store.full(path))
        return
    with tempfile.TemporaryDirectory(prefix="burnqed-copy-") as folder:
        file = Path(folder) / "file"
        store.download_file(path, file)
        yield file
