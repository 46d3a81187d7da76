/-! Closed forms of sums: `f n` is the sum of the first terms, given by its recursion. -/

theorem sum_first : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (n + 1)) → ∀ n, 2 * f n = n * (n + 1) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_below : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + n) → ∀ n, 2 * f n + n = n * n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_odd : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (2 * n + 1)) → ∀ n, f n = n * n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem sum_even : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 2 * (n + 1)) → ∀ n, f n = n * (n + 1) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem sum_six : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 6 * (n + 1)) → ∀ n, f n = 3 * n * (n + 1) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem sum_eight : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 8 * (n + 1)) → ∀ n, f n = 4 * n * (n + 1) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem sum_arith_three : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (3 * n + 1)) → ∀ n, 2 * f n + n = 3 * n * n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_arith_five : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (5 * n + 2)) → ∀ n, 2 * f n + n = 5 * n * n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_arith_seven : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (7 * n + 3)) → ∀ n, 2 * f n + n = 7 * n * n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_arith_int : ∀ (f : Nat → Int), f 0 = 0 → (∀ n, f (n + 1) = f n + (4 * n - 3)) → ∀ n, f n = 2 * n * n - 5 * n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem sum_arith_int_two : ∀ (f : Nat → Int), f 0 = 0 → (∀ n, f (n + 1) = f n + (6 * n - 1)) → ∀ n, f n = 3 * n * n - 4 * n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem sum_squares : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (n + 1) * (n + 1)) → ∀ n, 6 * f n = n * (n + 1) * (2 * n + 1) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_squares_pow : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (n + 1) ^ 2) → ∀ n, 6 * f n = 2 * n ^ 3 + 3 * n ^ 2 + n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_squares_int : ∀ (f : Nat → Int), f 0 = 0 → (∀ n, f (n + 1) = f n + n ^ 2) → ∀ n, 6 * f n = (n - 1) * n * (2 * n - 1) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_odd_squares : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (2 * n + 1) ^ 2) → ∀ n, 3 * f n + n = 4 * n ^ 3 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_even_squares : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (2 * n + 2) ^ 2) → ∀ n, 3 * f n = 2 * n * (n + 1) * (2 * n + 1) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_cubes : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (n + 1) ^ 3) → ∀ n, 4 * f n = (n * (n + 1)) ^ 2 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_cubes_eq_square : ∀ (f g : Nat → Nat), f 0 = 0 → g 0 = 0 → (∀ n, f (n + 1) = f n + (n + 1)) → (∀ n, g (n + 1) = g n + (n + 1) ^ 3) → (∀ n, 2 * f n = n * (n + 1)) → ∀ n, g n = f n * f n := by
  intro f g hf0 hg0 hf hg h n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  have h1 := h n
  rw [hf, hg, ih]
  grind

theorem sum_odd_cubes : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (2 * n + 1) ^ 3) → ∀ n, f n + n ^ 2 = 2 * n ^ 4 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_products : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (n + 1) * (n + 2)) → ∀ n, 3 * f n = n * (n + 1) * (n + 2) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_products_three : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (n + 1) * (n + 2) * (n + 3)) → ∀ n, 4 * f n = n * (n + 1) * (n + 2) * (n + 3) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_products_gap : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (n + 1) * (n + 3)) → ∀ n, 6 * f n = n * (n + 1) * (2 * n + 7) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_products_int : ∀ (f : Nat → Int), f 0 = 0 → (∀ n, f (n + 1) = f n + n * (n + 1)) → ∀ n, 3 * f n = (n - 1) * n * (n + 1) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_quadratic : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (3 * n * n + 3 * n + 1)) → ∀ n, f n = n * n * n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem sum_quadratic_from_one : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = f n + (3 * n * n + 3 * n + 1)) → ∀ n, f n = n * n * n + 1 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem sum_quartic : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (4 * n ^ 3 + 6 * n ^ 2 + 4 * n + 1)) → ∀ n, f n = n ^ 4 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem geometric_two : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 2 ^ n) → ∀ n, f n + 1 = 2 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem geometric_three : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 3 ^ n) → ∀ n, 2 * f n + 1 = 3 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem geometric_four : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 4 ^ n) → ∀ n, 3 * f n + 1 = 4 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem geometric_ten : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 10 ^ n) → ∀ n, 9 * f n + 1 = 10 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem geometric_three_double : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 2 * 3 ^ n) → ∀ n, f n + 1 = 3 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem geometric_five_fourfold : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 4 * 5 ^ n) → ∀ n, f n + 1 = 5 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem geometric_next : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = f n + 2 ^ (n + 1)) → ∀ n, f n + 1 = 2 ^ (n + 1) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega

