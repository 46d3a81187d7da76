"""Files of pairs and of whole proofs: written and read in batches, and what is not one is named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import BaseModel

from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.proofs import PROOFS, WholeProof
from burnqed.data.rows import BATCH, RowFormat
from burnqed.errors import BadInput
from burnqed.lean.protocol import Theorem
from burnqed.store import Store

ROWS: list[tuple[RowFormat[Any], list[BaseModel]]] = [
    (
        PAIRS,
        [
            TacticPair(theorem="t", state="n : Nat\n⊢ n = n", tactic="omega", depth=0, source="test", num_goals=1, log_prob=-0.5),
            TacticPair(theorem="ℓ::a.b", state="h : a\u2028b\n⊢ p", tactic="exact h\n  |> id", state_after="", source="s"),
        ],
    ),
    (
        PROOFS,
        [
            WholeProof(name="w::1", statement="True", proof="by trivial", source="w", header="open Nat", file_path="A.lean"),
            WholeProof(name="w::2", statement="theorem x : True", proof=":= trivial", source="w"),
        ],
    ),
]  # fmt: skip
FORMATS = [PAIRS, PROOFS]
PAIR = {"theorem": "t", "state": "⊢ p", "tactic": "trivial", "source": "s"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


@pytest.mark.parametrize(("rows", "examples"), ROWS)
@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl", "x"])
def test_rows_come_back_as_they_were_written(
    store: Store, name: str, rows: RowFormat[Any], examples: list[BaseModel]
) -> None:
    assert rows.write(store, name, rows.batches(examples)) == len(examples)
    assert list(rows.rows(rows.read(store, name))) == examples
    assert {batch.schema for batch in rows.read(store, name)} == {rows.schema}


@pytest.mark.parametrize("rows", FORMATS)
def test_the_schema_has_the_fields_of_the_row_and_only_optional_ones_may_be_null(rows: RowFormat[Any]) -> None:
    assert set(rows.schema.names) == set(rows.row.model_fields)
    assert [f.name for f in rows.schema if not f.nullable] == [n for n in rows.schema.names if n in rows.required]


def test_a_whole_proof_gives_the_theorem_alone() -> None:
    proof = ROWS[1][1][0]
    assert isinstance(proof, WholeProof)
    assert proof.theorem == Theorem(name="w::1", statement="True", header="open Nat", file_path="A.lean")


@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl"])
def test_a_file_is_read_and_written_piece_by_piece(store: Store, name: str) -> None:
    number = 3 * BATCH + 7
    pairs = (TacticPair(theorem=f"t{i}", state="⊢ p", tactic="simp", source="s") for i in range(number))
    taken: list[int] = []

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in PAIRS.batches(pairs):
            taken.append(len(batch))
            yield batch

    assert PAIRS.write(store, name, batches()) == number
    assert taken == [BATCH, BATCH, BATCH, 7]
    read = [len(batch) for batch in PAIRS.read(store, name)]
    assert sum(read) == number
    assert max(read) <= BATCH


@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl"])
def test_a_file_of_nothing_has_no_rows(store: Store, name: str) -> None:
    PAIRS.write(store, name, [])
    assert list(PAIRS.rows(PAIRS.read(store, name))) == []


@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl"])
def test_a_writer_that_is_cut_off_leaves_what_was_there(store: Store, name: str) -> None:
    def cut_off() -> Iterator[pa.RecordBatch]:
        yield PAIRS.batch([TacticPair(**PAIR)])
        raise BadInput("no more")

    PAIRS.write(store, name, [])
    before = store.read_bytes(name)
    with pytest.raises(BadInput, match="no more"):
        PAIRS.write(store, name, cut_off())
    assert store.read_bytes(name) == before
    assert [file.name for file in Path(store.uri).iterdir()] == [name]


def test_the_digest_is_that_of_the_written_file(store: Store) -> None:
    PAIRS.write(store, "x.parquet", PAIRS.batches([TacticPair(**PAIR)]))
    assert store.written_digest("x.parquet") == store.digest("x.parquet")


# ---- files of others


def test_columns_that_are_absent_and_further_ones_do_not_matter(store: Store) -> None:
    store.write_text("x.jsonl", "\n" + json.dumps({**PAIR, "commit": "abc"}) + "\n\n")
    table = pa.table(
        {"commit": ["abc"], **{name: pa.array([value], pa.large_string()) for name, value in PAIR.items()}}
    )
    with store.writing("x.parquet") as file:
        pq.write_table(table, file)
    for name in ("x.jsonl", "x.parquet"):
        assert list(PAIRS.rows(PAIRS.read(store, name))) == [TacticPair(**PAIR)]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"theorem": "t", "state": "⊢ p"', "JSON"),
        ('{"theorem": "t", "state": "⊢ p", "source": "s"}', "tactic"),
        ('{"theorem": "t", "state": 3, "tactic": "simp", "source": "s"}', "state"),
        ('{"theorem": "", "state": "⊢ p", "tactic": "simp", "source": "s"}', "theorem"),
        ('["t"]', "object"),
    ],
)
def test_a_malformed_line_is_named_with_file_and_number(store: Store, line: str, what: str) -> None:
    store.write_text("p.jsonl", json.dumps(PAIR) + "\n" + line + "\n")
    with pytest.raises(BadInput, match=f"p.jsonl, line 2.*{what}"):
        list(PAIRS.read(store, "p.jsonl"))


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"theorem": [""]}, "row 2, is not a tactic pair: theorem is empty"),
        ({"tactic": [None]}, "row 2, is not a tactic pair: tactic is null"),
        ({"depth": [-1]}, "row 2, is not a tactic pair: depth is less than 0"),
        ({"state": [b"\xff"]}, "column 'state' of .*x.parquet is not string in rows 1 to 2"),
        ({"depth": [2**40]}, "column 'depth' of .*x.parquet is not int32"),
        ({"depth": ["deep"]}, "column 'depth' of .*x.parquet is not int32"),
    ],
)
def test_a_malformed_row_is_named_with_file_and_number(store: Store, wrong: dict[str, list[Any]], what: str) -> None:
    ((name, (value,)),) = wrong.items()
    first = {"depth": "0" if isinstance(value, str) else 0, **PAIR}
    if isinstance(value, bytes):
        first = {**first, name: str(first[name]).encode()}
    with store.writing("x.parquet") as file:
        pq.write_table(pa.table({k: [v, value if k == name else v] for k, v in first.items()}), file)
    with pytest.raises(BadInput, match=what):
        list(PAIRS.read(store, "x.parquet"))


def test_a_file_that_is_missing_or_something_else_is_bad_input(store: Store) -> None:
    for name in ("none.jsonl", "none.parquet"):
        with pytest.raises(BadInput, match="does not exist"):
            list(PAIRS.read(store, name))
    store.write_bytes("binary.jsonl", b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="UTF-8"):
        list(PAIRS.read(store, "binary.jsonl"))
    store.write_text("text.parquet", "no")
    with pytest.raises(BadInput, match="cannot be read as Parquet"):
        list(PAIRS.read(store, "text.parquet"))
    with store.writing("other.parquet") as file:
        pq.write_table(pa.table({"name": ["t"], "state": ["⊢ p"]}), file)
    with pytest.raises(BadInput, match="no column 'theorem', .* its columns are name, state"):
        list(PAIRS.read(store, "other.parquet"))
