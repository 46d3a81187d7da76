"""What the head learns from: positives, their siblings, and other states, out of trajectories."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from burnqed.data.pairs import TacticPair
from burnqed.store import Store
from burnqed.train.examples import COLUMNS, HeadExamples
from burnqed.train.known_paths import known_paths
from burnqed.trajectory.reader import read_part
from burnqed.trajectory.rows import to_table
from tests.fixtures.head_examples import NARROW, Positive, random_trajectories, slowly, spelled_out, texts_of
from tests.unit.test_trajectory import searched


def rows(
    theorem: str, *states: tuple[int, int | None, str | None, bool], sample: int = 0, visited: Sequence[int] = ()
) -> pa.Table:
    """One search: depth, parent, state (empty: no goals left) and whether it is on the proof's path, of each row; `visited` are rows in the order of their expansion."""
    return pa.Table.from_pylist(
        [
            {"theorem": theorem, "sample": sample, "state_id": i, "parent_id": parent, "depth": depth, "state": state, "is_terminal": state == "", "on_proof_path": on_path, "visit_order": visited.index(i) if i in visited else None}
            for i, (depth, parent, state, on_path) in enumerate(states)
        ],
        schema=NARROW,
    )  # fmt: skip


def proof_by(state: str, *siblings: str) -> pa.Table:
    """A proof of t from g by a state with siblings."""
    others = [(1, 0, sibling, False) for sibling in siblings]
    return rows("t", (0, None, "g", True), (1, 0, state, True), (2, 1, "", True), *others)


async def test_positives_are_the_children_on_the_path_with_their_distinct_siblings() -> None:
    positives, states = spelled_out(HeadExamples.from_tables([to_table(await searched("t"), "run", 0)]))
    # neither a transposition to the path (twice, back) nor what failed is a negative; the finished child is no choice
    first, second = Positive("t", "A", "X", 1, ("Y",), remaining=2), Positive("t", "A", "Z", 2, ("W",), ("X",), ("Y",))
    assert positives == [first, second]  # Y was expanded before Z, with which it tied
    assert states == {"t": ("Y", "W", "V")}


async def test_states_of_unproved_theorems_are_others() -> None:
    found = HeadExamples.from_tables([to_table(await searched("u", "Y"), "run", 0)])
    assert spelled_out(found) == ([], {"u": ("Y",)})


