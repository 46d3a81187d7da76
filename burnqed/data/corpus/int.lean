/-! Integers: squares are not negative, signs of products, expansions, absolute values, quotients. -/

theorem square_nonneg : ∀ a : Int, 0 ≤ a * a := by
  intro a
  have h := @Int.natAbs_mul_self a
  omega

theorem square_nonneg_pow : ∀ a : Int, 0 ≤ a ^ 2 := by
  intro a
  have h := @Int.natAbs_mul_self a
  grind

theorem square_difference_nonneg : ∀ a b : Int, 0 ≤ a * a - 2 * a * b + b * b := by
  intro a b
  have h := @Int.natAbs_mul_self (a - b)
  grind

theorem square_sum_nonneg : ∀ a b : Int, 0 ≤ a * a + 2 * a * b + b * b := by
  intro a b
  have h := @Int.natAbs_mul_self (a + b)
  grind

theorem two_ab_le_squares_int : ∀ a b : Int, 2 * (a * b) ≤ a * a + b * b := by
  intro a b
  have h := @Int.natAbs_mul_self (a - b)
  grind

theorem minus_two_ab_le_squares : ∀ a b : Int, -(a * a + b * b) ≤ 2 * (a * b) := by
  intro a b
  have h := @Int.natAbs_mul_self (a + b)
  grind

theorem four_ab_le_square : ∀ a b : Int, 4 * (a * b) ≤ (a + b) * (a + b) := by
  intro a b
  have h := @Int.natAbs_mul_self (a - b)
  grind

theorem weighted_squares : ∀ a b : Int, 12 * a * b ≤ 4 * a ^ 2 + 9 * b ^ 2 := by
  intro a b
  have h := @Int.natAbs_mul_self (2 * a - 3 * b)
  grind

theorem weighted_squares_two : ∀ a b : Int, 10 * a * b ≤ a ^ 2 + 25 * b ^ 2 := by
  intro a b
  have h := @Int.natAbs_mul_self (a - 5 * b)
  grind

theorem weighted_squares_three : ∀ a b : Int, 24 * a * b ≤ 9 * a ^ 2 + 16 * b ^ 2 := by
  intro a b
  have h := @Int.natAbs_mul_self (3 * a - 4 * b)
  grind

theorem square_tangent : ∀ a : Int, 2 * a ≤ a * a + 1 := by
  intro a
  have h := @Int.natAbs_mul_self (a - 1)
  grind

theorem square_tangent_three : ∀ a : Int, 6 * a ≤ a * a + 9 := by
  intro a
  have h := @Int.natAbs_mul_self (a - 3)
  grind

theorem square_tangent_five : ∀ a : Int, 10 * a ≤ a * a + 25 := by
  intro a
  have h := @Int.natAbs_mul_self (a - 5)
  grind

theorem quadratic_positive : ∀ a : Int, 0 < a * a - 4 * a + 5 := by
  intro a
  have h := @Int.natAbs_mul_self (a - 2)
  grind

theorem quadratic_positive_six : ∀ a : Int, 0 < a * a - 6 * a + 10 := by
  intro a
  have h := @Int.natAbs_mul_self (a - 3)
  grind

theorem quadratic_positive_pow : ∀ a : Int, 0 < a ^ 2 + a + 1 := by
  intro a
  have h := @Int.natAbs_mul_self (2 * a + 1)
  grind

theorem quadratic_form_nonneg : ∀ a b : Int, 0 ≤ a * a + a * b + b * b := by
  intro a b
  have h1 := @Int.natAbs_mul_self (a + b)
  have h2 := @Int.natAbs_mul_self a
  have h3 := @Int.natAbs_mul_self b
  grind

theorem quadratic_form_minus : ∀ a b : Int, 0 ≤ a * a - a * b + b * b := by
  intro a b
  have h1 := @Int.natAbs_mul_self (a - b)
  have h2 := @Int.natAbs_mul_self a
  have h3 := @Int.natAbs_mul_self b
  grind

theorem three_products_le_squares : ∀ a b c : Int, a * b + b * c + c * a ≤ a * a + b * b + c * c := by
  intro a b c
  have h1 := @Int.natAbs_mul_self (a - b)
  have h2 := @Int.natAbs_mul_self (b - c)
  have h3 := @Int.natAbs_mul_self (c - a)
  grind

