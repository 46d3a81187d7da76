"""How deep a theorem is: whether a few standard tactics prove it, where its own proof could end early, and how much choice there is on the way.

    await proof_of_standard_tactics(proof, lean, most=3)     # exhaustive
    await ends_early(proof, lean)
    await branching(proof, lean)
    await dead_end(proof, lean)

Leading `intro`s count as one tactic, and so do consecutive rewrites. The exhaustive search begins behind the `intro`s of the theorem's own proof, so that the
standard tactics can name what is there.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import islice

from burnqed.data.trace.replay import KnownProof
from burnqed.lean.protocol import LeanBackend, Outcome, ProofState

CLOSERS = (
    *("rfl", "trivial", "assumption", "contradiction", "decide", "omega", "simp", "simp_all", "grind", "simp_all; omega"),
    *("simp; omega", "solve_by_elim", "constructor <;> grind", "exact ⟨_, rfl⟩", "refine ⟨0, ?_⟩ <;> grind", "refine ⟨1, ?_⟩ <;> grind"),
)  # fmt: skip
"""Tactics that end a proof, or do not help."""
STEPS = (
    *("constructor", "left", "right", "exfalso", "split", "subst_vars", "funext x", "ext x", "exists 0", "exists 1"),
    *("simp [*]", "simp only [*]", "constructor <;> simp_all", "intros"),
)
ON_VARIABLE = (
    *("induction {}", "induction {} <;> simp", "induction {} <;> simp_all", "induction {} <;> omega", "induction {} <;> grind"),
    *("cases {}", "cases {} <;> simp", "cases {} <;> simp_all", "cases {} <;> omega", "cases {} <;> grind", "exists {}", "revert {}"),
)  # fmt: skip
"""On the last variable that has a recursor: a number or a list."""
ON_HYPOTHESIS = ("rw [{}]", "rw [← {}]", "simp [{}]", "grind [{}]", "apply {}", "rcases {} with h | h")
NUMBER = 60
"""Standard tactics at a state, at most; of hypotheses, the last ones come first."""
MOST_CHAINED = 100
"""States that are reached by consecutive rewrites from those behind one number of tactics: rewriting backwards has no end."""
NONE_CLOSES = "no standard tactic closes this"
_LOCAL = re.compile(r"^((?:[^\s:]+ )+): (.*)$", re.MULTILINE)


class ProofStops(Exception):
    """A tactic of the theorem's own proof, or its statement, fails within the limits of the Lean that measures: heartbeats, say, which the proof as a whole may have."""


def standard(state: ProofState) -> list[str]:
    """The standard tactics at a state, for its first goal."""
    context, _, _ = state.goals[0].rpartition("⊢")
    locals_ = [(name, kind) for names, kind in _LOCAL.findall(context) for name in names.split() if "✝" not in name]
    variables = [name for name, kind in locals_ if kind == "ℕ" or (kind.startswith("List ") and "→" not in kind)]
    hypotheses = [name for name, kind in locals_ if re.search(r"[=≤<>≥≠∣∧∨∀∃¬]", kind)]
    on_variable = [form.format(variables[-1]) for form in ON_VARIABLE] if variables else []
    on_hypotheses = [form.format(name) for name in reversed(hypotheses) for form in ON_HYPOTHESIS]
    return list(dict.fromkeys([*CLOSERS, *STEPS, *on_variable, *on_hypotheses]))[:NUMBER]


def merged(tactics: Sequence[str]) -> list[int]:
    """The number of tactics after each one, with leading `intro`s and consecutive rewrites counted as one."""
    counts: list[int] = []
    before = ""
    for place, tactic in enumerate(tactics):
        word = tactic.split()[0].removesuffix("s")
        kind = word if word in ("intro", "rw") else ""
        is_same = kind == before != "" and (kind == "rw" or all(t.startswith("intro") for t in tactics[:place]))
        counts.append((counts[-1] if counts else 0) + (not is_same))
        before = kind
    return counts


async def proof_of_standard_tactics(proof: KnownProof, lean: LeanBackend, most: int = 3) -> list[str] | None:
    """A proof of at most `most` standard tactics, the leading `intro`s included; None where there is none."""
    async with opened(proof, lean) as root:
        layer, seen = [(root, [proof.tactics[0]])], {root.text}
        for used in range(1, most):
            blocks = await asyncio.gather(*(closed_by(lean, state) for state, _ in layer))
            for (_, path), closer in zip(layer, blocks, strict=True):
                if closer:
                    return [*path, closer]
            if used + 1 == most:
                break
            following: list[tuple[ProofState, list[str]]] = []
            for state, path in layer:
                for tactic, successor in await successors(lean, state, standard(state)):
                    if successor.is_solved:
                        return [*path, tactic]
                    if successor.text not in seen:
                        seen.add(successor.text)
                        following.append((successor, [*path, tactic]))
            layer = [*following, *await chained(lean, [e for e in following if e[1][-1].startswith("rw ")], seen)]
            if proved := next((path for state, path in layer if state.is_solved), None):
                return proved
        ends = [path for state, path in await chained(lean, layer, seen) if state.is_solved]
    return ends[0] if ends else None


