"""What a store holds, as people see it, and what is asked before some of it is deleted."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from burnqed.cli.main import run_app
from burnqed.config import RunConfig
from burnqed.inventory import inventory
from burnqed.key import Key
from burnqed.layout import STARTED, Layout, shard_folder
from burnqed.record import revision_folder, write_record
from burnqed.store import Store

LAYOUT = Layout("main", 0)


def make(store: Store, unit: str, content: str, revision: str, *, ends: bool = True) -> None:
    """A unit as its step makes it: a note, a file, and at the end its record."""
    root = revision_folder(unit, revision)
    store.write_text(f"{root}/{STARTED}", revision)
    store.write_text(f"{root}/file", content)
    if ends:
        facts = {"loss": 0.25, "words": "[red]many[/]", **{f"fact{n}": n for n in range(9)}}
        key = Key(step="sft", version=1)
        write_record(store, unit, key, RunConfig(), facts, datetime.now(UTC), revision=revision, dollars_per_hour=0)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", open("/dev/null"))  # noqa: SIM115
    store = Store(str(tmp_path / "runs"))
    make(store, LAYOUT.data, "old" * 1000, "a")
    make(store, LAYOUT.data, "new", "b")
    make(store, LAYOUT.adapter, "weights", "a")
    for shard in (0, 2):
        make(store, shard_folder(LAYOUT.trajectories("main"), shard, 3), "rows", "a")
    make(store, LAYOUT.report, "half", "a", ends=False)
    store.write_text(LAYOUT.settings, "{}")
    return store


def burnqed(words: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["burnqed", *words.split()])
    return run_app()


def test_every_byte_of_a_store_is_somewhere(store: Store) -> None:
    found = {output.path: output for output in inventory(store)}
    assert sum(o.size for o in found.values()) == sum(info["size"] for info in store.files("").values())
    assert {path: o.state for path, o in found.items()} == {
        "main": "other",
        LAYOUT.data: "finished",
        LAYOUT.adapter: "finished",
        LAYOUT.report: "begun",
        **{shard_folder(LAYOUT.trajectories("main"), shard, 3): "finished" for shard in (0, 2)},
    }
    assert found[LAYOUT.data].earlier == 3000
    assert found[LAYOUT.adapter].earlier == 0
    store.write_text(f"{LAYOUT.adapter}/a/file", "")
    assert {o.path: o.state for o in inventory(store)}[LAYOUT.adapter] == "damaged"


def test_a_person_sees_a_line_for_each_output_and_one_for_all_its_shards(
    store: Store, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    store.write_text(f"{LAYOUT.adapter}/a/file", "")
    assert burnqed("store show runs", monkeypatch) == 0
    shown = capfd.readouterr().out
    data, report, adapter = (shown.partition(f" {name} ")[2] for name in ("data", "report", "adapter"))
    assert data.splitlines()[1].endswith("with 3 kB of earlier ones")
    assert "not finished" in report.splitlines()[1]
    assert "damaged: file has 0 bytes" in adapter.splitlines()[1]
    assert "loss 0.25, words [red]many[/], fact0 0, fact1 1, fact2 2, 6 more" in shown
    assert shown.count("trajectories/main, 2 of 3 shards") == 1
    assert max(map(len, shown.splitlines())) <= 80


def test_a_program_sees_all(store: Store, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    assert burnqed("store show runs --run main --json", monkeypatch) == 0
    rows = {row["output"]: row for row in json.loads(capfd.readouterr().out)}
    assert rows[LAYOUT.data]["facts"]["fact8"] == 8
    assert rows[LAYOUT.report]["state"] == "begun"
    assert len(rows) == 6


@pytest.mark.parametrize("words", ["run clean --iter 0 --store runs", "step clean --iter 0 --store runs"])
def test_clean_names_what_it_deletes_and_deletes_nothing_unasked(
    words: str, store: Store, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    before = store.list("")
    assert burnqed(words, monkeypatch) == 2
    said = capfd.readouterr().err
    assert "trajectories/main, 2 of 3 shards" in said
    assert "This deletes 3 finished outputs" in said
    assert "Nothing was deleted, because there is nobody to ask; give --yes" in said
    assert store.list("") == before


def test_clean_with_yes_deletes_what_it_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert burnqed("step clean --iter 0 --store runs --yes", monkeypatch) == 0
    assert store.list(LAYOUT.root) == []
    assert store.exists(f"{LAYOUT.data}/b/file")
