"""The backend `pantograph`, over its stand-in, proves what the embedded backend proves: the same model, theorems and seeds.

    make pantograph-equal                                             # trains the demo's iteration 0 if need be, then this
    .venv/bin/python benchmarks/pantograph_equal.py STORE             # with the model of a run that is there

40 theorems of the shipped benchmark, chosen by hash, are searched three times: by the embedded backend, by `pantograph`, and by `pantograph`
whose processes hang, crash and answer garbage. Prints what each proves, in how many theorems all rows of the trees are equal, and the seconds.
Exits with 1 unless all three prove the same theorems, 15 at least.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.pantograph_soak import FAULTS
from burnqed.config import RunConfig
from burnqed.data.split import unit_interval
from burnqed.data.theorems import shipped_benchmark
from burnqed.errors import BadInput
from burnqed.lean.core import DEFAULT_HEADER
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.pantograph.backend import PantographLean
from burnqed.lean.protocol import LeanBackend, Theorem
from burnqed.library.runs import Run
from burnqed.policy.client import PolicyClient
from burnqed.policy.launch import Urls, launched
from burnqed.proof_search.engine import search
from burnqed.proof_search.settings import SearchSettings
from burnqed.resolve import resolve
from burnqed.trajectory.rows import SearchResult, Task
from burnqed.trajectory.schema import ProofStatus
from tests.fixtures import pantograph

THEOREMS, LEAST = 40, 15
WORKERS = 2


async def searched(
    lean: LeanBackend, theorems: list[Theorem], urls: Urls, config: RunConfig
) -> dict[str, SearchResult]:
    settings = SearchSettings.for_evaluation(config.evaluate, config.search)
    found: list[SearchResult] = []
    began = time.monotonic()
    async with lean, PolicyClient(config.policy, urls.generate, urls.score) as client:
        await search([Task(theorem) for theorem in theorems], lean, client, None, settings, found.append)
    statuses = [f.result.status for f in found]
    print(
        f"{lean.name:<12} {statuses.count(ProofStatus.PROVED)} of {len(found)} proved, "
        f"{statuses.count(ProofStatus.UNPROVED)} not, {time.monotonic() - began:.0f} s",
        flush=True,
    )
    return {f.result.name: f for f in found}


def rows(found: SearchResult) -> list[tuple[object, ...]]:
    """A search's tree, without times and the texts of errors."""
    return [(r.parent_id, r.tactic, r.tactic_status, r.state, r.log_prob, r.visit_order, r.seed) for r in found.states]


def proved(found: dict[str, SearchResult]) -> set[str]:
    return {name for name, f in found.items() if f.result.status is ProofStatus.PROVED}


async def compare(model: str, config: RunConfig, folder: Path) -> bool:
    theorems = sorted(shipped_benchmark(DEFAULT_HEADER), key=lambda t: unit_interval("equal", t.name))[:THEOREMS]
    sane, faulty = (folder / name for name in ("sane", "faulty"))
    limits = {
        "workers": WORKERS,
        "heartbeats": config.lean.heartbeats,
        "tactic_timeout_s": config.lean.tactic_timeout_s,
    }
    async with launched(model, None, config.policy) as urls:
        embedded = await searched(EmbeddedLean(**limits), theorems, urls, config)
        same = await searched(PantographLean(pantograph.project(sane), **limits), theorems, urls, config)
        with_faults = await searched(
            PantographLean(pantograph.project(faulty, seed=0, **FAULTS), **limits | {"tactic_timeout_s": 20.0}),
            theorems,
            urls,
            config,
        )
    for name, other in (("pantograph", same), ("with faults", with_faults)):
        equal = sum(rows(embedded[t.name]) == rows(other[t.name]) for t in theorems)
        differ = proved(embedded) ^ proved(other)
        print(
            f"{name}: {equal} of {len(theorems)} trees equal in every row; proved by one only: {', '.join(sorted(differ)) or 'none'}"
        )
    return proved(embedded) == proved(same) == proved(with_faults) and len(proved(embedded)) >= LEAST


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "store",
        help="of a run whose iteration 0 has a model, as `burnqed run iteration --iter 0 --profile demo` makes it",
    )
    given = parser.parse_args()
    model = next((iteration.model for iteration in Run(given.store).iterations if iteration.model), None)
    if model is None:
        raise BadInput(f"{given.store} holds no model yet.")
    with tempfile.TemporaryDirectory() as folder:
        is_equal = asyncio.run(compare(model, resolve("demo").config, Path(folder)))
    sys.exit(not is_equal)


if __name__ == "__main__":
    main()
