"""Nothing that a proof brings along, or a header that nobody vouches for, is ever evaluated."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from burnqed.lean.core import DEFAULT_HEADER
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.facts import ProofFacts
from burnqed.lean.protocol import ProofState, TacticStatus, Theorem, Verdict
from tests.fixtures.addresses import kernel_false, with_addresses
from tests.fixtures.cheats import Attempt
from tests.fixtures.instance import ask
from tests.fixtures.native_cheats import HONEST_CONFIGURATIONS, NATIVE_CHEATS

one_loop = pytest.mark.asyncio(loop_scope="session")

ALLOWED_IMPORTS = {
    *("emscripten_resize_heap", "emscripten_get_heap_max", "clock_time_get", "clock_res_get", "emscripten_get_now"),
    *("emscripten_date_now", "emscripten_check_blocking_allowed", "_dlsym_js", "_emscripten_init_main_thread_js"),
    *("__assert_fail", "_abort_js", "__resumeException", "llvm_eh_typeid_for", "_emscripten_throw_longjmp"),
    *("__cxa_throw", "__cxa_rethrow", "__cxa_begin_catch", "__cxa_end_catch", "__cxa_uncaught_exceptions"),
    *("__cxa_current_primary_exception", "__cxa_rethrow_primary_exception"),
    *(f"__cxa_find_matching_catch_{count}" for count in (2, 3, 4, 6, 19)),
}
"""Besides `invoke_…`, by which C++ calls a function that may throw."""
MACRO = """def count : Nat → Nat | 0 => 0 | n + 1 => count n + 1
macro "close" : tactic => if count 5 = 5 then `(tactic| rfl) else `(tactic| skip)
"""
"""A tactic that runs code, for headers that somebody vouches for."""


def elaboration(attempt: Attempt) -> dict[str, Any]:
    of_its_own = attempt.statement.startswith("theorem")
    head = attempt.statement if of_its_own else f"theorem t : ({attempt.statement}\n)"
    text = f"{head} := by\n{attempt.proof}\n"
    return {"kind": "elaborate", "text": text, "header": attempt.header or "", "isTrusted": attempt.header is None}


def of_the_author(ran: list[str]) -> list[str]:
    """Names of what was evaluated that are neither a tactic's configuration nor what Lean makes of notation."""
    return [name for name in ran if not re.match(r"_tmp\.|([\w.]+\.)?(_aux__\w+|term[\w+]*)\b", name)]


def test_there_are_enough_attempts_and_each_is_another() -> None:
    assert len(NATIVE_CHEATS) >= 100
    assert len({(a.statement, a.proof, a.header) for a in NATIVE_CHEATS}) == len(NATIVE_CHEATS)


@one_loop
async def test_every_attempt_is_refused(lean: EmbeddedLean) -> None:
    async def check(attempt: Attempt) -> Verdict:
        theorem = Theorem(name=attempt.tries, statement=attempt.statement, header=attempt.header)
        return await lean.check(theorem, attempt.proof, is_trusted=attempt.header is None)

    found = await asyncio.gather(*map(check, NATIVE_CHEATS))
    assert [v.name for v in found if v.accepted] == []
    assert [(v.name, v.reason) for v in found if v.could_not_check or not v.reason] == []


@pytest.mark.long
def test_without_the_rules_the_guard_lets_nothing_of_the_authors_run() -> None:
    found = ask(*map(elaboration, NATIVE_CHEATS), rules=False)
    assert [a.tries for a, answer in zip(NATIVE_CHEATS, found, strict=True) if "crash" in answer] == []
    assert [
        (a.tries, ran) for a, answer in zip(NATIVE_CHEATS, found, strict=True) if (ran := of_the_author(answer["ran"]))
    ] == []


@pytest.mark.long
def test_without_the_guard_they_would_run() -> None:
    """The attempts are real, and what is looked at is what would show."""
    found = ask(*map(elaboration, NATIVE_CHEATS), rules=False, guard="watching")
    ran = [
        a.tries
        for a, answer in zip(NATIVE_CHEATS, found, strict=True)
        if "crash" in answer or of_the_author(answer["ran"]) or answer["stopped"]
    ]
    assert len(ran) > len(NATIVE_CHEATS) / 2


