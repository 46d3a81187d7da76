"""Whole proofs traced by `frontend.process`: by the stand-in over the embedded Lean, and by a scripted REPL for crashes and the like. Both run confined."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from burnqed.config import LeanConfig
from burnqed.data.proofs import PROOFS as WHOLE
from burnqed.data.proofs import WholeProof
from burnqed.data.trace import ways
from burnqed.data.trace.frontend import Frontend
from burnqed.data.trace.items import Item, proofs_at
from burnqed.data.trace.parts import Result, Trace
from burnqed.data.trace.tracing import trace_proofs
from burnqed.errors import BadInput, TryAgain
from burnqed.lean.pantograph.project import Project, opened
from burnqed.store import Store
from tests.fixtures import pantograph, scripted_repl

REPL = Path(scripted_repl.__file__)


def project(table: dict[str, Any]) -> Project:
    return Project(
        version="scripted",
        library="the library of this test",
        modules=("Init",),
        roots=frozenset({"Init", "Std"}),
        default_header="import Init\nopen Nat\n",
        probe_tactics=(),
        repl=(sys.executable, "-I", str(REPL), json.dumps(table)),
        checker=("none",),
        environment={"PYTHONIOENCODING": "utf-8"},
        readable=(Path(sys.prefix), Path(sys.base_prefix), REPL),
    )


def proof(name: str, text: str = "by simp", header: str | None = None, statement: str = "") -> WholeProof:
    stated = statement or f"theorem {name} : 1 = 1"
    return WholeProof(name=f"t::{name}", statement=stated, proof=text, header=header, source="t")


def invoked(*steps: tuple[str, str, str]) -> dict[str, Any]:
    return {"invocations": [{"goalBefore": b, "tactic": t, "goalAfter": a, "usedConstants": []} for b, t, a in steps]}


def error(line: int, text: str, **more: str) -> dict[str, Any]:
    return {"data": text, "severity": "error", "pos": {"line": line, "column": 0}, **more}


async def traced(table: dict[str, Any], *proofs: WholeProof, timeout_s: float = 20.0, workers: int = 1) -> list[Result]:
    config = LeanConfig(workers=workers, check_timeout_s=timeout_s)
    async with Frontend(project(table), config) as frontend:
        return [result async for result in frontend.traced([Item(each) for each in proofs])]


def trace_of(result: Result) -> Trace:
    (trace,) = result.traces
    return trace


async def test_proofs_become_pairs_in_their_order_and_steps_that_are_none_are_counted() -> None:
    table = {
        "theorem a": invoked(("⊢ 1 = 1", "first\n| exact foo\n| rfl", ""), ("⊢ 1 = 1", "exact foo", "⊢ 1 = 1"), ("⊢ 1 = 1", "rfl", "")),
        "theorem b": invoked(
            ("p q : Prop\n⊢ p ∧ q", "constructor", "case left\np q : Prop\n⊢ p\ncase right\np q : Prop\n⊢ q"),
            ("case left\np q : Prop\n⊢ p\ncase right\np q : Prop\n⊢ q", "assumption", "case right\np q : Prop\n⊢ q"),
        ),
    }  # fmt: skip
    first, second = await traced(table, proof("a"), proof("b"), workers=2)
    assert [(p.tactic, p.state_after, p.depth) for p in first.pairs] == [("rfl", "", 0)]
    assert trace_of(first).left_out == {"holds other steps": 1, "changed nothing": 1}
    assert [(p.tactic, p.depth, p.num_goals) for p in second.pairs] == [("constructor", 0, 1), ("assumption", 1, 2)]
    assert second.pairs[1].state == "case left\np q : Prop\n⊢ p\n\ncase right\np q : Prop\n⊢ q"
    assert {p.source for p in second.pairs} == {"t"}


async def test_what_does_not_compile_is_counted_by_its_cause() -> None:
    table: dict[str, Any] = {
        "theorem renamed": {"messages": [error(4, "unknown identifier 'Nat.foo'")]},
        "theorem stated": {"messages": [error(3, "unknown identifier 'Foo'")]},
        "theorem deep": {"error": "io", "desc": "maximum recursion depth has been reached"},
        "theorem slow": {"error": "io", "desc": "unexpected internal error: internal exception #0"},
        "theorem hole": {"messages": [{"data": "declaration uses `sorry`", "severity": "warning", "kind": "hasSorry", "pos": {"line": 3}}]},
    }  # fmt: skip
    proofs = [proof(name) for name in ("renamed", "stated", "deep", "slow", "hole")]
    proofs += [proof("written_hole", "by sorry"), proof("foreign", header="import Elsewhere.Library\n")]
    results = await traced(table, *proofs)
    assert [trace_of(result).rejected for result in results] == [
        "lemma renamed",
        "import",
        "time or memory",
        "time or memory",
        "sorry",
        "sorry",
        "import",
    ]
    assert not any(result.pairs for result in results)
    assert "imports Elsewhere.Library, which the library of this test does not have" in trace_of(results[-1]).message


async def test_a_crash_costs_one_proof_and_a_proof_that_hangs_is_tried_twice() -> None:
    good = invoked(("⊢ 1 = 1", "rfl", ""))
    table: dict[str, Any] = {
        "theorem crash": "crash",
        "theorem hang ": "hang",
        "theorem once": "hang once",
        "theorem garbage": "garbage",
        "theorem link": "link",
        "theorem good": good,
    }
    names = ["good1", "crash", "good2", "hang ", "good3", "once", "garbage", "link", "good4"]
    began = time.monotonic()
    results = await traced(table, *(proof(name) for name in names), timeout_s=2)
    found = {name: trace_of(result) for name, result in zip(names, results, strict=True)}
    assert {name: trace.pairs for name, trace in found.items() if trace.pairs} == dict.fromkeys(
        ("good1", "good2", "good3", "good4"), 1
    )
    for name in ("crash", "hang ", "garbage", "link"):
        assert found[name].rejected == "time or memory", name
    assert "exit status 1" in found["crash"].message
    assert "no answer within 2 s" in found["hang "].message
    assert "cannot be read" in found["link"].message
    assert not found["once"].rejected
    assert time.monotonic() - began < 60
    assert not [p for p in psutil.Process().children(recursive=True) if str(REPL) in " ".join(p.cmdline())]


@pytest.mark.parametrize("told", ["Unknown command frontend.process", "Unable to parse json: 1"])
async def test_another_version_of_pantograph_is_one_sentence_and_no_bad_proof(told: str) -> None:
    with pytest.raises(BadInput, match=rf"Pantograph does not understand frontend.process \({told}\); it is another"):
        await traced({"theorem": {"error": "command", "desc": told}}, *(proof(name) for name in "abc"), workers=2)


async def test_a_bare_proof_is_read_as_tactics_and_where_that_fails_as_a_term() -> None:
    table = {
        ":= by\nrfl": invoked(("⊢ 1 = 1", "rfl", "")),
        ":= by\nfun": {"messages": [error(4, "<input>:4:0: unexpected token")]},
        ":=\nfun": invoked(),
    }
    tactics, term = await traced(table, proof("a", "rfl"), proof("b", "fun _ => rfl", statement="∀ n : Nat, n = n"))
    assert len(tactics.pairs) == 1
    assert (trace_of(term).rejected, trace_of(term).pairs) == ("", 0)


async def test_a_proof_that_ends_early_and_goes_on_with_other_commands_gives_nothing() -> None:
    table = {"theorem more": invoked(("⊢ 1 = 1", "rfl", ""))}
    (result,) = await traced(table, proof("more", "by rfl\ntheorem other : 1 = 1 := by rfl"))
    assert (result.pairs, trace_of(result).rejected) == ([], "other behaviour")
    assert "not one command" in trace_of(result).message


async def test_a_stop_is_heeded_while_the_repls_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = project({}).model_copy(update={"repl": (sys.executable, "-I", "-c", "import time; time.sleep(1000)")})
    monkeypatch.setattr(ways, "_project", lambda config: silent)
    store, config, stop = Store(str(tmp_path)), LeanConfig(workers=2), asyncio.Event()
    WHOLE.write(store, "proofs.parquet", WHOLE.batches([proof("a")]))
    given = await proofs_at(str(tmp_path / "proofs.parquet"), config, "traced")
    asyncio.get_running_loop().call_later(1, stop.set)
    began = time.monotonic()
    with pytest.raises(TryAgain, match="the same command continues it"):
        await trace_proofs(given, ways.Way.FRONTEND, config, store, "parts", stop=stop)
    assert time.monotonic() - began < 30
    assert not [p for p in psutil.Process().children(recursive=True) if "time.sleep(1000)" in " ".join(p.cmdline())]


# ---- Lean itself


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose REPL is the stand-in."""
    return pantograph.project(tmp_path_factory.mktemp("project"))


