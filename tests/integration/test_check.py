"""Proved means checked, on the real Lean: no cheat is accepted, no honest proof is refused."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from burnqed.lean.check import check_all, judge, screen
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.facts import ProofFacts
from burnqed.lean.lexer import COMMANDS
from burnqed.lean.proofs import read_proofs
from burnqed.lean.protocol import Theorem, Verdict
from tests.fixtures.cheats import CHEATS, FILE_CHEATS, HEADER_CHEATS, Attempt
from tests.fixtures.honest import FILE, HONEST

one_loop = pytest.mark.asyncio(loop_scope="session")
"""Lean is opened once for all integration tests."""


def theorem(attempt: Attempt) -> Theorem:
    return Theorem(name=attempt.tries, statement=attempt.statement, header=attempt.header)


async def verdicts(lean: EmbeddedLean, attempts: Sequence[Attempt], *, is_trusted: bool) -> list[Verdict]:
    return await asyncio.gather(*(lean.check(theorem(a), a.proof, is_trusted=is_trusted) for a in attempts))


def accepted(found: Sequence[Verdict]) -> list[str]:
    return [v.name for v in found if v.accepted]


def refused(found: Sequence[Verdict]) -> list[tuple[str, str]]:
    return [(v.name, v.reason) for v in found if not v.accepted]


def test_there_are_enough_attempts_and_each_is_another() -> None:
    cheats, honest = [*CHEATS, *HEADER_CHEATS], HONEST
    assert len(cheats) >= 45
    assert len(honest) >= 28
    assert len({(a.statement, a.proof, a.header) for a in [*cheats, *honest]}) == len(cheats) + len(honest)


@pytest.mark.long
@one_loop
async def test_no_cheat_in_a_proof_is_accepted_even_when_only_lean_looks_at_it(lean: EmbeddedLean) -> None:
    """Lean's facts alone must speak against each; the early look at the text can only refuse more."""

    async def judged(attempt: Attempt) -> Verdict:
        facts = await lean.facts(theorem(attempt), attempt.proof)
        if isinstance(facts, ProofFacts):
            return judge(theorem(attempt), facts)
        return Verdict(name=attempt.tries, accepted=False, reason=facts.message, could_not_check=True)

    found = await asyncio.gather(*map(judged, CHEATS))
    assert accepted(found) == []
    unscreened = [v for v, a in zip(found, CHEATS, strict=True) if screen(theorem(a), a.proof) is None]
    assert [v.name for v in unscreened if v.could_not_check or not v.reason] == []


@one_loop
async def test_no_cheat_in_a_header_or_statement_of_a_stranger_is_accepted(lean: EmbeddedLean) -> None:
    found = await verdicts(lean, HEADER_CHEATS, is_trusted=False)
    assert accepted(found) == []
    assert [v.name for v in found if v.could_not_check or not v.reason] == []


@pytest.mark.long
@one_loop
async def test_no_honest_proof_is_refused_also_after_cheats_ran_in_the_same_lean(lean: EmbeddedLean) -> None:
    assert refused(await verdicts(lean, HONEST, is_trusted=True)) == []


@pytest.mark.long
@one_loop
async def test_no_honest_proof_is_refused_when_nobody_vouches_for_its_header(lean: EmbeddedLean) -> None:
    assert refused(await verdicts(lean, HONEST, is_trusted=False)) == []


@one_loop
async def test_an_accepted_proof_names_its_axioms_and_no_theorems_of_the_library(lean: EmbeddedLean) -> None:
    plain = await lean.check(Theorem(name="t", statement="∀ a b : Nat, a + b = b + a"), "exact Nat.add_comm")
    classical = await lean.check(Theorem(name="t", statement="∀ p : Prop, p ∨ ¬p"), "exact Classical.em")
    choice = await lean.check(
        Theorem(name="t", statement="Nonempty Nat → Nat = Nat"), "intro h\nhave := Classical.choice h\nrfl"
    )
    assert (plain.accepted, plain.axioms) == (True, [])
    assert classical.accepted
    assert (choice.accepted, choice.axioms) == (True, ["Classical.choice"])


@one_loop
async def test_a_proof_that_takes_too_long_is_not_said_to_be_wrong_and_others_go_on(lean: EmbeddedLean) -> None:
    endless = "set_option maxRecDepth 10000000 in\nset_option maxHeartbeats 0 in\nrepeat (show id (1 = 1); show 1 = 1)"
    slow_one = lean.check(Theorem(name="endless", statement="1 = 1"), endless, timeout=1)
    other = lean.check(Theorem(name="other", statement="1 = 1"), "rfl")
    slow, quick = await asyncio.gather(slow_one, other)
    assert (slow.accepted, slow.could_not_check) == (False, True)
    assert quick.accepted


@one_loop
async def test_many_messages_neither_hide_an_error_nor_break_the_answer(lean: EmbeddedLean) -> None:
    flood = "\n".join(['trace "' + "x" * 3000 + '"'] * 300)
    bad = await lean.check(Theorem(name="t", statement="1 = 2"), f"{flood}\nrfl")
    good = await lean.check(Theorem(name="t", statement="1 = 1"), f"{flood}\nrfl")
    assert (bad.accepted, good.accepted) == (False, True)
    assert "error" in bad.reason


