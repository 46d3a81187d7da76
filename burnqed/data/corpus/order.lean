/-! Order on Nat: products, squares, differences, minima and maxima, bounds by induction. -/

theorem mul_le_mul_same : ∀ a b c : Nat, a ≤ b → a * c ≤ b * c := by
  intro a b c h
  exact Nat.mul_le_mul h (Nat.le_refl c)

theorem mul_le_mul_two : ∀ a b c d : Nat, a ≤ b → c ≤ d → a * c ≤ b * d := by
  intro a b c d h1 h2
  exact Nat.mul_le_mul h1 h2

theorem mul_le_mul_three : ∀ a b c d m n : Nat, a ≤ b → c ≤ d → m ≤ n → a * c * m ≤ b * d * n := by
  intro a b c d m n h1 h2 h3
  exact Nat.mul_le_mul (Nat.mul_le_mul h1 h2) h3

theorem mul_lt_mul_both : ∀ a b c d : Nat, a < b → c < d → a * c < b * d := by
  intro a b c d h1 h2
  have h3 := Nat.mul_le_mul h1 h2
  grind

theorem square_le_square : ∀ a b : Nat, a ≤ b → a * a ≤ b * b := by
  intro a b h
  exact Nat.mul_le_mul h h

theorem square_lt_square : ∀ a b : Nat, a < b → a * a < b * b := by
  intro a b h
  have h1 := Nat.mul_le_mul h h
  grind

theorem cube_le_cube : ∀ a b : Nat, a ≤ b → a * a * a ≤ b * b * b := by
  intro a b h
  exact Nat.mul_le_mul (Nat.mul_le_mul h h) h

theorem square_le_cancel : ∀ a b : Nat, a * a ≤ b * b → a ≤ b := by
  intro a b h
  have h1 : a ≤ b ∨ b < a := by omega
  rcases h1 with h1 | h1
  exact h1
  have h2 := Nat.mul_self_lt_mul_self h1
  omega

theorem square_lt_cancel : ∀ a b : Nat, a * a < b * b → a < b := by
  intro a b h
  have h1 : a < b ∨ b ≤ a := by omega
  rcases h1 with h1 | h1
  exact h1
  have h2 := Nat.mul_le_mul h1 h1
  omega

theorem square_injective : ∀ a b : Nat, a * a = b * b → a = b := by
  intro a b h
  have h1 : a < b ∨ a = b ∨ b < a := by omega
  rcases h1 with h1 | h1 | h1
  have h2 := Nat.mul_self_lt_mul_self h1
  omega
  exact h1
  have h2 := Nat.mul_self_lt_mul_self h1
  omega

theorem cube_injective : ∀ a b : Nat, a * a * a = b * b * b → a = b := by
  intro a b h
  have h1 : a < b ∨ a = b ∨ b < a := by omega
  rcases h1 with h1 | h1 | h1
  have h2 := Nat.mul_lt_mul'' (Nat.mul_self_lt_mul_self h1) h1
  omega
  exact h1
  have h2 := Nat.mul_lt_mul'' (Nat.mul_self_lt_mul_self h1) h1
  omega

theorem square_gt_self : ∀ n : Nat, 2 ≤ n → n < n * n := by
  intro n h
  have h1 := Nat.mul_le_mul h (Nat.le_refl n)
  omega

theorem square_ge_linear : ∀ n : Nat, 5 ≤ n → 5 * n ≤ n * n := by
  intro n h
  exact Nat.mul_le_mul h (Nat.le_refl n)

theorem square_ge_linear_plus : ∀ n : Nat, 6 ≤ n → 5 * n + 6 ≤ n * n := by
  intro n h
  have h1 := Nat.mul_le_mul h (Nat.le_refl n)
  omega

theorem square_ge_linear_two : ∀ n : Nat, 3 ≤ n → 2 * n + 3 ≤ n * n := by
  intro n h
  have h1 := Nat.mul_le_mul h (Nat.le_refl n)
  omega

theorem square_ge_linear_three : ∀ n : Nat, 4 ≤ n → 3 * n + 4 ≤ n * n := by
  intro n h
  have h1 := Nat.mul_le_mul h (Nat.le_refl n)
  omega

theorem square_ge_linear_int : ∀ n : Int, 4 ≤ n → 3 * n + 4 ≤ n * n := by
  intro n h
  have h1 := Int.mul_nonneg (show 0 ≤ n - 4 by omega) (show 0 ≤ n + 1 by omega)
  grind

