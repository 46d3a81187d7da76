"""The Lean project that workers run in: what Pantograph's REPL and our checker are started with, and what theorems may refer to there.

    project = opened(None)          # the one that `burnqed lean install --backend pantograph` made
    project.repl                    # ['/…/repl']

A project is a folder with `project.json`. Without one, `MATHLIB` still says what results depend on: Lean, library, header, probe tactics.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from burnqed.errors import BadInput
from burnqed.lean.pantograph.checks import PROGRAM
from burnqed.lean.pantograph.library import library_folder
from burnqed.lean.rules import FILE as RULES
from burnqed.sandbox import confined
from burnqed.versions import versions

FILE = "project.json"
MEMORY_MB = 4_000
"""Of its own of one process, where the configuration says nothing."""
INSTALL = "run `burnqed lean install --backend pantograph`"


class Description(BaseModel):
    """What results depend on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str
    """Of Lean and the library."""
    library: str
    """In words."""
    modules: tuple[str, ...]
    """That the processes import, in this order."""
    roots: frozenset[str]
    """First parts of the names of all modules that come with these: what a header may import."""
    default_header: str
    probe_tactics: tuple[str, ...]


class Project(Description):
    """A project on this machine."""

    repl: tuple[str, ...] = Field(min_length=1)
    """The command that is Pantograph's REPL; modules and Lean options are put behind it."""
    checker: tuple[str, ...] = Field(min_length=1)
    """The command that is our checker (`checks.py`)."""
    environment: dict[str, str]
    """All variables that both get."""
    readable: tuple[Path, ...]
    """Folders that both may read (`burnqed.sandbox`)."""

    def confined(self, command: Sequence[str], scratch: Path | None = None) -> list[str]:
        """The command line that runs one of the two, with its arguments, so that it reaches nothing else. Raises BadInput when there is no such program."""
        return confined(command, readable=[*self.readable, RULES], scratch=scratch, environment=self.environment)


MATHLIB_PROBES = (
    "rfl",
    "trivial",
    "assumption",
    "contradiction",
    "decide",
    "norm_num",
    "omega",
    "simp",
    "ring",
    "linarith",
    "positivity",
    "simp_all",
    "nlinarith",
    "field_simp",
    "aesop",
    "grind",
    "norm_num [*] at *",
    "tauto",
)


LEANS_OWN = frozenset({"Init", "Std", "Lean", "Lake"})
MATHLIBS = frozenset(
    {"Mathlib", "Aesop", "Batteries", "ImportGraph", "LeanSearchClient", "Plausible", "ProofWidgets", "Qq"}
)
"""Mathlib and the packages that it depends on, by the first component of their modules."""


def mathlib() -> Description:
    """Mathlib at the pinned commit."""
    lean = versions().lean
    return Description(
        version=f"{lean.toolchain.partition(':v')[2]}/mathlib-{lean.mathlib.commit[:12]}/pantograph-{lean.pantograph.version}",
        library="Mathlib",
        modules=("Mathlib",),
        roots=LEANS_OWN | MATHLIBS,
        default_header="import Mathlib\nset_option autoImplicit false\nopen BigOperators Real Nat Topology\n",
        probe_tactics=MATHLIB_PROBES,
    )


@cache
def folder_name() -> str:
    """Of the project of the pinned versions and this package's checker."""
    sources = hashlib.sha256()
    for file in sorted([*PROGRAM.rglob("*.lean"), PROGRAM / "lakefile.toml"]):
        sources.update(file.read_bytes())
    return f"{library_folder().name}-{sources.hexdigest()[:12]}"


def folder() -> Path:
    """Where the installation makes the project, beside the library."""
    return library_folder().with_name(folder_name())


def opened(path: Path | None) -> Project:
    """The project in a folder, by default in the one of the installation. Raises BadInput."""
    place = path or folder()
    try:
        return Project.model_validate_json((place / FILE).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        what = f"{place} holds no {FILE}" if path else "The Lean of the backend pantograph is not installed"
        raise BadInput(f"{what}; {INSTALL}{' and leave lean.project out' if path else ''}.") from None
    except (OSError, ValidationError) as error:
        why = str(error.strerror) if isinstance(error, OSError) else _told(error)
        raise BadInput(f"{place / FILE} cannot be read ({why}); {INSTALL}, with --force.") from error


def described(path: Path | None) -> Description:
    """The project in a folder; where none is named and none is installed, the one that the installation would make. Raises BadInput."""
    return opened(path) if path or (folder() / FILE).exists() else mathlib()


def _told(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}"
