/-! Existence: explicit witnesses, quotients and remainders, unbounded sets, linear combinations, counterexamples. -/

theorem above_with_residue : ∀ n : ℕ, ∃ m, m > n ∧ m % 7 = 3 := by
  intro n
  refine ⟨7 * n + 3, ?_, ?_⟩
  omega
  omega

theorem above_with_residue_five : ∀ n : ℕ, ∃ m, m > n ∧ m % 5 = 4 := by
  intro n
  refine ⟨5 * n + 4, ?_, ?_⟩
  omega
  omega

theorem above_with_residue_twelve : ∀ n : ℕ, ∃ m, m > n ∧ m % 12 = 1 := by
  intro n
  refine ⟨12 * n + 1, ?_, ?_⟩
  omega
  omega

theorem above_even_odd_half : ∀ n : ℕ, ∃ m, n < m ∧ m % 2 = 0 ∧ m / 2 % 2 = 1 := by
  intro n
  refine ⟨4 * n + 2, ?_, ?_, ?_⟩
  omega
  omega
  omega

theorem above_two_residues : ∀ n : ℕ, ∃ m, n ≤ m ∧ m % 3 = 2 ∧ m % 5 = 3 := by
  intro n
  refine ⟨15 * n + 8, ?_, ?_, ?_⟩
  omega
  omega
  omega

theorem above_two_residues_seven : ∀ n : ℕ, ∃ m, n ≤ m ∧ m % 4 = 1 ∧ m % 7 = 5 := by
  intro n
  refine ⟨28 * n + 5, ?_, ?_, ?_⟩
  omega
  omega
  omega

theorem above_three_residues : ∀ n : ℕ, ∃ m, n ≤ m ∧ m % 2 = 1 ∧ m % 3 = 1 ∧ m % 5 = 1 := by
  intro n
  refine ⟨30 * n + 1, ?_, ?_, ?_, ?_⟩
  omega
  omega
  omega
  omega

theorem below_with_residue_int : ∀ n : ℤ, ∃ m : ℤ, m < n ∧ m % 2 = 1 := by
  intro n
  refine ⟨2 * n - 2 * n.natAbs * 2 - 1, ?_, ?_⟩
  omega
  omega

theorem above_square : ∀ n : ℕ, ∃ m, n < m ∧ ∃ k, m = k * k := by
  intro n
  refine ⟨(n + 1) * (n + 1), ?_, ?_⟩
  grind
  exact ⟨n + 1, rfl⟩

theorem above_cube : ∀ n : ℕ, ∃ m, n < m * m * m := by
  intro n
  refine ⟨n + 1, ?_⟩
  grind

theorem above_power : ∀ n : ℕ, ∃ m, n < 2 ^ m := by
  intro n
  refine ⟨n, ?_⟩
  exact Nat.lt_two_pow_self

theorem above_power_three : ∀ n : ℕ, ∃ m, n < 3 ^ m := by
  intro n
  refine ⟨n, ?_⟩
  exact Nat.lt_pow_self (by omega)

theorem above_multiple : ∀ n k : ℕ, 0 < k → ∃ m, n < m ∧ k ∣ m := by
  intro n k h
  refine ⟨(n + 1) * k, ?_, ?_⟩
  have h1 := Nat.le_mul_of_pos_right (n + 1) h
  omega
  exact Nat.dvd_mul_left k (n + 1)

theorem two_numbers_sum_difference : ∀ n : ℤ, ∃ x y : ℤ, x + y = 2 * n ∧ x - y = 2 := by
  intro n
  refine ⟨n + 1, n - 1, ?_, ?_⟩
  omega
  omega

theorem two_numbers_system : ∀ a b : ℤ, ∃ x y : ℤ, x + y = a ∧ x + 2 * y = b := by
  intro a b
  refine ⟨2 * a - b, b - a, ?_, ?_⟩
  omega
  omega

theorem two_numbers_system_three : ∀ a b : ℤ, ∃ x y : ℤ, 2 * x + y = a ∧ 3 * x + 2 * y = b := by
  intro a b
  refine ⟨2 * a - b, 2 * b - 3 * a, ?_, ?_⟩
  omega
  omega

