"""`import burnqed`: the examples run, it works wherever Python does, and it leaves no process behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import datasets
import psutil
import pytest

import burnqed
from burnqed import BadInput, Theorem
from burnqed.lean.protocol import Outcome, TacticStatus
from burnqed.trajectory.schema import SCHEMA, ProofStatus
from tests.fixtures.shared import ROOT
from tests.fixtures.wheel import STORE

STATEMENT = "∀ n : Nat, 0 + n = n"
INTERRUPTED = """
import time, burnqed
def policy(state):
    print("asked", flush=True)
    time.sleep(0.2)
    return [f"have h{len(state)} : 0 = 0 := rfl"]
burnqed.prove("∀ n : Nat, n = n + 1", policy, budget=10_000)
"""
FORKED = """
import os, sys, burnqed
with burnqed.Lean(workers=1) as lean:
    child = os.fork()
    if not child:
        try:
            lean.check("1 = 1", "rfl")
        except RuntimeError as error:
            print(error)
        print(burnqed.check("1 = 1", "rfl").accepted)
        sys.exit()
    os.waitpid(child, 0)
    print(lean.check("1 = 1", "rfl").accepted)
"""


def example(name: str, *arguments: str | Path, **environment: str) -> str:
    command = [sys.executable, ROOT / "examples" / f"{name}.py", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=250, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def policy(_: str) -> list[str]:
    return ["rfl", "omega"]


# ---- examples


def test_the_example_of_own_theorems() -> None:
    printed = example("own_theorems")
    assert "double_zero accepted" in printed
    assert "double_add refused: Lean reports an error" in printed
    assert "double_add proved" in printed


def test_the_example_of_an_own_policy() -> None:
    assert [line.split()[:2] for line in example("own_policy").splitlines()] == [
        ["zero_add", "proved"],
        ["even_or_odd", "proved"],
        ["false", "unproved"],
    ]


def test_the_example_of_an_own_head() -> None:
    without, guided = example("own_head").splitlines()
    assert without.startswith("without a head unproved after 64")
    assert guided.startswith("energy proved")


def test_the_example_of_trajectories_in_pandas(smoke_run: Path) -> None:
    printed = example("trajectories_in_pandas", smoke_run / STORE)
    assert "iteration 0:" in printed
    assert "tactic_status" in printed


@pytest.mark.long
def test_the_example_of_a_model_from_the_hub(smoke_run: Path, tmp_path: Path) -> None:
    model = burnqed.Run(str(smoke_run / STORE)).iterations[0].model
    assert model
    assert "add_comm" in example("hub_model", model)
    # The hub's own cache, with nobody to ask for a newer version.
    revision = "0" * 40
    cached = tmp_path / "hub" / "models--team--prover"
    (cached / "snapshots" / revision).mkdir(parents=True)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(revision)
    folder = next(Path(model).rglob("config.json")).parent
    for file in folder.iterdir():
        (cached / "snapshots" / revision / file.name).symlink_to(file)
    printed = example("hub_model", "team/prover", HF_HUB_CACHE=str(tmp_path / "hub"), HF_HUB_OFFLINE="1")
    assert "and_comm" in printed


def test_examples_are_short() -> None:
    lengths = {file.name: len(file.read_text().splitlines()) for file in (ROOT / "examples").glob("*.py")}
    assert len(lengths) == 5
    assert max(lengths.values()) <= 25, lengths


# ---- wherever Python runs


async def test_a_notebook_whose_event_loop_is_running_can_use_it() -> None:
    assert asyncio.get_running_loop().is_running()
    assert burnqed.prove(STATEMENT, policy).status is ProofStatus.PROVED


def test_threads_share_one_lean() -> None:
    verdicts = {}
    with burnqed.Lean(workers=2) as lean:

        def check(proof: str) -> None:
            verdicts[proof] = lean.check(STATEMENT, proof).accepted

        threads = [threading.Thread(target=check, args=(proof,)) for proof in ("intro n; omega", "intro n; rfl")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert verdicts == {"intro n; omega": True, "intro n; rfl": False}


def test_lean_is_used_by_hand() -> None:
    with burnqed.Lean(workers=1) as lean:
        root = lean.start(Theorem(name="t", statement=STATEMENT)).state
        assert root is not None
        after = lean.apply(root, "intro n").state
        assert after is not None
        assert after.text == "n : ℕ\n⊢ 0 + n = n"
        done = lean.apply(after, "omega").state
        assert done is not None
        assert done.is_solved
        assert lean.apply(after, "rw [Nat.mul_comm]").status == "error"
        lean.release(root)


def test_results_come_in_the_order_of_the_theorems_and_as_they_are_found() -> None:
    theorems = [Theorem(name=f"t{n}", statement=f"{n} + 1 = {n + 1}") for n in range(4)]
    seen: list[str] = []
    found = burnqed.search(theorems, policy, on_result=lambda result: seen.append(result.result.name), budget=2)
    assert [result.result.name for result in found] == ["t0", "t1", "t2", "t3"]
    assert sorted(seen) == ["t0", "t1", "t2", "t3"]
    assert found[0].states[0].state == "⊢ 0 + 1 = 1"


async def test_an_asynchronous_function_is_a_policy_and_cannot_block_the_loop_that_it_runs_in() -> None:
    async def asks_lean(state: str) -> list[str]:
        burnqed.check(STATEMENT, "intro n; omega")
        return []

    async def answers(state: str) -> list[str]:
        await asyncio.sleep(0)
        return ["omega"]

    assert burnqed.prove(STATEMENT, answers).proof == "omega"
    with pytest.raises(RuntimeError, match="await the backend"):
        burnqed.prove(STATEMENT, asks_lean)


async def test_the_backend_is_awaited_in_functions_that_burnqed_calls_and_nowhere_else() -> None:
    with burnqed.Lean(workers=1) as lean:

        async def asks_lean(state: str) -> list[str]:
            verdict = await lean.backend.check(Theorem(name="t", statement=STATEMENT), "intro n; omega")
            return ["omega"] if verdict.accepted else []

        for trusted in (True, False):
            with pytest.raises(RuntimeError, match="another event loop; .* inside functions that burnqed calls"):
                await lean.backend.check(Theorem(name="t", statement=STATEMENT), "rfl", is_trusted=trusted)
        with pytest.raises(RuntimeError, match="another event loop"):
            await lean.backend.__aexit__(None, None, None)
        assert burnqed.prove(STATEMENT, asks_lean, lean=lean).proof == "omega"
    with pytest.raises(RuntimeError, match="has been closed"):
        lean.check(STATEMENT, "rfl")


def test_what_is_told_each_result_may_use_lean() -> None:
    told = []
    with burnqed.Lean(workers=1) as lean:

        def plain(searched: burnqed.SearchResult) -> None:
            told.append(lean.check(searched.theorem, searched.result.proof or "").accepted)

        async def asynchronous(searched: burnqed.SearchResult) -> None:
            told.append((await lean.backend.check(searched.theorem, searched.result.proof or "")).accepted)

        def quits(searched: burnqed.SearchResult) -> None:
            raise SystemExit(3)

        for on_result in (plain, asynchronous):
            (found,) = burnqed.search([STATEMENT], policy, lean=lean, on_result=on_result)
            assert found.result.name == STATEMENT
        assert told == [True, True]
        with pytest.raises(RuntimeError, match=r"raised SystemExit\(3\)"):
            burnqed.search([STATEMENT], policy, lean=lean, on_result=quits)
        assert lean.check(STATEMENT, "intro n; omega").accepted


def test_a_forked_process_opens_a_lean_of_its_own() -> None:
    printed = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=60, check=True)
    assert printed.stdout.splitlines() == ["this Lean belongs to another process; open one here", "True", "True"]


# ---- nothing is left behind


def test_the_end_of_the_block_leaves_no_process() -> None:
    before = set(psutil.Process().children(recursive=True))
    with burnqed.Lean(workers=1) as lean:
        lean.check(STATEMENT, "intro n; omega")
        assert set(psutil.Process().children(recursive=True)) - before
    assert not set(psutil.Process().children(recursive=True)) - before


def test_ctrl_c_ends_a_search_and_leaves_no_process() -> None:
    script = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert script.stdout is not None
    assert script.stdout.readline() == b"asked\n"
    lean = psutil.Process(script.pid).children(recursive=True)
    assert lean
    script.send_signal(signal.SIGINT)
    _, said = script.communicate(timeout=100)
    assert script.returncode != 0
    assert b"KeyboardInterrupt" in said
    deadline = time.monotonic() + 20
    while any(process.is_running() for process in lean) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [process for process in lean if process.is_running()]


# ---- what is wrong is said


def stepped(state: Any) -> None:
    with burnqed.Lean(workers=1) as lean:
        lean.apply(state, "rfl")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: burnqed.prove(STATEMENT, policy, budgets=3), r"'search.budgets'.*did you mean 'search.budget'"),
        (lambda: burnqed.prove(STATEMENT, policy, budget="many"), r"\"many\" of 'search.budget' .keyword arguments. is wrong"),
        (lambda: burnqed.Lean(worker=2), r"'lean.worker'.*did you mean 'lean.workers'"),
        (lambda: burnqed.check("", "rfl"), "'' is not a theorem"),
        (lambda: burnqed.check("1 = 1", None), "None is not a proof"),
        (lambda: stepped(None), "None is not a proof state; give the `state` of an outcome"),
        (lambda: stepped(Outcome(TacticStatus.OK)), "Outcome.* is not a proof state"),
        (lambda: burnqed.serve("no/such/model").__enter__(), "neither a folder, an address in a store, nor a model of the hub"),
    ],
)  # fmt: skip
def test_what_is_given_wrongly_is_one_sentence(call: object, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match=said):
        call()  # type: ignore[operator]


# ---- runs


def test_a_run_tells_what_is_in_its_store(smoke_run: Path) -> None:
    run = burnqed.Run(str(smoke_run / STORE))
    (iteration,) = run.iterations
    assert run.config is not None
    assert run.config.profile == "smoke"
    assert run.summary is not None
    assert iteration.results == run.summary.iterations[0]
    assert iteration.model
    rows = run.trajectories()
    assert rows.schema.names == SCHEMA.names
    assert rows.num_rows == iteration.trajectories().num_rows
    main = burnqed.load_trajectories(f"{smoke_run / STORE}/main/iterations/iter_0/trajectories/main", ["theorem"])
    assert 0 < main.num_rows < rows.num_rows
    assert datasets.Dataset(rows).num_rows == rows.num_rows
    evaluated = burnqed.load_trajectories(f"{smoke_run / STORE}/main/iterations/iter_0/evaluation")
    assert set(evaluated["theorem"].to_pylist()) == {o.name for o in iteration.results.evaluations[0].per_theorem}


def test_a_run_that_is_not_there_is_said(smoke_run: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no run 'other': its runs are main"):
        burnqed.Run(str(smoke_run / STORE), "other")
    with pytest.raises(BadInput, match="no finished trajectories below"):
        burnqed.load_trajectories(str(tmp_path))
    with pytest.raises(BadInput, match="have no column 'tactics'; they have run, iteration"):
        burnqed.load_trajectories(str(smoke_run / STORE), ["tactics"])