theorem three_products_le_sum_square : ∀ a b c : Int, 3 * (a * b + b * c + c * a) ≤ (a + b + c) * (a + b + c) := by
  intro a b c
  have h1 := @Int.natAbs_mul_self (a - b)
  have h2 := @Int.natAbs_mul_self (b - c)
  have h3 := @Int.natAbs_mul_self (c - a)
  grind

theorem sum_square_le_three_squares : ∀ a b c : Int, (a + b + c) ^ 2 ≤ 3 * (a ^ 2 + b ^ 2 + c ^ 2) := by
  intro a b c
  have h1 := @Int.natAbs_mul_self (a - b)
  have h2 := @Int.natAbs_mul_self (b - c)
  have h3 := @Int.natAbs_mul_self (c - a)
  grind

theorem cauchy_two : ∀ a b c d : Int, (a * c + b * d) ^ 2 ≤ (a ^ 2 + b ^ 2) * (c ^ 2 + d ^ 2) := by
  intro a b c d
  have h := @Int.natAbs_mul_self (a * d - b * c)
  grind

theorem squares_of_parts : ∀ a b : Int, (a * b) * (a * b) ≤ (a * a + 1) * (b * b) := by
  intro a b
  have h := @Int.natAbs_mul_self b
  grind

theorem shifted_squares : ∀ a b : Int, 2 * a + 4 * b ≤ a ^ 2 + b ^ 2 + 5 := by
  intro a b
  have h1 := @Int.natAbs_mul_self (a - 1)
  have h2 := @Int.natAbs_mul_self (b - 2)
  grind

theorem shifted_squares_two : ∀ a b : Int, 6 * a + 8 * b ≤ a ^ 2 + b ^ 2 + 25 := by
  intro a b
  have h1 := @Int.natAbs_mul_self (a - 3)
  have h2 := @Int.natAbs_mul_self (b - 4)
  grind

theorem fixed_sum_product : ∀ a b : Int, a + b = 10 → a * b ≤ 25 := by
  intro a b h
  have h1 := @Int.natAbs_mul_self (a - b)
  have h2 : b = 10 - a := by omega
  subst h2
  grind

theorem fixed_sum_product_eight : ∀ a b : Int, a + b = 8 → a * b ≤ 16 := by
  intro a b h
  have h1 := @Int.natAbs_mul_self (a - b)
  have h2 : b = 8 - a := by omega
  subst h2
  grind

theorem fixed_sum_squares : ∀ a b : Int, a + b = 6 → 18 ≤ a * a + b * b := by
  intro a b h
  have h1 := @Int.natAbs_mul_self (a - b)
  have h2 : b = 6 - a := by omega
  subst h2
  grind

theorem fixed_difference_product : ∀ a b : Int, a - b = 4 → -4 ≤ a * b := by
  intro a b h
  have h1 := @Int.natAbs_mul_self (a + b)
  have h2 : a = b + 4 := by omega
  subst h2
  grind

theorem square_zero : ∀ a : Int, a * a = 0 → a = 0 := by
  intro a h
  have h1 := Int.mul_eq_zero.mp h
  omega

theorem squares_sum_zero : ∀ a b : Int, a * a + b * b = 0 → a = 0 := by
  intro a b h
  have h1 := @Int.natAbs_mul_self a
  have h2 := @Int.natAbs_mul_self b
  have h3 : a * a = 0 := by omega
  have h4 := Int.mul_eq_zero.mp h3
  omega

theorem squares_sum_zero_both : ∀ a b : Int, a * a + b * b = 0 → a = 0 ∧ b = 0 := by
  intro a b h
  have h1 := @Int.natAbs_mul_self a
  have h2 := @Int.natAbs_mul_self b
  have h3 : a * a = 0 := by omega
  have h4 : b * b = 0 := by omega
  have h5 := Int.mul_eq_zero.mp h3
  have h6 := Int.mul_eq_zero.mp h4
  omega

theorem product_zero_cases : ∀ a b : Int, (a - 2) * (b + 3) = 0 → a = 2 ∨ b = -3 := by
  intro a b h
  have h1 := Int.mul_eq_zero.mp h
  omega

theorem quadratic_roots : ∀ a : Int, a * a - 5 * a + 6 = 0 → a = 2 ∨ a = 3 := by
  intro a h
  have h1 : (a - 2) * (a - 3) = 0 := by grind
  have h2 := Int.mul_eq_zero.mp h1
  omega

