-- Existence.

theorem quotient : ∀ n : Nat, n % 6 = 4 → ∃ k, n = 6 * k + 4 := by
  intro n h
  refine ⟨n / 6, ?_⟩
  omega

theorem three_digits : ∀ n : Nat, ∃ a b c, n = a + 4 * b + 16 * c ∧ a < 4 ∧ b < 4 := by
  intro n
  refine ⟨n % 4, n / 4 % 4, n / 16, ?_⟩
  omega

theorem sum_of_forms : ∀ a b : Nat, (∃ k, a = 5 * k + 2) → (∃ k, b = 5 * k + 4) → ∃ k, a + b = 5 * k + 1 := by
  intro a b h1 h2
  obtain ⟨k, hk⟩ := h1
  obtain ⟨m, hm⟩ := h2
  refine ⟨k + m + 1, ?_⟩
  omega

theorem product_of_odds : ∀ a b : Nat, (∃ k, a = 2 * k + 1) → (∃ k, b = 2 * k + 1) → ∃ k, a * b + 1 = 2 * k := by
  intro a b h1 h2
  obtain ⟨k, rfl⟩ := h1
  obtain ⟨m, rfl⟩ := h2
  refine ⟨2 * k * m + k + m + 1, ?_⟩
  grind

theorem square_of_form : ∀ a : Nat, (∃ k, a = 4 * k + 1) → ∃ k, a * a = 8 * k + 1 := by
  intro a h
  obtain ⟨k, rfl⟩ := h
  refine ⟨2 * k * k + k, ?_⟩
  grind

theorem unbounded_double_squares : ∀ n : Nat, ∃ m, n < m ∧ ∃ k, m = 2 * (k * k) := by
  intro n
  refine ⟨2 * ((n + 1) * (n + 1)), ?_, ?_⟩
  grind
  refine ⟨n + 1, ?_⟩
  rfl

theorem common_multiple : ∀ a b : Nat, ∃ m, a ∣ m ∧ b ∣ m ∧ 2 ∣ m := by
  intro a b
  refine ⟨2 * (a * b), ?_, ?_, ?_⟩
  exact ⟨2 * b, by grind⟩
  exact ⟨2 * a, by grind⟩
  exact ⟨a * b, rfl⟩

theorem coins : ∀ n : Nat, 6 ≤ n → ∃ a b, n = 2 * a + 7 * b := by
  intro n h
  have h1 : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h1 with h1 | h1
  refine ⟨n / 2, 0, ?_⟩
  omega
  refine ⟨n / 2 - 3, 1, ?_⟩
  omega

theorem coins_three : ∀ n : Nat, 8 ≤ n → ∃ a b, 3 * a + 5 * b = n := by
  intro n h
  have h1 : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h1 with h1 | h1 | h1
  refine ⟨n / 3, 0, ?_⟩
  omega
  refine ⟨n / 3 - 3, 2, ?_⟩
  omega
  refine ⟨n / 3 - 1, 1, ?_⟩
  omega

theorem gap_of_squares : ∀ a b : Nat, a ≤ b → ∃ m, a * a + m = b * b := by
  intro a b h
  have h1 := Nat.mul_le_mul h h
  refine ⟨b * b - a * a, ?_⟩
  omega

theorem a_power_function : ∃ f : Nat → Nat, f 0 = 2 ∧ ∀ n, f (n + 1) = 5 * f n := by
  refine ⟨fun n => 2 * 5 ^ n, ?_, ?_⟩
  rfl
  intro n
  grind

theorem odd_or_even : ∀ n : Nat, (∃ k, n = 2 * k) ∨ (∃ k, n = 2 * k + 1) := by
  intro n
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  left
  refine ⟨n / 2, ?_⟩
  omega
  right
  refine ⟨n / 2, ?_⟩
  omega
