"""data: the theorems to search, the benchmark, and the pairs that known proofs give when they are replayed through Lean.

Writes theorems.json and benchmark.json (theorem indices), proofs.json (known proofs that replay), pairs.jsonl, report.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from burnqed.data.corpus import load_corpus
from burnqed.data.filters import filter_pairs
from burnqed.data.generate import generate
from burnqed.data.pairs import TacticPair, write_pairs
from burnqed.data.skeleton import normal_form
from burnqed.data.split import unit_interval
from burnqed.data.theorems import dump_index, parse_index, read_index, shipped_benchmark
from burnqed.data.trace.kept import replay_kept
from burnqed.data.trace.replay import KnownProof
from burnqed.errors import BadInput
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import DEFAULT_HEADER, Theorem
from burnqed.log import log
from burnqed.manifest import digest_of
from burnqed.progress import Progress
from burnqed.steps.base import Context, Facts, Step, Unit
from burnqed.store import Store

INPUTS = "inputs/"
"""Values of data.theorems and data.benchmark that begin so lie in the run's own folder."""
PATIENCE_S = 120.0
REPLAYED = "replayed"
"""Where replays are kept until everything that is made from them is there."""


def units(context: Context) -> list[Unit]:
    config = context.config.data
    corpus = digest_of([[p.theorem.model_dump(), p.tactics] for p in known_proofs()])
    contents = {
        "what lies at data.theorems": index(context, config.theorems) or [],
        "what lies at data.benchmark": index(context, config.benchmark) or shipped_benchmark(),
    }
    digests = [(name, digest_of([t.model_dump() for t in theorems])) for name, theorems in contents.items()]
    return [Unit(context.layout.data, (), (("the shipped corpus", corpus), *digests))]


async def run(context: Context, unit: Unit) -> Facts:
    config, store = context.config, context.store
    proofs = some(known_proofs(), config.data.known_proofs, lambda p: p.theorem.name)
    benchmark = index(context, config.data.benchmark) or shipped_benchmark()
    benchmark = some(benchmark, config.data.benchmark_theorems, lambda t: t.name)
    held_back = {normal_form(t.statement) for t in benchmark}
    pairs: list[TacticPair] = []
    replayed: list[KnownProof] = []
    failed: dict[str, str] = {}
    # Known proofs are known to end: a slow machine must not lose one.
    patient = {"tactic_timeout_s": PATIENCE_S, "check_timeout_s": PATIENCE_S, "heartbeats": 0}
    async with open_lean(config.lean.model_copy(update=patient)) as lean:
        with Progress(len(proofs), "replay", "proofs") as progress:
            async for proof, result in replay_kept(proofs, lean, store, f"{unit.root}/{REPLAYED}", source="corpus"):
                if result.error:
                    failed[result.name] = result.error
                    log.warning("%s does not replay and is left out: %s", result.name, result.error)
                else:
                    pairs += result.pairs
                    replayed.append(proof)
                progress.advance(pairs=len(pairs))
                if context.stop.is_set():
                    return {}
    filtered = filter_pairs(pairs, config.data)
    if not filtered.pairs:
        raise BadInput("No known proof replays, so there is nothing to train on; see the messages above.")
    theorems = index(context, config.data.theorems) or [
        *(p.theorem for p in replayed if len(p.tactics) >= config.select.min_depth),
        *(with_header(t) for t in generate(config.data.generator_seed, config.data.generated)),
    ]
    kept = [t for t in theorems if normal_form(t.statement) not in held_back]
    if not kept:
        raise BadInput("Every theorem to search is also in the benchmark; give another index with --theorems.")
    store.write_text(f"{unit.root}/theorems.json", dump_index(kept))
    store.write_text(f"{unit.root}/benchmark.json", dump_index(benchmark))
    write_proofs(store, f"{unit.root}/proofs.json", replayed)
    write_pairs(store, f"{unit.root}/pairs.jsonl", filtered.pairs)
    report = {
        "proofs": len(proofs),
        "replayed": len(replayed),
        "failed": failed,
        "pairs": len(filtered.pairs),
        "dropped": {str(reason): count for reason, count in filtered.dropped.items()},
        "theorems": len(kept),
        "equal_to_benchmark": len(theorems) - len(kept),
        "benchmark": len(benchmark),
    }
    store.write_json(f"{unit.root}/report.json", report)
    store.delete(f"{unit.root}/{REPLAYED}")
    return {"theorems": len(kept), "benchmark": len(benchmark), "pairs": len(filtered.pairs), "failed": len(failed)}


def known_proofs() -> list[KnownProof]:
    """The shipped corpus, with its header spelled out."""
    return [KnownProof(with_header(t.theorem), t.tactics) for t in load_corpus()]


T = TypeVar("T")


def some(items: Sequence[T], count: int | None, name: Callable[[T], str]) -> list[T]:
    """`count` of the items (all for None), chosen by hash of their name; in their order."""
    chosen = {name(i) for i in sorted(items, key=lambda item: unit_interval("some", name(item)))[:count]}
    return [item for item in items if name(item) in chosen]


def with_header(theorem: Theorem) -> Theorem:
    return theorem if theorem.header is not None else theorem.model_copy(update={"header": DEFAULT_HEADER})


def index(context: Context, location: str | None) -> list[Theorem] | None:
    """A theorem index of the run's own folder, of a store or a path; None when none is configured."""
    if location is None:
        return None
    if location.startswith(INPUTS):
        path = f"{context.layout.run}/{location}"
        return parse_index(context.store.read_text(path), context.store.locate(path))
    return read_index(location)


def write_proofs(store: Store, path: str, proofs: Sequence[KnownProof]) -> None:
    rows = [{**p.theorem.model_dump(exclude_none=True), "tactics": p.tactics} for p in proofs]
    store.write_json(path, {"proofs": rows})


def read_proofs(store: Store, path: str) -> list[KnownProof]:
    rows = json.loads(store.read_bytes(path))["proofs"]
    return [KnownProof(Theorem.model_validate(row), tuple(row["tactics"])) for row in rows]


STEP = Step("data", 1, ("data", "select.min_depth", "lean.backend"), units, run)
