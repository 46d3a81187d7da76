/-! Residues: squares, cubes and products modulo small numbers, by cases on the residue of the variable. -/

theorem square_mod_three : ∀ n : Nat, n * n % 3 = 0 ∨ n * n % 3 = 1 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Nat.mul_mod, h]
  simp [Nat.mul_mod, h]
  simp [Nat.mul_mod, h]

theorem square_mod_four : ∀ n : Nat, n * n % 4 = 0 ∨ n * n % 4 = 1 := by
  intro n
  have h : n % 4 = 0 ∨ n % 4 = 1 ∨ n % 4 = 2 ∨ n % 4 = 3 := by omega
  rcases h with h | h | h | h <;> simp [Nat.mul_mod, h]

theorem square_mod_eight_int : ∀ n : Int, n * n % 8 = 0 ∨ n * n % 8 = 1 ∨ n * n % 8 = 4 := by
  intro n
  have h : n % 8 = 0 ∨ n % 8 = 1 ∨ n % 8 = 2 ∨ n % 8 = 3 ∨ n % 8 = 4 ∨ n % 8 = 5 ∨ n % 8 = 6 ∨ n % 8 = 7 := by omega
  rcases h with h | h | h | h | h | h | h | h <;> simp [Int.mul_emod, h]

theorem square_mod_five : ∀ n : Nat, n ^ 2 % 5 = 0 ∨ n ^ 2 % 5 = 1 ∨ n ^ 2 % 5 = 4 := by
  intro n
  have h : n % 5 = 0 ∨ n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
  rcases h with h | h | h | h | h <;> simp [Nat.pow_mod, h]

theorem square_mod_seven : ∀ n : Nat, n ^ 2 % 7 = 0 ∨ n ^ 2 % 7 = 1 ∨ n ^ 2 % 7 = 2 ∨ n ^ 2 % 7 = 4 := by
  intro n
  have h : n % 7 = 0 ∨ n % 7 = 1 ∨ n % 7 = 2 ∨ n % 7 = 3 ∨ n % 7 = 4 ∨ n % 7 = 5 ∨ n % 7 = 6 := by omega
  rcases h with h | h | h | h | h | h | h <;> simp [Nat.pow_mod, h]

theorem square_ne_two_mod_three : ∀ n : Nat, n * n % 3 ≠ 2 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Nat.mul_mod, h]
  simp [Nat.mul_mod, h]
  simp [Nat.mul_mod, h]

theorem square_ne_three_mod_four_int : ∀ n : Int, n * n % 4 ≠ 3 := by
  intro n
  have h : n % 4 = 0 ∨ n % 4 = 1 ∨ n % 4 = 2 ∨ n % 4 = 3 := by omega
  rcases h with h | h | h | h <;> simp [Int.mul_emod, h]

theorem square_ne_two_mod_five : ∀ n : Nat, n ^ 2 % 5 ≠ 2 := by
  intro n
  have h : n % 5 = 0 ∨ n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
  rcases h with h | h | h | h | h <;> simp [Nat.pow_mod, h]

theorem square_plus_one_mod_three : ∀ n : Nat, (n * n + 1) % 3 ≠ 0 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]

theorem square_plus_one_mod_four : ∀ n : Nat, (n * n + 1) % 4 ≠ 0 := by
  intro n
  have h : n % 4 = 0 ∨ n % 4 = 1 ∨ n % 4 = 2 ∨ n % 4 = 3 := by omega
  rcases h with h | h | h | h <;> simp [Nat.add_mod, Nat.mul_mod, h]

theorem square_plus_one_mod_seven : ∀ n : Int, (n * n + 1) % 7 ≠ 0 := by
  intro n
  have h : n % 7 = 0 ∨ n % 7 = 1 ∨ n % 7 = 2 ∨ n % 7 = 3 ∨ n % 7 = 4 ∨ n % 7 = 5 ∨ n % 7 = 6 := by omega
  rcases h with h | h | h | h | h | h | h <;> simp [Int.add_emod, Int.mul_emod, h]

theorem square_plus_self_parity : ∀ n : Nat, (n * n + n) % 2 = 0 := by
  intro n
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]

theorem square_plus_self_mod_three : ∀ n : Int, (n * n + n) % 3 ≠ 1 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Int.add_emod, Int.mul_emod, h]
  simp [Int.add_emod, Int.mul_emod, h]
  simp [Int.add_emod, Int.mul_emod, h]

theorem square_plus_self_plus_one_odd : ∀ n : Nat, (n * n + n + 1) % 2 = 1 := by
  intro n
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]

