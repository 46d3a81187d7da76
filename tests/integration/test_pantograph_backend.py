"""The backend `pantograph` over the stand-in, whose REPL and checker are Lean programs on the embedded Lean: what it does is what the embedded backend does."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from benchmarks.pantograph_soak import FAULTS, soak
from burnqed.config import LeanConfig
from burnqed.data.corpus import load_corpus
from burnqed.data.trace.replay import KnownProof, replay
from burnqed.errors import BadInput
from burnqed.lean.backends import open_lean
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.pantograph.backend import PantographLean
from burnqed.lean.protocol import ProofState, TacticStatus, Theorem
from tests.fixtures import pantograph

one_loop = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pantograph.project(tmp_path_factory.mktemp("project"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lean(project: Path) -> AsyncIterator[PantographLean]:
    async with PantographLean(project, workers=2, tactic_timeout_s=60) as opened:
        yield opened


async def begun(lean: PantographLean, statement: str, header: str | None = None) -> ProofState:
    outcome = await lean.start(Theorem(name="t", statement=statement, header=header))
    assert outcome.state, outcome.message
    return outcome.state


async def tried(lean: PantographLean, state: ProofState, tactic: str) -> str:
    """The state after it, or why there is none."""
    outcome = await lean.apply(state, tactic)
    return outcome.state.text if outcome.state else f"{outcome.status}: {outcome.message}"


@pytest.mark.long
@one_loop
async def test_known_proofs_go_through_the_same_states_as_in_the_embedded_lean(lean: PantographLean) -> None:
    """To the letter where a line is not full; where Lean breaks longer ones may differ."""
    known = [KnownProof(t.theorem, t.tactics) for t in load_corpus()[::80]]
    shown = []
    async with EmbeddedLean(workers=1) as embedded:
        for proof in known:
            here, there = await asyncio.gather(replay(proof, lean), replay(proof, embedded))
            assert (here.error, len(here.states)) == ("", len(there.states))
            shown += zip((s.text for s in here.states), (s.text for s in there.states), strict=True)
    assert len(shown) > 40
    for ours, leans in shown:
        assert ours.split() == leans.split()
        assert ours == leans or max(map(len, ours.splitlines())) > 100


@one_loop
async def test_headers_of_different_theorems_never_meet(lean: PantographLean) -> None:
    notation = 'notation "ℕ" => Nat\n'
    states = [await begun(lean, "∀ n : ℕ, n = n", notation) for _ in range(3)]
    assert [state.text for state in states] == ["⊢ ∀ (n : ℕ), n = n"] * 3
    assert "Unknown identifier" in (await lean.start(Theorem(name="t", statement="∀ n : ℕ, n = m", header=""))).message
    own = await begun(lean, "theorem t : twice 2 = 4", "def twice (n : Nat) := n + n\n")
    assert await tried(lean, own, "unfold twice") == "⊢ 2 + 2 = 4"
    assert await tried(lean, own, "rfl") == ""
    other = await lean.start(
        Theorem(name="t", statement="theorem t : twice 2 = 4", header="def twice (n : Nat) := 2 * n\n")
    )
    assert other.state
    assert await tried(lean, other.state, "unfold twice") == "⊢ 2 * 2 = 4"


@one_loop
async def test_tactics_see_what_the_header_opens_and_the_theorems_namespace_holds(lean: PantographLean) -> None:
    statement, tactic = "∀ n : Nat, 0 ≤ n", "exact zero_le"
    closed = await begun(lean, statement, "")
    assert (await lean.apply(closed, tactic)).status is TacticStatus.ERROR
    assert await tried(lean, await begun(lean, statement, "open Nat\n"), tactic) == ""
    assert await tried(lean, await begun(lean, f"theorem Nat.own : {statement}", ""), tactic) == ""
    unknown = await begun(lean, f"theorem Nowhere.own : {statement}", "")
    assert await tried(lean, unknown, "exact Nat.zero_le") == ""


@one_loop
async def test_binders_and_variables_are_introduced(lean: PantographLean) -> None:
    state = await begun(lean, "theorem t [Inhabited α] (x : α) : x = y", "variable {α : Type} (y : α)\n")
    assert state.text == "α : Type\ny : α\ninst✝ : Inhabited α\nx : α\n⊢ x = y"


@one_loop
@pytest.mark.parametrize(
    ("statement", "header", "why"),
    [
        ("∀ n : Nat, n = m", "", "Unknown identifier `m`"),
        ("theorem t : x = 1", "set_option autoImplicit false\n", "Unknown identifier `x`"),
        ("theorem t : 1 + = 2", "", "unexpected token"),
        ("∀ n, (n", "", "brackets that do not match"),
        ("1 = 1", "import Mathlib\n", "The theorem imports Mathlib"),
        ("def f := 1", "", "The theorem is the command `def`"),
        ("theorem t : f = f", "def f : Nat := sorry\n", "has a header that uses sorry"),
        ("theorem t : (sorry : Nat) = 1", "", "uses sorry itself"),
        ("theorem t : 1 = 1", "theorem\n", "expected"),
    ],
)
async def test_what_cannot_be_started_says_why(lean: PantographLean, statement: str, header: str, why: str) -> None:
    outcome = await lean.start(Theorem(name="t", statement=statement, header=header))
    assert outcome.status is TacticStatus.ERROR
    assert why in outcome.message


@one_loop
async def test_a_step_that_proves_nothing_is_refused(lean: PantographLean) -> None:
    root = await begun(lean, "1 = 2 ∧ 3 = 4", "")
    both = (await lean.apply(root, "constructor")).state
    assert both
    assert both.text == "case left\n⊢ 1 = 2\n\ncase right\n⊢ 3 = 4"
    for tactic in ("sorry", "exact (sorry : _)", "all_goals admit", "exact lcProof", "native_decide", "· sorry"):
        assert (await lean.apply(both, tactic)).status is TacticStatus.ERROR, tactic


@one_loop
async def test_a_tactic_acts_on_all_goals_as_lean_has_it(lean: PantographLean) -> None:
    both = (await lean.apply(await begun(lean, "1 = 1 ∧ 2 = 2", ""), "constructor")).state
    assert both
    assert await tried(lean, both, "all_goals rfl") == ""
    assert await tried(lean, both, "rfl") == "case right\n⊢ 2 = 2"
    assert await tried(lean, both, "  rotate_left\n  rfl") == "case left\n⊢ 1 = 1"


@one_loop
async def test_whole_proofs_are_checked_and_files_cut(lean: PantographLean) -> None:
    goal = Theorem(name="t", statement="theorem t (n : ℕ) : n + 0 = n")
    assert (await lean.check(goal, "rfl")).accepted
    for cheat in ("sorry", "omega\naxiom a : 1 = 2"):
        assert not (await lean.check(goal, cheat)).accepted
    imported = await lean.check(goal.model_copy(update={"header": "import Mathlib\n"}), "rfl")
    assert (imported.accepted, "imports Mathlib" in imported.reason) == (False, True)
    assert not (await lean.check(goal, "rfl", is_trusted=False)).accepted
    cut = await lean.commands("theorem a : 1 = 1 := rfl\ntheorem b : 2 = 2 := rfl\n", is_trusted=True)
    assert [theorem.name for command in cut.commands for theorem in command.theorems] == ["a", "b"]


@one_loop
async def test_a_tactic_that_takes_too_long_costs_nobody_else_anything(lean: PantographLean) -> None:
    slow, other = await begun(lean, "1 = 1", ""), await begun(lean, "∀ n : Nat, n = n", "")
    after = (await lean.apply(other, "intro n")).state
    assert after
    outcome = await lean.apply(slow, "sleep 20000", timeout=1)
    assert outcome.status is TacticStatus.TIMEOUT
    assert await tried(lean, after, "rfl") == ""
    assert await tried(lean, slow, "rfl") == ""


async def test_heartbeats_limit_a_tactic(project: Path) -> None:
    async with PantographLean(project, workers=1, heartbeats=200) as lean:
        root = await begun(lean, "∀ n : Nat, n = n", "")
        for _ in range(3):  # each has heartbeats of its own
            outcome = await lean.apply(
                root, "repeat (first | (exfalso; skip) | skip)\nrepeat (have := Nat.succ_ne_self 0)"
            )
            assert outcome.status is TacticStatus.HEARTBEATS
            assert "maximum number of heartbeats (200)" in outcome.message
        assert await tried(lean, root, "intro n\nrfl") == ""


def test_it_is_opened_by_name_and_says_what_is_missing(project: Path, tmp_path: Path) -> None:
    lean = open_lean(LeanConfig(backend="pantograph", project=str(project)))
    assert (lean.name, lean.has_module("Init.Data.Nat"), lean.has_module("Mathlib")) == ("pantograph", True, False)
    with pytest.raises(BadInput, match="holds no project.json"):
        open_lean(LeanConfig(backend="pantograph", project=str(tmp_path)))


@pytest.mark.long
def test_the_command_checks_proofs_in_a_project(project: Path, tmp_path: Path) -> None:
    given = [
        {"name": "sound", "statement": "2 + 2 = 4", "proof": "rfl"},
        {"name": "false", "statement": "2 + 2 = 5", "proof": "rfl"},
    ]
    (tmp_path / "p.json").write_text(json.dumps(given))
    where = (
        "--set",
        "lean.backend=pantograph",
        "--set",
        f"lean.project={project}",
        "--set",
        "lean.workers=1",
        "--trust-headers",
    )
    command = [sys.executable, "-m", "burnqed.cli.main", "lean", "check", "p.json", *where]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=280)
    assert done.returncode == 1, done.stderr
    assert "1 of 2 accepted" in done.stdout, done.stdout


@pytest.mark.long
async def test_a_short_soak_loses_nothing(tmp_path: Path) -> None:
    """`make soak` is the long one."""
    faults = {name: 5 * rate for name, rate in FAULTS.items()}
    found = await soak(requests=150, workers=2, faults=faults, folder=tmp_path)
    assert (found.lost, found.wrong, found.orphans, found.counts["states"]) == (0, [], 0, 0)
    assert found.outcomes[TacticStatus.OK] > 60
    assert found.counts["restarts"] > 2, "the faults happened"
