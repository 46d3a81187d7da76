"""Expansions that are kept: what the policy proposed and what Lean answered, so that another search of the same theorems asks only for what is new.

    recall = Recall(Path("expansions.sqlite"))
    await search(tasks, RecallingLean(lean, recall, limits), RecallingPolicy(policy, recall, model), scorer, settings, on_result)

Candidates depend on model, state, seed, number and temperature, and seeds on the evaluation's seed, theorem, sample, state, round and draw (`burnqed.proof_search.tools.node_seed`), never on the order of visits;
Lean's answers depend on the theorem and the tactics so far. So a search with another head, or other weights of the score, walks through the same tree. Whole proofs are
checked in any case.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random

from burnqed.errors import BadInput
from burnqed.lean.protocol import LeanSearch, Outcome, ProofState, TacticStatus, Theorem, Verdict
from burnqed.log import log
from burnqed.policy.protocol import Candidate, Policy, Proposal, Temperature

KEPT = (TacticStatus.OK, TacticStatus.ERROR, TacticStatus.HEARTBEATS)
"""Answers that would be the same again."""
FORMAT = 2
"""Of the file. To be raised whenever the same tactic leads to other texts, as it was when goals were printed anew: version and settings are in the questions, our code is not."""
FILE = "expansions.sqlite"
"""Its name where nobody gives one."""
WAIT_MS = 1_000
"""For other processes that write: the search stands still meanwhile."""


class Recall:
    """Answers by question, in a file of SQLite that several processes may share, or in memory. What was put is there after a kill, too."""

    def __init__(self, path: Path | None = None, most_pages: int | None = None) -> None:
        """A file of `most_pages` (of 4 KB) takes no more. Raises BadInput when the file is something else, or of another version."""
        self.hits = self.misses = 0
        self._has_failed = False
        try:
            self._database = sqlite3.connect(path or ":memory:", isolation_level=None, timeout=60.0)
        except sqlite3.OperationalError as error:
            raise BadInput(f"{path} cannot be made ({error}); make its folder, or choose another file.") from None
        try:
            # Two processes that make the file at once can get into each other's way; SQLite then has one of them give up without waiting.
            retrying = Retrying(
                retry=retry_if_exception(is_busy),
                stop=stop_after_delay(60.0),
                wait=wait_random(0.01, 0.1),
                reraise=True,
            )
            retrying(self._prepare, path)
            if most_pages:
                self._database.execute(f"PRAGMA max_page_count={most_pages}")
            self._database.execute(f"PRAGMA busy_timeout={WAIT_MS}")
        except sqlite3.DatabaseError as error:
            self._database.close()
            if is_busy(error):
                raise BadInput(
                    f"{path} is held by another process ({error}); try again later, or choose another file."
                ) from None
            raise BadInput(f"{path} does not hold expansions ({error}); choose another file.") from None

    def _prepare(self, path: Path | None) -> None:
        """Makes the table, unless it is there. Raises BadInput when the file is something else, or of another version."""
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        tables = [name for (name,) in self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        if tables not in ([], ["answers"]):
            raise BadInput(f"{path} does not hold expansions (it has a table {tables[0]}); choose another file.")
        if version not in (0, FORMAT):
            raise BadInput(f"{path} holds expansions of version {version}, and this is {FORMAT}; choose another file.")
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=OFF")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS answers (question BLOB PRIMARY KEY, answer BLOB) WITHOUT ROWID"
        )
        self._database.execute("SELECT question, answer FROM answers LIMIT 0")
        self._database.execute(f"PRAGMA user_version={FORMAT}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def get(self, question: bytes) -> Any:
        """None for what was never put, or is damaged."""
        answer = None
        with suppress(sqlite3.DatabaseError, zlib.error, ValueError):
            rows = self._database.execute("SELECT answer FROM answers WHERE question = ?", (question,)).fetchall()
            answer = json.loads(zlib.decompress(rows[0][0])) if rows else None
        self.hits += answer is not None
        self.misses += answer is None
        return answer

    def put(self, question: bytes, answer: object) -> None:
        """What cannot be written is not kept; a search does not end for that. After a failure that is not another process's writing, nothing more is."""
        if self._has_failed:
            return
        packed = zlib.compress(json.dumps(answer).encode(), 1)
        try:
            self._database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (question, packed))
        except sqlite3.DatabaseError as error:
            if is_busy(error):
                return
            log.warning("expansions are not kept from now on: %s", error)
            self._has_failed = True


