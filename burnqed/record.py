"""Records: what a step wrote, when, and from which inputs.

`UNIT/_SUCCESS` is the record of a unit; a unit without one is not finished. It names the revision, `UNIT/REVISION/`, which holds the output: a new
revision is written beside the old one, and replaces it when it is complete, by rewriting this one small file.

Reading a record checks that all files are there with the right sizes. Damage that only digests show is noted in the revision (`_DAMAGED`) by
`burnqed store verify`, and by any other process that finds it.
"""

from __future__ import annotations

import hashlib
import json
import platform
import socket
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.key import Key, digest_of
from burnqed.layout import DAMAGED, NOTES, SUCCESS, SUPERSEDED
from burnqed.log import log
from burnqed.resolve import from_json
from burnqed.store import Store

REVISION_DIGITS = 12


class Damaged(BadInput):
    """A finished output is not what its record says."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where} is damaged: {reason}; run the workflow that made it again, which remakes it.")


class OutputFile(BaseModel):
    path: str
    """Relative to the revision's folder."""
    size: int
    sha256: str


class Record(BaseModel):
    """`_SUCCESS` of one unit."""

    key: Key
    revision: str = ""
    """The folder, inside the unit's, that holds the outputs; empty when they are beside the record."""
    outputs: list[OutputFile]
    digest: str
    """Digest of the outputs' paths and contents: equal outputs have equal digests, whoever wrote them."""
    facts: dict[str, float | int | str | None] = Field(default_factory=dict)
    """What the step reports: counts and final metrics."""
    config: dict[str, object] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    started: str
    finished: str
    seconds: float
    host: str
    dollars: float = 0.0
    """What the attempt cost that finished the unit; `burnqed.ledger` has all attempts."""

    @property
    def settings(self) -> RunConfig:
        """The configuration, from the record of an earlier version, too. Raises BadInput for a key that is unknown today."""
        return from_json(json.dumps(self.config))

    def root(self, prefix: str) -> str:
        """The folder that the paths of the outputs are relative to."""
        return revision_folder(prefix, self.revision)

    def paths(self, prefix: str, ending: str = "") -> list[str]:
        """Store paths of the outputs with this ending."""
        return [f"{self.root(prefix)}/{o.path}" for o in self.outputs if o.path.endswith(ending)]


def revision_folder(prefix: str, revision: str) -> str:
    return f"{prefix}/{revision}" if revision else prefix


def sha256(file: Path) -> str:
    """SHA-256 of a local file, in hexadecimal."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def parse_record(content: bytes) -> Record | None:
    """None where the content is not a record."""
    try:
        return Record.model_validate_json(content)
    except ValidationError:
        return None


def look(store: Store, prefix: str) -> tuple[Record | None, str]:
    """The record of a unit (None where there is none that can be read), and what is damaged, if anything."""
    files = store.files(prefix)
    if f"{prefix}/{SUCCESS}" not in files:
        return None, ""
    record = parse_record(store.read_bytes(f"{prefix}/{SUCCESS}"))
    if record is None:
        return None, f"{SUCCESS} is not a record"
    root = record.root(prefix)
    for output in record.outputs:
        if (info := files.get(f"{root}/{output.path}")) is None:
            return record, f"{output.path} is gone"
        if info["size"] != output.size:
            return record, f"{output.path} has {info['size']} bytes and was written with {output.size}"
    return record, store.read_text(f"{root}/{DAMAGED}") if f"{root}/{DAMAGED}" in files else ""


def read_record(store: Store, prefix: str) -> Record | None:
    """The record of a unit; None for one that is not finished. Raises Damaged."""
    record, damage = look(store, prefix)
    if damage:
        raise Damaged(store.locate(prefix), damage)
    return record


def record_of(folder: Path) -> Record | None:
    """The record for a local folder: a revision, or the copy of one. None where there is none."""
    for unit, revision in ((folder, ""), (folder.parent, folder.name)):
        file = unit / SUCCESS
        record = parse_record(file.read_bytes()) if file.is_file() else None
        if record and record.revision == revision:
            return record
    return None


def note_damage(store: Store, prefix: str, record: Record, reason: str) -> None:
    """Marks the unit as damaged for every reader, until it is remade. A store that cannot be written is left as it is."""
    try:
        store.write_text(f"{record.root(prefix)}/{DAMAGED}", reason)
    except BadInput as error:
        log.warning("%s is damaged, which could not be noted there: %s", store.locate(prefix), error)


def output(store: Store, prefix: str) -> str:
    """The folder that holds a unit's output. Raises BadInput for a unit that is not finished, and Damaged."""
    record = read_record(store, prefix)
    if record is None:
        raise BadInput(f"{store.locate(prefix)} is not finished; run the steps that come before first.")
    return record.root(prefix)


def write_record(
    store: Store,
    prefix: str,
    key: Key,
    config: RunConfig,
    facts: dict[str, float | int | str | None],
    started: datetime,
    *,
    revision: str = "",
    dollars_per_hour: float,
) -> Record:
    """Hashes the revision's files and makes them the unit's output; the previous output is noted as superseded."""
    root = revision_folder(prefix, revision)
    outputs = [
        OutputFile(path=path.removeprefix(f"{root}/"), size=info["size"], sha256=store.written_digest(path))
        for path, info in sorted(store.files(root).items())
        if path.rpartition("/")[2] not in NOTES
    ]
    finished = datetime.now(UTC)
    seconds = (finished - started).total_seconds()
    record = Record(
        key=key,
        revision=revision,
        outputs=outputs,
        digest=digest_of([[o.path, o.sha256] for o in outputs]),
        facts=facts,
        config=config.model_dump(mode="json"),
        versions=versions(),
        started=started.isoformat(timespec="seconds"),
        finished=finished.isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        host=f"{socket.gethostname()} ({platform.platform()})",
        dollars=round(seconds / 3600 * dollars_per_hour, 6),
    )
    before, _ = look(store, prefix)
    if before and before.revision != revision:
        store.write_text(f"{before.root(prefix)}/{SUPERSEDED}", before.model_dump_json(indent=1) + "\n")
    store.write_text(f"{prefix}/{SUCCESS}", record.model_dump_json(indent=1) + "\n")
    return record


def versions() -> dict[str, str]:
    """Versions of the packages that matter to a result, as far as they are installed."""
    installed = {"python": platform.python_version()}
    for package in ("burnqed", "torch", "transformers", "peft", "pyarrow"):
        with suppress(metadata.PackageNotFoundError):
            installed[package] = metadata.version(package)
    return installed