theorem three_numbers_system : ∀ a b c : ℤ, ∃ x y z : ℤ, x + y = a ∧ y + z = b ∧ x + y + z = c := by
  intro a b c
  refine ⟨c - b, a + b - c, c - a, ?_, ?_, ?_⟩
  omega
  omega
  omega

theorem bezout_three_five : ∀ n : ℤ, ∃ x y : ℤ, 3 * x + 5 * y = n := by
  intro n
  refine ⟨2 * n, -n, ?_⟩
  omega

theorem bezout_seven_four : ∀ n : ℤ, ∃ x y : ℤ, 7 * x + 4 * y = n := by
  intro n
  refine ⟨-n, 2 * n, ?_⟩
  omega

theorem bezout_nine_five : ∀ n : ℤ, ∃ x y : ℤ, 9 * x + 5 * y = n := by
  intro n
  refine ⟨-n, 2 * n, ?_⟩
  omega

theorem bezout_difference : ∀ n : ℤ, ∃ x y : ℤ, 8 * x - 3 * y = n := by
  intro n
  refine ⟨2 * n, 5 * n, ?_⟩
  omega

theorem coins_three_five : ∀ n : ℕ, 8 ≤ n → ∃ x y, n = 3 * x + 5 * y := by
  intro n h
  have h1 : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h1 with h1 | h1 | h1
  exact ⟨n / 3, 0, by omega⟩
  exact ⟨(n - 10) / 3, 2, by omega⟩
  exact ⟨(n - 5) / 3, 1, by omega⟩

theorem coins_two_five : ∀ n : ℕ, 4 ≤ n → ∃ x y, n = 2 * x + 5 * y := by
  intro n h
  have h1 : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h1 with h1 | h1
  exact ⟨n / 2, 0, by omega⟩
  exact ⟨(n - 5) / 2, 1, by omega⟩

theorem coins_three_four : ∀ n : ℕ, 6 ≤ n → ∃ x y, n = 3 * x + 4 * y := by
  intro n h
  have h1 : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h1 with h1 | h1 | h1
  exact ⟨n / 3, 0, by omega⟩
  exact ⟨(n - 4) / 3, 1, by omega⟩
  exact ⟨(n - 8) / 3, 2, by omega⟩

theorem quotient_remainder : ∀ n : ℕ, ∃ q r, n = 7 * q + r ∧ r < 7 := by
  intro n
  refine ⟨n / 7, n % 7, ?_, ?_⟩
  omega
  omega

theorem quotient_remainder_eleven : ∀ n : ℕ, ∃ q r, n = 11 * q + r ∧ r < 11 := by
  intro n
  refine ⟨n / 11, n % 11, ?_, ?_⟩
  omega
  omega

theorem quotient_remainder_any : ∀ n m : ℕ, 0 < m → ∃ q r, n = m * q + r ∧ r < m := by
  intro n m h
  refine ⟨n / m, n % m, ?_, ?_⟩
  have h1 := Nat.div_add_mod n m
  omega
  exact Nat.mod_lt n h

theorem quotient_remainder_int : ∀ n : ℤ, ∃ q r : ℤ, n = 5 * q + r ∧ 0 ≤ r ∧ r < 5 := by
  intro n
  refine ⟨n / 5, n % 5, ?_, ?_, ?_⟩
  omega
  omega
  omega

theorem even_or_odd : ∀ n : ℕ, ∃ k, n = 2 * k ∨ n = 2 * k + 1 := by
  intro n
  refine ⟨n / 2, ?_⟩
  omega

theorem even_or_odd_induction : ∀ n : ℕ, (∃ k, n = 2 * k) ∨ ∃ k, n = 2 * k + 1 := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  exact Or.inl ⟨0, rfl⟩
  rcases ih with ⟨x, hx⟩ | ⟨x, hx⟩
  exact Or.inr ⟨x, by omega⟩
  exact Or.inl ⟨x + 1, by omega⟩

theorem three_classes : ∀ n : ℕ, ∃ k, n = 3 * k ∨ n = 3 * k + 1 ∨ n = 3 * k + 2 := by
  intro n
  refine ⟨n / 3, ?_⟩
  omega

