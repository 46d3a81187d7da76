"""The key of an output, which decides whether it can be reused: an equal key is a `hit`.

It has the step's version, its arguments, the settings that it reads and that decide what it writes, and the digests of its inputs' records.
Everything else is recorded but never compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from burnqed.config import RunConfig

MOST_CHANGES = 3
LONGEST_VALUES = 120
"""Old and new values of more characters together are not shown."""


class Key(BaseModel):
    """What must be equal for an output to be reused."""

    model_config = ConfigDict(frozen=True)

    step: str
    version: int
    parameters: dict[str, str] = Field(default_factory=dict)
    """Small arguments of the step that change its meaning: variant, shards, digests of the content at a configured address."""
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    """Values of the configuration, by dotted name; `lean` is the version of a Lean that does not come with the package."""
    inputs: dict[str, str] = Field(default_factory=dict)
    """The digest in the record of each input, by its path in the store."""

    @property
    def digest(self) -> str:
        return digest_of(self.model_dump())

    def difference(self, old: Key, ignored: Collection[str] = ()) -> str:
        """How this key differs from `old`, in a few words; empty when nothing has to be made anew. `ignored`: settings that this key leaves out, and that `old`, of an earlier version, may have."""
        if self.version != old.version:
            return f"the step's version went from {old.version} to {self.version}"
        settings = {name: value for name, value in old.settings.items() if name not in ignored}
        return (
            _changes(self.settings, settings)
            or _changes(self.parameters, old.parameters)
            or ", ".join(f"its input {name} changed" for name in _changed(self.inputs, old.inputs)[:MOST_CHANGES])
        )


def _changed(new: Mapping[str, object], old: Mapping[str, object]) -> list[str]:
    return sorted(
        name for name in new.keys() | old.keys() if (name in new, new.get(name)) != (name in old, old.get(name))
    )


def _changes(new: Mapping[str, object], old: Mapping[str, object]) -> str:
    """The first changes, as in `sft.steps went from 1500 to 7`."""
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


def digest_of(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
