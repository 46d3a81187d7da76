"""The steps of the workflow `trace` one by one: what changes between them is noticed, and nothing is lost without a word."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from burnqed.data.proofs import PROOFS, WholeProof
from burnqed.data.trace import tracing
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.resolve import resolve
from burnqed.steps import trace, trace_plan, trace_report
from burnqed.steps.base import Context
from burnqed.store import Store


@pytest.fixture
def context(tmp_path: Path) -> Context:
    config = resolve("default", ["lean.workers=1", "workflow.parallelism=1"]).config
    return Context(Store(str(tmp_path / "store")), Layout("main"), config, tmp_path)


def written(path: Path, count: int) -> None:
    proofs = [
        WholeProof(name=f"m::t{n}", statement=f"∀ a : Nat, a + {n} = {n} + a", proof="by omega", source="m")
        for n in range(count)
    ]
    PROOFS.write(Store(str(path.parent)), path.name, PROOFS.batches(proofs))


async def planned(context: Context, source: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the unfinished shards."""
    monkeypatch.setenv("BURNQED_OUTPUTS", str(context.workdir / "outputs"))
    await trace_plan.run(context, source=str(source), name="mine")
    found: list[int] = json.loads((context.workdir / "outputs" / "trace-shards").read_text())
    return found


async def test_a_source_that_changes_between_two_shards_is_refused(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "proofs.parquet"
    written(source, 7)
    assert await planned(context, source, monkeypatch) == [0, 1]
    await trace.run(context, name="mine")
    written(source, 8)
    with pytest.raises(BadInput, match=r"proofs.parquet, or what traces it, has changed since trace-plan; run the"):
        await trace.run(replace(context, shard=1), name="mine")
    with pytest.raises(BadInput, match="shard-0001-of-0002 is not finished"):
        await trace_report.run(context, name="mine")


@pytest.mark.long
async def test_a_shard_that_has_lost_a_part_is_not_reported_but_traced_again(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, store = tmp_path / "proofs.parquet", context.store
    written(source, 8)
    await planned(context, source, monkeypatch)
    for number in (0, 1):
        await trace.run(replace(context, shard=number), name="mine")
    (lost,) = [path for path in store.list("main/traces/mine") if path.endswith("0001-of-0002/part-00000.json")]
    store.delete(lost)
    with pytest.raises(BadInput, match="shard-0001-of-0002 is not finished, or has lost parts; run the workflow trace"):
        await trace_report.run(context, name="mine")
    assert await planned(context, source, monkeypatch) == [1]
    await trace.run(replace(context, shard=1), name="mine")
    await trace_report.run(context, name="mine")
    assert store.read_json("main/inputs/mine.report.json")["theorems"] == 8


async def test_the_same_proofs_at_another_place_are_read_there(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "proofs.parquet"
    written(source, 4)
    await planned(context, source, monkeypatch)
    moved = source.rename(tmp_path / "moved.parquet")
    more = replace(context, config=resolve("default", ["lean.workers=1", "workflow.parallelism=4"]).config)
    assert await planned(more, moved, monkeypatch) == [0, 1], "the number of shards stays"
    await trace.run(more, name="mine")
    assert trace.read_plan(more, "mine").source == str(moved)


async def test_parts_of_another_version_of_the_tracer_are_not_continued(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "proofs.parquet"
    written(source, 4)
    await planned(context, source, monkeypatch)
    await trace.run(context, name="mine")
    assert await planned(context, source, monkeypatch) == [1]
    monkeypatch.setattr(tracing, "VERSION", tracing.VERSION + 1)
    assert await planned(context, source, monkeypatch) == [0, 1]
