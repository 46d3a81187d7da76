"""Goals that the embedded Lean prints in parts, for what was printed before is not printed again: each is what Lean prints as a whole."""

from __future__ import annotations

import pytest

from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.facts import ProofFacts
from burnqed.lean.protocol import Theorem
from tests.integration.test_lean_goals import PROOFS

pytestmark = pytest.mark.asyncio(loop_scope="session")

P = "∀ (P : Nat → Prop) (a b : Nat) (h : ∀ n, P n → P (n + a)) (k : P b), P (b + a) ∧ P (b + a)"
LONG = " + ".join(["someVariable"] * 12)
WALKS = {
    "have and let": (P, ["intro P a b h k", "have l : P (b + a) := h b k", "let m := b + a", "have e : m = b + a := rfl", "constructor", "exact l"]),
    "a hypothesis of the type of its neighbour": (P, ["intro P a b h k", "have k' : P b := k", "have c : Nat := 0", "have d : Nat := 1", "clear c", "have c : Nat := 2"]),
    "of the same type behind something else that goes": (
        "∀ (a : Nat) (h : a = 0) (b : Nat), a = b → b = 0", ["intro a h b e", "have c : Nat := a", "clear h", "clear e c"]),
    "taken names": (P, ["intro P a b h k", "have h : P (b + a) := h b k", "have b : Nat := 5", "clear b", "have P : Nat := 1"]),
    "names of bound variables that would be taken": (
        "∀ (n : Nat) (f : Nat → Nat), (∀ m, f m = n + m) → f 0 = n",
        ["intro n f h", "have l : ∀ m, ∃ n', n' = n + m := fun m => ⟨n + m, rfl⟩", "have n_1 : Nat := 3", "have g : ∃ n, n = f 0 + n_1 := ⟨_, rfl⟩", "clear g n_1"],
    ),
    "a bound variable renamed by instantiation": (
        "∀ (n : Nat) (R : Nat → Nat → Prop), (∀ m, ∃ n, R m n) → True",
        ["intro n R h", "have k := h n", "have n_1 : Nat := n", "have k' := h n_1", "have n_2 : Nat := n", "clear k'"],
    ),
    "names that cannot be written": (
        "∀ a b c : Nat, a = b ∧ b = c → a = c ∨ c = a", ["intro a b c h", "cases h", "left", "rename_i x y", "have z := x.trans y", "have : 1 = 1 := rfl", "have : 2 = 2 := rfl"]),
    "branches with names": (
        "∀ n m : Nat, n + m = m + n", ["intro n m", "induction n with | zero => ?_ | succ k ih => ?_", "rotate_left", "have e : k + 1 + m = k + m + 1 := by omega", "rw [e, ih]"]),
    "what only later is known": (
        "∃ n : Nat, ∀ m : Nat, m * n = 0", ["apply Exists.intro", "rotate_left", "have n : Nat := 0", "have f : n = n := rfl", "exact 0", "intro m", "have g : m = m := rfl"]),
    "instances and functions": (
        "∀ {α : Type} [Inhabited α] [DecidableEq α] (f : α → α) (x : α), f x = x → f (f x) = x", ["intro α i j f x h", "have g : f (f x) = f x := congrArg f h", "rw [g]"]),
    "long lines": (
        f"∀ someVariable : Nat, {LONG} = {LONG} + 0 → {LONG} = {LONG}", ["intro someVariable h", f"have k : {LONG} = {LONG} + 0 + 0 := h", "have l := And.intro h k", "clear h"]),
    "moved and generalised": (
        "∀ a b c : Nat, a + b = c → b + a = c", ["intro a b c h", "revert b", "intro x h", "generalize e : x + a = y", "subst h", "have w : y = x + a := e.symm"]),
    "with universes and proofs inside": (
        "∀ (n : Nat) (h : 0 < n) (v : Fin n), v.val < n", ["intro n h v", "have z : (⟨0, h⟩ : Fin n).val = 0 := rfl", "have t := v.isLt", "cases v with | mk i isLt => ?_"]),
}  # fmt: skip
WALKS |= {f"{statement[:30]} {tactics[-1][:20]}": (statement, tactics[:-1]) for statement, tactics in PROOFS}
FALSE = "(7 : Nat) = 8"
IN_PLACE = {  # hypotheses that stand as they were, and yet look otherwise
    "a variable is renamed": ("", "∀ n : Nat, n = 0 → n + 0 = 0", ["intro n h", "rename Nat => m"]),
    "a variable is renamed to what is bound": ("", "∀ n : Nat, (∀ m, m = n) → n + 0 = 0", ["intro n h", "rename Nat => m"]),
    "a variable is renamed in one goal of two": ("", "∀ n : Nat, n = 0 → 3 = 4 ∧ 4 = 5", ["intro n h", "constructor", "case' right => rename Nat => m"]),
    "a variable is renamed in place of another": ("", f"∀ a b : Nat, a = b → {FALSE}", ["intro a b h", "rename Nat => c", "rename Nat => b"]),
    "a constant is hidden": ("", f"∀ n : Nat, id n = 1 → Nat → {FALSE}", ["intro n h", "intro id", "clear id"]),
    "a type is hidden": ("", f"∀ n : Nat, n = 1 → Nat → {FALSE}", ["intro n h", "intro Nat"]),
    "a namespace is hidden": ("", f"∀ l : List Nat, l = List.replicate 3 0 → Nat → {FALSE}", ["intro l h", "intro List"]),
    "a shortened constant is hidden": ("open List", f"∀ l : List Nat, l = replicate 3 0 → Nat → {FALSE}", ["intro l h", "intro replicate"]),
    "a private constant is hidden": ("private def pf (x : Nat) := x", f"∀ x : Nat, pf x = x → Nat → {FALSE}", ["intro x h", "intro pf"]),
    "a hidden constant is no longer": ("", f"∀ (id : Nat → Nat) (n : Nat), _root_.id n = 1 → Nat → {FALSE}", ["intro id n h", "clear id"]),
    "a variable of another type": ("def MyNat := Nat", "∀ (x : MyNat) (h : Nat.succ x = 1), h = h", ["intro x h", "unfold MyNat at x"]),
    "types that differ in bound names": ("", f"(∀ x : Nat, x = x) → (∀ y : Nat, y = y) → (∀ z : Nat, z = z) → {FALSE}", ["intro h k", "intro l", "clear k"]),
    "types that differ in binders": ("", f"(∀ x : Nat, x = x) → (∀ {{x : Nat}}, x = x) → {FALSE}", ["intro h k"]),
    "names to be quoted": ("", "∀ n m : Nat, n = n → m = m", ["intro «λ» «Σ»", "intro «中»"]),
    "names with superscripts": ("", "∀ n m : Nat, n = n → m = m", ["intro «x²» «xⁿ»", "intro «𝐱»"]),
    "cases to be quoted": ("", "3 = 4 ∧ 4 = 5", ["refine ⟨?«中», ?«x²»⟩", "apply Eq.symm"]),
    "Greek": ("", "∀ (Γ α β' : Nat) (x₁ : α = β'), Γ = α", ["intro Γ α β' x₁", "apply Eq.symm"]),
    "a dot in a name": ("", "∀ n m : Nat, n = m → m = n", ["intro «a.b» a h", "apply Eq.symm"]),
    "dots between names": ("", "∀ n m : Nat, n = m → m = n", ["intro a.b a h", "apply Eq.symm", "rename Nat => b"]),
    "a name behind a notation": ("local notation:max \"⟪\" x \"⟫_\" k:max => Nat.add k x", f"∀ a k : Nat, ⟪a⟫_k = 3 → {FALSE}", ["intro a k h", "rename Nat => z"]),
    "a constant within a notation": (
        "def foo (f : Nat → Nat) (a : Nat) := f a\nlocal notation \"NN\" x => foo id x", f"∀ a : Nat, (NN a) = 3 → Nat → {FALSE}", ["intro a h", "intro id"]),
    "a type within a notation": ('notation "ℕ" => Nat', f"∀ a : Nat, a = 3 → Nat → {FALSE}", ["intro a h", "intro Nat", "clear Nat"]),
    "a glued constant": ("local notation:max \"⟪\" x \"⟫_\" k:max => Nat.add k x", f"∀ a : Nat, ⟪a⟫_Nat.zero = 3 → Nat → {FALSE}", ["intro a h", "intro zero"]),
    "a proposition that cannot be seen to be one": (
        "@[irreducible] def P := Prop", f"∀ (Q : Prop) (g : Q → Q) (q : Q) (f : Q → Nat), f (g q) = 3 → {FALSE}",
        ["intro Q g q f h", "with_unfolding_all change P at Q", "unfold P at Q"]),
    "a proof in an index": ("", f"∀ (xs : List Nat) (h : 0 < xs.length), xs[0]'h = 3 → {FALSE}", ["intro xs h e", "rename _ < _ => k"]),
    "what is not instantiated": (
        "set_option pp.instantiateMVars false", "∀ (P : Nat → Prop) (k : ∀ n, (P n → 7 = 8) → n = 4), 4 = 4", ["intro P k", "apply k", "intro h"]),
    "shadowed names": ("set_option pp.safeShadowing false", f"(∀ x : Nat, x = x) → Nat → {FALSE}", ["intro h", "intro x", "clear x"]),
    "all of it": ("set_option pp.all true", f"∀ n : Nat, n = 1 → Nat → {FALSE}", ["intro n h", "intro m"]),
}  # fmt: skip
WALKED = {name: ("", *walk) for name, walk in WALKS.items()} | IN_PLACE


