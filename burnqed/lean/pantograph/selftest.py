"""Whether a project can do its work: its programs start confined, prove a theorem of its library, and refuse what proves nothing.

measured = await self_test(project)
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass

from burnqed.errors import BadInput, TryAgain
from burnqed.lean.check import judge as verdict_of
from burnqed.lean.pantograph.checks import Checker, CheckerProcess
from burnqed.lean.pantograph.process import ProcessWorker
from burnqed.lean.pantograph.project import Project
from burnqed.lean.pantograph.repl import Repl
from burnqed.lean.pantograph.statement import stated, without_imports
from burnqed.lean.protocol import Outcome, Theorem
from burnqed.lean.rules import FILE as RULES
from burnqed.lean.worker import Crashed

STATEMENT = "∀ x y : ℝ, 2 * x * y ≤ x ^ 2 + y ^ 2"
PROOF = "intro x y; nlinarith [sq_nonneg (x - y)]"
"""Needs Mathlib's real numbers and one of its tactics, on one line."""
CHEATS = (("sorry", STATEMENT), ("native_decide", "2 ^ 10 = 1024"))
"""Tactics that prove nothing, and statements for them."""
MEMORY_MB = 16_000
"""Enough for any process: how much it takes is what the test finds out."""
ANSWER_SECONDS = 300.0
SETTLED_SECONDS = 1.0
"""After which a process's memory has been told."""


@dataclass
class Measured:
    """What one process took to import the library."""

    seconds: float
    """From its start to its greeting."""
    memory_mb: float = 0.0
    """Of its own at the end, without what it maps of the library and shares with others."""

    def __str__(self) -> str:
        return f"{self.seconds:.0f} s to start and {self.memory_mb:.0f} MB of its own"


class Failed(Exception):
    """What is wrong with a project, as part of a sentence."""


async def self_test(project: Project) -> tuple[Measured, Measured]:
    """What a process that searches takes, and one that checks. Raises BadInput when a project does not do what it is for."""
    header = without_imports(project.default_header, project.roots)
    judging = [*project.checker, "judge", str(RULES), *project.modules]
    repl = Repl(project.confined([*project.repl, *project.modules]), MEMORY_MB)
    judge = CheckerProcess(project.confined(judging), MEMORY_MB)
    try:
        async with _started(repl) as searching:
            await _search(repl, header)
        async with _started(judge) as checking:
            pass
        await _check(project, header)
    except (Failed, Crashed, TryAgain, TimeoutError) as error:
        why = str(error).rstrip(".") or f"no answer within {ANSWER_SECONDS:g} s"
        raise BadInput(
            f"What was installed fails its test: {why}; install again with --force, and report it if that does not help."
        ) from error
    return searching, checking


@asynccontextmanager
async def _started(worker: ProcessWorker) -> AsyncIterator[Measured]:
    """Starts a process and ends it; the memory is that at the end."""
    began = time.monotonic()
    try:
        await worker.start()
        measured = Measured(time.monotonic() - began)
        yield measured
        await asyncio.sleep(SETTLED_SECONDS)
        measured.memory_mb = worker.memory_mb
    finally:
        await worker.end()


async def _search(repl: Repl, header: str) -> None:
    """Proves the theorem as searches do."""
    told = asdict(stated(STATEMENT, header))
    for message in ({"kind": "start", "id": 1, **told}, {"kind": "tactic", "id": 2, "parent": 1, "tactic": PROOF}):
        answer = await asyncio.wait_for(repl.ask(message), ANSWER_SECONDS)
        if "error" in answer:
            raise Failed(f"Pantograph does not prove {STATEMENT} ({answer['error']['message'][:300]})")
    if answer["goals"]:
        raise Failed(f"Pantograph does not prove {STATEMENT} (left is {answer['goals'][0][:300]})")


async def _check(project: Project, header: str) -> None:
    """The checker accepts the proof and none of the cheats, whatever rules for texts say of these before."""
    async with Checker(
        project.checker,
        project.modules,
        timeout_s=ANSWER_SECONDS,
        memory_mb=MEMORY_MB,
        default_header=header,
        confine=project.confined,
    ) as checker:
        for tactics, statement, is_proof in ((PROOF, STATEMENT, True), *((*cheat, False) for cheat in CHEATS)):
            theorem = Theorem(name="self_test", statement=statement)
            facts = await checker.facts(theorem, f"by {tactics}")
            if isinstance(facts, Outcome):
                raise Failed(f"the checker gives no answer about `{tactics}` ({facts.message})")
            verdict = verdict_of(theorem, facts)
            if verdict.accepted != is_proof:
                raise Failed(f"the checker {'accepts' if verdict.accepted else 'refuses'} `{tactics}` as a proof of {statement} ({verdict.reason})")  # fmt: skip
