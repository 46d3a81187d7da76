"""`import burnqed` loads nothing by itself, and its names are what they say."""

from __future__ import annotations

import asyncio
import io
import json
import math
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import burnqed
from burnqed import BadInput, Candidate, Proposal
from burnqed.config import RunConfig
from burnqed.data.theorems import dump_index, parse_index
from burnqed.key import Key
from burnqed.layout import Layout, part_file, shard_folder
from burnqed.lean.proofs import read_json
from burnqed.library.arguments import as_address, as_theorem
from burnqed.library.background import wait
from burnqed.library.policies import READ_PER_CANDIDATE, as_policy, as_scorer, proposal
from burnqed.policy.protocol import energies, proposals
from burnqed.record import write_record
from burnqed.store import Store

IMPORTED = "import sys; before = set(sys.modules); import burnqed; print(*{m.partition('.')[0] for m in set(sys.modules) - before})"


def test_importing_it_loads_no_library() -> None:
    printed = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True).stdout
    assert not set(printed.split()) - set(sys.stdlib_module_names) - {"burnqed"}


def test_every_name_is_there_and_stays_what_it_is_when_packages_are_loaded() -> None:
    everything = (
        "import burnqed, burnqed.proof_search.engine, burnqed.run.standalone, burnqed.lean.check, burnqed.steps.search"
    )
    script = f"{everything}\nfor name in burnqed.__all__: assert callable(getattr(burnqed, name)), name\nprint(*dir(burnqed))"
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert set(burnqed.__all__) <= set(printed.split())
    with pytest.raises(AttributeError, match="no attribute 'prover'"):
        burnqed.prover  # noqa: B018


def test_tactics_without_a_probability_share_it_and_the_likeliest_come_first() -> None:
    even = proposal(["a", "b", "a", "c", "d"], 3)
    assert [(c.tactic, c.log_prob) for c in even.candidates] == [(tactic, -math.log(4)) for tactic in "abc"]
    known = proposal([("a", -3.0), ("b", -1.0), ("c", -1.0)], 2)
    assert [c.tactic for c in known.candidates] == ["b", "c"]
    assert proposal([], 2).candidates == ()


def test_completion_offers_what_the_library_has_and_nothing_else() -> None:
    assert [name for name in dir(burnqed) if not name.startswith("_")] == burnqed.__all__


# ---- functions


@pytest.mark.parametrize(
    "returned",
    [None, "omega", b"omega", 3, [1], [b"omega"], [("omega", -1.0, 3)], [("omega", "-1")], [("omega", math.nan)], [("omega", math.inf)], [("omega", 5.0)], {"omega": -1.0}],
)  # fmt: skip
def test_what_a_policy_must_not_return_is_one_sentence(returned: object) -> None:
    with pytest.raises(BadInput, match="^The policy returned .* for a state; it returns tactics, or"):
        ask(lambda state: returned)


def test_a_tactic_may_be_impossible_and_a_probability_rounded() -> None:
    assert [c.log_prob for c in ask(lambda state: [("a", -math.inf), ("b", np.float32(1e-7))])] == [
        np.float32(1e-7),
        -math.inf,
    ]


@pytest.mark.parametrize("policy", [None, ["omega"], "omega", lambda state, more: []])
def test_what_cannot_be_a_policy_is_one_sentence(policy: Any) -> None:
    with pytest.raises(BadInput, match="cannot be the policy"):
        as_policy(policy)


def test_what_cannot_be_a_scorer_is_one_sentence() -> None:
    with pytest.raises(BadInput, match="cannot be the scorer .*called with 2 arguments"):
        as_scorer(lambda state: 1.0)  # type: ignore[arg-type,misc]
    nameless: Any = SimpleNamespace(score=lambda states, goals: [])
    with pytest.raises(BadInput, match="has no head_id"):
        as_scorer(nameless)
    assert as_scorer(None) is None
    scorer = as_scorer(lambda state, goal: 1.0)
    assert scorer is not None
    assert scorer.head_id == "lambda"


