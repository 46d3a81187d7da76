"""SGLang writes and proves what our own server writes and proves: the same model, states, theorems and seeds.

    make test-sglang                                                             # trains the demo's iteration 0 if need be, and more
    BURNQED_SGLANG="…/sglang-cpu serve" .venv/bin/python -m benchmarks.sglang_equal STORE    # with the model of a run that is there

500 states of the run's trajectories, chosen by hash, get one greedy tactic of each server; 100 states get 8 samples each of SGLang, twice, with a
restart in between; 100 theorems of the shipped benchmark are searched with each. Prints how many agree, how many are proved with their 95 %
interval (Wilson), and the seconds. Exits with 1 unless 99 % of the greedy tactics are equal, all samples are, and SGLang's solve rate lies in
the interval of ours.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time

from benchmarks.pantograph_equal import proved, searched
from burnqed.cluster_config import WorkflowConfig
from burnqed.config import RunConfig
from burnqed.data.split import unit_interval
from burnqed.data.theorems import shipped_benchmark
from burnqed.errors import BadInput
from burnqed.evaluate.intervals import wilson
from burnqed.lean.core import DEFAULT_HEADER
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.library.runs import Iteration, Run
from burnqed.policy.client import PolicyClient
from burnqed.policy.launch import Urls, launched
from burnqed.resolve import resolve

GREEDY, LEAST_EQUAL = 500, 0.99
SAMPLED, SAMPLES = 100, 8
THEOREMS, WORKERS = 100, 2
OURS, SGLANG = WorkflowConfig(), WorkflowConfig(policy_server="sglang")


async def tactics(
    urls: Urls, config: RunConfig, states: list[str], candidates: int, temperature: float
) -> list[list[str]]:
    """The tactics for each state, in alphabetical order."""
    async with PolicyClient(config.policy, *urls) as client:
        seeds = list(range(len(states)))
        found = await client.propose(states, candidates=candidates, temperature=temperature, seeds=seeds)
    return [sorted(candidate.tactic for candidate in proposal.candidates) for proposal in found]


async def compare(iteration: Iteration, config: RunConfig) -> bool:
    assert iteration.model
    every = set(iteration.trajectories(["state"])["state"].to_pylist())
    states = sorted((state for state in every if state), key=lambda text: unit_interval("equal", text))
    theorems = sorted(shipped_benchmark(DEFAULT_HEADER), key=lambda t: unit_interval("equal", t.name))[:THEOREMS]
    limits = {
        "workers": WORKERS,
        "heartbeats": config.lean.heartbeats,
        "tactic_timeout_s": config.lean.tactic_timeout_s,
    }
    greedy, solved = {}, {}
    sampled: list[list[list[str]]] = []
    for server in (OURS, SGLANG):
        began = time.monotonic()
        async with launched(iteration.model, None, config.policy, server) as urls:
            print(f"{server.policy_server}: ready after {time.monotonic() - began:.0f} s", flush=True)
            began = time.monotonic()
            greedy[server.policy_server] = await tactics(urls, config, states[:GREEDY], 1, 0.0)
            print(f"{server.policy_server}: {len(states[:GREEDY]) / (time.monotonic() - began):.1f} greedy tactics/s", flush=True)  # fmt: skip
            if server is SGLANG:
                sampled.append(await tactics(urls, config, states[:SAMPLED], SAMPLES, 1.0))
            found = await searched(EmbeddedLean(**limits), theorems, urls, config)
            solved[server.policy_server] = proved(found)
    async with launched(iteration.model, None, config.policy, SGLANG) as urls:
        sampled.append(await tactics(urls, config, states[:SAMPLED], SAMPLES, 1.0))

    pairs = list(zip(*greedy.values(), strict=True))
    equal = sum(ours == other for ours, other in pairs)
    print(f"greedy tactics: {equal} of {len(pairs)} are equal")
    for state, (ours, other) in zip(states, pairs, strict=False):
        if ours != other:
            print(f"  {ours} and {other} for {state!r}")
    again = sum(first == second for first, second in zip(*sampled, strict=True))
    print(f"seeded samples: {again} of {SAMPLED} states get the same {SAMPLES} after a restart")
    ours, other = (len(solved[server.policy_server]) for server in (OURS, SGLANG))
    low, high = wilson(ours, len(theorems)) or (0.0, 0.0)
    print(f"proved of {len(theorems)}: {ours} ({low:.0%} to {high:.0%}) with ours, {other} with SGLang")
    return equal >= LEAST_EQUAL * len(pairs) and again == SAMPLED and low <= other / len(theorems) <= high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "store", help="of a run whose iteration 0 has a model and trajectories, as the profile demo makes it"
    )
    given = parser.parse_args()
    iteration = next((one for one in Run(given.store).iterations if one.model), None)
    if iteration is None:
        raise BadInput(f"{given.store} holds no model yet.")
    sys.exit(not asyncio.run(compare(iteration, resolve("demo").config)))


if __name__ == "__main__":
    main()
