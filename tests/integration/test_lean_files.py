"""How Lean cuts .lean files: into which theorems, with which statements, proofs and headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from burnqed.errors import BadInput
from burnqed.lean.check import check_all
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.proofs import read_lean
from burnqed.lean.source import ProofToCheck
from tests.fixtures.lean_files import HONEST, MOVED_TEXT, OTHERWISE

one_loop = pytest.mark.asyncio(loop_scope="session")
"""Lean is opened once for all integration tests."""


@pytest.fixture
def read(lean: EmbeddedLean, tmp_path: Path) -> Reading:
    return Reading(lean, tmp_path / "proofs.lean")


class Reading:
    def __init__(self, lean: EmbeddedLean, file: Path) -> None:
        self.lean = lean
        self.file = file

    async def __call__(self, text: str, *, is_trusted: bool = True) -> list[ProofToCheck]:
        self.file.write_bytes(text.encode())
        return await read_lean(self.file, self.lean, is_trusted=is_trusted)

    async def headers(self, text: str) -> dict[str, str]:
        return {proof.name: proof.theorem.header or "" for proof in await self(text)}

    async def verdicts(self, text: str, *, is_trusted: bool = False) -> dict[str, str]:
        """Reasons by name, empty for what is accepted."""
        proofs = await self(text, is_trusted=is_trusted)
        found = await check_all(proofs, self.lean, is_trusted=is_trusted)
        assert len({v.name for v in found}) == len(found)
        return {v.name: v.reason if not v.accepted else "" for v in found}


# ---- what is checked is what the file says


@one_loop
@pytest.mark.parametrize("tries", OTHERWISE)
async def test_a_file_that_only_a_lexer_would_cut_otherwise_is_cut_as_lean_does(read: Reading, tries: str) -> None:
    text, names = OTHERWISE[tries]
    found = await read.verdicts(text)
    assert list(found) == names
    assert [name for name, reason in found.items() if not reason and ("bad" in name or "example" in name)] == []
    assert [name for name, reason in found.items() if reason and "good" in name] == []


@one_loop
@pytest.mark.parametrize("tries", MOVED_TEXT)
async def test_a_definition_that_only_lean_sees_gives_the_statement_its_meaning(read: Reading, tries: str) -> None:
    *_, reason = (await read.verdicts(MOVED_TEXT[tries])).values()
    assert reason


@one_loop
@pytest.mark.parametrize("is_trusted", [True, False])
@pytest.mark.parametrize("style", HONEST)
async def test_an_honest_file_that_is_hard_to_cut_is_accepted(read: Reading, style: str, is_trusted: bool) -> None:
    text, names = HONEST[style]
    assert await read.verdicts(text, is_trusted=is_trusted) == dict.fromkeys(names, "")


@one_loop
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("theorem a : 1 = 1 := by rfl\n\nthis is no Lean : 1 = 2 := by garbage\n", 3),
        ("theorem a : 1 = 1 := rfl\n\n)\n", 3),
        ("theorem a : 1 = 1 := rfl\n\n#exit\ntheorem b : 1 = 2 := sorry\n", 3),
        (
            'theorem a : 1 = 1 := rfl\n\nmacro "prove" : command => `(theorem b : 1 = 2 := sorry)\nvariable (n : Nat)\nprove\n',
            5,
        ),
        ('theorem a : 1 = 1 := rfl\n\nsyntax "f \\"" term : term\ndef k := f "\ntheorem b : 1 = 2 := sorry -- "\n', 3),
    ],
)
async def test_what_lean_cannot_read_at_the_end_is_refused_once(read: Reading, text: str, line: int) -> None:
    accepted, refused = (await read.verdicts(text)).items()
    assert accepted == ("a", "")
    assert refused[0] == f"line {line}"
    assert f"line {line}" in refused[1]


@one_loop
async def test_a_comment_that_never_ends_is_no_end_of_a_file(read: Reading) -> None:
    found = await read.verdicts("theorem a : 1 = 1 := rfl\n\n/- theorem b : 1 = 2 := sorry\n")
    assert "unterminated comment" in found["a"]


@one_loop
async def test_behind_what_lean_cannot_read_every_theorem_is_listed_and_refused(read: Reading) -> None:
    text = "theorem good : 1 = 1 := rfl\n)\ntheorem b : 1 = 1 := rfl\nnamespace X\nlemma c : 1 = 1 := rfl\nexample : 1 = 1 := rfl\n"
    found = await read.verdicts(text)
    assert list(found) == ["good", "b", "X.c", "example (line 6)"]
    assert [("line 2" in reason) for reason in found.values()] == [False, True, True, True]


@one_loop
async def test_behind_a_refused_command_every_theorem_is_listed_and_refused_for_it(read: Reading) -> None:
    text = 'theorem good : 1 = 1 := rfl\nmacro "x!" : term => `(1)\ntheorem b : x! = 1 := rfl\n) foo\ntheorem c : 1 = 1 := rfl\n#eval 1\n'
    found = await read.verdicts(text)
    assert list(found) == ["good", "b", "c"]
    assert [("macro" in reason) for reason in found.values()] == [False, True, True]


@one_loop
async def test_a_theorem_that_breaks_off_is_refused_without_the_others(read: Reading) -> None:
    text = "theorem a : 1 = 1 := rfl\ntheorem b : 1 = := rfl garbage )\ntheorem c : 1 = 1\ntheorem d : 1 = 1 := rfl\n"
    found = await read.verdicts(text)
    assert [name for name, reason in found.items() if reason] == ["b", "c"]
    assert "line 2" in found["b"]
    assert list(found) == ["a", "b", "c", "d"]


@one_loop
async def test_a_wrong_theorem_does_not_make_others_wrong(read: Reading) -> None:
    text = "theorem a : 1 = 2 := rfl\ntheorem b : 1 = 1 := rfl\ntheorem c : 1 = 2 := a\nnamespace X\ntheorem a : 2 = 2 := rfl\nend X\n"
    found = await read.verdicts(text)
    assert list(found) == ["a", "b", "c", "X.a"]
    assert [name for name, reason in found.items() if reason] == ["a", "c"]


# ---- headers


@one_loop
async def test_a_file_that_begins_with_a_theorem_gets_the_default_header(read: Reading) -> None:
    text = "-- a comment\n/-! More. -/\ntheorem a : 1 = 1 := by\n  rfl\n\n/-- another -/\ntheorem «b c» : 1 = 1 := by rfl\n"
    assert [(p.name, p.proof.strip(), p.theorem.header) for p in await read(text)] == [
        ("a", ":= by\n  rfl", None),
        ("«b c»", ":= by rfl", None),
    ]


@one_loop
async def test_definitions_join_the_header_of_what_follows_with_their_line_numbers_kept(read: Reading) -> None:
    text = "def x := 1\n\ntheorem a : x = 1 := by rfl\n\ndef y := 2\n\ntheorem b : y = 2 := by rfl\n"
    headers = await read.headers(text)
    assert headers["a"] == "def x := 1\n"
    assert headers["b"].splitlines()[0] == "def x := 1"
    assert headers["b"].splitlines()[4] == "def y := 2"
    assert "theorem" not in headers["b"]


@one_loop
async def test_earlier_theorems_join_the_header_when_they_are_used_or_carry_an_attribute(read: Reading) -> None:
    headers = await read.headers(
        "theorem a : 1 = 1 := rfl\n\nlemma b : 1 = 1 := a\n\n@[simp] theorem c : 2 = 2 := rfl\n\n"
        "theorem alone : 3 = 3 := by rfl\n\ntheorem uses : 1 = 1 := b\n"
    )
    assert headers["a"] == ""
    assert "theorem a" in headers["b"]
    assert "theorem a" not in headers["alone"]
    assert "theorem c" in headers["alone"]
    assert all(part in headers["uses"] for part in ("theorem a", "theorem b", "theorem c"))


@one_loop
async def test_earlier_theorems_join_the_header_when_a_command_in_between_names_them(read: Reading) -> None:
    headers = await read.headers(
        "theorem a : 0 < 1 := by decide\ntheorem b : 0 < 2 := by decide\ndef x : Fin 1 := ⟨0, a⟩\n"
        "theorem c : x = x := rfl\nattribute [simp] b.le\ntheorem d : 2 = 2 := rfl\n"
    )
    assert "theorem a" in headers["c"]
    assert "theorem b" not in headers["c"]
    assert "theorem b" in headers["d"]
    assert "theorem c" not in headers["d"]


@one_loop
async def test_earlier_theorems_join_the_header_when_their_namespace_is_opened(read: Reading) -> None:
    text = "theorem Foo.bar : 1 = 1 := rfl\ntheorem Foo.baz : 1 = 1 := rfl\nopen Foo\ntheorem a : 1 = 1 := rfl\ntheorem Foo.c : 1 = 1 := rfl\ntheorem d : 1 = 1 := rfl\n"
    headers = await read.headers(text)
    assert "Foo" not in headers["Foo.baz"]
    assert "Foo.bar" in headers["a"]
    assert "Foo.c" not in headers["d"]


@one_loop
async def test_theorems_of_a_mutual_block_are_checked_with_the_block_in_their_header(read: Reading) -> None:
    text = "def x := 1\n\nmutual\nlemma a : p := b\n@[simp] theorem b : q := a\nend\n\ntheorem c : p := a\ntheorem d : r := rfl\n"
    a, b, c, d = await read(text)
    block = "def x := 1\n\nmutual\ntheorem a : p := b\n@[simp] theorem b : q := a\nend\n"
    assert [p.theorem.header for p in (a, b, c)] == [block] * 3
    assert (a.theorem.statement, b.theorem.statement) == ("theorem a : p := b", "@[simp] theorem b : q := a")
    assert (a.proof, b.proof) == ("by intros; apply a <;> assumption", "by intros; apply b <;> assumption")
    assert "mutual" in (d.theorem.header or "")  # because of the attribute


@one_loop
@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("mutual\ntheorem a : p := b\ndef f := 1\nend\n", True),
        ("mutual\ntheorem a : p := b\nprivate theorem b : q := a\nend\n", False),
        ("theorem a : p := rfl\n  open Nat\n", False),  # a command of its own
        ("theorem a : p := by\n  set_option maxRecDepth 900 in\n  rfl\n", False),
        ("open Nat in\ntheorem a : p := rfl\n", False),
        ('local notation "x" => 1 in\ntheorem a : p := rfl\n', True),
        ("theorem a : p := go\nwhere\n  @[simp] go : p := rfl\n", True),
    ],
)
async def test_a_theorem_that_is_not_needed_stays_when_its_text_does_more(
    read: Reading, text: str, is_kept: bool
) -> None:
    *_, last = await read(text + "theorem z : r := rfl\n")
    assert ("theorem a" in (last.theorem.header or "")) is is_kept


@one_loop
async def test_modifiers_attributes_and_open_in_belong_to_their_theorem(read: Reading) -> None:
    text = "def x := #[1]\n@[simp] private theorem a : 1 = 1 := by rfl\nopen Nat in\nset_option maxRecDepth 9 in\nlemma b : 1 = 1 := by rfl\n"
    a, b = await read(text)
    assert a.theorem.statement == "@[simp] private theorem a : 1 = 1 := by rfl"
    assert b.theorem.statement == "open Nat in\nset_option maxRecDepth 9 in\ntheorem b : 1 = 1 := by rfl"
    assert a.theorem.header == "def x := #[1]\n"


@one_loop
async def test_an_attribute_of_a_definition_belongs_to_no_theorem_after_it(read: Reading) -> None:
    text = '@[simp] def f := 1\ndef x := #[1]\ntheorem a : 1 = 1 := rfl\nopen Nat\nlocal notation "x" => 1 in\ntheorem b : 1 = 1 := rfl'
    a, b = await read(text)
    assert a.theorem.header == "@[simp] def f := 1\ndef x := #[1]\n"
    assert b.theorem.statement == 'local notation "x" => 1 in\ntheorem b : 1 = 1 := rfl'


# ---- names, proofs, imports


@one_loop
async def test_theorems_are_called_by_their_full_names(read: Reading) -> None:
    text = (
        "theorem a : p := q\nnamespace X\ntheorem a : p := q\nprivate lemma b.c : p := q\ntheorem _root_.d : p := q\n"
        "example : 1 = 1 := rfl\nend X\nnamespace «X.a»\ntheorem a : p := q\n"
    )
    assert [p.name for p in await read(text)] == ["a", "X.a", "X.b.c", "d", "example (line 6)", "«X.a».a"]


@one_loop
async def test_an_example_is_a_theorem_unless_it_is_one_of_data(read: Reading) -> None:
    text = "example : Nat := 5\nexample (n : Nat) : n = n := rfl\nexample := 5\nexample : 1 = 2 := by sorry\n"
    found = await read.verdicts(text)
    assert list(found) == ["example (line 2)", "example (line 4)"]
    assert [bool(reason) for reason in found.values()] == [False, True]


@one_loop
@pytest.mark.parametrize(
    ("text", "proof"),
    [
        ("theorem t : 1 = 1 := by rfl", ":= by rfl"),
        ("theorem t : 1 = 1 := rfl", ":= rfl"),
        ("theorem t : 1 = 1\n  := by\n  rfl", ":= by\n  rfl"),
        ("theorem t (x : Nat := 5) : x = x := by rfl", ":= by rfl"),
        ("theorem t (h : x = 5 := by rfl) : x = 5 := h", ":= h"),
        ("theorem t : let x := 5; x = 5 := by rfl", ":= by rfl"),
        ("theorem t : 1 = 1 := by /- := by sorry -/ rfl", ":= by /- := by sorry -/ rfl"),
        ("theorem t : ∀ n : Nat, n = n\n  | 0 => rfl\n  | _ + 1 => rfl", "| 0 => rfl\n  | _ + 1 => rfl"),
        ("theorem t : ∀ n : Nat, n = n | 0 => rfl | _ + 1 => rfl", "| 0 => rfl | _ + 1 => rfl"),
        ("theorem t : (a\n  || b) = a || b := by simp", ":= by simp"),
        ("theorem t :\n  match n with\n  | 0 => True\n  | _ => True := by simp", ":= by simp"),
        ("theorem t : p ↔ q where\n  mp := f\n  mpr := g", "where\n  mp := f\n  mpr := g"),
        ("theorem t : 1 = 1 := by\n  exact f\nwhere\n  f := rfl", ":= by\n  exact f\nwhere\n  f := rfl"),
        ("theorem t : 1 = 1 := by\n  exact f\ntermination_by n\n#check t", ":= by\n  exact f\ntermination_by n"),
        ("theorem t : 1 = 1 :=\n@foo x\n\n@[simp] def y := 1", ":=\n@foo x"),
        ("  theorem t : 1 = 1 := rfl\n  open Nat", ":= rfl"),
        ("theorem t : 1 = 1 := by\n  open Nat in\n  rfl", ":= by\n  open Nat in\n  rfl"),
        ("lemma t : 1 = 1 := rfl\ndef f := 1", ":= rfl"),
    ],
)
async def test_a_proof_is_what_follows_its_statement(read: Reading, text: str, proof: str) -> None:
    assert [(p.name, p.refusal, p.proof.strip()) for p in await read(text)] == [("t", "", proof)]


@one_loop
async def test_a_proof_keeps_its_columns(read: Reading) -> None:
    (found,) = await read("theorem t : p := by constructor\n                    · rfl\n")
    assert found.proof == "              := by constructor\n                    · rfl"


@one_loop
@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("def x := 1\n", "no proofs"),
        ("import Mathlib.Tactic\n\ntheorem a : 1 = 1 := by rfl\n", "Mathlib.Tactic, but the embedded Lean"),
        ("/- c -/ module\npublic import all Foo\ntheorem a : 1 = 1 := by rfl\n", "imports Foo"),
    ],
)
async def test_a_lean_file_that_cannot_be_read_is_bad_input(read: Reading, text: str, hint: str) -> None:
    with pytest.raises(BadInput, match=hint):
        await read(text)


@one_loop
async def test_the_librarys_own_import_is_no_obstacle(read: Reading) -> None:
    text = "import Init\npublic import Init.Data.Nat\n\ntheorem a : 1 = 1 := by rfl\n"
    assert [(p.name, p.proof, p.theorem.header) for p in await read(text)] == [("a", ":= by rfl", None)]


@one_loop
async def test_words_of_comments_and_texts_are_no_commands(read: Reading) -> None:
    text = (
        'def x := "\nimport Mathlib\ntheorem y : 1 = 2"\n/- import Mathlib\ntheorem z : 1 = 2 -/\n'
        'lemma a : "in lemma".length = 8 := by decide\n'
    )
    (found,) = await read(text)
    assert found.theorem.statement == 'theorem a : "in lemma".length = 8 := by decide'
    assert found.theorem.header == text[: text.index("\nlemma") + 1]
