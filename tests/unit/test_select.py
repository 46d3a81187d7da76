"""The theorems that an iteration searches, with a scripted Lean."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.data.theorems import dump_index
from burnqed.errors import BadInput, TryAgain
from burnqed.key import Key
from burnqed.layout import Layout, shard_folder
from burnqed.lean.core import PROBE_TACTICS
from burnqed.lean.protocol import TacticStatus, Theorem
from burnqed.proof_search.probes import all_at_once
from burnqed.record import write_record
from burnqed.resolve import resolve
from burnqed.steps import select
from burnqed.steps.base import Context
from burnqed.store import Store
from burnqed.trajectory.rows import SearchResult, StateRow
from burnqed.trajectory.schema import ProofStatus, TheoremResult
from burnqed.trajectory.writer import ShardWriter
from tests.fixtures.scripted import ScriptedLean

WANTED = 4
EASY = [f"easy{i}" for i in range(10)]
HARD = [f"hard{i}" for i in range(10)]


@pytest.fixture
def lean(monkeypatch: pytest.MonkeyPatch) -> ScriptedLean:
    """Proves the easy theorems by the probes."""
    scripted = ScriptedLean({name: {f"{all_at_once(PROBE_TACTICS)}\ndone": ""} for name in EASY}, capacity=1)

    @asynccontextmanager
    async def opened(config: object) -> AsyncIterator[ScriptedLean]:
        yield scripted

    monkeypatch.setattr(select, "open_lean", opened)
    return scripted


def finish(store: Store, prefix: str) -> None:
    write_record(store, prefix, Key(step="s", version=1), RunConfig(), {}, datetime.now(UTC), dollars_per_hour=0)


def context(store: Store, iteration: int = 0, pool: str = "new", **options: object) -> Context:
    overrides = [f"select.theorems={WANTED}", f"select.pool={pool}", "search.noise=false"]
    config = resolve("default", overrides).config
    layout = Layout("main", iteration)
    if not store.exists(f"{layout.data}/theorems.json"):
        theorems = [Theorem(name=name, statement=name) for name in (*EASY, *HARD)]
        store.write_text(f"{layout.data}/theorems.json", dump_index(theorems))
        finish(store, layout.data)
    return Context(store, layout, config, Path("/nonexistent"), **options)  # type: ignore[arg-type]


async def selected(store: Store, iteration: int, pool: str = "new") -> select.Selection:
    await select.run(where := context(store, iteration, pool), select.units(where)[0])
    finish(store, where.layout.selection)
    return select.read_selection(store, where.layout.selection)


async def test_iterations_share_out_the_theorems_that_resist_the_probes(tmp_path: Path, lean: ScriptedLean) -> None:
    store = Store(str(tmp_path))
    found = [await selected(store, iteration) for iteration in range(3)]
    names = [[t.name for t in selection.theorems] for selection in found]
    assert [len(chosen) for chosen in names] == [WANTED, WANTED, 2], "the last gets what is left"
    assert sorted(name for chosen in names for name in chosen) == HARD
    left_out = [name for selection in found for name in selection.probe_easy]
    assert sorted(left_out) == EASY, "each was tried once"
    assert lean.open == []
    with pytest.raises(BadInput, match="No theorem is left for iteration 3"):
        await selected(store, 3)


async def test_a_selection_that_is_stopped_ends_though_lean_is_busy_and_writes_nothing(
    tmp_path: Path, lean: ScriptedLean
) -> None:
    lean.seconds = 3_600
    where = context(Store(str(tmp_path)))
    asyncio.get_running_loop().call_later(0.05, where.stop.set)
    with pytest.raises(TryAgain, match="starts it again"):
        await select.run(where, select.units(where)[0])
    assert not where.store.exists(f"{where.layout.selection}/selection.json")
    assert lean.open == [], "what was open is released"


def searched(store: Store, iteration: int, theorems: Sequence[Theorem], proved: Collection[str]) -> None:
    """A finished search that proves some of the theorems."""
    prefix = shard_folder(Layout("main", iteration).trajectories("main"), 0, 1)
    writer = ShardWriter(store, prefix, theorems, per_part=8, run="main", iteration=iteration, samples=1, seed=0)
    for task in writer.pending():
        status = ProofStatus.PROVED if task.theorem.name in proved else ProofStatus.UNPROVED
        root = StateRow(0, None, 0, None, TacticStatus.OK, "⊢ True", 1, task.seed)
        outcome = TheoremResult(name=task.theorem.name, status=status, nodes_at_proof=1)
        writer.add(SearchResult(task.theorem, outcome, [root]))
    writer.finish()
    finish(store, prefix)


async def test_what_was_searched_in_vain_comes_first_and_what_is_proved_never_again(
    tmp_path: Path, lean: ScriptedLean
) -> None:
    store = Store(str(tmp_path))
    names: list[list[str]] = []
    for iteration in range(3):
        chosen = (await selected(store, iteration, "unsolved")).theorems
        names.append([t.name for t in chosen])
        searched(store, iteration, chosen, names[-1][:3])
    first, second, third = names
    assert second[0] == first[3], "the only one that was not proved"
    assert third[0] == second[3]
    assert not set(second[1:]) & set(first)
    assert not set(third[1:]) & {*first, *second}


async def test_every_iteration_may_search_the_same(tmp_path: Path, lean: ScriptedLean) -> None:
    store = Store(str(tmp_path))
    found = [await selected(store, iteration, "same") for iteration in range(3)]
    assert len(found[0].theorems) == WANTED
    assert found[0].theorems == found[1].theorems == found[2].theorems