@pytest.mark.parametrize("returned", [[], [1.0, 2.0], 1.0, None])
async def test_a_scorer_that_does_not_answer_every_question_is_one_sentence(returned: object) -> None:
    async def score() -> object:
        return returned

    with pytest.raises(BadInput, match="^The scorer's `score` returned .* for 3 states"):
        await energies(score(), 3)


@pytest.mark.parametrize("energy", [math.nan, math.inf, -math.inf, None, "1.5"])
async def test_an_energy_that_is_not_a_finite_number_is_one_sentence(energy: object) -> None:
    async def score() -> object:
        return [1, energy]

    with pytest.raises(BadInput, match="^The scorer returned .* for a state; it returns a finite number"):
        await energies(score(), 2)


@pytest.mark.parametrize("returned", [[], None, [["omega"]], [Proposal(("omega",), "x")]])  # type: ignore[arg-type]
async def test_proposals_that_are_none_are_one_sentence(returned: object) -> None:
    async def propose() -> object:
        return returned

    with pytest.raises(BadInput, match="^The policy's `propose` returned"):
        await proposals(propose(), 1)
    with pytest.raises(BadInput, match="it is an async method"):
        await proposals([Proposal((), "x")], 1)


def test_a_generator_may_be_endless_and_does_not_hold_up_the_loop() -> None:
    where = []

    def policy(state: str) -> Iterator[str]:
        for number in count():
            where.append(threading.current_thread().name)
            yield f"exact {number}"

    async def asynchronous(state: str) -> AsyncIterator[str]:
        for number in count():
            yield f"exact {number}"

    for function in (policy, asynchronous):
        assert [c.tactic for c in ask(function)] == ["exact 0", "exact 1"]
    assert len(where) == 2 * READ_PER_CANDIDATE
    assert "burnqed" not in where


def test_a_plain_function_is_never_called_twice_at_a_time_and_an_async_one_is() -> None:
    open_calls, most = 0, 0

    def plain(state: str) -> list[str]:
        nonlocal open_calls, most
        open_calls += 1
        most = max(most, open_calls)
        time.sleep(0.01)
        open_calls -= 1
        return []

    async def asynchronous(state: str) -> list[str]:
        nonlocal open_calls, most
        open_calls += 1
        most = max(most, open_calls)
        await asyncio.sleep(0.05)
        open_calls -= 1
        return []

    for function, at_once in ((plain, 1), (asynchronous, 8)):
        most = 0
        ask(function, states=8)
        assert most == at_once


@pytest.mark.parametrize("ending", [SystemExit(3), KeyboardInterrupt(), StopIteration()])
def test_what_would_end_the_loop_is_an_error_and_the_loop_goes_on(ending: BaseException) -> None:
    def plain(state: str) -> list[str]:
        raise ending

    async def asynchronous(state: str) -> list[str]:
        raise ending

    for function in (plain, asynchronous):
        with pytest.raises(RuntimeError) as error:
            ask(function)
        assert error.value.__cause__ is ending
    assert [c.tactic for c in ask(lambda state: ["omega"])] == ["omega"]


def test_what_a_function_raises_is_passed_on() -> None:
    with pytest.raises(ZeroDivisionError):
        ask(lambda state: 1 / 0)


def ask(function: Any, states: int = 1) -> tuple[Candidate, ...]:
    asked = as_policy(function).propose(["⊢ 1 = 1"] * states, candidates=2, temperature=1.0, seeds=[0] * states)
    return wait(proposals(asked, states))[0].candidates


# ---- what is given wrongly


@pytest.mark.parametrize("theorem", ["", " ", 3, None])
def test_what_is_not_a_theorem_is_one_sentence(theorem: Any) -> None:
    with pytest.raises(BadInput, match="is not a theorem"):
        as_theorem(theorem)


def test_a_theorem_has_no_other_fields_but_an_index_and_proofs_may(tmp_path: Path) -> None:
    row = {"name": "a", "statement": "1 = 1", "headr": "x"}
    with pytest.raises(ValueError, match="headr"):
        burnqed.Theorem(**row)
    (read,) = parse_index(json.dumps({"theorems": [row], "more": 1}), "it")
    assert read == burnqed.Theorem(name="a", statement="1 = 1")
    assert dump_index([read]) == dump_index([burnqed.Theorem(name="a", statement="1 = 1")])
    file = tmp_path / "proofs.json"
    file.write_text(json.dumps([{**row, "proof": "rfl"}]))
    assert read_json(file)[0].read()[0] == read


