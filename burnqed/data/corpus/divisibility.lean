/-! Divisibility over Nat and Int: witnesses of quotients, sums, products, cancellation. -/

theorem dvd_add_of_dvd : ∀ a b c : ℕ, a ∣ b → a ∣ c → a ∣ b + c := by
  intro a b c h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x + y, ?_⟩
  grind

theorem dvd_linear : ∀ a b c : ℕ, a ∣ b → a ∣ c → a ∣ 2 * b + 3 * c := by
  intro a b c h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨2 * x + 3 * y, ?_⟩
  grind

theorem dvd_linear_int : ∀ a b c : ℤ, a ∣ b → a ∣ c → a ∣ 5 * b - 7 * c := by
  intro a b c h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨5 * x - 7 * y, ?_⟩
  grind

theorem dvd_linear_any : ∀ a b c m n : ℤ, a ∣ b → a ∣ c → a ∣ m * b + n * c := by
  intro a b c m n h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨m * x + n * y, ?_⟩
  grind

theorem dvd_chain : ∀ a b c : ℕ, a ∣ b → b ∣ c → a ∣ c := by
  intro a b c h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x * y, ?_⟩
  grind

theorem dvd_chain_four : ∀ a b c d : ℕ, a ∣ b → b ∣ c → c ∣ d → a ∣ d := by
  intro a b c d h1 h2 h3
  exact Nat.dvd_trans h1 (Nat.dvd_trans h2 h3)

theorem dvd_mul_both : ∀ a b c d : ℕ, a ∣ b → c ∣ d → a * c ∣ b * d := by
  intro a b c d h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x * y, ?_⟩
  grind

theorem dvd_square : ∀ a b : ℕ, a ∣ b → a * a ∣ b * b := by
  intro a b h
  obtain ⟨x, hx⟩ := h
  refine ⟨x * x, ?_⟩
  grind

theorem dvd_square_int : ∀ a b : ℤ, a ∣ b → a ∣ b * b + 3 * b := by
  intro a b h
  obtain ⟨x, hx⟩ := h
  refine ⟨x * b + 3 * x, ?_⟩
  grind

theorem dvd_cube : ∀ a b : ℤ, a ∣ b → a * a * a ∣ b * b * b := by
  intro a b h
  obtain ⟨x, hx⟩ := h
  refine ⟨x * x * x, ?_⟩
  grind

theorem dvd_pow_three : ∀ a b : ℤ, a ∣ b → a ^ 3 ∣ b ^ 3 := by
  intro a b h
  obtain ⟨x, hx⟩ := h
  refine ⟨x ^ 3, ?_⟩
  grind

theorem dvd_pow_general : ∀ a b n : ℕ, a ∣ b → a ^ n ∣ b ^ n := by
  intro a b n h
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ, Nat.pow_succ]
  exact Nat.mul_dvd_mul ih h

theorem dvd_pow_self_succ : ∀ a n : ℕ, a ∣ a ^ (n + 1) := by
  intro a n
  refine ⟨a ^ n, ?_⟩
  rw [Nat.pow_succ, Nat.mul_comm]

theorem pow_dvd_pow_add : ∀ a m n : ℕ, a ^ m ∣ a ^ (m + n) := by
  intro a m n
  refine ⟨a ^ n, ?_⟩
  rw [Nat.pow_add]

theorem dvd_add_cancel : ∀ a b c : ℕ, a ∣ b → a ∣ b + c → a ∣ c := by
  intro a b c h1 h2
  have h := Nat.dvd_sub h2 h1
  have h3 : b + c - b = c := by omega
  rw [h3] at h
  exact h

theorem dvd_add_cancel_int : ∀ a b c : ℤ, a ∣ b → a ∣ b + c → a ∣ c := by
  intro a b c h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨y - x, ?_⟩
  grind

theorem dvd_sub_double : ∀ a b c : ℤ, a ∣ b + c → a ∣ b - c → a ∣ 2 * b := by
  intro a b c h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x + y, ?_⟩
  grind

theorem dvd_sub_double_right : ∀ a b c : ℤ, a ∣ b + c → a ∣ b - c → a ∣ 2 * c := by
  intro a b c h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x - y, ?_⟩
  grind

theorem dvd_eliminate : ∀ a b c : ℤ, a ∣ 2 * b + 3 * c → a ∣ b + c → a ∣ c := by
  intro a b c h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x - 2 * y, ?_⟩
  grind

