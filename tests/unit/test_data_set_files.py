"""Files of data sets as they occur: compressed, with marks and line ends of other systems, lists called lines and lines called lists, broken."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from burnqed.data.sets import files
from burnqed.data.sets.files import Broken, rows, value_of
from burnqed.errors import BadInput

ROWS: list[dict[str, Any]] = [
    {"name": "ä\u2028b", "state": "x : ℕ\n⊢ x = x", "tactic": "rfl"},
    {"name": "c", "state": '⊢ "quoted, with\r\nbreaks"', "tactic": None},
    {"name": "d𝔸", "state": "⊢ True", "tactic": "trivial"},
]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)


def read(path: Path, columns: tuple[str, ...] = ("name", "state", "tactic")) -> list[Any]:
    return [row for _, row in rows(path, columns)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", LINES),
        ("a.jsonl", "\ufeff" + LINES.replace("\n", "\r\n")),
        ("a.jsonl", "\n  \n" + LINES.replace("\n", "\n\n")),
        ("a.json", LINES),
        ("a.json", LINES.rstrip("\n")),
        ("a.ndjson", LINES),
        ("a.json", json.dumps(ROWS)),
        ("a.json", "\ufeff\n" + json.dumps(ROWS, indent=2, ensure_ascii=False)),
        ("a.jsonl", json.dumps(ROWS, ensure_ascii=False)),
        ("a.json", json.dumps({"theorems": ROWS})),
        ("a.json", json.dumps({"version": 3, "data": ROWS}, indent=1)),
    ],
)
def test_json_is_read_in_whatever_form_it_comes(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(text.encode())
    assert read(tmp_path / name) == ROWS


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, lambda data: pa.Codec("zstd").compress(data, asbytes=True)])  # fmt: skip
def test_packed_files_are_unpacked_as_they_are_read(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    suffix = {gzip.compress: ".gz", bz2.compress: ".bz2", lzma.compress: ".xz"}.get(pack, ".zst")
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(pack(LINES.encode()))
    assert read(path) == ROWS
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BadInput, match=r"cannot be read|is not"):
        read(path)


def test_the_header_of_an_index_and_the_names_of_splits_come_with_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"header": "open Nat", "theorems": [{"name": "a"}, {"name": "b", "header": ""}]}))
    assert [row["header"] for row in read(path)] == ["open Nat", ""]
    path.write_text(json.dumps({"train": [{"name": "a"}], "test": [{"name": "b"}, 3]}))
    assert read(path) == [
        {"split": "train", "name": "a"},
        {"split": "test", "name": "b"},
        Broken("is not a JSON object"),
    ]


def test_one_object_on_many_lines_is_one_row(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(ROWS[0], indent=4))
    assert read(tmp_path / "a.json") == ROWS[:1]


def test_tables_may_have_a_mark_other_line_ends_and_cells_of_several_lines(tmp_path: Path) -> None:
    text = '\ufeffname, state ,tactic\r\na,"⊢ ""x"",\r\n y",rfl\r\n\r\nb,⊢ z,\r\nc,too,many,cells\r\n'
    (tmp_path / "a.csv").write_bytes(text.encode())
    assert read(tmp_path / "a.csv") == [
        {"name": "a", "state": '⊢ "x",\r\n y', "tactic": "rfl"},
        {"name": "b", "state": "⊢ z", "tactic": None},
        Broken("has 4 cells, and the head 3"),
    ]
    (tmp_path / "a.tsv").write_text("name\tstate\na\t⊢ x, y\n")
    assert read(tmp_path / "a.tsv") == [{"name": "a", "state": "⊢ x, y"}]


def test_parquet_is_read_by_column_whatever_its_types(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table(
        {
            "name": pa.array(["a", "b"]).dictionary_encode(),
            "goal": [{"before": "⊢ x", "after": None}, None],
            "steps": pa.array([[{"tactic": "rfl"}], []]),
            "long": pa.array(["l", None], pa.large_string()),
            "nothing": pa.nulls(2),
            "unread": ["u"] * 2,
        }
    )
    pq.write_table(table, path)
    first, second = read(path, ("name", "goal", "goal.before", "steps", "long", "nothing"))
    assert "unread" not in first
    assert value_of(first, "goal.before") == "⊢ x"
    assert value_of(second, "goal.before") is None
    assert (first["steps"], first["long"], first["nothing"]) == ([{"tactic": "rfl"}], "l", None)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadInput, match="cannot be read"):
        read(path)


def test_broken_lines_are_rows_that_say_what_is_wrong(tmp_path: Path) -> None:
    good = b'{"name": "a"}\n'
    lines = [
        good,
        b'{"name": "b"\n',
        b'{"name": "\xff"}\n',
        b'{"name": 1, "name": 2}\n',
        b"[1]\n",
        b'{"a":' * 3000 + b"\n",
        good,
    ]
    (tmp_path / "a.jsonl").write_bytes(b"".join(lines))
    found = read(tmp_path / "a.jsonl")
    assert found[0] == found[-1] == {"name": "a"}
    assert [row.what.partition(" (")[0] for row in found[1:-1]] == [
        "is not JSON",
        "is not UTF-8",
        "cannot be read",
        "is not a JSON object",
        "cannot be read",
    ]
    assert "has `name` twice" in found[3].what


@pytest.mark.parametrize("text", ['[{"a": 1}', '[{"a": 1}, {"a"', '[{"a": 1} {"a": 2}]', "[1,", "["])
def test_a_list_that_breaks_off_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(BadInput, match="not a JSON list"):
        read(tmp_path / "a.json")


def test_rows_longer_than_any_text_are_named_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 1_000)
    monkeypatch.setattr(files, "PIECE", 100)
    long = json.dumps({"name": "x" * 5_000})
    (tmp_path / "a.jsonl").write_text(f'{{"name": "a"}}\n{long}\n{{"name": "b"}}\n')
    assert [row if isinstance(row, Broken) else row["name"] for row in read(tmp_path / "a.jsonl")] == ["a", Broken("has more than 0 MB"), "b"]  # fmt: skip


def test_lists_larger_than_a_piece_are_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PIECE", 7)
    (tmp_path / "a.json").write_text(json.dumps(ROWS * 5, ensure_ascii=False, indent=1))
    assert read(tmp_path / "a.json") == ROWS * 5


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.json", "a.csv"):
        (tmp_path / name).write_bytes(b"")
        assert read(tmp_path / name) == []
