"""`burnqed data inspect` tells what files hold, what they have in common, and how one search went."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from burnqed.cli.main import app
from burnqed.config import SearchConfig
from burnqed.data.inspection.distributions import by_size, spread
from burnqed.data.inspection.trajectories import describe_trajectories
from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.proofs import PROOFS, WholeProof
from burnqed.errors import BadInput
from burnqed.lean.protocol import TacticStatus, Theorem
from burnqed.proof_search.engine import search
from burnqed.proof_search.settings import SearchSettings
from burnqed.store import Store
from burnqed.trajectory.rows import SearchResult, Task, to_table
from burnqed.trajectory.schema import SCHEMA
from tests.fixtures.scripted import ScriptedLean, ScriptedPolicy, ScriptedScorer

ROOT = "n : Nat\n⊢ 0 + n = n"
SCRIPT = {ROOT: {"simp": "", "skip": "n : Nat\n⊢ n = n", "omega": TacticStatus.TIMEOUT}, "n : Nat\n⊢ n = n": {}}
LIKELY = {ROOT: {"simp": -1.0, "skip": -0.5, "omega": -2.0, "norm_num": -3.0}}


def inspected(*words: object) -> Any:
    done = CliRunner().invoke(app, ["data", "inspect", *map(str, words), "--json"], catch_exceptions=False)
    return json.loads(done.stdout)


def pair(theorem: str, state: str, tactic: str, depth: int | None, after: str | None = None) -> TacticPair:
    return TacticPair(theorem=theorem, state=state, tactic=tactic, depth=depth, source="s", state_after=after)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    rows = [
        pair("a", ROOT, "intro n", 0, "n : Nat\n⊢ n = n"),
        pair("a", "n : Nat\n⊢ n = n", "simp only [h]", 1, ""),
        pair("b", "⊢ True", "simp", None),
        pair("b", "⊢ True", "exact sorryAx _", None),
    ]
    PAIRS.write(Store(str(tmp_path)), "pairs.parquet", PAIRS.batches(rows))
    return tmp_path / "pairs.parquet"


@pytest.fixture
async def part(tmp_path: Path) -> Path:
    """One search that is proved, and one that ends without a proof."""
    found: list[SearchResult] = []
    settings = SearchSettings.for_search(SearchConfig(budget=20), ())
    for name, script in (("proved", SCRIPT), ("not", {ROOT: {"skip": "n : Nat\n⊢ n = n"}})):
        task = Task(Theorem(name=name, statement=ROOT, header="h"), sample=0, seed=7)
        await search([task], ScriptedLean(script), ScriptedPolicy(LIKELY), ScriptedScorer({}), settings, found.append)
    tables = [to_table(result, "run", 0) for result in found]
    pq.write_table(pa.concat_tables(tables), tmp_path / "part-00000.parquet")
    return tmp_path / "part-00000.parquet"


def test_pairs_are_counted_by_theorem_depth_and_tactic(pairs: Path) -> None:
    facts = inspected(pairs)
    assert (facts["pairs"], facts["theorems"], facts["sources"]) == (4, 2, {"s": 4})
    assert facts["depth"] == {"0": 1, "1": 1, "unknown": 2}
    assert facts["most frequent tactics"] == {"simp": 2, "intro": 1, "exact": 1}
    assert facts["steps that leave no goals"] == 1
    assert facts["with sorry or admit"] == {"tactics": 1, "%": 25.0}


def test_searches_are_counted_by_their_end_and_states_by_their_place(part: Path) -> None:
    facts = inspected(part)
    assert (facts["searches"], facts["status"]) == (2, {"proved": 1, "unproved": 1})
    assert facts["tactics by Lean's answer"] == {"error": 4, "ok": 3, "timeout": 1}
    assert (facts["on proofs"], facts["beside proofs"]) == (1, 1)
    assert facts["states beside a proof for each on it"] == 1.0
    assert facts["tactics of a proof"] == {"1": 1}
    assert facts["examples"] == ["proved\nsimp"]


async def test_what_is_beside_a_proof_does_not_depend_on_how_searches_are_divided_into_parts(tmp_path: Path) -> None:
    found: list[SearchResult] = []
    settings = SearchSettings.for_search(SearchConfig(budget=20), ())
    for sample, script in ((0, SCRIPT), (1, {ROOT: {"skip": "n : Nat\n⊢ n = n"}})):
        task = Task(Theorem(name="t", statement=ROOT, header="h"), sample=sample, seed=7)
        await search([task], ScriptedLean(script), ScriptedPolicy(LIKELY), ScriptedScorer({}), settings, found.append)
    tables = [to_table(result, "run", 0) for result in found]
    counts = []
    for parts in ([pa.concat_tables(tables)], tables):
        facts, _ = describe_trajectories(lambda columns, parts=parts: (part.select(columns) for part in parts), 0)  # type: ignore[misc]
        counts.append((facts["on proofs"], facts["beside proofs"]))
    assert counts == [(1, 1), (1, 1)]


def test_a_tactic_behind_a_focus_dot_is_the_tactic_and_figures_are_told_one_by_one(tmp_path: Path) -> None:
    rows = [pair("a", ROOT, tactic, depth) for depth, tactic in enumerate(("· simp", "simp", "·\n  omega", "·"))]
    PAIRS.write(Store(str(tmp_path)), "pairs.parquet", PAIRS.batches(rows))
    assert inspected(tmp_path / "pairs.parquet")["most frequent tactics"] == {"simp": 2, "omega": 1, "·": 1}
    table = CliRunner().invoke(app, ["data", "inspect", str(tmp_path / "pairs.parquet"), "--examples", "0"])
    assert "0: 1, 1: 1, 2: 1" in table.stdout


def test_one_search_is_shown_as_a_tree_with_its_proof_first(part: Path) -> None:
    tree = inspected(part, "--theorem", "proved")["tree"]
    assert tree[0].startswith("proved: proved")
    assert tree[1:3] == ROOT.split("\n")
    assert tree[3] == "  (failed: 1 timeout, 1 error)"
    assert tree[4].startswith("  * simp")
    assert tree[5].startswith("  skip")
    with pytest.raises(BadInput, match="no search of 'other'"):
        inspected(part, "--theorem", "other")


def test_of_a_part_without_rows_everything_is_nothing(tmp_path: Path) -> None:
    pq.write_table(SCHEMA.empty_table(), tmp_path / "part-00000.parquet")
    facts = inspected(tmp_path / "part-00000.parquet")
    assert (facts["rows"], facts["searches"], facts["states beside a proof for each on it"]) == (0, 0, 0)


def test_what_several_sources_have_in_common_is_counted_however_it_is_written(
    pairs: Path, part: Path, tmp_path: Path
) -> None:
    index = tmp_path / "index.json"
    index.write_text(json.dumps([{"name": "a", "statement": "theorem a (m : Nat) : 0 + m = m"}]))
    proof = WholeProof(name="p", statement="∀ k : Nat, 0 + k = k", proof="by simp", source="s")
    PROOFS.write(Store(str(tmp_path)), "proofs.jsonl", PROOFS.batches([proof]))
    found = inspected(pairs, index, tmp_path / "proofs.jsonl", part)
    common = {
        (Path(row["first"]).stem, Path(row["second"]).stem): (row["names"], row["statements"], row["states"])
        for row in found["overlaps"]
    }
    assert common == {
        ("pairs", "index"): (1, 1, 0),
        ("pairs", "proofs"): (0, 1, 0),
        ("pairs", "part-00000"): (0, 1, 2),
        ("index", "proofs"): (0, 1, 0),
        ("index", "part-00000"): (0, 1, 0),
        ("proofs", "part-00000"): (0, 1, 0),
    }
    assert found["sources"][str(tmp_path / "proofs.jsonl")]["tactics of a proof"] == {"1": 1}


def test_sizes_are_told_in_ranges_that_double() -> None:
    from collections import Counter

    assert by_size(Counter({0: 1, 1: 2, 2: 3, 3: 1, 4: 1, 5: 1, 9: 7})) == {
        "0": 1,
        "1": 2,
        "2": 3,
        "3-4": 2,
        "5-8": 1,
        "9-16": 7,
    }
    assert spread(Counter({1: 1, 2: 1, 10: 1})) == {"median": 2, "90 %": 6, "most": 10}
    assert spread(Counter()) == {"median": 0, "90 %": 0, "most": 0}