@pytest.mark.parametrize("call", [lambda: burnqed.search("1 = 1", policy), lambda: burnqed.search(burnqed.Theorem(name="a", statement="1 = 1"), policy)])  # fmt: skip
def test_one_theorem_is_not_a_list(call: Callable[[], object]) -> None:
    with pytest.raises(BadInput, match="is not a list of theorems; give one, or call burnqed.prove"):
        call()


def test_theorems_of_one_name_are_refused() -> None:
    theorems = [burnqed.Theorem(name="a", statement=f"{n} = {n}") for n in range(2)]
    with pytest.raises(BadInput, match="Several theorems have the name 'a'"):
        burnqed.search(theorems, policy)


@pytest.mark.parametrize("place", [None, 3, ""])
def test_what_is_not_an_address_is_one_sentence(place: Any) -> None:
    for call in (burnqed.Run, burnqed.load_trajectories, lambda it: burnqed.serve(it).__enter__()):
        with pytest.raises(BadInput, match="is not an address"):
            call(place)


def test_a_path_is_an_address_and_the_home_folder_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert as_address(Path("~/runs")) == as_address("~/runs") == str(tmp_path / "runs")
    assert as_address("s3://bucket/~") == "s3://bucket/~"
    with pytest.raises(BadInput, match="There is nothing at ~/runs"):
        burnqed.Run("~/runs")


# ---- trajectories


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with one theorem in each kind of trajectories, of its name."""
    store = Store(str(tmp_path))
    layout = Layout("main", 0)
    units = {name: layout.trajectories(name) for name in ("main", "noise", "replay")}
    for name, unit in {**units, "evaluated": layout.evaluation("core", "main")}.items():
        shard = shard_folder(unit, 0, 1)
        rows = io.BytesIO()
        pq.write_table(pa.table({"theorem": [name], "depth": pa.array([0], pa.int32())}), rows)
        store.write_bytes(f"{shard}/{part_file(0)}", rows.getvalue())
        write_record(store, shard, Key(step="s", version=1), RunConfig(), {}, datetime.now(UTC), dollars_per_hour=0)
    return tmp_path


def test_replayed_proofs_are_no_searches_and_only_what_their_own_address_gives(run: Path) -> None:
    iteration = run / "main/iterations/iter_0"
    for address in (run, run / "main", iteration, iteration / "trajectories"):
        assert burnqed.load_trajectories(address)["theorem"].to_pylist() == ["main", "noise"]
    assert burnqed.Run(run).trajectories(["theorem"]).to_pydict() == {"theorem": ["main", "noise"]}
    for variant in ("main", "replay"):
        rows = burnqed.load_trajectories(iteration / "trajectories" / variant)
        assert rows["theorem"].to_pylist() == [variant]
    assert burnqed.load_trajectories(iteration / "evaluation")["theorem"].to_pylist() == ["evaluated"]


def test_columns_are_those_that_are_named(run: Path) -> None:
    assert burnqed.load_trajectories(run, "theorem").column_names == ["theorem"]
    assert burnqed.load_trajectories(run, ["depth", "theorem"]).column_names == ["depth", "theorem"]
    assert burnqed.load_trajectories(run, []).column_names == []
    with pytest.raises(BadInput, match="no column 'theorme'; they have run, "):
        burnqed.load_trajectories(run, "theorme")


def test_an_address_that_is_no_store_of_runs_says_what_it_is(run: Path) -> None:
    with pytest.raises(BadInput, match="/main is itself a run; give the folder around it"):
        burnqed.Run(run / "main")
    with pytest.raises(BadInput, match="There is nothing at .*/runs; check the address"):
        burnqed.Run(run / "runs")
    with pytest.raises(BadInput, match="has no run 'other': its runs are main"):
        burnqed.Run(run, "other")


def policy(state: str) -> list[str]:
    return ["rfl"]
