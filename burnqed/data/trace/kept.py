"""Replays, kept in the store as they are made: a step that is interrupted continues from there.

Part K holds the replays of proofs K·m to (K+1)·m−1. A part of other proofs is made again, as is one in which a proof failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from pydantic import BaseModel, TypeAdapter, ValidationError

from burnqed.data.pairs import TacticPair
from burnqed.data.trace.replay import KnownProof, replay_all
from burnqed.lean.protocol import LeanBackend
from burnqed.log import log
from burnqed.store import Store

PER_PART = 50


class Kept(BaseModel):
    """What the replay of one proof gave."""

    name: str
    pairs: list[TacticPair]
    error: str = ""


PART = TypeAdapter(list[Kept])


async def replay_kept(
    proofs: Sequence[KnownProof], lean: LeanBackend, store: Store, prefix: str, *, source: str, per_part: int = PER_PART
) -> AsyncIterator[tuple[KnownProof, Kept]]:
    """Replays many proofs at once, in order; those that have a part below `prefix` are not replayed again."""
    parts = [proofs[start : start + per_part] for start in range(0, len(proofs), per_part)]
    paths = [f"{prefix}/part-{number:05}.json" for number in range(len(parts))]
    written = set(store.list(prefix))
    kept_parts = [
        read_part(store, path, part) if path in written else None for path, part in zip(paths, parts, strict=True)
    ]
    if any(kept_parts):
        log.info(
            "%d of the %d known proofs have been replayed before",
            sum(len(kept or ()) for kept in kept_parts),
            len(proofs),
        )
    missing = [proof for kept, part in zip(kept_parts, parts, strict=True) if kept is None for proof in part]
    replays = replay_all(missing, lean)
    for path, part, kept in zip(paths, parts, kept_parts, strict=True):
        for proof, replayed in zip(part, kept or (), strict=False):
            yield proof, replayed
        if kept is None:
            new: list[Kept] = []
            for proof in part:
                result = await anext(replays)
                new.append(Kept(name=proof.theorem.name, pairs=result.pairs(source), error=result.error))
                yield proof, new[-1]
            if not any(result.error for result in new):  # a failure may be Lean's, not the proof's
                # In a thread: Lean goes on meanwhile
                await asyncio.to_thread(store.write_bytes, path, PART.dump_json(new, exclude_none=True))


def read_part(store: Store, path: str, part: Sequence[KnownProof]) -> list[Kept] | None:
    try:
        kept = PART.validate_json(store.read_bytes(path))
    except ValidationError:
        return None
    return kept if [replayed.name for replayed in kept] == [proof.theorem.name for proof in part] else None
