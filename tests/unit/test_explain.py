"""`burnqed compare --explain`: two searches of one theorem as trees, with both ranks of every state, and where they part."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from burnqed.cli.main import app
from burnqed.config import SearchConfig
from burnqed.errors import BadInput
from burnqed.evaluate.explain import parting
from burnqed.lean.protocol import Theorem
from burnqed.proof_search.engine import search
from burnqed.proof_search.settings import SearchSettings
from burnqed.trajectory.rows import SearchResult, Task, to_table
from tests.fixtures.evaluations import evaluation, theorem
from tests.fixtures.scripted import ScriptedLean, ScriptedPolicy, ScriptedScorer

ROOT, LEFT, RIGHT = "⊢ p ∨ q", "⊢ p", "⊢ q"
LEAN = {ROOT: {"left": LEFT, "right": RIGHT}, LEFT: {"simp": LEFT}, RIGHT: {"trivial": ""}}
LIKELY = {ROOT: {"left": -0.5, "right": -1.5}, LEFT: {"simp": -1.0}, RIGHT: {"trivial": -1.0}}


async def evaluated(folder: Path, scorer: ScriptedScorer | None) -> str:
    """What `burnqed eval --out` leaves of one theorem."""
    found: list[SearchResult] = []
    settings = SearchSettings.for_search(SearchConfig(budget=5, alpha=1.0, beta=3.0), ())
    task = Task(Theorem(name="either", statement=ROOT, header="h"), sample=0, seed=7)
    await search([task], ScriptedLean(LEAN), ScriptedPolicy(LIKELY), scorer, settings, found.append)
    (folder / "trajectories").mkdir(parents=True)
    pq.write_table(to_table(found[0], "run", 0), folder / "trajectories" / "part-00000.parquet")
    result = evaluation([found[0].result], [theorem("either")])
    (folder / "results.json").write_text(result.model_dump_json(), encoding="utf-8")
    return str(folder)


def explained(*words: str) -> str:
    return CliRunner().invoke(app, ["compare", *words, "--explain", "either"], catch_exceptions=False).stdout


async def test_both_trees_have_ranks_and_the_place_where_they_part(tmp_path: Path) -> None:
    plain = await evaluated(tmp_path / "plain", None)
    guided = await evaluated(tmp_path / "guided", ScriptedScorer({LEFT: 2.0, RIGHT: -2.0}))
    shown = explained(plain, guided)
    first, second, last = shown.split("\n\n")
    assert "* right   [2, log p -1.50 (2 of 2), expanded 2]" in first
    assert "left   [1, log p -0.50 (1 of 2), expanded 1]" in first
    assert "* right   [2, log p -1.50 (2 of 2), energy -2.00 (1 of 2), expanded 1]" in second
    assert last.split("\n")[:3] == ["Expanded alike at first: 1 of 3 and 2 states.", "Then the first expands", LEFT]
    assert explained(plain, plain).endswith("Expanded alike at first: 3 of 3 and 3 states.\n")


async def test_a_theorem_that_is_not_there_is_said(tmp_path: Path) -> None:
    plain = await evaluated(tmp_path / "plain", None)
    with pytest.raises(BadInput, match="has no theorem 'neither'"):
        CliRunner().invoke(app, ["compare", plain, plain, "--explain", "neither"], catch_exceptions=False)


def test_a_search_that_ends_first_is_said_to_end() -> None:
    rows = [{"visit_order": n, "state": state, "root_state": None} for n, state in enumerate("abc")]
    assert parting(rows, rows[:2]) == ["Expanded alike at first: 2 of 3 and 2 states.", "Then the first expands", "c", "Then the second ends"]  # fmt: skip
