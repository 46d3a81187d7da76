-- Remainders and divisibility.

theorem square_mod_three : ∀ n : Nat, (n * n + n) % 3 = 0 ∨ (n * n + n) % 3 = 2 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]

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

theorem not_a_square : ∀ n k : Nat, n * n ≠ 3 * k + 2 := by
  intro n k h
  have h1 : n * n % 3 = 2 := by omega
  have h2 : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h2 with h2 | h2 | h2
  simp [Nat.mul_mod, h2] at h1
  simp [Nat.mul_mod, h2] at h1
  simp [Nat.mul_mod, h2] at h1

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

theorem powers_agree : ∀ n : Nat, 7 ^ n % 5 = 2 ^ n % 5 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ, Nat.pow_succ]
  omega

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
