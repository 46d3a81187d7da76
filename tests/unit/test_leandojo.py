"""Repositories traced by LeanDojo, which a stand-in with its names represents; where lean-dojo is installed, the stand-in is compared with it."""

from __future__ import annotations

import asyncio
import dataclasses
import importlib
import inspect
import json
import os
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata, util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from burnqed.cli.main import app
from burnqed.data.pairs import PAIRS
from burnqed.data.proofs import PROOFS
from burnqed.data.theorems import read_index
from burnqed.data.trace import leandojo
from burnqed.data.trace.leandojo import Repository
from burnqed.data.trace.tracing import is_first, trace_repository
from burnqed.errors import BadInput, TryAgain
from burnqed.store import Store
from burnqed.versions import versions
from tests.fixtures import lean_dojo as stand_in

COMMIT = "5e932f97dd25535344f80f9dd8da3aab83df0fe6"
TEXT = """import Mathlib
open Nat

namespace N

def two := 2

/-- A comment. -/
theorem a (n : Nat) : n + 0 = n := by
  induction n with
  | zero => rfl
  | succ n ih => simp

private lemma hidden : two = 2 := rfl

theorem N.hole : 1 = 1 := by
  sorry

end N
"""
THEOREMS = [
    {
        "full_name": "N.a",
        "start": [9, 1],
        "tactics": [
            [[12, 18], "case succ\nn : Nat\nih : n + 0 = n\n⊢ n + 1 + 0 = n + 1", "simp", "no goals"],
            [[11, 13], "case zero\n⊢ 0 + 0 = 0", "rfl", "no goals"],
        ],
    },
    {"full_name": "N.hidden", "start": [14, 1], "tactics": [], "is_term": True, "is_private": True},
    {"full_name": "N.N.hole", "start": [16, 1], "tactics": [[[17, 3], "⊢ 1 = 1", "sorry", "no goals"]]},
]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The stand-in as an installed package, with programs that LeanDojo needs; the folder that it is in."""
    site = tmp_path / "site"
    shutil.copytree(Path(stand_in.__file__).parent, site / "lean_dojo", ignore=shutil.ignore_patterns("__pycache__"))
    (site / "lean_dojo-4.20.0.dist-info").mkdir()
    (site / "lean_dojo-4.20.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: lean-dojo\nVersion: 4.20.0\n"
    )
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("git", "lake"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("NUM_PROCS", raising=False)
    for name in ("CACHE_DIR", "TMP_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delitem(sys.modules, "lean_dojo", raising=False)
    yield site
    sys.modules.pop("lean_dojo", None)


def repository(folder: Path, traced: dict[str, Any], text: str = TEXT) -> Repository:
    """A folder that the stand-in traces."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in traced:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "traced.json").write_text(json.dumps(traced))
    return Repository.parse(f"{folder}@{COMMIT}")


def many(count: int) -> dict[str, Any]:
    def of(number: int) -> dict[str, Any]:
        steps = [[[9, 1], f"⊢ {number} = {number}", "rfl", "no goals"]]
        return {"full_name": f"N.a{number}", "start": [9, 1], "tactics": steps}

    return {f"Lib/F{number}.lean": [of(number)] for number in range(count)}


