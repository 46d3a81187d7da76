-- Logic, properties of functions, iterates.

theorem surjective_twice : ∀ (f : Nat → Nat), (∀ b, ∃ a, f a = b) → ∀ b, ∃ a, f (f a) = b + 2 := by
  intro f h b
  obtain ⟨c, hc⟩ := h (b + 2)
  obtain ⟨a, ha⟩ := h c
  refine ⟨a, ?_⟩
  rw [ha, hc]

theorem monotone_products : ∀ (f g : Nat → Nat), (∀ a b, a ≤ b → f a ≤ f b) → (∀ a b, a ≤ b → g a ≤ g b) → ∀ a b, a ≤ b → 2 * (f a * g a) ≤ 2 * (f b * g b) := by
  intro f g h1 h2 a b h
  have h3 := h1 a b h
  have h4 := h2 a b h
  have h5 := Nat.mul_le_mul h3 h4
  omega

theorem strict_is_above : ∀ (f : Nat → Nat), (∀ a b, a < b → f a < f b) → ∀ n, n + f 0 ≤ f n := by
  intro f h n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  have h1 := h n (n + 1) (by omega)
  omega

theorem additive_is_linear : ∀ (f : Nat → Nat), (∀ a b, f (a + b) = f a + f b) → ∀ n a, f (n * a) = n * f a := by
  intro f h n a
  induction n with | zero => ?_ | succ n ih => ?_
  have h1 := h 0 0
  grind
  have h1 := h (n * a) a
  grind

theorem homomorphism_power : ∀ (f : Nat → Nat), f 0 = 1 → (∀ a b, f (a + b) = f a * f b) → ∀ n, f n = f 1 ^ n := by
  intro f hf0 h n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [h, ih, Nat.pow_succ]

theorem iterate_adds : ∀ (f : Nat → Nat) (g : Nat → Nat → Nat), (∀ a, g 0 a = a) → (∀ n a, g (n + 1) a = g n (f a)) → ∀ m n a, g (m + n) a = g n (g m a) := by
  intro f g hg0 hg m n
  induction m with | zero => ?_ | succ m ih => ?_
  simp [hg0]
  intro a
  rw [Nat.add_right_comm, hg, hg, ih]

theorem iterate_of_addition : ∀ (f : Nat → Nat) (g : Nat → Nat → Nat), (∀ a, f a = a + 6) → (∀ a, g 0 a = a) → (∀ n a, g (n + 1) a = g n (f a)) → ∀ n a, g n a = 6 * n + a := by
  intro f g hf hg0 hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hg0]
  intro a
  rw [hg, hf, ih]
  omega

theorem iterate_monotone : ∀ (f : Nat → Nat) (g : Nat → Nat → Nat), (∀ a b, a ≤ b → f a ≤ f b) → (∀ a, g 0 a = a) → (∀ n a, g (n + 1) a = f (g n a)) → ∀ n a b, a ≤ b → g n a ≤ g n b := by
  intro f g hf hg0 hg n a b h
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hg0, h]
  rw [hg, hg]
  exact hf _ _ ih

theorem iterate_even : ∀ (f : Nat → Nat) (g : Nat → Nat → Nat), (∀ a, f (f a) = a) → (∀ a, g 0 a = a) → (∀ n a, g (n + 1) a = f (g n a)) → ∀ n a, g (2 * n) a = a := by
  intro f g hf hg0 hg n a
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hg0]
  rw [Nat.mul_add, hg, hg, hf, ih]

theorem squares_multiply : ∀ (f : Nat → Nat), (∀ a, f a = a * a) → (∀ a b, a ≤ b → f a ≤ f b) ∧ (∀ a b, f (a * b) = f a * f b) := by
  intro f h
  constructor
  intro a b h1
  rw [h, h]
  exact Nat.mul_le_mul h1 h1
  intro a b
  grind

theorem power_values : ∀ (f : Nat → Nat), (∀ a, f a = 3 ^ a) → ∀ a, a < f a := by
  intro f h a
  rw [h]
  induction a with | zero => ?_ | succ a ih => ?_
  decide
  rw [Nat.pow_succ]
  omega

theorem drinker_for_existence : ∀ (p : Nat → Prop), ∃ x, (∃ y, p y) → p x := by
  intro p
  by_cases h : ∃ y, p y
  obtain ⟨y, hy⟩ := h
  refine ⟨y, ?_⟩
  simp [hy]
  refine ⟨0, ?_⟩
  simp [h]
