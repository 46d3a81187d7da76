-- Inequalities with products, squares and powers.

theorem products_ordered : ∀ a b c k : Nat, a ≤ b → c ≤ k → a * c + 3 ≤ b * k + 3 := by
  intro a b c k h1 h2
  have h3 := Nat.mul_le_mul h1 h2
  omega

theorem cubes_ordered : ∀ a b : Nat, a ≤ b → a * a * a + 2 * a ≤ b * b * b + 2 * b := by
  intro a b h
  have h1 := Nat.mul_le_mul h h
  have h2 := Nat.mul_le_mul h1 h
  omega

theorem squares_strict : ∀ a b : Nat, a < b → a * a + a < b * b := by
  intro a b h
  have h1 := Nat.mul_le_mul h h
  grind

theorem shifted_square : ∀ a b : Nat, a + 3 ≤ b → a * a + 6 * a + 9 ≤ b * b := by
  intro a b h
  have h1 := Nat.mul_le_mul h h
  grind

theorem between : ∀ a b c : Nat, a ≤ b → b ≤ c → a * b ≤ c * c := by
  intro a b c h1 h2
  have h3 := Nat.le_trans h1 h2
  exact Nat.mul_le_mul h3 h2

theorem sum_below_product : ∀ a b : Nat, 2 ≤ a → 3 ≤ b → a + b + 1 ≤ a * b := by
  intro a b h1 h2
  obtain ⟨c, rfl⟩ := Nat.exists_eq_add_of_le h1
  obtain ⟨k, rfl⟩ := Nat.exists_eq_add_of_le h2
  grind

theorem integer_mean_of_squares : ∀ a b : Int, 4 * (a * b) ≤ a * a + 4 * (b * b) := by
  intro a b
  rcases Int.le_total 0 (a - 2 * b) with h | h
  have h1 := Int.mul_nonneg h h
  grind
  have h1 := Int.mul_nonneg_of_nonpos_of_nonpos h h
  grind

theorem integer_complete_square : ∀ a : Int, 8 * a ≤ a * a + 16 := by
  intro a
  rcases Int.le_total 0 (a - 4) with h | h
  have h1 := Int.mul_nonneg h h
  grind
  have h1 := Int.mul_nonneg_of_nonpos_of_nonpos h h
  grind

theorem integer_signs : ∀ a b c : Int, 0 ≤ a → 0 ≤ b → 0 ≤ c → 0 ≤ a * b + 4 * (b * c) := by
  intro a b c h1 h2 h3
  have h4 := Int.mul_nonneg h1 h2
  have h5 := Int.mul_nonneg h2 h3
  omega

theorem power_above_linear : ∀ n : Nat, 3 * n + 1 ≤ 4 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  decide
  rw [Nat.pow_succ]
  omega

theorem power_above_shifted : ∀ n : Nat, n + 5 ≤ 5 * 2 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  decide
  rw [Nat.pow_succ]
  omega

theorem power_of_larger_base : ∀ a b n : Nat, a ≤ b → 3 * a ^ n ≤ 3 * b ^ n := by
  intro a b n h
  have h1 : a ^ n ≤ b ^ n := ?_
  omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ, Nat.pow_succ]
  exact Nat.mul_le_mul ih h

theorem power_above_exponent : ∀ a n : Nat, 3 ≤ a → n < a ^ n := by
  intro a n h
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  have h1 := Nat.mul_le_mul ih h
  omega

theorem bernoulli : ∀ a n : Nat, 1 + 2 * (n * a) ≤ (1 + 2 * a) ^ n := by
  intro a n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  have h := Nat.mul_le_mul_right (1 + 2 * a) ih
  grind

theorem products_reflect : ∀ a b c : Nat, a * c + 1 ≤ b * c → a < b := by
  intro a b c h
  rcases Nat.lt_or_ge a b with h1 | h1
  exact h1
  have h2 := Nat.mul_le_mul_right c h1
  omega
