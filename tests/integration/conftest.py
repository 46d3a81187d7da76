"""The embedded Lean that the tests of one file share."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from burnqed.lean.embedded.backend import EmbeddedLean


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lean() -> AsyncIterator[EmbeddedLean]:
    """One pool a file, since its first hundred requests are the slow ones; not one for all files, since some kill it."""
    async with EmbeddedLean(workers=2) as backend:
        yield backend
