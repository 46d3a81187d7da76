"""Whether a data set still holds in this Lean: a sample of it is replayed.

Of tactic pairs, the steps of some theorems: a chain of steps, each in the state that the one before left, is replayed from its first state, which
is read back from its text (`states.py`); where a chain breaks, it begins anew. Of whole proofs, some are checked as a whole.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pydantic import BaseModel

from burnqed.data.corpus import split_tactics
from burnqed.data.pairs import TacticPair
from burnqed.data.proofs import WholeProof
from burnqed.data.sets.causes import Cause, cause_of_statement, cause_of_step
from burnqed.data.sets.states import normal, proposition
from burnqed.data.split import unit_interval
from burnqed.lean.printed import goals
from burnqed.lean.proofs import tactics
from burnqed.lean.protocol import LeanBackend, Outcome, ProofState, TacticStatus, Theorem
from burnqed.progress import Progress

ENOUGH = 0.8
"""Share that has to replay; with less, the set is better traced again."""
DEEP = 10
"""Depths from here on are counted together."""
MOST_STEPS = 100
"""Of one theorem."""
EXAMPLES = 20


class Failure(BaseModel):
    """A step or proof that does not replay."""

    name: str
    depth: int
    tactic: str = ""
    """Empty where the state or statement does not elaborate, and for whole proofs."""
    cause: Cause
    message: str


class ByDepth(BaseModel):
    tried: int = 0
    replayed: int = 0


class Validation(BaseModel):
    """Of steps, or of proofs; a proof's depth is its number of tactics."""

    lean: str
    theorems: int
    tried: int = 0
    replayed: int = 0
    differing: int = 0
    """Replayed steps whose goals differ from the recorded ones in more than line breaks and names of cases."""
    causes: dict[str, int] = {}
    by_depth: dict[str, ByDepth] = {}
    failures: list[Failure] = []
    """The first of each cause."""

    @property
    def share(self) -> float:
        return self.replayed / self.tried if self.tried else 0.0

    def count(self, depth: int, failure: Failure | None) -> None:
        at = self.by_depth.setdefault(f"{DEEP}+" if depth >= DEEP else str(depth), ByDepth())
        self.tried, at.tried = self.tried + 1, at.tried + 1
        if failure is None:
            self.replayed, at.replayed = self.replayed + 1, at.replayed + 1
            return
        self.causes[failure.cause] = self.causes.get(failure.cause, 0) + 1
        if sum(known.cause == failure.cause for known in self.failures) < EXAMPLES:
            self.failures.append(failure)


def sampled(pairs: Iterable[TacticPair], size: int, most_steps: int = MOST_STEPS) -> list[list[TacticPair]]:
    """The pairs (the first `most_steps`) of `size` theorems, which a hash of their names chooses, each in the order of depth, else of the file. One pass; only the sample is kept."""
    kept: dict[str, list[TacticPair]] = {}
    worst: list[tuple[float, str]] = []
    for theorem, group in groupby(pairs, key=lambda pair: pair.theorem):
        if theorem not in kept:
            rank = -unit_interval("validate", theorem)
            if len(kept) == size and rank < worst[0][0]:
                continue
            if len(kept) == size:
                del kept[heapq.heappop(worst)[1]]
            heapq.heappush(worst, (rank, theorem))
            kept[theorem] = []
        room = most_steps - len(kept[theorem])
        kept[theorem] += [pair for pair, _ in zip(group, range(room), strict=False)]
    return [sorted(steps, key=lambda pair: pair.depth or 0) for steps in kept.values()]


def sampled_proofs(proofs: Iterable[WholeProof], size: int) -> list[WholeProof]:
    return heapq.nsmallest(size, proofs, key=lambda proof: unit_interval("validate", proof.name))


@dataclass(frozen=True, slots=True)
class Step:
    """A pair, and what came of it."""

    pair: TacticPair
    depth: int
    replayed: TacticPair | None = None
    """With the states that this Lean prints; None where it failed."""
    failure: Failure | None = None

    @property
    def differs(self) -> bool:
        new, after = self.replayed, self.pair.state_after
        return new is not None and (
            normal(new.state) != normal(self.pair.state)
            or (after is not None and normal(new.state_after or "") != normal(after))
        )


async def validate_pairs(
    theorems: Sequence[Sequence[TacticPair]], lean: LeanBackend, header: str | None = None
) -> tuple[Validation, list[TacticPair]]:
    """What became of the steps of the theorems, and those that replay, with the states that this Lean prints. `header`: what was open when they were printed."""
    validation, replayed = Validation(lean=lean.version, theorems=len(theorems)), list[TacticPair]()
    free = asyncio.Semaphore(2 * lean.capacity)
    with Progress(len(theorems), "replay", "theorems") as progress:

        async def work(steps: Sequence[TacticPair]) -> list[Step]:
            async with free:
                done = await _replay(steps, lean, header)
                progress.advance()
                return done

        for done in await asyncio.gather(*(work(steps) for steps in theorems)):
            for step in done:
                validation.count(step.depth, step.failure)
                validation.differing += step.differs
                if step.replayed:
                    replayed.append(step.replayed)
    return validation, replayed


