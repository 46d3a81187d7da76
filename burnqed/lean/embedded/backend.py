"""The embedded Lean backend: instances of Lean's core library in one Node process, in three roles.

    async with EmbeddedLean() as lean:
        root = (await lean.start(Theorem(name="t", statement="∀ n : Nat, n = n"))).state
        print((await lean.apply(root, "intro n")).state.text)

*Authors* run searches and elaborate proofs; a *reader* elaborates trusted statements and sees nothing else; *judges* replay what an elaboration
added by the kernel alone (`burnqed.lean.verdicts`). Each role is a pool (`burnqed.lean.pool`); readers and judges start when they are first needed.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import asdict
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from burnqed.config import LeanConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.findings import Finding
from burnqed.lean import core
from burnqed.lean.characters import twins
from burnqed.lean.check import judge, screen
from burnqed.lean.commands import Commands
from burnqed.lean.embedded.advice import import_refusal, way_out
from burnqed.lean.embedded.install import facts as installation
from burnqed.lean.embedded.install import install as install_lean
from burnqed.lean.embedded.pin import LIBRARY, lean_version
from burnqed.lean.embedded.supervisor import Supervisor
from burnqed.lean.facts import ProofFacts
from burnqed.lean.lemmas import Lemma
from burnqed.lean.lexer import normalised
from burnqed.lean.pool import Pool, Recycling, State, default_workers
from burnqed.lean.proofs import introductions
from burnqed.lean.protocol import LeanBackend, Outcome, ProofState, Theorem, Verdict
from burnqed.lean.verdicts import Request, Verdicts
from burnqed.lean.worker import Answer, Message

AUTHORS_PER_JUDGE = 4
MEMORY_MB = 1_200
"""Of an instance, where the configuration says nothing."""
CONSTANTS_AT_ONCE = 5_000
LEMMAS_SECONDS = 300.0
"""For so many constants of the library, of which there are 46,000: 3 s."""
CUT_SECONDS = 3e-4
"""More for each character of a file that is cut into theorems."""


class EmbeddedLean(LeanBackend):
    """`LeanBackend` over `workers` Lean instances; None means as many as fit (`burnqed.lean.pool`).

    `heartbeats` limits one tactic, in the unit of Lean's `maxHeartbeats`, 0 meaning no limit; whole proofs are only limited by time.
    `memory_mb` caps one instance's memory; it is replaced at ¾ of that, after `recycle_requests` requests or `recycle_minutes`.
    """

    name = "embedded"
    version = lean_version()
    library = f"its core library {LIBRARY}"
    default_header = core.DEFAULT_HEADER
    probe_tactics = core.PROBE_TACTICS

    def __init__(
        self,
        workers: int | None = None,
        tactic_timeout_s: float = 30.0,
        heartbeats: int = 200_000,
        check_timeout_s: float = 60.0,
        recycle_requests: int = 1_000,
        recycle_minutes: float = 30.0,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        self.workers = workers or default_workers(memory_mb)
        self.tactic_timeout_s = tactic_timeout_s
        self.heartbeats = heartbeats
        self.check_timeout_s = check_timeout_s
        self._supervisor = Supervisor(memory_mb)
        recycling = Recycling(recycle_requests, recycle_minutes * 60, memory_mb)

        def pool(role: str, size: int) -> Pool:
            return Pool(lambda: self._supervisor.instance(role), size, recycling)

        self._authors = pool("author", self.workers)
        self._readers = pool("reader", 1)
        self._judges = pool("judge", math.ceil(self.workers / AUTHORS_PER_JUDGE))
        self._verdicts = Verdicts(self._authors, self._readers, self._judges, self._supervisor.drop)

    @classmethod
    def configured(cls, config: LeanConfig) -> Self:
        return cls(
            workers=config.workers,
            tactic_timeout_s=config.tactic_timeout_s,
            heartbeats=config.heartbeats,
            check_timeout_s=config.check_timeout_s,
            recycle_requests=config.recycle_requests,
            recycle_minutes=config.recycle_minutes,
            memory_mb=config.memory_mb or MEMORY_MB,
        )

    def install(self, force: bool = False) -> str:
        info = install_lean(force)
        return f"Lean {self.version} in {info.path} ({info.megabytes:.0f} MB), run by node {info.node.version}."

    def findings(self) -> list[Finding]:
        facts = installation()
        node = facts.node
        broken = facts.damaged and f"{facts.damaged} is not what was installed; run `burnqed lean install --force`"
        return [
            Finding("Node", f"{node.version} ({node.path})" if node else "none", facts.problem),
            Finding(
                "Lean",
                f"{facts.lean} in {facts.cache}" if facts.baked else "not installed",
                broken or ("" if facts.baked else "run `burnqed lean install`"),
            ),
        ]

    def has_module(self, module: str) -> bool:
        return module.partition(".")[0] == LIBRARY

    async def __aenter__(self) -> Self:
        try:
            for pool in (self._readers, self._judges):  # which start later
                pool.belong()
            await self._authors.start()
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    async def _close(self) -> None:
        self._authors.belong()
        try:
            await asyncio.gather(*(pool.close() for pool in (self._authors, self._readers, self._judges)))
        finally:
            await self._supervisor.close()

    @property
    def capacity(self) -> int:
        return self.workers

    @property
    def pid(self) -> int:
        """Of the Node process; 0 when there is none."""
        process = self._supervisor.process
        return process.pid if process else 0

    # ---- LeanBackend

    async def start(self, theorem: Theorem) -> Outcome:
        content = {"header": self._header(theorem), "statement": theorem.statement}
        return await self._made(None, {"kind": "start", **content}, self.tactic_timeout_s)

    async def apply(self, state: ProofState, tactic: str, *, timeout: float | None = None) -> Outcome:
        message = {"kind": "tactic", "tactic": tactic, "heartbeats": self.heartbeats}
        return await self._made(state.ref, message, timeout or self.tactic_timeout_s)

    async def release(self, root: ProofState) -> None:
        self._authors.release(root.ref)

    async def check(
        self,
        theorem: Theorem,
        proof: str,
        *,
        timeout: float | None = None,
        is_trusted: bool = True,
        export_to: Path | None = None,
    ) -> Verdict:
        proof = normalised(proof)
        if reason := screen(theorem, proof, is_trusted=is_trusted) or import_refusal(theorem.header):
            return Verdict(name=theorem.name, accepted=False, reason=reason)
        facts = await self.facts(theorem, proof, timeout=timeout, is_trusted=is_trusted, export_to=export_to)
        if isinstance(facts, Outcome):
            seconds, reason = facts.seconds, facts.message
            return Verdict(name=theorem.name, accepted=False, reason=reason, could_not_check=True, seconds=seconds)
        return judge(theorem, facts, way_out)

    async def commands(self, text: str, *, is_trusted: bool = False) -> Commands:
        timeout = round(self.check_timeout_s + len(text) * CUT_SECONDS, 1)
        message = {"kind": "cut", "text": text, "isTrusted": is_trusted}
        answer = await self._authors.work(message, timeout, is_fresh=True)
        if "error" in answer:
            raise BadInput(f"cannot be cut into theorems: {answer['error']['message']}.")
        return Commands.model_validate(answer)

    # ---- beyond the protocol

    async def facts(
        self,
        theorem: Theorem,
        proof: str,
        *,
        timeout: float | None = None,
        is_trusted: bool = True,
        export_to: Path | None = None,
    ) -> ProofFacts | Outcome:
        """Compiles a whole proof; an Outcome says why that was not possible (timeout or crash)."""
        header = self._header(theorem)
        content = {
            "header": header,
            "statement": theorem.statement,
            "proof": proof,
            "introductions": introductions(proof),
            "twins": {} if is_trusted else twins(header + theorem.statement),
            "heartbeats": 0,
        }
        request = Request(content, is_trusted, timeout or self.check_timeout_s, export_to)
        return _facts(await asyncio.shield(asyncio.ensure_future(self._verdicts.check(request))))

    async def judge(
        self, theorem: Theorem, export: str, *, timeout: float | None = None, export_to: Path | None = None
    ) -> ProofFacts | Outcome:
        """What the judge says of `export` (lean4export NDJSON 3.1.0), given as what a proof of the trusted `theorem` added."""
        content = {"header": self._header(theorem), "statement": theorem.statement}
        request = Request(content, True, timeout or self.check_timeout_s, export_to)
        return _facts(await self._verdicts.judge(request, export))

    async def lemmas(self) -> list[Lemma]:
        """See `burnqed.lean.lemmas.LemmaLibrary`."""
        found: list[Lemma] = []
        for start in count(0, CONSTANTS_AT_ONCE):
            answer = await self._authors.work(
                {"kind": "lemmas", "from": start, "count": CONSTANTS_AT_ONCE}, LEMMAS_SECONDS
            )
            if "error" in answer:
                raise TryAgain(f"Lean could not list the lemmas of its library: {answer['error']['message']}.")
            found += [Lemma.model_validate(lemma) for lemma in answer["lemmas"]]
            if answer["isEnd"]:
                break
        return sorted(found, key=lambda lemma: lemma.name)

    async def stats(self) -> dict[str, Any]:
        """Node's resident memory (bytes), states, searches, counters, and each instance's requests and memory (MB)."""
        pools = {"author": self._authors, "reader": self._readers, "judge": self._judges}
        process = self._supervisor.process
        return {
            "rss": process.resident_bytes if process and not process.death else 0,
            "states": self._authors.states,
            "searches": self._authors.searches,
            "queued": self._authors.waiting,
            **asdict(self._authors.counts),
            "instances": [{"role": role, **seat} for role, pool in pools.items() for seat in pool.describe()],
        }

    # ---- requests

    def _header(self, theorem: Theorem) -> str:
        return self.default_header if theorem.header is None else theorem.header

    async def _made(self, before: State | None, message: Message, timeout: float) -> Outcome:
        return Outcome.of(*await self._authors.make(before, message, timeout))


def _facts(answer: Answer) -> ProofFacts | Outcome:
    return Outcome.of(answer) if "error" in answer else ProofFacts.model_validate(answer)
