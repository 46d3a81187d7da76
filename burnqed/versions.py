"""Versions of what others make (`versions.yaml`), read once.

versions().lean.mathlib.commit
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from burnqed.yaml_files import parse_yaml

FILE = Path(__file__).with_name("versions.yaml")
Commit = Annotated[str, Field(pattern="^[0-9a-f]{40}$")]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Repository(_Strict):
    """A commit, and the version that it is called."""

    version: str
    commit: Commit


class Elan(_Strict):
    """What installs Lean's toolchains."""

    version: str
    archives: dict[str, Sha256]
    """Of the release, by system, as in `x86_64-unknown-linux-gnu`."""


class Lean(_Strict):
    """The Lean that Mathlib is built with, and what goes with it."""

    toolchain: str
    """As elan and the file `lean-toolchain` have it."""
    elan: Elan
    mathlib: Repository
    pantograph: Repository


class Sglang(_Strict):
    """SGLang, and what its image has of what burnqed needs."""

    version: str
    torch: str
    transformers: str


class Images(_Strict):
    """Container images of others."""

    python: str
    sglang: str
    seaweedfs: str


class Versions(_Strict):
    lean: Lean
    lean4export: str
    """Of the format, not of the program."""
    lean_dojo: str
    sglang: Sglang
    images: Images


@cache
def versions() -> Versions:
    return Versions.model_validate(parse_yaml(FILE.read_text(encoding="utf-8"), FILE.name))