@pytest.mark.parametrize(
    ("switches", "is_overwritten"),
    [({"rules": False, "guard": "off"}, True), ({"rules": False}, False), ({"guard": "off"}, False)],
)
def test_the_attack_on_the_kernels_memory_needs_rules_and_guard_to_be_gone(
    shared: Path, switches: dict[str, Any], is_overwritten: bool
) -> None:
    cell, true = kernel_false()
    attacks = json.loads((shared / "attacks" / "bare.json").read_text())
    proofs = [Attempt(attack["name"], attack["statement"], with_addresses(attack["proof"])) for attack in attacks]
    look = {"kind": "word", "address": cell}
    before, *_, after = ask(look, *map(elaboration, proofs), look, **switches)
    assert before["value"] != true
    assert (after["value"] == true) == is_overwritten


def test_lean_may_ask_for_nothing_but_memory_exceptions_clocks_and_its_own_symbols() -> None:
    imports = ask({"kind": "imports"})[0]
    assert {name for name in imports["allowed"] if not re.fullmatch(r"invoke_[vijfd]+", name)} == ALLOWED_IMPORTS
    closed = imports["closed"]
    assert len(closed) > 300
    assert {
        "exit",
        "proc_exit",
        "_emscripten_receive_on_main_thread_js",
        "emscripten_set_timeout",
        "random_get",
    } <= set(closed)
    for name, answer in closed.items():
        assert answer in (0, 2, -2) or f"`{name}`, which is closed" in answer


@one_loop
async def test_an_exit_ends_the_instance_and_nothing_else(lean: EmbeddedLean) -> None:
    theorem = Theorem(name="t", statement="True", header="#eval (IO.Process.exit 0 : IO Unit)")
    found = await lean.check(theorem, "trivial")
    assert found.could_not_check
    assert "closed" in found.reason
    assert (await lean.check(Theorem(name="t", statement="True"), "trivial")).accepted


@one_loop
async def test_honest_configurations_are_evaluated(lean: EmbeddedLean) -> None:
    async def check(name: str, tactic: str) -> Verdict:
        return await lean.check(Theorem(name=name, statement="∀ a b : Nat, a + b = b + a"), tactic)

    found = await asyncio.gather(*(check(name, tactic) for name, tactic in HONEST_CONFIGURATIONS.items()))
    assert [(v.name, v.reason) for v in found if not v.accepted] == []


@one_loop
async def test_what_a_header_declares_is_evaluated_for_those_who_vouch_for_it(lean: EmbeddedLean) -> None:
    theorem = Theorem(name="t", statement="1 + 1 = 2", header=MACRO)
    assert (await lean.check(theorem, "close")).accepted
    assert not (await lean.check(theorem, "close", is_trusted=False)).accepted


async def test_a_search_keeps_its_headers_code_when_other_headers_came_since() -> None:
    async with EmbeddedLean(workers=1) as lean:
        root = (await lean.start(Theorem(name="t", statement="1 + 1 = 2", header=MACRO))).state
        assert isinstance(root, ProofState)
        for count in range(12):
            other = Theorem(name="o", statement="True", header=f"def f{count} := {count}\n")
            assert (await lean.start(other)).status is not TacticStatus.ERROR
        assert (await lean.apply(root, "skip")).status is not TacticStatus.ERROR
        done = await lean.apply(root, "close")
        assert done.state is not None, done.message
        assert done.state.is_solved


@one_loop
@pytest.mark.parametrize(
    ("name", "is_evaluated"), [("List.toSMap", False), ("Lean.Meta.evalNat", False), ("Own.toSMap", True)]
)
async def test_no_definition_is_mistaken_for_a_compiled_function_of_its_name(
    lean: EmbeddedLean, name: str, is_evaluated: bool
) -> None:
    """Lean's program holds 190,000 functions, and the library shows a part of them: the interpreter would take any for the header's."""
    header = f"{DEFAULT_HEADER}def {name} (n : Nat) : Nat := n + 41\n#eval (throw (IO.userError (toString ({name} 1))) : IO Unit)\n"
    found = await lean.facts(Theorem(name="t", statement="True", header=header), "trivial")
    assert (isinstance(found, ProofFacts) and found.header_errors == ["line 5: 42"]) == is_evaluated
