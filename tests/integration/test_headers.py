"""Headers that nobody vouches for: what may stand in them, and when it may."""

from __future__ import annotations

import asyncio
import re

import pytest

from burnqed.lean.embedded import backend
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.facts import ProofFacts
from burnqed.lean.protocol import Theorem, Verdict
from tests.fixtures.cheats import HEADER_CHEATS, Attempt
from tests.fixtures.header_cheats import MORE_HEADER_CHEATS
from tests.fixtures.honest_headers import HONEST_HEADERS

one_loop = pytest.mark.asyncio(loop_scope="session")

RULE = re.compile(r"^Not allowed: (line \d+ of the header|the statement): .+; .*`burnqed lean check --trust-headers`")
"""Where, why, and the way out."""


async def verdict(lean: EmbeddedLean, attempt: Attempt, *, is_trusted: bool) -> Verdict:
    theorem = Theorem(name=attempt.tries, statement=attempt.statement, header=attempt.header)
    return await lean.check(theorem, attempt.proof, is_trusted=is_trusted)


async def check(lean: EmbeddedLean, attempts: list[Attempt], *, is_trusted: bool) -> list[Verdict]:
    return await asyncio.gather(*(verdict(lean, attempt, is_trusted=is_trusted) for attempt in attempts))


def test_there_are_enough_attempts_and_each_is_another() -> None:
    assert len(MORE_HEADER_CHEATS) >= 30
    assert len(HONEST_HEADERS) >= 25
    everything = [*HEADER_CHEATS, *MORE_HEADER_CHEATS, *HONEST_HEADERS]
    assert len({(a.header, a.statement) for a in everything}) == len(everything)


@one_loop
async def test_a_header_that_changes_what_the_statement_says_is_refused_with_line_reason_and_way_out(
    lean: EmbeddedLean,
) -> None:
    found = await check(lean, MORE_HEADER_CHEATS, is_trusted=False)
    assert [v.name for v in found if v.accepted or v.could_not_check] == []
    assert [(v.name, v.reason) for v in found if not RULE.match(v.reason)] == []


@pytest.mark.long
@one_loop
async def test_all_of_them_would_work_if_somebody_vouched_for_the_header(lean: EmbeddedLean) -> None:
    found = await check(lean, MORE_HEADER_CHEATS, is_trusted=True)
    assert [(v.name, v.reason) for v in found if not v.accepted] == []


@one_loop
async def test_no_honest_header_is_refused(lean: EmbeddedLean) -> None:
    found = await check(lean, HONEST_HEADERS, is_trusted=False)
    assert [(v.name, v.reason) for v in found if not v.accepted] == []


@one_loop
@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("def x := 1\naxiom cheat : 1 = 2\n", "line 2 of the header: `axiom`"),
        ('instance : Add String := ⟨fun s _ => s⟩\n\nmacro "x" : term => `(5)\n', "line 3 of the header: `macro`"),
        ("#eval 1\n", "line 1 of the header: `#eval`"),
        ('notation "x" => $(5)\n', "line 1 of the header: `$` in a notation runs code"),
        ('notation (name := num) "x" => 5\n', "line 1 of the header: a notation may not name its syntax"),
        ("namespace X\ndef Lean.x := 1\n", "line 2 of the header: `Lean.x` is in a namespace of Lean's own"),
        ("private def Lean.Meta.Simp.Config.x := 1\n", "line 1 of the header"),
        ("attribute [-instance] instLENat\n", "line 1 of the header: the attribute `instance` may not be taken away"),
        ("def f := 1\nopen Nat renaming succ → f\n", "line 2 of the header: `open … renaming`"),
        ("unsafe def x : Nat := 5\n", "line 1 of the header: a definition may not be `unsafe`"),
    ],
)
async def test_what_runs_code_or_assumes_is_refused_whatever_the_statement(
    lean: EmbeddedLean, header: str, reason: str
) -> None:
    found = await verdict(lean, Attempt("t", "1 = 1", "rfl", header), is_trusted=False)
    assert reason in found.reason


