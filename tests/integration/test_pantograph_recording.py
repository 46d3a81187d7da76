"""The stand-in for Pantograph's REPL answers as the real one did when it was recorded; and its faults do what they say."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from burnqed.lean.pantograph.project import opened
from burnqed.sandbox import confined
from tests.fixtures.pantograph import Repl, command, project
from tests.fixtures.recording import Replay, Row

DIFFERENT: dict[str, str] = {}
"""Recorded requests whose replies differ, and why that cannot be helped."""
COMPARED = {"all_commands": 191, "headers_sorry_blocks": 43, "timeout": 10, "track_frontend_tactics": 38}
LACKING = {
    "env.add": 4,
    "env.catalog": 2,
    "env.describe": 1,
    "env.inspect": 8,
    "env.module_read": 2,
    "env.parse": 2,
    "frontend.track": 10,
    "goal.tactic": 6,
}
"""Commands that the stand-in lacks, of goal.tactic the modes conv and calc, have, let and draft; how often they were recorded."""
DEPENDENT = 8
"""Requests about the goal states that these made."""


@pytest.fixture(scope="module")
def replays(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Replay, list[Row]]]:
    found = {}
    for file in sorted((shared / "pantograph").glob("*.jsonl")):
        with Repl() as repl:
            replay = Replay(repl, tmp_path_factory.mktemp(file.stem))
            found[file.stem] = (replay, list(replay.rows(file)))
    return found


def test_replies_and_written_files_are_the_recorded_ones(replays: dict[str, tuple[Replay, list[Row]]]) -> None:
    different = [row for _, rows in replays.values() for row in rows if row.recorded != row.answered]
    assert [row for row in different if row.request not in DIFFERENT] == []
    assert {row.request for row in different} == {*DIFFERENT}


def test_the_recording_covers_what_it_covered(replays: dict[str, tuple[Replay, list[Row]]]) -> None:
    assert {name: len(rows) for name, (_, rows) in replays.items()} == COMPARED
    assert Counter(request.split()[0] for replay, _ in replays.values() for request in replay.lacking) == LACKING
    assert sum(len(replay.dependent) for replay, _ in replays.values()) == DEPENDENT


# ---------------------------------------------------------------- a process like any other


def test_it_runs_confined_and_writes_where_it_may(tmp_path: Path) -> None:
    described, scratch = opened(project(tmp_path / "project")), tmp_path / "scratch"
    scratch.mkdir()
    example = {"file": "example : 1 = 1 := by\n  rfl", "readHeader": False, "inheritEnv": False, "newConstants": False}
    inside = confined(
        [*described.repl, *described.modules, "--maxHeartbeats=400000"],
        readable=described.readable,
        scratch=scratch,
        environment=described.environment,
    )
    with Repl(inside) as repl:
        assert repl.line() == "ready."
        written = repl.command("frontend.process", **example, invocations=str(scratch / "found.json"))
        assert written["units"][0]["nInvocations"] == 1
        assert json.loads((scratch / "found.json").read_text())["units"][0]["invocations"][0]["tactic"] == "rfl"
        refused = repl.command("frontend.process", **example, invocations=str(tmp_path / "found.json"))
        assert refused["error"] == "io"
        assert "permission denied" in refused["desc"]
        assert repl.command("stat") == {"nGoals": 0}


def test_a_step_has_its_own_heartbeats() -> None:
    with Repl(command(), "Init", "--maxHeartbeats=200") as repl:
        repl.line()
        repl.command("goal.start", expr="∀ a b c d : Nat, a + b + c + d = d + c + b + a")
        too_much = repl.command("goal.tactic", stateId=0, tactic="intro a b c d; iterate 300 (try omega); skip")
        assert too_much["error"] == "io"
        assert "maximum number of heartbeats (200)" in too_much["desc"]
        for _ in range(20):
            assert repl.command("goal.tactic", stateId=0, tactic="intro a b c d; omega")["goals"] == []


def test_the_memory_of_deleted_states_is_used_again() -> None:
    with Repl() as repl:
        repl.line()
        for steps in (100, 300):
            for _ in range(steps):
                start = repl.command("goal.start", expr="∀ (p q : Prop), p ∨ q → q ∨ p")["stateId"]
                after = repl.command("goal.tactic", stateId=start, tactic="intro p q h; cases h")["nextStateId"]
                repl.command("goal.delete", stateIds=[start, after])
            used = psutil.Process(repl.process.pid).memory_info().rss
            if steps == 100:
                before = used
        assert used < before + (20 << 20)


def test_other_modules_are_not_there() -> None:
    with Repl(command(), "Init", "Mathlib") as repl:
        assert repl.line() == ""
        assert repl.process.wait(timeout=60) == 1


# ---------------------------------------------------------------- faults

STAT = "stat {}"
ANSWER = '{"nGoals":0}'


@pytest.fixture
def faulty(request: pytest.FixtureRequest) -> Iterator[Repl]:
    """A process in which every request meets with the fault that the test names."""
    with Repl(command(seed=1, **{request.param: 1})) as repl:
        assert repl.line() == "ready."
        yield repl


def assert_silent(repl: Repl) -> None:
    with pytest.raises(TimeoutError):
        repl.line(timeout_s=0.5)
    assert repl.process.poll() is None


def close_input(repl: Repl) -> None:
    assert repl.process.stdin is not None
    repl.process.stdin.close()


@pytest.mark.parametrize("faulty", ["hang"], indirect=True)
def test_a_hanging_process_answers_no_more_and_ends_with_its_input(faulty: Repl) -> None:
    for _ in range(2):
        faulty.say(STAT)
        assert_silent(faulty)
    close_input(faulty)
    assert faulty.process.wait(timeout=10) == 0


@pytest.mark.parametrize("faulty", ["frozen"], indirect=True)
def test_a_frozen_process_does_not_notice_that_its_input_ends(faulty: Repl) -> None:
    assert faulty.process.stdin is not None
    faulty.say(STAT)
    time.sleep(0.2)
    os.set_blocking(faulty.process.stdin.fileno(), False)
    written = 0
    while written < 10 << 20 and (more := faulty.process.stdin.write(bytes(1 << 16))):
        written += more
    assert written < 10 << 20
    close_input(faulty)
    assert_silent(faulty)


@pytest.mark.parametrize("faulty", ["crash"], indirect=True)
def test_a_crash_is_in_the_middle_of_a_request(faulty: Repl) -> None:
    assert faulty.ask(STAT) == ""
    assert faulty.process.wait(timeout=10) == 1


@pytest.mark.parametrize("faulty", ["garbage"], indirect=True)
def test_garbage_is_a_line_that_is_not_json(faulty: Repl) -> None:
    faulty.say(STAT)
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(faulty.line())
    assert faulty.process.poll() is None


@pytest.mark.parametrize("faulty", ["half_line"], indirect=True)
def test_half_a_line_is_the_last_thing_said(faulty: Repl) -> None:
    faulty.say(STAT)
    said = faulty.line()
    assert said
    assert (ANSWER.startswith(said), said == ANSWER) == (True, False)
    assert faulty.process.wait(timeout=10) == 1


@pytest.mark.parametrize("faulty", ["second_line"], indirect=True)
def test_a_second_line_comes_unasked(faulty: Repl) -> None:
    assert faulty.ask(STAT) == ANSWER
    assert faulty.line(timeout_s=5) == ANSWER


@pytest.mark.parametrize("faulty", ["delay"], indirect=True)
def test_an_answer_may_be_late(faulty: Repl) -> None:
    start = time.monotonic()
    assert faulty.ask(STAT) == ANSWER
    assert time.monotonic() - start > 0.1


def test_a_start_may_be_slow() -> None:
    with Repl(command(slow_start=1)) as repl:
        start = time.monotonic()
        assert repl.line() == "ready."
        assert time.monotonic() - start > 3
        assert repl.ask(STAT) == ANSWER


def test_each_process_meets_with_faults_at_other_requests() -> None:
    def answered() -> int:
        with Repl(command(seed=1, crash=0.05)) as repl:
            repl.line()
            count = 0
            while repl.ask(STAT):
                count += 1
            return count

    assert len({answered() for _ in range(4)}) > 1