theorem dvd_eliminate_five : ∀ a b c : ℤ, a ∣ 5 * b + 2 * c → a ∣ 2 * b + c → a ∣ b := by
  intro a b c h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x - 2 * y, ?_⟩
  grind

theorem dvd_eliminate_seven : ∀ a b c : ℤ, a ∣ 7 * b + 3 * c → a ∣ 2 * b + c → a ∣ b := by
  intro a b c h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x - 3 * y, ?_⟩
  grind

theorem dvd_two_consecutive : ∀ a n : ℤ, a ∣ n → a ∣ n + 1 → a ∣ 1 := by
  intro a n h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨y - x, ?_⟩
  grind

theorem dvd_gap_two : ∀ a n : ℤ, a ∣ n → a ∣ n + 2 → a ∣ 2 := by
  intro a n h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨y - x, ?_⟩
  grind

theorem dvd_linear_gap : ∀ a n : ℤ, a ∣ 2 * n + 1 → a ∣ 3 * n + 2 → a ∣ 1 := by
  intro a n h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨2 * y - 3 * x, ?_⟩
  grind

theorem dvd_linear_gap_two : ∀ a n : ℤ, a ∣ 3 * n + 2 → a ∣ 4 * n + 3 → a ∣ 1 := by
  intro a n h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨3 * y - 4 * x, ?_⟩
  grind

theorem dvd_linear_gap_three : ∀ a n : ℤ, a ∣ 5 * n + 2 → a ∣ 7 * n + 3 → a ∣ 1 := by
  intro a n h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨5 * y - 7 * x, ?_⟩
  grind

theorem dvd_quadratic_gap : ∀ a n : ℤ, a ∣ n + 1 → a ∣ n * n + 2 → a ∣ 3 := by
  intro a n h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨y - x * (n - 1), ?_⟩
  grind

theorem dvd_quadratic_gap_two : ∀ a n : ℤ, a ∣ n - 2 → a ∣ n * n + 1 → a ∣ 5 := by
  intro a n h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨y - x * (n + 2), ?_⟩
  grind

theorem difference_dvd_square_difference : ∀ a b : ℤ, a - b ∣ a * a - b * b := by
  intro a b
  refine ⟨a + b, ?_⟩
  grind

theorem difference_dvd_cube_difference : ∀ a b : ℤ, a - b ∣ a ^ 3 - b ^ 3 := by
  intro a b
  refine ⟨a ^ 2 + a * b + b ^ 2, ?_⟩
  grind

theorem sum_dvd_cube_sum : ∀ a b : ℤ, a + b ∣ a ^ 3 + b ^ 3 := by
  intro a b
  refine ⟨a ^ 2 - a * b + b ^ 2, ?_⟩
  grind

theorem difference_dvd_fourth : ∀ a b : ℤ, a - b ∣ a ^ 4 - b ^ 4 := by
  intro a b
  refine ⟨(a + b) * (a ^ 2 + b ^ 2), ?_⟩
  grind

theorem quadratic_factor : ∀ n : ℤ, n + 2 ∣ n * n + 5 * n + 6 := by
  intro n
  refine ⟨n + 3, ?_⟩
  grind

theorem quadratic_factor_four : ∀ n : ℤ, n + 3 ∣ n * n + 7 * n + 12 := by
  intro n
  refine ⟨n + 4, ?_⟩
  grind

theorem cubic_factor : ∀ n : ℤ, n - 1 ∣ n ^ 3 - 1 := by
  intro n
  refine ⟨n ^ 2 + n + 1, ?_⟩
  grind

theorem quartic_factor : ∀ n : ℤ, n * n + n + 1 ∣ n ^ 4 + n * n + 1 := by
  intro n
  refine ⟨n * n - n + 1, ?_⟩
  grind

theorem difference_dvd_pow : ∀ a b : ℤ, ∀ n : ℕ, a - b ∣ a ^ n - b ^ n := by
  intro a b n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  obtain ⟨x, hx⟩ := ih
  refine ⟨a ^ n + b * x, ?_⟩
  rw [Int.pow_succ, Int.pow_succ]
  grind

theorem pred_dvd_pow : ∀ a : ℤ, ∀ n : ℕ, a - 1 ∣ a ^ n - 1 := by
  intro a n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  obtain ⟨x, hx⟩ := ih
  refine ⟨a ^ n + x, ?_⟩
  rw [Int.pow_succ]
  grind

