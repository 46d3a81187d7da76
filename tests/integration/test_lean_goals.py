"""Proof states of the embedded Lean: what a tactic does, and the kinds of failure apart from each other."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from burnqed.lean.check import judge
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.facts import ProofFacts
from burnqed.lean.protocol import Outcome, ProofState, TacticStatus, Theorem
from burnqed.lean.repl import repl
from tests.fixtures.endless import ENDLESS

pytestmark = pytest.mark.asyncio(loop_scope="session")

COMMUTES = Theorem(name="commutes", statement="∀ a b : Nat, a + b = b + a")


async def start(lean: EmbeddedLean, statement: str, header: str | None = None) -> ProofState:
    outcome = await lean.start(Theorem(name="t", statement=statement, header=header))
    assert outcome.state is not None, outcome.message
    return outcome.state


async def walk(lean: EmbeddedLean, state: ProofState, *tactics: str) -> ProofState:
    for tactic in tactics:
        outcome = await lean.apply(state, tactic)
        assert outcome.state is not None, f"{tactic}: {outcome.message}"
        state = outcome.state
    return state


async def test_a_statement_is_the_goal_and_a_tactic_changes_it(lean: EmbeddedLean) -> None:
    root = await start(lean, COMMUTES.statement, header="")
    assert root.goals == ("⊢ ∀ (a b : Nat), a + b = b + a",)
    state = await walk(lean, root, "intro a b")
    assert state.text == "a b : Nat\n⊢ a + b = b + a"
    assert (await walk(lean, state, "omega")).is_solved


async def test_a_full_theorem_keeps_its_binders_and_loses_its_proof(lean: EmbeddedLean) -> None:
    root = await start(lean, "theorem foo (a b : Nat) (h : a = b) : b = a := by\n  nonsense", header="")
    assert root.text == "a b : Nat\nh : a = b\n⊢ b = a"
    assert (await walk(lean, root, "exact h.symm")).is_solved


@pytest.mark.parametrize(
    "statement",
    [
        "theorem foo (a : Nat) : a = a",
        "theorem foo (a : Nat) : a = a :=",
        "theorem foo (a : Nat) : a = a := by",
        "lemma foo (a : Nat) : a = a := by sorry",
        "example (a : Nat) : a = a := rfl",
        "@[simp] private theorem Nat.foo (a : Nat) : a = a := rfl",
        "/-- said before -/\ntheorem foo (a : Nat) : a = a",
        "open Nat in\ntheorem foo (a : Nat) : a = a",
        "theorem Nat.add_comm (a : Nat) : a = a",
    ],
)
async def test_forms_of_a_full_theorem(lean: EmbeddedLean, statement: str) -> None:
    assert (await start(lean, statement, header="")).text == "a : Nat\n⊢ a = a"


async def test_the_namespace_of_a_theorems_name_is_open_in_its_proof(lean: EmbeddedLean) -> None:
    root = await start(lean, "theorem List.mine (xs : List Nat) : xs.length = length xs")
    assert (await walk(lean, root, "exact (rfl : length xs = _)")).is_solved


async def test_definitions_and_notations_of_the_header(lean: EmbeddedLean) -> None:
    header = 'def double (n : Nat) : Nat := n + n\nnotation "ℕ" => Nat\n'
    root = await start(lean, "∀ n : ℕ, double n = 2 * n", header)
    assert (await walk(lean, root, "intro n", "unfold double", "omega")).is_solved


@pytest.mark.parametrize(
    ("statement", "header", "message"),
    [
        ("List.nonsense = 1", "", "List.nonsense"),
        ("1 +", "", "unexpected end after `+`"),
        ("Nat", "", "not a proposition"),
        ("def foo : Nat := 1", "", "not a theorem"),
        ("True) := trivial\ntheorem second : (True", "", "command"),
        ("True /-", "", "unterminated comment"),
        ("1 = 1", "nonsense", "The header does not elaborate"),
    ],
)
async def test_what_does_not_elaborate_is_an_error(
    lean: EmbeddedLean, statement: str, header: str, message: str
) -> None:
    outcome = await lean.start(Theorem(name="t", statement=statement, header=header))
    assert outcome.status is TacticStatus.ERROR
    assert message in outcome.message


async def test_a_refused_tactic_leaves_the_state_as_it_was(lean: EmbeddedLean) -> None:
    state = await walk(lean, await start(lean, COMMUTES.statement), "intro a b")
    for tactic in (
        "rw [Nat.mul_comm]",
        "exact nonsense",
        "simp [[[",
        "linarith",
        "constructor",
        "have : a = b := by omega",
    ):
        outcome = await lean.apply(state, tactic)
        assert (outcome.status, outcome.state) == (TacticStatus.ERROR, None), tactic
        assert outcome.message
    assert (await walk(lean, state, "exact Nat.add_comm a b")).is_solved


@pytest.mark.parametrize(
    "tactic",
    [
        "sorry",
        "admit",
        "exact sorry",
        "have : 1 = 2 := sorry",
        "first | sorry | rfl",
        "exact sorryAx _ false",
        "all_goals sorry",
        "native_decide",
        "decide +native",
        "exact Lean.ofReduceBool _ _ rfl",
        "run_tac pure ()",
        "rfl\n#eval 1",
        "rfl\ntheorem other : 1 = 2 := sorry",
        "rfl /-",
        "rfl\nwhere x := 1",
        "",
        "-- nothing",
        "set_option debug.skipKernelTC true in rfl",
        "exact t",
    ],
)
async def test_tactics_that_prove_nothing_are_errors(lean: EmbeddedLean, tactic: str) -> None:
    outcome = await lean.apply(await start(lean, "theorem t : 10 * 10 = 100", header=""), tactic)
    assert outcome.status is TacticStatus.ERROR, outcome


async def test_goals_of_branches_are_told_apart(lean: EmbeddedLean) -> None:
    """Branches from one state give their goals equal names within Lean."""
    root = await start(lean, "1 < 2")
    branches = [await walk(lean, root, f"have : {n} = {n} := ?_") for n in (5, 6)]
    assert [(await walk(lean, branch, "decide")).text for branch in branches] == [
        "case refine_1\n⊢ 5 = 5",
        "case refine_1\n⊢ 6 = 6",
    ]


async def test_of_what_a_tactic_traces_as_it_fails_the_headings_are_told(lean: EmbeddedLean) -> None:
    """`grind` writes a hundred thousand characters about some failures, and printing them takes several times as long as failing."""
    state = await walk(
        lean, await start(lean, "∀ (P : Nat → Prop), (∀ n, P n → P (n + 2)) → P 0 → P 7"), "intro P h h0"
    )
    outcome = await lean.apply(state, "grind")
    assert outcome.message.startswith("`grind` failed\ncase grind\nP : ℕ → Prop\n")
    assert "[grind] Goal diagnostics" in outcome.message
    assert "Asserted facts" not in outcome.message


async def test_no_goals_with_an_open_hole_is_an_error(lean: EmbeddedLean) -> None:
    root = await start(lean, "∃ n : Nat, n = n")
    outcome = await lean.apply(root, "apply Exists.intro; exact rfl")
    assert outcome.state is None or outcome.state.goals  # the witness is still to be given


@pytest.mark.parametrize(
    ("value", "message"),
    [("fun n => f n", "termination"), ("t", "termination"), ("sorry", "sorryAx")],
)
async def test_a_let_rec_that_proves_nothing_is_an_error(lean: EmbeddedLean, value: str, message: str) -> None:
    root = await start(lean, "theorem t : ∀ n : Nat, n = 0", header="")
    state = await walk(lean, root, f"let rec f : ∀ n : Nat, n = 0 := {value}")
    outcome = await lean.apply(state, "exact f")
    assert outcome.status is TacticStatus.ERROR
    assert message in outcome.message


async def test_heartbeats_and_wall_clock_run_out_each_by_its_name(lean: EmbeddedLean) -> None:
    state = await walk(lean, await start(lean, COMMUTES.statement), "intro a b")
    usual = lean.heartbeats
    try:
        lean.heartbeats = 2_000
        by_heartbeats = await lean.apply(state, ENDLESS)
        lean.heartbeats = 0
        by_clock = await lean.apply(state, ENDLESS, timeout=0.3)
    finally:
        lean.heartbeats = usual
    assert (by_heartbeats.status, by_clock.status) == (TacticStatus.HEARTBEATS, TacticStatus.TIMEOUT)
    assert "maximum number of heartbeats (2000)" in by_heartbeats.message
    assert "no answer within" in by_clock.message
    assert (await walk(lean, state, "omega")).is_solved


async def test_each_tactic_has_heartbeats_of_its_own(lean: EmbeddedLean) -> None:
    lean.heartbeats, usual = 2_000, lean.heartbeats
    try:
        state = await start(lean, COMMUTES.statement)
        await walk(lean, state, "intro a b", *["have : a + b + 1 = b + a + 1 := by omega"] * 12)
    finally:
        lean.heartbeats = usual


LONG = " + ".join(["someName * someName"] * 9)

LET_REC = "let rec f : ∀ n : Nat, 0 + n = n\n  | 0 => rfl\n  | n + 1 => congrArg (· + 1) (f n)"
PROOFS = [
    ("∀ n : Nat, 0 + n = n", ["intro n", "induction n with | zero => ?_ | succ n ih => ?_", "rfl", "omega"]),
    (
        "∀ n : Nat, 0 + n = n",
        ["intro n", "induction n with\n| zero => rfl\n| succ n ih =>\n  rw [← Nat.add_assoc]\n  rw [ih]"],
    ),
    (
        "∀ p q : Prop, p ∨ q → q ∨ p",
        ["intro p q h", "cases h with | inl h => ?_ | inr h => ?_", "exact Or.inr h", "exact Or.inl h"],
    ),
    (
        "∀ p q : Prop, p ∧ q → q ∧ p",
        ["intro p q h", "obtain ⟨a, b⟩ := h", "constructor", "case right => exact a", "exact b"],
    ),
    ("∀ p q : Prop, p ∧ q → q ∧ p", ["intro p q ⟨a, b⟩", "refine ⟨?_, ?_⟩", "· exact b", "next => exact a"]),
    ("∃ n : Nat, n * n = 49", ["refine ⟨?n, ?_⟩", "case n => exact 7", "rfl"]),
    ("∃ n : Nat, n * n = 49", ["constructor", "show 7 * 7 = 49", "decide"]),
    ("∀ a b : Nat, a = b → b = a", ["intro a b h", "open Eq in exact symm h"]),
    ("∀ a b : Nat, a + b = b + a", ["intro a b", "set_option maxRecDepth 1000 in simp [Nat.add_comm]"]),
    (
        "∀ a b c : Nat, a < b → b < c → a < c",
        ["intro a b c h₁ h₂", "apply Nat.lt_trans", "all_goals first | exact h₁ | exact h₂"],
    ),
    ("∀ p q : Prop, p → q → p ∧ q ∧ p", ["intro p q hp hq", "refine ⟨hp, ?_⟩", "constructor <;> assumption"]),
    ("∀ xs : List Nat, (xs ++ []).length = xs.length", ["intro xs", "have h : xs ++ [] = xs := by\n  simp", "rw [h]"]),
    ("∀ a b : Nat, a ≤ b → a < b + 1", ["intro a b h", "exact?"]),
    ("∀ f : Nat → Nat, (∀ x, f x = x) → f (f 2) = 2", ["intro f h", "rw [h, h]"]),
    ("∀ n : Nat, n = 0 ∨ n > 0", ["intro n", "rcases n with _ | n", "left; rfl", "right", "exact Nat.succ_pos n"]),
    ("∀ s : String, s = s", ['have : "two\nlines".length = 9 := by decide', "intro s", "rfl"]),
    ("∀ n : Nat, 0 + n = n", [LET_REC + "\nexact f"]),
    ("∀ n : Nat, 0 + n = n", ["intro k", LET_REC, "exact f k"]),
    (
        "∃ m n : Nat, m + n = 5 ∧ n = 2",
        ["refine ⟨?m, ?n, ?sum, ?two⟩", "case n => exact 2", "case two => rfl", "case m => exact 3", "rfl"],
    ),
    (
        "∀ p q r : Prop, p → q → r → p ∧ q ∧ r",
        ["intro p q r a b c", "refine ⟨?_, ?_, ?_⟩", "rotate_left", "exact b", "exact c", "exact a"],
    ),
    ("∀ n : Nat, n = n ∧ 0 + n = n", ["intro n", "constructor", "all_goals generalize h : n = m", "rfl", "omega"]),
    (
        "∀ xs : List Nat, xs[0]? = xs.head? ∧ xs = xs",
        ["intro xs", "constructor", "cases xs with | nil => ?_ | cons x rest => ?_", "rfl", "rfl", "rfl"],
    ),
    ("∃ f : Nat → Nat, f 3 = 3", ["refine ⟨?f, ?same⟩", "case f => exact fun n => n", "rfl"]),
    (
        "∀ (n : Nat) (h : n < 3), (⟨n, by omega⟩ : Fin 5) = ⟨n, by omega⟩ ∧ n < 9",
        ["intro n h", "constructor", "rfl", "omega"],
    ),
    # What is assigned here is shown nowhere, and still decides how the other goal is printed: with `h1 h2 : …` on one line.
    (
        "∀ (p : Prop) [inst : Decidable p], ∃ d : Decidable p, ((@ite Nat p d 1 0) = 1) → ((@ite Nat p inst 1 0) = 1) → True",
        ["intro p inst", "refine ⟨?d, ?h⟩", "rotate_left", "intro h1 h2", "case d => exact inst", "trivial"],
    ),
    ("∀ n : Nat, n = n ∧ n < n + 1", ["intro n", "constructor", "case' left => skip", "rfl", "omega"]),
    ("∀ n : Nat, n = n ∧ n < n + 1", ["intro n; let m := n", "constructor", "rfl", "exact Nat.lt_succ_self m"]),
    # New targets beside hypotheses that stay: their texts are kept.
    ("∀ n : Nat, n = 0 → ∀ n : Nat, 0 + (0 + n) = n", ["intro n h n", "rw [Nat.zero_add]", "rw [Nat.zero_add]"]),
    (
        "∀ «a b» n : Nat, «a b» = n → 0 + (0 + n) = «a b»",
        ["intro «a b» n h", "rw [Nat.zero_add]", "rw [Nat.zero_add, h]"],
    ),
    (f"∀ someName : Nat, 0 + (0 + ({LONG})) = {LONG}", ["intro someName", "rw [Nat.zero_add]", "rw [Nat.zero_add]"]),
    (
        f"∀ someName : Nat, {LONG} = 5 → 0 + (0 + ({LONG})) = 5",
        ["intro someName h", "rw [Nat.zero_add]", "rw [Nat.zero_add]", "exact h"],
    ),
    (
        "∀ n : Nat, 0 + n = n + 0",
        [
            "intro n",
            "induction n with | zero => ?_ | succ «n m» ih => ?_",
            "show 0 = 0 + 0",
            "rfl",
            "rw [Nat.add_zero] at ih",
            "rw [Nat.add_zero]",
            "rw [← Nat.add_assoc]",
            "rw [ih]",
        ],
    ),
    (
        "∀ (p : Nat → Prop), (∀ x, p (x + 1) → p x) → (∀ x, p (x + 2) → p x) → p 5 → p 0",
        ["intro p h1 h2 h", "apply h1", "apply h2", "apply h2", "exact h"],
    ),
    (
        "∀ n : Nat, ∃ m k : Nat, m + k + 0 = n",
        ["intro n", "refine ⟨?m, ?«a k», ?sum⟩", "rotate_right", "rw [Nat.add_zero]", "exact Nat.zero_add n"],
    ),
    (
        "∀ n : Nat, n + 0 = n ∧ n + 0 = n",
        ["intro n", "let m := n + 0", "constructor", "change m = n", "rfl", "rw [Nat.add_zero]"],
    ),
    ("theorem by_calc (a b c : Nat) (h : a = b) (k : b = c) : a = c", ["calc a = b := h\n  _ = c := k"]),
]


@pytest.mark.parametrize(("statement", "tactics"), PROOFS, ids=[f"{s[:30]} {t[-1][:20]}" for s, t in PROOFS])
async def test_the_tactics_of_a_search_joined_by_newlines_are_a_proof(
    lean: EmbeddedLean, statement: str, tactics: list[str]
) -> None:
    theorem = Theorem(name="t", statement=statement, header="")
    state = await walk(lean, await start(lean, statement, header=""), *tactics)
    assert state.is_solved
    facts = await lean.facts(theorem, "\n".join(tactics))
    assert isinstance(facts, ProofFacts)
    assert judge(theorem, facts).accepted, facts


async def test_the_kernel_checks_whatever_is_asked(lean: EmbeddedLean) -> None:
    """`decide +kernel` leaves the work to the kernel: with the option obeyed, `1 = 2` would be a theorem."""
    option = "set_option debug.skipKernelTC true\n"
    facts = await lean.facts(Theorem(name="t", statement="1 = 2", header=option), "decide +kernel")
    assert isinstance(facts, ProofFacts)
    assert facts.errors
    facts = await lean.facts(
        Theorem(name="t", statement="1 = 1", header=option + "theorem bad : 1 = 2 := by decide +kernel"), "rfl"
    )
    assert isinstance(facts, ProofFacts)
    assert facts.header_errors


async def test_a_released_search_is_gone(lean: EmbeddedLean) -> None:
    before = await lean.stats()
    root = await start(lean, COMMUTES.statement)
    state = await walk(lean, root, "intro a b")
    during = await lean.stats()
    assert (during["states"], during["searches"]) == (before["states"] + 2, before["searches"] + 1)
    await lean.release(root)
    after = await lean.stats()
    assert (after["states"], after["searches"]) == (before["states"], before["searches"])
    outcome: Outcome = await lean.apply(state, "omega")
    assert outcome.status is TacticStatus.ERROR
    assert "released" in outcome.message


async def test_released_searches_leave_no_memory_behind(new_lean: EmbeddedLean) -> None:
    async def search() -> None:
        root = await start(new_lean, COMMUTES.statement)
        state = await walk(new_lean, root, "intro a b")
        for tactic in ("omega", "simp", "induction a with | zero => ?_ | succ a ih => ?_"):
            await new_lean.apply(state, tactic)
        await new_lean.release(root)

    async def heap() -> float:
        return sum(instance["heapMb"] for instance in (await new_lean.stats())["instances"])

    for _ in range(10):
        await search()
    warm = await heap()
    for _ in range(40):
        await search()
    assert await heap() < warm + 8


@pytest.mark.parametrize(
    "command",
    [
        'IO.FS.readFile "/etc/hosts"',
        'IO.FS.writeFile "TARGET" "escaped"',
        'IO.FS.createDirAll "TARGET"',
        'IO.Process.output { cmd := "id" }',
        "IO.Process.getCurrentDir",
    ],
)
async def test_code_that_lean_runs_reaches_no_file_and_no_process(
    lean: EmbeddedLean, tmp_path: Path, command: str
) -> None:
    """Only a header that somebody vouches for can run code at all; and then the sandbox holds."""
    header = "#eval " + command.replace("TARGET", str(tmp_path / "escaped"))
    facts = await lean.facts(Theorem(name="t", statement="True", header=header), "trivial")
    assert isinstance(facts, ProofFacts)
    assert "permission denied" in facts.header_errors[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "found"), [('(← IO.getEnv "PATH")', "none"), ("(Task.spawn fun _ => 1 + 1).get", "2")]
)
async def test_code_that_lean_runs_sees_no_environment_and_is_one_thread(
    lean: EmbeddedLean, command: str, found: str
) -> None:
    header = f"#eval (do throw (IO.userError (toString {command})) : IO Unit)"
    facts = await lean.facts(Theorem(name="t", statement="True", header=header), "trivial")
    assert isinstance(facts, ProofFacts)
    assert facts.header_errors == [f"line 1: {found}"]


async def test_a_session_takes_tactics_back_and_ends_with_a_verdict(lean: EmbeddedLean) -> None:
    lines = [
        "intro a",
        ":undo",
        "nonsense",
        "intro a b",
        ":goals",
        "omega",
        "List.nonsense = 1",
        "1 = 1",
        ":proof",
        "rfl",
        "2 = 2",
        ":quit",
    ]
    output = io.StringIO()
    await repl(lean, io.StringIO("\n".join(lines)), output, COMMUTES.statement)
    said = output.getvalue()
    assert said.startswith("⊢ ∀ (a b : ℕ), a + b = b + a\na : ℕ\n⊢ ∀ (b : ℕ), a + b = b + a\n⊢ ∀ (a b : ℕ)")
    assert "error: unknown tactic" in said
    assert said.count("a b : ℕ\n⊢ a + b = b + a\n") == 2
    assert "error: The statement does not elaborate" in said
    assert said.count("No goals.\nAccepted. Axioms: none.\n") == 2
    assert said.endswith("⊢ 2 = 2\n")


async def test_goals_too_large_to_be_shown_are_an_error_and_lean_goes_on(lean: EmbeddedLean) -> None:
    doubled = '"aaaaaaaa"'
    for _ in range(20):
        doubled = f"(fun s : String => s ++ s) ({doubled})"
    root = await lean.start(Theorem(name="t", statement="∀ s : String, s = s"))
    assert root.state is not None
    outcome = await lean.apply(
        root.state, f"intro s; suffices h : s = {doubled} ∨ s = s from rfl\nsimp only [String.reduceAppend]"
    )
    assert "too large to be shown" in outcome.message
    done = await lean.apply(root.state, "intro s; rfl")
    assert done.state is not None
    assert done.state.goals == ()
