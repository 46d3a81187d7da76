/-! Strong induction, induction on two variables, generalised induction, measures, descent. -/

theorem halving_reaches_zero : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, 0 < n → f n = f (n / 2)) → ∀ n, f n = 0 := by
  intro f hf0 hf n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  have h : n = 0 ∨ 0 < n := by omega
  rcases h with h | h
  rw [h, hf0]
  rw [hf n h]
  exact ih (n / 2) (by omega)

theorem halving_log_bound : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, 0 < n → f n = f (n / 2) + 1) → ∀ n, f n ≤ n := by
  intro f hf0 hf n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  have h : n = 0 ∨ 0 < n := by omega
  rcases h with h | h
  rw [h, hf0]
  omega
  have h1 := ih (n / 2) (by omega)
  rw [hf n h]
  omega

theorem thirding_log_bound : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, 0 < n → f n = f (n / 3) + 2) → ∀ n, f n ≤ 2 * n := by
  intro f hf0 hf n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  have h : n = 0 ∨ 0 < n := by omega
  rcases h with h | h
  rw [h, hf0]
  omega
  have h1 := ih (n / 3) (by omega)
  rw [hf n h]
  omega

theorem halving_power_bound : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, 0 < n → f n = f (n / 2) + 1) → ∀ n, 0 < n → 2 ^ f n ≤ 2 * n := by
  intro f hf0 hf n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  intro h
  have h1 : n / 2 = 0 ∨ 0 < n / 2 := by omega
  rw [hf n h, Nat.pow_succ]
  rcases h1 with h1 | h1
  rw [h1, hf0]
  omega
  have h2 := ih (n / 2) (by omega) h1
  omega

theorem halving_copy : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (2 * n) = 2 * f n) → (∀ n, f (2 * n + 1) = 2 * f n + 1) → ∀ n, f n = n := by
  intro f hf0 h1 h2 n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  have h : n = 0 ∨ (0 < n ∧ n = 2 * (n / 2)) ∨ n = 2 * (n / 2) + 1 := by omega
  rcases h with h | h | h
  rw [h, hf0]
  have h3 := ih (n / 2) (by omega)
  rw [h.2, h1]
  omega
  have h3 := ih (n / 2) (by omega)
  rw [h, h2]
  omega

theorem halving_positive : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (2 * n) = 2 * f n) → (∀ n, f (2 * n + 1) = f n + 1) → ∀ n, 0 < f n := by
  intro f hf0 h1 h2 n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  have h : n = 0 ∨ (0 < n ∧ n = 2 * (n / 2)) ∨ n = 2 * (n / 2) + 1 := by omega
  rcases h with h | h | h
  rw [h, hf0]
  omega
  have h3 := ih (n / 2) (by omega)
  rw [h.2, h1]
  omega
  have h3 := ih (n / 2) (by omega)
  rw [h, h2]
  omega

theorem halving_bit_count : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (2 * n) = f n) → (∀ n, f (2 * n + 1) = f n + 1) → ∀ n, f n ≤ n := by
  intro f hf0 h1 h2 n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  have h : n = 0 ∨ (0 < n ∧ n = 2 * (n / 2)) ∨ n = 2 * (n / 2) + 1 := by omega
  rcases h with h | h | h
  rw [h, hf0]
  omega
  have h3 := ih (n / 2) (by omega)
  rw [h.2, h1]
  omega
  have h3 := ih (n / 2) (by omega)
  rw [h, h2]
  omega

theorem strong_step_down : ∀ (f : Nat → Nat), (∀ n, 0 < n → f n ≤ f (n - 1)) → ∀ n, f n ≤ f 0 := by
  intro f hf n
  induction n with | zero => ?_ | succ n ih => ?_
  omega
  have h := hf (n + 1) (by omega)
  simp at h
  omega

theorem strong_property_predecessors : ∀ (p : Nat → Prop), (∀ n, (∀ m, m < n → p m) → p n) → ∀ n, p n := by
  intro p h n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  exact h n ih

theorem strong_property_half : ∀ (p : Nat → Prop), p 0 → (∀ n, p (n / 2) → p n) → ∀ n, p n := by
  intro p h0 h n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  have h1 : n = 0 ∨ 0 < n := by omega
  rcases h1 with h1 | h1
  rw [h1]
  exact h0
  exact h n (ih (n / 2) (by omega))

