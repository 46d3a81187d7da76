"""Exactly once: whatever cuts the writer off, the parts hold every search once in the end, and never twice."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from burnqed.lean.protocol import TacticStatus, Theorem
from burnqed.store import Store
from burnqed.trajectory.reader import read_part, theorem_results
from burnqed.trajectory.rows import SearchResult, StateRow, Task
from burnqed.trajectory.schema import ProofStatus, TheoremResult
from burnqed.trajectory.writer import ShardWriter

THEOREMS = [Theorem(name=f"t{i:02}", statement="True") for i in range(10)]
PARTS = [f"s/part-0000{k}.parquet" for k in range(4)]


def writer(store: Store, theorems: Sequence[Theorem] = THEOREMS, samples: int = 1, per_part: int = 3) -> ShardWriter:
    return ShardWriter(store, "s", theorems, per_part=per_part, run="r", iteration=1, samples=samples, seed=5)


def result(task: Task, status: ProofStatus = ProofStatus.UNPROVED, reason: str = "budget") -> SearchResult:
    outcome = TheoremResult(
        name=task.theorem.name, status=status, reason=reason, attempt=task.attempt, sample=task.sample
    )
    root = StateRow(0, None, 0, None, TacticStatus.OK, "⊢ True", 1, task.seed)
    child = StateRow(1, 0, 1, "trivial", TacticStatus.ERROR, None, None, task.seed)
    return SearchResult(task.theorem, outcome, [root, child])


def written(store: Store) -> list[TheoremResult]:
    """Root rows of all parts that are there, without de-duplication."""
    return [r for path in store.list("s") for r in theorem_results(read_part(store, path))]


def test_part_k_holds_theorems_km_to_km_plus_m_minus_1_of_the_sorted_list(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    shuffled = random.Random(3).sample(THEOREMS, len(THEOREMS))
    out = writer(store, shuffled)
    assert [t.theorem.name for t in out.pending()] == [t.name for t in THEOREMS]
    for task in random.Random(4).sample(out.pending(), len(THEOREMS)):
        out.add(result(task))
    assert out.finish() == PARTS == store.list("s")
    names = [[r.name for r in theorem_results(read_part(store, path))] for path in PARTS]
    assert names == [[t.name for t in THEOREMS[k : k + 3]] for k in (0, 3, 6, 9)]
    assert {r["seed"] for r in read_part(store, PARTS[0], ["seed"]).to_pylist()} == {5}


def test_a_part_appears_when_all_its_searches_are_finished(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    out = writer(store)
    tasks = out.pending()
    for task in [tasks[0], tasks[2], tasks[9]]:
        out.add(result(task))
    assert store.list("s") == [PARTS[3]]
    out.add(result(tasks[1]))
    assert store.list("s") == [PARTS[0], PARTS[3]]


@pytest.mark.parametrize(("before", "after"), [(3, 5), (5, 3), (2, 10), (10, 1)])
def test_what_a_writer_with_other_parts_left_is_divided_anew(tmp_path: Path, before: int, after: int) -> None:
    store = Store(str(tmp_path))
    first = writer(store, per_part=before)
    for task in first.pending()[:7]:
        first.add(result(task))
    first.flush_open()
    second = writer(store, per_part=after)
    assert [t.theorem.name for t in second.pending()] == ["t07", "t08", "t09"]
    assert sorted(r.name for r in written(store)) == [f"t{i:02}" for i in range(7)] == [r.name for r in second.found]
    for task in second.pending():
        second.add(result(task))
    assert second.finish() == store.list("s")
    assert sorted(r.name for r in written(store)) == [t.name for t in THEOREMS]


def test_an_unfinished_shard_does_not_finish(tmp_path: Path) -> None:
    out = writer(Store(str(tmp_path)))
    out.add(result(out.pending()[0]))
    with pytest.raises(ValueError, match="9 searches"):
        out.finish()


def test_an_open_part_is_flushed_with_what_is_finished_and_completed_later(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    first = writer(store)
    for task in [first.pending()[i] for i in (0, 1, 4)]:
        first.add(result(task))
    first.flush_open()
    assert [r.name for r in written(store)] == ["t00", "t01", "t04"]

    second = writer(store)
    assert sorted(r.name for r in second.found) == ["t00", "t01", "t04"]
    assert [t.theorem.name for t in second.pending()] == ["t02", "t03", "t05", "t06", "t07", "t08", "t09"]
    for task in second.pending():
        second.add(result(task))
    assert second.finish() == PARTS
    assert sorted(r.name for r in written(store)) == [t.name for t in THEOREMS]


def test_an_error_is_tried_once_more_by_the_next_run_and_replaced(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    first = writer(store)
    for task in first.pending():
        bad = task.theorem.name in ("t01", "t02")
        first.add(result(task, ProofStatus.ERROR if bad else ProofStatus.UNPROVED, "Lean failed at the start"))
    first.finish()

    second = writer(store)
    assert [(t.theorem.name, t.attempt) for t in second.pending()] == [("t01", 1), ("t02", 1)]
    second.add(result(second.pending()[0], ProofStatus.PROVED))
    second.flush_open()  # cut off before t02: its first error still stands
    assert [(r.name, r.status, r.attempt) for r in written(store)][:3] == [
        ("t00", ProofStatus.UNPROVED, 0),
        ("t01", ProofStatus.PROVED, 1),
        ("t02", ProofStatus.ERROR, 0),
    ]

    third = writer(store)
    (task,) = third.pending()
    third.add(result(task, ProofStatus.ERROR, "Lean failed at the start"))
    third.finish()
    assert writer(store).pending() == [], "two attempts are enough"
    assert Counter(r.name for r in written(store)) == Counter(t.name for t in THEOREMS)


def test_every_sample_of_a_theorem_lies_in_its_part(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    out = writer(store, samples=2)
    assert len(out.pending()) == 20
    for task in out.pending()[:5]:
        out.add(result(task))
    assert store.list("s") == []
    out.flush_open()
    resumed = writer(store, samples=2)
    assert len(resumed.pending()) == 15
    for task in resumed.pending():
        resumed.add(result(task))
    assert Counter((r.name, r.sample) for r in written(store)) == Counter((t.name, s) for t in THEOREMS for s in (0, 1))


@pytest.mark.parametrize("seed", range(40))
def test_any_order_of_results_flushes_and_restarts_ends_with_every_search_once(tmp_path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    store = Store(str(tmp_path))
    theorems = THEOREMS[: random_.randint(1, 10)]
    for _ in range(200):
        out = writer(store, theorems)
        tasks = random_.sample(out.pending(), len(out.pending()))
        for task in tasks[: random_.randint(0, 4)]:
            out.add(result(task, ProofStatus(random_.choice(["proved", "unproved", "error"]))))
            assert max(Counter(r.name for r in written(store)).values(), default=1) == 1
        if random_.random() < 0.5:
            out.flush_open()
        if not out.pending() and not writer(store, theorems).pending():
            break
    assert [r.name for r in written(store)] == [t.name for t in theorems]


KILLS = """
import os, shutil, signal, sys
from burnqed.store import Store
from burnqed.trajectory.rows import Task, to_table
from tests.unit.test_trajectory_writer import MOMENTS, THEOREMS, WRITES, result, writer

