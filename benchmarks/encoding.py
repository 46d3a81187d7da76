"""How fast proof states are embedded: one by one, padded in batches of similar length, and as `burnqed.policy.encode` does it.

    .venv/bin/python -m benchmarks.encoding                      # a random Llama of 20 M parameters, states of replayed proofs
    .venv/bin/python -m benchmarks.encoding --model FOLDER --dtype bfloat16

All three take the same states and weights in one process, in turns. The first two are transformers' network: one state a time; 64 states of similar
length, padded on the right. Prints states and tokens of content per second, and the ratio to the first. Exits with 1 when embeddings differ by more
than rounding.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from burnqed.config import LeanConfig, PolicyConfig
from burnqed.data.corpus import load_corpus
from burnqed.data.pairs import TacticPair
from burnqed.data.trace.replay import KnownProof, replay_all
from burnqed.lean.backends import open_lean
from burnqed.policy.encode import Encoder
from burnqed.policy.model import load_model
from burnqed.policy.pooling import Pooling
from burnqed.policy.prompt import prompt
from burnqed.policy.tiny import make_base

Matrix = NDArray[np.float32]
SHAPE = PolicyConfig(hidden_size=384, layers=8, heads=6, vocabulary=2_048, max_prompt_tokens=512, max_new_tokens=48)
ROUNDS = 3


async def replayed(proofs: int) -> list[TacticPair]:
    """Pairs of known proofs."""
    async with open_lean(LeanConfig()) as lean:
        known = [KnownProof(t.theorem.with_header(lean.default_header), t.tactics) for t in load_corpus()[:proofs]]
        return [pair async for one in replay_all(known, lean) for pair in one.pairs("benchmark")]


def timed(embed: Callable[[Sequence[str]], Matrix], texts: Sequence[str]) -> tuple[float, Matrix]:
    """Seconds, and the embeddings."""
    began = time.perf_counter()
    found = embed(texts)
    return time.perf_counter() - began, found


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", type=Path)
    options.add_argument("--dtype", default="float32")
    options.add_argument("--proofs", type=int, default=150)
    options.add_argument("--tokens", type=int, default=512, help="a state is cut off behind so many")
    given = options.parse_args()
    texts = sorted({pair.state for pair in asyncio.run(replayed(given.proofs))})
    with tempfile.TemporaryDirectory() as folder:
        model = given.model or Path(folder)
        if not given.model:
            make_base([prompt(text) for text in texts], model, SHAPE, 0)
        reference = load_model(model, given.dtype, reference=True)
        ways = {
            "one by one": Encoder(reference, Pooling(given.tokens), batch=1).embed,
            "sorted, padded": Encoder(reference, Pooling(given.tokens), batch=64, batch_tokens=1 << 30).embed,
            "burnqed": Encoder(load_model(model, given.dtype), Pooling(given.tokens), batch=1 << 30).embed,
        }
        tokens = sum(min(len(e.ids), given.tokens) for e in reference.tokenizer.encode_batch(texts))
        best: dict[str, float] = {}
        found: dict[str, Matrix] = {}
        for _ in range(ROUNDS):
            for name, embed in ways.items():
                seconds, found[name] = timed(embed, texts)
                best[name] = min(seconds, best.get(name, seconds))
    where = torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {torch.get_num_threads()} threads"
    print(
        f"{len(texts):,} states, {tokens / len(texts):.0f} tokens on average; {given.dtype}, {where}; best of {ROUNDS}"
    )
    for name, seconds in best.items():
        print(
            f"{name:<16} {len(texts) / seconds:8.0f} states/s {tokens / seconds:10.0f} tokens/s   {best['one by one'] / seconds:5.2f}"
        )
    largest = max(float(np.abs(matrix - found["one by one"]).max()) for matrix in found.values())
    print(f"largest difference of a component: {largest:.1e}")
    return int(largest > (1e-3 if given.dtype == "float32" else 0.2))


if __name__ == "__main__":
    sys.exit(main())
