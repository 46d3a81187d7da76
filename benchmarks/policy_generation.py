"""Generation: the policy server compared with transformers.generate, with the same model, machine, run and number of threads.

    python benchmarks/policy_generation.py [--rounds 3] [--tokens 24]

Claim: for a search (states × 8 candidates, over HTTP) the server is at least 3 times as fast as transformers.generate with one prompt at a
time. The rounds take turns, so other load on the machine affects all of them equally; the ratio is that of the summed times. Exits with 1
when the claim does not hold.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from burnqed.config import PolicyConfig
from burnqed.policy.client import PolicyClient
from burnqed.policy.launch import launched
from burnqed.policy.prompt import prompt
from burnqed.policy.server import THREADS, threads
from burnqed.policy.tiny import make_base

CLAIM = 3.0
STATES = 64
CANDIDATES = 8
ALONE = 12
"""Prompts in one round of transformers with one prompt at a time."""


def make_states(count: int) -> list[str]:
    """Proof states of the usual length: prompts of about 160 tokens."""
    draw = random.Random(0)
    kinds = [
        "{a} ≤ {b} + {k}",
        "{a} ∣ {b} * {c}",
        "({a} + {b}) ^ 2 = {c} % {k}",
        "∃ x, x * {a} = {b}",
        "{a} < {k} ∨ {b} = {c}",
    ]

    def fact() -> str:
        a, b, c = draw.sample("abcdkmnxyz", 3)
        return draw.choice(kinds).format(a=a, b=b, c=c, k=draw.randrange(100))

    return [
        "\n".join(["a b c d k m n x y z : Nat", *(f"h{i} : {fact()}" for i in range(9)), f"⊢ {fact()}"])
        for _ in range(count)
    ]


async def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--tokens", type=int, default=24)
    chosen = options.parse_args()
    torch.set_num_threads(threads())
    os.environ[THREADS] = str(threads())
    config = PolicyConfig(max_new_tokens=chosen.tokens)
    states = make_states(STATES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_base([prompt(s) + "exact Nat.le_of_lt_succ h" for s in states], folder, config, seed=0)
        tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left")
        model = AutoModelForCausalLM.from_pretrained(folder).eval()
        prompts = [prompt(s) for s in states]
        length = sum(len(tokenizer(p)["input_ids"]) for p in prompts) / len(prompts)
        print(
            f"{model.num_parameters() / 1e6:.2f} M parameters, {STATES} prompts of {length:.0f} tokens, {chosen.tokens} new, {threads()} thread(s)"
        )

        def generate(texts: list[str]) -> int:
            """transformers with these prompts in one batch; every reply as long as the server's (no early end)."""
            batch = tokenizer(texts, return_tensors="pt", padding=True)
            with torch.inference_mode():
                model.generate(
                    **batch, do_sample=True, temperature=1.0, top_p=config.top_p, max_new_tokens=chosen.tokens,
                    min_new_tokens=chosen.tokens, pad_token_id=tokenizer.pad_token_id,
                )  # fmt: skip
            return len(texts)

        async with launched(str(folder), None, config) as urls, PolicyClient(config, *urls) as policy:

            async def propose(candidates: int) -> int:
                await policy.propose(states, candidates=candidates, temperature=1.0, seeds=range(len(states)))
                return len(states) * candidates

            async def alone() -> int:
                return sum(generate([text]) for text in prompts[:ALONE])

            async def batched() -> int:
                return generate(prompts)

            ways = {
                "transformers.generate, one prompt at a time": alone,
                f"transformers.generate, batches of {STATES}": batched,
                f"server, {STATES} states x 1 candidate": lambda: propose(1),
                f"server, {STATES} states x {CANDIDATES} candidates": lambda: propose(CANDIDATES),
            }
            candidates, spent = dict.fromkeys(ways, 0), dict.fromkeys(ways, 0.0)
            for turn in range(chosen.rounds + 1):
                for way, work in ways.items():
                    start = time.perf_counter()
                    count = await work()
                    if turn:  # the first warms up
                        candidates[way] += count
                        spent[way] += time.perf_counter() - start
    rates = {way: candidates[way] / spent[way] for way in ways}
    first, *_, last = rates
    for way, rate in rates.items():
        print(f"{way:45} {rate:8.1f} candidates/s   ratio {rate / rates[first]:6.2f}")
    return 0 if rates[last] >= CLAIM * rates[first] else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