theorem quadratic_roots_two : ∀ a : Int, a * a - 9 * a + 20 = 0 → a = 4 ∨ a = 5 := by
  intro a h
  have h1 : (a - 4) * (a - 5) = 0 := by grind
  have h2 := Int.mul_eq_zero.mp h1
  omega

theorem quadratic_roots_mixed : ∀ a : Int, a * a - a - 12 = 0 → a = 4 ∨ a = -3 := by
  intro a h
  have h1 : (a - 4) * (a + 3) = 0 := by grind
  have h2 := Int.mul_eq_zero.mp h1
  omega

theorem square_roots : ∀ a : Int, a * a = 36 → a = 6 ∨ a = -6 := by
  intro a h
  have h1 : (a - 6) * (a + 6) = 0 := by grind
  have h2 := Int.mul_eq_zero.mp h1
  omega

theorem square_roots_pow : ∀ a : Int, a ^ 2 = 81 → a = 9 ∨ a = -9 := by
  intro a h
  have h1 : (a - 9) * (a + 9) = 0 := by grind
  have h2 := Int.mul_eq_zero.mp h1
  omega

theorem idempotent_int : ∀ a : Int, a * a = a → a = 0 ∨ a = 1 := by
  intro a h
  have h1 : a * (a - 1) = 0 := by grind
  have h2 := Int.mul_eq_zero.mp h1
  omega

theorem cubic_roots : ∀ a : Int, a * a * a = 4 * a → a = 0 ∨ a = 2 ∨ a = -2 := by
  intro a h
  have h1 : a * ((a - 2) * (a + 2)) = 0 := by grind
  have h2 := Int.mul_eq_zero.mp h1
  rcases h2 with h2 | h2
  omega
  have h3 := Int.mul_eq_zero.mp h2
  omega

theorem equal_squares : ∀ a b : Int, a * a = b * b → a = b ∨ a = -b := by
  intro a b h
  have h1 : (a - b) * (a + b) = 0 := by grind
  have h2 := Int.mul_eq_zero.mp h1
  omega

theorem equal_products : ∀ a b c : Int, c ≠ 0 → a * c = b * c → a = b := by
  intro a b c hc h
  have h1 : (a - b) * c = 0 := by grind
  have h2 := Int.mul_eq_zero.mp h1
  omega

theorem product_equals_sum : ∀ a b : Int, a * b = a + b → (a - 1) * (b - 1) = 1 := by
  intro a b h
  grind

theorem product_nonneg : ∀ a b : Int, 0 ≤ a → 0 ≤ b → 0 ≤ a * b := by
  intro a b h1 h2
  exact Int.mul_nonneg h1 h2

theorem product_nonneg_three : ∀ a b c : Int, 0 ≤ a → 0 ≤ b → 0 ≤ c → 0 ≤ a * b * c := by
  intro a b c h1 h2 h3
  exact Int.mul_nonneg (Int.mul_nonneg h1 h2) h3

theorem product_of_differences : ∀ a b c : Int, a ≤ b → b ≤ c → 0 ≤ (b - a) * (c - b) := by
  intro a b c h1 h2
  have h3 : 0 ≤ b - a := by omega
  have h4 : 0 ≤ c - b := by omega
  exact Int.mul_nonneg h3 h4

theorem product_monotone : ∀ a b c : Int, a ≤ b → 0 ≤ c → a * c ≤ b * c := by
  intro a b c h1 h2
  have h3 : 0 ≤ b - a := by omega
  have h4 := Int.mul_nonneg h3 h2
  grind

theorem product_monotone_both : ∀ a b c d : Int, 0 ≤ a → a ≤ b → 0 ≤ c → c ≤ d → a * c ≤ b * d := by
  intro a b c d h1 h2 h3 h4
  exact Int.mul_le_mul h2 h4 h3 (by omega)

theorem product_antitone : ∀ a b c : Int, a ≤ b → c ≤ 0 → b * c ≤ a * c := by
  intro a b c h1 h2
  have h3 : 0 ≤ b - a := by omega
  have h4 : 0 ≤ -c := by omega
  have h5 := Int.mul_nonneg h3 h4
  grind

theorem square_monotone : ∀ a b : Int, 0 ≤ a → a ≤ b → a * a ≤ b * b := by
  intro a b h1 h2
  have h3 : 0 ≤ b - a := by omega
  have h4 : 0 ≤ b + a := by omega
  have h5 := Int.mul_nonneg h3 h4
  grind

