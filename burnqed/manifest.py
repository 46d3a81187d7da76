"""Manifests: what a step wrote, from what, and the key that decides whether its output is still good.

`OUTPUT/_SUCCESS` is the manifest; a folder without one is not finished. The key is the step's version, its arguments, the settings
that it reads and that decide what it writes, and the digests of its inputs' manifests. Everything else is recorded and never compared.
"""

from __future__ import annotations

import hashlib
import json
import platform
import socket
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from burnqed.config import RunConfig
from burnqed.layout import STARTED, SUCCESS
from burnqed.store import Store

MOST_CHANGES = 3
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
    if name not in old:
        return f"{name} is new"
    if name not in new:
        return f"{name} is gone"
    before, now = (json.dumps(values[name]) for values in (old, new))
    return f"{name} went from {before} to {now}" if len(before + now) <= LONGEST_VALUES else f"{name} changed"


class OutputFile(BaseModel):
    path: str
    """Relative to the output folder."""
    size: int
    sha256: str


class Manifest(BaseModel):
    """`_SUCCESS` of one output folder."""

    key: Key
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

    def paths(self, prefix: str, ending: str = "") -> list[str]:
        """Store paths of the outputs with this ending."""
        return [f"{prefix}/{o.path}" for o in self.outputs if o.path.endswith(ending)]


def digest_of(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_manifest(store: Store, prefix: str) -> Manifest | None:
    path = f"{prefix}/{SUCCESS}"
    return Manifest.model_validate_json(store.read_bytes(path)) if store.exists(path) else None


def write_manifest(
    store: Store,
    prefix: str,
    key: Key,
    config: RunConfig,
    facts: dict[str, float | int | str | None],
    started: datetime,
    *,
    dollars_per_hour: float,
) -> Manifest:
    """Hashes what lies below `prefix` and writes `_SUCCESS` last."""
    outputs = [
        OutputFile(path=path.removeprefix(f"{prefix}/"), size=info["size"], sha256=store.written_digest(path))
        for path, info in sorted(store.files(prefix).items())
        if path.rpartition("/")[2] not in (SUCCESS, STARTED)
    ]
    finished = datetime.now(UTC)
    seconds = (finished - started).total_seconds()
    manifest = Manifest(
        key=key,
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