async def chained(
    lean: LeanBackend, layer: Sequence[tuple[ProofState, list[str]]], seen: set[str]
) -> list[tuple[ProofState, list[str]]]:
    """New states to which rewrites lead, one after the other, with the tactics up to there; `seen` grows by them."""
    queue, found = list(layer), list[tuple[ProofState, list[str]]]()
    for state, path in queue:  # to which the loop adds
        rewrites = [] if state.is_solved else [t for t in standard(state) if t.startswith("rw ")]
        for tactic, successor in await successors(lean, state, rewrites):
            if successor.text not in seen and len(found) < MOST_CHAINED:
                seen.add(successor.text)
                found.append((successor, [*path, tactic]))
                queue.append(found[-1])
    return found


async def dead_end(proof: KnownProof, lean: LeanBackend, nodes: int = 64) -> str | None:
    """A standard tactic that leads off the theorem's own proof, from the first state behind `intro` that has such a one, and behind which the standard tactics find no proof when
    `nodes` states are expanded, breadth first; None where there is none. `exfalso` does not count, which leads nowhere nearly everywhere."""
    async with opened(proof, lean) as root:
        states = [state async for state, _ in along(proof, root, lean)]
        on_proof = {state.text for state in states}
        for state in states:
            for tactic, start in await successors(lean, state, [t for t in standard(state) if t != "exfalso"]):
                if start.text in on_proof or start.is_solved:
                    continue
                if not await is_proved_within(nodes, start, lean):
                    return tactic
    return None


async def is_proved_within(nodes: int, start: ProofState, lean: LeanBackend) -> bool:
    """Whether standard tactics prove a state when so many states are expanded, breadth first."""
    queue, seen = [start], {start.text}
    for state in islice(queue, nodes):  # to which the loop adds
        for _, successor in await successors(lean, state, standard(state)):
            if successor.is_solved:
                return True
            if successor.text not in seen:
                seen.add(successor.text)
                queue.append(successor)
    return False


async def ends_early(proof: KnownProof, lean: LeanBackend, least: int = 4) -> int | None:
    """The number of tactics, below `least`, in which the theorem's own proof ends when a standard tactic closes all goals that are left; None
    where none does."""
    counts = iter(merged(proof.tactics))
    async with opened(proof, lean) as root:
        async for state, _ in along(proof, root, lean):
            if (count := next(counts) + 1) >= least:
                return None
            if await closed_by(lean, state):
                return count
    return None


async def branching(proof: KnownProof, lean: LeanBackend) -> list[int]:
    """Distinct states to which the standard tactics and the proof's own lead, at each state of the proof behind the first tactic."""
    numbers = []
    async with opened(proof, lean) as root:
        async for state, tactic in along(proof, root, lean):
            found = await successors(lean, state, [tactic, *standard(state)])
            numbers.append(len({successor.text for _, successor in found} - {state.text}))
    return numbers


async def along(proof: KnownProof, state: ProofState, lean: LeanBackend) -> AsyncIterator[tuple[ProofState, str]]:
    """From the state after the proof's first tactic on: each state of the proof, and what the proof does there."""
    for tactic in proof.tactics[1:]:
        yield state, tactic
        outcome = await lean.apply(state, tactic)
        state = reached(outcome, tactic)


@asynccontextmanager
async def opened(proof: KnownProof, lean: LeanBackend) -> AsyncIterator[ProofState]:
    """The state after the proof's first tactic, for as long as the block lasts."""
    outcome = await lean.start(proof.theorem)
    root = reached(outcome, "its statement")
    try:
        outcome = await lean.apply(root, proof.tactics[0])
        yield reached(outcome, proof.tactics[0])
    finally:
        await lean.release(root)


def reached(outcome: Outcome, by: str) -> ProofState:
    if outcome.state is None:
        raise ProofStops(f"it stops at {by}: {outcome.message}")
    return outcome.state


async def closed_by(lean: LeanBackend, state: ProofState) -> str | None:
    """A standard tactic that closes all goals of a state."""
    closers = [f"all_goals ({tactic})" for tactic in standard(state)]
    together = " | ".join(f"({closer}; done)" for closer in closers)
    outcome = await lean.apply(state, f'first | {together} | fail "{NONE_CLOSES}"')
    if outcome.state is not None and outcome.state.is_solved:
        return f"first | {together}"
    if NONE_CLOSES in outcome.message:
        return None
    # `first` does not go on behind a tactic that runs out of heartbeats or recursion depth.
    return next((closer for closer, after in await successors(lean, state, closers) if after.is_solved), None)


async def successors(lean: LeanBackend, state: ProofState, tactics: Iterable[str]) -> list[tuple[str, ProofState]]:
    """The tactics that work at a state, with what they lead to."""
    wanted = list(tactics)
    outcomes = await asyncio.gather(*(lean.apply(state, tactic) for tactic in wanted))
    return [(tactic, o.state) for tactic, o in zip(wanted, outcomes, strict=True) if o.state is not None]