theorem dvd_antisymm_nat : ∀ a b : ℕ, 0 < a → 0 < b → a ∣ b → b ∣ a → a = b := by
  intro a b ha hb h1 h2
  have h3 := Nat.le_of_dvd hb h1
  have h4 := Nat.le_of_dvd ha h2
  omega

theorem dvd_small_zero : ∀ a b : ℕ, a ∣ b → b < a → b = 0 := by
  intro a b h1 h2
  have h : b = 0 ∨ 0 < b := by omega
  rcases h with h | h
  exact h
  have h3 := Nat.le_of_dvd h h1
  omega

theorem dvd_bound : ∀ a b c : ℕ, 0 < c → a ∣ c → b ∣ c → a ≤ c ∧ b ≤ c := by
  intro a b c hc h1 h2
  refine ⟨?_, ?_⟩
  exact Nat.le_of_dvd hc h1
  exact Nat.le_of_dvd hc h2

theorem dvd_one_eq : ∀ a : ℕ, a ∣ 1 → a = 1 := by
  intro a h
  have h1 := Nat.le_of_dvd (by omega) h
  cases a with | zero => ?_ | succ a => ?_
  simp at h
  omega

theorem dvd_prod_left : ∀ a b c : ℕ, a ∣ b → a ∣ b * c := by
  intro a b c h
  obtain ⟨x, hx⟩ := h
  refine ⟨x * c, ?_⟩
  grind

theorem dvd_prod_right : ∀ a b c : ℕ, a ∣ b → a ∣ c * b := by
  intro a b c h
  obtain ⟨x, hx⟩ := h
  refine ⟨c * x, ?_⟩
  grind

theorem dvd_of_mul_dvd : ∀ a b c : ℕ, a * b ∣ c → a ∣ c := by
  intro a b c h
  obtain ⟨x, hx⟩ := h
  refine ⟨b * x, ?_⟩
  grind

theorem dvd_of_mul_dvd_int : ∀ a b c : ℤ, a * b ∣ c → b ∣ 4 * c := by
  intro a b c h
  obtain ⟨x, hx⟩ := h
  refine ⟨4 * a * x, ?_⟩
  grind

theorem dvd_mul_cancel : ∀ a b c : ℕ, 0 < c → c * a ∣ c * b → a ∣ b := by
  intro a b c hc h
  obtain ⟨x, hx⟩ := h
  refine ⟨x, ?_⟩
  rw [Nat.mul_assoc] at hx
  exact Nat.eq_of_mul_eq_mul_left hc hx

theorem dvd_neg_both : ∀ a b : ℤ, a ∣ b → -a ∣ b := by
  intro a b h
  obtain ⟨x, hx⟩ := h
  refine ⟨-x, ?_⟩
  grind

theorem dvd_sub_swap : ∀ a b c : ℤ, a ∣ b - c → a ∣ c - b := by
  intro a b c h
  obtain ⟨x, hx⟩ := h
  refine ⟨-x, ?_⟩
  grind

theorem congruence_trans : ∀ m a b c : ℤ, m ∣ a - b → m ∣ b - c → m ∣ a - c := by
  intro m a b c h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x + y, ?_⟩
  grind

theorem congruence_add : ∀ m a b c d : ℤ, m ∣ a - b → m ∣ c - d → m ∣ (a + c) - (b + d) := by
  intro m a b c d h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x + y, ?_⟩
  grind

theorem congruence_mul : ∀ m a b c d : ℤ, m ∣ a - b → m ∣ c - d → m ∣ a * c - b * d := by
  intro m a b c d h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x * c + b * y, ?_⟩
  grind

theorem congruence_square : ∀ m a b : ℤ, m ∣ a - b → m ∣ a * a - b * b := by
  intro m a b h
  obtain ⟨x, hx⟩ := h
  refine ⟨x * (a + b), ?_⟩
  grind

theorem congruence_scale : ∀ m a b c : ℤ, m ∣ a - b → m ∣ c * a - c * b := by
  intro m a b c h
  obtain ⟨x, hx⟩ := h
  refine ⟨c * x, ?_⟩
  grind

theorem congruence_pow : ∀ m a b : ℤ, ∀ n : ℕ, m ∣ a - b → m ∣ a ^ n - b ^ n := by
  intro m a b n h
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  obtain ⟨x, hx⟩ := h
  obtain ⟨y, hy⟩ := ih
  refine ⟨a ^ n * x + b * y, ?_⟩
  rw [Int.pow_succ, Int.pow_succ]
  grind

