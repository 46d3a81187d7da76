"""Mathlib's Lean: searches run in Pantograph's REPLs, whole proofs are checked by a program of ours (docs/pantograph.md).

    async with PantographLean() as lean:
        root = (await lean.start(Theorem(name="t", statement="∀ x : ℝ, x * x ≥ 0"))).state
        print((await lean.apply(root, "intro x")).state.text)

The processes of both are workers of the common pool (`burnqed.lean.pool`), each confined (`burnqed.sandbox`): a REPL imports the library once and
holds the states of many searches; a checker's authors, reader and judges start when they are first needed (`checks.py`).
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self

from burnqed.config import LeanConfig
from burnqed.findings import Finding
from burnqed.lean.commands import Commands
from burnqed.lean.outline import Unreadable
from burnqed.lean.pantograph import install as installation
from burnqed.lean.pantograph.checks import Checker, processes
from burnqed.lean.pantograph.project import MEMORY_MB, Project, described, opened
from burnqed.lean.pantograph.repl import Repl
from burnqed.lean.pantograph.statement import flush, stated, without_imports
from burnqed.lean.pool import Counts, Pool, Recycling, State, default_workers
from burnqed.lean.protocol import LeanBackend, Outcome, ProofState, TacticStatus, Theorem, Verdict
from burnqed.lean.rules import refusal
from burnqed.lean.worker import Message

CHECKS_PER_SEARCH = 0.25
"""Processes that elaborate whole proofs, for each that searches: few states are proofs."""


def authors(workers: int) -> int:
    return max(1, round(workers * CHECKS_PER_SEARCH))


class PantographLean(LeanBackend):
    """`LeanBackend` over `workers` REPLs in the Lean project at `project`; None means the one that `burnqed lean install` made.

    `heartbeats` limits one tactic, in the unit of Lean's `maxHeartbeats`, 0 meaning no limit; whole proofs are only limited by time.
    `memory_mb` caps one process's own memory (what it maps of the library is shared); it is replaced at ¾ of that, after
    `recycle_requests` requests or `recycle_minutes`.
    """

    name = "pantograph"

    def __init__(
        self,
        project: Path | None = None,
        workers: int | None = None,
        tactic_timeout_s: float = 30.0,
        heartbeats: int = 200_000,
        check_timeout_s: float = 300.0,
        recycle_requests: int = 1_000,
        recycle_minutes: float = 30.0,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        self._place = project
        self._description = described(project)
        self.workers = workers or default_workers(memory_mb, beside=lambda count: processes(authors(count)))
        self.tactic_timeout_s = tactic_timeout_s
        self.heartbeats = heartbeats
        self.check_timeout_s = check_timeout_s
        self._memory_mb = memory_mb
        self._recycling = Recycling(recycle_requests, recycle_minutes * 60, memory_mb)
        self._pool = Pool(self._repl, self.workers, self._recycling)
        self._started: tuple[Project, Checker] | None = None
        """From `async with` on."""

    @classmethod
    def configured(cls, config: LeanConfig) -> Self:
        return cls(
            project=Path(config.project).expanduser() if config.project else None,
            workers=config.workers,
            tactic_timeout_s=config.tactic_timeout_s,
            heartbeats=config.heartbeats,
            check_timeout_s=config.check_timeout_s,
            recycle_requests=config.recycle_requests,
            recycle_minutes=config.recycle_minutes,
            memory_mb=config.memory_mb or MEMORY_MB,
        )

    # ---- what results depend on

    @property
    def version(self) -> str:
        return self._description.version

    @property
    def library(self) -> str:
        return self._description.library

    @property
    def default_header(self) -> str:
        return self._description.default_header

    @property
    def probe_tactics(self) -> tuple[str, ...]:
        return self._description.probe_tactics

    @property
    def capacity(self) -> int:
        return self.workers

    def has_module(self, module: str) -> bool:
        return module.partition(".")[0] in self._description.roots

    # ---- the pool of searches

    @property
    def counts(self) -> Counts:
        return self._pool.counts

    @property
    def states(self) -> int:
        """That are kept."""
        return self._pool.states

    # ---- installation, beginning and end

    def install(self, force: bool = False) -> str:
        return installation.install(force)

    def findings(self) -> list[Finding]:
        return installation.findings(self._place)

    async def __aenter__(self) -> Self:
        """Raises BadInput where the project is not installed, which takes too long to be done on the way; TryAgain when Lean does not start."""
        project = opened(self._place)
        checker = Checker(
            project.checker,
            project.modules,
            workers=authors(self.workers),
            timeout_s=self.check_timeout_s,
            memory_mb=self._memory_mb,
            recycling=self._recycling,
            confine=project.confined,
        )
        self._started = project, checker
        try:
            await checker.__aenter__()
            await self._pool.start()
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    async def _close(self) -> None:
        await asyncio.gather(self._pool.close(), self._checker.__aexit__(None, None, None))

    # ---- searches

    async def start(self, theorem: Theorem) -> Outcome:
        try:
            told = stated(theorem.statement, self._header(theorem))
        except Unreadable as error:
            return Outcome(TacticStatus.ERROR, message=f"The theorem {error}, so it cannot be started here.")
        return await self._made(None, {"kind": "start", **asdict(told)}, self.tactic_timeout_s)

    async def apply(self, state: ProofState, tactic: str, *, timeout: float | None = None) -> Outcome:
        if why := refusal(tactic):
            return Outcome(TacticStatus.ERROR, message=why)
        message = {"kind": "tactic", "tactic": flush(tactic)}
        return await self._made(state.ref, message, timeout or self.tactic_timeout_s)

    async def release(self, root: ProofState) -> None:
        self._pool.release(root.ref)

    # ---- whole proofs and files

    async def check(
        self,
        theorem: Theorem,
        proof: str,
        *,
        timeout: float | None = None,
        is_trusted: bool = True,
        export_to: Path | None = None,
    ) -> Verdict:
        try:
            theorem = theorem.model_copy(update={"header": self._header(theorem)})
        except Unreadable as error:
            return Verdict(
                name=theorem.name, accepted=False, reason=f"The theorem {error}, so it cannot be checked here."
            )
        return await self._checker.check(theorem, proof, timeout=timeout, is_trusted=is_trusted, export_to=export_to)

    async def commands(self, text: str, *, is_trusted: bool = False) -> Commands:
        return await self._checker.commands(text, is_trusted=is_trusted)

    # ---- steps of the above

    @property
    def _checker(self) -> Checker:
        assert self._started, "not entered"
        return self._started[1]

    def _repl(self) -> Repl:
        assert self._started, "not entered"
        project = self._started[0]
        command = [*project.repl, *project.modules, f"--maxHeartbeats={self.heartbeats}"]
        return Repl(project.confined(command), self._memory_mb)

    def _header(self, theorem: Theorem) -> str:
        """Raises Unreadable for one that imports what is not there."""
        header = self.default_header if theorem.header is None else theorem.header
        return without_imports(header, self._description.roots)

    async def _made(self, before: State | None, message: Message, timeout: float) -> Outcome:
        return Outcome.of(*await self._pool.make(before, message, timeout))
