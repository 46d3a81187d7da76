-- Remainders and divisibility.

theorem square_mod_three : ∀ n : Nat, (n * n + n) % 3 = 0 ∨ (n * n + n) % 3 = 2 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]

theorem product_of_neighbours : ∀ n : Nat, n * (n + 5) % 2 = 0 := by
  intro n
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  simp [Nat.mul_mod, Nat.add_mod, h]
  simp [Nat.mul_mod, Nat.add_mod, h]

theorem cube_plus_five : ∀ n : Nat, (n * n * n + 5 * n) % 3 = 0 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]

theorem six_divides : ∀ n : Nat, 6 ∣ n * (n + 1) * (n + 5) := by
  intro n
  apply Nat.dvd_of_mod_eq_zero
  have h : n % 6 = 0 ∨ n % 6 = 1 ∨ n % 6 = 2 ∨ n % 6 = 3 ∨ n % 6 = 4 ∨ n % 6 = 5 := by omega
  rcases h with h | h | h | h | h | h
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]

theorem square_mod_five : ∀ n : Nat, (n * n + 2) % 5 ≠ 0 := by
  intro n
  have h : n % 5 = 0 ∨ n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
  rcases h with h | h | h | h | h
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]

theorem square_mod_four_not_two : ∀ n : Nat, n ^ 2 % 4 ≠ 2 := by
  intro n
  have h : n % 4 = 0 ∨ n % 4 = 1 ∨ n % 4 = 2 ∨ n % 4 = 3 := by omega
  rcases h with h | h | h | h
  simp [Nat.pow_mod, h]
  simp [Nat.pow_mod, h]
  simp [Nat.pow_mod, h]
  simp [Nat.pow_mod, h]

theorem integer_square_mod_four : ∀ n : Int, n * n % 4 = 0 ∨ n * n % 4 = 1 := by
  intro n
  have h : n % 4 = 0 ∨ n % 4 = 1 ∨ n % 4 = 2 ∨ n % 4 = 3 := by omega
  rcases h with h | h | h | h
  simp [Int.mul_emod, h]
  simp [Int.mul_emod, h]
  simp [Int.mul_emod, h]
  simp [Int.mul_emod, h]

theorem integer_even_product : ∀ n : Int, 2 ∣ n * (n + 3) := by
  intro n
  apply Int.dvd_of_emod_eq_zero
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  simp [Int.mul_emod, Int.add_emod, h]
  simp [Int.mul_emod, Int.add_emod, h]

theorem known_mod_seven : ∀ n : Nat, n % 7 = 4 → (n * n + 5) % 7 = 0 := by
  intro n h
  simp [Nat.add_mod, Nat.mul_mod, h]

theorem known_mod_twelve : ∀ n : Nat, n % 12 = 7 → n * n % 4 = 1 := by
  intro n h
  have h1 : n % 4 = 3 := by omega
  simp [Nat.mul_mod, h1]

theorem not_multiple_of_three : ∀ n : Nat, n % 3 ≠ 0 → 3 ∣ n * n + 2 := by
  intro n h
  have h1 : n % 3 = 1 ∨ n % 3 = 2 := by omega
  apply Nat.dvd_of_mod_eq_zero
  rcases h1 with h1 | h1
  simp [Nat.add_mod, Nat.mul_mod, h1]
  simp [Nat.add_mod, Nat.mul_mod, h1]

theorem odd_square_mod_eight : ∀ n : Nat, n % 2 = 1 → (n * n + 7) % 8 = 0 := by
  intro n h
  have h1 : n % 8 = 1 ∨ n % 8 = 3 ∨ n % 8 = 5 ∨ n % 8 = 7 := by omega
  rcases h1 with h1 | h1 | h1 | h1
  simp [Nat.add_mod, Nat.mul_mod, h1]
  simp [Nat.add_mod, Nat.mul_mod, h1]
  simp [Nat.add_mod, Nat.mul_mod, h1]
  simp [Nat.add_mod, Nat.mul_mod, h1]

theorem two_known : ∀ a b : Nat, a % 6 = 5 → b % 6 = 4 → (a * b + a) % 6 = 1 := by
  intro a b h1 h2
  simp [Nat.add_mod, Nat.mul_mod, h1, h2]

theorem two_known_coarser : ∀ a b : Nat, a % 10 = 7 → b % 15 = 4 → a * b % 5 = 3 := by
  intro a b h1 h2
  have h3 : a % 5 = 2 := by omega
  have h4 : b % 5 = 4 := by omega
  simp [Nat.mul_mod, h3, h4]

theorem sum_of_two_squares : ∀ a b : Nat, (a * a + b * b + 1) % 4 ≠ 0 := by
  intro a b
  have h1 : a * a % 4 = 0 ∨ a * a % 4 = 1 := ?_
  have h2 : b * b % 4 = 0 ∨ b * b % 4 = 1 := ?_
  omega
  have h : b % 4 = 0 ∨ b % 4 = 1 ∨ b % 4 = 2 ∨ b % 4 = 3 := by omega
  rcases h with h | h | h | h
  simp [Nat.mul_mod, h]
  simp [Nat.mul_mod, h]
  simp [Nat.mul_mod, h]
  simp [Nat.mul_mod, h]
  have h : a % 4 = 0 ∨ a % 4 = 1 ∨ a % 4 = 2 ∨ a % 4 = 3 := by omega
  rcases h with h | h | h | h
  simp [Nat.mul_mod, h]
  simp [Nat.mul_mod, h]
  simp [Nat.mul_mod, h]
  simp [Nat.mul_mod, h]

