"""Claim: with `policy.states=brief` the states of deep proofs are embedded in less time.

    .venv/bin/python -m benchmarks.brief_states [--proofs 60]

Embeds the states of the same replayed proofs, as Lean prints them and briefly, by turns, with a random model of the demo's size, and prints the seconds and their ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import get_args

from burnqed.config import LeanConfig, States
from burnqed.data.deep import deep_proofs
from burnqed.data.trace.replay import replay_all
from burnqed.lean.backends import open_lean
from burnqed.policy.encode import Encoder
from burnqed.policy.model import load_model
from burnqed.policy.pooling import Pooling
from burnqed.policy.prompt import prompt
from burnqed.policy.tiny import make_base
from burnqed.resolve import resolve

ROUNDS = 3


async def states_of(proofs: int) -> list[str]:
    async with open_lean(LeanConfig()) as lean:
        return sorted(
            {pair.state async for one in replay_all(deep_proofs(0, proofs), lean) for pair in one.pairs("benchmark")}
        )


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--proofs", type=int, default=60)
    texts = asyncio.run(states_of(options.parse_args().proofs))
    config = resolve("demo", workflow="experiment").config.policy
    best: dict[States, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        make_base([prompt(text) for text in texts], Path(folder), config, 0)
        model = load_model(Path(folder))
        for _ in range(ROUNDS):
            for way in get_args(States):
                encoder = Encoder(model, Pooling(config.embed_max_tokens, states=way))
                ordered = sorted(texts, key=encoder.likeness)
                began = time.perf_counter()
                encoder.embed(ordered)
                best[way] = min(time.perf_counter() - began, best.get(way, float("inf")))
    print(
        f"{len(texts):,} states, best of {ROUNDS}: as Lean prints them {best['whole']:.1f} s, briefly {best['brief']:.1f} s: "
        f"{best['whole'] / best['brief']:.2f} times as fast"
    )
    return int(best["brief"] >= best["whole"])


if __name__ == "__main__":
    sys.exit(main())