theorem strong_property_gap : ∀ (p : Nat → Prop), p 0 → p 1 → p 2 → (∀ n, p n → p (n + 3)) → ∀ n, p n := by
  intro p h0 h1 h2 h n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  have h3 : n = 0 ∨ n = 1 ∨ n = 2 ∨ n = n - 3 + 3 := by omega
  rcases h3 with h3 | h3 | h3 | h3
  rw [h3]
  exact h0
  rw [h3]
  exact h1
  rw [h3]
  exact h2
  rw [h3]
  exact h (n - 3) (ih (n - 3) (by omega))

theorem strong_collatz_like : ∀ (f : Nat → Nat), (∀ n, 0 < n → f n < n) → f 0 = 0 → ∀ p : Nat → Prop, p 0 → (∀ n, p (f n) → p n) → ∀ n, p n := by
  intro f hf hf0 p h0 h n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  have h1 : n = 0 ∨ 0 < n := by omega
  rcases h1 with h1 | h1
  rw [h1]
  exact h0
  exact h n (ih (f n) (hf n h1))

theorem euclid_measure : ∀ (g : Nat → Nat → Nat), (∀ a, g a 0 = a) → (∀ a b, 0 < b → g a b = g b (a % b)) → ∀ b a, g a b ∣ b := by
  intro g h1 h2 b
  induction b using Nat.strongRecOn with | ind b ih => ?_
  intro a
  have h : b = 0 ∨ 0 < b := by omega
  rcases h with h | h
  rw [h, h1]
  exact Nat.dvd_zero a
  rw [h2 a b h]
  have h3 := Nat.mod_lt a h
  have h4 : a % b = 0 ∨ 0 < a % b := by omega
  rcases h4 with h4 | h4
  rw [h4, h1]
  exact Nat.dvd_refl b
  rw [h2 b (a % b) h4]
  have h5 := ih (a % b) h3 b
  have h6 := ih (b % (a % b)) (Nat.lt_trans (Nat.mod_lt b h4) h3) (a % b)
  rw [h2 b (a % b) h4] at h5
  exact (Nat.dvd_mod_iff h5).mp h6

theorem euclid_positive : ∀ (g : Nat → Nat → Nat), (∀ a, g a 0 = a) → (∀ a b, 0 < b → g a b = g b (a % b)) → ∀ b a, 0 < a → 0 < g a b := by
  intro g h1 h2 b
  induction b using Nat.strongRecOn with | ind b ih => ?_
  intro a ha
  have h : b = 0 ∨ 0 < b := by omega
  rcases h with h | h
  rw [h, h1]
  exact ha
  rw [h2 a b h]
  exact ih (a % b) (Nat.mod_lt a h) b h

theorem euclid_zero : ∀ (g : Nat → Nat → Nat), (∀ a, g a 0 = a) → (∀ a b, 0 < b → g a b = g b (a % b)) → ∀ b, g 0 b = b := by
  intro g h1 h2 b
  have h : b = 0 ∨ 0 < b := by omega
  rcases h with h | h
  rw [h, h1]
  rw [h2 0 b h, Nat.zero_mod, h1]

theorem subtraction_division : ∀ (d : Nat → Nat), (∀ n, n < 3 → d n = 0) → (∀ n, d (n + 3) = d n + 1) → ∀ n, d n = n / 3 := by
  intro d h1 h2 n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  have h : n < 3 ∨ 3 ≤ n := by omega
  rcases h with h | h
  rw [h1 n h]
  omega
  have h3 := ih (n - 3) (by omega)
  have h4 := h2 (n - 3)
  rw [Nat.sub_add_cancel h] at h4
  omega

theorem subtraction_remainder : ∀ (r : Nat → Nat), (∀ n, n < 5 → r n = n) → (∀ n, r (n + 5) = r n) → ∀ n, r n = n % 5 := by
  intro r h1 h2 n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  have h : n < 5 ∨ 5 ≤ n := by omega
  rcases h with h | h
  rw [h1 n h]
  omega
  have h3 := ih (n - 5) (by omega)
  have h4 := h2 (n - 5)
  rw [Nat.sub_add_cancel h] at h4
  omega