theorem square_plus_self_mod_five : ∀ n : Nat, (n * n + n + 1) % 5 ≠ 0 := by
  intro n
  have h : n % 5 = 0 ∨ n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
  rcases h with h | h | h | h | h <;> simp [Nat.add_mod, Nat.mul_mod, h]

theorem consecutive_two : ∀ n : Nat, n * (n + 1) % 2 = 0 := by
  intro n
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  simp [Nat.mul_mod, Nat.add_mod, h]
  simp [Nat.mul_mod, Nat.add_mod, h]

theorem consecutive_two_int : ∀ n : Int, 2 ∣ n * (n + 1) := by
  intro n
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  simp [Int.dvd_iff_emod_eq_zero, Int.mul_emod, Int.add_emod, h]
  simp [Int.dvd_iff_emod_eq_zero, Int.mul_emod, Int.add_emod, h]

theorem consecutive_three : ∀ n : Nat, n * (n + 1) * (n + 2) % 3 = 0 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Nat.mul_mod, Nat.add_mod, h]
  simp [Nat.mul_mod, Nat.add_mod, h]
  simp [Nat.mul_mod, Nat.add_mod, h]

theorem consecutive_three_six : ∀ n : Nat, n * (n + 1) * (n + 2) % 6 = 0 := by
  intro n
  have h : n % 6 = 0 ∨ n % 6 = 1 ∨ n % 6 = 2 ∨ n % 6 = 3 ∨ n % 6 = 4 ∨ n % 6 = 5 := by omega
  rcases h with h | h | h | h | h | h <;> simp [Nat.mul_mod, Nat.add_mod, h]

theorem consecutive_four : ∀ n : Int, n * (n + 1) * (n + 2) * (n + 3) % 4 = 0 := by
  intro n
  have h : n % 4 = 0 ∨ n % 4 = 1 ∨ n % 4 = 2 ∨ n % 4 = 3 := by omega
  rcases h with h | h | h | h <;> simp [Int.mul_emod, Int.add_emod, h]

theorem product_two_n : ∀ n : Nat, n * (n + 1) * (2 * n + 1) % 6 = 0 := by
  intro n
  have h : n % 6 = 0 ∨ n % 6 = 1 ∨ n % 6 = 2 ∨ n % 6 = 3 ∨ n % 6 = 4 ∨ n % 6 = 5 := by omega
  rcases h with h | h | h | h | h | h <;> simp [Nat.mul_mod, Nat.add_mod, h]

theorem product_gap_two : ∀ n : Nat, n * (n + 2) * (n + 4) % 3 = 0 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Nat.mul_mod, Nat.add_mod, h]
  simp [Nat.mul_mod, Nat.add_mod, h]
  simp [Nat.mul_mod, Nat.add_mod, h]

theorem product_around : ∀ n : Int, (n - 1) * n * (n + 1) % 3 = 0 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Int.mul_emod, Int.add_emod, Int.sub_emod, h]
  simp [Int.mul_emod, Int.add_emod, Int.sub_emod, h]
  simp [Int.mul_emod, Int.add_emod, Int.sub_emod, h]

theorem cube_minus_self_three : ∀ n : Int, (n * n * n - n) % 3 = 0 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Int.sub_emod, Int.mul_emod, h]
  simp [Int.sub_emod, Int.mul_emod, h]
  simp [Int.sub_emod, Int.mul_emod, h]

theorem cube_minus_self_six : ∀ n : Int, (n * n * n - n) % 6 = 0 := by
  intro n
  have h : n % 6 = 0 ∨ n % 6 = 1 ∨ n % 6 = 2 ∨ n % 6 = 3 ∨ n % 6 = 4 ∨ n % 6 = 5 := by omega
  rcases h with h | h | h | h | h | h <;> simp [Int.sub_emod, Int.mul_emod, h]

theorem cube_minus_self_two : ∀ n : Int, (n * n * n - n) % 2 = 0 := by
  intro n
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  simp [Int.sub_emod, Int.mul_emod, h]
  simp [Int.sub_emod, Int.mul_emod, h]

theorem cube_plus_five : ∀ n : Nat, (n * n * n + 5 * n) % 6 = 0 := by
  intro n
  have h : n % 6 = 0 ∨ n % 6 = 1 ∨ n % 6 = 2 ∨ n % 6 = 3 ∨ n % 6 = 4 ∨ n % 6 = 5 := by omega
  rcases h with h | h | h | h | h | h <;> simp [Nat.add_mod, Nat.mul_mod, h]

theorem cube_plus_two : ∀ n : Nat, (n * n * n + 2 * n) % 3 = 0 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]

