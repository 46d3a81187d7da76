"""Every data set that is known by name is imported from a sample with its columns and its files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from burnqed.cli.main import app
from burnqed.data.sets.catalogue import DataSet, Kind, known
from burnqed.data.sets.leaks import Held
from burnqed.data.sets.places import located
from burnqed.data.sets.reading import Reading, Record
from burnqed.data.sets.report import ImportReport
from burnqed.data.theorems import parse_index
from burnqed.errors import BadInput
from burnqed.lean.protocol import Theorem
from tests.fixtures.data_sets import laid_out
from tests.fixtures.shared import ROOT

ROWS = {
    "lean-github": (4, 4),
    "goedel-workbook-proofs": (2, 1),
    "numinamath-lean": (4, 2),
    "numinamath-lean-statements": (2, 2),
    "lean-workbook": (2, 2),
    "lean-workbook-plus": (1, 1),
    "lean-workbook-pairs": (14, 13),
    "leandojo-benchmark-4": (6, 6),
    "leandojo-v2": (6, 6),
    "deepseek-prover-v1": (2, 2),
    "herald-proofs": (3, 3),
    "herald-statements": (1, 1),
    "kimina-promptset": (3, 2),
    "formalmath-all": (2, 2),
    "formalmath-lite": (1, 1),
    "minif2f": (3, 3),
    "minif2f-lean4": (2, 2),
    "minif2f-v2s": (2, 2),
    "minif2f-v2c": (2, 2),
    "proofnet": (13, 12),
    "proofnet-sharp": (2, 2),
    "putnambench": (3, 2),
}
"""Rows of each sample, and how many of them are imported."""


def imported(source: str, data_set: DataSet, **options: Any) -> tuple[list[Record], ImportReport]:
    report = ImportReport(data_set="", source=source, kind=data_set.kind)
    with located(source, data_set) as files:
        records = list(Reading(data_set, report, **{"held": Held({}), **options}).records(files))
    return records, report


def sample(name: str, folder: Path, **options: Any) -> tuple[dict[str, Any], ImportReport]:
    """Its records by name, and the report."""
    records, report = imported(str(laid_out(name, folder)), known()[name], **options)
    return {record.theorem if hasattr(record, "tactic") else record.name: record for record in records}, report


@pytest.mark.parametrize("name", known())
def test_a_known_data_set_is_imported_from_its_files(name: str, tmp_path: Path) -> None:
    _, report = sample(name, tmp_path)
    assert (report.rows, report.imported) == ROWS[name]
    assert report.absent == []


def test_theorems_of_the_same_name_from_different_repositories_stay_apart(tmp_path: Path) -> None:
    pairs, report = sample("lean-github", tmp_path)
    assert list(pairs) == ["github::Apples.swap", "github::Apples.swap#2", "github::Pears.twice"]
    assert pairs["github::Apples.swap"].state_after == ""  # the last of two
    assert pairs["github::Pears.twice"].state_after is None
    assert (report.renamed, report.cheats) == (1, 1)


def test_a_proof_is_the_annotators_only_where_it_is_complete(tmp_path: Path) -> None:
    proofs, report = sample("numinamath-lean", tmp_path)
    assert proofs["numina::11-a"].proof == "by\n  omega"
    by_term = proofs["numina::11-b"]
    assert by_term.proof == "h ▸ helper ▸ rfl"
    assert by_term.header == "import Mathlib\nlemma helper : 1 + 1 = 2 := rfl\n"
    assert report.terms == 1
    assert report.left_out == {"no proof": 2}
    assert report.counts["ground_truth_type"] == {"": 1, "complete": 1, "with_sorry": 1, "statement": 1}


def test_a_whole_text_becomes_header_statement_and_proof(tmp_path: Path) -> None:
    proofs, report = sample("goedel-workbook-proofs", tmp_path)
    (proof,) = proofs.values()
    assert proof.statement == "theorem lean_workbook_1 (a b : ℕ) (h : a = b) : b = a"
    assert proof.proof == "by\n  -- turn it round\n  exact h.symm"
    assert proof.header.startswith("import Mathlib\nimport Aesop\nset_option maxHeartbeats 400000\nopen BigOperators")
    assert report.cheats == 1
    assert report.left_out == {"sorry or admit in the proof": 1}


def test_statement_and_proof_in_columns_of_their_own_are_put_together_as_they_were_written(tmp_path: Path) -> None:
    proofs, _ = sample("herald-proofs", tmp_path)
    assert [proof.proof for proof in proofs.values()] == ["rfl", "by\n  simp", "| 0 => rfl\n| _ + 1 => rfl"]


def test_long_proofs_are_kept_and_counted(tmp_path: Path) -> None:
    proofs, report = sample("deepseek-prover-v1", tmp_path)
    assert len(proofs) == 2
    assert report.long_proofs == 1


def test_steps_within_a_list_become_rows(tmp_path: Path) -> None:
    pairs, report = sample("leandojo-benchmark-4", tmp_path, split="val")
    assert list(pairs) == ["mathlib::M.three"]
    assert pairs["mathlib::M.three"].tactic == "rfl"
    assert report.left_out == {"split is not val": 4}


def test_answers_in_comments_are_put_in_and_definitions_left_open_are_refused(tmp_path: Path) -> None:
    theorems, report = sample("putnambench", tmp_path)
    assert theorems["putnam::own_1"].header == "import Mathlib\nopen Nat\nabbrev own_1_solution : ℕ := 2\n"
    assert theorems["putnam::own_2"].statement.endswith("let f := fun g => a * g; ∀ x, f x = f x")
    assert report.answers == 1
    assert report.names == {"a definition is left open (sorry)": ["own_3"]}


def test_the_same_statement_counts_once_and_another_of_its_name_gets_a_number(tmp_path: Path) -> None:
    theorems, report = sample("kimina-promptset", tmp_path)
    assert list(theorems) == ["kimina::k_1", "kimina::k_1#2"]
    assert report.left_out == {"equal to an earlier one": 1}


@pytest.mark.parametrize(
    "ending", [" := by\n", " :=", " := sorry", " := by sorry", "   :=  by sorry\n", " := by\n  sorry", ""]
)
def test_endings_of_statements_do_not_matter(ending: str, tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(json.dumps({"id": 7, "s": f"/-- Doc. -/\ntheorem t (a : ℕ := 3) :\n  a = a{ending}"}))
    columns = DataSet.model_validate({**BLANK, "columns": {"name": "id", "statement": "s"}})
    (theorem,), _ = imported(str(file), columns)
    assert theorem == Theorem(name="own::7", statement="theorem t (a : ℕ := 3) :\n  a = a")


def test_a_header_that_is_the_default_one_is_left_out_and_a_given_one_is_for_those_without(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    headers = ["-- ours\nset_option autoImplicit  false\n", "open Nat\n", None]
    file.write_text(
        "".join(json.dumps({"h": h, "s": f"theorem t{i} : {i} = {i}"}) + "\n" for i, h in enumerate(headers))
    )
    columns = DataSet.model_validate({**BLANK, "columns": {"header": "h", "statement": "s"}})
    default = "set_option autoImplicit false"
    assert [t.header for t in imported(str(file), columns, default_header=default)[0]] == [None, "open Nat\n", None]
    given, _ = imported(str(file), columns, default_header=default, given_header="open Int\n")
    assert [t.header for t in given] == ["set_option autoImplicit  false\n", "open Nat\n", "open Int\n"]


BLANK = {
    "title": "",
    "kind": Kind.THEOREMS,
    "source": "own",
    "lean": "",
    "proofs": "none",
    "licence": "",
    "rows": "",
    "verified": "",
}


def test_statements_of_a_benchmark_are_left_out_however_they_are_written(tmp_path: Path) -> None:
    held = Held({"mine": [Theorem(name="b", statement="∀ (x y : Nat), (h : x = y) → y = x"), Theorem(name="c", statement="∀ u : ℕ, ∀ v : ℕ, ∀ w : u = v, v = u")]})  # fmt: skip
    theorems, report = sample("minif2f", tmp_path, held=held)
    assert "minif2f::own_2" not in theorems
    assert report.names == {"in the benchmark mine": ["own_2"]}


def test_pairs_whose_first_state_is_a_benchmarks_statement_are_left_out(tmp_path: Path) -> None:
    held = Held({"mine": [Theorem(name="b", statement="theorem w (x y : Nat) (e : x = y) : y = x := by")]})
    pairs, report = sample("lean-workbook-pairs", tmp_path, held=held)
    assert "workbook::lean_workbook_1" not in pairs
    assert report.names == {"in the benchmark mine": ["lean_workbook_1"]}


def test_of_a_theorem_that_begins_as_a_benchmark_does_no_step_is_imported(tmp_path: Path) -> None:
    held = Held({"mine": [Theorem(name="b", statement="∀ m n : Nat, m + n = n + m")]})
    pairs, report = sample("lean-github", tmp_path, held=held)
    assert list(pairs) == ["github::Apples.swap#2"]
    assert report.names == {"in the benchmark mine": ["Apples.swap", "Apples.swap", "Pears.twice"]}
    assert report.theorems == 1


def test_rows_that_import_other_projects_are_refused_with_the_modules(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    headers = ["import Mathlib.Tactic\nimport Aesop", "import Mathlib\nimport PrimeNumberTheorem.Basic", "import Lean"]
    file.write_text(
        "".join(json.dumps({"s": f"{h}\n\ntheorem t{i} : {i} = {i} := rfl"}) + "\n" for i, h in enumerate(headers))
    )
    columns = DataSet.model_validate({**BLANK, "columns": {"statement": "s"}})
    theorems, report = imported(str(file), columns)
    assert [theorem.name for theorem in theorems] == ["own::t0", "own::t2"]
    assert report.foreign_imports == {"PrimeNumberTheorem.Basic": 1}
    assert len(imported(str(file), columns, allowed_imports=["PrimeNumberTheorem"])[0]) == 3


def test_bad_rows_are_named_and_too_many_of_them_end_the_import(tmp_path: Path) -> None:
    file, out = tmp_path / "own.jsonl", tmp_path / "pairs.jsonl"
    good = {"theorem": "t", "state": "⊢ 1 = 1", "tactic": "rfl", "depth": 0}
    bad = [
        {**good, "state": None},
        {**good, "tactic": ["rfl"]},
        {**good, "depth": "one"},
        {**good, "depth": -1},
        {**good, "state": "\ud800"},
        7,
    ]
    rows = [{**good, "state": f"⊢ {i} = {i}"} for i in range(60)]
    file.write_text("".join(json.dumps(row) + "\n" for row in [*bad, *rows]))
    arguments = ["data", "import", str(file), "--columns", "theorem=theorem,state=state,tactic=tactic,depth=depth", "--out", str(out)]  # fmt: skip
    result = CliRunner().invoke(app, [*arguments, "--most-bad", "0.01"])
    assert isinstance(result.exception, BadInput)
    assert "6 of the first 66 rows are bad" in str(result.exception)
    assert not list(tmp_path.glob("pairs*"))
    assert CliRunner().invoke(app, arguments).exit_code == 0
    report = ImportReport.model_validate_json((tmp_path / "pairs.report.json").read_text())
    assert [(row.row, row.column, row.what) for row in report.bad_rows] == [
        (1, "state", "is null or empty"),
        (2, "tactic", "is a list and no text"),
        (3, "depth", "is a text and no number from 0"),
        (4, "depth", "is -1 and no number from 0"),
        (5, "state", "is not UTF-8 at character 1"),
        (6, "", "is not a JSON object"),
    ]
    assert len(out.read_text().splitlines()) == 60


def test_a_column_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("name,goal\na,⊢ True\n")
    columns = DataSet.model_validate({**BLANK, "columns": {"name": "name", "statement": "statement"}})
    with pytest.raises(BadInput, match=r"has no column 'statement' for `statement`; its columns are name, goal"):
        imported(str(file), columns)


def test_what_cannot_be_imported_leaves_nothing_and_says_why(tmp_path: Path) -> None:
    folder = laid_out("minif2f", tmp_path / "minif2f")
    out = tmp_path / "out.json"

    def refusal(*arguments: str) -> str:
        result = CliRunner().invoke(app, ["data", "import", *arguments])
        assert isinstance(result.exception, BadInput), result.output
        assert not out.exists()
        return str(result.exception)

    assert "'minif2' (did you mean 'minif2f'?)" in refusal(str(folder), "--set", "minif2", "--out", str(out))
    assert "the embedded Lean does not have" in refusal(str(folder), "--set", "minif2f", "--out", str(out))
    assert "--out end in .json" in refusal(str(folder), "--set", "minif2f", "--out", str(tmp_path / "out.parquet"))
    assert "has no files lean4/src" in refusal(str(folder), "--set", "putnambench", "--out", str(out))
    assert "is nothing that pairs have" in refusal(str(folder), "--columns", "state=a,tactic=b,theorem=c,proof=d", "--out", str(out))  # fmt: skip
    assert "no column is mapped to 'theorem'" in refusal(str(folder), "--columns", "state=a", "--out", str(out))
    assert "NAME=VALUE" in refusal(str(folder), "--columns", "state", "--out", str(out))


def test_a_benchmark_gets_its_hash_and_its_split(tmp_path: Path) -> None:
    folder, out = laid_out("minif2f", tmp_path / "minif2f"), tmp_path / "out.json"
    arguments = ["data", "import", str(folder), "--set", "minif2f", "--split", "test", "--no-elaborate", "--out", str(out)]  # fmt: skip
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    theorems = parse_index(out.read_text(), "out")
    assert [theorem.name for theorem in theorems] == ["minif2f::own_2", "minif2f::own_3"]
    report = ImportReport.model_validate_json((tmp_path / "out.report.json").read_text())
    assert re.fullmatch("[0-9a-f]{64}", report.benchmark_hash)
    assert report.splits == {"valid": 1, "test": 2}
    assert list(report.files) == ["datasets/minif2f.jsonl"]
    assert report.benchmark_hash[:20] in result.output


@pytest.mark.shared
@pytest.mark.parametrize(("name", "file", "defined"), [("minif2f", "minif2f_valid", 0), ("proofnet", "proofnet", 14)])
def test_real_files_are_imported_whole(name: str, file: str, defined: int, shared: Path, tmp_path: Path) -> None:
    source = shared / "data" / "public" / f"{file}.jsonl"
    theorems, report = imported(str(source), known()[name])
    assert len(theorems) == report.rows - defined
    assert {bad.what for bad in report.bad_rows} <= {"is a `def`, not a theorem"}
    for theorem in theorems:
        assert isinstance(theorem, Theorem)
        assert re.search(r"\A(?:theorem|lemma)\b", theorem.statement), theorem
        assert not re.search(r":=\s*(?:by)?\s*\Z", theorem.statement)


def test_the_document_has_a_row_for_each_data_set() -> None:
    text = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    table = [line.split("|") for line in text.splitlines() if line.startswith("| `")]
    rows = {cells[1].strip(" `"): cells for cells in table}
    assert list(rows) == list(known())
    for name, data_set in known().items():
        _, _, where, kind, count, lean, proofs, licence, _ = (cell.strip() for cell in rows[name])
        assert (data_set.hub or data_set.home.removeprefix("https://")) in where
        assert (kind, count, lean, proofs, licence) == (
            data_set.kind,
            data_set.rows,
            data_set.lean,
            data_set.proofs,
            data_set.licence,
        )
