"""One writer per run and iteration on this machine: a lock file, released by the kernel when its holder dies."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from burnqed.errors import BadInput


@contextmanager
def held(name: str) -> Iterator[None]:
    """Holds the lock `name`. Raises BadInput at once when another process holds it."""
    folder = Path(platformdirs.user_cache_dir("burnqed")) / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise BadInput(f"Another process is working on {name}; wait for it, or choose another --run.") from None
    try:
        yield
    finally:
        lock.release()
