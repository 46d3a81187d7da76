"""The embedded Lean backend: one Node process with several Lean instances, spoken to in JSON lines.

    async with EmbeddedLean() as lean:
        root = (await lean.start(Theorem(name="t", statement="∀ n : Nat, n = n"))).state
        print((await lean.apply(root, "intro n")).state.text)

Timeouts, replacement and recycling of instances are the supervisor's (`supervisor.cjs`); a process that dies as a whole is started
again here, and states that it held are made again from their tactics when they are next used.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
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
from burnqed.lean.embedded.install import SCRIPTS
from burnqed.lean.embedded.install import facts as installation
from burnqed.lean.embedded.install import install as install_lean
from burnqed.lean.embedded.pin import LIBRARY, lean_version
from burnqed.lean.facts import ProofFacts
from burnqed.lean.lexer import normalised
from burnqed.lean.pool import default_workers
from burnqed.lean.proofs import introductions
from burnqed.lean.protocol import LeanBackend, Outcome, ProofState, TacticStatus, Theorem, Verdict
from burnqed.log import log

LINE_BYTES = 1 << 27
"""Longest line of an answer: goals can be large."""
START_SECONDS = 60
"""A cold disk may take long to read 220 MB; once read it is half a second."""
ASKED_SECONDS = 60.0
SILENT_SECONDS = 300.0
"""Node is asked for a sign of life so often, and is ended when it gives none for so long: the limits of tactics are kept by Node itself."""
CUT_SECONDS = 3e-4
"""More for each character of a file that is cut into theorems."""
NODE_FLAGS = ("--wasm-lazy-validation", "--expose-gc", "--wasm-tiering-budget=400000000")
"""Only what runs very often is optimised: with V8's own threshold, compiling Lean takes a quarter of the time of a step's first minute
(`benchmarks/lean_tiering.py`)."""


@dataclass(frozen=True, slots=True)
class StateRef:
    """What a ProofState of this backend carries: where the state is, and how to make it again elsewhere."""

    process: int
    """Number of the Node process that holds it."""
    state: int
    root: int
    theorem: Theorem
    tactics: tuple[str, ...]


class ProcessDied(Exception):
    """Node ended while a request was under way."""


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
        memory_mb: int = 1_200,
    ) -> None:
        self.workers = workers or default_workers(memory_mb)
        self.tactic_timeout_s = tactic_timeout_s
        self.heartbeats = heartbeats
        self.check_timeout_s = check_timeout_s
        self._settings = {
            "instances": self.workers,
            "memoryMb": memory_mb,
            "recycleRequests": recycle_requests,
            "recycleSeconds": recycle_minutes * 60,
        }
        self._process: asyncio.subprocess.Process | None = None
        self._number = 0  # of the process
        self._tasks: list[asyncio.Task[None]] = []
        self._starting = asyncio.Lock()
        self._ready: asyncio.Future[None] | None = None
        self._pending: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._last_request = 0
        self._last_words: deque[str] = deque(maxlen=20)
        self._is_closed = False
        self._made_again: dict[tuple[int, int], dict[tuple[str, ...], ProofState]] = {}
        """States by tactics, of each search (process, root) whose process died before it was released."""
        self._remaking = asyncio.Lock()

    @classmethod
    def configured(cls, config: LeanConfig) -> Self:
        return cls(
            workers=config.workers,
            tactic_timeout_s=config.tactic_timeout_s,
            heartbeats=config.heartbeats,
            check_timeout_s=config.check_timeout_s,
            recycle_requests=config.recycle_requests,
            recycle_minutes=config.recycle_minutes,
            memory_mb=config.memory_mb,
        )

    def install(self, force: bool = False) -> str:
        info = install_lean(force)
        return f"Lean {info.lean} in {info.path} ({info.megabytes:.0f} MB), run by node {info.node.version}."

    def findings(self) -> list[Finding]:
        found = installation()
        node = found.node
        broken = found.damaged and f"{found.damaged} is not what was installed; run `burnqed lean install --force`"
        return [
            Finding("Node", f"{node.version} ({node.path})" if node else "none", found.problem),
            Finding(
                "Lean",
                f"{found.lean} in {found.cache}" if found.baked else "not installed",
                broken or ("" if found.baked else "run `burnqed lean install`"),
            ),
        ]

    def has_module(self, module: str) -> bool:
        return module.partition(".")[0] == LIBRARY

    async def __aenter__(self) -> Self:
        await self._running()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def capacity(self) -> int:
        return self.workers

    # ---- LeanBackend

    async def start(self, theorem: Theorem) -> Outcome:
        request = {
            "kind": "goal.start",
            "header": self._header(theorem),
            "statement": theorem.statement,
            "heartbeats": self.heartbeats,
        }
        return await self._step(request, self.tactic_timeout_s, theorem, ())

    async def apply(self, state: ProofState, tactic: str, *, timeout: float | None = None) -> Outcome:
        ref: StateRef = state.ref
        if not self._is_held(ref):
            made = await self._make_again(ref)
            if made.state is None:
                return made
            ref = made.state.ref
        return await self._apply(ref, tactic, timeout or self.tactic_timeout_s)

    async def release(self, root: ProofState) -> None:
        again = self._made_again.pop((root.ref.process, root.ref.root), {})
        for ref in (root.ref, *(state.ref for tactics, state in again.items() if not tactics)):
            if self._is_held(ref):
                try:
                    await self._ask({"kind": "goal.release", "root": ref.root}, 0)
                except ProcessDied:
                    return  # and the states with it

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

    async def close(self) -> None:
        self._is_closed = True
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()  # Node ends when its input does
        try:
            await asyncio.wait_for(process.wait(), 5)
        except TimeoutError:
            process.kill()
            await process.wait()
        await asyncio.gather(*self._tasks, return_exceptions=True)

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
            "exportTo": str(export_to.absolute()) if export_to else None,
        }
        request = {"kind": "check", **content, "heartbeats": 0, "isTrusted": is_trusted}
        return await self._facts(request, timeout)

    async def commands(self, text: str, *, is_trusted: bool = False) -> Commands:
        timeout = round(self.check_timeout_s + len(text) * CUT_SECONDS, 1)
        try:
            answer = await self._ask({"kind": "cut", "text": text, "isTrusted": is_trusted}, timeout)
        except ProcessDied as died:
            raise BadInput(f"cannot be cut into theorems: {died}.") from None
        if "error" in answer:
            raise BadInput(f"cannot be cut into theorems: {answer['error']['message']}.")
        return Commands.model_validate(answer)

    async def judge(self, theorem: Theorem, export: str, *, timeout: float | None = None) -> ProofFacts | Outcome:
        """What the judge says of `export` (lean4export NDJSON 3.1.0), given as what a proof of the trusted `theorem` added."""
        content = {"header": self._header(theorem), "statement": theorem.statement, "export": export}
        return await self._facts({"kind": "judge", **content, "isTrusted": True}, timeout)

    async def _facts(self, request: dict[str, Any], timeout: float | None) -> ProofFacts | Outcome:
        try:
            answer = await self._ask(request, timeout or self.check_timeout_s)
        except ProcessDied as error:
            return Outcome(TacticStatus.CRASH, message=str(error))
        if "error" in answer:
            return Outcome(
                TacticStatus(answer["error"]["kind"]), message=answer["error"]["message"], seconds=answer["seconds"]
            )
        return ProofFacts.model_validate(answer)

    async def stats(self) -> dict[str, Any]:
        """Resident memory (bytes), states, searches, counters, and each instance's requests and memory (MB)."""
        return await self._ask({"kind": "stats"}, 0)

    # ---- requests

    async def _apply(self, ref: StateRef, tactic: str, timeout: float) -> Outcome:
        request = {"kind": "goal.tactic", "state": ref.state, "tactic": tactic, "heartbeats": self.heartbeats}
        return await self._step(request, timeout, ref.theorem, (*ref.tactics, tactic), ref.root)

    def _header(self, theorem: Theorem) -> str:
        return self.default_header if theorem.header is None else theorem.header

    async def _step(
        self,
        request: dict[str, Any],
        timeout: float,
        theorem: Theorem,
        tactics: tuple[str, ...],
        root: int | None = None,
    ) -> Outcome:
        try:
            answer = await self._ask(request, timeout)
        except ProcessDied as error:
            return Outcome(TacticStatus.CRASH, message=str(error))
        if "error" in answer:
            return Outcome(
                TacticStatus(answer["error"]["kind"]), message=answer["error"]["message"], seconds=answer["seconds"]
            )
        ref = StateRef(self._number, answer["state"], root or answer["state"], theorem, tactics)
        return Outcome(TacticStatus.OK, ProofState(tuple(answer["goals"]), ref), seconds=answer["seconds"])

    def _is_held(self, ref: StateRef) -> bool:
        return ref.process == self._number and self._process is not None

    async def _make_again(self, ref: StateRef) -> Outcome:
        """The state of a process that is gone, made in the present one by its tactics; kept until its search is released."""
        async with self._remaking:
            states = self._made_again.setdefault((ref.process, ref.root), {})
            outcome = Outcome(TacticStatus.OK)
            for depth in range(len(ref.tactics) + 1):
                tactics, before = ref.tactics[:depth], outcome.state
                known = states.get(tactics)
                if known is not None and self._is_held(known.ref):
                    outcome = Outcome(TacticStatus.OK, known)
                    continue
                outcome = await (
                    self.start(ref.theorem)
                    if before is None
                    else self._apply(before.ref, tactics[-1], self.tactic_timeout_s)
                )
                if outcome.state is None:
                    message = f"the state was lost with its process and could not be made again: {outcome.message}"
                    return Outcome(TacticStatus.CRASH, message=message)
                states[tactics] = outcome.state
            return outcome

    async def _ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        process = await self._running()
        assert process.stdin is not None
        self._last_request += 1
        number = self._last_request
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        line = json.dumps({**request, "id": number, "timeoutMs": timeout * 1000}, ensure_ascii=False)
        try:
            process.stdin.write(line.encode("utf-8", "replace") + b"\n")
            await process.stdin.drain()
            return await answer
        except ConnectionError as error:
            raise ProcessDied("the Lean process ended") from error
        finally:
            self._pending.pop(number, None)

    # ---- the process

    async def _running(self) -> asyncio.subprocess.Process:
        async with self._starting:
            if self._is_closed:
                raise RuntimeError("this Lean backend has been closed")
            if self._process is None:
                info = await asyncio.to_thread(install_lean)
                settings = json.dumps({**self._settings, "baked": str(info.path)})
                process = await asyncio.create_subprocess_exec(
                    *(info.node.path, *NODE_FLAGS, str(SCRIPTS / "supervisor.cjs"), settings),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    limit=LINE_BYTES,
                    start_new_session=True,  # a Ctrl-C in the terminal is for us to handle
                )
                self._number += 1
                self._ready = asyncio.get_running_loop().create_future()
                self._tasks = [
                    asyncio.create_task(self._listen(process, self._ready)),
                    asyncio.create_task(self._overhear(process)),
                ]
                try:
                    await asyncio.wait_for(asyncio.shield(self._ready), START_SECONDS)
                except BaseException as error:
                    with suppress(ProcessLookupError):
                        process.kill()
                    await asyncio.gather(*self._tasks, return_exceptions=True)
                    if isinstance(error, (TimeoutError, ProcessDied)):
                        raise TryAgain(f"Lean did not start: {' '.join(self._last_words) or 'no answer'}") from None
                    raise
                self._process = process
            return self._process

    async def _listen(self, process: asyncio.subprocess.Process, ready: asyncio.Future[None]) -> None:
        assert process.stdout is not None
        watching = asyncio.create_task(self._watch(process))
        try:
            async for line in process.stdout:
                answer = json.loads(line)
                if "ready" in answer:
                    ready.set_result(None)
                elif (waiting := self._pending.get(answer["id"])) and not waiting.done():
                    waiting.set_result(answer)
        except ValueError as error:
            # A line that is too long, or no JSON: whoever waits for an answer must not wait for ever.
            log.error("the Lean process gave an answer that cannot be read (%s)", error)
            process.kill()
        finally:
            watching.cancel()
        await process.wait()
        died = ProcessDied(f"the Lean process ended (exit status {process.returncode})")
        if self._process is process:
            self._process = None  # the next request starts another
            if not self._is_closed:
                log.warning("%s; another one takes its place, and its states are made again", died)
        if not ready.done():
            ready.set_exception(died)
        for answer_to in self._pending.values():
            if not answer_to.done():
                answer_to.set_exception(died)

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        while True:
            await asyncio.sleep(ASKED_SECONDS)
            if self._process is process:
                try:
                    await asyncio.wait_for(self.stats(), SILENT_SECONDS)
                except TimeoutError:
                    log.error("the Lean process gave no sign of life for %g s and is ended", SILENT_SECONDS)
                    process.kill()
                except ProcessDied:
                    return

    async def _overhear(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            self._last_words.append(line.decode("utf-8", "replace").strip())
