"""The installation's own test, on the stand-in for Pantograph and the checker on the embedded Lean: real proofs, confined as in production."""

from __future__ import annotations

from pathlib import Path

import pytest

from burnqed.errors import BadInput
from burnqed.lean.pantograph import selftest
from burnqed.lean.pantograph.project import opened
from tests.fixtures import pantograph

STATEMENT, PROOF = "∀ x y : Nat, x + y = y + x", "intro x y; omega"


@pytest.fixture(autouse=True)
def core(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are no real numbers in Lean's core library."""
    monkeypatch.setattr(selftest, "STATEMENT", STATEMENT)
    monkeypatch.setattr(selftest, "PROOF", PROOF)
    monkeypatch.setattr(selftest, "CHEATS", (("sorry", STATEMENT), ("native_decide", "2 ^ 10 = 1024")))


@pytest.mark.long
async def test_a_project_that_works_passes_and_is_measured(tmp_path: Path) -> None:
    repl, checker = await selftest.self_test(opened(pantograph.project(tmp_path)))
    for measured in (repl, checker):
        assert 0 < measured.seconds < 120
        assert 10 < measured.memory_mb < 4_000


@pytest.mark.long
async def test_a_checker_that_would_accept_anything_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest, "CHEATS", ((PROOF, STATEMENT),))  # what is accepted, here because it is right
    with pytest.raises(BadInput, match="accepts `intro x y; omega`"):
        await selftest.self_test(opened(pantograph.project(tmp_path)))


@pytest.mark.parametrize("proof", ["intro x y; rfl", pytest.param("intro x y; sorry", marks=pytest.mark.long)])
async def test_a_repl_that_does_not_prove_the_theorem_is_noticed(
    proof: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selftest, "PROOF", proof)
    with pytest.raises(BadInput, match="does not prove"):
        await selftest.self_test(opened(pantograph.project(tmp_path)))


async def test_a_repl_that_crashes_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="fails its test: the process"):
        await selftest.self_test(opened(pantograph.project(tmp_path, seed=1, crash=1.0)))
