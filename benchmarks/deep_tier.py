"""A benchmark of the deep tier: its choice and its checks, in the real Lean.

    .venv/bin/python -m benchmarks.deep_tier deep.json --choose 160     # writes so many of the generator's theorems for benchmarks
    .venv/bin/python -m benchmarks.deep_tier moves.json --choose 60 --moves-beside shipped-deep     # about moves alone, and others than those
    .venv/bin/python -m benchmarks.deep_tier deep.json                  # checks them, and how much choice their states leave; an hour or more
    .venv/bin/python -m benchmarks.deep_tier deep.json --part 2/4       # the second quarter of them

A theorem belongs to the tier when its proof is accepted and has 4 to 15 tactics (leading `intro`s and consecutive rewrites count as one), no proof of fewer than 4 out of 60
standard tactics exists, no standard tactic ends its own proof that early, and the states of its proof lead to at least 3 others on average. Of every tenth, the standard tactics
find no proof within 64 nodes behind one of them that leaves the theorem's own proof, `exfalso` aside. Exits with 1 when one fails.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path
from statistics import fmean
from typing import TypeVar

from burnqed.config import LeanConfig
from burnqed.data.deep import deep_proofs
from burnqed.data.deep.difficulty import ProofStops, branching, dead_end, ends_early, merged, proof_of_standard_tactics
from burnqed.data.theorems import dump_index, read_index
from burnqed.data.trace.replay import KnownProof
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import LeanBackend

T = TypeVar("T")
Look = Callable[[KnownProof, LeanBackend], Awaitable[T]]
SEED = 0
STEP = 40
"""Theorems that are generated at a time."""
LEAST_BRANCHING = 3.0
"""On average over the states of a proof."""
DEAD_ENDS = 10
"""Of so many theorems one is looked at for them: it takes minutes."""
CONFIG = LeanConfig(heartbeats=40_000, tactic_timeout_s=120)


async def reason_against(proof: KnownProof, lean: LeanBackend) -> tuple[str, float]:
    """Why a theorem is not in the tier, empty if it is; and how many states a state of its proof leads to, on average, 0 where something else speaks against it."""
    verdict = await lean.check(proof.theorem, "\n".join(proof.tactics))
    if not verdict.accepted:
        return "its proof is refused", 0.0
    if not 4 <= merged(proof.tactics)[-1] <= 15:
        return "its length", 0.0
    try:
        if await ends_early(proof, lean):
            return "its proof ends early", 0.0
        if await proof_of_standard_tactics(proof, lean):
            return "fewer than 4 standard tactics prove it", 0.0
        average = fmean(await branching(proof, lean))
    except ProofStops:
        return "a tactic of its proof fails by itself", 0.0
    return "its states leave too little choice" if average < LEAST_BRANCHING else "", average


async def looked_at(
    proofs: Iterable[KnownProof], lean: LeanBackend, look: Look[T]
) -> AsyncIterator[tuple[KnownProof, T]]:
    """Each with what `look` finds, several at a time, in the order in which they are done."""
    free = asyncio.Semaphore(2 * lean.capacity)

    async def looked(proof: KnownProof) -> tuple[KnownProof, T]:
        async with free:
            return proof, await look(proof, lean)

    wanted = [replace(p, theorem=p.theorem.with_header(lean.default_header)) for p in proofs]
    tasks = [asyncio.create_task(looked(proof)) for proof in wanted]
    try:
        for done in asyncio.as_completed(tasks):
            yield await done
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def is_about_moves(proof: KnownProof) -> bool:
    return proof.theorem.name.startswith("deep::moves_")


async def choose(number: int, beside: str | None) -> list[KnownProof]:
    """A third of them about moves; all, and none of an index, where there is one to be `beside`."""
    chosen: list[KnownProof] = []
    against: Counter[str] = Counter()
    others = 0 if beside else number - number // 3
    wanted = {True: number - others, False: others}
    taken = {t.name for t in read_index(beside)} if beside else set[str]()
    kinds = () if others else ("moves",)
    async with open_lean(CONFIG) as lean:
        for begin in count(0, STEP):
            drafts = deep_proofs(SEED, begin + STEP, benchmark=True, kinds=kinds)[begin:]
            open_ = [p for p in drafts if wanted[is_about_moves(p)] > 0 and p.theorem.name not in taken]
            looks = looked_at(open_, lean, reason_against)
            reasons = {proof.theorem.name: reason async for proof, (reason, _) in looks}
            for proof in open_:
                reason = reasons[proof.theorem.name]
                if wanted[is_about_moves(proof)] == 0:
                    continue
                against[reason or "chosen"] += 1
                if not reason:
                    wanted[is_about_moves(proof)] -= 1
                    chosen.append(proof)
                print(f"{proof.theorem.name:40} {reason or 'chosen'}", flush=True)
            if not any(wanted.values()):
                break
    print(f"tried {against.total()}: {dict(against)}")
    return chosen


async def check(file: Path, part: int, parts: int) -> int:
    """One of so many parts of the file, from 1 on."""
    wanted = {t.name for t in read_index(str(file))}
    found: list[KnownProof] = []
    for number in count(len(wanted), STEP):
        found = [p for p in deep_proofs(SEED, number, benchmark=True) if p.theorem.name in wanted]
        if len(found) == len(wanted):
            break
    failed, numbers, ends = 0, list[float](), list[str | None]()
    with_dead_ends = {p.theorem.name for p in found[::DEAD_ENDS]}
    found = found[(part - 1) * len(found) // parts : part * len(found) // parts]

    async def look(proof: KnownProof, lean: LeanBackend) -> tuple[str, float, list[str | None]]:
        reason, average = await reason_against(proof, lean)
        wants_dead_end = not reason and proof.theorem.name in with_dead_ends
        return reason, average, [await dead_end(proof, lean)] if wants_dead_end else []

    async with open_lean(CONFIG) as lean:
        async for proof, (reason, average, here) in looked_at(found, lean, look):
            failed += bool(reason)
            numbers.append(average)
            ends += here
            told = [f"{average:.1f} states"] if average else []
            told += [f"dead end behind {end}" if end else "no dead end" for end in here]
            print(f"{len(numbers)}/{len(found)} {proof.theorem.name}: {reason or 'deep'}", *told, sep=", ", flush=True)
    lengths = [merged(p.tactics)[-1] for p in found]
    measured = [number for number in numbers if number] or [0.0]
    print(f"{len(found)} theorems, {failed} of them not deep; tactics {min(lengths)} to {max(lengths)}, on average {fmean(lengths):.1f}; "
          f"distinct states behind a state on average {fmean(measured):.1f}, at least {min(measured):.1f}; "
          f"{sum(end is not None for end in ends)} of {len(ends)} have a dead end")  # fmt: skip
    return 1 if failed or None in ends else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path, help="theorem index")
    parser.add_argument("--choose", type=int, help="number of theorems to choose and write")
    parser.add_argument(
        "--moves-beside", metavar="INDEX", help="choose theorems about moves alone, and none of this index"
    )
    parser.add_argument("--part", default="1/1", help="which part of the index to check, as in 2/4")
    arguments = parser.parse_args()
    given = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", arguments.part)
    if not given or int(given[1]) > int(given[2]):
        parser.error(f"--part {arguments.part} is none; write K/N, as in 2/4")
    part, parts = int(given[1]), int(given[2])
    if arguments.choose is None:
        if arguments.moves_beside:
            parser.error("--moves-beside goes with --choose; a check looks at every theorem of its index")
        return asyncio.run(check(arguments.file, part, parts))
    if parts > 1:
        parser.error("--part is for checks; a choice is made as a whole")
    chosen = asyncio.run(choose(arguments.choose, arguments.moves_beside))
    text = dump_index([p.theorem.model_copy(update={"header": None}) for p in chosen])
    arguments.file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
