"""Generated statements: how many elaborate, how many are provable, and how many of these resist the 18 probe tactics.

    .venv/bin/python -m benchmarks.generated_provable [--sample 150] [--seed 0] [--show]

A statement counts as provable when a probe tactic or one of the flat scripts of `tests/fixtures/reference_prover.py` proves it, so the
share is a lower bound. The halves of a conjunction are tried separately. 150 statements take about ten minutes on two idle cores.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections import Counter

from burnqed.data.generate import generate
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.protocol import LeanBackend, Theorem
from burnqed.progress import Progress
from burnqed.proof_search.probes import probe_easy
from tests.fixtures.reference_prover import Script, bare, scripts, split_top

GENERATED = 3_000
TRIES = 40
"""Scripts tried per statement."""
SECONDS = 10.0
"""For one script."""


async def script_proof(theorem: Theorem, lean: LeanBackend) -> Script | None:
    """The first script that proves the theorem; for a conjunction of closed statements, one for each half."""
    halves = [bare(part) for part in split_top(theorem.statement, " ∧ ")]
    if len(halves) > 1 and theorem.statement.startswith("("):
        proofs = [await script_proof(Theorem(name=theorem.name, statement=half), lean) for half in halves]
        return None if None in proofs else ["refine ⟨?_, ?_⟩", *(line for proof in proofs if proof for line in proof)]
    for script in scripts(theorem.statement)[:TRIES]:
        if (await lean.check(theorem, "\n".join(script), timeout=SECONDS)).accepted:
            return script
    return None


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print every statement with its class")
    options = parser.parse_args()
    theorems = random.Random(options.seed).sample(generate(0, GENERATED), options.sample)
    async with EmbeddedLean() as lean:
        free = asyncio.Semaphore(lean.capacity)
        with Progress(len(theorems), "generated", "statements") as progress:

            async def classify(theorem: Theorem) -> tuple[str, int]:
                async with free:
                    root = (await lean.start(theorem)).state
                    if root is None:
                        kind, length = "does not elaborate", 0
                    else:
                        await lean.release(root)
                        if await probe_easy(theorem, lean):
                            kind, length = "easy", 0
                        else:
                            script = await script_proof(theorem, lean)
                            kind, length = ("open", 0) if script is None else ("proved", len(script))
                progress.advance()
                return kind, length

            classes = await asyncio.gather(*map(classify, theorems))
    counts = Counter(kind for kind, _ in classes)
    lengths = Counter(length for kind, length in classes if kind == "proved")
    provable = counts["easy"] + counts["proved"]
    print(f"elaborate: {len(theorems) - counts['does not elaborate']} of {len(theorems)}")
    print(f"provable: {provable} of {len(theorems)} ({provable / len(theorems):.0%})")
    print(
        f"provable and resisting the probe tactics: {counts['proved']} of {provable} ({counts['proved'] / provable:.0%})"
    )
    print("tactics in their scripts:", ", ".join(f"{length}: {count}" for length, count in sorted(lengths.items())))
    for theorem, (kind, _) in zip(theorems, classes, strict=True):
        if options.show:
            print(f"{kind:8} {theorem.statement}")


if __name__ == "__main__":
    asyncio.run(main())
