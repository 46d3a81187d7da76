"""Which statements of an index elaborate."""

from __future__ import annotations

import asyncio
import logging

import pytest

from burnqed.data.importing import failing
from burnqed.lean.protocol import Outcome, TacticStatus, Theorem
from tests.fixtures.scripted import ScriptedLean

THEOREMS = [Theorem(name=f"t{i}", statement="S") for i in range(50)]


class StoppedAfter(ScriptedLean):
    """Sets `stop` with its first answers; the theorem t0 does not elaborate."""

    def __init__(self) -> None:
        super().__init__({})
        self.stop, self.asked = asyncio.Event(), 0
        self.start_failures["t0"] = [Outcome(TacticStatus.ERROR, message="unknown")]

    async def start(self, theorem: Theorem) -> Outcome:
        self.asked += 1
        await asyncio.sleep(0)
        self.stop.set()
        return await super().start(theorem)


async def test_a_stop_ends_the_elaboration_of_an_index_and_nothing_is_said_of_what_was_not_looked_at(
    caplog: pytest.LogCaptureFixture,
) -> None:
    logging.getLogger("burnqed").propagate = True
    lean = StoppedAfter()
    assert await failing(THEOREMS, lean, "an index", lean.stop) == {"t0": "unknown"}
    assert lean.asked == 2 * lean.capacity
    assert lean.open == []
    assert "do not elaborate" not in caplog.text


async def test_a_statement_at_which_lean_crashes_once_elaborates() -> None:
    lean = ScriptedLean({})
    lean.start_failures |= {
        "t1": [Outcome(TacticStatus.CRASH, message="out of memory")],
        "t2": [Outcome(TacticStatus.CRASH, message="out of memory")] * 2,
    }
    assert await failing(THEOREMS, lean, "an index", asyncio.Event()) == {"t2": "out of memory"}
