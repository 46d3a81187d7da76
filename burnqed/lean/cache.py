"""The cache of this user, where every Lean is installed: `$BURNQED_CACHE`, else the platform's folder for caches."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from burnqed.errors import BadInput


def cache_folder() -> Path:
    return Path(os.environ.get("BURNQED_CACHE") or platformdirs.user_cache_dir("burnqed")).expanduser().absolute()


def digest(file: Path, algorithm: str = "sha256") -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, algorithm).hexdigest()


def tell(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


@contextmanager
def writable(folder: Path, needed: int) -> Iterator[None]:
    """Turns failures to write below `folder` into one sentence, as well as a disk with less than `needed` bytes left."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (free := shutil.disk_usage(folder).free) < needed:
            raise BadInput(
                f"The cache {folder} has {free / 1e9:.1f} GB left and installing Lean needs {needed / 1e9:.0f} GB; free space, or set BURNQED_CACHE to another folder."
            )
        yield
    except OSError as error:
        raise BadInput(
            f"The cache {folder} cannot be written ({error.strerror or error}); make it writable, or set BURNQED_CACHE to another folder."
        ) from None
