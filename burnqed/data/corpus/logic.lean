/-! Propositional and first-order logic, classical reasoning, relations and orders. -/

theorem or_swap : ∀ p q : Prop, p ∨ q → q ∨ p := by
  intro p q h
  cases h with | inl h => ?_ | inr h => ?_
  exact Or.inr h
  exact Or.inl h

theorem and_swap : ∀ p q : Prop, p ∧ q → q ∧ p := by
  intro p q h
  obtain ⟨h1, h2⟩ := h
  exact ⟨h2, h1⟩

theorem and_or_distrib : ∀ p q r : Prop, p ∧ (q ∨ r) → (p ∧ q) ∨ (p ∧ r) := by
  intro p q r h
  obtain ⟨h1, h2⟩ := h
  cases h2 with | inl h2 => ?_ | inr h2 => ?_
  exact Or.inl ⟨h1, h2⟩
  exact Or.inr ⟨h1, h2⟩

theorem or_and_distrib : ∀ p q r : Prop, p ∨ (q ∧ r) → (p ∨ q) ∧ (p ∨ r) := by
  intro p q r h
  cases h with | inl h => ?_ | inr h => ?_
  exact ⟨Or.inl h, Or.inl h⟩
  exact ⟨Or.inr h.1, Or.inr h.2⟩

theorem imp_chain : ∀ p q r s : Prop, (p → q) → (q → r) → (r → s) → p → s := by
  intro p q r s h1 h2 h3 h
  exact h3 (h2 (h1 h))

theorem imp_swap : ∀ p q r : Prop, (p → q → r) → q → p → r := by
  intro p q r h h1 h2
  exact h h2 h1

theorem imp_and_curry : ∀ p q r : Prop, (p ∧ q → r) ↔ (p → q → r) := by
  intro p q r
  constructor
  intro h h1 h2
  exact h ⟨h1, h2⟩
  intro h h1
  exact h h1.1 h1.2

theorem or_elim_imp : ∀ p q r : Prop, (p ∨ q → r) ↔ (p → r) ∧ (q → r) := by
  intro p q r
  constructor
  intro h
  exact ⟨fun h1 => h (Or.inl h1), fun h1 => h (Or.inr h1)⟩
  intro h h1
  cases h1 with | inl h1 => ?_ | inr h1 => ?_
  exact h.1 h1
  exact h.2 h1

theorem contrapositive : ∀ p q : Prop, (p → q) → ¬q → ¬p := by
  intro p q h h1 h2
  exact h1 (h h2)

theorem contrapositive_back : ∀ p q : Prop, (¬q → ¬p) → p → q := by
  intro p q h h1
  by_cases hq : q
  exact hq
  exact absurd h1 (h hq)

theorem double_negation_intro : ∀ p : Prop, p → ¬¬p := by
  intro p h h1
  exact h1 h

theorem double_negation_elim : ∀ p : Prop, ¬¬p → p := by
  intro p h
  by_cases hp : p
  exact hp
  exact absurd hp h

theorem triple_negation : ∀ p : Prop, ¬¬¬p → ¬p := by
  intro p h h1
  exact h (fun h2 => h2 h1)

theorem not_not_em : ∀ p : Prop, ¬¬(p ∨ ¬p) := by
  intro p h
  exact h (Or.inr (fun h1 => h (Or.inl h1)))

theorem peirce : ∀ p q : Prop, ((p → q) → p) → p := by
  intro p q h
  by_cases hp : p
  exact hp
  exact h (fun h1 => absurd h1 hp)

theorem de_morgan_or : ∀ p q : Prop, ¬(p ∨ q) ↔ ¬p ∧ ¬q := by
  intro p q
  constructor
  intro h
  exact ⟨fun h1 => h (Or.inl h1), fun h1 => h (Or.inr h1)⟩
  intro h h1
  cases h1 with | inl h1 => ?_ | inr h1 => ?_
  exact h.1 h1
  exact h.2 h1

theorem de_morgan_and : ∀ p q : Prop, ¬(p ∧ q) → ¬p ∨ ¬q := by
  intro p q h
  by_cases hp : p
  exact Or.inr (fun hq => h ⟨hp, hq⟩)
  exact Or.inl hp

theorem imp_as_or : ∀ p q : Prop, (p → q) ↔ ¬p ∨ q := by
  intro p q
  constructor
  intro h
  by_cases hp : p
  exact Or.inr (h hp)
  exact Or.inl hp
  intro h h1
  cases h with | inl h => ?_ | inr h => ?_
  exact absurd h1 h
  exact h

