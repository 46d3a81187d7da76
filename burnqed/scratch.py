"""A temporary folder that its user removes or, if its user was killed, the next one to ask for a folder."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

LOCK = "in-use"
"""Held as long as the folder is in use; the kernel releases it when its holder dies."""
YOUNG_S = 60.0
"""A folder younger than this may not have been locked yet."""


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """A new folder for the caller alone, whose name begins so. First removes those with such a name whose users are gone."""
    for old in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError, Timeout):  # somebody else's, in use, or just removed
            if time.time() - old.stat().st_mtime > YOUNG_S:
                with FileLock(old / LOCK, timeout=0):
                    shutil.rmtree(old)
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        with FileLock(folder / LOCK):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
