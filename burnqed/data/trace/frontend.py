"""Whole proofs, traced by Pantograph's `frontend.process`: Lean runs each as a file and writes down every tactic with its goals.

    async with Frontend(project, LeanConfig()) as frontend:
        async for result in frontend.traced(proofs):
            ...

The file is header, theorem and proof. Modules that the header imports have to be the project's; its REPLs have read them, so the import lines are taken
out. A proof that Lean complains about gives nothing but the cause, as does one that ends its REPL, or takes too long, twice. REPLs are confined
(`burnqed.sandbox`): each writes to a folder of its own and nothing else.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from burnqed.config import LeanConfig
from burnqed.data.proofs import WholeProof
from burnqed.data.sets.causes import Cause, cause_of_statement, cause_of_step
from burnqed.data.sets.source import cut_last
from burnqed.data.trace.ahead import in_order
from burnqed.data.trace.invocations import Invocation, Invocations, atomic
from burnqed.data.trace.items import SORRY, UNREADABLE, Item, has_sorry
from burnqed.data.trace.parts import Result
from burnqed.data.trace.steps import pairs_of
from burnqed.errors import BadInput
from burnqed.lean.lexer import tokens
from burnqed.lean.outline import THEOREMS, Unreadable
from burnqed.lean.pantograph.project import MEMORY_MB, Project
from burnqed.lean.pantograph.repl import Refused, ReplWorker
from burnqed.lean.pantograph.statement import without_imports
from burnqed.lean.pantograph.wire import Reply
from burnqed.lean.pool import Pool, Recycling, default_workers
from burnqed.lean.proofs import introductions
from burnqed.lean.worker import Answer, Crashed, Message, Vanished, failure
from burnqed.sandbox import offer

WRITTEN = "invocations.json"
MOST_BYTES = 1 << 27
"""Of what a REPL writes for one proof."""
AHEAD = 8
"""Proofs that are begun, for each worker: so many can wait for a slow one."""


# ---- what is sent, and what comes back


@dataclass(frozen=True)
class Source:
    """A proof as a file."""

    text: str
    theorem: int
    """Where the theorem begins, in bytes."""
    proof_line: int
    """Where the proof begins, from 1."""


class Position(BaseModel):
    line: int


class Said(BaseModel):
    """A message of Lean's."""

    model_config = ConfigDict(extra="ignore")

    data: str
    severity: str
    kind: str = ""
    pos: Position


class Unit(BaseModel):
    """What Lean says of one command."""

    model_config = ConfigDict(extra="ignore")

    boundary: tuple[int, int]
    """In bytes of the file."""
    messages: list[Said] = []


class Processed(Reply):
    """To `frontend.process`."""

    units: list[Unit]


def sources(proof: WholeProof, header: str) -> list[Source]:
    """`header` is without imports. The files that can be meant (`burnqed.lean.proofs.introductions`), likeliest first. Raises Unreadable."""
    cut = cut_last(proof.statement)
    is_declared = any(token.text in THEOREMS for token in tokens(proof.statement))
    stated = cut.statement if is_declared else f"example : {cut.statement}"
    front = "".join(f"{part}\n" for part in (header.rstrip(), cut.header.rstrip()) if part)
    files = []
    for word in introductions(proof.proof):
        before = f"{front}{stated} {word}\n"
        files.append(Source(before + proof.proof, len(front.encode()), before.count("\n") + 1))
    return files