theorem imp_total : ∀ p q : Prop, (p → q) ∨ (q → p) := by
  intro p q
  by_cases hp : p
  exact Or.inr (fun hq => hp)
  exact Or.inl (fun h => absurd h hp)

theorem iff_and_same : ∀ p q r : Prop, (p ↔ q) → (p ∧ r ↔ q ∧ r) := by
  intro p q r h
  rw [h]

theorem iff_not_self : ∀ p : Prop, ¬(p ↔ ¬p) := by
  intro p h
  by_cases hp : p
  exact (h.mp hp) hp
  exact hp (h.mpr hp)

theorem exists_and_left : ∀ (p q : Nat → Prop), (∃ x, p x ∧ q x) → (∃ x, p x) ∧ ∃ x, q x := by
  intro p q h
  obtain ⟨x, hx⟩ := h
  exact ⟨⟨x, hx.1⟩, ⟨x, hx.2⟩⟩

theorem exists_or_split : ∀ (p q : Nat → Prop), (∃ x, p x ∨ q x) ↔ (∃ x, p x) ∨ ∃ x, q x := by
  intro p q
  constructor
  intro h
  obtain ⟨x, hx⟩ := h
  cases hx with | inl hx => ?_ | inr hx => ?_
  exact Or.inl ⟨x, hx⟩
  exact Or.inr ⟨x, hx⟩
  intro h
  rcases h with ⟨x, hx⟩ | ⟨x, hx⟩
  exact ⟨x, Or.inl hx⟩
  exact ⟨x, Or.inr hx⟩

theorem forall_and_split : ∀ (p q : Nat → Prop), (∀ x, p x ∧ q x) ↔ (∀ x, p x) ∧ ∀ x, q x := by
  intro p q
  constructor
  intro h
  exact ⟨fun x => (h x).1, fun x => (h x).2⟩
  intro h x
  exact ⟨h.1 x, h.2 x⟩

theorem exists_forall_swap : ∀ (r : Nat → Nat → Prop), (∃ x, ∀ y, r x y) → ∀ y, ∃ x, r x y := by
  intro r h y
  obtain ⟨x, hx⟩ := h
  exact ⟨x, hx y⟩

theorem not_exists_forall : ∀ (p : Nat → Prop), ¬(∃ x, p x) ↔ ∀ x, ¬p x := by
  intro p
  constructor
  intro h x h1
  exact h ⟨x, h1⟩
  intro h h1
  obtain ⟨x, hx⟩ := h1
  exact h x hx

theorem not_forall_exists : ∀ (p : Nat → Prop), ¬(∀ x, p x) → ∃ x, ¬p x := by
  intro p h
  apply Classical.byContradiction
  intro h1
  apply h
  intro x
  apply Classical.byContradiction
  intro h2
  exact h1 ⟨x, h2⟩

theorem forall_or_constant : ∀ (p : Nat → Prop) (q : Prop), (∀ x, p x ∨ q) → (∀ x, p x) ∨ q := by
  intro p q h
  by_cases hq : q
  exact Or.inr hq
  apply Or.inl
  intro x
  have h1 := h x
  grind

theorem drinker : ∀ (p : Nat → Prop), ∃ x, p x → ∀ y, p y := by
  intro p
  by_cases h : ∀ y, p y
  exact ⟨0, fun h1 => h⟩
  apply Classical.byContradiction
  intro h1
  apply h
  intro y
  apply Classical.byContradiction
  intro h2
  exact h1 ⟨y, fun h3 => absurd h3 h2⟩

theorem exists_imp_forall : ∀ (p : Nat → Prop) (q : Prop), ((∃ x, p x) → q) ↔ ∀ x, p x → q := by
  intro p q
  constructor
  intro h x h1
  exact h ⟨x, h1⟩
  intro h h1
  obtain ⟨x, hx⟩ := h1
  exact h x hx

theorem independence_of_premise : ∀ (p : Nat → Prop) (q : Prop), (q → ∃ x, p x) → ∃ x, q → p x := by
  intro p q h
  by_cases hq : q
  obtain ⟨x, hx⟩ := h hq
  exact ⟨x, fun h1 => hx⟩
  exact ⟨0, fun h1 => absurd h1 hq⟩

theorem forall_mono : ∀ (p q : Nat → Prop), (∀ x, p x → q x) → (∀ x, p x) → ∀ x, q x := by
  intro p q h h1 x
  exact h x (h1 x)

theorem exists_mono : ∀ (p q : Nat → Prop), (∀ x, p x → q x) → (∃ x, p x) → ∃ x, q x := by
  intro p q h h1
  obtain ⟨x, hx⟩ := h1
  exact ⟨x, h x hx⟩