theorem subtraction_remainder_bound : ∀ (r : Nat → Nat), (∀ n, n < 7 → r n = n) → (∀ n, r (n + 7) = r n) → ∀ n, r n < 7 := by
  intro r h1 h2 n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  have h : n < 7 ∨ 7 ≤ n := by omega
  rcases h with h | h
  rw [h1 n h]
  exact h
  have h3 := ih (n - 7) (by omega)
  have h4 := h2 (n - 7)
  rw [Nat.sub_add_cancel h] at h4
  omega

theorem addition_table : ∀ (f : Nat → Nat → Nat), (∀ a, f a 0 = a) → (∀ a b, f a (b + 1) = f a b + 1) → ∀ a b, f a b = a + b := by
  intro f h1 h2 a b
  induction b with | zero => ?_ | succ b ih => ?_
  exact h1 a
  rw [h2, ih]
  omega

theorem multiplication_table : ∀ (f : Nat → Nat → Nat), (∀ a, f a 0 = 0) → (∀ a b, f a (b + 1) = f a b + a) → ∀ a b, f a b = a * b := by
  intro f h1 h2 a b
  induction b with | zero => ?_ | succ b ih => ?_
  simp [h1]
  rw [h2, ih]
  grind

theorem multiplication_table_comm : ∀ (f : Nat → Nat → Nat), (∀ a, f a 0 = 0) → (∀ a b, f a (b + 1) = f a b + a) → (∀ a b, f a b = a * b) → ∀ a b, f a b = f b a := by
  intro f h1 h2 h a b
  rw [h, h, Nat.mul_comm]

theorem addition_table_left : ∀ (f : Nat → Nat → Nat), (∀ b, f 0 b = b) → (∀ a b, f (a + 1) b = f a (b + 1)) → ∀ a b, f a b = a + b := by
  intro f h1 h2 a
  induction a with | zero => ?_ | succ a ih => ?_
  simp [h1]
  intro b
  rw [h2, ih]
  omega

theorem multiplication_accumulator : ∀ (f : Nat → Nat → Nat), (∀ b, f 0 b = b) → (∀ a b, f (a + 1) b = f a (b + 4)) → ∀ a b, f a b = 4 * a + b := by
  intro f h1 h2 a
  induction a with | zero => ?_ | succ a ih => ?_
  simp [h1]
  intro b
  rw [h2, ih]
  omega

theorem doubling_accumulator : ∀ (f : Nat → Nat → Nat), (∀ b, f 0 b = b) → (∀ a b, f (a + 1) b = f a (2 * b)) → ∀ a b, f a b = 2 ^ a * b := by
  intro f h1 h2 a
  induction a with | zero => ?_ | succ a ih => ?_
  simp [h1]
  intro b
  rw [h2, ih, Nat.pow_succ]
  grind

theorem triangle_accumulator : ∀ (f : Nat → Nat → Nat), (∀ b, f 0 b = b) → (∀ a b, f (a + 1) b = f a (b + a)) → ∀ a b, 2 * f a b + a = a * a + 2 * b := by
  intro f h1 h2 a
  induction a with | zero => ?_ | succ a ih => ?_
  simp [h1]
  intro b
  have h := ih (b + a)
  rw [h2]
  grind

theorem fib_accumulator : ∀ (f : Nat → Nat → Nat → Nat), (∀ a b, f 0 a b = a) → (∀ n a b, f (n + 1) a b = f n b (a + b)) → ∀ n a b, f n (2 * a) (2 * b) = 2 * f n a b := by
  intro f h1 h2 n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [h1]
  intro a b
  rw [h2, h2, ← Nat.mul_add, ih]

theorem fib_accumulator_add : ∀ (f : Nat → Nat → Nat → Nat), (∀ a b, f 0 a b = a) → (∀ n a b, f (n + 1) a b = f n b (a + b)) → ∀ n a b c d, f n (a + c) (b + d) = f n a b + f n c d := by
  intro f h1 h2 n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [h1]
  intro a b c d
  rw [h2, h2, h2, ← ih]
  have h : a + c + (b + d) = a + b + (c + d) := by omega
  rw [h]

