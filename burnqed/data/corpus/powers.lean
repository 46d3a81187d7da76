/-! Powers: residues by induction, divisibility of `a ^ n - 1`, growth, and laws for powers given by recursion. -/

theorem pow_mod_seven : ∀ n : Nat, 8 ^ n % 7 = 1 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_mod_nine : ∀ n : Nat, 10 ^ n % 9 = 1 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_mod_five : ∀ n : Nat, 6 ^ n % 5 = 1 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_mod_twelve_int : ∀ n : Nat, (13 : Int) ^ n % 12 = 1 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Int.pow_succ]
  omega

theorem pow_odd : ∀ n : Nat, 3 ^ n % 2 = 1 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_succ_mod_ten : ∀ n : Nat, 6 ^ (n + 1) % 10 = 6 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_five_mod_hundred : ∀ n : Nat, 5 ^ (n + 2) % 100 = 25 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_last_digit_five : ∀ n : Nat, 15 ^ (n + 1) % 10 = 5 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_mod_three_cases : ∀ n : Nat, 2 ^ n % 3 = 1 ∨ 2 ^ n % 3 = 2 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem pow_mod_eight_cases : ∀ n : Nat, 3 ^ n % 8 = 1 ∨ 3 ^ n % 8 = 3 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem pow_mod_five_cases : ∀ n : Nat, 9 ^ n % 5 = 1 ∨ 9 ^ n % 5 = 4 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem pow_mod_seven_cases : ∀ n : Nat, 2 ^ n % 7 = 1 ∨ 2 ^ n % 7 = 2 ∨ 2 ^ n % 7 = 4 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem pow_not_dvd_three : ∀ n : Nat, 2 ^ n % 3 ≠ 0 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem pow_not_dvd_five : ∀ n : Nat, ¬ 5 ∣ 3 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem pow_double_mod_three : ∀ n : Nat, 2 ^ (2 * n) % 3 = 1 := by
  intro n
  rw [Nat.pow_mul]
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_triple_mod_seven : ∀ n : Nat, 2 ^ (3 * n) % 7 = 1 := by
  intro n
  rw [Nat.pow_mul]
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_four_mod_five : ∀ n : Nat, 3 ^ (4 * n) % 5 = 1 := by
  intro n
  rw [Nat.pow_mul]
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_shift_mod_seven : ∀ n : Nat, 2 ^ (n + 3) % 7 = 2 ^ n % 7 := by
  intro n
  rw [Nat.pow_add]
  omega

theorem pow_shift_mod_ten : ∀ n : Nat, 3 ^ (n + 4) % 10 = 3 ^ n % 10 := by
  intro n
  rw [Nat.pow_add]
  omega

theorem pow_odd_exponent : ∀ n : Nat, 2 ^ (2 * n + 1) % 3 = 2 := by
  intro n
  rw [Nat.pow_succ, Nat.pow_mul]
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_odd_exponent_plus : ∀ n : Nat, 3 ∣ 2 ^ (2 * n + 1) + 1 := by
  intro n
  rw [Nat.pow_succ, Nat.pow_mul]
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem pow_sum_dvd_five : ∀ n : Nat, 5 ∣ 2 ^ (2 * n + 1) + 3 ^ (2 * n + 1) := by
  intro n
  rw [Nat.pow_succ, Nat.pow_succ, Nat.pow_mul, Nat.pow_mul]
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ (2 ^ 2), Nat.pow_succ (3 ^ 2)]
  omega

theorem pow_minus_one_dvd : ∀ n : Nat, 7 ∣ 8 ^ n - 1 := by
  intro n
  suffices h : 8 ^ n % 7 = 1 by omega
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_minus_one_dvd_nine : ∀ n : Nat, 9 ∣ 10 ^ n - 1 := by
  intro n
  suffices h : 10 ^ n % 9 = 1 by omega
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem pow_minus_one_dvd_int : ∀ n : Nat, (4 : Int) ∣ 5 ^ n - 1 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Int.pow_succ]
  omega

theorem pow_difference_dvd : ∀ n : Nat, (3 : Int) ∣ 7 ^ n - 4 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Int.pow_succ, Int.pow_succ]
  omega

theorem pow_difference_dvd_five : ∀ n : Nat, (5 : Int) ∣ 8 ^ n - 3 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Int.pow_succ, Int.pow_succ]
  omega

theorem pow_difference_dvd_nat : ∀ n : Nat, (11 ^ n + 2 * 4 ^ n) % 7 = 3 * 4 ^ n % 7 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ, Nat.pow_succ]
  omega

