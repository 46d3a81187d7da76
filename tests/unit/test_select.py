"""The theorems that an iteration searches, with a scripted Lean."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.data.theorems import dump_index
from burnqed.errors import BadInput, TryAgain
from burnqed.key import Key
from burnqed.layout import PROBES, Layout, shard_folder
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

    monkeypatch.setattr(select, "open_lean", lambda _: scripted)
    return scripted


def finish(store: Store, prefix: str) -> None:
    write_record(store, prefix, Key(step="s", version=1), RunConfig(), {}, datetime.now(UTC), dollars_per_hour=0)


def context(
    store: Store, iteration: int = 0, pool: str = "new", *settings: str, run: str = "main", names: Sequence[str] = ()
) -> Context:
    overrides = [f"select.theorems={WANTED}", f"select.pool={pool}", "search.noise=false", *settings]
    config = resolve("default", overrides).config
    layout = Layout(run, iteration)
    if not store.exists(f"{layout.data}/theorems.json"):
        theorems = [Theorem(name=name, statement=name) for name in names or (*EASY, *HARD)]
        store.write_text(f"{layout.data}/theorems.json", dump_index(theorems))
        finish(store, layout.data)
    return Context(store, layout, config, Path("/nonexistent"))


async def selected(
    store: Store, iteration: int, pool: str = "new", *settings: str, run: str = "main", names: Sequence[str] = ()
) -> select.Selection:
    where = context(store, iteration, pool, *settings, run=run, names=names)
    await select.run(where, select.units(where)[0])
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
    with pytest.raises(TryAgain, match="continues it"):
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


# ---- quotas


def of_sources(selection: select.Selection) -> dict[str, int]:
    return dict(Counter(t.name.partition("::")[0] for t in selection.theorems))


SOURCES = [f"{source}::{i}" for source, number in (("github", 5), ("workbook", 9), ("own", 9)) for i in range(number)]


@pytest.mark.parametrize(
    ("quotas", "found"),
    [
        ("{github: 0.5, workbook: 1}", {"github": 4, "workbook": 1, "own": 3}),
        ("{github: 0.3, own: 0.7}", {"github": 2, "own": 6}),
        ("{github: 8, workbook: 0}", {"github": 5, "own": 3}),
        ("{github: 0, own: 0}", {"workbook": 8}),
        ("{github: 2, workbook: 1, own: 0}", {"github": 2, "workbook": 1}),
    ],
)
async def test_a_source_gets_its_quota_and_the_others_share_the_rest(
    tmp_path: Path, lean: ScriptedLean, quotas: str, found: dict[str, int]
) -> None:
    settings = ("select.theorems=8", f"select.quotas={quotas}")
    store = Store(str(tmp_path))
    first = await selected(store, 0, "new", *settings, names=SOURCES)
    assert of_sources(first) == found
    second = await selected(store, 1, "new", *settings)
    assert not {t.name for t in first.theorems} & {t.name for t in second.theorems}


async def test_quotas_also_hold_for_what_was_searched_in_vain(tmp_path: Path, lean: ScriptedLean) -> None:
    store, settings = Store(str(tmp_path)), ("select.theorems=4", "select.quotas={github: 0.5}")
    first = await selected(store, 0, "unsolved", "select.theorems=20", names=SOURCES)
    searched(store, 0, first.theorems, [])
    second = await selected(store, 1, "unsolved", *settings)
    assert of_sources(second)["github"] == 2
    assert {t.name for t in second.theorems} <= {t.name for t in first.theorems}


@pytest.mark.parametrize("quotas", ["{a: 0.7, b: 0.4}", "{a: 5}", "{a: -1}", "{a: 1.5}", "{a: many}"])
def test_quotas_that_cannot_be_met_are_bad_input(quotas: str) -> None:
    with pytest.raises(BadInput, match=r"select\.quotas"):
        resolve("default", ["select.theorems=4", f"select.quotas={quotas}"])


# ---- what probing found


async def test_no_theorem_is_probed_twice_by_one_lean_whatever_the_run(tmp_path: Path, lean: ScriptedLean) -> None:
    store = Store(str(tmp_path))
    first = await selected(store, 0)
    probes = lean.calls.total()
    assert probes
    assert (await selected(store, 0, run="other")).theorems == first.theorems
    assert lean.calls.total() == probes
    await selected(store, 0, "new", "lean.heartbeats=7", run="heartbeats")
    assert lean.calls.total() == 2 * probes, "at other limits it may be otherwise"
    lean.version = "another"
    await selected(store, 0, run="another")
    assert lean.calls.total() == 3 * probes


async def test_a_file_that_is_not_what_probing_writes_is_left_out(tmp_path: Path, lean: ScriptedLean) -> None:
    store = Store(str(tmp_path))
    first = await selected(store, 0)
    (file,) = store.list(PROBES)
    store.write_text(file, "PAR1 no")
    assert (await selected(store, 0, run="other")).theorems == first.theorems


async def test_what_ran_out_of_time_counts_as_hard_and_is_tried_again_next_time(
    tmp_path: Path, lean: ScriptedLean
) -> None:
    store, block = Store(str(tmp_path)), f"{all_at_once(PROBE_TACTICS)}\ndone"
    lean.script = {name: {block: TacticStatus.TIMEOUT} for name in EASY}
    slow = await selected(store, 0, names=EASY)
    assert [slow.probe_easy, len(slow.theorems)] == [[], WANTED]
    lean.script = {name: {block: ""} for name in EASY}
    with pytest.raises(BadInput, match="No theorem is left"):
        await selected(store, 0, run="quick", names=EASY)


# ---- the pool of theorems with known proofs


async def test_the_contrastive_pool_has_the_theorems_with_longer_known_proofs(
    tmp_path: Path, lean: ScriptedLean
) -> None:
    store = Store(str(tmp_path))
    proofs = [{"name": name, "statement": name, "tactics": ["skip"] * i} for i, name in enumerate(HARD[:5])]
    store.write_json("main/data/proofs.json", {"proofs": proofs})
    found = await selected(store, 0, "contrastive")
    assert {t.name for t in found.theorems} == {HARD[3], HARD[4]}
    with pytest.raises(BadInput, match="No theorem is left for iteration 1"):
        await selected(store, 1, "contrastive")
