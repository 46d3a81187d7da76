"""No tactic reaches files, programs, the network, the environment, or runs code of its own, whatever the backend."""

from __future__ import annotations

import os
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.pantograph.backend import PantographLean
from burnqed.lean.protocol import LeanBackend, Outcome, TacticStatus, Theorem
from tests.fixtures import pantograph
from tests.fixtures.escapes import COMMANDS, ESCAPES, GOAL, HARMLESS

BACKENDS: dict[str, Callable[[Path], LeanBackend]] = {
    "embedded": lambda folder: EmbeddedLean(workers=1),
    "pantograph": lambda folder: PantographLean(pantograph.project(folder), workers=1, tactic_timeout_s=60),
}
"""Each opened with a folder of its own."""
Attempt = Callable[[str, dict[str, str]], Awaitable[dict[str, Outcome]]]
KEY = "the key of the store"


async def answers(backend: LeanBackend, tactics: dict[str, str], given: dict[str, object]) -> dict[str, Outcome]:
    """What a backend answers to each, in one state."""
    async with backend as lean:
        started = await lean.start(Theorem(name="t", statement=GOAL))
        assert started.state, started
        return {name: await lean.apply(started.state, tactic.format(**given)) for name, tactic in tactics.items()}


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("project")


@pytest.fixture
async def attempt(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Attempt:
    """Has a backend try tactics, of which nothing may be felt outside of its Lean; returns what it answers to each."""
    monkeypatch.setenv("KEY", KEY)
    canary, secret = tmp_path / "canary", tmp_path / "secret"
    secret.write_text("a secret")

    async def attempted(backend: str, tactics: dict[str, str]) -> dict[str, Outcome]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.setblocking(False)
            given = {"canary": canary, "secret": secret, "port": server.getsockname()[1]}
            found = await answers(BACKENDS[backend](project), tactics, given)
            with pytest.raises(BlockingIOError):
                server.accept()
        assert sorted(os.listdir(tmp_path)) == ["secret"]
        assert secret.read_text() == "a secret"
        assert [
            name for name, outcome in found.items() if KEY in outcome.message or "a secret" in outcome.message
        ] == []
        return found

    return attempted


@pytest.mark.parametrize("backend", BACKENDS)
async def test_every_way_out_is_an_error_and_nothing_has_happened(backend: str, attempt: Attempt) -> None:
    assert len(ESCAPES) >= 30
    found = await attempt(backend, ESCAPES | COMMANDS | HARMLESS)
    passed = {name: o for name, o in found.items() if name not in HARMLESS and o.status is not TacticStatus.ERROR}
    assert passed == {}
    assert {found[name].status for name in HARMLESS} <= {TacticStatus.OK, TacticStatus.ERROR}


async def test_without_the_rules_nothing_happens_outside_of_lean(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the tactics do to their own Lean is the judge's to find out. The stand-in's Lean has few ways out itself; `test_sandbox.py` has native processes."""
    monkeypatch.setattr("burnqed.lean.pantograph.backend.refusal", lambda tactic: None)
    found = await attempt("pantograph", ESCAPES | COMMANDS)
    assert any(outcome.status is TacticStatus.OK for outcome in found.values()), "they do run"


async def test_the_harmless_ones_are_understood(tmp_path: Path) -> None:
    """So that they are no errors for another reason than the one that is meant."""
    given = {"canary": "/nowhere/canary", "secret": "/nowhere/secret", "port": 1}
    found = await answers(BACKENDS["embedded"](tmp_path), HARMLESS, given)
    assert {name: outcome.message for name, outcome in found.items() if outcome.status is not TacticStatus.OK} == {}
