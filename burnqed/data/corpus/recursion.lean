/-! Functions given by their recursion: closed forms, bounds, parity, divisibility, two-step recursions, pairs. -/

theorem affine_two_one : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = 2 * f n + 1) → ∀ n, f n + 1 = 2 ^ (n + 1) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem affine_hanoi : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = 2 * f n + 1) → ∀ n, f n + 1 = 2 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem affine_three_two : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = 3 * f n + 2) → ∀ n, f n + 1 = 3 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem affine_five_four : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = 5 * f n + 4) → ∀ n, f n = 5 ^ n - 1 := by
  intro f hf0 hf n
  suffices h : f n + 1 = 5 ^ n by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem affine_two_three : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = 2 * f n + 3) → ∀ n, f n = 3 * 2 ^ n - 3 := by
  intro f hf0 hf n
  suffices h : f n + 3 = 3 * 2 ^ n by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem affine_three_one : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = 3 * f n + 1) → ∀ n, 2 * f n + 1 = 3 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem affine_decrease : ∀ (f : Nat → Nat), f 0 = 2 → (∀ n, f (n + 1) = 2 * f n - 1) → ∀ n, f n = 2 ^ n + 1 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem affine_decrease_three : ∀ (f : Nat → Nat), f 0 = 3 → (∀ n, f (n + 1) = 3 * f n - 4) → ∀ n, f n = 3 ^ n + 2 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem affine_int : ∀ (f : Nat → Int), f 0 = 1 → (∀ n, f (n + 1) = 2 * f n - 3) → ∀ n, f n = 3 - 2 * 2 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih, Int.pow_succ]
  omega

theorem affine_int_neg : ∀ (f : Nat → Int), f 0 = 4 → (∀ n, f (n + 1) = 2 - f n) → ∀ n, f (2 * n) = 4 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h1 := hf (2 * n)
  have h2 := hf (2 * n + 1)
  grind

theorem affine_fixed_point : ∀ (f : Nat → Int) (a b : Int), f 0 = b → (∀ n, f (n + 1) = a * f n + b * (1 - a)) → ∀ n, f n = b := by
  intro f a b hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem power_recursion : ∀ (f : Nat → Nat) (a : Nat), f 0 = 1 → (∀ n, f (n + 1) = a * f n) → ∀ n, f n = a ^ n := by
  intro f a hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih, Nat.pow_succ]
  grind

theorem power_recursion_scaled : ∀ (f : Nat → Int) (a c : Int), f 0 = c → (∀ n, f (n + 1) = a * f n) → ∀ n, f n = c * a ^ n := by
  intro f a c hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih, Int.pow_succ]
  grind

theorem double_step : ∀ (f : Nat → Nat), f 0 = 3 → (∀ n, f (n + 1) = f n + f n) → ∀ n, f n = 3 * 2 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih, Nat.pow_succ]
  omega

theorem power_times_linear : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = 2 * f n + 2 ^ (n + 1)) → ∀ n, f n = n * 2 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih, Nat.pow_succ]
  grind

theorem power_difference : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = 2 * f n + 3 ^ n) → ∀ n, f n + 2 ^ n = 3 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ, Nat.pow_succ]
  omega

theorem power_difference_five : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = 4 * f n + 5 ^ n) → ∀ n, f n + 4 ^ n = 5 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ, Nat.pow_succ]
  omega

theorem power_and_line : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = 2 * f n + n) → ∀ n, f n + n + 1 = 2 * 2 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem factorial_positive : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = (n + 1) * f n) → ∀ n, 0 < f n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  exact Nat.mul_pos (by omega) ih

theorem factorial_ge_self : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = (n + 1) * f n) → (∀ n, 0 < f n) → ∀ n, n ≤ f n := by
  intro f hf0 hf h n
  cases n with | zero => ?_ | succ n => ?_
  omega
  have h1 := h n
  rw [hf]
  exact Nat.le_mul_of_pos_right (n + 1) h1

theorem factorial_ge_power : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = (n + 1) * f n) → ∀ n, 2 ^ n ≤ f (n + 1) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf, hf0]
  have h1 : 2 * 2 ^ n ≤ (n + 1 + 1) * f (n + 1) := Nat.mul_le_mul (by omega) ih
  rw [hf, Nat.pow_succ]
  omega

theorem factorial_even : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = (n + 1) * f n) → ∀ n, f (n + 2) % 2 = 0 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf, hf0]
  rw [hf, Nat.mul_mod, ih]
  simp

theorem factorial_dvd_three : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = (n + 1) * f n) → ∀ n, 3 ∣ f (n + 3) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf, hf0]
  rw [hf]
  exact Nat.dvd_trans ih (Nat.dvd_mul_left _ _)

