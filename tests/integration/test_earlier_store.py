"""A store that an earlier commit wrote can be shown, compared and continued, and nothing of it is lost.

`tests/fixtures/stores/NAME.tar.xz` is the store that commit NAME left after iteration 0 with the settings in NAME.yaml.
"""

from __future__ import annotations

import json
import logging
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from burnqed.cli.main import app
from burnqed.layout import SUCCESS, Layout
from burnqed.record import output, read_record
from burnqed.resolve import resolve
from burnqed.store import Store
from tests.fixtures.policy import running
from tests.fixtures.shared import ROOT

STORES = ROOT / "tests/fixtures/stores"
WRITER = "75ab427"
PROFILE = str(STORES / f"{WRITER}.yaml")
ZERO, ONE = Layout("main", 0), Layout("main", 1)
KEPT = [
    f"iterations/iter_0/trajectories/{variant}"
    for variant in (
        "main/shard-0000-of-0002",
        "main/shard-0001-of-0002",
        "noise/shard-0000-of-0002",
        "noise/shard-0001-of-0002",
        "replay/shard-0000-of-0001",
    )
]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stores")
    with tarfile.open(STORES / f"{WRITER}.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return folder


@pytest.fixture
def store(unpacked: Path, tmp_path: Path) -> Store:
    shutil.copytree(unpacked, tmp_path / "store")
    return Store(str(tmp_path / "store"))


def burnqed(*words: str) -> str:
    """What a command prints."""
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def step(store: Store, iteration: int, *words: str) -> None:
    burnqed(
        "step", *words, "--iter", str(iteration), "--store", store.uri, "--profile", PROFILE, "--set", "search.shards=1"
    )


def contents(store: Store) -> dict[str, bytes]:
    return {path: store.read_bytes(path) for path in store.list("main")}


def test_it_is_whole_and_every_command_that_reads_a_store_reads_it(store: Store) -> None:
    before = contents(store)
    units = {path.removesuffix(f"/{SUCCESS}") for path in before if path.endswith(f"/{SUCCESS}")}
    assert "15 of 15 outputs" in burnqed("store", "verify", store.uri)
    shown = json.loads(burnqed("store", "show", store.uri, "--json"))
    assert len(units) == 15
    assert "trajectories/replay" in json.dumps(shown)
    (row,) = json.loads(burnqed("summary", "--store", store.uri, "--json"))["iterations"]
    assert (row["benchmark"], row["total"], row["with_head"]) == ("core", 3, 0)
    iteration = store.locate(ZERO.root)
    compared = burnqed("compare", iteration, iteration)
    assert "on core at budget 2" in compared
    assert "rank" not in compared, "nobody noted it then"
    assert contents(store) == before


def test_its_searches_are_kept_and_what_is_made_anew_says_why(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    before = contents(store)
    caplog.set_level(logging.INFO)
    step(store, 0, "plan")
    verdicts = dict(
        message.split(": ", 1) for message in caplog.messages if message.startswith(("data", "base", "iterations/"))
    )
    hits = {unit for unit, verdict in verdicts.items() if verdict.startswith("hit")}
    assert hits == set(KEPT)
    for unit in KEPT:
        assert f"{unit} was kept although the step's version went from 1 to 2" in verdicts[unit]
    for unit, verdict in verdicts.items():
        assert unit in hits or verdict.startswith("miss, because "), f"{unit}: {verdict}"
    assert verdicts["data"] == "miss, because the step's version went from 1 to 3"
    assert {path: content for path, content in contents(store).items() if path in before} == before


@contextmanager
def served(store: Store, stage: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The policy server of iteration 1, with the head of this stage where it has one."""
    folders = [
        Path(store.locate(output(store, prefix))) for prefix in (ONE.model, ONE.head(stage)) if store.list(prefix)
    ]
    with running(folders[0], resolve(PROFILE).config.policy, *folders[1:]) as server:
        monkeypatch.setenv("BURNQED_POLICY_PORT", server.url.rpartition(":")[2])
        yield


def facts(store: Store, prefix: str) -> dict[str, float | int | str | None]:
    record = read_record(store, prefix)
    assert record
    return record.facts


@pytest.mark.long
def test_iteration_1_continues_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(store)
    for words in (
        "plan",
        "benchmark",
        "data",
        "base",
        "select",
        "sft",
        "export",
        "embed --stage search",
        "ebm --stage search",
    ):
        step(store, 1, *words.split())
    with served(store, "search", monkeypatch):
        step(store, 1, "search")
    with served(store, "negatives", monkeypatch):
        step(store, 1, "negatives")
    for words in ("embed --stage final", "ebm --stage final"):
        step(store, 1, *words.split())
    with served(store, "final", monkeypatch):
        step(store, 1, "evaluate")
    step(store, 1, "report")

    searched = [
        {theorem["name"] for theorem in store.read_json(f"{output(store, at.selection)}/selection.json")["theorems"]}
        for at in (ZERO, ONE)
    ]
    assert all(searched)
    assert not searched[0] & searched[1], "what iteration 0 searched is not searched again"
    assert facts(store, ONE.adapter)["trajectory_pairs"], "its proofs are trained on"
    assert facts(store, ONE.embeddings("search"))["states"] == facts(store, ZERO.embeddings("final"))["states"]
    rows = json.loads(burnqed("summary", "--store", store.uri, "--json"))["iterations"]
    assert [(row["iteration"], row["benchmark"], row["total"]) for row in rows] == [(0, "core", 3), (1, "core", 3)]
    assert rows[0]["benchmark_hash"] == rows[1]["benchmark_hash"]
    burnqed("store", "verify", store.uri)
    assert {path for path in before if "iter_0" in path} <= set(store.list("main"))
