"""Models and heads of the store on this machine's disk: fetched once, when first needed, and checked before use."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

from burnqed.errors import TryAgain
from burnqed.key import digest_of
from burnqed.layout import SUCCESS
from burnqed.log import log
from burnqed.record import Damaged, Record, note_damage, read_record, sha256
from burnqed.store import Store, split_address

VARIABLE = "BURNQED_MODELS"
"""The cache's folder, where a workflow gives one: a volume that the pods of a node, or all pods, may share."""


def fetch_once(store: Store, prefix: str, cache: Path) -> Path:
    """A local folder with the output of a unit, or with the files at a prefix without a record: the store's own folder, or
    `cache/DIGEST`, which is fetched unless it is there.

    Several processes may fetch the same output at once, each into a folder of its own; the first to finish puts it in place. Raises Damaged
    when a stored file does not match the record, TryAgain when only the download does not.
    """
    record = read_record(store, prefix)
    root = record.root(prefix) if record else prefix
    if store.is_local:
        folder = Path(store.full(root))
        if record and (changed := changed_file(folder, record)):
            raise_damaged(store, prefix, record, changed)
        return folder
    folder = cache / (record.digest if record else f"unfinished-{uuid.uuid4().hex}")
    if folder.is_dir():
        return folder
    partial = cache / f".{uuid.uuid4().hex}"
    partial.mkdir(parents=True)
    try:
        log.info("fetching %s", store.locate(root))
        store.fetch(root, partial)
        if record:
            if changed := changed_file(partial, record):
                arrived = sha256(partial / changed)
                if store.digest(f"{root}/{changed}") == arrived:
                    raise_damaged(store, prefix, record, changed)
                where = f"{changed} of {store.locate(root)}"
                raise TryAgain(f"{where} did not arrive as it was written; run the same command again.")
            (partial / SUCCESS).write_text(record.model_copy(update={"revision": ""}).model_dump_json(), "utf-8")
        try:
            partial.rename(folder)
        except OSError:
            if not folder.is_dir():  # otherwise another process was faster
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def fetch_address(uri: str, cache: Path) -> Path:
    """`fetch_once` for the address of a folder or of a prefix in a store."""
    return fetch_once(*split_address(uri), cache)


def local_folder(uri: str) -> Path | None:
    """The local folder of the output at an address, unchecked; None where the store is not on this machine."""
    store, name = split_address(uri)
    if not store.is_local:
        return None
    record = read_record(store, name)
    return Path(store.full(record.root(name) if record else name))


def address_version(uri: str) -> str:
    """A version that changes with the content at the address of a folder or a prefix: the digest in its record, or one of the folder's files, or
    of a listing."""
    store, name = split_address(uri)
    if record := read_record(store, name):
        return record.digest
    if store.is_local and (files := store.list(name)):
        return digest_of([[path, store.digest(path)] for path in files])
    return store.fingerprint(name)


def changed_file(folder: Path, record: Record) -> str | None:
    """The first of the record's files that is missing or changed; None when all match."""
    for output in record.outputs:
        file = folder / output.path
        if not file.is_file() or sha256(file) != output.sha256:
            return output.path
    return None


def raise_damaged(store: Store, prefix: str, record: Record, path: str) -> None:
    reason = f"the content of {path} is not what was written"
    note_damage(store, prefix, record, reason)
    raise Damaged(store.locate(prefix), reason)