theorem signed_three_classes : ∀ n : ℤ, ∃ k : ℤ, n = 3 * k ∨ n = 3 * k + 1 ∨ n = 3 * k - 1 := by
  intro n
  refine ⟨(n + 1) / 3, ?_⟩
  omega

theorem half_of_even : ∀ n : ℕ, n % 2 = 0 → ∃ k, n = k + k := by
  intro n h
  refine ⟨n / 2, ?_⟩
  omega

theorem sum_of_two_odd : ∀ n : ℕ, n % 2 = 0 → 2 ≤ n → ∃ a b, n = a + b ∧ a % 2 = 1 ∧ b % 2 = 1 := by
  intro n h1 h2
  refine ⟨1, n - 1, ?_, ?_, ?_⟩
  omega
  omega
  omega

theorem sum_of_three : ∀ n : ℕ, 3 ≤ n → ∃ a b c, n = a + b + c ∧ 0 < a ∧ 0 < b ∧ 0 < c := by
  intro n h
  refine ⟨1, 1, n - 2, ?_, ?_, ?_, ?_⟩
  omega
  omega
  omega
  omega

theorem odd_is_difference_of_squares : ∀ n : ℤ, n % 2 = 1 → ∃ a b : ℤ, n = a * a - b * b := by
  intro n h
  obtain ⟨k, hk⟩ : ∃ k, n = 2 * k + 1 := ⟨n / 2, by omega⟩
  refine ⟨k + 1, k, ?_⟩
  grind

theorem odd_square_shape : ∀ n : ℕ, n % 2 = 1 → ∃ k, n * n = 4 * k + 1 := by
  intro n h
  obtain ⟨x, hx⟩ : ∃ x, n = 2 * x + 1 := ⟨n / 2, by omega⟩
  refine ⟨x * x + x, ?_⟩
  grind

theorem residue_square_shape : ∀ n : ℕ, n % 3 = 2 → ∃ k, n * n = 3 * k + 1 := by
  intro n h
  obtain ⟨x, hx⟩ : ∃ x, n = 3 * x + 2 := ⟨n / 3, by omega⟩
  refine ⟨3 * x * x + 4 * x + 1, ?_⟩
  grind

theorem residue_square_shape_five : ∀ n : ℕ, n % 5 = 2 → ∃ k, n * n = 5 * k + 4 := by
  intro n h
  obtain ⟨x, hx⟩ : ∃ x, n = 5 * x + 2 := ⟨n / 5, by omega⟩
  refine ⟨5 * x * x + 4 * x, ?_⟩
  grind

theorem multiple_of_four_is_difference : ∀ n : ℤ, ∃ a b : ℤ, 4 * n = a * a - b * b := by
  intro n
  refine ⟨n + 1, n - 1, ?_⟩
  grind

theorem sum_of_squares_product : ∀ a b c d : ℤ, ∃ x y : ℤ, (a * a + b * b) * (c * c + d * d) = x * x + y * y := by
  intro a b c d
  refine ⟨a * c - b * d, a * d + b * c, ?_⟩
  grind

theorem pell_family : ∀ x y : ℤ, x * x - 2 * y * y = 1 → ∃ a b : ℤ, a * a - 2 * b * b = 1 ∧ a = 3 * x + 4 * y := by
  intro x y h
  refine ⟨3 * x + 4 * y, 2 * x + 3 * y, ?_, ?_⟩
  grind
  rfl

theorem pythagorean_family : ∀ m n : ℤ, ∃ a b c : ℤ, a * a + b * b = c * c ∧ a = 2 * m * n := by
  intro m n
  refine ⟨2 * m * n, m * m - n * n, m * m + n * n, ?_, ?_⟩
  grind
  rfl

theorem triangular_sum_square : ∀ n : ℕ, ∃ k, n * (n + 1) + (n + 1) * (n + 2) = 2 * (k * k) := by
  intro n
  refine ⟨n + 1, ?_⟩
  grind

theorem exists_between_squares : ∀ n : ℕ, ∃ k, n * n < k ∧ k < (n + 1) * (n + 1) + 1 := by
  intro n
  refine ⟨n * n + 1, ?_, ?_⟩
  omega
  grind