theorem factorial_le_step : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = (n + 1) * f n) → ∀ n, f n ≤ f (n + 1) := by
  intro f hf0 hf n
  rw [hf]
  exact Nat.le_mul_of_pos_left (f n) (by omega)

theorem step_monotone : ∀ (f : Nat → Nat), (∀ n, f n ≤ f (n + 1)) → ∀ n m, f n ≤ f (n + m) := by
  intro f hf n m
  induction m with | zero => ?_ | succ m ih => ?_
  simp
  have h := hf (n + m)
  grind

theorem step_antitone : ∀ (f : Nat → Int), (∀ n, f (n + 1) ≤ f n) → ∀ n m, f (n + m) ≤ f n := by
  intro f hf n m
  induction m with | zero => ?_ | succ m ih => ?_
  simp
  have h := hf (n + m)
  grind

theorem strict_step_ge : ∀ (f : Nat → Nat), (∀ n, f n < f (n + 1)) → ∀ n, n ≤ f n := by
  intro f hf n
  induction n with | zero => ?_ | succ n ih => ?_
  omega
  have h := hf n
  omega

theorem strict_step_gap : ∀ (f : Nat → Nat), (∀ n, f n < f (n + 1)) → ∀ n m, f n + m ≤ f (n + m) := by
  intro f hf n m
  induction m with | zero => ?_ | succ m ih => ?_
  simp
  have h := hf (n + m)
  grind

theorem step_two_gap : ∀ (f : Nat → Nat), (∀ n, f n + 2 ≤ f (n + 1)) → ∀ n, 2 * n + f 0 ≤ f n := by
  intro f hf n
  induction n with | zero => ?_ | succ n ih => ?_
  omega
  have h := hf n
  omega

theorem step_upper : ∀ (f : Nat → Nat), (∀ n, f (n + 1) ≤ f n + 3) → ∀ n, f n ≤ f 0 + 3 * n := by
  intro f hf n
  induction n with | zero => ?_ | succ n ih => ?_
  omega
  have h := hf n
  omega

theorem step_constant : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = f n) → ∀ n m, f n = f m := by
  intro f hf n m
  suffices h : ∀ k, f k = f 0 by rw [h n, h m]
  intro k
  induction k with | zero => ?_ | succ k ih => ?_
  rfl
  rw [hf, ih]

theorem step_constant_zero : ∀ (f : Nat → Nat) (c : Nat), f 0 = c → (∀ n, f (n + 1) = f n) → ∀ n, f n = c := by
  intro f c hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  exact hf0
  rw [hf, ih]

theorem period_two : ∀ (f : Nat → Nat), (∀ n, f (n + 2) = f n) → ∀ n, f (2 * n) = f 0 := by
  intro f hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  have h := hf (2 * n)
  grind

theorem period_three : ∀ (f : Nat → Int), (∀ n, f (n + 3) = f n) → ∀ n, f (3 * n + 1) = f 1 := by
  intro f hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  have h := hf (3 * n + 1)
  grind

theorem period_shift : ∀ (f : Nat → Nat) (p : Nat), (∀ n, f (n + p) = f n) → ∀ n k, f (n + k * p) = f n := by
  intro f p hf n k
  induction k with | zero => ?_ | succ k ih => ?_
  simp
  have h := hf (n + k * p)
  grind

theorem parity_alternates : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 1) → ∀ n, f (2 * n) % 2 = 0 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h1 := hf (2 * n)
  have h2 := hf (2 * n + 1)
  grind

theorem parity_odd_affine : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = 4 * f n + 3) → ∀ n, f n % 2 = 1 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem residue_three_affine : ∀ (f : Nat → Nat), f 0 = 2 → (∀ n, f (n + 1) = 4 * f n + 3) → ∀ n, f n % 3 = 2 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem residue_five_affine : ∀ (f : Nat → Nat), f 0 = 3 → (∀ n, f (n + 1) = 6 * f n + 10) → ∀ n, f n % 5 = 3 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem residue_seven_affine : ∀ (f : Nat → Nat), f 0 = 6 → (∀ n, f (n + 1) = 8 * f n + 7) → ∀ n, f n % 7 = 6 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem residue_two_cases : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = 2 * f n) → ∀ n, f n % 3 = 1 ∨ f n % 3 = 2 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem residue_two_cases_five : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = 4 * f n) → ∀ n, f n % 5 = 1 ∨ f n % 5 = 4 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem dvd_affine : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = 7 * f n + 6) → ∀ n, 6 ∣ f n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem dvd_affine_ten : ∀ (f : Nat → Nat), f 0 = 5 → (∀ n, f (n + 1) = 3 * f n + 10) → ∀ n, 5 ∣ f n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem dvd_affine_int : ∀ (f : Nat → Int), f 0 = 12 → (∀ n, f (n + 1) = 5 * f n - 8) → ∀ n, 4 ∣ f n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem dvd_of_start : ∀ (f : Nat → Nat) (a b k : Nat), k ∣ f 0 → k ∣ b → (∀ n, f (n + 1) = a * f n + b) → ∀ n, k ∣ f n := by
  intro f a b k hf0 h hf n
  induction n with | zero => ?_ | succ n ih => ?_
  exact hf0
  rw [hf]
  exact Nat.dvd_add (Nat.dvd_trans ih (Nat.dvd_mul_left _ _)) h

