"""Models and heads out of the store on this machine's disk: fetched once by whoever needs them, and checked."""

from __future__ import annotations

import hashlib
import shutil
import uuid
from pathlib import Path

from burnqed.errors import TryAgain
from burnqed.log import log
from burnqed.manifest import Manifest, read_manifest
from burnqed.store import Store

VARIABLE = "BURNQED_MODELS"
"""The folder, where a workflow gives one: a volume that pods of a node, or all pods, may share."""


def fetch_once(store: Store, prefix: str, cache: Path) -> Path:
    """A local folder with what lies below `prefix`: the store's own, or `cache/DIGEST`, fetched unless it is there.

    What several processes fetch at the same time, each fetches apart; the first to end puts it in place. Raises TryAgain when
    a file is not what its manifest says.
    """
    if store.is_local:
        return Path(store.full(prefix))
    manifest = read_manifest(store, prefix)
    folder = cache / (manifest.digest if manifest else f"unfinished-{uuid.uuid4().hex}")
    if folder.is_dir():
        return folder
    partial = cache / f".{uuid.uuid4().hex}"
    partial.mkdir(parents=True)
    try:
        log.info("fetching %s", store.locate(prefix))
        store.fetch(prefix, partial)
        if manifest:
            verify(partial, manifest, store.locate(prefix))
        try:
            partial.rename(folder)
        except OSError:
            if not folder.is_dir():  # else somebody was faster
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def fetch_address(uri: str, cache: Path) -> Path:
    """`fetch_once` for the address of a folder or of a prefix in a store."""
    parent, _, name = uri.rstrip("/").rpartition("/")
    return fetch_once(Store(parent or "."), name, cache)


def address_version(uri: str) -> str:
    """Changes with what lies at the address of a folder or of a prefix in a store: the digest in its manifest, or of its listing."""
    parent, _, name = uri.rstrip("/").rpartition("/")
    store = Store(parent or ".")
    manifest = read_manifest(store, name)
    return manifest.digest if manifest else store.fingerprint(name)


def verify(folder: Path, manifest: Manifest, where: str) -> None:
    for output in manifest.outputs:
        with (folder / output.path).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != output.sha256:
                raise TryAgain(
                    f"{output.path} of {where} did not arrive as it was written; run the same command again."
                )
