"""Headroom: how many theorems resist the 18 probe tactics (each from the root, alone and after `intros`, 5 s each).

    .venv/bin/python benchmarks/corpus_headroom.py [corpus] [benchmark] [generated] [--sample 200] [--seed 0] [--names]

Prints for each set the share that resists and, where there are reference proofs, the share that resists and whose proof has three or more
tactics. `--sample 0` uses all theorems; the whole corpus takes about ten minutes on two idle cores.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections.abc import Callable, Sequence

from burnqed.data.corpus import load_corpus
from burnqed.data.generate import generate
from burnqed.data.theorems import shipped_benchmark
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.protocol import LeanBackend, Theorem
from burnqed.progress import Progress
from burnqed.proof_search.probes import probe_easy

GENERATED = 3_000

SETS: dict[str, Callable[[], list[Theorem]]] = {
    "corpus": lambda: [known.theorem for known in load_corpus()],
    "benchmark": shipped_benchmark,
    "generated": lambda: generate(0, GENERATED),
}


async def resisting(theorems: Sequence[Theorem], lean: LeanBackend, label: str) -> list[Theorem]:
    """The theorems that no probe tactic proves, in their original order."""
    free = asyncio.Semaphore(lean.capacity)
    with Progress(len(theorems), label, "theorems") as progress:

        async def is_easy(theorem: Theorem) -> bool:
            async with free:
                easy = await probe_easy(theorem, lean)
            progress.advance()
            return easy

        easy = await asyncio.gather(*(is_easy(theorem) for theorem in theorems))
    return [theorem for theorem, is_easy in zip(theorems, easy, strict=True) if not is_easy]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}; all when none is given")
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--names", action="store_true", help="print the names of the easy ones")
    options = parser.parse_args()
    if unknown := set(options.sets) - set(SETS):
        parser.error(f"there is no set {', '.join(unknown)}; the sets are {', '.join(SETS)}")
    lengths = {known.theorem.name: len(known.tactics) for known in load_corpus()}
    async with EmbeddedLean() as lean:
        for name in options.sets or SETS:
            theorems = SETS[name]()
            if 0 < options.sample < len(theorems):
                theorems = random.Random(options.seed).sample(theorems, options.sample)
            hard = await resisting(theorems, lean, name)
            print(f"{name}: {len(hard)} of {len(theorems)} resist ({len(hard) / len(theorems):.0%})")
            if name == "corpus":
                long = [theorem for theorem in hard if lengths[theorem.name] >= 3]
                print(
                    f"{name}: {len(long)} of {len(theorems)} resist and take three or more tactics ({len(long) / len(theorems):.0%})"
                )
            if options.names:
                print("  easy:", *sorted({theorem.name for theorem in theorems} - {theorem.name for theorem in hard}))


if __name__ == "__main__":
    asyncio.run(main())
