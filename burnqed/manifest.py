"""Manifests: what a step wrote, from what, and the key that decides whether its output is still good.

`UNIT/_SUCCESS` is the manifest; a unit without one is not finished. It names the revision, `UNIT/REVISION/`, where the output lies: a new one
is written beside the old and takes its place when it is whole, by one small file. The key is the step's version, its arguments, the settings
that it reads and that decide what it writes, and the digests of its inputs' manifests. Everything else is recorded and never compared.

Whoever reads a manifest learns whether all files are there in their sizes; what only digests tell, `burnqed store verify` notes in the
revision (`_DAMAGED`), and so does whoever comes upon it.
"""

from __future__ import annotations

import hashlib
import json
import platform
import socket
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.layout import DAMAGED, NOTES, SUCCESS, SUPERSEDED
from burnqed.log import log
from burnqed.store import Store

MOST_CHANGES = 3
REVISION_DIGITS = 12
LONGEST_VALUES = 60
"""Characters of an old and a new value, up to which both are shown."""


class Key(BaseModel):
    """What must be equal for an output to be reused."""

    model_config = ConfigDict(frozen=True)

    step: str
    version: int
    parameters: dict[str, str] = Field(default_factory=dict)
    """Small arguments of the step that change its meaning: variant, shards, digests of what lies at a configured address."""
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    """Values of the configuration, by dotted name."""
    inputs: dict[str, str] = Field(default_factory=dict)
    """Digest in the manifest of each input, by its path in the store."""

    @property
    def digest(self) -> str:
        return digest_of(self.model_dump())

    def difference(self, old: Key) -> str:
        """What became of `old`, in a few words; empty when they agree."""
        if self.version != old.version:
            return f"the step's version went from {old.version} to {self.version}"
        return (
            _changes(self.settings, old.settings)
            or _changes(self.parameters, old.parameters)
            or ", ".join(f"its input {name} changed" for name in _changed(self.inputs, old.inputs)[:MOST_CHANGES])
        )


def _changed(new: Mapping[str, object], old: Mapping[str, object]) -> list[str]:
    return sorted(
        name for name in new.keys() | old.keys() if (name in new, new.get(name)) != (name in old, old.get(name))
    )


def _changes(new: Mapping[str, object], old: Mapping[str, object]) -> str:
    """`sft.steps went from 1500 to 7`, for the first of what changed."""
    changed = _changed(new, old)
    said = [_change(name, new, old) for name in changed[:MOST_CHANGES]]
    return ", ".join(said) + (f" and {len(changed) - MOST_CHANGES} more changed" if len(changed) > MOST_CHANGES else "")


def _change(name: str, new: Mapping[str, object], old: Mapping[str, object]) -> str:
    if not RunConfig.is_later(name):
        if name not in old:
            return f"{name} is new"
        if name not in new:
            return f"{name} is gone"
    before, now = (json.dumps(values[name]) if name in values else "its default" for values in (old, new))
    return f"{name} went from {before} to {now}" if len(before + now) <= LONGEST_VALUES else f"{name} changed"


class Damaged(BadInput):
    """A finished output is not what its manifest says."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where} is damaged: {reason}; run the workflow that made it again, which makes it anew.")


class OutputFile(BaseModel):
    path: str
    """Relative to the revision's folder."""
    size: int
    sha256: str


class Manifest(BaseModel):
    """`_SUCCESS` of one unit."""

    key: Key
    revision: str = ""
    """The folder, inside the unit's, that holds the outputs; empty when they lie beside the manifest."""
    outputs: list[OutputFile]
    digest: str
    """Of the outputs' paths and contents: equal outputs, equal digests, whoever wrote them."""
    facts: dict[str, float | int | str | None] = Field(default_factory=dict)
    """What the step reports: counts and final metrics."""
    config: dict[str, object] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    started: str
    finished: str
    seconds: float
    host: str
    dollars: float = 0.0
    """What the attempt cost that finished it; `burnqed.ledger` has all of them."""

    def root(self, prefix: str) -> str:
        """The folder that the paths of the outputs are relative to."""
        return revision_folder(prefix, self.revision)

    def paths(self, prefix: str, ending: str = "") -> list[str]:
        """Store paths of the outputs with this ending."""
        return [f"{self.root(prefix)}/{o.path}" for o in self.outputs if o.path.endswith(ending)]