theorem affine_lower : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = 3 * f n + 1) → ∀ n, n < f n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem affine_lower_pow : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = 3 * f n + 1) → ∀ n, 3 ^ n ≤ f n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem affine_upper_pow : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = 2 * f n + 1) → ∀ n, f n < 2 * 2 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem halving_bound : ∀ (f : Nat → Nat), (∀ n, f (n + 1) ≤ f n / 2) → ∀ n, f n * 2 ^ n ≤ f 0 := by
  intro f hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  have h := hf n
  have h1 : f (n + 1) * 2 ≤ f n := by omega
  have h2 : f (n + 1) * 2 * 2 ^ n ≤ f n * 2 ^ n := Nat.mul_le_mul h1 (Nat.le_refl _)
  grind

theorem fib_positive : ∀ (f : Nat → Nat), f 0 = 1 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → ∀ n, 0 < f n := by
  intro f hf0 hf1 hf n
  suffices h : 0 < f n ∧ 0 < f (n + 1) by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  rw [hf]
  omega

theorem fib_monotone : ∀ (f : Nat → Nat), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → ∀ n, f n ≤ f (n + 1) := by
  intro f hf0 hf1 hf n
  cases n with | zero => ?_ | succ n => ?_
  simp [hf0]
  rw [hf]
  omega

theorem fib_sum : ∀ (f s : Nat → Nat), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → s 0 = 0 → (∀ n, s (n + 1) = s n + f n) → ∀ n, s n + 1 = f (n + 1) := by
  intro f s hf0 hf1 hf hs0 hs n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hs0, hf1]
  rw [hs, hf]
  omega

theorem fib_sum_odd : ∀ (f s : Nat → Nat), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → s 0 = 0 → (∀ n, s (n + 1) = s n + f (2 * n + 1)) → ∀ n, s n = f (2 * n) := by
  intro f s hf0 hf1 hf hs0 hs n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hs0, hf0]
  have h := hf (2 * n)
  have h1 := hs n
  grind

theorem fib_sum_squares : ∀ (f s : Nat → Nat), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → s 0 = 0 → (∀ n, s (n + 1) = s n + f (n + 1) * f (n + 1)) → ∀ n, s n = f n * f (n + 1) := by
  intro f s hf0 hf1 hf hs0 hs n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hs0, hf0]
  have h := hf n
  have h1 := hs n
  grind

theorem fib_even_third : ∀ (f : Nat → Nat), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → ∀ n, f (3 * n) % 2 = 0 := by
  intro f hf0 hf1 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h := hf (3 * n)
  have h1 := hf (3 * n + 1)
  grind

theorem fib_three_fourth : ∀ (f : Nat → Nat), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → ∀ n, f (4 * n) % 3 = 0 := by
  intro f hf0 hf1 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h := hf (4 * n)
  have h1 := hf (4 * n + 1)
  have h2 := hf (4 * n + 2)
  grind

theorem fib_lower : ∀ (f : Nat → Nat), f 0 = 1 → f 1 = 2 → (∀ n, f (n + 2) = f (n + 1) + f n) → ∀ n, n + 1 ≤ f n := by
  intro f hf0 hf1 hf n
  suffices h : n + 1 ≤ f n ∧ n + 2 ≤ f (n + 1) by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  rw [hf]
  omega

theorem fib_upper : ∀ (f : Nat → Nat), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → ∀ n, f n ≤ 2 ^ n := by
  intro f hf0 hf1 hf n
  suffices h : f n ≤ 2 ^ n ∧ f (n + 1) ≤ 2 ^ (n + 1) by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  rw [hf, Nat.pow_succ 2 (n + 1)]
  omega

