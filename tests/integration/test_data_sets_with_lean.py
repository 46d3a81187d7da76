"""Imported data against a real Lean: validated, migrated, and elaborated on import."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from burnqed.cli.main import app
from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.proofs import PROOFS, WholeProof
from burnqed.data.sets.causes import Cause
from burnqed.data.sets.migrate import MigrationReport, migrate, read_journal
from burnqed.data.sets.report import ImportReport
from burnqed.data.sets.validate import sampled, validate_pairs
from burnqed.data.theorems import parse_index
from burnqed.errors import BadInput
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.protocol import Verdict
from burnqed.store import Store
from tests.fixtures.scripted import ScriptedLean


def pair(theorem: str, state: str, tactic: str, after: str | None, depth: int | None = None) -> TacticPair:
    return TacticPair(theorem=theorem, state=state, tactic=tactic, state_after=after, depth=depth, source="own")


CHAIN = [
    pair("own::chain", "⊢ ∀ (p q : Prop), p ∧ q → q ∧ p", "intro p q h", "p q : Prop\nh : p ∧ q\n⊢ q ∧ p", 0),
    pair("own::chain", "p q : Prop\nh : p ∧ q\n⊢ q ∧ p", "constructor", "case left\np q : Prop\nh : p ∧ q\n⊢ q\n\ncase right\np q : Prop\nh : p ∧ q\n⊢ p", 1),
    pair("own::chain", "case left\np q : Prop\nh : p ∧ q\n⊢ q\n\ncase right\np q : Prop\nh : p ∧ q\n⊢ p", "exact h.2", "case right\np q : Prop\nh : p ∧ q\n⊢ p", 2),
    pair("own::chain", "case right\np q : Prop\nh : p ∧ q\n⊢ p", "exact h.1", "", 3),
]  # fmt: skip
PAIRS_OF_OTHERS = [
    *CHAIN,
    pair("own::instances", "α✝ : Type\ninst✝ : Inhabited α✝\na✝ : α✝\n⊢ a✝ = a✝", "rfl", ""),
    pair("own::printed", "n : Nat\n⊢ n +\n      0 =\n    n", "show n = n", "n : Nat\n⊢ n = n + 0"),
    pair("own::renamed", "a b : Nat\n⊢ a + b = b + a", "exact Nat.add_comm_of_old a b", ""),
    pair("own::tactic", "a : Nat\n⊢ a = a", "norm_num_of_old", ""),
    pair("own::other", "a : Nat\n⊢ a = 0", "rfl", ""),
    pair("own::unreadable", "a : Nat\n⊢ a = ⋯ ∘", "rfl", ""),
    pair("own::library", "x : Real\n⊢ x = x", "rfl", ""),
]


def invoked(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["data", *arguments])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


@pytest.mark.asyncio(loop_scope="session")
async def test_steps_are_replayed_and_what_fails_is_told_by_cause(lean: EmbeddedLean) -> None:
    validation, replayed = await validate_pairs(sampled(PAIRS_OF_OTHERS, 50), lean)
    assert (validation.tried, validation.replayed) == (len(PAIRS_OF_OTHERS), 6)
    assert {failure.name: failure.cause for failure in validation.failures} == {
        "own::renamed": Cause.RENAMED,
        "own::tactic": Cause.TACTIC,
        "own::other": Cause.CHANGED,
        "own::unreadable": Cause.PRINTING,
        "own::library": Cause.IMPORT,
    }
    assert validation.by_depth["3"].replayed == 1
    assert validation.differing == 2
    new = {row.theorem: row for row in replayed}
    assert new["own::printed"].state_after == "n : ℕ\n⊢ n = n"
    assert new["own::instances"].state.startswith("α_1 : Type\ninst")
    assert new["own::chain"] == CHAIN[-1].model_copy(update={"state": "case right\np q : Prop\nh : p ∧ q\n⊢ p"})


def test_of_a_set_only_the_sample_is_replayed_and_below_four_fifths_it_is_better_traced_again(tmp_path: Path) -> None:
    PAIRS.write(Store(str(tmp_path)), "own.parquet", PAIRS.batches([*CHAIN, *PAIRS_OF_OTHERS[-5:]]))
    out = tmp_path / "new.parquet"
    text = invoked("validate", str(tmp_path / "own.parquet"), "--sample", "3", "--out", str(out))
    assert "of 3 theorems" in text
    assert "Only " in text
    assert "burnqed data trace" in text
    assert f"{sum(map(len, PAIRS.read(Store(str(tmp_path)), out.name)))} pairs in" in text


PROOFS_OF_OTHERS: list[dict[str, Any]] = [
    {"name": "own::same", "statement": "∀ a b : ℕ, a + b = b + a", "proof": "intro a b\nexact Nat.add_comm a b"},
    {"name": "own::renamed", "statement": "theorem t (a b : ℕ) (h : a = b) : b = a", "proof": "by\n  have := Old.add_comm a b -- Old.add_comm\n  exact Old.turn.intro h"},
    {"name": "own::stated", "statement": "∀ a : ℕ, Old.IsZero a → a = 0", "proof": "fun _ h => h", "header": "def IsZero (a : ℕ) := a = 0\n"},
    {"name": "own::gone", "statement": "∀ a : ℕ, a = a", "proof": "fun a => Old.gone a"},
    {"name": "own::wrong", "statement": "∀ a : ℕ, a = a + 1", "proof": "by omega"},
    {"name": "own::tactic", "statement": "∀ a : ℕ, a = a", "proof": "by old_tactic"},
]  # fmt: skip
HEADER = 'set_option autoImplicit false\nnotation "ℕ" => Nat\n'


def test_proofs_are_migrated_with_renames_and_the_others_are_told_by_cause(tmp_path: Path) -> None:
    rows = [WholeProof(**{**row, "header": HEADER + row.get("header", "")}, source="own") for row in PROOFS_OF_OTHERS]
    PROOFS.write(Store(str(tmp_path)), "own.jsonl", PROOFS.batches(rows))
    (tmp_path / "table.yaml").write_text("Old.add_comm: Nat.add_comm\nOld.turn.intro: Eq.symm\nOld.IsZero: IsZero\n")
    out = tmp_path / "new.parquet"
    text = invoked("migrate", str(tmp_path / "own.jsonl"), "--renames", str(tmp_path / "table.yaml"), "--out", str(out))
    assert "3 of 6 proofs" in text
    report = MigrationReport.model_validate_json((tmp_path / "new.report.json").read_text())
    assert (report.as_written, report.after_renames, report.statements_changed) == (1, 2, 1)
    assert {failure.name: failure.cause for failure in report.failures} == {
        "own::gone": Cause.RENAMED,
        "own::wrong": Cause.CHANGED,
        "own::tactic": Cause.TACTIC,
    }
    assert report.renames["Old.turn.intro → Eq.symm"] == 1
    kept = {row.name: row for row in PROOFS.rows(PROOFS.read(Store(str(tmp_path)), out.name))}
    assert kept["own::renamed"].proof == "by\n  have := Nat.add_comm a b -- Old.add_comm\n  exact Eq.symm h"
    assert kept["own::stated"].statement == "∀ a : ℕ, IsZero a → a = 0"
    assert not list(tmp_path.glob("*.unfinished"))


@pytest.mark.asyncio(loop_scope="session")
async def test_an_interrupted_migration_continues(tmp_path: Path, lean: EmbeddedLean) -> None:
    rows = [WholeProof(name="own::same", statement="∀ a : ℕ, a = a", header=HEADER, proof="fun _ => rfl", source="own")]
    journal = tmp_path / "new.unfinished"
    report, kept = await migrate(rows, lean, {}, journal)
    done = journal.read_text()
    journal.write_text(done + done[:20])  # killed while it wrote
    unable = ScriptedLean({}, check=lambda proof: Verdict(name="", accepted=False, reason="not asked for"))
    unable.version = lean.version
    assert await migrate(rows, unable, {}, journal) == (report, kept)
    assert kept == rows
    other, _ = await migrate(rows, unable, {"Old.a": "New.a"}, journal)  # with other renames all is done again
    assert other.survived == 0
    assert len(read_journal(journal)) == 2


def test_statements_are_elaborated_on_import_and_those_of_a_benchmark_stay(tmp_path: Path) -> None:
    rows = [{"name": f"n{i}", "split": "test", "header": HEADER, "formal_statement": f"theorem n{i} : ({i} : ℕ) = {i} := by"} for i in range(9)]  # fmt: skip
    rows.append({**rows[0], "name": "off", "formal_statement": "theorem off : (1 : ℕ) = Off := by"})
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    invoked("import", str(tmp_path / "own.jsonl"), "--set", "minif2f", "--out", str(tmp_path / "new.json"))
    report = ImportReport.model_validate_json((tmp_path / "new.report.json").read_text())
    assert report.elaborated
    ((name, reason),) = report.not_elaborating.items()
    assert name == "minif2f::off"
    assert "Unknown identifier `Off`" in reason
    assert len(parse_index((tmp_path / "new.json").read_text(), "new")) == 10


@pytest.mark.parametrize(
    ("command", "content", "complaint"),
    [
        ("validate", '{"a": 1}\n', "holds neither tactic pairs nor proofs (its columns are a)"),
        ("validate", "", "(its columns are none)"),
        ("migrate", CHAIN[0].model_dump_json() + "\n", "only whole proofs can be migrated"),
    ],
)
def test_what_can_be_neither_validated_nor_migrated_is_told(
    command: str, content: str, complaint: str, tmp_path: Path
) -> None:
    (tmp_path / "own.jsonl").write_text(content)
    arguments = [
        command,
        str(tmp_path / "own.jsonl"),
        *(["--out", str(tmp_path / "out.parquet")] if command == "migrate" else []),
    ]
    result = CliRunner().invoke(app, ["data", *arguments])
    assert isinstance(result.exception, BadInput)
    assert complaint in str(result.exception)
    assert not list(tmp_path.glob("out*"))