theorem cube_ge_square : ∀ n : Nat, n * n ≤ n * n * n := by
  intro n
  cases n with | zero => ?_ | succ n => ?_
  simp
  exact Nat.le_mul_of_pos_right _ (by omega)

theorem cube_ge_linear : ∀ n : Nat, 3 ≤ n → 9 * n ≤ n * n * n := by
  intro n h
  exact Nat.mul_le_mul (Nat.mul_le_mul h h) (Nat.le_refl n)

theorem product_ge_sum : ∀ a b : Nat, 2 ≤ a → 2 ≤ b → a + b ≤ a * b := by
  intro a b h1 h2
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h1
  obtain ⟨y, hy⟩ := Nat.exists_eq_add_of_le h2
  subst hx hy
  grind

theorem product_ge_sum_minus : ∀ a b : Nat, 1 ≤ a → 1 ≤ b → a + b ≤ a * b + 1 := by
  intro a b h1 h2
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h1
  obtain ⟨y, hy⟩ := Nat.exists_eq_add_of_le h2
  subst hx hy
  grind

theorem product_ge_left : ∀ a b : Nat, 1 ≤ b → a ≤ a * b := by
  intro a b h
  exact Nat.le_mul_of_pos_right a h

theorem product_one : ∀ a b : Nat, a * b = 1 → a = 1 := by
  intro a b h
  exact Nat.eq_one_of_mul_eq_one_right h

theorem product_zero : ∀ a b c : Nat, a * b * c = 0 → a = 0 ∨ b = 0 ∨ c = 0 := by
  intro a b c h
  have h1 := Nat.mul_eq_zero.mp h
  rcases h1 with h1 | h1
  have h2 := Nat.mul_eq_zero.mp h1
  omega
  omega

theorem product_positive : ∀ a b : Nat, 0 < a * b → 0 < a ∧ 0 < b := by
  intro a b h
  cases a with | zero => ?_ | succ a => ?_
  simp at h
  cases b with | zero => ?_ | succ b => ?_
  simp at h
  omega

theorem two_ab_le_squares : ∀ a b : Nat, 2 * (a * b) ≤ a * a + b * b := by
  intro a b
  have h : a ≤ b ∨ b ≤ a := by omega
  rcases h with h | h
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h
  subst hx
  grind
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h
  subst hx
  grind

theorem four_ab_le_square_sum : ∀ a b : Nat, 4 * (a * b) ≤ (a + b) * (a + b) := by
  intro a b
  have h : a ≤ b ∨ b ≤ a := by omega
  rcases h with h | h
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h
  subst hx
  grind
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h
  subst hx
  grind

theorem square_sum_le_double : ∀ a b : Nat, (a + b) * (a + b) ≤ 2 * (a * a + b * b) := by
  intro a b
  have h : a ≤ b ∨ b ≤ a := by omega
  rcases h with h | h
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h
  subst hx
  grind
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h
  subst hx
  grind

theorem rearrangement : ∀ a b c d : Nat, a ≤ b → c ≤ d → a * d + b * c ≤ a * c + b * d := by
  intro a b c d h1 h2
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h1
  obtain ⟨y, hy⟩ := Nat.exists_eq_add_of_le h2
  subst hx hy
  grind

theorem chebyshev_two : ∀ a b c d : Nat, a ≤ b → c ≤ d → (a + b) * (c + d) ≤ 2 * (a * c + b * d) := by
  intro a b c d h1 h2
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h1
  obtain ⟨y, hy⟩ := Nat.exists_eq_add_of_le h2
  subst hx hy
  grind

theorem squares_sum_le : ∀ a b : Nat, a * a + b * b ≤ (a + b) * (a + b) := by
  intro a b
  have h := Nat.zero_le (a * b)
  grind

theorem difference_squares : ∀ a b : Nat, b ≤ a → a * a - b * b = (a - b) * (a + b) := by
  intro a b h
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h
  subst hx
  have h1 : b + x - b = x := by omega
  have h2 : (b + x) * (b + x) = b * b + x * (b + x + b) := by grind
  rw [h1, h2]
  omega

