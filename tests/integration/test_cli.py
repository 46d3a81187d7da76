"""The command line: what bad input says, and with which exit code."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

CONFIG_CASES = [
    (["config", "show", "--profile", "nope"], "profile"),
    (["config", "show", "--set", "search.budgt=3"], "search.budget"),
    (["run", "iteration", "--iter", "0", "--profile", "smoke", "--set", "search.budgt=3"], "search.budget"),
    (["run", "nonsense", "--iter", "0"], "workflow"),
    (["step", "nonsense", "--iter", "0"], "step"),
    (["run", "iteration", "--iter", "0", "--store", "gs://bucket"], "s3://"),
    (["run", "iteration", "--iter", "0", "--theorems", "absent.json"], "absent.json"),
    (["eval", "--theorems", "absent.json", "--model", "m", "--budgets", "4"], "absent.json"),
    (["summary", "--store", "empty"], "run an iteration first"),
    (["compare", "a", "b"], "results"),
    (["store", "copy", "empty", "other"], "nothing to copy"),
    (["data", "inspect", "absent.json"], "absent.json"),
    (["lean", "check", "absent.json"], "absent.json"),
    (["serve", "--port", "1234"], "--model"),
    (["serve", "--model", "absent", "--port", "1234"], "absent"),
]


def burnqed(*words: str, cwd: Path, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "burnqed.cli.main", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
    )


@pytest.mark.parametrize(("words", "hint"), CONFIG_CASES, ids=lambda v: " ".join(v) if isinstance(v, list) else None)
def test_bad_input_is_one_sentence_and_exit_code_2(words: list[str], hint: str, tmp_path: Path) -> None:
    done = burnqed(*words, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert hint in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert len([line for line in done.stderr.splitlines() if line.startswith("burnqed:")]) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"theorems": []}',
        '{"theorems": [{"name": "a"}]}',
        '[{"name": "a", "statement": "True"}, {"name": "a", "statement": "True"}]',
    ],
)
def test_a_malformed_index_is_refused_before_anything_starts(text: str, tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text(text)
    done = burnqed(
        "run",
        "iteration",
        "--iter",
        "0",
        "--profile",
        "smoke",
        "--store",
        "s",
        "--theorems",
        "index.json",
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert "index.json" in done.stderr
    assert "Traceback" not in done.stderr


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