theorem swap_recursion : ∀ (f : Nat → Nat → Nat → Nat), (∀ a b, f 0 a b = a + b) → (∀ n a b, f (n + 1) a b = f n b a) → ∀ n a b, f n a b = a + b := by
  intro f h1 h2 n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h1
  intro a b
  rw [h2, ih]
  omega

theorem pascal_edge : ∀ (c : Nat → Nat → Nat), (∀ n, c n 0 = 1) → (∀ k, c 0 (k + 1) = 0) → (∀ n k, c (n + 1) (k + 1) = c n k + c n (k + 1)) → ∀ n, c n 1 = n := by
  intro c h1 h2 h3 n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h2 0
  rw [h3, h1, ih]
  omega

theorem pascal_above_zero : ∀ (c : Nat → Nat → Nat), (∀ n, c n 0 = 1) → (∀ k, c 0 (k + 1) = 0) → (∀ n k, c (n + 1) (k + 1) = c n k + c n (k + 1)) → ∀ n k, n < k → c n k = 0 := by
  intro c h1 h2 h3 n
  induction n with | zero => ?_ | succ n ih => ?_
  intro k h
  cases k with | zero => ?_ | succ k => ?_
  omega
  exact h2 k
  intro k h
  cases k with | zero => ?_ | succ k => ?_
  omega
  rw [h3, ih k (by omega), ih (k + 1) (by omega)]

theorem pascal_diagonal : ∀ (c : Nat → Nat → Nat), (∀ n, c n 0 = 1) → (∀ n k, n < k → c n k = 0) → (∀ n k, c (n + 1) (k + 1) = c n k + c n (k + 1)) → ∀ n, c n n = 1 := by
  intro c h1 h2 h3 n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h1 0
  rw [h3, ih, h2 n (n + 1) (by omega)]

theorem pascal_second : ∀ (c : Nat → Nat → Nat), (∀ n, c n 1 = n) → c 0 2 = 0 → (∀ n k, c (n + 1) (k + 1) = c n k + c n (k + 1)) → ∀ n, 2 * c n 2 + n = n * n := by
  intro c h1 h2 h3 n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [h2]
  have h := h3 n 1
  have h4 := h1 n
  grind

theorem ackermann_one : ∀ (f : Nat → Nat → Nat), (∀ n, f 0 n = n + 1) → (∀ m, f (m + 1) 0 = f m 1) → (∀ m n, f (m + 1) (n + 1) = f m (f (m + 1) n)) → ∀ n, f 1 n = n + 2 := by
  intro f h1 h2 h3 n
  induction n with | zero => ?_ | succ n ih => ?_
  rw [h2, h1]
  rw [h3, ih, h1]

theorem ackermann_two : ∀ (f : Nat → Nat → Nat), (∀ n, f 1 n = n + 2) → (∀ m, f (m + 1) 0 = f m 1) → (∀ m n, f (m + 1) (n + 1) = f m (f (m + 1) n)) → ∀ n, f 2 n = 2 * n + 3 := by
  intro f h1 h2 h3 n
  induction n with | zero => ?_ | succ n ih => ?_
  rw [h2, h1]
  rw [h3, ih, h1]
  omega

theorem ackermann_positive : ∀ (f : Nat → Nat → Nat), (∀ n, f 0 n = n + 1) → (∀ m, f (m + 1) 0 = f m 1) → (∀ m n, f (m + 1) (n + 1) = f m (f (m + 1) n)) → ∀ m n, 0 < f m n := by
  intro f h1 h2 h3 m
  induction m with | zero => ?_ | succ m ih => ?_
  intro n
  rw [h1]
  omega
  intro n
  cases n with | zero => ?_ | succ n => ?_
  rw [h2]
  exact ih 1
  rw [h3]
  exact ih (f (m + 1) n)

theorem ackermann_grows : ∀ (f : Nat → Nat → Nat), (∀ n, f 0 n = n + 1) → (∀ m, f (m + 1) 0 = f m 1) → (∀ m n, f (m + 1) (n + 1) = f m (f (m + 1) n)) → ∀ m n, n < f m n := by
  intro f h1 h2 h3 m
  induction m with | zero => ?_ | succ m ih => ?_
  intro n
  rw [h1]
  omega
  intro n
  induction n with | zero => ?_ | succ n ih1 => ?_
  have h := ih 1
  rw [h2]
  omega
  have h := ih (f (m + 1) n)
  rw [h3]
  omega

