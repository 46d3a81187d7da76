"""The Pantograph backend's checker, run by the interpreter of the embedded Lean (tests/fixtures/interpreted.py): its verdicts are those of the embedded backend.

`make test-checker` tries every cheat and honest proof; `make test` every text that crosses to a judge, and a few of the others.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
import pytest_asyncio

from burnqed.errors import BadInput
from burnqed.lean.check import judge
from burnqed.lean.commands import Commands
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.facts import ProofFacts
from burnqed.lean.lexer import normalised
from burnqed.lean.pantograph.checks import Checker, CheckerProcess
from burnqed.lean.protocol import Theorem, Verdict
from burnqed.lean.rules import FILE as RULES
from tests.fixtures import lean_files
from tests.fixtures.cheats import CHEATS, Attempt
from tests.fixtures.checker import MEMORY_MB, command, open_checker
from tests.fixtures.crossing import CROSSINGS, KERNEL
from tests.fixtures.crossing import HONEST as HONEST_CROSSINGS
from tests.fixtures.crossing_terms import Crossing
from tests.fixtures.honest import HONEST
from tests.fixtures.native_cheats import NATIVE_CHEATS

T = TypeVar("T")
is_whole = bool(os.environ.get("BURNQED_WHOLE_CHECKER"))
NATIVE = [attempt for attempt in NATIVE_CHEATS if attempt.header is None]
one_loop = pytest.mark.asyncio(loop_scope="module")
pytestmark = [pytest.mark.long, pytest.mark.timeout(3_000 if is_whole else 900)]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def checker() -> AsyncIterator[Checker]:
    async with open_checker(timeout_s=300 if is_whole else 120) as opened:
        yield opened


def some(attempts: Sequence[T], every: int) -> Sequence[T]:
    return attempts if is_whole else attempts[::every]


FILES = [
    *(text for text, _ in [*lean_files.HONEST.values(), *lean_files.OTHERWISE.values()]),
    *lean_files.MOVED_TEXT.values(),
]


def theorem(attempt: Attempt) -> Theorem:
    return Theorem(name=attempt.tries, statement=attempt.statement, header=attempt.header)


async def elaborated(checker: Checker, attempt: Attempt) -> Verdict:
    """By Lean's facts alone: the early look at the text can only refuse more."""
    facts = await checker.facts(theorem(attempt), attempt.proof)
    if isinstance(facts, ProofFacts):
        return judge(theorem(attempt), facts)
    return Verdict(name=attempt.tries, accepted=False, reason=facts.message, could_not_check=True)


@one_loop
async def test_honest_proofs_are_accepted(checker: Checker) -> None:
    honest = some(HONEST, 15)
    found = await asyncio.gather(*(checker.check(theorem(a), a.proof) for a in honest))
    assert [(v.name, v.reason) for v in found if not v.accepted] == []


@one_loop
async def test_no_cheat_in_a_proof_is_accepted(checker: Checker) -> None:
    cheats = [*some(CHEATS, 49), *some(NATIVE, 31)]
    found = await asyncio.gather(*(elaborated(checker, a) for a in cheats))
    assert [v.name for v in found if v.accepted] == []
    assert [(v.name, v.reason) for v in found if not v.reason] == []


@one_loop
async def test_of_the_texts_that_cross_the_judge_accepts_the_honest_ones(checker: Checker) -> None:
    async def is_accepted(crossing: Crossing) -> bool:
        stated = Theorem(name=crossing.tries, statement=crossing.statement)
        facts = await checker.judge(stated, "".join(f"{line}\n" for line in crossing.lines))
        return isinstance(facts, ProofFacts) and judge(stated, facts).accepted

    cheats, honest = [*CROSSINGS, *KERNEL], HONEST_CROSSINGS
    assert [c.tries for c in cheats if await is_accepted(c)] == []
    assert [c.tries for c in honest if not await is_accepted(c)] == []