@pytest.mark.parametrize("name", WALKED)
async def test_every_state_is_what_lean_prints_for_the_tactics_so_far(lean: EmbeddedLean, name: str) -> None:
    """The kept state against the slow reference: Lean's own message about the unfinished whole text."""
    header, statement, tactics = WALKED[name]
    theorem = Theorem(name="t", statement=statement, header=header)
    state = (await lean.start(theorem)).state
    for depth, tactic in enumerate(tactics, 1):
        assert state
        outcome = await lean.apply(state, tactic)
        state = outcome.state
        assert state, f"{tactic}: {outcome.message}"
        facts = await lean.facts(theorem, "\n".join(tactics[:depth]))
        assert isinstance(facts, ProofFacts)
        assert [error.text for error in facts.errors] == [f"unsolved goals\n{state.text}"], tactic


async def test_goals_of_conv_begin_with_their_own_sign(lean: EmbeddedLean) -> None:
    theorem = Theorem(name="t", statement="∀ n : Nat, ∃ x : Nat, Nat.succ (n + 0) = x", header="")
    tactics = ["intro n", "apply Exists.intro", "conv' => arg 1"]
    state = (await lean.start(theorem)).state
    for tactic in tactics:
        assert state
        state = (await lean.apply(state, tactic)).state
    assert state
    assert state.text == "case h\nn : Nat\n| n + 0"
    facts = await lean.facts(theorem, "\n".join(tactics))
    assert isinstance(facts, ProofFacts)
    assert facts.errors[0].text == f"unsolved goals\n{state.text}"  # the kernel's follows