theorem grid_constant : ∀ (f : Nat → Nat → Nat), (∀ m n, f (m + 1) n = f m n) → (∀ m n, f m (n + 1) = f m n) → ∀ m n, f m n = f 0 0 := by
  intro f h1 h2 m n
  induction m with | zero => ?_ | succ m ih => ?_
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [h2, ih]
  rw [h1, ih]

theorem grid_sum : ∀ (f : Nat → Nat → Nat), f 0 0 = 0 → (∀ m n, f (m + 1) n = f m n + 2) → (∀ m n, f m (n + 1) = f m n + 3) → ∀ m n, f m n = 2 * m + 3 * n := by
  intro f h0 h1 h2 m n
  induction m with | zero => ?_ | succ m ih => ?_
  induction n with | zero => ?_ | succ n ih => ?_
  simp [h0]
  rw [h2, ih]
  omega
  rw [h1, ih]
  omega

theorem grid_product : ∀ (f : Nat → Nat → Nat), f 0 0 = 1 → (∀ m n, f (m + 1) n = 2 * f m n) → (∀ m n, f m (n + 1) = 3 * f m n) → ∀ m n, f m n = 2 ^ m * 3 ^ n := by
  intro f h0 h1 h2 m n
  induction m with | zero => ?_ | succ m ih => ?_
  induction n with | zero => ?_ | succ n ih => ?_
  simp [h0]
  rw [h2, ih, Nat.pow_succ]
  omega
  rw [h1, ih, Nat.pow_succ]
  grind

theorem grid_monotone : ∀ (f : Nat → Nat → Nat), (∀ m n, f m n ≤ f (m + 1) n) → (∀ m n, f m n ≤ f m (n + 1)) → ∀ m n, f 0 0 ≤ f m n := by
  intro f h1 h2 m n
  induction m with | zero => ?_ | succ m ih => ?_
  induction n with | zero => ?_ | succ n ih => ?_
  omega
  have h := h2 0 n
  omega
  have h := h1 m n
  omega

theorem grid_symmetric : ∀ (f : Nat → Nat → Nat), (∀ n, f 0 n = n) → (∀ m, f m 0 = m) → (∀ m n, f (m + 1) (n + 1) = f m n + 1) → ∀ m n, f m n = f n m := by
  intro f h1 h2 h3 m
  induction m with | zero => ?_ | succ m ih => ?_
  intro n
  rw [h1, h2]
  intro n
  cases n with | zero => ?_ | succ n => ?_
  rw [h1, h2]
  rw [h3, h3, ih]

theorem grid_max : ∀ (f : Nat → Nat → Nat), (∀ n, f 0 n = n) → (∀ m, f m 0 = m) → (∀ m n, f (m + 1) (n + 1) = f m n + 1) → ∀ m n, f m n = max m n := by
  intro f h1 h2 h3 m
  induction m with | zero => ?_ | succ m ih => ?_
  intro n
  rw [h1]
  omega
  intro n
  cases n with | zero => ?_ | succ n => ?_
  rw [h2]
  omega
  rw [h3, ih]
  omega

theorem grid_min : ∀ (f : Nat → Nat → Nat), (∀ n, f 0 n = 0) → (∀ m, f m 0 = 0) → (∀ m n, f (m + 1) (n + 1) = f m n + 1) → ∀ m n, f m n = min m n := by
  intro f h1 h2 h3 m
  induction m with | zero => ?_ | succ m ih => ?_
  intro n
  rw [h1]
  omega
  intro n
  cases n with | zero => ?_ | succ n => ?_
  rw [h2]
  omega
  rw [h3, ih]
  omega

theorem induction_from_start : ∀ (p : Nat → Prop) (k : Nat), p k → (∀ n, k ≤ n → p n → p (n + 1)) → ∀ n, k ≤ n → p n := by
  intro p k h0 h n hn
  induction n with | zero => ?_ | succ n ih => ?_
  have h1 : k = 0 := by omega
  rw [h1] at h0
  exact h0
  have h1 : k = n + 1 ∨ k ≤ n := by omega
  rcases h1 with h1 | h1
  rw [h1] at h0
  exact h0
  exact h n h1 (ih h1)

