"""Exports of accepted theorems, for kernels other than ours.

    burnqed lean check proofs.json --export exports
    burnqed lean check proofs.json --second-kernel "my-checker --axioms {axioms} {file}"

An export (lean4export's NDJSON, format 3.1.0) holds one theorem and everything that it uses, also of the library, whose theorems come as
axioms, because the pinned package ships without their proofs. `axioms.txt` lists the axioms in all files of the folder, one name a line: no
other axiom may be found in them.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import shutil
from collections.abc import Iterable
from pathlib import Path

from burnqed.errors import BadInput

AXIOMS = "axioms.txt"
_NAME_CHARACTERS = 60


def export_file(folder: Path, number: int, name: str) -> Path:
    """Where the theorem with this number goes; of a name, which may say anything, only harmless characters are kept."""
    harmless = re.sub(r"[^A-Za-z0-9_.]+", "-", name).strip(".-")[:_NAME_CHARACTERS]
    return folder / f"{number:04d}-{harmless or 'theorem'}.ndjson"


def write_axioms(folder: Path, permitted: Iterable[str]) -> Path:
    file = folder / AXIOMS
    file.write_text("".join(f"{name}\n" for name in sorted(set(permitted))), encoding="utf-8")
    return file


class SecondKernel:
    """A command that checks one export: exit status 0 means that it accepts. `{file}` and `{axioms}` stand for the paths; without `{file}`, the
    export's path comes last. Raises BadInput when there is no such program."""

    def __init__(self, command: str) -> None:
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise BadInput(f"The command of --second-kernel cannot be read ({error}): {command}") from None
        if not self.words or shutil.which(self.words[0]) is None:
            raise BadInput(
                f"There is no program `{self.words[0] if self.words else ''}` for --second-kernel; give a command that can be run."
            )
        if not any("{file}" in word for word in self.words):
            self.words.append("{file}")

    async def objection(self, export: Path, axioms: Path) -> str:
        """Why it does not accept an export, as one sentence; empty when it does."""
        words = [word.replace("{file}", str(export)).replace("{axioms}", str(axioms)) for word in self.words]
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            output, _ = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            raise
        if process.returncode == 0:
            return ""
        said = output.decode("utf-8", "replace").strip().splitlines()
        return f"The second kernel does not accept it (exit status {process.returncode}): {said[-1] if said else 'it says nothing'}"