class FrontendWorker(ReplWorker):
    """One that processes files, with a folder of its own to write what it recorded."""

    def __init__(self, project: Project, memory_mb: float) -> None:
        super().__init__([], memory_mb)
        self._project = project
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    async def start(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="burnqed-trace-", ignore_cleanup_errors=True)
        self._command = self._project.confined([*self._project.repl, *self._project.modules], Path(self._folder.name))
        await super().start()

    async def ask(self, message: Message) -> Answer:
        if self._folder is None:
            raise Vanished("the REPL has not been started")
        written = Path(self._folder.name) / WRITTEN
        written.unlink(missing_ok=True)
        how = {"readHeader": False, "inheritEnv": False, "newConstants": False, "invocations": str(written)}
        try:
            processed = await self._asked(Processed, "frontend.process", file=message["file"], **how)
            invoked = Invocations.model_validate_json(_content(written))
        except Refused as refusal:
            return failure(refusal.kind, str(refusal))
        except (ValidationError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not what was expected"
            raise Crashed(f"what the REPL wrote cannot be read: {reason}") from None
        return {"units": processed.units, "invoked": invoked.units, "seconds": 0.0}

    async def end(self) -> None:
        await super().end()
        if self._folder:
            self._folder.cleanup()
        self._folder = None


def _content(path: Path) -> bytes:
    """Of a file that a proof could have replaced by anything, such as a link to another one."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            raise OSError(0, f"it is no file of at most {MOST_BYTES >> 20} MB")
        return file.read()


# ---- proofs


class Frontend:
    """REPLs of a project that trace proofs."""

    def __init__(self, project: Project, config: LeanConfig) -> None:
        if offer().seccomp and not offer().landlock:
            raise BadInput(
                "This kernel has seccomp and no Landlock, so a confined Lean could not write what it traced; use Linux 5.13 or newer, or --by tactics."
            )
        memory_mb = config.memory_mb or MEMORY_MB
        workers = config.workers or default_workers(memory_mb)
        recycling = Recycling(config.recycle_requests, 60 * config.recycle_minutes, memory_mb)
        self.version, self._project, self._timeout_s = project.version, project, config.check_timeout_s
        self._pool = Pool(lambda: FrontendWorker(project, memory_mb), workers, recycling)

    async def __aenter__(self) -> Self:
        try:
            await self._pool.start()
        except BaseException:
            await self._pool.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._pool.close()

    def traced(self, proofs: Iterable[Item]) -> AsyncIterator[Result]:
        """What comes of each proof, in their order."""
        return in_order(self._traced, proofs, AHEAD * self._pool.size)

    async def _traced(self, item: Item) -> Result:
        proof = item.proof
        steps, reason, message = await self._invocations(proof)
        if reason:
            return item.rejected(reason, message)
        kept, structures = atomic(steps)
        pairs, left_out = pairs_of(proof.name, proof.source, kept)
        return item.result(pairs, left_out + structures)

    async def _invocations(self, proof: WholeProof) -> tuple[Sequence[Invocation], str, str]:
        """What Lean ran; or why there is nothing, and Lean's message."""
        if has_sorry(proof):
            return (), SORRY, ""
        header = self._project.default_header if proof.header is None else proof.header
        try:
            header = without_imports(header, self._project.roots)
        except Unreadable as unreadable:
            return (), Cause.IMPORT, f"the header {unreadable}, which {self._project.library} does not have"
        try:
            files = sources(proof, header)
        except Unreadable as unreadable:
            return (), UNREADABLE, f"the statement {unreadable}"
        found = [await self._processed(files[0])]
        if found[0][1] and len(files) > 1:  # with tactics it was not meant; perhaps it is a term
            found.append(await self._processed(files[1]))
        return next((one for one in found if not one[1]), found[0])

    async def _processed(self, file: Source) -> tuple[Sequence[Invocation], str, str]:
        answer = await self._pool.work({"file": file.text}, self._timeout_s)
        if answer.get("error", {}).get("kind") in ("crash", "timeout"):
            answer = await self._pool.work({"file": file.text}, self._timeout_s, is_fresh=True)
        if error := answer.get("error"):
            is_limit = error["kind"] != "error" or re.search("internal exception|interrupt", error["message"])
            return (), Cause.LIMIT if is_limit else cause_of_step(error["message"]), error["message"]
        return judged(file, answer["units"], [unit.invocations for unit in answer["invoked"]])


def judged(
    file: Source, units: Sequence[Unit], invoked: Sequence[Sequence[Invocation]]
) -> tuple[Sequence[Invocation], str, str]:
    """The theorem's invocations; or why they do not count, and Lean's message."""
    messages = [message for unit in units for message in unit.messages]
    for message in messages:
        if message.severity == "error":
            in_proof = message.pos.line >= file.proof_line
            cause = cause_of_step(message.data) if in_proof else cause_of_statement(message.data, is_printed=False)
            return (), cause, message.data
    own = [at for at, unit in enumerate(units) if unit.boundary[1] > file.theorem]
    if len(own) != 1 or len(invoked) != len(units):
        return (), Cause.CHANGED, "the proof is not one command that ends the file"
    steps = invoked[own[0]]
    if any(m.kind == "hasSorry" for m in messages) or any("sorryAx" in step.usedConstants for step in steps):
        return (), SORRY, ""
    return steps, "", ""