theorem sub_mul_distrib : ∀ a b c : Nat, b ≤ a → (a - b) * c + b * c = a * c := by
  intro a b c h
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h
  subst hx
  have h1 : b + x - b = x := by omega
  rw [h1]
  grind

theorem sub_add_sub : ∀ a b c : Nat, c ≤ b → b ≤ a → (a - b) + (b - c) = a - c := by
  intro a b c h1 h2
  omega

theorem max_mul_min : ∀ a b : Nat, max a b * min a b = a * b := by
  intro a b
  have h : a ≤ b ∨ b ≤ a := by omega
  rcases h with h | h
  rw [Nat.max_eq_right h, Nat.min_eq_left h, Nat.mul_comm]
  rw [Nat.max_eq_left h, Nat.min_eq_right h]

theorem max_add_min : ∀ a b : Nat, max a b + min a b = a + b := by
  intro a b
  omega

theorem max_le_sum : ∀ a b c : Nat, a ≤ c → b ≤ c → max a b ≤ c := by
  intro a b c h1 h2
  omega

theorem max_mul_le : ∀ a b c : Nat, max a b * c ≤ a * c + b * c := by
  intro a b c
  have h : a ≤ b ∨ b ≤ a := by omega
  rcases h with h | h
  rw [Nat.max_eq_right h]
  omega
  rw [Nat.max_eq_left h]
  omega

theorem min_square_le : ∀ a b : Nat, min a b * min a b ≤ a * b := by
  intro a b
  exact Nat.mul_le_mul (Nat.min_le_left a b) (Nat.min_le_right a b)

theorem max_square_ge : ∀ a b : Nat, a * b ≤ max a b * max a b := by
  intro a b
  exact Nat.mul_le_mul (Nat.le_max_left a b) (Nat.le_max_right a b)

theorem max_mul_left : ∀ a b c : Nat, max (c * a) (c * b) = c * max a b := by
  intro a b c
  have h : a ≤ b ∨ b ≤ a := by omega
  rcases h with h | h
  have h1 := Nat.mul_le_mul (Nat.le_refl c) h
  rw [Nat.max_eq_right h, Nat.max_eq_right h1]
  have h1 := Nat.mul_le_mul (Nat.le_refl c) h
  rw [Nat.max_eq_left h, Nat.max_eq_left h1]

theorem div_mul_bound : ∀ a b : Nat, a / b * b ≤ a := by
  intro a b
  exact Nat.div_mul_le_self a b

theorem div_bound_product : ∀ a b c : Nat, 0 < b → a < b * c → a / b < c := by
  intro a b c hb h
  exact Nat.div_lt_of_lt_mul h

theorem mod_lt_divisor : ∀ a b : Nat, 0 < b → a % b < b := by
  intro a b h
  exact Nat.mod_lt a h

theorem mod_le_half : ∀ a b : Nat, 0 < b → b ≤ a → 2 * (a % b) < a + 1 := by
  intro a b h1 h2
  have h3 := Nat.mod_lt a h1
  have h4 := Nat.div_add_mod a b
  have h5 := Nat.div_pos h2 h1
  have h6 := Nat.le_mul_of_pos_right b h5
  omega

theorem triangle_product : ∀ n : Nat, n * (n + 1) < (n + 1) * (n + 1) := by
  intro n
  grind

theorem consecutive_squares : ∀ n m : Nat, n * n < m * m → m * m < (n + 2) * (n + 2) → m = n + 1 := by
  intro n m h1 h2
  have h3 : m ≤ n ∨ m = n + 1 ∨ n + 2 ≤ m := by omega
  rcases h3 with h3 | h3 | h3
  have h4 := Nat.mul_le_mul h3 h3
  omega
  exact h3
  have h4 := Nat.mul_le_mul h3 h3
  omega

theorem no_square_between : ∀ n m : Nat, n * n < m → m < (n + 1) * (n + 1) → ∀ k, k * k ≠ m := by
  intro n m h1 h2 k hk
  have h3 : k ≤ n ∨ n + 1 ≤ k := by omega
  rcases h3 with h3 | h3
  have h4 := Nat.mul_le_mul h3 h3
  omega
  have h4 := Nat.mul_le_mul h3 h3
  omega

theorem not_square_two : ∀ n : Nat, n * n ≠ 2 := by
  intro n h
  have h1 : n ≤ 1 ∨ 2 ≤ n := by omega
  rcases h1 with h1 | h1
  have h2 := Nat.mul_le_mul h1 h1
  omega
  have h2 := Nat.mul_le_mul h1 h1
  omega

