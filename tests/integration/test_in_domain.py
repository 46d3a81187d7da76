"""Theorems of the run's own index that are held out: nothing is trained on them, nor on what equals them, and they are evaluated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from burnqed.config import IN_DOMAIN, RunConfig
from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.proofs import PROOFS, WholeProof
from burnqed.data.sets.leaks import form
from burnqed.data.theorems import dump_index, parse_index
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.lean.core import DEFAULT_HEADER
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.protocol import Theorem
from burnqed.record import look, output
from burnqed.steps import evaluate
from burnqed.steps.base import Context, execute
from burnqed.steps.benchmark import known_lengths, read_benchmark
from burnqed.steps.data import read_pairs, read_proofs
from burnqed.steps.probed import known_easy
from burnqed.steps.table import step_named
from burnqed.store import Store

LAYOUT = Layout("main", 0)
BENCHMARK = LAYOUT.benchmark(IN_DOMAIN)


def context(folder: Path, **values: object) -> Context:
    config = RunConfig.model_validate({"data": {"generated": 0, "benchmark_theorems": 3, **values}, "select": {"min_depth": 1}, "lean": {"heartbeats": 20_000}})  # fmt: skip
    return Context(Store(str(folder / "store")), LAYOUT, config, folder)


async def made(at: Context) -> tuple[list[Theorem], set[str], set[str], set[str]]:
    """The held-out theorems; names of the theorems to search, of the known proofs, and of what there are pairs of."""
    await execute(step_named("benchmark"), at)
    await execute(step_named("data"), at)
    folder = output(at.store, LAYOUT.data)
    searched = {t.name for t in parse_index(at.store.read_text(f"{folder}/theorems.json"), folder)}
    proofs = {p.theorem.name for p in read_proofs(at.store, f"{folder}/proofs.json")}
    paired = {name for batch in read_pairs(at.store, LAYOUT.data) for name in batch["theorem"].to_pylist()}
    return read_benchmark(at.store, BENCHMARK), searched, proofs, paired


@pytest.mark.asyncio(loop_scope="session")
async def test_theorems_of_the_shipped_corpus_are_held_out_and_evaluated_beside_the_benchmark(
    steps_lean: EmbeddedLean, tmp_path: Path
) -> None:
    at = context(tmp_path, known_proofs=14, generated=6, in_domain=5)
    held_out, searched, proofs, paired = await made(at)
    names = {t.name for t in held_out}
    assert len(names) == 5
    assert not names & (searched | proofs | paired)
    assert len(searched) == 15
    assert {t.header for t in held_out} == {DEFAULT_HEADER}
    lengths = known_lengths(at.store, BENCHMARK)
    assert set(lengths) == {name for name in names if name.startswith("corpus::")}
    assert min(lengths.values()) >= 1
    easy = known_easy(at.store, steps_lean, at.config.lean, held_out, "")
    assert set(easy) <= names, "as the run probes what it searches, it has probed these"
    assert len(easy) >= 3
    assert evaluate.count(at.at(stage="final")) >= 1
    evaluated = {unit.source("benchmark") for unit in evaluate.units(at.at(stage="final"))}
    assert evaluated == {LAYOUT.benchmark("core"), BENCHMARK}


def proof(name: str, statement: str) -> WholeProof:
    return WholeProof(name=name, statement=statement, proof="intro n\nsimp", source="mine")


@pytest.mark.asyncio(loop_scope="session")
async def test_whatever_equals_a_held_out_theorem_or_has_its_name_is_left_out_of_proofs_pairs_and_index(
    steps_lean: EmbeddedLean, tmp_path: Path
) -> None:
    index = [Theorem(name=f"mine::t{i}", statement=f"∀ n : Nat, n + {i} + 0 = n + {i}") for i in range(4)]
    twins = [Theorem(name=f"twin::t{i}", statement=f"∀ m : Nat, m + {i} + 0 = m + {i}") for i in range(4)]
    (tmp_path / "index.json").write_text(dump_index([*index, *twins]), encoding="utf-8")
    files = Store(str(tmp_path))
    PROOFS.write(files, "proofs.parquet", [PROOFS.batch([proof(t.name, t.statement) for t in (*index, *twins)])])
    # pairs from a state that is nobody's statement: only their names say whose they are
    pairs = [TacticPair(theorem=t.name, state="h : 1 = 1\n⊢ True", tactic="trivial", source="s", depth=0) for t in (*index, *twins)]  # fmt: skip
    PAIRS.write(files, "pairs.parquet", [PAIRS.batch(pairs)])
    given = {"theorems": "index.json", "proofs": ["proofs.parquet"], "pairs": ["pairs.parquet"]}
    own = {name: [f"{tmp_path}/{v}" for v in value] if isinstance(value, list) else f"{tmp_path}/{value}" for name, value in given.items()}  # fmt: skip
    at = context(tmp_path, **own, in_domain=2)
    held_out, searched, proofs, paired = await made(at)
    names, forms = {t.name for t in held_out}, {form(t.statement) for t in held_out}
    assert len(names) == len(forms) == 2, "equal theorems are held out once"
    equal = {t.name for t in (*index, *twins) if form(t.statement) in forms}
    assert len(equal) == 4
    assert not equal & (searched | proofs | paired)
    assert searched == {t.name for t in (*index, *twins)} - equal


@pytest.mark.asyncio(loop_scope="session")
async def test_more_than_half_of_an_index_cannot_be_held_out(tmp_path: Path) -> None:
    at = context(tmp_path, known_proofs=6, in_domain=4)
    with pytest.raises(BadInput, match=r"data\.in_domain holds out 4 theorems, and the index has \d that differ"):
        await execute(step_named("benchmark"), at)


def test_no_benchmark_may_have_its_name() -> None:
    with pytest.raises(ValueError, match="'in-domain' is the benchmark of the theorems that"):
        RunConfig.model_validate({"data": {"benchmarks": {"in-domain": "shipped"}}})


@pytest.mark.asyncio(loop_scope="session")
async def test_theorems_are_held_out_of_a_run_from_the_start_or_not_at_all(
    tmp_path: Path, steps_lean: EmbeddedLean
) -> None:
    at = context(tmp_path, known_proofs=6, in_domain=2)
    found = f"{LAYOUT.trajectories('replay')}/shard/part.parquet"
    at.store.write_text(found, "what a search found")
    with pytest.raises(
        BadInput, match=r"data\.in_domain=2 would hold theorems out that the run 'main' may have searched"
    ):
        await execute(step_named("benchmark"), at)
    assert look(at.store, BENCHMARK)[0] is None
    at.store.delete(found)
    await execute(step_named("benchmark"), at)
    at.store.write_text(found, "what a search found")
    await execute(step_named("benchmark"), replace(at, redo=frozenset(["benchmark"])))
    with pytest.raises(BadInput, match="from the start, in a new run"):
        await execute(step_named("benchmark"), context(tmp_path, known_proofs=6, in_domain=3))
