"""The replay of known proofs goes on where it was cut off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.data.trace import kept
from burnqed.data.trace.kept import replay_kept
from burnqed.data.trace.replay import KnownProof
from burnqed.errors import TryAgain
from burnqed.layout import Layout
from burnqed.lean.core import DEFAULT_HEADER
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.steps import data
from burnqed.steps.base import Context, execute
from burnqed.steps.known import known_proofs
from burnqed.steps.table import step_named
from burnqed.store import Store

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def collect(
    proofs: Sequence[KnownProof], lean: EmbeddedLean, store: Store, until: int | None = None
) -> list[kept.Kept]:
    found = []
    async for _, result in replay_kept(proofs, lean, store, "parts", source="corpus", per_part=2):
        found.append(result)
        if len(found) == until:
            break
    return found


async def test_parts_that_are_there_are_not_replayed_again_and_give_the_same(
    lean: EmbeddedLean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proofs = known_proofs(DEFAULT_HEADER)[:5]
    undisturbed = await collect(proofs, lean, Store(str(tmp_path / "undisturbed")))
    store = Store(str(tmp_path / "cut off"))
    await collect(proofs, lean, store, until=4)
    assert store.list("parts") == ["parts/part-00000.json"], "the second part's last result was just handed over"
    replayed: list[str] = []
    original = lean.start

    async def start(theorem: kept.KnownProof) -> object:
        replayed.append(theorem.name)
        return await original(theorem)

    monkeypatch.setattr(lean, "start", start)
    assert await collect(proofs, lean, store) == undisturbed
    assert sorted(replayed) == sorted(proof.theorem.name for proof in proofs[2:])


async def test_a_part_of_other_proofs_or_with_a_failure_or_damaged_is_made_again(
    lean: EmbeddedLean, tmp_path: Path
) -> None:
    store, proofs = Store(str(tmp_path)), known_proofs(DEFAULT_HEADER)[:2]
    wrong = [proofs[0], KnownProof(proofs[1].theorem, ("exact nothing_of_that_name",))]
    assert [bool(result.error) for result in await collect(wrong, lean, store)] == [False, True]
    assert store.list("parts") == []
    right = await collect(proofs, lean, store)
    store.write_text("parts/part-00000.json", store.read_text("parts/part-00000.json")[:-9])
    assert await collect(proofs, lean, store) == right
    await collect(proofs[::-1], lean, store)
    assert [one["name"] for one in json.loads(store.read_text("parts/part-00000.json"))] == [
        proof.theorem.name for proof in proofs[::-1]
    ]


async def test_the_step_data_continues_and_leaves_only_what_it_always_left(
    steps_lean: EmbeddedLean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(data.log, "propagate", True)
    monkeypatch.setattr(replay_kept, "__kwdefaults__", {"per_part": 5})
    caplog.set_level("INFO")
    config = RunConfig.model_validate({"data": {"known_proofs": 15, "generated": 5, "benchmark_theorems": 5}})
    store = Store(str(tmp_path / "store"))
    stopped = Context(store, Layout("main", 0), config, tmp_path)
    await execute(step_named("benchmark"), stopped)
    watcher = asyncio.create_task(stop_when_parts_are_there(stopped))
    with pytest.raises(TryAgain, match="same command continues"):
        await execute(step_named("data"), stopped)
    await watcher
    await execute(step_named("data"), Context(store, Layout("main", 0), config, tmp_path))
    assert "of the 15 known proofs have been replayed before" in caplog.text
    left = {"_STARTED", "_SUCCESS", "pairs.parquet", "proofs.json", "report.json", "theorems.json"}
    assert sorted(path.rpartition("/")[2] for path in store.list("main/data")) == sorted(left)


async def stop_when_parts_are_there(context: Context) -> None:
    while not any(f"/{data.REPLAYS}/" in path for path in context.store.list(context.layout.data)):
        await asyncio.sleep(0.01)
    context.stop.set()