theorem square_monotone_neg : ∀ a b : Int, a ≤ b → b ≤ 0 → b * b ≤ a * a := by
  intro a b h1 h2
  have h3 : 0 ≤ b - a := by omega
  have h4 : 0 ≤ -(b + a) := by omega
  have h5 := Int.mul_nonneg h3 h4
  grind

theorem square_strict : ∀ a b : Int, 0 ≤ a → a < b → a * a < b * b := by
  intro a b h1 h2
  have h3 : 0 < b - a := by omega
  have h4 : 0 < b + a := by omega
  have h5 := Int.mul_pos h3 h4
  grind

theorem between_roots : ∀ a : Int, 2 ≤ a → a ≤ 7 → a * a - 9 * a + 14 ≤ 0 := by
  intro a h1 h2
  have h3 : 0 ≤ a - 2 := by omega
  have h4 : 0 ≤ 7 - a := by omega
  have h5 := Int.mul_nonneg h3 h4
  grind

theorem between_roots_five : ∀ a : Int, 3 ≤ a → a ≤ 5 → a * a - 8 * a + 15 ≤ 0 := by
  intro a h1 h2
  have h3 : 0 ≤ a - 3 := by omega
  have h4 : 0 ≤ 5 - a := by omega
  have h5 := Int.mul_nonneg h3 h4
  grind

theorem outside_roots : ∀ a : Int, 6 ≤ a → 0 ≤ a * a - 8 * a + 12 := by
  intro a h
  have h3 : 0 ≤ a - 6 := by omega
  have h4 : 0 ≤ a - 2 := by omega
  have h5 := Int.mul_nonneg h3 h4
  grind

theorem outside_roots_ten : ∀ a : Int, 10 ≤ a → 0 ≤ a * a - 11 * a + 10 := by
  intro a h
  have h3 : 0 ≤ a - 10 := by omega
  have h4 : 0 ≤ a - 1 := by omega
  have h5 := Int.mul_nonneg h3 h4
  grind

theorem rectangle_bound : ∀ a b : Int, 0 ≤ a → a ≤ 3 → 0 ≤ b → b ≤ 5 → a * b ≤ 15 := by
  intro a b h1 h2 h3 h4
  have h5 := Int.mul_le_mul h2 h4 h3 (by omega)
  omega

theorem rectangle_corner : ∀ a b : Int, a ≤ 1 → b ≤ 1 → a + b ≤ 1 + a * b := by
  intro a b h1 h2
  have h3 : 0 ≤ 1 - a := by omega
  have h4 : 0 ≤ 1 - b := by omega
  have h5 := Int.mul_nonneg h3 h4
  grind

theorem rectangle_corner_two : ∀ a b : Int, 2 ≤ a → 3 ≤ b → 3 * a + 2 * b ≤ 6 + a * b := by
  intro a b h1 h2
  have h3 : 0 ≤ a - 2 := by omega
  have h4 : 0 ≤ b - 3 := by omega
  have h5 := Int.mul_nonneg h3 h4
  grind

theorem rearrangement_int : ∀ a b c d : Int, a ≤ b → c ≤ d → a * d + b * c ≤ a * c + b * d := by
  intro a b c d h1 h2
  have h3 : 0 ≤ b - a := by omega
  have h4 : 0 ≤ d - c := by omega
  have h5 := Int.mul_nonneg h3 h4
  grind

theorem sign_of_product : ∀ a b : Int, a < 0 → 0 < b → a * b < 0 := by
  intro a b h1 h2
  exact Int.mul_neg_of_neg_of_pos h1 h2

theorem sign_of_product_neg : ∀ a b : Int, a < 0 → b < 0 → 0 < a * b := by
  intro a b h1 h2
  exact Int.mul_pos_of_neg_of_neg h1 h2

theorem same_sign : ∀ a b : Int, 0 < a * b → 0 < a → 0 < b := by
  intro a b h h1
  have h2 : 0 < b ∨ b ≤ 0 := by omega
  rcases h2 with h2 | h2
  exact h2
  have h3 : 0 ≤ -b := by omega
  have h4 := Int.mul_nonneg (Int.le_of_lt h1) h3
  grind

theorem positive_factor_cancel : ∀ a b c : Int, 0 < c → a * c ≤ b * c → a ≤ b := by
  intro a b c hc h
  have h1 : a ≤ b ∨ 0 < a - b := by omega
  rcases h1 with h1 | h1
  exact h1
  have h2 := Int.mul_pos h1 hc
  grind