theorem cube_plus_eleven : ∀ n : Int, (n * n * n + 11 * n) % 6 = 0 := by
  intro n
  have h : n % 6 = 0 ∨ n % 6 = 1 ∨ n % 6 = 2 ∨ n % 6 = 3 ∨ n % 6 = 4 ∨ n % 6 = 5 := by omega
  rcases h with h | h | h | h | h | h <;> simp [Int.add_emod, Int.mul_emod, h]

theorem fifth_power_minus_self : ∀ n : Int, (n ^ 5 - n) % 5 = 0 := by
  intro n
  have h : n % 5 = 0 ∨ n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
  rcases h with h | h | h | h | h <;> simp [Int.sub_emod, Int.pow_succ, Int.mul_emod, h]

theorem fifth_power_last_digit : ∀ n : Nat, n ^ 5 % 10 = n % 10 := by
  intro n
  have h : n % 10 = 0 ∨ n % 10 = 1 ∨ n % 10 = 2 ∨ n % 10 = 3 ∨ n % 10 = 4 ∨ n % 10 = 5 ∨ n % 10 = 6 ∨ n % 10 = 7 ∨ n % 10 = 8 ∨ n % 10 = 9 := by omega
  rcases h with h | h | h | h | h | h | h | h | h | h <;> simp [Nat.pow_mod, h]

theorem seventh_power : ∀ n : Nat, n ^ 7 % 7 = n % 7 := by
  intro n
  have h : n % 7 = 0 ∨ n % 7 = 1 ∨ n % 7 = 2 ∨ n % 7 = 3 ∨ n % 7 = 4 ∨ n % 7 = 5 ∨ n % 7 = 6 := by omega
  rcases h with h | h | h | h | h | h | h <;> simp [Nat.pow_mod, h]

theorem third_power_mod_three : ∀ n : Nat, n ^ 3 % 3 = n % 3 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Nat.pow_mod, h]
  simp [Nat.pow_mod, h]
  simp [Nat.pow_mod, h]

theorem fourth_power_mod_five : ∀ n : Nat, n ^ 4 % 5 = 0 ∨ n ^ 4 % 5 = 1 := by
  intro n
  have h : n % 5 = 0 ∨ n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
  rcases h with h | h | h | h | h <;> simp [Nat.pow_mod, h]

theorem sixth_power_mod_seven : ∀ n : Nat, n ^ 6 % 7 = 0 ∨ n ^ 6 % 7 = 1 := by
  intro n
  have h : n % 7 = 0 ∨ n % 7 = 1 ∨ n % 7 = 2 ∨ n % 7 = 3 ∨ n % 7 = 4 ∨ n % 7 = 5 ∨ n % 7 = 6 := by omega
  rcases h with h | h | h | h | h | h | h <;> simp [Nat.pow_mod, h]

theorem cube_mod_nine : ∀ n : Nat, n ^ 3 % 9 = 0 ∨ n ^ 3 % 9 = 1 ∨ n ^ 3 % 9 = 8 := by
  intro n
  have h : n % 9 = 0 ∨ n % 9 = 1 ∨ n % 9 = 2 ∨ n % 9 = 3 ∨ n % 9 = 4 ∨ n % 9 = 5 ∨ n % 9 = 6 ∨ n % 9 = 7 ∨ n % 9 = 8 := by omega
  rcases h with h | h | h | h | h | h | h | h | h <;> simp [Nat.pow_mod, h]

theorem cube_mod_seven : ∀ n : Nat, n ^ 3 % 7 = 0 ∨ n ^ 3 % 7 = 1 ∨ n ^ 3 % 7 = 6 := by
  intro n
  have h : n % 7 = 0 ∨ n % 7 = 1 ∨ n % 7 = 2 ∨ n % 7 = 3 ∨ n % 7 = 4 ∨ n % 7 = 5 ∨ n % 7 = 6 := by omega
  rcases h with h | h | h | h | h | h | h <;> simp [Nat.pow_mod, h]

theorem fourth_power_mod_eight : ∀ n : Nat, n ^ 4 % 8 = 0 ∨ n ^ 4 % 8 = 1 := by
  intro n
  have h : n % 8 = 0 ∨ n % 8 = 1 ∨ n % 8 = 2 ∨ n % 8 = 3 ∨ n % 8 = 4 ∨ n % 8 = 5 ∨ n % 8 = 6 ∨ n % 8 = 7 := by omega
  rcases h with h | h | h | h | h | h | h | h <;> simp [Nat.pow_mod, h]

