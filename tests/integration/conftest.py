"""What the integration tests share: the embedded Lean, the wheel, and a run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from burnqed.lean.embedded.backend import EmbeddedLean
from tests.fixtures.wheel import install, run_smoke


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def lean() -> AsyncIterator[EmbeddedLean]:
    """One pool for all, since its first hundred requests are the slow ones."""
    async with EmbeddedLean(workers=2) as backend:
        yield backend


@pytest.fixture(scope="session")
def wheel_commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands that the wheel installs in an environment of its own."""
    return install(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def smoke_run(wheel_commands: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the wheel has run the smoke profile's first iteration: with its store, to be copied before it is changed."""
    folder = tmp_path_factory.mktemp("smoke")
    run_smoke(wheel_commands, folder)
    return folder