PROOFS = [
    proof("both", "by\n  constructor\n  · exact hp\n  · rw [← h]", statement="theorem both (p : Prop) (a b : Nat) (hp : p) (h : a = b) : p ∧ b = a"),
    proof("grown", "intro n\ninduction n with\n| zero => rfl\n| succ n ih => first | exact ih | rfl", statement="∀ n : ℕ, n + 0 = n"),
    proof("cases", "| 0 => by rfl\n| n + 1 => by\n  have h : 1 = 1 := by rfl\n  rfl", statement="theorem cases : ∀ n : Nat, n + 0 = n"),
    proof("own", "by\n  unfold two\n  rfl", header="import Init\ndef two := 2\n", statement="theorem own : two = 2"),
    proof("false", "by rfl", statement="theorem false : 1 = 2"),
    proof("renamed", "by exact Nat.no_such_lemma", statement="theorem renamed (n : Nat) : n = n"),
]  # fmt: skip


def burnqed(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("burnqed")), *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=280)


def traced_by_command(
    folder: Path, project: Path, *more: str
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    WHOLE.write(Store(str(folder)), "proofs.parquet", WHOLE.batches(PROOFS))
    settings = (
        "--by",
        "frontend",
        "--set",
        f"lean.project={project}",
        "--set",
        "lean.workers=2",
        "--set",
        "lean.memory_mb=3000",
    )
    done = burnqed("data", "trace", "proofs.parquet", "--out", "pairs.jsonl", *settings, *more, cwd=folder)
    report = json.loads((folder / "pairs.report.json").read_text(encoding="utf-8")) if done.returncode == 0 else {}
    return done, report


def test_proofs_of_every_form_are_traced_as_lean_runs_them(tmp_path: Path, stand_in: Path) -> None:
    done, report = traced_by_command(tmp_path, stand_in)
    assert done.returncode == 0, done.stderr
    pairs = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    steps = {
        name: [(p["state"], p["tactic"], p["state_after"]) for p in pairs if p["theorem"] == f"t::{name}"]
        for name in ("both", "grown", "cases", "own")
    }
    context = "p : Prop\na b : ℕ\nhp : p\nh : a = b\n"
    after = f"case left\n{context}⊢ p\n\ncase right\n{context}⊢ b = a"
    assert steps["both"][0] == (f"{context}⊢ p ∧ b = a", "constructor", after)
    assert [(tactic, after) for _, tactic, after in steps["both"][1:]] == [("exact hp", ""), ("rw [← h]", "")]
    assert [tactic for _, tactic, _ in steps["grown"]] == ["intro n", "rfl", "rfl"]
    assert [tactic for _, tactic, _ in steps["cases"]] == ["rfl", "rfl", "rfl"]
    assert steps["own"] == [("⊢ two = 2", "unfold two", "⊢ 2 = 2"), ("⊢ 2 = 2", "rfl", "")]
    assert (report["theorems"], report["traced"], report["term_proofs"]) == (6, 4, 0)
    assert report["rejected"] == {"other behaviour": 1, "lemma renamed": 1}
    assert "no_such_lemma" in {r["theorem"]: r["message"] for r in report["examples"]}["t::renamed"]
    assert report["steps_left_out"] == {"holds other steps": 3, "changed nothing": 1}
    assert not (tmp_path / "pairs.jsonl.parts").exists()


@pytest.mark.long
async def test_with_a_lean_that_fails_every_proof_is_traced_or_counted(tmp_path: Path) -> None:
    faulty = opened(pantograph.project(tmp_path, crash=0.2, garbage=0.1, half_line=0.1))
    proofs = [
        proof(f"p{n}", "by\n  intro a\n  rfl", statement=f"theorem p{n} : ∀ a : Nat, a + {n} = a + {n}")
        for n in range(12)
    ]
    async with Frontend(faulty, LeanConfig(workers=2, memory_mb=3_000, check_timeout_s=30)) as frontend:
        results = [result async for result in frontend.traced([Item(each) for each in proofs])]
    assert [trace_of(result).theorem for result in results] == [each.name for each in proofs]
    for number, result in enumerate(results):
        if not trace_of(result).rejected:
            first, second = result.pairs
            assert (first.state, first.tactic) == (f"⊢ ∀ (a : ℕ), a + {number} = a + {number}", "intro a")
            assert (second.tactic, second.state_after) == ("rfl", "")
    rejected = [trace_of(result).rejected for result in results if trace_of(result).rejected]
    assert set(rejected) <= {"time or memory"}
    assert len(rejected) < len(proofs)  # each is tried at least twice, and two fifths of that fail