theorem mod_eq_of_dvd_sub : ∀ a b : ℤ, 6 ∣ a - b → a % 6 = b % 6 := by
  intro a b h
  omega

theorem mod_eq_dvd_sub : ∀ a b m : ℕ, b ≤ a → a % m = b % m → m ∣ a - b := by
  intro a b m h1 h2
  have h3 := Nat.div_add_mod a m
  have h4 := Nat.div_add_mod b m
  refine ⟨a / m - b / m, ?_⟩
  rw [Nat.mul_sub]
  omega

theorem mod_of_mod : ∀ n : ℕ, n % 12 % 4 = n % 4 := by
  intro n
  omega

theorem mod_of_mod_general : ∀ n m k : ℕ, n % (m * k) % m = n % m := by
  intro n m k
  exact Nat.mod_mod_of_dvd n (Nat.dvd_mul_right m k)

theorem even_or_odd_product : ∀ a b : ℕ, a * b % 2 = 1 → a % 2 = 1 := by
  intro a b h
  have h1 : a % 2 = 0 ∨ a % 2 = 1 := by omega
  rcases h1 with h1 | h1
  simp [Nat.mul_mod, h1] at h
  exact h1

theorem product_even_cases : ∀ a b : ℕ, a * b % 2 = 0 → a % 2 = 0 ∨ b % 2 = 0 := by
  intro a b h
  have h1 : a % 2 = 0 ∨ a % 2 = 1 := by omega
  have h2 : b % 2 = 0 ∨ b % 2 = 1 := by omega
  rcases h1 with h1 | h1 <;> rcases h2 with h2 | h2 <;> simp [Nat.mul_mod, h1, h2] at h ⊢

theorem product_mod_three_cases : ∀ a b : ℕ, a * b % 3 = 0 → a % 3 = 0 ∨ b % 3 = 0 := by
  intro a b h
  have h1 : a % 3 = 0 ∨ a % 3 = 1 ∨ a % 3 = 2 := by omega
  have h2 : b % 3 = 0 ∨ b % 3 = 1 ∨ b % 3 = 2 := by omega
  rcases h1 with h1 | h1 | h1 <;> rcases h2 with h2 | h2 | h2 <;> simp [Nat.mul_mod, h1, h2] at h ⊢

theorem even_square_dvd_four : ∀ n : ℕ, n % 2 = 0 → 4 ∣ n * n := by
  intro n h
  obtain ⟨x, hx⟩ := Nat.dvd_of_mod_eq_zero h
  refine ⟨x * x, ?_⟩
  grind

theorem multiple_of_three_square : ∀ n : ℕ, 3 ∣ n → 9 ∣ n * n := by
  intro n h
  obtain ⟨x, hx⟩ := h
  refine ⟨x * x, ?_⟩
  grind

theorem multiple_of_five_square : ∀ n : ℕ, 5 ∣ n → 25 ∣ n * n := by
  intro n h
  obtain ⟨x, hx⟩ := h
  refine ⟨x * x, ?_⟩
  grind

theorem multiple_product : ∀ a b : ℕ, 4 ∣ a → 6 ∣ b → 24 ∣ a * b := by
  intro a b h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x * y, ?_⟩
  grind

theorem multiple_product_int : ∀ a b : ℤ, 3 ∣ a → 7 ∣ b → 21 ∣ a * b + 3 * b := by
  intro a b h1 h2
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x * y + y, ?_⟩
  grind

theorem coprime_parts : ∀ n : ℕ, 2 ∣ n → 3 ∣ n → 6 ∣ n := by
  intro n h1 h2
  omega

theorem coprime_parts_int : ∀ n : ℤ, 4 ∣ n → 9 ∣ n → 36 ∣ n := by
  intro n h1 h2
  omega

theorem consecutive_quotient : ∀ n : ℕ, ∃ k, n * (n + 1) = 2 * k := by
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  exact ⟨0, rfl⟩
  obtain ⟨x, hx⟩ := ih
  refine ⟨x + n + 1, ?_⟩
  grind

theorem three_consecutive_dvd : ∀ n : ℕ, 3 ∣ n * (n + 1) * (n + 2) := by
  intro n
  have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  apply Nat.dvd_of_mod_eq_zero
  rcases h with h | h | h
  simp [Nat.mul_mod, h]
  simp [Nat.mul_mod, Nat.add_mod, h]
  simp [Nat.mul_mod, Nat.add_mod, h]
