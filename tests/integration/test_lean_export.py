"""Exports of accepted theorems, read by an independent reader and checked by an independent kernel (`tests/second_kernel`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.facts import ProofFacts
from burnqed.lean.protocol import Theorem
from tests.fixtures.crossing_terms import BECAUSE, ONE_IS_ONE
from tests.fixtures.ndjson import GOAL, Text, const
from tests.second_kernel.__main__ import check
from tests.second_kernel.constants import NotAnExport, Refused

one_loop = pytest.mark.asyncio(loop_scope="session")

HEADER = """
universe u
inductive Tree (α : Type u) : Type u
  | leaf : Tree α
  | node : α → List (Tree α) → (Nat → Option (Tree α)) → Tree α
mutual
inductive Even : Nat → Prop
  | zero : Even 0
  | succ (n : Nat) : Odd n → Even (n + 1)
inductive Odd : Nat → Prop
  | succ (n : Nat) : Even n → Odd (n + 1)
end
inductive Vec (α : Type u) : Nat → Type u
  | nil : Vec α 0
  | cons (n : Nat) : α → Vec α n → Vec α (n + 1)
def Vec.length {α : Type u} {n : Nat} : Vec α n → Nat
  | .nil => 0
  | .cons _ _ rest => rest.length + 1
structure Point where
  x : Nat
  y : Nat := 0
  deriving DecidableEq
def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)
"""

PROOFS = {
    "omega": ("theorem t (x y : Int) (h : 2 * x + 3 * y = 7) (k : x - y = 1) : x = 2", "omega"),
    "simp": ("theorem t (xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length", "simp [Nat.add_comm]"),
    "decide": ("theorem t : 2 ^ 10 % 7 = 2 ∧ Nat.gcd 12 18 = 6 ∧ 5 &&& 3 = 1", "decide"),
    "kernel": (
        "theorem t : fib 20 = 6765 ∧ ∀ x : Fin 20, ∀ y : Fin 5, x.val * y.val = y.val * x.val",
        "decide +kernel",
    ),
    "grind": (
        "theorem t (R : Type) [Lean.Grind.CommRing R] (a b : R) : (a + b) ^ 2 = a ^ 2 + 2 * a * b + b ^ 2",
        "grind",
    ),
    "texts": ('theorem t : "abc".length = 3 ∧ "abc" ++ "d" = "abcd" ∧ "a" ≠ "b"', "decide"),
    "quotients and choice": (
        "theorem t (f g : Nat → Nat) (h : ∀ n, f n = g n) : f = g ∧ (f = g ∨ f ≠ g)",
        "exact ⟨funext h, Classical.em _⟩",
    ),
    "induction": (
        "theorem t (α : Type) (n : Nat) (v : Vec α n) : v.length = n",
        "induction v with\n| nil => rfl\n| cons n a rest ih => simp [Vec.length, ih]",
    ),
    "own types": (
        "theorem t (p : Point) (s : Tree Nat) : p = ⟨p.x, p.y⟩ ∧ s = s ∧ Even 2 ∧ (⟨1, 2⟩ : Point) ≠ ⟨2, 1⟩",
        "exact ⟨rfl, rfl, .succ _ (.succ _ .zero), by decide⟩",
    ),
}


async def export_of(lean: EmbeddedLean, statement: str, proof: str, file: Path) -> list[str]:
    """Writes the export of an accepted theorem; the axioms that may be in it."""
    theorem = Theorem(name="t", statement=statement, header=HEADER)
    proof = "\n".join(f"  {line}" for line in proof.split("\n"))
    verdict = await lean.check(theorem, proof, timeout=120, export_to=file)
    assert verdict.accepted, verdict
    return verdict.permitted


@one_loop
@pytest.mark.parametrize("style", PROOFS)
async def test_what_the_judge_accepts_the_second_kernel_accepts(lean: EmbeddedLean, style: str, tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    permitted = await export_of(lean, *PROOFS[style], file)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert any(said.startswith("t: proved") for said in check(lines, permitted))


@one_loop
async def test_an_export_that_is_changed_is_refused(lean: EmbeddedLean, tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    permitted = await export_of(lean, *PROOFS["own types"], file)
    lines = file.read_text(encoding="utf-8").splitlines()
    parsed = [json.loads(line) for line in lines]

    def changed(place: int) -> list[str]:
        return [*lines[:place], json.dumps(parsed[place]), *lines[place + 1 :]]

    tried = 0
    for place, line in enumerate(parsed):
        if not line.keys() & {"thm", "def", "inductive"}:
            continue
        before = json.dumps(line)
        if "inductive" in line:
            for recursor in line["inductive"]["recs"]:
                recursor["k"] = not recursor["k"]
        else:
            content = line.get("thm") or line["def"]
            content["value"] = content["type"]
        with pytest.raises((Refused, NotAnExport)):
            check(changed(place), permitted)
        parsed[place] = json.loads(before)
        tried += 1
    assert tried > 50
    with pytest.raises(Refused, match="not permitted"):
        check(lines, [axiom for axiom in permitted if axiom != permitted[0]])


@one_loop
async def test_no_theorem_of_a_proofs_own_is_exported_as_one_of_the_librarys(
    lean: EmbeddedLean, tmp_path: Path
) -> None:
    """Their names are told apart, however alike they look when somebody writes them down."""
    of_library = ("hint", "_@", "Init", "Hints", 3105228786, "_hygCtx", "_hyg", 3)
    for own in ((*of_library[:4], 3105228787, *of_library[5:]), (*of_library[:2], "Init».«Hints", *of_library[4:])):
        text, file = Text(), tmp_path / "t.ndjson"
        text.theorem(own, ONE_IS_ONE, BECAUSE)
        text.term(const(of_library))
        text.theorem(GOAL, ONE_IS_ONE, const(own))
        lines = "".join(f"{line}\n" for line in text.lines)
        facts = await lean.judge(Theorem(name="t", statement="1 = 1", header=""), lines, export_to=file)
        assert isinstance(facts, ProofFacts), facts
        assert facts.objection == ""
        assert facts.permitted == []
        assert file.read_text(encoding="utf-8").count('{"thm":') == 2