theorem cube_ne_two_mod_seven : ∀ n : Nat, n ^ 3 % 7 ≠ 2 := by
  intro n
  have h : n % 7 = 0 ∨ n % 7 = 1 ∨ n % 7 = 2 ∨ n % 7 = 3 ∨ n % 7 = 4 ∨ n % 7 = 5 ∨ n % 7 = 6 := by omega
  rcases h with h | h | h | h | h | h | h <;> simp [Nat.pow_mod, h]

theorem quadratic_never_divisible_five : ∀ n : Int, (n * n + 2) % 5 ≠ 0 := by
  intro n
  have h : n % 5 = 0 ∨ n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
  rcases h with h | h | h | h | h <;> simp [Int.add_emod, Int.mul_emod, h]

theorem quadratic_never_divisible_three : ∀ n : Nat, ¬ 3 ∣ n * n + 1 := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  simp [Nat.dvd_iff_mod_eq_zero, Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.dvd_iff_mod_eq_zero, Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.dvd_iff_mod_eq_zero, Nat.add_mod, Nat.mul_mod, h]

theorem quadratic_never_divisible_seven : ∀ n : Nat, ¬ 7 ∣ n ^ 2 + 1 := by
  intro n
  have h : n % 7 = 0 ∨ n % 7 = 1 ∨ n % 7 = 2 ∨ n % 7 = 3 ∨ n % 7 = 4 ∨ n % 7 = 5 ∨ n % 7 = 6 := by omega
  rcases h with h | h | h | h | h | h | h <;> simp [Nat.dvd_iff_mod_eq_zero, Nat.add_mod, Nat.pow_mod, h]

theorem odd_square_mod_eight : ∀ n : Nat, n % 2 = 1 → n * n % 8 = 1 := by
  intro n h1
  have h : n % 8 = 1 ∨ n % 8 = 3 ∨ n % 8 = 5 ∨ n % 8 = 7 := by omega
  rcases h with h | h | h | h <;> simp [Nat.mul_mod, h]

theorem odd_square_mod_four_int : ∀ n : Int, n % 2 = 1 → n * n % 4 = 1 := by
  intro n h1
  have h : n % 4 = 1 ∨ n % 4 = 3 := by omega
  rcases h with h | h
  simp [Int.mul_emod, h]
  simp [Int.mul_emod, h]

theorem not_multiple_of_three_square : ∀ n : Nat, n % 3 ≠ 0 → n * n % 3 = 1 := by
  intro n h1
  have h : n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h
  simp [Nat.mul_mod, h]
  simp [Nat.mul_mod, h]

theorem not_multiple_of_five_fourth : ∀ n : Nat, n % 5 ≠ 0 → n ^ 4 % 5 = 1 := by
  intro n h1
  have h : n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
  rcases h with h | h | h | h <;> simp [Nat.pow_mod, h]

theorem square_even_base_even : ∀ n : Nat, n * n % 2 = 0 → n % 2 = 0 := by
  intro n h1
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  exact h
  simp [Nat.mul_mod, h] at h1

theorem square_multiple_of_three : ∀ n : Nat, n * n % 3 = 0 → n % 3 = 0 := by
  intro n h1
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  rcases h with h | h | h
  exact h
  simp [Nat.mul_mod, h] at h1
  simp [Nat.mul_mod, h] at h1

theorem square_multiple_of_five_int : ∀ n : Int, n * n % 5 = 0 → n % 5 = 0 := by
  intro n h1
  have h : n % 5 = 0 ∨ n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
  rcases h with h | h | h | h | h <;> simp [Int.mul_emod, h] at h1 ⊢

theorem cube_even_base_even : ∀ n : Nat, n ^ 3 % 2 = 0 → n % 2 = 0 := by
  intro n h1
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  exact h
  simp [Nat.pow_mod, h] at h1

theorem odd_times_odd : ∀ a b : Nat, a % 2 = 1 → b % 2 = 1 → a * b % 2 = 1 := by
  intro a b h1 h2
  rw [Nat.mul_mod, h1, h2]

theorem mod_three_product : ∀ a b : Nat, a % 3 = 2 → b % 3 = 2 → a * b % 3 = 1 := by
  intro a b h1 h2
  rw [Nat.mul_mod, h1, h2]

theorem mod_seven_product_int : ∀ a b : Int, a % 7 = 3 → b % 7 = 5 → a * b % 7 = 1 := by
  intro a b h1 h2
  rw [Int.mul_emod, h1, h2]
  rfl

theorem mod_nine_sum_product : ∀ a b c : Nat, a % 9 = 4 → b % 9 = 7 → c % 9 = 8 → (a * b + c) % 9 = 0 := by
  intro a b c h1 h2 h3
  rw [Nat.add_mod, Nat.mul_mod, h1, h2, h3]