theorem two_step_power : ∀ (f : Nat → Nat), f 0 = 1 → f 1 = 2 → (∀ n, f (n + 2) = f (n + 1) + 2 * f n) → ∀ n, f n = 2 ^ n := by
  intro f hf0 hf1 hf n
  suffices h : f n = 2 ^ n ∧ f (n + 1) = 2 ^ (n + 1) by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  rw [hf, Nat.pow_succ 2 (n + 1)]
  omega

theorem two_step_power_three : ∀ (f : Nat → Nat), f 0 = 1 → f 1 = 3 → (∀ n, f (n + 2) = 2 * f (n + 1) + 3 * f n) → ∀ n, f n = 3 ^ n := by
  intro f hf0 hf1 hf n
  suffices h : f n = 3 ^ n ∧ f (n + 1) = 3 ^ (n + 1) by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  rw [hf, Nat.pow_succ 3 (n + 1)]
  omega

theorem two_step_linear : ∀ (f : Nat → Int), f 0 = 2 → f 1 = 5 → (∀ n, f (n + 2) = 2 * f (n + 1) - f n) → ∀ n, f n = 3 * n + 2 := by
  intro f hf0 hf1 hf n
  suffices h : f n = 3 * n + 2 ∧ f (n + 1) = 3 * n + 5 by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  rw [hf]
  omega

theorem two_step_square : ∀ (f : Nat → Int), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = 2 * f (n + 1) - f n + 2) → ∀ n, f n = n ^ 2 := by
  intro f hf0 hf1 hf n
  suffices h : f n = n ^ 2 ∧ f (n + 1) = (n + 1) ^ 2 by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  have h := hf n
  grind

theorem two_step_mersenne : ∀ (f : Nat → Int), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = 3 * f (n + 1) - 2 * f n) → ∀ n, f n = 2 ^ n - 1 := by
  intro f hf0 hf1 hf n
  suffices h : f n = 2 ^ n - 1 ∧ f (n + 1) = 2 * 2 ^ n - 1 by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  have h := hf n
  rw [Int.pow_succ]
  grind

theorem two_step_sum_powers : ∀ (f : Nat → Int), f 0 = 2 → f 1 = 5 → (∀ n, f (n + 2) = 5 * f (n + 1) - 6 * f n) → ∀ n, f n = 2 ^ n + 3 ^ n := by
  intro f hf0 hf1 hf n
  suffices h : f n = 2 ^ n + 3 ^ n ∧ f (n + 1) = 2 * 2 ^ n + 3 * 3 ^ n by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  have h := hf n
  rw [Int.pow_succ, Int.pow_succ]
  grind

theorem two_step_unique : ∀ (f g : Nat → Nat), f 0 = g 0 → f 1 = g 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → (∀ n, g (n + 2) = g (n + 1) + g n) → ∀ n, f n = g n := by
  intro f g hf0 hf1 hf hg n
  suffices h : f n = g n ∧ f (n + 1) = g (n + 1) by exact h.1
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  have h := hf n
  have h1 := hg n
  grind

theorem two_step_even : ∀ (f : Nat → Nat), f 0 = 0 → f 1 = 2 → (∀ n, f (n + 2) = f (n + 1) + f n) → ∀ n, f n % 2 = 0 := by
  intro f hf0 hf1 hf n
  suffices h : f n % 2 = 0 ∧ f (n + 1) % 2 = 0 by omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  rw [hf]
  omega

theorem lucas_from_fib : ∀ (f g : Nat → Nat), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → g 0 = 2 → g 1 = 1 → (∀ n, g (n + 2) = g (n + 1) + g n) → ∀ n, g n + f n = 2 * f (n + 1) := by
  intro f g hf0 hf1 hf hg0 hg1 hg n
  suffices h : g n + f n = 2 * f (n + 1) ∧ g (n + 1) + f (n + 1) = 2 * f (n + 2) by exact h.1
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1, hg0, hg1, hf]
  have h := hf n
  have h1 := hf (n + 1)
  have h2 := hg n
  grind

theorem cassini : ∀ (f : Nat → Int), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → ∀ n, f (n + 2) * f n - f (n + 1) * f (n + 1) = 1 ∨ f (n + 2) * f n - f (n + 1) * f (n + 1) = -1 := by
  intro f hf0 hf1 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  have h := hf n
  have h1 := hf (n + 1)
  grind

theorem same_recursion : ∀ (f g : Nat → Nat), f 0 = g 0 → (∀ n, f (n + 1) = 2 * f n + n) → (∀ n, g (n + 1) = 2 * g n + n) → ∀ n, f n = g n := by
  intro f g h hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h
  rw [hf, hg, ih]