async def test_samples_of_one_theorem_do_not_mix_and_count_once() -> None:
    both = pa.concat_tables([to_table(await searched("t", sample=s), "run", 0) for s in (0, 1)])
    one = HeadExamples.from_tables([both.slice(0, len(both) // 2)])
    assert spelled_out(HeadExamples.from_tables([both])) == spelled_out(one)


def test_a_state_on_one_proof_is_no_negative_of_another_search() -> None:
    other = rows("u", (0, None, "h", False), (1, 0, "a", False))
    positives, states = spelled_out(HeadExamples.from_tables([proof_by("a", "b", "c"), proof_by("b", "a", "d"), other]))
    assert {p.state: p.siblings for p in positives} == {"a": ("c",), "b": ("d",)}
    assert {theorem: set(found) for theorem, found in states.items()} == {"t": {"c", "d"}, "u": {"h", "a"}}


def test_a_state_from_which_what_was_tried_leads_to_the_end_is_no_negative() -> None:
    """Whether it comes back to the proof (b, by another search), ends by itself (c), or comes to one of these (d); not where the check refused the end (r), or nothing came of it (e)."""
    found = rows(
        "t", (0, None, "g", True), (1, 0, "a", True), (2, 1, "", True), *((1, 0, s, False) for s in "bcdre"), (2, 4, "", False), (2, 6, "", False),
        (2, 5, "c", False), (2, 7, "f", False),
    )  # fmt: skip
    reasons = pa.array(["refused" if row == 9 else None for row in range(len(found))], pa.string())
    found = found.set_column(found.column_names.index("reason"), "reason", reasons)
    again = rows("t", (0, None, "b", False), (1, 0, "a", False), sample=1)
    positives, states = spelled_out(HeadExamples.from_tables([found, again]))
    assert [(p.state, p.siblings) for p in positives] == [("a", ("r", "e"))]
    assert states == {"t": ("r", "e", "f")}
    of_another = again.set_column(0, "theorem", pa.array(["u"] * 2, pa.string()))
    assert spelled_out(HeadExamples.from_tables([found, of_another]))[0][0].siblings == ("b", "r", "e")


def test_the_same_choice_found_twice_counts_once_with_the_siblings_of_both() -> None:
    found = HeadExamples.from_tables([proof_by("a", "b"), proof_by("a", "c", "b")])
    assert spelled_out(found)[0] == [Positive("t", "g", "a", 1, ("b", "c"))]
    assert sorted(found.texts) == ["a", "b", "c", "g"]


def test_what_the_search_of_the_proof_expanded_before_a_positive_is_known() -> None:
    """Of the first search that found it, in that order, without what lies on another search's proof or was never expanded."""
    found = rows(
        "t", (0, None, "g", True), (1, 0, "a", True), (1, 0, "b", False), (1, 0, "c", False), (2, 3, "d", False), (2, 1, "e", True),
        (2, 1, "f", False), (3, 5, "", True), (1, 0, "late", False), (1, 0, "never", False), visited=[0, 3, 2, 1, 4, 6, 5, 8],
    )  # fmt: skip
    again = rows(
        "t", (0, None, "g", True), (1, 0, "a", True), (2, 1, "", True), (1, 0, "f", False), sample=1, visited=[0, 3, 1]
    )
    other = proof_by("b")
    positives = spelled_out(HeadExamples.from_tables([pa.concat_tables([found, again]), other]))[0]
    assert {p.state: p.expanded for p in positives} == {"a": ("c",), "e": ("c", "d", "f"), "b": ()}
    swapped = spelled_out(HeadExamples.from_tables([pa.concat_tables([again, found]), other]))[0]
    assert {p.state: p.expanded for p in swapped} == {"a": ("f",), "e": ("c", "d", "f"), "b": ()}


def test_searches_of_thousands_share_what_they_expanded() -> None:
    """Every state of the path has all that was expanded before it, and no copy of it."""
    n = 200
    path = [(depth, depth - 1 if depth else None, f"p{depth}", True) for depth in range(n)]
    off = [(1, 0, f"x{i}", False) for i in range(n)]
    visited = [row for step in range(n) for row in (n + 1 + step, step)]
    found = HeadExamples.from_tables([rows("t", *path, (n, n - 1, "", True), *off, visited=visited)])
    assert len(found.expanded.values) == n
    assert [len(found.expanded[p]) for p in range(len(found))] == list(range(2, n + 1))


def test_nothing_comes_of_nothing() -> None:
    found = HeadExamples.from_tables([])
    assert (len(found), list(found.texts), found.theorems) == (0, [], [])


@pytest.mark.parametrize("seed", range(8))
def test_it_is_what_one_finds_row_by_row(seed: int) -> None:
    tables = random_trajectories(60, 20, seed=seed, per_table=7, theorems=40)
    found = HeadExamples.from_tables(tables)
    expected = positives, states = slowly(tables)
    assert spelled_out(found) == expected
    assert list(spelled_out(found)[1]) == list(states)
    assert list(found.texts) == texts_of(positives, states)
    assert any(p.siblings for p in positives)
    assert any(p.expanded for p in positives)


def test_the_digest_tells_examples_apart() -> None:
    one, other = (HeadExamples.from_tables(random_trajectories(9, 8, seed=seed)) for seed in (0, 1))
    assert one.digest == HeadExamples.from_tables(random_trajectories(9, 8, seed=0)).digest != other.digest


async def test_only_what_is_needed_of_a_part_is_read(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(to_table(await searched("t"), "run", 0).drop_columns(["sample"]), tmp_path / "old.parquet")
    read = read_part(Store(str(tmp_path)), "old.parquet", COLUMNS)
    assert read.column_names == COLUMNS
    assert read["sample"].null_count == len(read)
    assert len(HeadExamples.from_tables([read])) == 2


def steps(theorem: str, *states: str, first: int = 0) -> list[TacticPair]:
    """The pairs of a proof through these states; the last is the one after the last tactic."""
    return [
        TacticPair(theorem=theorem, state=before, tactic="t", state_after=after, depth=depth, source="corpus")
        for depth, (before, after) in enumerate(pairwise(states), first)
    ]


def test_states_of_known_proofs_are_positives_without_siblings() -> None:
    paths = known_paths([*steps("t", "g", "a", "b", ""), *steps("u", "h", "c")], 10)
    positives, others = spelled_out(HeadExamples.from_tables([paths]))
    # the tactic that closes c is not among the pairs
    assert positives == [
        Positive("t", "g", "a", 1, (), remaining=2),
        Positive("t", "g", "b", 2, (), ("a",)),
        Positive("u", "h", "c", 1, ()),
    ]
    assert others == {}


def test_a_state_of_a_known_proof_is_no_negative_and_counts_once() -> None:
    found = HeadExamples.from_tables([proof_by("a", "b", "c"), known_paths(steps("t", "g", "a", ""), 10)])
    assert spelled_out(found) == ([Positive("t", "g", "a", 1, ("b", "c"))], {"t": ("b", "c")})


def test_pairs_that_are_no_line_from_a_root_are_left_out() -> None:
    gap = [*steps("t", "g", "a"), *steps("t", "x", "b", first=1)]
    unknown = [TacticPair(theorem="v", state="g", tactic="t", source="corpus")]
    empty = [*steps("w", "x", "", "y", ""), *steps("z", "", "y")]
    assert len(known_paths([*gap, *steps("u", "h", "c", first=1), *unknown, *empty], 10)) == 0


def test_so_many_theorems_are_chosen_whatever_their_order() -> None:
    proofs = [steps(f"t{i}", "g", "a", "") for i in range(20)]
    chosen = [
        known_paths([p for proof in order for p in proof], 5).column("theorem").to_pylist()
        for order in (proofs, proofs[::-1])
    ]
    assert len(set(chosen[0])) == 5
    assert set(chosen[0]) == set(chosen[1])


def test_a_head_is_judged_only_by_theorems_with_states_on_and_off_proofs() -> None:
    examples = HeadExamples.from_tables([proof_by("a", "b"), known_paths(steps("u", "h", "c", ""), 10)])
    contrasted = examples.contrasted(np.arange(len(examples)))
    assert [examples.texts[state] for state in examples.state[contrasted]] == ["a"]