@pytest.mark.usefixtures("installed")
def test_a_repository_becomes_pairs_proofs_an_index_and_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    repository(
        tmp_path / "lib",
        {"A.lean": THEOREMS, **many(8), "Bad.lean": "no tactic state", ".lake/packages/x/X.lean": "a dependency"},
    )
    done = CliRunner().invoke(app, ["data", "trace", f"lib@{COMMIT}", "--out", "pairs.parquet", "--disk", "0"])
    assert done.exit_code == 0, done.output
    store = Store(str(tmp_path))
    pairs = [p for p in PAIRS.rows(PAIRS.read(store, "pairs.parquet")) if p.theorem == "lib::N.a"]
    assert [(p.tactic, p.depth, p.state_after, p.source) for p in pairs] == [
        ("rfl", 0, "", "lib"),
        ("simp", 1, "", "lib"),
    ]
    proofs = {p.name: p for p in PROOFS.rows(PROOFS.read(store, "pairs.proofs.parquet"))}
    a, hidden = proofs["lib::N.a"], proofs["lib::_private.A.0.N.hidden"]
    assert a.statement == "theorem a (n : Nat) : n + 0 = n"
    assert a.header == "import Mathlib\nopen Nat\nnamespace N\ndef two := 2\n"
    assert a.proof.startswith("by\n  induction n with")
    assert (hidden.statement, hidden.proof, hidden.file_path) == ("private lemma hidden : two = 2", "rfl", "A.lean")
    assert "lib::N.N.hole" not in proofs
    index = {theorem.name: theorem for theorem in read_index(str(tmp_path / "pairs.theorems.json"))}
    assert index["lib::N.a"] == a.theorem
    report = json.loads((tmp_path / "pairs.report.json").read_text())
    assert report["way"] == "leandojo (4.20.0)"
    assert (report["theorems"], report["sorry"], report["term_proofs"], report["items"]) == (11, 1, 1, 10)
    assert report["bad"] == {"Bad.lean": "AssertionError: no tactic state"}
    assert report["pairs_by_file"]["A.lean"] == 2
    assert "Bad.lean: AssertionError" in done.output


@pytest.mark.usefixtures("installed")
def test_a_first_fifth_is_traced_by_itself_and_not_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = many(60)
    repository(tmp_path / "lib", names)
    words = ["data", "trace", f"lib@{COMMIT}", "--out", "pairs.parquet", "--disk", "0"]
    done = CliRunner().invoke(app, [*words, "--first-fifth"])
    assert done.exit_code == 0, done.output
    first = sum(map(is_first, names))
    store = Store(str(tmp_path))
    assert sum(len(batch) for batch in PAIRS.read(store, "pairs.parquet")) == first
    asked: list[str] = []
    result = leandojo._result
    monkeypatch.setattr(leandojo, "_result", lambda file, source: asked.append(str(file.path)) or result(file, source))  # type: ignore[func-returns-value]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert len(asked) == 60 - first
    assert not any(map(is_first, asked))
    assert sum(len(batch) for batch in PAIRS.read(store, "pairs.parquet")) == 60
    assert not (tmp_path / "pairs.parquet.parts").exists()


@pytest.mark.usefixtures("installed")
async def test_an_interrupted_tracing_continues_and_the_sample_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced, store = repository(tmp_path / "lib", many(30)), Store(str(tmp_path))
    result, asked, stop = leandojo._result, list[str](), asyncio.Event()

    def stopped(file: Any, source: str) -> Any:
        if len(asked) == 7:
            stop.set()
        asked.append(file.path.as_posix())
        return result(file, source)

    monkeypatch.setattr(leandojo, "_result", stopped)
    with pytest.raises(TryAgain, match="was stopped"):
        await trace_repository(traced, "lib", store, "parts", stop=stop, disk_gb=0)
    assert sorted(asked, key=lambda path: (not is_first(path), path)) == asked
    before, asked = set(asked[:7]), []
    monkeypatch.setattr(
        leandojo, "_result", lambda file, source: asked.append(file.path.as_posix()) or result(file, source)
    )  # type: ignore[func-returns-value]
    parts = await trace_repository(traced, "lib", store, "parts", stop=asyncio.Event(), disk_gb=0)
    assert len(parts.done) == 30
    assert not before & set(asked)


@pytest.mark.usefixtures("installed")
async def test_more_than_a_fifth_of_bad_files_end_it(tmp_path: Path) -> None:
    files = {**many(6), "B.lean": "first", "C.lean": "second"}
    store = Store(str(tmp_path))
    with pytest.raises(
        BadInput, match=r"2 of 8 files cannot be traced, more than 20% .*AssertionError: (first|second)"
    ):
        await trace_repository(
            repository(tmp_path / "lib", files), "lib", store, "parts", stop=asyncio.Event(), disk_gb=0
        )
    parts = await trace_repository(
        repository(tmp_path / "lib", files), "lib", store, "parts", stop=asyncio.Event(), disk_gb=0, most_bad=0.3
    )
    assert (len(parts.done), len(parts.bad)) == (8, 2)


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("https://github.com/a/b", "no commit is given"),
        ("https://github.com/a/b@main", "'main' is no full commit"),
        ("https://github.com/a/b@v4.9.0", "'v4.9.0' is no full commit"),
        (f"https://github.com/a/b@{COMMIT[:12]}", "is no full commit"),
        ("git@github.com:a/b.git", "no commit is given"),
    ],
)
def test_a_branch_a_tag_or_half_a_commit_is_refused(source: str, what: str) -> None:
    assert Repository.is_meant(source)
    with pytest.raises(BadInput, match=what) as refusal:
        Repository.parse(source)
    assert "give all 40 digits" in str(refusal.value)