theorem geometric_base : ∀ (f : Nat → Nat) (a : Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + a * (a + 1) ^ n) → ∀ n, f n + 1 = (a + 1) ^ n := by
  intro f a hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  grind

theorem geometric_base_int : ∀ (f : Nat → Int) (a : Int), f 0 = 0 → (∀ n, f (n + 1) = f n + a ^ n) → ∀ n, (a - 1) * f n = a ^ n - 1 := by
  intro f a hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Int.pow_succ]
  grind

theorem sum_weighted_powers : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (n + 2) * 2 ^ n) → ∀ n, f n = n * 2 ^ n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih, Nat.pow_succ]
  grind

theorem sum_weighted_two : ∀ (f : Nat → Int), f 0 = 0 → (∀ n, f (n + 1) = f n + n * 2 ^ n) → ∀ n, f n = (n - 2) * 2 ^ n + 2 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih, Int.pow_succ]
  grind

theorem sum_constant : ∀ (f : Nat → Nat) (c : Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + c) → ∀ n, f n = n * c := by
  intro f c hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem sum_arith_general : ∀ (f : Nat → Nat) (a c : Nat), f 0 = a → (∀ n, f (n + 1) = f n + c) → ∀ n, f n = a + n * c := by
  intro f a c hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem sum_of_linear : ∀ (f : Nat → Int) (a b : Int), f 0 = 0 → (∀ n, f (n + 1) = f n + (a * n + b)) → ∀ n, 2 * f n = a * n * (n - 1) + 2 * b * n := by
  intro f a b hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem telescope : ∀ (f g : Nat → Int), f 0 = 0 → (∀ n, f (n + 1) = f n + (g (n + 1) - g n)) → ∀ n, f n = g n - g 0 := by
  intro f g hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  omega

theorem telescope_nat : ∀ (f g : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) + g n = f n + g (n + 1)) → ∀ n, f n + g 0 = g n := by
  intro f g hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h := hf n
  omega

theorem sum_add : ∀ (f g s : Nat → Nat), f 0 = 0 → g 0 = 0 → (∀ n, f (n + 1) = f n + s n) → (∀ n, g (n + 1) = g n + 2 * s n) → ∀ n, g n = 2 * f n := by
  intro f g s hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg, ih]
  omega

theorem sum_scaled : ∀ (f g s : Nat → Nat) (c : Nat), f 0 = 0 → g 0 = 0 → (∀ n, f (n + 1) = f n + s n) → (∀ n, g (n + 1) = g n + c * s n) → ∀ n, g n = c * f n := by
  intro f g s c hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg, ih]
  grind

theorem sum_le_sum : ∀ (f g s t : Nat → Nat), f 0 = 0 → g 0 = 0 → (∀ n, f (n + 1) = f n + s n) → (∀ n, g (n + 1) = g n + t n) → (∀ n, s n ≤ t n) → ∀ n, f n ≤ g n := by
  intro f g s t hf0 hg0 hf hg h n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  have h1 := h n
  rw [hf, hg]
  omega

theorem sum_of_ones_bound : ∀ (f s : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + s n) → (∀ n, s n ≤ 1) → ∀ n, f n ≤ n := by
  intro f s hf0 hf h n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h1 := h n
  rw [hf]
  omega

theorem sum_bound : ∀ (f s : Nat → Nat) (c : Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + s n) → (∀ n, s n ≤ c) → ∀ n, f n ≤ n * c := by
  intro f s c hf0 hf h n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h1 := h n
  rw [hf]
  grind

theorem sum_even_terms : ∀ (f s : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + s n) → (∀ n, s n % 2 = 0) → ∀ n, f n % 2 = 0 := by
  intro f s hf0 hf h n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h1 := h n
  rw [hf]
  omega

theorem sum_dvd_terms : ∀ (f s : Nat → Nat) (k : Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + s n) → (∀ n, k ∣ s n) → ∀ n, k ∣ f n := by
  intro f s k hf0 hf h n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h1 := h n
  rw [hf]
  exact Nat.dvd_add ih h1

theorem sum_from_zero_terms : ∀ (f s : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + s n) → (∀ n, s n = 0) → ∀ n, f n = 0 := by
  intro f s hf0 hf h n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h1 := h n
  rw [hf]
  omega

theorem alternating_sum : ∀ (f : Nat → Int), f 0 = 0 → (∀ n, f (n + 1) = (n + 1) - f n) → ∀ n, f (2 * n) = n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h1 := hf (2 * n)
  have h2 := hf (2 * n + 1)
  grind

theorem alternating_squares : ∀ (f : Nat → Int), f 0 = 0 → (∀ n, f (n + 1) = (n + 1) ^ 2 - f n) → ∀ n, 2 * f n = n * (n + 1) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind
