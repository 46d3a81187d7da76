"""What is exported for the hub is a data set that others' tools load."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from burnqed.cli.main import app
from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.errors import BadInput
from burnqed.store import Store

ROWS = [
    TacticPair(theorem=f"own::{i // 3}", state=f"⊢ {i} = {i}", tactic="rfl", state_after="" if i % 2 else None, depth=i % 3, source="own")
    for i in range(300)
]  # fmt: skip


def exported(source: Path, out: Path, *options: str) -> str:
    arguments = [
        "data",
        "export",
        str(source),
        "--format",
        "hub",
        "--licence",
        "apache-2.0",
        "--out",
        str(out),
        *options,
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def test_pairs_are_exported_by_split_and_load_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    PAIRS.write(Store(str(tmp_path)), "own.parquet", PAIRS.batches(ROWS))
    exported(
        tmp_path / "own.parquet", tmp_path / "hub", "--validation", "0.2", "--from", "own proofs", "--lean", "4.29.1"
    )
    loaded = datasets.load_dataset(str(tmp_path / "hub"), cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == ["train", "validation"]
    rows = [TacticPair.model_validate(row) for split in loaded.values() for row in split]
    assert sorted(rows, key=lambda row: row.state) == sorted(ROWS, key=lambda row: row.state)
    theorems = [set(split["theorem"]) for split in loaded.values()]
    assert not theorems[0] & theorems[1]
    assert loaded["train"].info.features["depth"].dtype == "int32"


def test_the_card_says_what_it_is_where_it_is_from_and_under_which_licence(tmp_path: Path) -> None:
    PAIRS.write(Store(str(tmp_path)), "own.jsonl", PAIRS.batches(ROWS))
    exported(
        tmp_path / "own.jsonl", tmp_path / "hub", "--name", "Own pairs", "--from", "own proofs", "--lean", "4.29.1"
    )
    _, head, page = (tmp_path / "hub" / "README.md").read_text().split("---\n", 2)
    card = yaml.safe_load(head)
    assert (card["license"], card["pretty_name"], card["size_categories"]) == ("apache-2.0", "Own pairs", ["n<1K"])
    assert card["configs"][0]["data_files"] == [{"split": "train", "path": "data/train-00000-of-00001.parquet"}]
    assert [feature["name"] for feature in card["dataset_info"]["features"]] == PAIRS.schema.names
    assert card["dataset_info"]["splits"] == [{"name": "train", "num_examples": 300}]
    assert all(word in page for word in ("# Own pairs", "Lean 4.29.1", "own proofs", "apache-2.0", "`state_after`"))


def test_a_theorem_index_is_exported_with_its_headers(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    index = {"header": "open Nat\n", "theorems": [{"name": "own::a", "statement": "1 = 1"}]}
    (tmp_path / "own.json").write_text(json.dumps(index))
    exported(tmp_path / "own.json", tmp_path / "hub")
    table = pq.read_table(tmp_path / "hub" / "data" / "train-00000-of-00001.parquet")
    assert table.to_pylist() == [{"name": "own::a", "statement": "1 = 1", "header": "open Nat\n", "file_path": None}]


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    PAIRS.write(Store(str(tmp_path)), "own.parquet", PAIRS.batches(ROWS))
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "mine").touch()
    arguments = ["data", "export", str(tmp_path / "own.parquet"), "--licence", "mit", "--out", str(tmp_path / "hub")]
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, BadInput)
    assert [file.name for file in (tmp_path / "hub").iterdir()] == ["mine"]
