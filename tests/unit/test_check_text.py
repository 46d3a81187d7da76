"""What is decided about proofs without Lean: early refusals, the verdict on facts, and reading files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from burnqed.errors import BadInput
from burnqed.lean.check import MOST_CHARACTERS, judge, screen
from burnqed.lean.commands import Commands
from burnqed.lean.embedded.advice import import_refusal
from burnqed.lean.facts import Message, ProofFacts
from burnqed.lean.lexer import Kind, tokens
from burnqed.lean.proofs import introductions, read_json, tactics
from burnqed.lean.protocol import Theorem
from burnqed.lean.source import cut

THEOREM = Theorem(name="t", statement="1 = 1")
GOOD = ProofFacts(
    header_errors=[],
    statement_errors=[],
    refused="",
    commands=1,
    messages=[Message(severity="info", line=1, column=0, text="Try this: rfl")],
    tactic_block_only=True,
    objection="",
    could_not_check=False,
    axioms=["Classical.choice", "Quot.sound", "propext"],
    library=12,
)


def words(source: str) -> list[str]:
    return [token.text for token in tokens(source) if token.kind is Kind.WORD]


# ---- the verdict


def test_facts_that_speak_for_a_proof_are_accepted_with_the_standard_axioms_named() -> None:
    verdict = judge(THEOREM, GOOD)
    assert verdict.accepted
    assert verdict.reason == ""
    assert verdict.axioms == ["Classical.choice", "Quot.sound", "propext"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"header_errors": ["line 1: unknown identifier"]}, "header"),
        ({"statement_errors": ["unknown identifier\nmore"]}, "statement"),
        ({"refused": "`run_tac` runs code of its own"}, "run_tac"),
        ({"commands": 2}, "does not end"),
        ({"commands": 0}, "does not end"),
        ({"messages": [Message(severity="error", line=3, column=0, text="unsolved goals\n⊢ False")]}, "line 3"),
        ({"objection": "it, or something it uses, contains `sorry`"}, "sorry"),
        ({"axioms": ["sorryAx"]}, "axioms"),
        ({"axioms": ["«propext»"]}, "axioms"),
    ],
)
def test_any_single_fact_against_a_proof_refuses_it_with_one_sentence(change: dict[str, object], reason: str) -> None:
    verdict = judge(THEOREM, GOOD.model_copy(update=change))
    assert not verdict.accepted
    assert reason in verdict.reason
    assert "\n" not in verdict.reason
    assert not verdict.could_not_check


TIMEOUT = "(deterministic) timeout at `whnf`, maximum number of heartbeats"


@pytest.mark.parametrize(
    "change",
    [
        {"messages": [Message(severity="error", line=1, column=0, text=TIMEOUT)]},
        {"statement_errors": [TIMEOUT]},
        {"header_errors": [f"line 1: {TIMEOUT}"]},
    ],
)
def test_running_out_of_heartbeats_is_not_said_to_be_wrong(change: dict[str, object]) -> None:
    verdict = judge(THEOREM, GOOD.model_copy(update=change))
    assert (verdict.accepted, verdict.could_not_check) == (False, True)


# ---- early refusals


@pytest.mark.parametrize(
    ("proof", "reason"),
    [
        ("", "empty"),
        (" \n -- rfl\n/- rfl -/", "empty"),
        ("rfl /- and", "comment"),
        ("rfl /- /- -/", "comment"),
        ('trace "and', "text"),
        ('trace r#"and"', "text"),
        ("rfl\naxiom x : False", "axiom"),
        ("rfl theorem x : 1 = 1 := rfl", "theorem"),
        ("rfl\n#eval 1", "#eval"),
        ("exact unsafe x", "unsafe"),
        ("rfl\0", "U+0000 NULL in line 1"),
        ("rfl\n-- \u202e", "U+202E RIGHT-TO-LEFT OVERRIDE in line 2"),
    ],
)
def test_what_text_alone_shows_is_refused_before_lean_runs(proof: str, reason: str) -> None:
    found = screen(THEOREM, proof)
    assert found is not None
    assert reason in found


@pytest.mark.parametrize(
    ("header", "module"),
    [
        ("import Mathlib\n", "Mathlib"),
        ("/- import Foo -/\npublic import Mathlib.Data.Nat.Basic -- so\nopen Nat", "Mathlib.Data.Nat.Basic"),
        ("open Nat\nimport all Std", "Std"),
        ('-- import Mathlib\ndef important := (e).import\ndef «import Foo» := "import Foo"', None),
        ("import", None),
        (None, None),
    ],
)
def test_a_header_that_imports_is_told_what_there_is(header: str | None, module: str | None) -> None:
    way = f"The header imports {module}, but the embedded Lean has only its core library Init; remove the import."
    assert import_refusal(header) == (way if module else "")


@pytest.mark.parametrize(
    "proof",
    [
        "sorry",  # Lean decides: it may stand in a branch that is never taken
        "intro axiom_h\nexact axiom_h",
        "exact Foo.theorem.instance",
        "exact (e).prefix",
        "exact «axiom»",
        "exact ``axiom",
        'trace "axiom /- theorem"',
        'trace s!"{"axiom"} {x} /-"',
        'trace r#"a "theorem" b"#',
        "exact '\"'",
        "exact h'\n-- axiom",
        "/- theorem -/ rfl",
        "open Nat in\nset_option maxRecDepth 100 in\nrfl",
        "exact f\nwhere\n  f := rfl\ntermination_by n\ndecreasing_by omega",
        "instantiate only [#eaf3]",
    ],
)
def test_what_only_looks_like_a_command_is_left_to_lean(proof: str) -> None:
    assert screen(THEOREM, proof) is None


def test_the_lexer_knows_where_comments_texts_and_names_end() -> None:
    assert words("a.b «c d».e f' g? h₁ -- i\nj") == ["a.b", "«c d».e", "f'", "g?", "h₁", "j"]
    assert words('x "y \\" z" w') == ["x", "w"]
    assert words("a /- b /- c -/ d -/ e") == ["a", "e"]
    assert words("(fun x => x) 'a' '\\n' '\\'' b") == ["fun", "x", "x", "b"]
    assert words('s!"{f "}"} g" h') == ["h"]
    assert [token.text for token in tokens("a:=b")] == ["a", ":", "=", "b"]


def test_texts_within_texts_end_where_they_end_however_deep_they_are() -> None:
    deep = 's!"{' * 50_000 + "1" + '}"' * 50_000
    assert words(f"a {deep} b") == ["a", "b"]
    assert [token.kind for token in tokens(deep[:-1])] == [Kind.UNFINISHED]
    assert words('s!"a { {x} {s!"b {c} }} /-"} } d" e') == ["e"]
    assert screen(THEOREM, f"exact ({deep}).length_eq") is None


def test_a_text_that_is_too_long_to_be_one_is_refused_before_it_is_read() -> None:
    long = THEOREM.model_copy(update={"header": "a" * (MOST_CHARACTERS + 1)})
    assert "The header has 4194305 characters" in (screen(long, "rfl") or "")
    assert "The proof has 4194305 characters" in (screen(THEOREM, "a" * (MOST_CHARACTERS + 1)) or "")


def test_tokens_give_back_the_whole_text() -> None:
    source = 'theorem «a b» : x = "q" := by /- c -/ exact s!"{1}" -- d\n'
    found = list(tokens(source))
    assert all(source[token.start : token.end] == token.text for token in found)
    assert "".join(token.text for token in found).replace(" ", "") == source.replace(" ", "").replace("\n", "")


# ---- JSON files


def write(folder: Path, content: object, name: str = "proofs.json") -> Path:
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def test_a_json_list_is_read_in_its_order_with_every_proof_as_it_stands(tmp_path: Path) -> None:
    entries = [
        {"name": "a", "statement": "1 = 1", "proof": "rfl", "status": "proved"},
        {"name": "b", "statement": "1 = 1", "proof": ":= by\n  rfl", "header": "def x := 1"},
        {"name": "c", "statement": "1 = 1", "proof": "by rfl", "header": None},
        {"name": "a", "statement": "p → p", "proof": "fun h => h"},
    ]
    read = read_json(write(tmp_path, entries))
    assert [p.theorem.name for p in read] == ["a", "b", "c", "a"]
    assert [p.proof for p in read] == ["rfl", ":= by\n  rfl", "by rfl", "fun h => h"]
    assert [p.theorem.header for p in read] == [None, "def x := 1", None, None]


def test_a_byte_order_mark_and_the_line_ends_of_windows_are_nobodys_fault(tmp_path: Path) -> None:
    entry = {"name": "a", "statement": "1 =\r\n 1", "proof": "\ufeffby\r\n  rfl", "header": "\ufeffopen Nat\r\n"}
    (read,) = read_json(write(tmp_path, "\ufeff" + json.dumps([entry])))
    assert (read.theorem.statement, read.proof, read.theorem.header) == ("1 =\n 1", "by\n  rfl", "open Nat\n")


@pytest.mark.parametrize(
    ("proof", "may_follow", "as_tactics"),
    [
        ("intro n\nomega", [":= by", ":="], "intro n\nomega"),
        ("by_cases h : p", [":= by", ":="], "by_cases h : p"),
        ("fun h => h", [":= by", ":="], "fun h => h"),
        ("by rfl", [":="], "rfl"),
        ("-- so\nby\n  rfl", [":="], "-- so\nby\n  rfl"),
        (":= by\n  rfl", [""], "  rfl"),
        (":= rfl", [""], "exact rfl"),
        ("| 0 => rfl\n| _ + 1 => rfl", [""], "exact fun\n| 0 => rfl\n| _ + 1 => rfl"),
        ("where\n  mp := id", [""], "exact fun\nwhere\n  mp := id"),
    ],
)
def test_what_can_introduce_a_proof_is_seen_by_its_first_words(
    proof: str, may_follow: list[str], as_tactics: str
) -> None:
    assert introductions(proof) == may_follow
    if "where" not in proof and "--" not in proof:
        assert tactics(proof) == as_tactics


@pytest.mark.parametrize(
    ("content", "hints"),
    [
        ("", ["not JSON", "line 1"]),
        ('[{"name": "a",\n]', ["not JSON", "line 2"]),
        ("{}", ["an object", "JSON list"]),
        ("[]", ["no proofs"]),
        ("[3]", ["Entry 1", "3"]),
        (
            [{"name": "a", "statement": "1 = 1", "proof": "rfl"}, {"name": "b", "statement": "1 = 1"}],
            ["Entry 2", "(b)", "no `proof`"],
        ),
        ([{"statement": "1 = 1", "proof": "rfl"}], ["Entry 1", "no `name`"]),
        ([{"name": "a", "statement": " ", "proof": "rfl"}], ["(a)", "an empty text", "`statement`"]),
        ([{"name": "a", "statement": "1 = 1", "proof": None}], ["(a)", "nothing", "`proof`"]),
        ([{"name": "a", "statement": "1 = 1", "proof": "rfl", "header": 3}], ["(a)", "`header`"]),
        ([{"name": "a", "statement": "1 = 1", "proof": "\ud800"}], ["(a)", "U+D800", "`proof`"]),
        ([{"name": "\udfff", "statement": "1 = 1", "proof": "rfl"}], ["Entry 1", "U+DFFF", "`name`"]),
        ('[{"name": "a", "statement": "True", "statement": "1 = 2", "proof": "trivial"}]', ["`statement` twice"]),
        ("{" + "".join(f'"k{n}": 0, ' for n in range(100_000)) + '"k99999": 0}', ["`k99999` twice"]),
        ('{"a": ' * 100_000, ["cannot be read"]),
        ("[" * 100_000, ["cannot be read"]),
        ("9" * 10_000, ["cannot be read"]),
    ],
)
def test_a_malformed_json_file_is_bad_input_that_says_what_and_where(
    tmp_path: Path, content: object, hints: list[str]
) -> None:
    file = write(tmp_path, content)
    with pytest.raises(BadInput) as error:
        read_json(file)
    assert all(hint in str(error.value) for hint in [*hints, str(file)])


def test_a_file_that_is_absent_or_no_text_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"absent\.json"):
        read_json(tmp_path / "absent.json")
    file = tmp_path / "binary.json"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match=r"binary\.json"):
        read_json(file)


def test_a_file_too_large_to_be_one_is_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("burnqed.lean.proofs.MOST_BYTES", 100)
    with pytest.raises(BadInput, match="split it"):
        read_json(write(tmp_path, [" " * 200]))


# ---- Lean files, of which Lean says where their commands are (tests/integration/test_source.py)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"start": 4},
        {"end": 99},
        {"end": 3},
        {"theorems": [{"name": "t", "written": ["t"], "line": 1, "start": 2, "keyword": 6, "value": 20, "end": 40}]},
        {"theorems": [{"name": "t", "written": ["t"], "line": 1, "start": 7, "keyword": 6, "value": 20, "end": 23}]},
    ],
)
async def test_pieces_that_are_not_the_whole_file_are_nobodys_theorems(change: dict[str, Any]) -> None:
    class Hostile:
        async def commands(self, text: str, *, is_trusted: bool) -> Commands:
            theorem = {"name": "t", "written": ["t"], "line": 1, "start": 6, "keyword": 6, "value": 20, "end": 23}
            command = {"start": 6, "end": 23, "line": 1, "skipped": None, "failure": None, "refused": "", "names": []}
            command |= {"opened": [], "is_block": False, "does_more": False, "theorems": [theorem]} | change
            for theorem in command["theorems"]:
                theorem |= {"is_lemma": False, "is_example": False}
            first = {**command, "start": 1, "end": 5, "theorems": []}
            answer = {"start": 0, "imports": [], "failure": None, "commands": [first, command], "unread": False}
            return Commands.model_validate(answer)

    text = " open theorem t : p := q "
    if not change:
        assert [p.name for p in await cut(text, Hostile())] == ["t"]
    else:
        with pytest.raises(BadInput, match="not the whole file"):
            await cut(text, Hostile())