theorem natAbs_square : ∀ a : Int, a.natAbs * a.natAbs = (a * a).natAbs := by
  intro a
  rw [Int.natAbs_mul]

theorem natAbs_product_swap : ∀ a b : Int, (a * b).natAbs = (b * a).natAbs := by
  intro a b
  rw [Int.mul_comm]

theorem natAbs_sub_swap : ∀ a b : Int, (a - b).natAbs = (b - a).natAbs := by
  intro a b
  omega

theorem natAbs_triangle : ∀ a b c : Int, (a - c).natAbs ≤ (a - b).natAbs + (b - c).natAbs := by
  intro a b c
  omega

theorem natAbs_product_bound : ∀ a b : Int, ∀ m n : Nat, a.natAbs ≤ m → b.natAbs ≤ n → (a * b).natAbs ≤ m * n := by
  intro a b m n h1 h2
  rw [Int.natAbs_mul]
  exact Nat.mul_le_mul h1 h2

theorem natAbs_factor_bound : ∀ a b : Int, (a * b + a).natAbs ≤ a.natAbs * b.natAbs + a.natAbs := by
  intro a b
  have h := Int.natAbs_add_le (a * b) a
  rw [Int.natAbs_mul] at h
  exact h

theorem natAbs_zero_product : ∀ a b : Int, a.natAbs * b.natAbs = 0 → a = 0 ∨ b = 0 := by
  intro a b h
  have h1 := Nat.mul_eq_zero.mp h
  omega

theorem natAbs_dvd_bound : ∀ a b : Int, a ∣ b → b ≠ 0 → a.natAbs ≤ b.natAbs := by
  intro a b h hb
  have h1 := Int.natAbs_dvd_natAbs.mpr h
  have h2 : 0 < b.natAbs := by omega
  exact Nat.le_of_dvd h2 h1

theorem natAbs_pow : ∀ (a : Int) (n : Nat), (a ^ n).natAbs = a.natAbs ^ n := by
  intro a n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Int.pow_succ, Nat.pow_succ, Int.natAbs_mul, ih]

theorem toNat_product : ∀ a b : Int, 0 ≤ a → 0 ≤ b → (a * b).toNat = a.toNat * b.toNat := by
  intro a b h1 h2
  obtain ⟨x, hx⟩ := Int.eq_ofNat_of_zero_le h1
  obtain ⟨y, hy⟩ := Int.eq_ofNat_of_zero_le h2
  subst hx hy
  rfl

theorem binomial_square : ∀ a b : Int, (a + b) ^ 2 = a ^ 2 + 2 * a * b + b ^ 2 := by
  intro a b
  grind

theorem binomial_cube : ∀ a b : Int, (a - b) ^ 3 = a ^ 3 - 3 * a ^ 2 * b + 3 * a * b ^ 2 - b ^ 3 := by
  intro a b
  grind

theorem four_square_split : ∀ a b : Int, (a + b) * (a + b) - (a - b) * (a - b) = 4 * a * b := by
  intro a b
  grind

theorem brahmagupta : ∀ a b c d : Int, (a * a + b * b) * (c * c + d * d) = (a * c - b * d) * (a * c - b * d) + (a * d + b * c) * (a * d + b * c) := by
  intro a b c d
  grind

theorem vieta_two : ∀ a b p q : Int, a + b = p → a * b = q → a * a + b * b = p * p - 2 * q := by
  intro a b p q h1 h2
  subst h1 h2
  grind

theorem sum_zero_cubes : ∀ a b c : Int, a + b + c = 0 → a ^ 3 + b ^ 3 + c ^ 3 = 3 * a * b * c := by
  intro a b c h
  have h1 : c = -a - b := by omega
  subst h1
  grind

theorem consecutive_product_square : ∀ n : Int, ∃ m : Int, n * (n + 1) * (n + 2) * (n + 3) + 1 = m * m := by
  intro n
  refine ⟨n * n + 3 * n + 1, ?_⟩
  grind

theorem square_plus_linear_not_square : ∀ n m : Int, 0 < n → 0 < m → m * m ≠ n * n + n := by
  intro n m h1 h2 h
  have h3 : m ≤ n ∨ n + 1 ≤ m := by omega
  rcases h3 with h3 | h3
  have h4 := Int.mul_le_mul h3 h3 (by omega) (by omega)
  omega
  have h4 := Int.mul_le_mul h3 h3 (by omega) (by omega)
  grind
