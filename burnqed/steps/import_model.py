"""import-model: copies a model from the hub or a folder into the store, file by file; continues where it was cut off."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from burnqed.errors import BadInput, TryAgain
from burnqed.key import Key, digest_of
from burnqed.log import log
from burnqed.progress import Progress
from burnqed.record import REVISION_DIGITS, sha256, write_record
from burnqed.steps.base import Command, Context
from burnqed.steps.facts import ImportedFacts

WANTED = (".json", ".safetensors", ".model", ".txt", ".jinja")
"""Configuration, weights, tokenizer; no weights that run code when loaded."""


@dataclass(frozen=True)
class SourceFile:
    path: str
    size: int
    sha256: str | None
    """None if the source does not provide it: such a file is small, and always fetched."""
    fetch: Callable[[Path], Path]
    """Fetches it into a folder if it is not local; returns its path."""


async def run(context: Context, *, source: str, name: str) -> None:
    """Writes the unit `models/NAME`. Raises BadInput for a source that is not a model."""
    await asyncio.to_thread(import_model, context, source, name)


def import_model(context: Context, source: str, name: str) -> None:
    store, workdir = context.store, context.workdir
    prefix, started = f"models/{name}", datetime.now(UTC)
    files = list(from_folder(Path(source)) if Path(source).is_dir() else from_hub(source))
    names = [file.path for file in files]
    if "config.json" not in names or not any(name.endswith(".safetensors") for name in names):
        raise BadInput(f"{source} is not a model: it needs config.json and weights as safetensors; choose another one.")
    revision = digest_of([source, [[f.path, f.size, f.sha256] for f in files]])[:REVISION_DIGITS]
    with Progress(sum(f.size >> 20 for f in files), "import", "MiB") as progress:
        for file in files:
            target = f"{prefix}/{revision}/{file.path}"
            if not (store.exists(target) and store.digest(target) == file.sha256):
                here = file.fetch(workdir)
                store.upload_file(here, target)
                if store.digest(target) != sha256(here):
                    raise TryAgain(f"{store.locate(target)} differs from its source; run the same command again.")
                if here.is_relative_to(workdir):
                    here.unlink()
            progress.advance(file.size >> 20)
    key = Key(step="import-model", version=1, parameters={"source": source})
    price, facts = context.dollars_per_hour, ImportedFacts(source=source).document()
    write_record(store, prefix, key, context.config, facts, started, revision=revision, dollars_per_hour=price)
    log.info("use it with --set policy.model=%s", store.locate(prefix))


def from_folder(folder: Path) -> Iterator[SourceFile]:
    for file in sorted(folder.rglob("*")):
        if file.suffix in WANTED:
            path = file.relative_to(folder).as_posix()
            yield SourceFile(path, file.stat().st_size, sha256(file), lambda _, file=file: file)  # type: ignore[misc]


def from_hub(model: str) -> Iterator[SourceFile]:
    """Files of a hub repository; HF_TOKEN gives access to private ones."""
    from huggingface_hub import HfApi, hf_hub_download

    try:
        repository = HfApi(token=os.environ.get("HF_TOKEN")).model_info(model, files_metadata=True)
    except Exception as error:  # its own, and those of its HTTP library, which varies
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadInput(
            f"{model!r} is neither a folder nor a model that the hub provides ({reason}); check the name, the network, and HF_TOKEN "
            "for a private one."
        ) from None
    for file in repository.siblings or ():
        if Path(file.rfilename).suffix in WANTED:

            def fetch(folder: Path, name: str = file.rfilename) -> Path:
                try:
                    return Path(hf_hub_download(model, name, revision=repository.sha, local_dir=folder))
                except Exception as error:
                    raise TryAgain(
                        f"{name} of {model} could not be fetched ({error}); the same command continues."
                    ) from None

            yield SourceFile(file.rfilename, file.size or 0, file.lfs.sha256 if file.lfs else None, fetch)


COMMAND = Command(run)
