"""Trajectory rows: what is written for a search, and what readers make of it."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import concat_tables

from burnqed.config import SearchConfig
from burnqed.errors import BadInput
from burnqed.lean.protocol import TacticStatus, Theorem, Verdict
from burnqed.proof_search.engine import search
from burnqed.proof_search.settings import SearchSettings
from burnqed.store import Store
from burnqed.trajectory.reader import Preference, preferences, proof_pairs, read_part, read_parts, theorem_results
from burnqed.trajectory.rows import SearchResult, Task, statement_hash, to_table
from burnqed.trajectory.schema import SCHEMA, ProofStatus
from burnqed.trajectory.writer import ShardWriter
from tests.fixtures.scripted import ScriptedLean, ScriptedPolicy, ScriptedScorer

SCRIPT = {
    "A": {"a": "X", "b": "Y", "twice": "X", "hang": TacticStatus.TIMEOUT},
    "X": {"c": "Z", "back": "A", "d": "W", "cheat": ""},
    "Z": {"end": "", "e": "V"},
    "Y": {},
}
LIKELY = {
    "A": {"a": -1.0, "b": -1.5, "twice": -2.0, "hang": -3.0, "wrong": -4.0},
    "X": {"c": -0.5, "back": -0.6, "d": -0.7, "cheat": -3.0},
    "Z": {"end": -0.1, "e": -0.2},
}
SETTINGS = SearchSettings.for_search(SearchConfig(budget=20, length_exponent=0.0), ())


def honest(proof: str) -> Verdict:
    return Verdict(name="", accepted="cheat" not in proof, reason="uses sorryAx" if "cheat" in proof else "")


async def searched(name: str, statement: str = "A", sample: int = 0) -> SearchResult:
    found: list[SearchResult] = []
    task = Task(Theorem(name=name, statement=statement, header="h"), sample=sample, seed=7)
    lean = ScriptedLean(SCRIPT, check=honest)
    await search([task], lean, ScriptedPolicy(LIKELY), ScriptedScorer({"X": -0.5}), SETTINGS, found.append)
    return found[0]


async def test_rows_follow_the_schema_and_only_root_rows_carry_the_result() -> None:
    found = await searched("t")
    table = to_table(found, "run", 3)
    assert table.schema.equals(SCHEMA)
    rows = table.to_pylist()
    root, children = rows[0], rows[1:]
    assert (root["status"], root["proof"], root["nodes"], root["attempt"]) == (
        "proved",
        "a\nc\nend",
        4,
        0,
    )  # A, X, then Y, which ties with Z and is older
    assert (root["parent_id"], root["tactic"], root["state"], root["root_state"]) == (None, None, "A", "A")
    assert (root["model_version"], root["temperature"], root["seed"]) == ("scripted-1", 1.0, 7)
    assert all(row["status"] is None and row["proof"] is None and row["statistics"] is None for row in children)
    assert {row["statement_hash"] for row in rows} == {statement_hash(found.theorem)}
    failed = {row["tactic"]: row for row in rows if row["state"] is None}
    assert {tactic: row["tactic_status"] for tactic, row in failed.items()} == {"hang": "timeout", "wrong": "error"}
    by_tactic = {row["tactic"]: row for row in rows}
    assert by_tactic["a"]["energy"] == -0.5
    assert by_tactic["twice"]["same_as"] == by_tactic["a"]["state_id"]
    assert by_tactic["back"]["same_as"] == 0
    assert by_tactic["cheat"]["reason"] == "check refused: uses sorryAx"
    assert by_tactic["end"]["state"] == ""
    assert [r["remaining_depth"] for r in rows if r["on_proof_path"]] == [3, 2, 1, 0]


async def test_root_rows_read_back_as_the_same_results() -> None:
    found = [await searched("t"), await searched("u", "Y")]
    read = [theorem_results(to_table(f, "run", 0))[0] for f in found]
    assert [r.model_dump(exclude={"seconds"}) for r in read] == [
        f.result.model_dump(exclude={"seconds"}) for f in found
    ]
    assert read[0].seconds == pytest.approx(found[0].result.seconds)


async def test_pairs_are_the_steps_of_checked_proofs() -> None:
    pairs = proof_pairs(to_table(await searched("t"), "run", 0)).to_pylist()
    assert [(p["state"], p["tactic"], p["state_after"], p["depth"], p["num_goals"]) for p in pairs] == [
        ("A", "a", "X", 0, 1),
        ("X", "c", "Z", 1, 1),
        ("Z", "end", "", 2, 1),
    ]
    assert [p["log_prob"] for p in pairs] == pytest.approx([-1.0, -0.5, -0.1])
    assert proof_pairs(to_table(await searched("u", "Y"), "run", 0)).num_rows == 0


async def test_samples_of_one_theorem_do_not_mix() -> None:
    both = concat_tables([to_table(await searched("t", sample=s), "run", 0) for s in (0, 1)])
    assert [(r.name, r.sample) for r in theorem_results(both)] == [("t", 0), ("t", 1)]
    assert proof_pairs(both).num_rows == 6


async def test_a_proofs_tactic_is_preferred_to_those_that_lean_refused_at_its_state() -> None:
    """Not to those that ran out of time, led astray or were not accepted."""
    table = concat_tables([to_table(await searched("t", sample=sample), "run", 0) for sample in (0, 1)])
    assert list(preferences(table)) == [Preference("t", "A", "a", "wrong")] * 2
    assert list(preferences(to_table(await searched("not", statement="Y"), "run", 0))) == []


async def test_readers_open_the_listed_parts_and_nothing_else(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    writer = ShardWriter(store, "s", [Theorem(name="t", statement="A")], per_part=1, run="r", iteration=0)
    writer.add(await searched("t"))
    paths = writer.finish()
    store.write_bytes("s/part-00001.parquet", b"left by somebody else")
    (rows,) = read_parts(store, paths, ["theorem", "status"])
    assert rows.column_names == ["theorem", "status"]
    assert rows["status"].drop_null().to_pylist() == [ProofStatus.PROVED]


async def test_a_part_from_before_a_column_was_known_has_null_there(tmp_path: Path) -> None:
    store, found = Store(str(tmp_path)), await searched("t")
    buffer = io.BytesIO()
    new = to_table(found, "main", 0)
    pq.write_table(new.drop_columns(["head_id"]), buffer)
    store.write_bytes("old.parquet", buffer.getvalue())
    rows = read_part(store, "old.parquet")
    assert rows["head_id"].null_count == len(rows)
    assert theorem_results(rows) == [r.model_copy(update={"head_id": None}) for r in theorem_results(new)]


def test_a_part_that_is_not_parquet_is_bad_input_and_says_what_to_do(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.write_bytes("s/part-00000.parquet", b"PAR1 broken")
    with pytest.raises(BadInput, match="part-00000.parquet cannot be read as Parquet .* `burnqed store verify`"):
        read_part(store, "s/part-00000.parquet")
