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

one_loop = pytest.mark.asyncio(loop_scope="module")
"""Lean is opened once for all tests of this file."""


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
    return len(re.findall(r"^ *(?:(?:private|protected|@\[.*?\]) )*(?:theorem|lemma) ", code, re.MULTILINE))


def test_there_are_enough_of_all_kinds() -> None:
    assert len(HONEST_STYLES) + sum(map(theorems_in, HONEST_FILES.values())) >= 120
    assert len(HIDDEN) + len(TWINS) + len(MEANINGS) >= 60
    assert len({(a.statement, a.proof, a.header) for a in HONEST_STYLES}) == len(HONEST_STYLES)


@one_loop
@pytest.mark.parametrize("is_trusted", [True, False])
async def test_proofs_in_every_style_are_accepted(lean: EmbeddedLean, is_trusted: bool) -> None:
    assert refused(await verdicts(lean, HONEST_STYLES, is_trusted=is_trusted)) == []


@one_loop
@pytest.mark.parametrize("is_trusted", [True, False])
@pytest.mark.parametrize("style", HONEST_FILES)
async def test_files_in_every_style_are_accepted(
    lean: EmbeddedLean, tmp_path: Path, style: str, is_trusted: bool
) -> None:
    found = await check_all(read_proofs(file_of(tmp_path, HONEST_FILES[style])), lean, is_trusted=is_trusted)
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
    assert not (await check_all(read_proofs(file_of(tmp_path, FILES[tries])), lean))[-1].accepted


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
