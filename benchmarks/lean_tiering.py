"""Claim: a high tiering budget for WebAssembly makes the first minute of a Lean pool faster than V8's default.

    python benchmarks/lean_tiering.py [--proofs 400]

V8 compiles a function again, optimised, once it has executed `--wasm-tiering-budget` bytes of it; Lean is 116 MB of code, and every step
starts a pool. Replays the same known proofs in a cold pool with V8's budget and with ours, and prints the ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time

from burnqed.data.corpus import load_corpus
from burnqed.data.trace.replay import KnownProof, replay_all
from burnqed.lean.embedded import supervisor
from burnqed.lean.embedded.backend import EmbeddedLean


async def cold(flags: tuple[str, ...], proofs: list[KnownProof]) -> float:
    """Seconds from the start of the pool to the last replayed proof."""
    supervisor.NODE_FLAGS = flags
    began = time.monotonic()
    async with EmbeddedLean() as lean:
        async for _ in replay_all(proofs, lean):
            pass
    return time.monotonic() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proofs", type=int, default=400)
    sample = random.Random(0).sample(load_corpus(), parser.parse_args().proofs)
    proofs = [KnownProof(known.theorem, known.tactics) for known in sample]
    ours = supervisor.NODE_FLAGS
    theirs = tuple(flag for flag in ours if "tiering" not in flag)
    seconds = {flags: asyncio.run(cold(flags, proofs)) for flags in (theirs, ours)}
    print(
        f"{len(proofs)} proofs: V8's budget {seconds[theirs]:.1f} s, ours {seconds[ours]:.1f} s: "
        f"{seconds[theirs] / seconds[ours]:.2f} times as fast"
    )
    return 0 if seconds[ours] < seconds[theirs] else 1


if __name__ == "__main__":
    sys.exit(main())