async def validate_proofs(proofs: Sequence[WholeProof], lean: LeanBackend) -> Validation:
    validation = Validation(lean=lean.version, theorems=len(proofs))
    free = asyncio.Semaphore(2 * lean.capacity)
    with Progress(len(proofs), "check", "proofs") as progress:

        async def work(proof: WholeProof) -> Failure | None:
            async with free:
                failure = await checked(proof, lean)
                progress.advance()
                return failure

        for proof, failure in zip(proofs, await asyncio.gather(*map(work, proofs)), strict=True):
            validation.count(depth_of(proof), failure)
    return validation


def depth_of(proof: WholeProof) -> int:
    return len(split_tactics(tactics(proof.proof)))


async def checked(proof: WholeProof, lean: LeanBackend) -> Failure | None:
    """Why a proof is not accepted, or None."""
    verdict = await lean.check(proof.theorem, proof.proof, is_trusted=True)
    if verdict.accepted:
        return None
    message = f"{verdict.reason}\n{verdict.message}".strip()
    if verdict.could_not_check:
        cause = Cause.LIMIT
    elif "does not elaborate" in verdict.reason:
        cause = cause_of_statement(message, is_printed=False)
    else:
        cause = cause_of_step(message)
    return Failure(name=proof.name, depth=depth_of(proof), cause=cause, message=message)


# ---- chains of steps


async def _replay(pairs: Sequence[TacticPair], lean: LeanBackend, header: str | None) -> list[Step]:
    steps: list[Step] = []
    for chain in chains(pairs):
        at = 0
        while at < len(
            chain
        ):  # a step that fails, or ends its first goal while others remain, ends what Lean can follow
            done = await _replay_chain(chain[at:], lean, header, len(steps))
            steps += done
            at += len(done)
    return steps


def chains(pairs: Sequence[TacticPair]) -> Iterator[list[TacticPair]]:
    """Steps each of which begins in the state that the one before left."""
    chain: list[TacticPair] = []
    for pair in pairs:
        if chain and (chain[-1].state_after is None or normal(chain[-1].state_after) != normal(pair.state)):
            yield chain
            chain = []
        chain.append(pair)
    if chain:
        yield chain


async def _replay_chain(chain: Sequence[TacticPair], lean: LeanBackend, header: str | None, before: int) -> list[Step]:
    """The first steps of a chain, at least one: up to one that fails, and as long as Lean has a goal. `before`: steps of the theorem before it."""
    first = chain[0]
    others = goals(first.state)[1:]
    root, opened = await _opened(first, lean, header)
    depth = before if first.depth is None else first.depth
    if root is None or opened.state is None:
        cause = cause_of_statement(opened.message, is_printed=True)
        return [
            Step(
                first,
                depth,
                failure=Failure(name=first.theorem, depth=depth, cause=cause, message=opened.message.strip()),
            )
        ]
    state, steps = opened.state, list[Step]()
    try:
        for number, pair in enumerate(chain):
            depth = before + number if pair.depth is None else pair.depth
            outcome = await lean.apply(state, pair.tactic)
            if outcome.state is None:
                is_limit = outcome.status is not TacticStatus.ERROR
                cause = Cause.LIMIT if is_limit else cause_of_step(outcome.message)
                failure = Failure(
                    name=pair.theorem, depth=depth, tactic=pair.tactic, cause=cause, message=outcome.message.strip()
                )
                steps.append(Step(pair, depth, failure=failure))
                break
            new = pair.model_copy(update={"state": _text(state, others), "state_after": _text(outcome.state, others)})
            steps.append(Step(pair, depth, new))
            state = outcome.state
            if state.is_solved:
                break
    finally:
        await lean.release(root)
    return steps


def _text(state: ProofState, others: Sequence[str]) -> str:
    return "\n\n".join([*state.goals, *others])


async def _opened(pair: TacticPair, lean: LeanBackend, header: str | None) -> tuple[ProofState | None, Outcome]:
    """The first goal of a pair's state, in Lean: the root state to be released, and the state with its hypotheses introduced."""
    stated = proposition(pair.state)
    if stated is None:
        return None, Outcome(TacticStatus.ERROR, message="the state is no goal that could be read back")
    outcome = await lean.start(Theorem(name=pair.theorem, statement=stated.statement, header=header))
    if outcome.state is None or not stated.names:
        return outcome.state, outcome
    introduced = await lean.apply(outcome.state, f"intro {' '.join(stated.names)}")
    if introduced.state is None:
        await lean.release(outcome.state)
    return outcome.state, introduced