@one_loop
async def test_of_several_suspects_the_one_that_matters_is_named(lean: EmbeddedLean) -> None:
    header = 'structure P where\ninstance : Add P := ⟨fun p _ => p⟩\nnotation "two" => 2\ninstance : LE P := ⟨fun _ _ => True⟩\n'
    for statement, line in (("two = 2", "line 3"), ("∀ p q : P, p ≤ q", "line 4"), ("∀ p : P, p + p = p", "line 2")):
        found = await verdict(lean, Attempt("t", statement, "exact default", header), is_trusted=False)
        assert line in found.reason


@one_loop
@pytest.mark.parametrize(
    ("header", "statement", "twins"),
    [
        ("abbrev Νat := Fin 1\n", "∀ n : Νat, n = 0", {"Ν": ["N"]}),
        ("abbrev Νat := Fin 1\ndef p : Prop := ∀ n : Νat, n = 0\n", "p", {"Ν": ["N"]}),
        ("namespace X\ndef «maх» (a _ : Nat) : Nat := a\n", "«maх» 2 3 = 2", {"х": ["k", "x"]}),
        ("abbrev ℓist := Fin 1\n", "∀ n : ℓist, n = 0", {"ℓ": ["l", "L"]}),
    ],
)
async def test_a_twin_of_a_name_of_the_library_is_refused_where_it_is_used(
    lean: EmbeddedLean, header: str, statement: str, twins: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "twins", lambda text: twins)

    async def refused(statement: str) -> str:
        theorem = Theorem(name="t", statement=statement, header=header)
        found = await lean.facts(theorem, "first | rfl | decide", is_trusted=False)
        assert isinstance(found, ProofFacts), found
        return found.refused

    assert "is easily taken for" in await refused(statement)
    assert await refused("1 = 1") == ""


@one_loop
@pytest.mark.parametrize(
    ("header", "statement"),
    [
        ("def x := 1 /-", "1 = 2 -/ ∨ 1 = 1"),
        ("def x := 1 /- -/ /-", "-/ 1 = 1"),
        ("open Nat in", "theorem t : succ 0 = 1"),
        ("variable (h : 1 = 2) in", "theorem t : 1 = 2"),
        ("/-- said before -/", "theorem t : 1 = 1"),
        ("@[simp]", "theorem t : 1 = 1"),
        ("theorem t : 1 = 2 →", "theorem t : 1 = 1"),
        ('def s := "', '" = 1'),
        ("", "1 = 1 /- "),
        ("", "1 = 1) -- "),
        ("", "theorem t : 1 = 1 := rfl\n\ndef x := 1"),
        ("", "theorem t : 1 = 1\naxiom x : 1 = 2"),
    ],
)
async def test_header_and_statement_are_whole_texts_each(lean: EmbeddedLean, header: str, statement: str) -> None:
    assert not (await verdict(lean, Attempt("t", statement, "rfl", header), is_trusted=False)).accepted


LEMMAS = [
    ('"in lemma".length = 8', "rfl", True),
    ('"in lemma".length = 10', "rfl", False),
    ('"\nlemma foo : 1 = 1".length = 18', "rfl", True),
    ('"@[simp] lemma x" = "@[simp] theorem x"', "rfl", False),
    ("lemma foo : 1 = 1", "rfl", True),
    ("@[simp] lemma foo (n : Nat) : n + 0 = n", "rfl", True),
    ("/-- A lemma. -/\nprivate lemma foo : 1 = 1", "rfl", True),
    ("-- lemma\nopen Nat in /- lemma -/ open Int in\nlemma foo : succ 0 = 1 := by lemma", "rfl", True),
    ("theorem lemma : 1 = 1", "rfl", True),
    ("open Nat in\nset_option maxRecDepth 1000 in\nprotected lemma Foo.lemma (lemma : 1 = 2) : 2 = 1", "exact lemma.symm", True),
    ("lemma : 1 = 1", "rfl", False),
    ("lemma foo", "rfl", False),
]  # fmt: skip


@one_loop
@pytest.mark.parametrize(("statement", "proof", "is_accepted"), LEMMAS)
async def test_lemma_is_a_word_where_a_command_begins_and_nowhere_else(
    lean: EmbeddedLean, statement: str, proof: str, is_accepted: bool
) -> None:
    found = await verdict(lean, Attempt("t", statement, proof, ""), is_trusted=True)
    assert found.accepted is is_accepted, found.reason