class Dying(Store):
    writes = 0
    def write_bytes(self, path, data):
        now = moment if self.writes == point else ""
        if now == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        if now == "during":
            os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        super().write_bytes(path, data)
        if now == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        self.writes += 1

def run(folder):  # in a fork of this process, which has imported everything and started no thread
    if child := os.fork():
        return os.waitpid(child, 0)[1]
    out = writer(Dying(folder))
    for number, task in enumerate(out.pending()[::-1]):
        out.add(result(task))
        if number % 4 == 2:
            out.flush_open()
    out.finish()
    os._exit(0)

to_table(result(Task(THEOREMS[0])), "r", 1)  # imports all that the first row needs
for moment in MOMENTS:
    for point in range(WRITES):
        folder = f"{sys.argv[1]}/{moment}-{point}"
        assert run(folder) == signal.SIGKILL
        os.makedirs(folder, exist_ok=True)
        shutil.copytree(folder, folder + "-killed")
        point = -1
        assert run(folder) == 0
point = WRITES
assert run(f"{sys.argv[1]}/unharmed") == 0
"""
MOMENTS = ("before", "during", "after")
WRITES = 5
"""Of one undisturbed run: four parts, one of them flushed once while it was open."""


def test_kill_9_at_every_write_leaves_every_search_at_most_once_and_a_restart_completes_it(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLS, str(tmp_path)], cwd=Path(__file__).parents[2], check=True)
    for moment in MOMENTS:
        for point in range(WRITES):
            killed = Counter(r.name for r in written(Store(f"{tmp_path}/{moment}-{point}-killed")))
            assert len(killed) < len(THEOREMS) or (moment, point) == ("after", WRITES - 1)
            assert set(killed.values()) <= {1}
            assert [r.name for r in written(Store(f"{tmp_path}/{moment}-{point}"))] == [t.name for t in THEOREMS]


def test_the_statistics_of_a_result_survive_the_store(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    out = writer(store, THEOREMS[:1])
    found = result(out.pending()[0])
    found.result = found.result.model_copy(
        update={"statistics": found.result.statistics.model_copy(update={"lean_errors": {"timeout": 3}})}
    )
    out.add(found)
    assert json.loads(read_part(store, PARTS[0])["statistics"][0].as_py())["lean_errors"] == {"timeout": 3}
    assert written(store)[0].statistics.lean_errors == {"timeout": 3}