theorem same_recursion_any : ∀ (f g s : Nat → Nat), f 0 = g 0 → (∀ n, f (n + 1) = s (f n)) → (∀ n, g (n + 1) = s (g n)) → ∀ n, f n = g n := by
  intro f g s h hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h
  rw [hf, hg, ih]

theorem recursion_le : ∀ (f g : Nat → Nat), f 0 ≤ g 0 → (∀ n, f (n + 1) = 2 * f n + 1) → (∀ n, g (n + 1) = 3 * g n + 1) → ∀ n, f n ≤ g n := by
  intro f g h hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h
  rw [hf, hg]
  omega

theorem recursion_double : ∀ (f g : Nat → Nat), f 0 = 1 → g 0 = 2 → (∀ n, f (n + 1) = 3 * f n) → (∀ n, g (n + 1) = 3 * g n) → ∀ n, g n = 2 * f n := by
  intro f g hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg, ih]
  omega

theorem mutual_even_odd : ∀ (f g : Nat → Nat), f 0 = 0 → g 0 = 1 → (∀ n, f (n + 1) = g n) → (∀ n, g (n + 1) = f n) → ∀ n, f n + g n = 1 := by
  intro f g hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg]
  omega

theorem mutual_sum : ∀ (f g : Nat → Nat), f 0 = 1 → g 0 = 0 → (∀ n, f (n + 1) = f n + 2 * g n) → (∀ n, g (n + 1) = f n + g n) → ∀ n, f n % 2 = 1 := by
  intro f g hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem mutual_pell : ∀ (f g : Nat → Int), f 0 = 1 → g 0 = 0 → (∀ n, f (n + 1) = 3 * f n + 4 * g n) → (∀ n, g (n + 1) = 2 * f n + 3 * g n) → ∀ n, f n * f n - 2 * (g n * g n) = 1 := by
  intro f g hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg]
  grind

theorem mutual_pell_three : ∀ (f g : Nat → Int), f 0 = 1 → g 0 = 0 → (∀ n, f (n + 1) = 2 * f n + 3 * g n) → (∀ n, g (n + 1) = f n + 2 * g n) → ∀ n, f n * f n = 3 * (g n * g n) + 1 := by
  intro f g hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg]
  grind

theorem mutual_difference : ∀ (f g : Nat → Int), f 0 = 5 → g 0 = 3 → (∀ n, f (n + 1) = 2 * f n - g n) → (∀ n, g (n + 1) = f n) → ∀ n, f n - g n = 2 := by
  intro f g hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg]
  omega

theorem mutual_powers : ∀ (f g : Nat → Nat), f 0 = 1 → g 0 = 1 → (∀ n, f (n + 1) = f n + g n) → (∀ n, g (n + 1) = f n + g n) → ∀ n, f n + g n = 2 * 2 ^ n := by
  intro f g hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg, Nat.pow_succ]
  omega

theorem recursion_down : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = 0 → f n = 0) → ∀ n, f n = 0 → f 0 = 0 := by
  intro f hf n h
  induction n with | zero => ?_ | succ n ih => ?_
  exact h
  exact ih (hf n h)

theorem recursion_nonzero : ∀ (f : Nat → Nat), f 0 ≠ 0 → (∀ n, f (n + 1) = f n * f n) → ∀ n, f n ≠ 0 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  exact hf0
  rw [hf]
  exact Nat.mul_ne_zero ih ih

theorem recursion_square_one : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = f n * f n) → ∀ n, f n = 1 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  exact hf0
  rw [hf, ih]

theorem recursion_square_power : ∀ (f : Nat → Nat) (a : Nat), f 0 = a → (∀ n, f (n + 1) = f n * f n) → ∀ n, f n = a ^ 2 ^ n := by
  intro f a hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih, Nat.pow_succ, Nat.pow_mul, Nat.pow_two]

theorem recursion_from_shift : ∀ (f g : Nat → Nat), (∀ n, g n = f (n + 1)) → (∀ n, f (n + 1) = 2 * f n) → ∀ n, g (n + 1) = 2 * g n := by
  intro f g hg hf n
  rw [hg, hg]
  exact hf (n + 1)

theorem recursion_reverse_bound : ∀ (f : Nat → Nat), f 0 = 100 → (∀ n, f (n + 1) = f n - 1) → ∀ n, f n = 100 - n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  omega

theorem recursion_max : ∀ (f s : Nat → Nat), (∀ n, f (n + 1) = max (f n) (s n)) → ∀ n, f 0 ≤ f n := by
  intro f s hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [hf]
  omega

theorem recursion_ite : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = if f n = 0 then 1 else 0) → ∀ n, f n ≤ 1 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  split
  omega
  omega
