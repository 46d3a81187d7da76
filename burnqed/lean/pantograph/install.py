"""Makes the project of Pantograph workers: Lean, Mathlib and Pantograph (`library.py`), our checker, and what starts them without Lake.

    burnqed lean install --backend pantograph

The project is complete when `project.json` is there, which appears by a rename after everything in it has been tried (`selftest.py`). A new version
of the checker gets a folder of its own beside the same library.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from burnqed.errors import BadInput
from burnqed.findings import Finding
from burnqed.lean.cache import tell
from burnqed.lean.pantograph.checks import PROGRAM
from burnqed.lean.pantograph.library import REPL, Library, library_folder, size
from burnqed.lean.pantograph.project import FILE, INSTALL, Project, folder, mathlib, opened
from burnqed.lean.pantograph.selftest import self_test
from burnqed.versions import versions

CHECKER = Path("checker", ".lake", "build", "bin", "checker")


def install(force: bool = False, report: Callable[[str], None] = tell) -> str:
    """Installs what is not there, or everything again if `force`; `report` gets a line about each step. Says what is there then.

    Raises BadInput when something cannot be fetched, is not the pinned one, is not in Mathlib's cache, cannot be built, or fails the test.
    """
    measured = ""
    if force or not is_installed():
        with Library.held(report) as library:
            if force:
                for old in (folder(), library.folder):
                    shutil.rmtree(old, ignore_errors=True)
            if not is_installed():  # another process may have finished it while we waited
                library.install()
                measured = complete(library, report)
    lean = versions().lean
    return f"{lean.toolchain}, Mathlib {lean.mathlib.version} and Pantograph {lean.pantograph.version} in {library_folder()}{measured}."


def is_installed() -> bool:
    return (folder() / FILE).exists()


def complete(library: Library, report: Callable[[str], None]) -> str:
    """Builds the checker, tries everything, and puts `project.json` in place. Returns what programs take, as the end of a sentence."""
    place = folder()
    report("Building the checker …")
    shutil.copytree(PROGRAM, place / "checker", dirs_exist_ok=True, ignore=shutil.ignore_patterns(".lake"))
    library.name_toolchain(place / "checker")
    library.run(["lake", "build"], folder=place / "checker")
    project = Project(
        **mathlib().model_dump(),
        repl=command(library.folder / REPL),
        checker=command(place / CHECKER),
        environment=library.environment(),
        readable=(library.folder, place),
    )
    report("Testing: a theorem about real numbers is proved and checked …")
    repl, checker = asyncio.run(self_test(project))
    unfinished = place / f"{FILE}.{os.getpid()}"
    unfinished.write_text(project.model_dump_json(indent=1), "utf-8")
    unfinished.rename(place / FILE)
    return f" ({size(library.folder) / 1e9:.1f} GB); a process that searches takes {repl}, one that checks {checker}"


def command(program: Path) -> tuple[str, ...]:
    """What starts a program that Lake built."""
    if not program.is_file():
        raise BadInput(f"Lake has not built {program}; install again with --force.")
    return (str(program),)


def findings(path: Path | None) -> list[Finding]:
    """What the project in a folder (None: the installed one) consists of, and what to do where something is missing."""
    try:
        project = opened(path)
    except BadInput as error:
        reason, _, advice = str(error).rstrip(".").partition("; ")
        return [Finding("Mathlib's Lean", reason if path else "not installed", advice, by_hand=True)]
    sysroot = Path(project.environment.get("LEAN_SYSROOT", "/"))
    folders = [Path(part) for part in project.environment.get("LEAN_PATH", "").split(os.pathsep) if part]
    oleans = [Path(f"{module.replace('.', '/')}.olean") for module in project.modules]
    places = [*folders, sysroot / "lib" / "lean"]
    parts = (
        ("Mathlib's Lean", str(sysroot), sysroot.is_dir()),
        (project.library, project.version, all(any((place / olean).is_file() for place in places) for olean in oleans)),
        ("Pantograph", project.repl[0], os.access(project.repl[0], os.X_OK)),
        ("checker", project.checker[0], os.access(project.checker[0], os.X_OK)),
    )
    return [
        Finding(what, found if is_there else f"gone: {found}", "" if is_there else f"{INSTALL}, with --force")
        for what, found, is_there in parts
    ]