theorem not_all_even : ¬ ∀ n : ℕ, n % 2 = 0 := by
  intro h
  have h1 := h 1
  omega

theorem not_all_square_small : ¬ ∀ n : ℕ, n * n ≤ 2 * n + 10 := by
  intro h
  have h1 := h 10
  omega

theorem not_all_square_growth : ¬ ∀ n : ℕ, n * n ≤ 5 * n + 7 := by
  intro h
  have h1 := h 10
  omega

theorem no_largest : ¬ ∃ m : ℕ, ∀ n : ℕ, n ≤ m := by
  intro h
  obtain ⟨x, hx⟩ := h
  have h1 := hx (x + 1)
  omega

theorem no_largest_even : ¬ ∃ m : ℕ, ∀ n : ℕ, n % 2 = 0 → n ≤ m := by
  intro h
  obtain ⟨x, hx⟩ := h
  have h1 := hx (2 * x + 2) (by omega)
  omega

theorem no_smallest_int : ¬ ∃ m : ℤ, ∀ n : ℤ, m ≤ n := by
  intro h
  obtain ⟨x, hx⟩ := h
  have h1 := hx (x - 1)
  omega

theorem no_bound_for_square : ¬ ∃ m : ℕ, ∀ n : ℕ, n * n < m := by
  intro h
  obtain ⟨x, hx⟩ := h
  have h1 := hx (x + 1)
  grind

theorem no_bound_for_multiples : ∀ a : ℕ, 0 < a → ¬ ∃ m : ℕ, ∀ n : ℕ, a * n ≤ m := by
  intro a ha h
  obtain ⟨x, hx⟩ := h
  have h1 := hx (x + 1)
  have h2 := Nat.le_mul_of_pos_left (x + 1) ha
  omega

theorem archimedes : ∀ a b : ℕ, 0 < a → ∃ n, b < a * n := by
  intro a b h
  refine ⟨b + 1, ?_⟩
  have h1 := Nat.le_mul_of_pos_left (b + 1) h
  omega

theorem archimedes_square : ∀ a : ℕ, ∃ n, ∀ m, n ≤ m → a * m ≤ m * m := by
  intro a
  refine ⟨a, ?_⟩
  intro m h
  exact Nat.mul_le_mul h (Nat.le_refl m)

theorem eventually_linear : ∃ n : ℕ, ∀ m, n ≤ m → 3 * m + 10 ≤ m * m := by
  refine ⟨5, ?_⟩
  intro m h
  have h1 := Nat.mul_le_mul h (Nat.le_refl m)
  omega

theorem eventually_linear_big : ∃ n : ℕ, ∀ m, n ≤ m → 7 * m + 20 ≤ m * m := by
  refine ⟨10, ?_⟩
  intro m h
  have h1 := Nat.mul_le_mul h (Nat.le_refl m)
  omega

theorem common_multiple : ∀ a b : ℕ, 0 < a → 0 < b → ∃ m, 0 < m ∧ a ∣ m ∧ b ∣ m := by
  intro a b h1 h2
  refine ⟨a * b, ?_, ?_, ?_⟩
  exact Nat.mul_pos h1 h2
  exact Nat.dvd_mul_right a b
  exact Nat.dvd_mul_left b a

theorem common_upper_bound : ∀ a b c : ℕ, ∃ m, a < m ∧ b < m ∧ c < m := by
  intro a b c
  refine ⟨a + b + c + 1, ?_, ?_, ?_⟩
  omega
  omega
  omega

theorem bound_three_functions : ∀ f : ℕ → ℕ, ∃ m, f 0 ≤ m ∧ f 1 ≤ m ∧ f 2 ≤ m := by
  intro f
  refine ⟨f 0 + f 1 + f 2, ?_, ?_, ?_⟩
  omega
  omega
  omega

