"""The command line: what bad input says, and with which exit code."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from burnqed import lease
from burnqed.config import SHIPPED_INDICES
from burnqed.data.deep import BENCHMARK_SHARE
from burnqed.data.skeleton import skeleton
from burnqed.data.split import unit_interval
from burnqed.data.theorems import parse_index, read_index
from burnqed.store import Store

BAD_INPUT = [
    (["config", "show", "--profile", "nope"], "profile"),
    (["run", "nonsense", "--iter", "0"], "workflow"),
    (["lean", "check", "absent.json"], "absent.json"),
    (["step", "data", "--iter", "0", "--profile", "smoke", "--shard", "99"], "--shard"),
    (["serve", "--model", "absent", "--port", "1234"], "absent"),
]
"""In processes of their own; many others are in tests/unit/test_wrong_words.py."""


def burnqed(*words: str, cwd: Path, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "burnqed.cli.main", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
    )


@pytest.mark.parametrize(("words", "hint"), BAD_INPUT, ids=lambda v: " ".join(v) if isinstance(v, list) else None)
def test_bad_input_is_one_sentence_and_exit_code_2(words: list[str], hint: str, tmp_path: Path) -> None:
    done = burnqed(*words, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert hint in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert len([line for line in done.stderr.splitlines() if line.startswith("burnqed:")]) == 1


def test_one_run_is_worked_on_by_one_at_a_time_whatever_their_homes(tmp_path: Path) -> None:
    run = ["run", "iteration", "--iter", "0", "--profile", "smoke", "--store", "s"]
    (tmp_path / "home").mkdir()
    with lease.held(Store(str(tmp_path / "s")), "main", "`burnqed run` on A"):
        done = burnqed(*run, cwd=tmp_path, environment={"HOME": str(tmp_path / "home")})
    assert done.returncode == 2
    assert "`burnqed run` on A has been working on the run 'main'" in done.stderr


def test_an_iteration_without_its_predecessor_is_refused(tmp_path: Path) -> None:
    done = burnqed("run", "iteration", "--iter", "1", "--profile", "smoke", "--store", "s", cwd=tmp_path)
    assert done.returncode == 2
    assert "--iter 0" in done.stderr


def test_a_port_in_use_is_bad_input(tmp_path: Path, tiny_model: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = burnqed("serve", "--model", str(tiny_model), "--port", str(taken.getsockname()[1]), cwd=tmp_path)
    assert done.returncode == 2
    assert "port" in done.stderr


def test_config_show_as_json_is_one_document_with_origins(tmp_path: Path) -> None:
    done = burnqed("config", "show", "--profile", "smoke", "--set", "search.depth=3", "--json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["search.depth"] == {"value": 3, "from": "--set"}
    assert document["search.budget"]["from"] == "profile smoke"


def test_doctor_says_what_is_there(tmp_path: Path) -> None:
    done = burnqed("doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    for what in ("Node", "Lean", "torch", "disk", "store"):
        assert what in done.stdout


def test_generated_statements_can_be_inspected(tmp_path: Path) -> None:
    assert burnqed("data", "generate", "--count", "50", "--out", "g.json", cwd=tmp_path).returncode == 0
    document = json.loads(burnqed("data", "inspect", "g.json", "--json", cwd=tmp_path).stdout)
    assert document["theorems"] == 50


def test_deep_statements_can_be_of_one_kind(tmp_path: Path) -> None:
    given = ("data", "generate", "--deep", "--kind", "moves", "--count", "3", "--out", "moves.json")
    assert burnqed(*given, cwd=tmp_path).returncode == 0
    names = [t["name"] for t in json.loads((tmp_path / "moves.json").read_text())["theorems"]]
    assert [name.rpartition("_")[0] for name in names] == ["deep::moves"] * 3


def test_held_out_deep_statements_have_no_skeleton_of_training_of_a_shipped_benchmark_or_of_a_given_index(
    tmp_path: Path,
) -> None:
    given = ("data", "generate", "--deep", "--held-out", "--kind", "moves", "--seed", "3", "--count", "6")
    assert burnqed(*given, "--out", "one.json", cwd=tmp_path).returncode == 0
    assert burnqed(*given, "--apart-from", "one.json", "--out", "other.json", cwd=tmp_path).returncode == 0
    one, other = (
        {skeleton(theorem.statement) for theorem in read_index(str(tmp_path / name))}
        for name in ("one.json", "other.json")
    )
    shipped = {skeleton(theorem.statement) for name in SHIPPED_INDICES for theorem in read_index(name)}
    assert not one & other
    assert not (one | other) & shipped
    assert all(unit_interval("deep", shape) < BENCHMARK_SHARE for shape in one | other)


def test_traced_proofs_become_pairs_and_one_that_does_not_replay_is_left_out(tmp_path: Path) -> None:
    good = "theorem good : ∀ a b : Nat, a + b = b + a := by\n  intro a b\n  omega\n"
    bad = "theorem bad : ∀ a b : Nat, a * b = b + a := by\n  intro a b\n  omega\n"
    (tmp_path / "proofs.lean").write_text(f"{good}\n{bad}", encoding="utf-8")
    done = burnqed("data", "trace", "proofs.lean", "--out", "pairs.jsonl", "--source", "mine", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "bad is left out" in done.stderr
    pairs = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(p["theorem"], p["tactic"], p["source"]) for p in pairs] == [
        ("good", "intro a b", "mine"),
        ("good", "omega", "mine"),
    ]
    facts = json.loads(burnqed("data", "inspect", "pairs.jsonl", "--json", cwd=tmp_path).stdout)
    assert (facts["pairs"], facts["theorems"]) == (2, 1)
    (tmp_path / "proofs.lean").write_text(bad, encoding="utf-8")
    done = burnqed("data", "trace", "proofs.lean", "--out", "none.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert "none.jsonl was not written" in done.stderr
    assert not (tmp_path / "none.jsonl").exists()


def test_what_was_traced_is_kept_where_the_output_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "proofs.lean").write_text("theorem good : 1 = 1 := by\n  rfl\n", encoding="utf-8")
    (tmp_path / "pairs.parquet").mkdir()
    done = burnqed("data", "trace", "proofs.lean", "--out", "pairs.parquet", cwd=tmp_path)
    assert done.returncode != 0
    assert list((tmp_path / "pairs.parquet.parts").rglob("part-*"))
    (tmp_path / "pairs.parquet").rmdir()
    done = burnqed("data", "trace", "proofs.lean", "--out", "pairs.parquet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "pairs.parquet.parts").exists()


def test_an_imported_index_holds_what_elaborates_once_with_its_header(tmp_path: Path) -> None:
    theorems = [
        {"name": "a", "statement": "∀ n : Nat, Even n → Even (n + 2)"},
        {"name": "same", "statement": "∀ m : Nat,  Even m → Even (m + 2)"},
        {"name": "unknown", "statement": "∀ n : Nat, Odd n → Odd (n + 2)"},
    ]
    (tmp_path / "index.json").write_text(json.dumps({"theorems": theorems}))
    (tmp_path / "header.lean").write_text("def Even (n : Nat) : Prop := n % 2 = 0\n")
    done = burnqed("data", "import", "index.json", "--out", "o.json", "--header", "header.lean", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 equal to another, 1 that do not elaborate" in done.stdout
    assert "unknown is left out" in done.stderr
    (kept,) = parse_index((tmp_path / "o.json").read_text(encoding="utf-8"), "o.json")
    assert (kept.name, kept.header) == ("a", "def Even (n : Nat) : Prop := n % 2 = 0\n")