theorem product_times_sum_even : ∀ a b : Nat, a * b * (a + b) % 2 = 0 := by
  intro a b
  have h1 : a % 2 = 0 ∨ a % 2 = 1 := by omega
  have h2 : b % 2 = 0 ∨ b % 2 = 1 := by omega
  rcases h1 with h1 | h1 <;> rcases h2 with h2 | h2 <;> simp [Nat.mul_mod, Nat.add_mod, h1, h2]

theorem product_difference_three : ∀ a b : Int, a * b * (a - b) * (a + b) % 3 = 0 := by
  intro a b
  have h1 : a % 3 = 0 ∨ a % 3 = 1 ∨ a % 3 = 2 := by omega
  have h2 : b % 3 = 0 ∨ b % 3 = 1 ∨ b % 3 = 2 := by omega
  rcases h1 with h1 | h1 | h1 <;> rcases h2 with h2 | h2 | h2 <;> simp [Int.mul_emod, Int.add_emod, Int.sub_emod, h1, h2]

theorem sum_two_squares_mod_four : ∀ a b : Nat, (a * a + b * b) % 4 ≠ 3 := by
  intro a b
  have h1 : a % 4 = 0 ∨ a % 4 = 1 ∨ a % 4 = 2 ∨ a % 4 = 3 := by omega
  have h2 : b % 4 = 0 ∨ b % 4 = 1 ∨ b % 4 = 2 ∨ b % 4 = 3 := by omega
  rcases h1 with h1 | h1 | h1 | h1 <;> rcases h2 with h2 | h2 | h2 | h2 <;> simp [Nat.add_mod, Nat.mul_mod, h1, h2]

theorem sum_two_squares_mod_three : ∀ a b : Nat, (a * a + b * b) % 3 = 0 → a % 3 = 0 := by
  intro a b h
  have h1 : a % 3 = 0 ∨ a % 3 = 1 ∨ a % 3 = 2 := by omega
  have h2 : b % 3 = 0 ∨ b % 3 = 1 ∨ b % 3 = 2 := by omega
  rcases h1 with h1 | h1 | h1 <;> rcases h2 with h2 | h2 | h2 <;> simp [Nat.add_mod, Nat.mul_mod, h1, h2] at h ⊢

theorem no_solution_mod_four : ∀ a b c : Nat, a * a + b * b = 4 * c + 3 → False := by
  intro a b c h
  have h1 : a % 4 = 0 ∨ a % 4 = 1 ∨ a % 4 = 2 ∨ a % 4 = 3 := by omega
  have h2 : b % 4 = 0 ∨ b % 4 = 1 ∨ b % 4 = 2 ∨ b % 4 = 3 := by omega
  have h3 : (a * a + b * b) % 4 = 3 := by omega
  rcases h1 with h1 | h1 | h1 | h1 <;> rcases h2 with h2 | h2 | h2 | h2 <;> simp [Nat.add_mod, Nat.mul_mod, h1, h2] at h3

theorem no_solution_mod_three : ∀ a b : Int, a * a - 3 * b = 2 → False := by
  intro a b h
  have h1 : a % 3 = 0 ∨ a % 3 = 1 ∨ a % 3 = 2 := by omega
  have h2 : a * a % 3 = 2 := by omega
  rcases h1 with h1 | h1 | h1
  simp [Int.mul_emod, h1] at h2
  simp [Int.mul_emod, h1] at h2
  simp [Int.mul_emod, h1] at h2

theorem no_solution_mod_five : ∀ a b : Nat, a ^ 2 ≠ 5 * b + 3 := by
  intro a b h
  have h1 : a % 5 = 0 ∨ a % 5 = 1 ∨ a % 5 = 2 ∨ a % 5 = 3 ∨ a % 5 = 4 := by omega
  have h2 : a ^ 2 % 5 = 3 := by omega
  rcases h1 with h1 | h1 | h1 | h1 | h1 <;> simp [Nat.pow_mod, h1] at h2

theorem no_solution_mod_eight : ∀ a b : Nat, a ^ 2 ≠ 8 * b + 5 := by
  intro a b h
  have h1 : a % 8 = 0 ∨ a % 8 = 1 ∨ a % 8 = 2 ∨ a % 8 = 3 ∨ a % 8 = 4 ∨ a % 8 = 5 ∨ a % 8 = 6 ∨ a % 8 = 7 := by omega
  have h2 : a ^ 2 % 8 = 5 := by omega
  rcases h1 with h1 | h1 | h1 | h1 | h1 | h1 | h1 | h1 <;> simp [Nat.pow_mod, h1] at h2
