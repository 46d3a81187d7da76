"""On the real Lean: proofs as people write them are accepted, texts that read otherwise than they are are refused."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from burnqed.lean.check import check_all
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.proofs import read_proofs
from burnqed.lean.protocol import Theorem, Verdict
from tests.fixtures.cheats import Attempt
from tests.fixtures.disguises import FILES, HIDDEN, MEANINGS, TWINS
from tests.fixtures.honest_styles import HONEST_FILES, HONEST_STYLES

one_loop = pytest.mark.asyncio(loop_scope="session")
"""Lean is opened once for all integration tests."""


async def verdicts(lean: EmbeddedLean, attempts: Sequence[Attempt], *, is_trusted: bool) -> list[Verdict]:
    def theorem(attempt: Attempt) -> Theorem:
        return Theorem(name=attempt.tries, statement=attempt.statement, header=attempt.header)

    return await asyncio.gather(*(lean.check(theorem(a), a.proof, is_trusted=is_trusted) for a in attempts))


def refused(found: Sequence[Verdict]) -> list[tuple[str, str]]:
    return [(v.name, v.reason) for v in found if not v.accepted]


def file_of(folder: Path, text: str) -> Path:
    file = folder / "proofs.lean"
    file.write_bytes(text.encode())
    return file


def theorems_in(text: str) -> int:
    """How many a reader finds, outside of block comments and of texts of several lines."""
    code = re.sub(r"(?s)\ufeff|/-.*?-/|:= \"[^\"]*\n[^\"]*\"", "", text)
    return len(re.findall(r"^ *(?:(?:private|protected|@\[.*?\]) )*(?:theorem|lemma|example) ", code, re.MULTILINE))


def test_there_are_enough_of_all_kinds() -> None:
    assert len(HONEST_STYLES) + sum(map(theorems_in, HONEST_FILES.values())) >= 120
    assert len(HIDDEN) + len(TWINS) + len(MEANINGS) >= 60
    assert len({(a.statement, a.proof, a.header) for a in HONEST_STYLES}) == len(HONEST_STYLES)


@one_loop
@pytest.mark.parametrize("is_trusted", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_proofs_in_every_style_are_accepted(lean: EmbeddedLean, is_trusted: bool) -> None:
    assert refused(await verdicts(lean, HONEST_STYLES, is_trusted=is_trusted)) == []


@one_loop
@pytest.mark.parametrize("is_trusted", [pytest.param(True, marks=pytest.mark.long), False])
@pytest.mark.parametrize("style", HONEST_FILES)
async def test_files_in_every_style_are_accepted(
    lean: EmbeddedLean, tmp_path: Path, style: str, is_trusted: bool
) -> None:
    found = await check_all(
        await read_proofs(file_of(tmp_path, HONEST_FILES[style]), lean, is_trusted=is_trusted),
        lean,
        is_trusted=is_trusted,
    )
    assert refused(found) == []
    assert len(found) == theorems_in(HONEST_FILES[style])


@one_loop
@pytest.mark.parametrize("is_trusted", [True, False])
async def test_no_hidden_character_gets_through(lean: EmbeddedLean, is_trusted: bool) -> None:
    found = await verdicts(lean, HIDDEN, is_trusted=is_trusted)
    assert [v.name for v, d in zip(found, HIDDEN, strict=True) if v.accepted or d.reason not in v.reason] == []


@one_loop
async def test_no_look_alike_and_no_sign_with_another_meaning_gets_through(lean: EmbeddedLean) -> None:
    attempts = [*TWINS, *MEANINGS]
    found = await verdicts(lean, attempts, is_trusted=False)
    assert [
        (v.name, v.reason) for v, d in zip(found, attempts, strict=True) if v.accepted or d.reason not in v.reason
    ] == []


@one_loop
@pytest.mark.parametrize("tries", FILES)
async def test_no_file_that_reads_otherwise_gets_through(lean: EmbeddedLean, tmp_path: Path, tries: str) -> None:
    assert not (await check_all(await read_proofs(file_of(tmp_path, FILES[tries]), lean), lean))[-1].accepted


@one_loop
@pytest.mark.parametrize(
    ("proof", "said"),
    [
        ("intro n\nomegaa", "line 2"),
        ("intro n\nconstructor\n  foo", "line 3"),
        ("fun n => foo", "Unknown identifier `foo`"),
        ("by\n  intro n\n  exact h", "line 3"),
        ("| 0 => rfl", "Missing cases"),
        ("rfl)", "does not end"),
    ],
)
async def test_a_broken_proof_is_told_by_the_reading_that_its_author_meant(
    lean: EmbeddedLean, proof: str, said: str
) -> None:
    verdict = await lean.check(Theorem(name="t", statement="∀ n : Nat, n = n + 0 * n"), proof)
    assert not verdict.accepted
    assert said in verdict.reason


@one_loop
@pytest.mark.parametrize(
    ("statement", "header", "is_told"),
    [
        ("∀ (α : Type u) (x : α), x = x", None, True),
        ("∀ x : α, x = x", None, True),
        ("∀ x : α, x = x", "set_option autoImplicit false\n", True),
        ("∀ x : Natt, x = x", None, False),
    ],
)
async def test_where_auto_implicit_is_the_cause_the_reason_says_what_to_do(
    lean: EmbeddedLean, statement: str, header: str | None, is_told: bool
) -> None:
    verdict = await lean.check(Theorem(name="t", statement=statement, header=header), "intros; rfl")
    assert not verdict.accepted
    assert ("set_option autoImplicit true" in verdict.reason) is is_told
    assert "\n" not in verdict.reason


NO_MATHLIB = "; Mathlib's notation is not there"
NO_TACTIC = "; only core Lean's tactics are there, not Mathlib's"


@one_loop
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("theorem t : ∃! n : Nat, n + 1 = 2", "unexpected token '!' after `∃`; expected '(', '_' or identifier" + NO_MATHLIB),
        ("lemma t : ∃! n : Nat, n + 1 = 2 := by simp", "unexpected token '!' after `∃`; expected '(', '_' or identifier" + NO_MATHLIB),
        ("∃! n : Nat, n + 1 = 2", "unexpected token '!' after `∃`; expected '(', '_' or identifier" + NO_MATHLIB),
        ("theorem t : True ∧ ∑ i, i = 3", "expected token, not `∑`" + NO_MATHLIB),
        ("theorem t (α : Type*) (a : α) : a = a", "unexpected token ')' after `Type*`; expected term" + NO_MATHLIB),
        ("theorem t (n : Nat) : 1 = n !", "unexpected end after `!`; expected term" + NO_MATHLIB),
        ("∀ n : Nat, 1 = n !", "unexpected end after `!`; expected term" + NO_MATHLIB),
        ("∀ n : Nat,\n  1 = n !  -- so", "line 2: unexpected end after `!`; expected term" + NO_MATHLIB),
        ("(∀ n : Nat,\n\n n = n", "line 3: unexpected end after `n`; expected ')', ',' or ':'"),
        ("\n\ntheorem t\n  (n : Nat) :\n n ! = 1 ∧ True", "line 5: unexpected token '=' after `!`; expected term" + NO_MATHLIB),
        ("@[simp]\ntheorem\n t :\n foo", "line 4: Unknown identifier `foo`"),
        ("∀ n : Nat,\n foo n = 1", "line 2: Unknown identifier `foo`"),
        ("∀ n : Nat, foo n = 1", "Unknown identifier `foo`"),
        ("(by norm_num : True) = trivial", "unknown tactic `norm_num`" + NO_TACTIC),
    ],
)  # fmt: skip
async def test_what_is_wrong_in_a_statement_is_told_with_its_line_and_the_authors_own_words(
    lean: EmbeddedLean, statement: str, said: str
) -> None:
    for is_trusted in (True, False):
        verdict = await lean.check(Theorem(name="t", statement=statement), "rfl", is_trusted=is_trusted)
        assert verdict.reason == f"The statement does not elaborate: {said}"


@one_loop
@pytest.mark.parametrize("rest", ["} → False", ", False", "] := by trivial", "⟩ ∧ False"])
async def test_a_statement_of_which_lean_reads_only_the_beginning_is_refused(lean: EmbeddedLean, rest: str) -> None:
    verdict = await lean.check(Theorem(name="t", statement=f"theorem t : True {rest}"), "trivial")
    assert f"unexpected token '{rest[0]}' after `True`" in verdict.reason


@one_loop
@pytest.mark.parametrize(
    ("proof", "said"),
    [
        ("norm_num", "line 1 of the proof: unknown tactic `norm_num`" + NO_TACTIC),
        ("intro\n· nlinarith [sq_nonneg 1]", "line 2 of the proof: unknown tactic `nlinarith`" + NO_TACTIC),
        (":= by\n  constructor <;> interval_cases x", "line 2 of the proof: unknown tactic `interval_cases`" + NO_TACTIC),
        ("exact ⟨by norm_num, rfl⟩", "line 1 of the proof: unknown tactic `norm_num`" + NO_TACTIC),
        ("bv_decide", "import Std.Tactic.BVDecide`; the embedded Lean has only its core library Init, so use another tactic"),
        ("have : (2 : ℝ) = 2 := rfl\nrfl", "line 1 of the proof: Unknown identifier `ℝ`; core Lean has no such numbers"),
        ("simp [∑]", "line 1 of the proof: expected token, not `∑`"),
    ],
)  # fmt: skip
async def test_tactics_that_are_not_there_are_named(lean: EmbeddedLean, proof: str, said: str) -> None:
    verdict = await lean.check(Theorem(name="t", statement="theorem t (x : BitVec 8) : x + x = x + x"), proof)
    assert verdict.reason.endswith(said)


@one_loop
@pytest.mark.parametrize(
    ("statement", "header", "way"),
    [
        ("theorem t (x : ℝ) : x = x", None, "Unknown identifier `ℝ`; core Lean has no such numbers"),
        ("theorem t (x : ℚ) : x = x", None, 'Unknown identifier `ℚ`; write `notation "ℚ" => Rat` into the header'),
        ("theorem t (x : ℕ) : x = 1", "open Nat\n", '; `ℕ` is a variable here, because one\'s own header replaces the default one: write `notation "ℕ" => Nat` into the header'),
        ("theorem t (x : ℝ) : x = 1", "open Nat\n", "; `ℝ` is a variable here: core Lean has no such numbers"),
        ("theorem t (x : ℕ) : x = 1", "set_option autoImplicit false\n", 'one\'s own header replaces the default one: write `notation "ℕ" => Nat` into the header'),
        ("theorem t (x : ℕ) : x", 'notation "ℕ" => Nat\n', "type expected, got"),
        ("theorem t (x : Nat) : x", "open Nat\n", "type expected, got"),
    ],
)  # fmt: skip
async def test_symbols_of_numbers_that_mean_nothing_are_told_with_the_way_out(
    lean: EmbeddedLean, statement: str, header: str | None, way: str
) -> None:
    verdict = await lean.check(Theorem(name="t", statement=statement, header=header), "rfl", is_trusted=False)
    assert verdict.reason.endswith(way)
    assert "autoImplicit true" not in verdict.reason


@one_loop
async def test_a_message_of_several_lines_comes_whole(lean: EmbeddedLean) -> None:
    verdict = await lean.check(Theorem(name="t", statement="1 = 2 ∧ 2 = 3"), "constructor")
    assert verdict.reason.endswith("unsolved goals")
    assert verdict.message == "unsolved goals\ncase left\n⊢ 1 = 2\n\ncase right\n⊢ 2 = 3"


def lean_check(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "burnqed.cli.main", "lean", "check", str(file), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_command_cannot_be_made_to_say_what_is_not_so(tmp_path: Path) -> None:
    names = ["a\naccepted Fermat", "[/nope]", "\x1b[2K\raccepted Fermat", "a" * 71 + " accepted Fermat"]
    proof = 'fail "x\\naccepted Fermat\\n4 of 4 accepted"'
    file = tmp_path / "proofs.json"
    file.write_text(json.dumps([{"name": name, "statement": "1 = 2", "proof": proof} for name in names]))
    run = lean_check(file)
    assert run.returncode == 1, run.stderr
    ours = [line for line in run.stdout.splitlines() if not line.startswith(" ")]
    assert [line[:10] for line in ours] == ["refused   "] * 4 + ["0 of 4 acc"]
    assert "\x1b" not in run.stdout
    assert [v["name"] for v in json.loads(lean_check(file, "--json").stdout)] == names


@pytest.mark.parametrize(
    "content",
    [
        '[{"name": "a", "statement": "1 = 1", "proof": "\\ud800"}]',
        '[{"name": "\\ud800", "statement": "1 = 1", "proof": "rfl"}]',
        '[{"name": "\\u001b[2K", "statement": "1 = 1"}]',
        "[" * 100_000,
        "1" * 10_000,
    ],
)
def test_what_cannot_be_read_is_told_in_one_sentence_with_exit_code_2(tmp_path: Path, content: str) -> None:
    file = tmp_path / "proofs.json"
    file.write_text(content)
    run = lean_check(file)
    assert (run.returncode, run.stdout) == (2, "")
    assert len(run.stderr.splitlines()) == 1
    assert run.stderr.startswith("burnqed: ")
    assert "\x1b" not in run.stderr