theorem syllogism : ∀ (p q r : Nat → Prop), (∀ x, p x → q x) → (∃ x, p x ∧ r x) → ∃ x, q x ∧ r x := by
  intro p q r h h1
  obtain ⟨x, hx⟩ := h1
  exact ⟨x, h x hx.1, hx.2⟩

theorem exists_eq_value : ∀ (p : Nat → Prop) (a : Nat), p a ↔ ∃ x, x = a ∧ p x := by
  intro p a
  constructor
  intro h
  exact ⟨a, rfl, h⟩
  intro h
  obtain ⟨x, hx⟩ := h
  rw [← hx.1]
  exact hx.2

theorem symm_trans_serial_refl : ∀ (α : Type) (r : α → α → Prop), (∀ x y, r x y → r y x) → (∀ x y z, r x y → r y z → r x z) → (∀ x, ∃ y, r x y) → ∀ x, r x x := by
  intro α r h1 h2 h3 x
  obtain ⟨y, hy⟩ := h3 x
  exact h2 x y x hy (h1 x y hy)

theorem euclidean_refl_symm : ∀ (α : Type) (r : α → α → Prop), (∀ x, r x x) → (∀ x y z, r x y → r x z → r y z) → ∀ x y, r x y → r y x := by
  intro α r h1 h2 x y h
  exact h2 x y x h (h1 x)

theorem euclidean_refl_trans : ∀ (α : Type) (r : α → α → Prop), (∀ x, r x x) → (∀ x y z, r x y → r x z → r y z) → ∀ x y z, r x y → r y z → r x z := by
  intro α r h1 h2 x y z h3 h4
  have h5 := h2 x y x h3 (h1 x)
  exact h2 y x z h5 h4

theorem asymm_irrefl : ∀ (α : Type) (r : α → α → Prop), (∀ x y, r x y → ¬r y x) → ∀ x, ¬r x x := by
  intro α r h x h1
  exact h x x h1 h1

theorem irrefl_trans_asymm : ∀ (α : Type) (r : α → α → Prop), (∀ x, ¬r x x) → (∀ x y z, r x y → r y z → r x z) → ∀ x y, r x y → ¬r y x := by
  intro α r h1 h2 x y h3 h4
  exact h1 x (h2 x y x h3 h4)

theorem no_three_cycle : ∀ (α : Type) (r : α → α → Prop), (∀ x, ¬r x x) → (∀ x y z, r x y → r y z → r x z) → ∀ x y z, r x y → r y z → ¬r z x := by
  intro α r h1 h2 x y z h3 h4 h5
  have h6 := h2 x y z h3 h4
  exact h1 x (h2 x z x h6 h5)

theorem least_unique : ∀ (α : Type) (r : α → α → Prop), (∀ x y, r x y → r y x → x = y) → ∀ a b, (∀ x, r a x) → (∀ x, r b x) → a = b := by
  intro α r h a b h1 h2
  exact h a b (h1 b) (h2 a)

theorem equivalence_classes : ∀ (α : Type) (r : α → α → Prop), (∀ x y, r x y → r y x) → (∀ x y z, r x y → r y z → r x z) → ∀ a b, r a b → ∀ x, r a x ↔ r b x := by
  intro α r h1 h2 a b h x
  constructor
  intro h3
  exact h2 b a x (h1 a b h) h3
  intro h3
  exact h2 a b x h h3

theorem classes_meet_equal : ∀ (α : Type) (r : α → α → Prop), (∀ x y, r x y → r y x) → (∀ x y z, r x y → r y z → r x z) → ∀ a b, (∃ x, r a x ∧ r b x) → r a b := by
  intro α r h1 h2 a b h
  obtain ⟨x, hx⟩ := h
  exact h2 a x b hx.1 (h1 b x hx.2)

theorem relation_of_function : ∀ (α : Type) (f : α → Nat) (r : α → α → Prop), (∀ x y, r x y ↔ f x = f y) → ∀ x y z, r x y → r y z → r x z := by
  intro α f r h x y z h1 h2
  rw [h] at h1 h2 ⊢
  rw [h1, h2]

theorem relation_strict_measure : ∀ (α : Type) (f : α → Nat) (r : α → α → Prop), (∀ x y, r x y → f x < f y) → ∀ x y, r x y → ¬r y x := by
  intro α f r h x y h1 h2
  have h3 := h x y h1
  have h4 := h y x h2
  omega