theorem pow_plus_linear_dvd : ∀ n : Nat, 9 ∣ 4 ^ n + 6 * n + 8 := by
  intro n
  suffices h : (4 ^ n + 6 * n + 8) % 9 = 0 ∧ 4 ^ n % 3 = 1 by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem pow_minus_linear_dvd : ∀ n : Nat, (4 : Int) ∣ 3 ^ n + 2 * n - 1 := by
  intro n
  suffices h : (3 ^ n + 2 * (n : Int) - 1) % 4 = 0 ∧ (3 : Int) ^ n % 2 = 1 by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Int.pow_succ]
  omega

theorem pow_exists_quotient : ∀ n : Nat, ∃ k, 8 ^ n = 7 * k + 1 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  exact ⟨0, rfl⟩
  obtain ⟨x, hx⟩ := ih
  refine ⟨8 * x + 1, ?_⟩
  rw [Nat.pow_succ]
  omega

theorem pow_exists_quotient_five : ∀ n : Nat, ∃ k, 6 ^ n = 5 * k + 1 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  exact ⟨0, rfl⟩
  obtain ⟨x, hx⟩ := ih
  refine ⟨6 * x + 1, ?_⟩
  rw [Nat.pow_succ]
  omega

theorem pow_exists_quotient_base : ∀ a n : Nat, ∃ k, (a + 1) ^ n = a * k + 1 := by
  intro a n
  induction n with | zero => ?_ | succ n ih => ?_
  exact ⟨0, rfl⟩
  obtain ⟨x, hx⟩ := ih
  refine ⟨x * (a + 1) + 1, ?_⟩
  rw [Nat.pow_succ, hx]
  grind

theorem lt_pow_two : ∀ n : Nat, n < 2 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem lt_pow_three : ∀ n : Nat, 2 * n < 3 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem lt_pow_four : ∀ n : Nat, 3 * n < 4 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem linear_lt_pow : ∀ n : Nat, 2 * n + 1 ≤ 3 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem linear_le_pow_shift : ∀ n : Nat, 2 * (n + 3) + 1 < 2 ^ (n + 3) := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  omega

theorem linear_le_pow_from : ∀ n : Nat, 3 ≤ n → 2 * n + 1 < 2 ^ n := by
  intro n h
  obtain ⟨k, hk⟩ := Nat.exists_eq_add_of_le h
  subst hk
  induction k with | zero => ?_ | succ k ih => ?_
  simp
  have h1 := ih (by omega)
  rw [← Nat.add_assoc, Nat.pow_succ]
  omega

theorem square_le_pow_shift : ∀ n : Nat, (n + 4) * (n + 4) ≤ 2 ^ (n + 4) := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  grind

theorem square_lt_pow_three : ∀ n : Nat, n * n < 3 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  have h : n < 2 ∨ 2 ≤ n := by omega
  rcases h with h | h
  have h1 : n = 0 ∨ n = 1 := by omega
  rcases h1 with h1 | h1 <;> simp [h1]
  have h2 : 2 * n ≤ n * n := Nat.mul_le_mul h (Nat.le_refl n)
  rw [Nat.pow_succ]
  grind

theorem pow_two_le_pow_three : ∀ n : Nat, 2 ^ n ≤ 3 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ, Nat.pow_succ]
  omega

theorem pow_sum_le : ∀ n : Nat, 2 ^ n + 3 ^ n ≤ 2 * 5 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ, Nat.pow_succ, Nat.pow_succ]
  omega

theorem pow_sum_lt_succ : ∀ n : Nat, 3 ^ (n + 2) + 4 ^ (n + 2) ≤ 5 ^ (n + 2) := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ 3 (n + 2), Nat.pow_succ 4 (n + 2), Nat.pow_succ 5 (n + 2)]
  omega

theorem pow_positive : ∀ a n : Nat, 0 < a → 0 < a ^ n := by
  intro a n h
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  exact Nat.mul_pos ih h

theorem pow_positive_int : ∀ (a : Int) (n : Nat), 0 < a → 0 < a ^ n := by
  intro a n h
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Int.pow_succ]
  exact Int.mul_pos ih h

theorem pow_one_le : ∀ a n : Nat, 1 ≤ a → 1 ≤ a ^ n := by
  intro a n h
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  have h1 := Nat.mul_le_mul ih h
  omega

theorem pow_mono_base : ∀ a b n : Nat, a ≤ b → a ^ n ≤ b ^ n := by
  intro a b n h
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ, Nat.pow_succ]
  exact Nat.mul_le_mul ih h