def test_a_repository_at_a_commit_has_its_name() -> None:
    assert Repository.parse(f"https://github.com/leanprover-community/mathlib4@{COMMIT}").name == "mathlib4"
    ssh = Repository.parse(f"git@github.com:a/b.git@{COMMIT}")
    assert (ssh.url, ssh.name, ssh.commit) == ("git@github.com:a/b.git", "b", COMMIT)
    assert not Repository.is_meant("proofs.lean")
    assert not Repository.is_meant("s3://bucket/proofs.parquet")


def test_what_is_missing_is_one_sentence(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    traced = repository(tmp_path / "lib", many(1))
    with pytest.raises(BadInput, match=r"GB free, and tracing with Mathlib needs up to 1e\+09"):
        leandojo.traced_files(traced, disk_gb=1e9)
    (tmp_path / "lib" / "traced.json").unlink()
    with pytest.raises(TryAgain, match="could not trace .*FileNotFoundError"):
        leandojo.traced_files(traced, disk_gb=0)
    (tmp_path / "lib" / "traced.json").write_text('{"failure": "external command `lake build` failed\\nmore"}')
    with pytest.raises(BadInput, match=r"cannot trace .*RuntimeError: external command `lake build` failed\)"):
        leandojo.traced_files(traced, disk_gb=0)
    assert int(os.environ["NUM_PROCS"]) >= 1
    (tmp_path / "programs" / "lake").unlink()
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))
    with pytest.raises(BadInput, match="needs the program lake"):
        leandojo.traced_files(traced, disk_gb=0)
    shutil.rmtree(installed / "lean_dojo-4.20.0.dist-info")
    if util.find_spec("ray") is None:
        with pytest.raises(BadInput, match=r"LeanDojo, which is not installed; pip install 'burnqed\[trace\]'"):
            leandojo.traced_files(traced, disk_gb=0)


# ---- the real names


@pytest.fixture
def real() -> ModuleType:
    try:
        version = metadata.version("lean-dojo")
    except metadata.PackageNotFoundError:
        pytest.skip("lean-dojo is not installed: pip install 'burnqed[trace]'")
    if version != versions().lean_dojo:
        pytest.skip(f"lean-dojo is {version}, and versions.yaml names {versions().lean_dojo}")
    return importlib.import_module("lean_dojo")


def test_the_stand_in_has_the_real_names_and_signatures(real: ModuleType) -> None:
    assert list(inspect.signature(real.trace).parameters.values()) == [
        p.replace(annotation=real_p.annotation)
        for p, real_p in zip(inspect.signature(stand_in.trace).parameters.values(), inspect.signature(real.trace).parameters.values(), strict=True)
    ]  # fmt: skip
    for name in (
        "Pos",
        "LeanGitRepo",
        "LeanFile",
        "Theorem",
        "TracedTactic",
        "TracedTheorem",
        "TracedFile",
        "TracedRepo",
    ):
        ours, theirs = getattr(stand_in, name), getattr(real, name)
        fields = [field.name for field in dataclasses.fields(theirs)]
        assert {field.name for field in dataclasses.fields(ours)} <= set(fields), name
        for member, value in vars(ours).items():
            if isinstance(value, property):
                assert isinstance(inspect.getattr_static(theirs, member), property), (name, member)
            elif inspect.isfunction(value) and not member.startswith("_"):
                called, real_called = (inspect.signature(getattr(each, member)) for each in (ours, theirs))
                given = [(p.name, p.kind, p.default) for p in called.parameters.values()]
                assert given == [(p.name, p.kind, p.default) for p in real_called.parameters.values()], (name, member)