@one_loop
async def test_the_kernel_looks_at_every_proof_even_when_a_header_switches_it_off(lean: EmbeddedLean) -> None:
    header = "set_option debug.skipKernelTC true\n"
    facts = await lean.facts(Theorem(name="t", statement="1 = 2", header=header), "exact lcProof")
    assert isinstance(facts, ProofFacts)
    assert any("(kernel)" in error.text for error in facts.errors)
    assert not judge(Theorem(name="t", statement="1 = 2"), facts).accepted


@pytest.mark.long
@one_loop
async def test_lean_takes_no_word_that_is_refused_early_as_a_name(lean: EmbeddedLean) -> None:
    """Refusing a proof for such a word is then never wrong."""
    words = sorted(word for word in COMMANDS if not word.startswith("#"))
    goal = Theorem(name="t", statement="∀ p : Prop, p → p")
    found = await asyncio.gather(*(lean.facts(goal, f"intro p {word}\nexact {word}") for word in words))
    assert [
        word
        for word, facts in zip(words, found, strict=True)
        if isinstance(facts, ProofFacts) and judge(goal, facts).accepted
    ] == []


@one_loop
@pytest.mark.parametrize("tries", FILE_CHEATS)
async def test_no_cheat_in_a_lean_file_is_accepted(lean: EmbeddedLean, tmp_path: Path, tries: str) -> None:
    file = tmp_path / "cheat.lean"
    file.write_text(FILE_CHEATS[tries], encoding="utf-8")
    assert not (await check_all(await read_proofs(file, lean), lean))[-1].accepted


@one_loop
async def test_every_theorem_of_an_honest_lean_file_is_accepted(lean: EmbeddedLean, tmp_path: Path) -> None:
    file = tmp_path / "honest.lean"
    file.write_text(FILE, encoding="utf-8")
    found = await check_all(await read_proofs(file, lean), lean)
    assert len(found) == FILE.count("theorem ") + FILE.count("lemma ")
    assert refused(found) == []


@pytest.mark.long
@one_loop
async def test_a_sample_of_the_corpus_passes_as_the_files_stand(lean: EmbeddedLean) -> None:
    folder = Path(__file__).parents[2] / "burnqed/data/corpus"
    proofs = [proof for file in sorted(folder.glob("*.lean"))[::3] for proof in await read_proofs(file, lean)]
    assert len(proofs) >= 100
    assert refused(await check_all(proofs[::20], lean)) == []


def test_the_command_prints_verdicts_as_json_and_ends_with_1_when_one_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "proofs.json"
    entries = [
        {"name": "good", "statement": "1 + 1 = 2", "proof": "by rfl"},
        {"name": "bad", "statement": "1 + 1 = 3", "proof": "sorry"},
        {"name": "own", "statement": "f 1 = 1", "proof": "rfl", "header": "def f (n : Nat) : Nat := n\n"},
    ]
    file.write_text(json.dumps(entries), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "burnqed.cli.main", "lean", "check", str(file), "--json"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 1, run.stderr
    found = {v["name"]: v for v in json.loads(run.stdout)}
    assert {name: v["accepted"] for name, v in found.items()} == {"good": True, "bad": False, "own": True}
    assert all(set(v) == {"name", "accepted", "reason", "axioms", "could_not_check"} for v in found.values())


RICH_HEADER = """@[simp, local grind =] private def f (n : Nat) : Nat := n
variable {α : Type} [DecidableEq α] (x y : α)
attribute [simp] f
open Nat (succ) in set_option maxRecDepth 99 in theorem g : f 1 = 1 := by simp (config := { decide := true })
mutual
inductive A | a (b : B) deriving Repr
inductive B | b
end
"""
RICH_PROOF = """set_option maxRecDepth 99 in
let rec @[simp] h : 1 = 1 := rfl
simp +decide (maxSteps := 9) only [h, ← h] at *
exact (open Nat in ⟨fun | 0 => rfl | n + 1 => rfl⟩)
where
  @[simp, reducible] k (n : Nat) : Nat := n
"""


@one_loop
async def test_a_text_that_breaks_off_anywhere_is_refused_and_lean_goes_on(lean: EmbeddedLean) -> None:
    goal = Theorem(name="t", statement="1 = 2")
    cuts = [(RICH_HEADER[:end], "rfl") for end in range(1, len(RICH_HEADER), 11)]
    cuts += [("", RICH_PROOF[:end]) for end in range(1, len(RICH_PROOF), 7)]
    found = await asyncio.gather(
        *(lean.facts(goal.model_copy(update={"header": header}), proof, is_trusted=False) for header, proof in cuts)
    )
    assert [cut for cut, facts in zip(cuts, found, strict=True) if not isinstance(facts, ProofFacts)] == []
    assert [cut for cut, facts in zip(cuts, found, strict=True) if judge(goal, facts).accepted] == []
