"""The gate step: who may say no, and what is said then."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.gates import GateCheck, GateVerdict
from burnqed.key import Key
from burnqed.layout import Layout
from burnqed.record import write_record
from burnqed.steps.base import Context
from burnqed.steps.gate import run
from burnqed.store import Store

LAYOUT = Layout("main", 1)


def store(tmp_path: Path, rate: float) -> Store:
    """With the verdict on an iteration that had to solve 0.3."""
    found = Store(str(tmp_path))
    check = GateCheck(name="solve rate without head", value=rate, threshold=0.3, advice="Check the prompt.")
    found.write_text(f"{LAYOUT.report}/gate.json", GateVerdict(checks=[check]).model_dump_json())
    key = Key(step="report", version=1, parameters={}, settings={}, inputs={})
    write_record(found, LAYOUT.report, key, RunConfig(), {}, datetime.now(UTC), dollars_per_hour=0)
    return found


def gate(found: Store, answer: str) -> None:
    asyncio.run(run(Context(found, LAYOUT, RunConfig(), Path()), answer=answer))


def test_a_verdict_decides_where_nobody_was_asked(tmp_path: Path) -> None:
    gate(store(tmp_path, 0.3), "")
    with pytest.raises(BadInput, match="The gate says no to iteration 1: solve rate without head"):
        gate(store(tmp_path, 0.2), "")


def test_whoever_was_asked_overrules_the_verdict(tmp_path: Path) -> None:
    gate(store(tmp_path, 0.2), "yes")
    with pytest.raises(BadInput, match="Iteration 1 was not approved"):
        gate(store(tmp_path, 0.3), "no")
