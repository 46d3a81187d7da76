"""Exports of accepted theorems, for kernels other than ours.

    burnqed lean check proofs.json --export exports
    burnqed lean check proofs.json --second-kernel "my-checker --axioms {axioms} {file}"

An export (lean4export's NDJSON, format 3.1.0) holds one theorem and everything that it uses, also of the library, whose theorems come as
axioms, because the pinned package ships without their proofs. `axioms.txt` lists the axioms in all files of the folder, one name a line: no
other axiom may be found in them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shlex
import shutil
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

from burnqed.errors import BadInput
from burnqed.lean.check import QUEUED, verdicts
from burnqed.lean.protocol import LeanBackend, Theorem, Verdict
from burnqed.lean.source import ProofToCheck

AXIOMS = "axioms.txt"
_NAME_CHARACTERS = 60
_READ_BYTES = 4000
"""Of what a second kernel says, from the end."""


def prepare(folder: Path) -> None:
    """Makes the folder. Raises BadInput when it cannot be written or holds anything."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = not any(folder.iterdir())
    except OSError as error:
        raise BadInput(
            f"The exports cannot be written to {folder} ({error.strerror or error}); name another folder."
        ) from None
    if not is_empty:
        raise BadInput(f"The folder {folder} for exports is not empty; name another one, or empty it.")


async def check_and_export(
    proofs: Sequence[ProofToCheck],
    lean: LeanBackend,
    folder: Path,
    kernel: SecondKernel | None = None,
    *,
    is_trusted: bool = False,
) -> list[Verdict]:
    """`burnqed.lean.check.check_all`, with an export of each accepted theorem in `folder`, and with the opinion of a second kernel."""
    files = [_export_file(folder, number, proof.name) for number, proof in enumerate(proofs, 1)]

    async def exported(theorem: Theorem, proof: str, index: int) -> Verdict:
        return await lean.check(theorem, proof, is_trusted=is_trusted, export_to=files[index])

    checked = await verdicts(proofs, exported, at_once=QUEUED * lean.capacity)
    axioms = folder / AXIOMS
    axioms.write_text(
        "".join(f"{name}\n" for name in sorted({n for v in checked for n in v.permitted})), encoding="utf-8"
    )
    if kernel is None:
        return checked
    at_once = asyncio.Semaphore(os.cpu_count() or 1)

    async def judged(verdict: Verdict, file: Path) -> Verdict:
        if not verdict.accepted:
            return verdict
        async with at_once:
            reason, could_not_check = await kernel.objection(file, axioms)
        return verdict.model_copy(update={"accepted": not reason, "reason": reason, "could_not_check": could_not_check})

    return await asyncio.gather(*map(judged, checked, files))


def _export_file(folder: Path, number: int, name: str) -> Path:
    """Where the theorem with this number goes; of a name, which may say anything, only harmless characters are kept."""
    harmless = re.sub(r"[^A-Za-z0-9_.]+", "-", name).strip(".-")[:_NAME_CHARACTERS]
    return folder / f"{number:04d}-{harmless or 'theorem'}.ndjson"


class SecondKernel:
    """A command that checks one export: exit status 0 means that it accepts. `{file}` and `{axioms}` stand for the paths; without `{file}`, the
    export's path comes last. It may take `seconds` for each theorem. Raises BadInput when there is no such program."""

    def __init__(self, command: str, *, seconds: float = 600) -> None:
        self.seconds = seconds
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

    async def objection(self, export: Path, axioms: Path) -> tuple[str, bool]:
        """Why it does not accept an export, as one sentence, empty when it does; and whether it gave no answer. Raises BadInput when it cannot be run."""
        words = [word.replace("{file}", str(export)).replace("{axioms}", str(axioms)) for word in self.words]
        with tempfile.TemporaryFile() as output:
            try:
                process = await asyncio.create_subprocess_exec(
                    *words, stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
                )
            except OSError as error:
                raise BadInput(
                    f"The program `{words[0]}` of --second-kernel cannot be run ({error.strerror or error}); give a command that can be run."
                ) from None
            try:
                status = await asyncio.wait_for(process.wait(), self.seconds)
            except TimeoutError:
                return f"The second kernel gave no answer within {self.seconds:g} s", True
            finally:
                with contextlib.suppress(ProcessLookupError):  # of the group: also what the command has started
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
            if status == 0:
                return "", False
            output.seek(max(0, output.seek(0, os.SEEK_END) - _READ_BYTES))
            said = output.read().decode("utf-8", "replace").strip().splitlines()
        last = said[-1] if said else "it says nothing"
        return f"The second kernel does not accept it (exit status {status}): {last}", False
