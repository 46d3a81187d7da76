"""data: the theorems to search, and the pairs to train on: those that known proofs yield when replayed through Lean, and given ones.

Known proofs are the shipped corpus, or those of `data.proofs`; pairs of `data.pairs` come as they are, and some of their theorems are proved again.
Pairs, proofs and theorems whose statement is in a benchmark are left out, those of the index that are held out (`data.in_domain`) among them. Writes theorems.json (a theorem index), proofs.json (known proofs that
replay), pairs.parquet, report.json. Where prompts offer lemmas of the library (`policy.lemmas`), it also lists those, as another unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa

from burnqed.config import IN_DOMAIN
from burnqed.data.filters import Dropped, PairFilter
from burnqed.data.importing import failing
from burnqed.data.pairs import PAIRS
from burnqed.data.sets.leaks import Held
from burnqed.data.theorems import dump_index
from burnqed.data.trace.kept import replay_kept
from burnqed.data.trace.reassemble import reassembled
from burnqed.data.trace.replay import KnownProof, replay_all
from burnqed.errors import BadInput
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import LeanBackend, Theorem
from burnqed.log import log
from burnqed.progress import Progress
from burnqed.record import look, output
from burnqed.steps import lemmas
from burnqed.steps.base import Context, Unit, Work, key_of
from burnqed.steps.benchmark import read_benchmark
from burnqed.steps.facts import DataFacts, LemmaFacts
from burnqed.steps.given import given
from burnqed.steps.indices import default_header, read_configured
from burnqed.steps.known import Where, contents, generated, is_own, known_with_origins, traced
from burnqed.steps.table import step_named
from burnqed.store import Store

ORDINARY = {"tactic_timeout_s": 300.0, "check_timeout_s": 300.0, "heartbeats": 200_000}
"""Limits for statements of others; Lean's own, not the configuration's, which may change without the data being made again."""
PATIENT = {"tactic_timeout_s": 900.0, "check_timeout_s": 900.0, "heartbeats": 0}
"""For our proofs, which terminate: with lower limits a slow machine would lose some."""
REPLAYS = "replayed"
"""Folder that keeps the replays until everything made from them is written."""


def units(context: Context) -> list[Unit]:
    return [data_unit(context), *lemmas.units(context)]


def data_unit(context: Context) -> Unit:
    layout = context.layout
    benchmarks = [layout.benchmark(name) for name in context.config.data.evaluated]
    configured = Unit(layout.data, {"benchmarks": benchmarks}, parameters=contents(context))
    step = step_named("data")
    record, damage = look(context.store, layout.data)
    if record is None or damage or step.name in context.redo:
        return configured
    # Adding a benchmark later does not change the training: data made without it stay in force, unless redone anyway.
    before = replace(configured, sources={"benchmarks": tuple(record.key.inputs)})
    digests = {prefix: found.digest for prefix in before.inputs if (found := look(context.store, prefix)[0])}
    stands = not key_of(step, context, before, digests).difference(record.key)
    return before if stands else configured


@dataclass
class Origin:
    """Pairs of one origin, before and after the filter."""

    kind: str
    """`corpus`, `proofs` or `pairs`."""
    batches: Callable[[], Iterator[pa.RecordBatch]]
    weight: float = 1.0
    pairs: int = 0
    """Kept."""


async def run(context: Context, unit: Unit) -> DataFacts | LemmaFacts | None:
    if unit.name == lemmas.NAME:
        return await lemmas.write(context, unit)
    config, store = context.config, context.store
    benchmarks = {prefix: read_benchmark(store, prefix) for prefix in unit.inputs}
    held = Held(benchmarks)
    header = default_header(context)
    configured_theorems: list[Theorem] = []
    unusable: dict[str, str] = {}
    if location := config.data.theorems:
        configured_theorems = read_configured(context, location)
        async with open_lean(config.lean.model_copy(update=ORDINARY)) as lean:
            unusable = await failing(configured_theorems, lean, location, context.stop)
        if context.stop.is_set():
            return None
    known, origins = known_with_origins(context, header)
    held_out = names_of(
        benchmarks.get(context.layout.benchmark(IN_DOMAIN), []), [*configured_theorems, *(p.theorem for p in known)]
    )
    proofs = [p for p in known if p.theorem.name not in held_out and not held.leak(p.theorem.statement)]
    raw = Store(str(context.workdir / "pairs"))
    filter = PairFilter(config.data, held.leak_of_state if is_own(context) else None)
    filter.rejected = dict.fromkeys(held_out, Dropped.BENCHMARK)
    async with open_lean(config.lean.model_copy(update=PATIENT)) as lean:
        replayed, failed = await replay_into(raw, context, unit, proofs, origins, lean)
        if context.stop.is_set():
            return None
        sources = [
            Origin(kind, partial(PAIRS.read, raw, f"{number}.parquet"), weight)
            for number, (kind, weight) in enumerate(dict.fromkeys(where for where, _ in origins.values()))
        ] + [Origin("pairs", g.pairs, g.weight) for g in given(context, config.data.pairs)]
        for source in sources:
            for batch in source.batches():
                filter.look(batch)
        again, not_again = await reprove(context, header, held, filter, replayed, lean)
        if context.stop.is_set():
            return None
    PAIRS.write(store, f"{unit.root}/pairs.parquet", kept_of(sources, filter))
    if not (count := sum(source.pairs for source in sources)):
        raise BadInput(
            "No pair is left to train on: no known proof replays, or none passes the filters of the section data; see the messages above."
        )
    replayed += again
    theorems = [t for t in configured_theorems if t.name not in unusable] or [
        *(p.theorem for p in replayed if len(p.tactics) >= config.select.min_depth),
        *generated(context, header),
    ]
    kept = [t for t in theorems if t.name not in held_out and not held.leak(t.statement)]
    if not kept:
        equal = "Every theorem to search is also in a benchmark" if theorems else "No proof gives a theorem to search"
        raise BadInput(f"{equal}; give another index with --theorems.")
    store.write_text(f"{unit.root}/theorems.json", dump_index(kept))
    rows = [{**p.theorem.model_dump(exclude_none=True), "tactics": p.tactics} for p in replayed]
    store.write_json(f"{unit.root}/proofs.json", {"proofs": rows})
    facts = DataFacts(
        theorems=len(kept),
        pairs=count,
        failed=len(failed),
        reproved=len(again),
        unusable=len(unusable),
        theorems_equal_to_benchmark=len(theorems) - len(kept),
        proofs_equal_to_benchmark=len(known) - len(proofs),
    )
    report = {
        "proofs": len(proofs),
        "replayed": len(replayed) - len(again),
        "failed": failed,
        "reproved": len(again),
        "not_reproved": not_again,
        "pairs": facts.pairs,
        "origins": [{"kind": s.kind, "weight": s.weight, "pairs": s.pairs} for s in sources],
        "dropped": {str(reason): count for reason, count in filter.dropped.items()},
        "theorems": facts.theorems,
        "held_out": sorted(held_out),
        "unusable": unusable,
        "equal_to_benchmark": {
            "theorems": facts.theorems_equal_to_benchmark,
            "proofs": facts.proofs_equal_to_benchmark,
        },
    }
    store.write_json(f"{unit.root}/report.json", report)
    store.delete(f"{unit.root}/{REPLAYS}")
    return facts


def names_of(held_out: Sequence[Theorem], others: Sequence[Theorem]) -> set[str]:
    """The names of the theorems of the index that are held out, and of those that equal them: pairs of these names are theirs, however their states are printed."""
    held = Held({IN_DOMAIN: held_out})
    return {t.name for t in held_out} | {t.name for t in others if held.leak(t.statement)}


async def replay_into(
    raw: Store,
    context: Context,
    unit: Unit,
    proofs: Sequence[KnownProof],
    origins: Mapping[str, tuple[Where, str]],
    lean: LeanBackend,
) -> tuple[list[KnownProof], dict[str, str]]:
    """Replays proofs and writes their pairs to `N.parquet`, one file for each origin; returns those that replay, and why others do not."""
    replayed: list[KnownProof] = []
    failed: dict[str, str] = {}
    numbers = {where: number for number, where in enumerate(dict.fromkeys(where for where, _ in origins.values()))}
    with Progress(len(proofs), "replay", "proofs") as progress, ExitStack() as stack:
        writers = [stack.enter_context(PAIRS.writer(raw, f"{number}.parquet")) for number in numbers.values()]
        replays = replay_kept(proofs, lean, context.store, f"{unit.root}/{REPLAYS}", source="corpus")
        async for proof, result in replays:
            where, source = origins[result.name]
            if result.error:
                failed[result.name] = result.error
                log.warning("%s does not replay and is left out: %s", result.name, result.error)
            else:
                pairs = [pair.model_copy(update={"source": source}) for pair in result.pairs]
                writers[numbers[where]].write(PAIRS.batch(pairs))
                replayed.append(proof)
            progress.advance(replayed=len(replayed))
            if context.stop.is_set():
                break
    return replayed, failed


async def reprove(
    context: Context, header: str, held: Held, filter: PairFilter, known: Sequence[KnownProof], lean: LeanBackend
) -> tuple[list[KnownProof], dict[str, str]]:
    """Theorems of the given pairs that their own tactics prove again; and why others are not."""
    names, theorems = {p.theorem.name for p in known}, traced(context)
    wanted: list[KnownProof] = []
    failed: dict[str, str] = {}
    for steps in theorems:
        name = steps[0].theorem
        if name in names or name in filter.rejected:
            continue
        proof = reassembled(steps, header)
        if proof is None:
            failed[name] = "its pairs are not one line of tactics from a single goal"
        elif not held.leak(proof.theorem.statement):
            wanted.append(proof)
    again: list[KnownProof] = []
    with Progress(len(wanted), "prove again", "theorems") as progress:
        async for result in replay_all(wanted, lean):
            if result.error:
                failed[result.proof.theorem.name] = result.error
            else:
                again.append(result.proof)
            progress.advance(proved=len(again))
            if context.stop.is_set():
                break
    if theorems:
        log.info("%d of %d theorems of the given pairs are proved again by their tactics", len(again), len(wanted))
    return again, failed


def kept_of(sources: Sequence[Origin], filter: PairFilter) -> Iterator[pa.RecordBatch]:
    """The pairs to train on, counted by origin."""
    for source in sources:
        for batch in source.batches():
            kept = filter.keep(batch)
            source.pairs += len(kept)
            yield kept


def read_pairs(store: Store, prefix: str) -> Iterator[pa.RecordBatch]:
    """The pairs of a finished output of this step; earlier versions wrote JSON lines."""
    paths = [f"{output(store, prefix)}/{name}" for name in ("pairs.parquet", "pairs.jsonl")]
    return PAIRS.read(store, next(filter(store.exists, paths), paths[0]))


def read_proofs(store: Store, path: str) -> list[KnownProof]:
    rows = store.read_json(path)["proofs"]
    return [KnownProof(Theorem.model_validate(row, extra="ignore"), tuple(row["tactics"])) for row in rows]


WORK = Work(units, run)
