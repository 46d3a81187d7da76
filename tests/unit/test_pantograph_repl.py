"""What a Pantograph worker makes of replies: those that were recorded from the real REPL (../shared/pantograph), and some of other versions."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from burnqed.errors import BadInput
from burnqed.lean.pantograph.repl import Repl
from burnqed.lean.pantograph.wire import Applied, Distilled, Failure, Printed, Started
from burnqed.lean.worker import Answer, Crashed

PLAYER = """
import json, sys
replies = json.load(open(sys.argv[1]))
print(replies.pop(0)[1], flush=True)
for line in sys.stdin:
    if line.startswith("goal.delete") and not (replies and replies[0][0].startswith("goal.delete")):
        print("{}", flush=True)
        continue
    request, reply = replies.pop(0)
    assert line.rstrip("\\n") == request, (line, request)
    print(reply, flush=True)
"""
"""Plays one exchange after the other, and ends at a request that is not the next one, deletions aside."""

Exchange = tuple[str, str]


@asynccontextmanager
async def playing(tmp_path: Path, *exchanges: Exchange, greeting: str = "ready.") -> AsyncIterator[Repl]:
    script, replies = tmp_path / "player.py", tmp_path / "replies.json"
    script.write_text(PLAYER)
    replies.write_text(json.dumps([("", greeting), *exchanges]))
    repl = Repl([sys.executable, "-I", str(script), str(replies)], 500)
    try:
        await repl.start()
        yield repl
    finally:
        await repl.end()


START = 'goal.start {"expr": "p"}', '{"root": "_uniq.1", "stateId": 7}'
GOAL = {"name": "_uniq.1", "fragment": "tactic", "target": {"pp": "p"}, "vars": []}
PRINT = 'goal.print {"stateId": 7, "goals": true}', json.dumps({"goals": [GOAL], "rootHasMVar": False})
OPEN = {"kind": "start", "id": 1, "expression": "p", "text": "", "scope": "", "namespace": ""}
TACTIC = {"kind": "tactic", "id": 2, "parent": 1, "tactic": "simp"}


def asked(tactic: str = "simp", state: int = 7) -> str:
    return f'goal.tactic {{"stateId": {state}, "tactic": {json.dumps(tactic, ensure_ascii=False)}}}'


async def answered(tmp_path: Path, reply: dict[str, Any] | str, *more: Exchange) -> Answer:
    """To the tactic `simp`, to which the REPL replies thus."""
    said = reply if isinstance(reply, str) else json.dumps(reply)
    async with playing(tmp_path, START, PRINT, (asked(), said), *more) as repl:
        await repl.ask(OPEN)
        return await repl.ask(TACTIC)


def recorded(shared: Path) -> list[dict[str, Any]]:
    files = sorted((shared / "pantograph").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_every_recorded_reply_is_understood(shared: Path) -> None:
    shapes = {"goal.start": Started, "goal.print": Printed, "goal.tactic": Applied, "frontend.distil": Distilled}
    found = Counter[str]()
    for row in recorded(shared):
        command = (row.get("request") or "").split(" ")[0]
        reply = json.loads(row["reply"]) if (row.get("reply") or "").startswith("{") else {}
        if command not in shapes and "error" not in reply:
            continue
        shape = Failure if "error" in reply else shapes[command]
        shape.model_validate(reply)
        found[shape.__name__] += 1
    assert found == {"Applied": 134, "Failure": 55, "Started": 30, "Printed": 11, "Distilled": 4}


async def test_every_recorded_outcome_of_a_tactic_is_told(shared: Path, tmp_path: Path) -> None:
    """Of all requests that the client makes in this form: none of them is a crash."""
    exchanges, tactics = [START, PRINT], list[str]()
    for row in recorded(shared):
        line = row.get("request") or ""
        fields = json.loads(line.partition(" ")[2]) if line.startswith("goal.tactic {") else {}
        if fields.keys() != {"stateId", "tactic"} or not isinstance(fields["stateId"], int):
            continue
        reply = json.loads(row["reply"])
        if reply.get("error") == "index":  # a state that was deleted: not the client's doing
            continue
        tactics.append(fields["tactic"])
        exchanges.append((asked(fields["tactic"]), row["reply"]))
        if reply.get("goals") == [] and not (reply["hasSorry"] or reply["hasUnsafe"]):
            look = f'goal.print {{"stateId": {reply["nextStateId"]}, "rootExpr": true}}'
            exchanges.append(
                (look, '{"goals": [], "rootHasMVar": false, "rootHasSorry": false, "rootHasUnsafe": false}')
            )
    outcomes, first = Counter[str](), {}
    async with playing(tmp_path, *exchanges) as repl:
        await repl.ask(OPEN)
        for number, tactic in enumerate(tactics, 2):
            answer = await repl.ask({**TACTIC, "id": number, "tactic": tactic})
            error = answer.get("error", {"kind": "ok", "message": ""})
            outcomes[error["kind"]] += 1
            first[tactic] = error["kind"], error["message"].partition("\n")[0]
    assert outcomes == {"ok": 68, "error": 52, "heartbeats": 1, "timeout": 1}
    assert first["sleep 2000; simp"] == ("timeout", "Lean was interrupted")
    assert first["set_option maxHeartbeats 1 in grind"] == ("heartbeats", "(kernel) deterministic timeout")
    assert first["linarith"] == ("error", "<Pantograph>:1:1: unknown tactic")
    assert first["admit"] == ("error", "the tactic uses sorry")
    assert first["exact (unsafeCast () : _)"] == ("error", "the tactic uses what is unsafe")
    deep = [message for kind, message in first.values() if kind == "error" and "maximum recursion depth" in message]
    assert deep, "the recording holds one"


async def test_a_search_is_started_from_a_file_and_its_tactics_see_what_the_header_opens(tmp_path: Path) -> None:
    message = {
        **OPEN,
        "expression": "",
        "text": "theorem t : p := sorry",
        "scope": "open A in\n",
        "namespace": "open N in\n",
    }
    distil = 'frontend.distil {"file": "theorem t : p := sorry", "ignoreValues": false}'
    reply = json.dumps({"targets": [{"goals": [GOAL], "stateId": 7}]})
    tried = asked("open N in\nskip"), json.dumps({"goals": [GOAL], "nextStateId": 8})
    deleted = 'goal.delete {"stateIds": [8]}', "{}"
    applied = json.dumps({"goals": [GOAL], "nextStateId": 9})
    async with playing(
        tmp_path, (distil, reply), tried, deleted, (asked("open A in\nopen N in\nsimp"), applied)
    ) as repl:
        assert (await repl.ask(message))["goals"] == ["⊢ p"]
        assert (await repl.ask(TACTIC))["goals"] == ["⊢ p"]
    missing = (
        asked("open N in\nskip"),
        json.dumps({"messages": [{"data": "unknown namespace `N`", "severity": "error"}]}),
    )
    async with playing(tmp_path, (distil, reply), missing, (asked("open A in\nsimp"), applied)) as repl:
        await repl.ask(message)
        assert (await repl.ask(TACTIC))["goals"] == ["⊢ p"]


@pytest.mark.parametrize(
    ("targets", "why"),
    [
        ([], "there is nothing to prove"),
        ([{"goals": [GOAL, GOAL], "stateId": 3}], "header and statement leave more open than one proof"),
    ],
)
async def test_a_text_that_leaves_another_number_of_proofs_open_is_not_started(
    tmp_path: Path, targets: list[object], why: str
) -> None:
    message = {**OPEN, "expression": "", "text": "x"}
    reply = json.dumps({"targets": targets})
    async with playing(tmp_path, ('frontend.distil {"file": "x", "ignoreValues": false}', reply)) as repl:
        assert (await repl.ask(message))["error"] == {"kind": "error", "message": why}


@pytest.mark.parametrize(
    ("flag", "why"),
    [
        ("rootHasSorry", "no goals are left, but the proof uses sorry"),
        ("rootHasUnsafe", "no goals are left, but the proof uses what is unsafe"),
        ("rootHasMVar", "no goals are left, but the proof has holes"),
    ],
)
async def test_a_finished_proof_is_looked_at_as_a_whole(tmp_path: Path, flag: str, why: str) -> None:
    done = {"goals": [], "nextStateId": 8, "hasSorry": False, "hasUnsafe": False, "messages": []}
    look = 'goal.print {"stateId": 8, "rootExpr": true}', json.dumps({"goals": [], flag: True})
    assert (await answered(tmp_path, done, look))["error"] == {"kind": "error", "message": why}


async def test_an_error_that_lean_only_logs_is_one(tmp_path: Path) -> None:
    reply = {"goals": [], "nextStateId": 8, "messages": [{"data": "no", "severity": "error"}]}
    assert (await answered(tmp_path, reply))["error"] == {"kind": "error", "message": "no"}
    reply = {"goals": [GOAL], "nextStateId": 8, "messages": [{"data": "unused", "severity": "warning"}]}
    assert (await answered(tmp_path, reply))["goals"] == ["⊢ p"]


async def test_earlier_versions_told_errors_otherwise(tmp_path: Path) -> None:
    assert (await answered(tmp_path, {"tacticErrors": ["failed"]}))["error"] == {"kind": "error", "message": "failed"}


async def test_another_version_of_pantograph_is_bad_input(tmp_path: Path) -> None:
    for desc in (
        "Unknown command goal.tactic",
        "Unable to parse json: Pantograph.Protocol.GoalTactic.tactics: expected",
    ):
        with pytest.raises(BadInput, match="another version"):
            await answered(tmp_path, {"error": "command", "desc": desc})


@pytest.mark.parametrize(
    "reply",
    ['{"error": "index", "desc": "Invalid state index 7"}', '{"goals": 1}', "[]", "Lean says so", '{"error": 1}'],
)
async def test_what_cannot_be_an_answer_ends_the_worker(tmp_path: Path, reply: str) -> None:
    with pytest.raises(Crashed):
        await answered(tmp_path, reply)


async def test_states_of_finished_searches_are_deleted_with_the_next_request(tmp_path: Path) -> None:
    applied = asked(), json.dumps({"goals": [GOAL], "nextStateId": 8})
    again = [('goal.delete {"stateIds": [7, 8]}', "{}"), START, PRINT]
    async with playing(tmp_path, START, PRINT, applied, *again) as repl:
        await repl.ask(OPEN)
        await repl.ask(TACTIC)
        repl.forget([1, 2, 3])
        assert (await repl.ask(OPEN))["goals"] == ["⊢ p"]


async def test_goals_that_are_too_large_are_not_shown(tmp_path: Path) -> None:
    reply = {"goals": [GOAL | {"target": {"pp": "p" * 1_000_001}}], "nextStateId": 8}
    assert "too large" in (await answered(tmp_path, reply))["error"]["message"]


async def test_a_greeting_that_is_none_tells_what_it_was(tmp_path: Path) -> None:
    with pytest.raises(Crashed, match="unknown module prefix"):
        async with playing(tmp_path, greeting="error: unknown module prefix 'Mathlib'"):
            pass


async def test_a_search_that_is_released_while_its_request_waits_costs_no_worker(tmp_path: Path) -> None:
    """Here the request waits for the deletion of another search's states."""
    second = 'goal.start {"expr": "p"}', '{"root": "_uniq.1", "stateId": 9}'
    shown = 'goal.print {"stateId": 9, "goals": true}', PRINT[1]
    deleted = 'goal.delete {"stateIds": [9]}', "{}"
    applied = asked(), json.dumps({"goals": [GOAL], "nextStateId": 8})
    async with playing(tmp_path, START, PRINT, second, shown, deleted, applied) as repl:
        await repl.ask(OPEN)
        await repl.ask({**OPEN, "id": 5})
        repl.forget([5])
        asking = asyncio.ensure_future(repl.ask(TACTIC))
        await asyncio.sleep(0)
        repl.forget([1])
        assert (await asking)["goals"] == ["⊢ p"]
        assert (await repl.ask({**TACTIC, "id": 3}))["error"] == {
            "kind": "error",
            "message": "the search has been released",
        }


@pytest.mark.parametrize(
    "reply",
    ['{"goals": [' + "[]," * 300_000 + "[]]}", '{"x": ' + "[" * 900 + "]" * 900 + "}"],
    ids=["large", "deep"],
)
async def test_a_large_or_deep_reply_that_is_none_ends_the_worker_at_once(tmp_path: Path, reply: str) -> None:
    with pytest.raises(Crashed):
        await answered(tmp_path, reply)


async def test_halves_of_characters_are_replaced_and_long_messages_cut(tmp_path: Path) -> None:
    reply = '{"goals": [{"target": {"pp": "\\ud800"}, "vars": []}], "nextStateId": 8}'
    assert (await answered(tmp_path, reply))["goals"] == ["⊢ ?"]
    long = await answered(tmp_path, {"error": "elab", "desc": "x" * 1_000_000})
    assert len(long["error"]["message"]) == 4_000
