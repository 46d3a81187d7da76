"""How often lemma retrieval finds what proofs name: over the known proofs of the shipped corpus, with the embedded Lean's library.

    .venv/bin/python -m benchmarks.lemma_recall [--misses 20]

At every state of a known proof whose next tactic names lemmas of the library, each of them counts: is it among the first 8, 16, 32 that are retrieved there? `by lemma` counts each
lemma once, whatever the number of tactics that name it. Six minutes on two busy cores, most of them for replaying the proofs.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Collection
from statistics import fmean

from burnqed.config import LeanConfig
from burnqed.data.corpus import load_corpus
from burnqed.data.pairs import TacticPair
from burnqed.data.trace.replay import KnownProof, replay_all
from burnqed.lean.backends import open_lean
from burnqed.lean.lemmas import library_lemmas
from burnqed.lean.lexer import Kind, tokens
from burnqed.policy.retrieval import Retrieval

FIRST = (1, 8, 16, 32)
PATIENT = LeanConfig(tactic_timeout_s=900.0, heartbeats=0)


def named(tactic: str, library: Collection[str]) -> set[str]:
    """The lemmas that a tactic names in full."""
    return {token.text for token in tokens(tactic) if token.kind is Kind.WORD} & set(library)


async def pairs(library: Collection[str]) -> AsyncIterator[TacticPair]:
    """States of known proofs at which the next tactic names a lemma."""
    proofs = [KnownProof(p.theorem, p.tactics) for p in load_corpus() if any(named(t, library) for t in p.tactics)]
    async with open_lean(PATIENT) as lean:
        async for replayed in replay_all(proofs, lean):
            for pair in replayed.pairs("corpus"):
                if named(pair.tactic, library):
                    yield pair


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", type=int, default=0, help="so many of those that were not found are printed")
    misses = parser.parse_args().misses
    lemmas = await library_lemmas(PATIENT)
    library = {lemma.name for lemma in lemmas}
    started = time.perf_counter()
    retrieval = Retrieval(lemmas)
    print(f"{len(lemmas):,} lemmas, indexed in {time.perf_counter() - started:.1f} s")
    places = defaultdict[str, list[int]](list)
    asked, seconds = 0, 0.0
    async for pair in pairs(library):
        started = time.process_time()
        found = {name: place for place, name in enumerate(retrieval.names(pair.state, max(FIRST)))}
        seconds += time.process_time() - started
        asked += 1
        for name in named(pair.tactic, library):
            places[name].append(found.get(name, max(FIRST)))
            if name not in found and misses:
                misses -= 1
                print(f"\nnot found: {name}, for `{pair.tactic}` at\n{pair.state}\nbut {', '.join([*found][:6])}")
    every = [place for of_one in places.values() for place in of_one]
    print(
        f"{len(every)} uses of {len(places)} lemmas at {asked} states, {1000 * seconds / asked:.2f} ms of processor time each"
    )
    print("recall@N " + "  ".join(f"{n}: {fmean(place < n for place in every):.3f}" for n in FIRST))
    print(
        "by lemma " + "  ".join(f"{n}: {fmean(fmean(p < n for p in of) for of in places.values()):.3f}" for n in FIRST)
    )


if __name__ == "__main__":
    asyncio.run(main())