theorem odd_product : ∀ a b : Nat, a % 2 = 1 → b % 2 = 1 → (a * b + a + b) % 2 = 1 := by
  intro a b h1 h2
  simp [Nat.add_mod, Nat.mul_mod, h1, h2]

theorem not_a_square : ∀ n k : Nat, n * n ≠ 3 * k + 2 := by
  intro n k h
  have h1 : n * n % 3 = 2 := by omega
  have h2 : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h2 with h2 | h2 | h2
  simp [Nat.mul_mod, h2] at h1
  simp [Nat.mul_mod, h2] at h1
  simp [Nat.mul_mod, h2] at h1

theorem power_mod_eight : ∀ n : Nat, 9 ^ n % 8 = 1 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem power_plus_constant : ∀ n : Nat, 5 ∣ 6 ^ n + 4 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  decide
  rw [Nat.pow_succ]
  omega

theorem even_power_mod : ∀ n : Nat, 4 ^ (2 * n) % 5 = 1 := by
  intro n
  rw [Nat.pow_mul]
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega

theorem power_and_linear : ∀ n : Nat, 9 ∣ 10 ^ n + 18 * n + 8 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  decide
  rw [Nat.pow_succ]
  omega

theorem power_two_cases : ∀ n : Nat, 6 ^ n % 7 = 1 ∨ 6 ^ n % 7 = 6 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  decide
  rw [Nat.pow_succ]
  omega

theorem powers_agree : ∀ n : Nat, 7 ^ n % 5 = 2 ^ n % 5 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ, Nat.pow_succ]
  omega

theorem power_difference : ∀ n : Nat, 3 ∣ 5 ^ n + 2 * 2 ^ n := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  decide
  rw [Nat.pow_succ, Nat.pow_succ]
  omega

theorem product_divides : ∀ a b c k : Nat, a ∣ b → c ∣ k → a * c ∣ k * b := by
  intro a b c k h1 h2
  rw [Nat.mul_comm k b]
  exact Nat.mul_dvd_mul h1 h2

theorem square_divides : ∀ a b : Nat, a ∣ b → 3 * (a * a) ∣ 6 * (b * b) := by
  intro a b h
  obtain ⟨k, rfl⟩ := h
  refine ⟨2 * (k * k), ?_⟩
  grind

theorem combination_divides : ∀ a b c : Nat, a ∣ b → a ∣ c → a ∣ 5 * b + 7 * c := by
  intro a b c h1 h2
  obtain ⟨k, rfl⟩ := h1
  obtain ⟨m, rfl⟩ := h2
  refine ⟨5 * k + 7 * m, ?_⟩
  grind

theorem chain_divides : ∀ a b c : Nat, a ∣ b → b ∣ c → a * b ∣ c * c := by
  intro a b c h1 h2
  exact Nat.mul_dvd_mul (Nat.dvd_trans h1 h2) h2

theorem numbers_divide : ∀ a b : Nat, 4 ∣ a → 5 ∣ b → 20 ∣ a * b := by
  intro a b h1 h2
  exact Nat.mul_dvd_mul h1 h2

theorem integer_combination_divides : ∀ a b c : Int, a ∣ b → a ∣ c → a ∣ 2 * b - 3 * c := by
  intro a b c h1 h2
  obtain ⟨k, rfl⟩ := h1
  obtain ⟨m, rfl⟩ := h2
  refine ⟨2 * k - 3 * m, ?_⟩
  grind

theorem mod_of_sum : ∀ a b : Nat, a % 6 = 2 → b % 6 = 3 → (a + b) % 6 = 5 := by
  intro a b h1 h2
  omega

theorem mod_scaled : ∀ n : Nat, n % 5 = 3 → (4 * n) % 5 = 2 := by
  intro n h
  omega

theorem mod_of_multiple : ∀ n : Nat, (12 * n + 7) % 4 = 3 := by
  intro n
  omega

theorem divides_sum : ∀ a b : Nat, 8 ∣ a → 8 ∣ b → 8 ∣ a + 3 * b := by
  intro a b h1 h2
  omega

theorem coarser_modulus : ∀ n : Nat, n % 20 = 13 → n % 4 = 1 ∧ n % 5 = 3 := by
  intro n h
  omega

theorem divides_product : ∀ a b c : Nat, a ∣ b → a ∣ b * c * c := by
  intro a b c h
  grind

theorem not_both : ∀ n : Nat, ¬ (n % 6 = 1 ∧ n % 4 = 0) := by
  intro n h
  omega

theorem remainder_small : ∀ n : Nat, n % 9 < 9 ∧ n % 9 ≤ n := by
  intro n
  omega

theorem integer_mod : ∀ n : Int, n % 3 = 2 → (n + 4) % 3 = 0 := by
  intro n h
  omega