theorem bounded_on_prefix : ∀ (f : ℕ → ℕ) (n : ℕ), ∃ m, ∀ k, k < n → f k ≤ m := by
  intro f n
  induction n with | zero => ?_ | succ n ih => ?_
  exact ⟨0, by omega⟩
  obtain ⟨x, hx⟩ := ih
  refine ⟨x + f n, ?_⟩
  intro k h
  have h1 : k < n ∨ k = n := by omega
  rcases h1 with h1 | h1
  have h2 := hx k h1
  omega
  subst h1
  omega

theorem exists_fixed_value : ∀ a b : ℤ, ∃ f : ℤ → ℤ, f a = b := by
  intro a b
  refine ⟨fun x => b, ?_⟩
  rfl

theorem exists_function_through : ∃ f : ℕ → ℕ, f 0 = 3 ∧ ∀ n, f (n + 1) = f n + 2 := by
  refine ⟨fun n => 2 * n + 3, ?_, ?_⟩
  rfl
  intro n
  grind

theorem exists_function_doubling : ∃ f : ℕ → ℕ, f 0 = 1 ∧ ∀ n, f (n + 1) = 2 * f n := by
  refine ⟨fun n => 2 ^ n, ?_, ?_⟩
  rfl
  intro n
  grind

theorem exists_function_square : ∃ f : ℕ → ℕ, f 0 = 0 ∧ ∀ n, f (n + 1) = f n + 2 * n + 1 := by
  refine ⟨fun n => n * n, ?_, ?_⟩
  rfl
  intro n
  grind

theorem exists_inverse_shift : ∃ f : ℤ → ℤ, ∀ n, f (n + 5) = n := by
  refine ⟨fun n => n - 5, ?_⟩
  intro n
  grind

theorem exists_unique_linear : ∀ a : ℤ, ∃ x : ℤ, x + 7 = a ∧ ∀ y : ℤ, y + 7 = a → y = x := by
  intro a
  refine ⟨a - 7, ?_, ?_⟩
  omega
  intro y h
  omega

theorem exists_not_divisible : ∀ n : ℕ, ∃ k, ¬ 3 ∣ n * n + k := by
  intro n
  refine ⟨1, ?_⟩
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Nat.dvd_iff_mod_eq_zero, Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.dvd_iff_mod_eq_zero, Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.dvd_iff_mod_eq_zero, Nat.add_mod, Nat.mul_mod, h]

theorem bezout_from_dvd : ∀ a b : ℤ, a ∣ b → ∃ x y : ℤ, a * x + b * y = a := by
  intro a b h
  refine ⟨1, 0, ?_⟩
  omega

theorem combination_closed : ∀ a b m n : ℤ, (∃ x y : ℤ, m = a * x + b * y) → (∃ x y : ℤ, n = a * x + b * y) → ∃ x y : ℤ, m + n = a * x + b * y := by
  intro a b m n h1 h2
  obtain ⟨x, y, hx⟩ := h1
  obtain ⟨p, q, hp⟩ := h2
  refine ⟨x + p, y + q, ?_⟩
  grind

theorem combination_scaled : ∀ a b n k : ℤ, (∃ x y : ℤ, n = a * x + b * y) → ∃ x y : ℤ, k * n = a * x + b * y := by
  intro a b n k h
  obtain ⟨x, y, hx⟩ := h
  refine ⟨k * x, k * y, ?_⟩
  grind

theorem even_sum_closed : ∀ a b : ℕ, (∃ k, a = 2 * k) → (∃ k, b = 2 * k) → ∃ k, a + b = 2 * k := by
  intro a b h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x + y, ?_⟩
  omega

theorem odd_product_closed : ∀ a b : ℕ, (∃ k, a = 2 * k + 1) → (∃ k, b = 2 * k + 1) → ∃ k, a * b = 2 * k + 1 := by
  intro a b h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨2 * x * y + x + y, ?_⟩
  grind

theorem residue_product_closed : ∀ a b : ℕ, (∃ k, a = 3 * k + 1) → (∃ k, b = 3 * k + 1) → ∃ k, a * b = 3 * k + 1 := by
  intro a b h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨3 * x * y + x + y, ?_⟩
  grind

theorem square_product_closed : ∀ a b : ℕ, (∃ k, a = k * k) → (∃ k, b = k * k) → ∃ k, a * b = k * k := by
  intro a b h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x * y, ?_⟩
  grind