@one_loop
async def test_a_proof_names_its_axioms_and_can_be_written_for_other_kernels(checker: Checker, tmp_path: Path) -> None:
    goal = Theorem(name="t", statement="Nonempty Nat → Nat = Nat")
    file = tmp_path / "t.ndjson"
    found = await checker.check(goal, "intro h\nhave := Classical.choice h\nrfl", export_to=file)
    assert (found.accepted, found.axioms) == (True, ["Classical.choice"])
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert "meta" in lines[0]
    assert {"Classical.choice"} <= set(found.permitted)
    assert sum("axiom" in line for line in lines) == len(found.permitted)


async def test_a_file_is_cut_as_the_embedded_lean_cuts_it() -> None:
    def plain(commands: Commands) -> dict[str, Any]:
        """Without the texts of messages, which the embedded backend words for users."""
        return json.loads(re.sub(r'"text":"(\\.|[^"\\])*"', '"text":""', commands.model_dump_json()))

    async with open_checker(timeout_s=120) as checker, EmbeddedLean(workers=1) as embedded:
        for text in map(normalised, some(FILES, 13)):
            found, expected = await asyncio.gather(
                *(lean.commands(text, is_trusted=True) for lean in (checker, embedded))
            )
            assert sorted_sets(plain(found)) == sorted_sets(plain(expected))


def sorted_sets(commands: dict[str, Any]) -> dict[str, Any]:
    for part in commands["commands"]:
        part.update(names=sorted(part["names"]), opened=sorted(part["opened"]))
    return commands


@one_loop
async def test_what_nobody_vouches_for_is_not_accepted(checker: Checker) -> None:
    found = await checker.check(Theorem(name="t", statement="1 = 1"), "rfl", is_trusted=False)
    assert (found.accepted, found.could_not_check) == (False, True)
    assert "--trust-headers" in found.reason
    with pytest.raises(BadInput, match="--trust-headers"):
        await checker.commands("theorem t : 1 = 1 := rfl")


LIAR = """
import json, os, sys

real, lies, role = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
if role != "author":
    os.execv(real[0], [*real, *sys.argv[3:]])
print('{"ready":true}', flush=True)
for line in sys.stdin:
    print(json.load(open(lies))[int(json.loads(line)["proof"])], flush=True)
"""
"""An author's process that was taken over: it answers the proof N with the N-th lie."""


async def exports(statement: str, proof: str) -> dict[str, Any]:
    """What a true author's process says of a proof, and a reader's of its statement."""
    process = CheckerProcess([*command(), "author", str(RULES), "Init"], MEMORY_MB)
    content = {"header": "", "statement": statement, "proof": proof, "introductions": [":= by"]}
    await process.start()
    try:
        return {
            **await process.ask({"kind": "proof", **content}),
            **await process.ask({"kind": "statement", **content}),
        }
    finally:
        await process.end()


async def test_an_authors_process_that_lies_changes_no_verdict(tmp_path: Path) -> None:
    true = await exports("1 = 1", "rfl")
    assert all(true[part] for part in ("proof", "statement"))
    judged = {"objection": "", "could_not_check": False, "axioms": [], "library": 0, "permitted": [], "export": "x"}
    lies = [
        true,
        {**true, **judged},
        {**true, **judged, "proof": ""},
        {**true, "proof": true["statement"]},
        {**true, "proof": "\ud800"},
        {**true, "refused": "\ud800 \x1b[2J"},
        {**true, "messages": None},
        {**true, "messages": [{"severity": "no"}]},
        {**true, "commands": True},
        {**true, "seconds": -1},
        {**true, "error": {"kind": "ok", "message": ""}},
        {"error": {"kind": "error"}},
        {},
    ]
    said = [*map(json.dumps, lies), "[]", "{", json.dumps(true).replace('"seconds": ', '"seconds": NaN, "x": ')]
    script, told = tmp_path / "liar.py", tmp_path / "lies.json"
    script.write_text(LIAR)
    told.write_text(json.dumps(said))
    async with open_checker([sys.executable, str(script), json.dumps(command()), str(told)]) as checker:
        for number in range(len(said)):
            found = await checker.check(Theorem(name="t", statement="1 = 2", header=""), str(number))
            assert not found.accepted, said[number][:200]
            assert found.reason.encode()
        assert (await checker.check(Theorem(name="t", statement="1 = 1", header=""), "0")).accepted