theorem induction_two_below : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) ≤ f n + 1) → ∀ n, f (2 * n) ≤ 2 * n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h1 := hf (2 * n)
  have h2 := hf (2 * n + 1)
  grind

theorem induction_difference : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = f n + 4) → ∀ n m, f (n + m) = f n + 4 * m := by
  intro f hf n m
  induction m with | zero => ?_ | succ m ih => ?_
  simp
  rw [← Nat.add_assoc, hf, ih]
  omega

theorem decreasing_reaches_zero : ∀ (f : Nat → Nat), (∀ n, 0 < f n → f (n + 1) < f n) → (∀ n, f n = 0 → f (n + 1) = 0) → ∀ n, f n ≤ f 0 - n := by
  intro f h1 h2 n
  induction n with | zero => ?_ | succ n ih => ?_
  omega
  have h : f n = 0 ∨ 0 < f n := by omega
  rcases h with h | h
  have h3 := h2 n h
  omega
  have h3 := h1 n h
  omega

theorem no_infinite_decrease : ∀ (f : Nat → Nat), ¬ ∀ n, f (n + 1) < f n := by
  intro f h
  suffices h1 : ∀ n, f n + n ≤ f 0 by have h2 := h1 (f 0 + 1); omega
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  omega
  have h2 := h n
  omega

theorem pigeonhole_step : ∀ (f : Nat → Nat) (c : Nat), (∀ n, f n ≤ f (n + 1)) → (∀ n, f n ≤ c) → ¬ ∀ n, f n < f (n + 1) := by
  intro f c h1 h2 h
  suffices h3 : ∀ n, n ≤ f n by have h4 := h3 (c + 1); have h5 := h2 (c + 1); omega
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  omega
  have h4 := h n
  omega

theorem intermediate_value : ∀ (f : Nat → Int), f 0 ≤ 0 → (∀ n, f (n + 1) ≤ f n + 1) → (∃ n, 0 < f n) → ∃ n, f n = 0 := by
  intro f h0 h h1
  obtain ⟨x, hx⟩ := h1
  induction x with | zero => ?_ | succ x ih => ?_
  omega
  have h2 := h x
  have h3 : f x = 0 ∨ 0 < f x := by omega
  rcases h3 with h3 | h3
  exact ⟨x, h3⟩
  exact ih h3

theorem prefix_maximum : ∀ (f : Nat → Nat) (n : Nat), ∃ k, k ≤ n ∧ ∀ m, m ≤ n → f m ≤ f k := by
  intro f n
  induction n with | zero => ?_ | succ n ih => ?_
  refine ⟨0, by omega, ?_⟩
  intro m h
  have h1 : m = 0 := by omega
  rw [h1]
  omega
  obtain ⟨x, hx⟩ := ih
  have h1 : f x ≤ f (n + 1) ∨ f (n + 1) ≤ f x := by omega
  rcases h1 with h1 | h1
  refine ⟨n + 1, by omega, ?_⟩
  intro m h
  have h2 : m = n + 1 ∨ m ≤ n := by omega
  rcases h2 with h2 | h2
  rw [h2]
  omega
  have h3 := hx.2 m h2
  omega
  refine ⟨x, by omega, ?_⟩
  intro m h
  have h2 : m = n + 1 ∨ m ≤ n := by omega
  rcases h2 with h2 | h2
  rw [h2]
  exact h1
  exact hx.2 m h2

theorem every_number_has_odd_part : ∀ n : Nat, 0 < n → ∃ k m, n = 2 ^ k * m ∧ m % 2 = 1 := by
  intro n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  intro h
  have h1 : n % 2 = 1 ∨ n = 2 * (n / 2) := by omega
  rcases h1 with h1 | h1
  refine ⟨0, n, ?_, h1⟩
  simp
  obtain ⟨k, m, hk⟩ := ih (n / 2) (by omega) (by omega)
  refine ⟨k + 1, m, ?_, hk.2⟩
  rw [Nat.pow_succ]
  grind
