"""What Pantograph's REPL is told of a theorem."""

from __future__ import annotations

import pytest

from burnqed.lean.outline import Unreadable
from burnqed.lean.pantograph.scope import scope_of
from burnqed.lean.pantograph.statement import flush, stated, without_imports

ROOTS = frozenset({"Mathlib", "Lean", "Init"})


def test_a_closed_proposition_without_a_header_is_an_expression() -> None:
    told = stated("∀ n : Nat, n = n -- trivial\n", "")
    assert (told.expression, told.text, told.scope) == ("∀ n : Nat, n = n", "", "")


def test_a_closed_proposition_with_a_header_becomes_a_theorem() -> None:
    told = stated("∀ n : ℕ, n = n", 'notation "ℕ" => Nat\n')
    assert told.expression == ""
    assert told.text == 'notation "ℕ" => Nat\n\n\ntheorem burnqed_goal : (\n∀ n : ℕ, n = n\n) := sorry\n'


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (
            "theorem add_comm (a b : Nat) : a + b = b + a := by omega",
            "theorem burnqed_goal (a b : Nat) : a + b = b + a",
        ),
        ("theorem t : let x := 1; x = 1 := by\n  rfl", "theorem burnqed_goal : let x := 1; x = 1"),
        ("theorem t.{u} (α : Sort u) : α = α", "theorem burnqed_goal.{u} (α : Sort u) : α = α"),
        ("lemma t (h : 1 = 1 := rfl) : 2 = 2 :=", "theorem burnqed_goal (h : 1 = 1 := rfl) : 2 = 2"),
        ("example : 1 = 1 := rfl", "theorem burnqed_goal : 1 = 1"),
        ("@[simp] theorem t : 1 = 1 := sorry", "@[simp] theorem burnqed_goal : 1 = 1"),
        ("open Nat in\ntheorem t : succ 0 = 1 := by rfl", "open Nat in\ntheorem burnqed_goal : succ 0 = 1"),
        ("theorem t : ∀ n, f n = n\n  | 0 => rfl\n  | n + 1 => rfl", "theorem burnqed_goal : ∀ n, f n = n"),
        ("theorem «a.b» : 1 = 1", "theorem burnqed_goal : 1 = 1"),
        (
            "theorem t : 2 = match 1 with\n  | 0 => 1\n  | _ => 2 := by decide",
            "theorem burnqed_goal : 2 = match 1 with\n  | 0 => 1\n  | _ => 2",
        ),
    ],
)
def test_a_theorem_gets_a_name_of_its_own_and_loses_its_proof(statement: str, text: str) -> None:
    """Its own name may exist in the library."""
    assert stated(statement, "").text == f"\n\n{text} := sorry\n"


def test_a_theorem_in_a_namespace_stays_there_and_so_do_its_tactics() -> None:
    told = stated("theorem Nat.Foo.t : succ 0 = 1", "")
    assert told.text == "\n\ntheorem Nat.Foo.burnqed_goal : succ 0 = 1 := sorry\n"
    assert told.namespace == "open Nat Nat.Foo in\n"
    assert stated("theorem _root_.t : 1 = 1", "").namespace == ""


@pytest.mark.parametrize("statement", ["def f := 1", "#eval 1", "open Nat", 'notation "x" => 1'])
def test_what_states_nothing_cannot_be_started(statement: str) -> None:
    with pytest.raises(Unreadable, match="not a theorem"):
        stated(statement, "")


def test_tactics_see_what_the_header_opens_and_sets() -> None:
    header = (
        'set_option maxRecDepth 1000\nopen BigOperators Real Nat\nopen Topology (nhds) -- for limits\nnotation "ℕ" => Nat\n'
        "section\nopen Set\nend\nnamespace A.B\nvariable (n : Nat)\nnoncomputable section\nopen Finset in\ndef f := 1\nopen Filter\n"
    )
    assert scope_of(header) == (
        "set_option maxRecDepth 1000 in\nopen BigOperators Real Nat in\nopen Topology (nhds) in\nopen A in\nopen A.B in\nopen Filter in\n"
    )
    assert scope_of("") == scope_of("/-- open Nat -/\ndef open_ := 1\n") == ""


def test_imports_of_what_is_there_are_left_out_and_others_refused() -> None:
    header = "/- import Foo -/\nimport Mathlib\nimport Mathlib.Tactic.Ring\n\nopen Real\n"
    left = without_imports(header, ROOTS)
    assert left.count("\n") == header.count("\n")
    assert left.split() == ["open", "Real"]
    for wrong in ("import Mathlib\nimport Project.Basic\n", "public import all Project\n"):
        with pytest.raises(Unreadable, match="imports Project"):
            without_imports(wrong, ROOTS)


@pytest.mark.parametrize(
    ("tactic", "asked"),
    [
        ("  intro x\n  simp", "intro x\nsimp"),
        ("\n\tcases h\n\t· simp\n\n\t· rfl\n", "cases h\n· simp\n\n· rfl"),
        (
            "induction n with\n  | zero => rfl\n  | succ n ih => simp",
            "induction n with\n  | zero => rfl\n  | succ n ih => simp",
        ),
        ("  intro x\nsimp", "  intro x\nsimp"),
        ("", ""),
    ],
)
def test_a_tactic_begins_its_line(tactic: str, asked: str) -> None:
    assert flush(tactic) == asked


@pytest.mark.parametrize(
    ("header", "scope"),
    [
        ("open Nat open List\n", "open Nat in\nopen List in\n"),
        ("section\n  open scoped Nat\n", "open scoped Nat in\n"),
        ("   open Nat", "open Nat in\n"),
        ('open Nat hiding succ\nlocal notation "x" => 1\n', "open Nat hiding succ in\n"),
        ("open List in\nopen Nat\n", ""),
        ("namespace «a.b»\n", "open «a.b» in\n"),
        ("namespace Nat.Foo\nend Foo\n", "open Nat in\n"),
        ("namespace Nat\nnamespace Foo\nend Nat.Foo\n", ""),
        ("namespace A\nnamespace B\n", "open A in\nopen A.B in\n"),
        ("def f := by open Nat in exact 1\nset_option pp.all true\n", "set_option pp.all true in\n"),
    ],
)
def test_headers_are_written_in_many_ways(header: str, scope: str) -> None:
    assert scope_of(header) == scope


def test_tactics_see_what_is_opened_for_the_theorem_alone() -> None:
    told = stated("open Nat in\nset_option maxRecDepth 99 in\ntheorem t : succ 0 = 1", "open List\n")
    assert told.scope == "open List in\nopen Nat in\nset_option maxRecDepth 99 in\n"


@pytest.mark.parametrize(
    ("statement", "header", "why"),
    [
        ("1 = 2", "theorem a : True := by admit\n#exit\n", "a header that uses admit"),
        ("1 = 2", "#exit\n", "a header that uses #exit"),
        ("1 = 2", "open Nat in\n", "ends in the middle of a command"),
        ("True) ∨ (False", "open Nat\n", "brackets that do not match"),
    ],
)
def test_a_header_or_statement_that_would_state_something_else_is_refused(
    statement: str, header: str, why: str
) -> None:
    with pytest.raises(Unreadable, match=why):
        stated(statement, header)