theorem not_square_seven : ∀ n : Nat, n * n ≠ 7 := by
  intro n h
  have h1 : n ≤ 2 ∨ 3 ≤ n := by omega
  rcases h1 with h1 | h1
  have h2 := Nat.mul_le_mul h1 h1
  omega
  have h2 := Nat.mul_le_mul h1 h1
  omega

theorem not_square_forty : ∀ n : Nat, n * n ≠ 40 := by
  intro n h
  have h1 : n ≤ 6 ∨ 7 ≤ n := by omega
  rcases h1 with h1 | h1
  have h2 := Nat.mul_le_mul h1 h1
  omega
  have h2 := Nat.mul_le_mul h1 h1
  omega

theorem square_root_unique : ∀ n : Nat, n * n = 49 → n = 7 := by
  intro n h
  have h1 : n ≤ 6 ∨ n = 7 ∨ 8 ≤ n := by omega
  rcases h1 with h1 | h1 | h1
  have h2 := Nat.mul_le_mul h1 h1
  omega
  exact h1
  have h2 := Nat.mul_le_mul h1 h1
  omega

theorem square_root_unique_big : ∀ n : Nat, n * n = 144 → n = 12 := by
  intro n h
  have h1 : n ≤ 11 ∨ n = 12 ∨ 13 ≤ n := by omega
  rcases h1 with h1 | h1 | h1
  have h2 := Nat.mul_le_mul h1 h1
  omega
  exact h1
  have h2 := Nat.mul_le_mul h1 h1
  omega

theorem square_bound_gives_bound : ∀ n : Nat, n * n ≤ 30 → n ≤ 5 := by
  intro n h
  have h1 : n ≤ 5 ∨ 6 ≤ n := by omega
  rcases h1 with h1 | h1
  exact h1
  have h2 := Nat.mul_le_mul h1 h1
  omega

theorem square_bound_gives_bound_big : ∀ n : Nat, n * n < 100 → n < 10 := by
  intro n h
  have h1 : n < 10 ∨ 10 ≤ n := by omega
  rcases h1 with h1 | h1
  exact h1
  have h2 := Nat.mul_le_mul h1 h1
  omega

theorem quadratic_solution : ∀ n : Nat, n * n + n = 12 → n = 3 := by
  intro n h
  have h1 : n ≤ 2 ∨ n = 3 ∨ 4 ≤ n := by omega
  rcases h1 with h1 | h1 | h1
  have h2 := Nat.mul_le_mul h1 h1
  omega
  exact h1
  have h2 := Nat.mul_le_mul h1 h1
  omega

theorem quadratic_solution_two : ∀ n : Nat, n * n + 3 * n = 40 → n = 5 := by
  intro n h
  have h1 : n ≤ 4 ∨ n = 5 ∨ 6 ≤ n := by omega
  rcases h1 with h1 | h1 | h1
  have h2 := Nat.mul_le_mul h1 h1
  omega
  exact h1
  have h2 := Nat.mul_le_mul h1 h1
  omega

theorem pow_lt_cancel : ∀ a b n : Nat, a ^ n < b ^ n → a < b := by
  intro a b n h
  have h1 : a < b ∨ b ≤ a := by omega
  rcases h1 with h1 | h1
  exact h1
  have h2 := Nat.pow_le_pow_left h1 n
  omega

theorem le_of_all_lt : ∀ a b : Nat, (∀ n, n < a → n < b) → a ≤ b := by
  intro a b h
  cases a with | zero => ?_ | succ a => ?_
  omega
  have h1 := h a
  omega

theorem eq_of_same_bounds : ∀ a b : Nat, (∀ n, n ≤ a ↔ n ≤ b) → a = b := by
  intro a b h
  have h1 := h a
  have h2 := h b
  omega

theorem le_of_add_multiples : ∀ a b : Nat, (∀ n, n * a ≤ n * b + 5) → a ≤ b := by
  intro a b h
  have h1 := h 6
  omega

theorem bounded_multiples_zero : ∀ a c : Nat, (∀ n, n * a ≤ c) → a = 0 := by
  intro a c h
  have h1 := h (c + 1)
  cases a with | zero => ?_ | succ a => ?_
  rfl
  grind