def is_busy(error: BaseException) -> bool:
    return isinstance(error, sqlite3.DatabaseError) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def question(*parts: object) -> bytes:
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).digest()


class RecallingPolicy:
    """A policy that is asked only what is not known of the model."""

    def __init__(self, policy: Policy, recall: Recall, model: str) -> None:
        """`model` is its version, and what else decides its replies."""
        self._policy, self._recall, self._model = policy, recall, model

    async def propose(
        self, states: Sequence[str], *, candidates: int, temperature: Temperature, seeds: Sequence[int]
    ) -> list[Proposal]:
        questions = [
            question("policy", self._model, state, candidates, temperature, seed)
            for state, seed in zip(states, seeds, strict=True)
        ]
        known = [self._recall.get(q) for q in questions]
        missing = [i for i, answer in enumerate(known) if answer is None]
        if missing:
            asked = await self._policy.propose(
                [states[i] for i in missing],
                candidates=candidates,
                temperature=temperature,
                seeds=[seeds[i] for i in missing],
            )
            for i, proposal in zip(missing, asked, strict=True):
                found = [(c.tactic, c.log_prob, c.temperature, c.draw) for c in proposal.candidates]
                known[i] = [found, proposal.model_version, proposal.tokens]
                self._recall.put(questions[i], known[i])
        return [Proposal(tuple(Candidate(*one) for one in found), model, tokens) for found, model, tokens in known]


@dataclass(eq=False)
class _Root:
    """A search that is open: its theorem, and those of its states that Lean has, by the tactics that led there."""

    theorem: Theorem
    key: str
    real: dict[tuple[str, ...], asyncio.Future[Outcome]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Place:
    """What a state's `ref` is here."""

    root: _Root
    tactics: tuple[str, ...] = ()


class RecallingLean:
    """A Lean that is asked only what is not known; a state that it never saw is made by its tactics when it is needed."""

    def __init__(self, lean: LeanSearch, recall: Recall, limits: str) -> None:
        """`limits` is what decides its answers besides theorem and tactics: version and heartbeats."""
        self._lean, self._recall, self._limits = lean, recall, limits

    async def start(self, theorem: Theorem) -> Outcome:
        key = [self._limits, theorem.header, theorem.statement]
        return await self._answer(_Place(_Root(theorem, question(*key).hex())))

    async def apply(self, state: ProofState, tactic: str, *, timeout: float | None = None) -> Outcome:
        before: _Place = state.ref
        return await self._answer(_Place(before.root, (*before.tactics, tactic)), timeout)

    async def release(self, root: ProofState) -> None:
        place: _Place = root.ref
        if started := place.root.real.pop((), None):
            outcome = await started
            if outcome.state:
                await self._lean.release(outcome.state)

    async def check(self, theorem: Theorem, proof: str, *, timeout: float | None = None) -> Verdict:
        return await self._lean.check(theorem, proof, timeout=timeout)

    async def _answer(self, place: _Place, timeout: float | None = None) -> Outcome:
        asked = question("lean", place.root.key, *place.tactics)
        known = self._recall.get(asked)
        if known is None:
            outcome = await self._real(place, timeout)
            known = [outcome.status, outcome.state and outcome.state.goals, outcome.message, outcome.seconds]
            if outcome.status in KEPT:
                self._recall.put(asked, known)
        status, goals, message, seconds = known
        state = None if goals is None else ProofState(tuple(goals), place)
        return Outcome(TacticStatus(status), state, message, seconds)

    async def _real(self, place: _Place, timeout: float | None = None) -> Outcome:
        """What Lean itself answers; each question is asked once for as long as the search is open."""
        root, tactics = place.root, place.tactics
        if tactics not in root.real:
            root.real[tactics] = asyncio.ensure_future(self._asked(place, timeout))
        asked = root.real[tactics]
        outcome = await asyncio.shield(asked)
        if outcome.status not in KEPT and root.real.get(tactics) is asked:  # it may go well the next time
            del root.real[tactics]
        return outcome

    async def _asked(self, place: _Place, timeout: float | None) -> Outcome:
        if not place.tactics:
            return await self._lean.start(place.root.theorem)
        before = await self._real(_Place(place.root, place.tactics[:-1]), timeout)
        if before.state is None:
            message = f"the state could not be made again: {before.message}"
            return Outcome(TacticStatus.CRASH, message=message, seconds=before.seconds)
        return await self._lean.apply(before.state, place.tactics[-1], timeout=timeout)
