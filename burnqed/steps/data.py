"""data: the theorems to search, and the pairs that known proofs yield when replayed through Lean.

Proofs and theorems whose statement is in a benchmark are left out. Writes theorems.json (a theorem index), proofs.json
(known proofs that replay), pairs.jsonl, report.json.
"""

from __future__ import annotations

from dataclasses import replace

from burnqed.data.corpus import load_corpus
from burnqed.data.filters import filter_pairs
from burnqed.data.generate import generate
from burnqed.data.importing import failing
from burnqed.data.pairs import TacticPair, write_pairs
from burnqed.data.skeleton import normal_form
from burnqed.data.theorems import dump_index
from burnqed.data.trace.kept import replay_kept
from burnqed.data.trace.replay import KnownProof
from burnqed.errors import BadInput
from burnqed.key import digest_of
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import Theorem
from burnqed.log import log
from burnqed.progress import Progress
from burnqed.record import look
from burnqed.steps.base import Context, Unit, Work, key_of
from burnqed.steps.benchmark import read_benchmark
from burnqed.steps.facts import DataFacts
from burnqed.steps.indices import default_header, read_configured, some
from burnqed.steps.table import step_named
from burnqed.store import Store

ORDINARY = {"tactic_timeout_s": 300.0, "check_timeout_s": 300.0, "heartbeats": 200_000}
"""Limits for statements of others; Lean's own, not the configuration's, which may change without the data being made again."""
PATIENT = {"tactic_timeout_s": 900.0, "check_timeout_s": 900.0, "heartbeats": 0}
"""For our proofs, which terminate: with lower limits a slow machine would lose some."""
REPLAYS = "replayed"
"""Folder that keeps the replays until everything made from them is written."""


def units(context: Context) -> list[Unit]:
    location, layout = context.config.data.theorems, context.layout
    corpus = digest_of([[p.theorem.model_dump(), p.tactics] for p in known_proofs(default_header(context))])
    theorems = digest_of([t.model_dump() for t in read_configured(context, location)] if location else [])
    parameters = (("the shipped corpus", corpus), ("what lies at data.theorems", theorems))
    benchmarks = [layout.benchmark(name) for name in context.config.data.benchmarks]
    configured = Unit(layout.data, {"benchmarks": benchmarks}, parameters=parameters)
    step = step_named("data")
    record, damage = look(context.store, layout.data)
    if record is None or damage or step.name in context.redo:
        return [configured]
    # Adding a benchmark later does not change the training: data made without it stay in force, unless redone anyway.
    before = replace(configured, sources={"benchmarks": tuple(record.key.inputs)})
    digests = {prefix: found.digest for prefix in before.inputs if (found := look(context.store, prefix)[0])}
    stands = not key_of(step, context, before, digests).difference(record.key)
    return [before if stands else configured]


async def run(context: Context, unit: Unit) -> DataFacts | None:
    config, store = context.config, context.store
    held_back = {normal_form(t.statement) for prefix in unit.inputs for t in read_benchmark(store, prefix)}
    header = default_header(context)
    known = some(known_proofs(header), config.data.known_proofs, lambda p: p.theorem.name)
    proofs = [p for p in known if normal_form(p.theorem.statement) not in held_back]
    pairs: list[TacticPair] = []
    replayed: list[KnownProof] = []
    failed: dict[str, str] = {}
    configured_theorems: list[Theorem] = []
    unusable: dict[str, str] = {}
    if location := config.data.theorems:
        configured_theorems = read_configured(context, location)
        async with open_lean(config.lean.model_copy(update=ORDINARY)) as lean:
            unusable = await failing(configured_theorems, lean, location, context.stop)
        if context.stop.is_set():
            return None
    async with open_lean(config.lean.model_copy(update=PATIENT)) as lean:
        with Progress(len(proofs), "replay", "proofs") as progress:
            async for proof, result in replay_kept(proofs, lean, store, f"{unit.root}/{REPLAYS}", source="corpus"):
                if result.error:
                    failed[result.name] = result.error
                    log.warning("%s does not replay and is left out: %s", result.name, result.error)
                else:
                    pairs += result.pairs
                    replayed.append(proof)
                progress.advance(pairs=len(pairs))
                if context.stop.is_set():
                    return None
        filtered = filter_pairs(pairs, config.data)
        if not filtered.pairs:
            raise BadInput("No known proof replays, so there is nothing to train on; see the messages above.")
    theorems = [t for t in configured_theorems if t.name not in unusable] or [
        *(p.theorem for p in replayed if len(p.tactics) >= config.select.min_depth),
        *(t.with_header(header) for t in generate(config.data.generator_seed, config.data.generated)),
    ]
    kept = [t for t in theorems if normal_form(t.statement) not in held_back]
    if not kept:
        raise BadInput("Every theorem to search is also in a benchmark; give another index with --theorems.")
    store.write_text(f"{unit.root}/theorems.json", dump_index(kept))
    rows = [{**p.theorem.model_dump(exclude_none=True), "tactics": p.tactics} for p in replayed]
    store.write_json(f"{unit.root}/proofs.json", {"proofs": rows})
    write_pairs(store, f"{unit.root}/pairs.jsonl", filtered.pairs)
    facts = DataFacts(
        theorems=len(kept),
        pairs=len(filtered.pairs),
        failed=len(failed),
        unusable=len(unusable),
        theorems_equal_to_benchmark=len(theorems) - len(kept),
        proofs_equal_to_benchmark=len(known) - len(proofs),
    )
    report = {
        "proofs": len(proofs),
        "replayed": len(replayed),
        "failed": failed,
        "pairs": facts.pairs,
        "dropped": {str(reason): count for reason, count in filtered.dropped.items()},
        "theorems": facts.theorems,
        "unusable": unusable,
        "equal_to_benchmark": {
            "theorems": facts.theorems_equal_to_benchmark,
            "proofs": facts.proofs_equal_to_benchmark,
        },
    }
    store.write_json(f"{unit.root}/report.json", report)
    store.delete(f"{unit.root}/{REPLAYS}")
    return facts


def known_proofs(header: str) -> list[KnownProof]:
    """The shipped corpus, with its header spelled out."""
    return [KnownProof(t.theorem.with_header(header), t.tactics) for t in load_corpus()]


def read_proofs(store: Store, path: str) -> list[KnownProof]:
    rows = store.read_json(path)["proofs"]
    return [KnownProof(Theorem.model_validate(row, extra="ignore"), tuple(row["tactics"])) for row in rows]


WORK = Work(units, run)