theorem pow_mono_exponent : ∀ a m n : Nat, 1 ≤ a → a ^ m ≤ a ^ (m + n) := by
  intro a m n h
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  have h1 := Nat.mul_le_mul ih h
  rw [← Nat.add_assoc, Nat.pow_succ]
  omega

theorem pow_bernoulli : ∀ a n : Nat, 1 + n * a ≤ (1 + a) ^ n := by
  intro a n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  have h := Nat.mul_le_mul ih (Nat.le_refl (1 + a))
  rw [Nat.pow_succ]
  grind

theorem pow_add_rule : ∀ a m n : Nat, a ^ (m + n) = a ^ m * a ^ n := by
  intro a m n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [← Nat.add_assoc, Nat.pow_succ, Nat.pow_succ, ih, Nat.mul_assoc]

theorem pow_mul_rule : ∀ a b n : Nat, (a * b) ^ n = a ^ n * b ^ n := by
  intro a b n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ, Nat.pow_succ, Nat.pow_succ, ih]
  grind

theorem pow_mul_rule_int : ∀ (a b : Int) (n : Nat), (a * b) ^ n = a ^ n * b ^ n := by
  intro a b n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Int.pow_succ, Int.pow_succ, Int.pow_succ, ih]
  grind

theorem pow_neg_even : ∀ n : Nat, (-1 : Int) ^ (2 * n) = 1 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.mul_succ, Int.pow_succ, Int.pow_succ, ih]
  rfl

theorem pow_neg_cases : ∀ n : Nat, (-1 : Int) ^ n = 1 ∨ (-1 : Int) ^ n = -1 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Int.pow_succ]
  omega

theorem pow_square_exponent : ∀ a n : Nat, a ^ (2 * n) = a ^ n * a ^ n := by
  intro a n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.mul_succ, Nat.pow_succ, Nat.pow_succ, Nat.pow_succ, ih]
  grind

theorem pow_sum_bound : ∀ a b n : Nat, a ^ n + b ^ n ≤ (a + b) ^ n + 1 := by
  intro a b n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  have h1 := Nat.pow_le_pow_left (Nat.le_add_right a b) n
  have h2 := Nat.pow_le_pow_left (Nat.le_add_left b a) n
  have h3 := Nat.mul_le_mul h1 (Nat.le_refl a)
  have h4 := Nat.mul_le_mul h2 (Nat.le_refl b)
  rw [Nat.pow_succ, Nat.pow_succ, Nat.pow_succ]
  grind

theorem pow_zero_or_one : ∀ a n : Nat, a * a = a → a ^ (n + 1) = a := by
  intro a n h
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ, ih, h]

theorem pow_cube_root : ∀ (a : Int) (n : Nat), a * a * a = 1 → a ^ (3 * n) = 1 := by
  intro a n h
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.mul_succ, Int.pow_succ, Int.pow_succ, Int.pow_succ, ih]
  grind

theorem pow_recursion_add : ∀ (f : Nat → Nat) (a : Nat), f 0 = 1 → (∀ n, f (n + 1) = f n * a) → ∀ m n, f (m + n) = f m * f n := by
  intro f a hf0 hf m n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [← Nat.add_assoc, hf, hf, ih, Nat.mul_assoc]

theorem pow_recursion_mul : ∀ (f g : Nat → Nat) (a b : Nat), f 0 = 1 → g 0 = 1 → (∀ n, f (n + 1) = f n * a) → (∀ n, g (n + 1) = g n * b) → ∀ n, f n * g n = (a * b) ^ n := by
  intro f g a b hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg, Nat.pow_succ, ← ih]
  grind

theorem pow_recursion_le : ∀ (f g : Nat → Nat), f 0 = 1 → g 0 = 1 → (∀ n, f (n + 1) = 2 * f n) → (∀ n, g (n + 1) = 5 * g n) → ∀ n, f n ≤ g n := by
  intro f g hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg]
  omega

theorem exponent_recursion : ∀ (e : Nat → Nat → Nat), (∀ a, e a 0 = 1) → (∀ a n, e a (n + 1) = e a n * a) → ∀ n, e 1 n = 1 := by
  intro e h1 h2 n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h1 1
  rw [h2, ih]

theorem exponent_recursion_pow : ∀ (e : Nat → Nat → Nat), (∀ a, e a 0 = 1) → (∀ a n, e a (n + 1) = e a n * a) → ∀ a n, e a n = a ^ n := by
  intro e h1 h2 a n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [h1]
  rw [h2, ih, Nat.pow_succ]
