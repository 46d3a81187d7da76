"""What the integration tests share: the embedded Lean, the wheel, and a run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

import pytest
import pytest_asyncio

from burnqed.config import LeanConfig
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.steps import benchmark, data
from tests.fixtures.wheel import SmokeRun


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def lean() -> AsyncIterator[EmbeddedLean]:
    """One pool for all, since its first hundred requests are the slow ones."""
    async with EmbeddedLean(workers=2) as backend:
        yield backend


@pytest.fixture
def steps_lean(lean: EmbeddedLean, monkeypatch: pytest.MonkeyPatch) -> EmbeddedLean:
    """The shared one, also for the steps `benchmark` and `data`."""

    def opened(config: LeanConfig) -> AbstractAsyncContextManager[EmbeddedLean]:
        EmbeddedLean.configured(config)  # which reads every value that a step has to declare
        return nullcontext(lean)

    for step in (benchmark, data):
        monkeypatch.setattr(step, "open_lean", opened)
    return lean


@pytest_asyncio.fixture(loop_scope="session")
async def new_lean() -> AsyncIterator[EmbeddedLean]:
    """One that has served nobody, for tests that count what it holds."""
    async with EmbeddedLean(workers=2) as backend:
        yield backend


@pytest.fixture(scope="session")
def wheel_commands(smoke: SmokeRun) -> Path:
    """The folder of the commands that the wheel installs in an environment of its own."""
    return smoke.commands()


@pytest.fixture(scope="session")
def smoke_run(smoke: SmokeRun) -> Path:
    """A folder in which the wheel has run the smoke profile's first iteration."""
    return smoke.folder()