theorem chain_four_measure : ∀ (α : Type) (f : α → Nat) (r : α → α → Prop), (∀ x y, r x y → f x < f y) → ∀ x y z w, r x y → r y z → r z w → f x + 3 ≤ f w := by
  intro α f r h x y z w h1 h2 h3
  have h4 := h x y h1
  have h5 := h y z h2
  have h6 := h z w h3
  omega

theorem monotone_property : ∀ (p : Nat → Prop), (∀ n, p n → p (n + 1)) → ∀ n m, p n → p (n + m) := by
  intro p h n m h1
  induction m with | zero => ?_ | succ m ih => ?_
  exact h1
  exact h (n + m) ih

theorem downward_property : ∀ (p : Nat → Prop), (∀ n, p (n + 1) → p n) → ∀ n, p n → p 0 := by
  intro p h n h1
  induction n with | zero => ?_ | succ n ih => ?_
  exact h1
  exact ih (h n h1)

theorem induction_step_two : ∀ (p : Nat → Prop), p 0 → p 1 → (∀ n, p n → p (n + 2)) → ∀ n, p n := by
  intro p h0 h1 h n
  suffices h2 : p n ∧ p (n + 1) by exact h2.1
  induction n with | zero => ?_ | succ n ih => ?_
  exact ⟨h0, h1⟩
  exact ⟨ih.2, h n ih.1⟩

theorem induction_step_three : ∀ (p : Nat → Prop), p 0 → (∀ n, p n → p (n + 3)) → ∀ n, p (3 * n) := by
  intro p h0 h n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h0
  exact h (3 * n) ih

theorem induction_parity : ∀ (p q : Nat → Prop), p 0 → (∀ n, p n → q (n + 1)) → (∀ n, q n → p (n + 1)) → ∀ n, p (2 * n) := by
  intro p q h0 h1 h2 n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h0
  exact h2 (2 * n + 1) (h1 (2 * n) ih)

theorem induction_both : ∀ (p q : Nat → Prop), p 0 → q 0 → (∀ n, p n → q n → p (n + 1)) → (∀ n, p n → q n → q (n + 1)) → ∀ n, p n ∧ q n := by
  intro p q h1 h2 h3 h4 n
  induction n with | zero => ?_ | succ n ih => ?_
  exact ⟨h1, h2⟩
  exact ⟨h3 n ih.1 ih.2, h4 n ih.1 ih.2⟩

theorem induction_int : ∀ (p : Int → Prop), p 0 → (∀ n, p n → p (n + 1)) → ∀ n : Nat, p n := by
  intro p h0 h n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h0
  exact h n ih

theorem induction_doubling : ∀ (p : Nat → Prop), p 1 → (∀ n, p n → p (2 * n)) → ∀ n, p (2 ^ n) := by
  intro p h1 h n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h1
  rw [Nat.pow_succ, Nat.mul_comm]
  exact h (2 ^ n) ih

theorem infinite_from_step : ∀ (p : Nat → Prop), (∃ n, p n) → (∀ n, p n → ∃ m, n < m ∧ p m) → ∀ k, ∃ n, k ≤ n ∧ p n := by
  intro p h0 h k
  induction k with | zero => ?_ | succ k ih => ?_
  obtain ⟨x, hx⟩ := h0
  exact ⟨x, by omega, hx⟩
  obtain ⟨x, hx⟩ := ih
  obtain ⟨y, hy⟩ := h x hx.2
  exact ⟨y, by omega, hy.2⟩

theorem no_infinite_descent : ∀ (p : Nat → Prop), (∀ n, p n → ∃ m, m < n ∧ p m) → ∀ n, ¬p n := by
  intro p h n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  intro h1
  obtain ⟨x, hx⟩ := h n h1
  exact ih x hx.1 hx.2

theorem least_element : ∀ (p : Nat → Prop), (∃ n, p n) → ∃ n, p n ∧ ∀ m, p m → n ≤ m := by
  intro p h
  obtain ⟨x, hx⟩ := h
  induction x using Nat.strongRecOn with | ind x ih => ?_
  by_cases h1 : ∃ y, y < x ∧ p y
  obtain ⟨y, hy⟩ := h1
  exact ih y hy.1 hy.2
  refine ⟨x, hx, ?_⟩
  intro m hm
  apply Classical.byContradiction
  intro h2
  exact h1 ⟨m, by omega, hm⟩

theorem first_change : ∀ (p : Nat → Prop), p 0 → (∃ n, ¬p n) → ∃ n, p n ∧ ¬p (n + 1) := by
  intro p h0 h
  obtain ⟨x, hx⟩ := h
  apply Classical.byContradiction
  intro h1
  apply hx
  induction x with | zero => ?_ | succ x ih => ?_
  exact h0
  grind