def revision_folder(prefix: str, revision: str) -> str:
    return f"{prefix}/{revision}" if revision else prefix


def sha256(file: Path) -> str:
    """Of a local file, in hexadecimal."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def digest_of(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def parse_manifest(content: bytes) -> Manifest | None:
    """None for what is no manifest."""
    try:
        return Manifest.model_validate_json(content)
    except ValidationError:
        return None


def look(store: Store, prefix: str) -> tuple[Manifest | None, str]:
    """The manifest of a unit, None where there is none (that can be read), and what is damaged, empty for nothing."""
    files = store.files(prefix)
    if f"{prefix}/{SUCCESS}" not in files:
        return None, ""
    manifest = parse_manifest(store.read_bytes(f"{prefix}/{SUCCESS}"))
    if manifest is None:
        return None, f"{SUCCESS} is no manifest"
    root = manifest.root(prefix)
    for output in manifest.outputs:
        if (info := files.get(f"{root}/{output.path}")) is None:
            return manifest, f"{output.path} is gone"
        if info["size"] != output.size:
            return manifest, f"{output.path} has {info['size']} bytes and was written with {output.size}"
    return manifest, store.read_text(f"{root}/{DAMAGED}") if f"{root}/{DAMAGED}" in files else ""


def read_manifest(store: Store, prefix: str) -> Manifest | None:
    """The manifest of a unit; None for one that is not finished. Raises Damaged."""
    manifest, damage = look(store, prefix)
    if damage:
        raise Damaged(store.locate(prefix), damage)
    return manifest


def manifest_of(folder: Path) -> Manifest | None:
    """The manifest of what lies in a local folder: a revision, or the copy of one. None where there is none."""
    for unit, revision in ((folder, ""), (folder.parent, folder.name)):
        file = unit / SUCCESS
        manifest = parse_manifest(file.read_bytes()) if file.is_file() else None
        if manifest and manifest.revision == revision:
            return manifest
    return None


def note_damage(store: Store, prefix: str, manifest: Manifest, reason: str) -> None:
    """Has every reader of the unit find it damaged, until it is made anew; in a store that cannot be written nobody can."""
    try:
        store.write_text(f"{manifest.root(prefix)}/{DAMAGED}", reason)
    except BadInput as error:
        log.warning("that %s is damaged could not be noted: %s", store.locate(prefix), error)


def output(store: Store, prefix: str) -> str:
    """The folder where a unit's output lies. Raises BadInput for a unit that is not finished, Damaged."""
    manifest = read_manifest(store, prefix)
    if manifest is None:
        raise BadInput(f"{store.locate(prefix)} is not finished; run the steps that come before first.")
    return manifest.root(prefix)


def write_manifest(
    store: Store,
    prefix: str,
    key: Key,
    config: RunConfig,
    facts: dict[str, float | int | str | None],
    started: datetime,
    *,
    revision: str = "",
    dollars_per_hour: float,
) -> Manifest:
    """Hashes what lies in the revision and makes it the unit's output; what was so before is noted as superseded."""
    root = revision_folder(prefix, revision)
    outputs = [
        OutputFile(path=path.removeprefix(f"{root}/"), size=info["size"], sha256=store.written_digest(path))
        for path, info in sorted(store.files(root).items())
        if path.rpartition("/")[2] not in NOTES
    ]
    finished = datetime.now(UTC)
    seconds = (finished - started).total_seconds()
    manifest = Manifest(
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
    store.write_text(f"{prefix}/{SUCCESS}", manifest.model_dump_json(indent=1) + "\n")
    return manifest


def versions() -> dict[str, str]:
    """Versions of what matters to a result, as far as installed."""
    found = {"python": platform.python_version()}
    for package in ("burnqed", "torch", "transformers", "peft", "pyarrow"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
