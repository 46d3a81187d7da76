-- Longer proofs: several claims at once, claims that need another one first.

theorem fibonacci_sums : ∀ (f g : Nat → Nat), f 0 = 0 → f 1 = 1 → g 0 = 0 → (∀ n, f (n + 2) = f (n + 1) + f n) → (∀ n, g (n + 1) = g n + f n) → ∀ n, g n + 1 = f (n + 1) := by
  intro f g hf0 hf1 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf1, hg0]
  rw [hf, hg]
  omega

theorem sum_reversed : ∀ (f : List Nat → Nat), f [] = 0 → (∀ x xs, f (x :: xs) = 2 * x + f xs) → ∀ xs, f xs.reverse = f xs := by
  intro f hf0 hf xs
  have h : ∀ xs ys, f (xs ++ ys) = f xs + f ys := ?_
  induction xs with | nil => ?_ | cons x xs ih => ?_
  rfl
  simp [h, hf, ih, hf0]
  omega
  intro xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0]
  simp [hf, ih]
  omega

theorem append_and_length : ∀ (f : List Nat → Nat), f [] = 0 → (∀ x xs, f (x :: xs) = f xs + 3) → (∀ xs, f xs = 3 * xs.length) ∧ (∀ xs ys, f (xs ++ ys) = f ys + f xs) := by
  intro f hf0 hf
  have h : ∀ xs, f xs = 3 * xs.length := ?_
  refine ⟨h, ?_⟩
  intro xs ys
  simp [h]
  omega
  intro xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0]
  simp [hf, ih]
  omega

theorem cube_mod_seven : ∀ n : Nat, (n ^ 3 + 5) % 7 ≠ 0 := by
  intro n
  have h : n % 7 = 0 ∨ n % 7 = 1 ∨ n % 7 = 2 ∨ n % 7 = 3 ∨ n % 7 = 4 ∨ n % 7 = 5 ∨ n % 7 = 6 := by omega
  rcases h with h | h | h | h | h | h | h
  simp [Nat.add_mod, Nat.pow_mod, h]
  simp [Nat.add_mod, Nat.pow_mod, h]
  simp [Nat.add_mod, Nat.pow_mod, h]
  simp [Nat.add_mod, Nat.pow_mod, h]
  simp [Nat.add_mod, Nat.pow_mod, h]
  simp [Nat.add_mod, Nat.pow_mod, h]
  simp [Nat.add_mod, Nat.pow_mod, h]

theorem fifth_power_mod_five : ∀ n : Nat, 5 ∣ n ^ 5 + 4 * n := by
  intro n
  apply Nat.dvd_of_mod_eq_zero
  have h : n % 5 = 0 ∨ n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
  rcases h with h | h | h | h | h
  simp [Nat.add_mod, Nat.mul_mod, Nat.pow_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, Nat.pow_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, Nat.pow_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, Nat.pow_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, Nat.pow_mod, h]

theorem two_not_multiples : ∀ a b : Nat, a % 3 ≠ 0 → b % 3 ≠ 0 → (a * a + b * b) % 3 = 2 := by
  intro a b h1 h2
  have h3 : a % 3 = 1 ∨ a % 3 = 2 := by omega
  have h4 : b % 3 = 1 ∨ b % 3 = 2 := by omega
  rcases h3 with h3 | h3
  rcases h4 with h4 | h4
  simp [Nat.add_mod, Nat.mul_mod, h3, h4]
  simp [Nat.add_mod, Nat.mul_mod, h3, h4]
  rcases h4 with h4 | h4
  simp [Nat.add_mod, Nat.mul_mod, h3, h4]
  simp [Nat.add_mod, Nat.mul_mod, h3, h4]

theorem even_product_witness : ∀ n : Nat, ∃ k, n * (n + 3) = 2 * k := by
  intro n
  refine ⟨n * (n + 3) / 2, ?_⟩
  have h : n * (n + 3) % 2 = 0 := ?_
  omega
  have h1 : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h1 with h1 | h1
  simp [Nat.add_mod, Nat.mul_mod, h1]
  simp [Nat.add_mod, Nat.mul_mod, h1]

theorem square_witness : ∀ n : Nat, n % 5 = 3 → ∃ k, n * n = 5 * k + 4 := by
  intro n h
  refine ⟨n * n / 5, ?_⟩
  have h1 : n * n % 5 = 4 := by simp [Nat.mul_mod, h]
  omega

theorem square_below_power : ∀ n : Nat, 4 ≤ n → n * n ≤ 2 ^ n := by
  intro n h
  obtain ⟨k, rfl⟩ := Nat.exists_eq_add_of_le h
  induction k with | zero => ?_ | succ k ih => ?_
  decide
  rw [← Nat.add_assoc, Nat.pow_succ]
  have h1 := ih (by omega)
  have h2 := Nat.mul_le_mul_right k (show 0 ≤ k by omega)
  grind

theorem every_third_sum : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + n) → ∀ n, f (3 * n) % 3 = 0 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  have h1 := hf (3 * n)
  have h2 := hf (3 * n + 1)
  have h3 := hf (3 * n + 2)
  grind

theorem values_of_values : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 4) → ∀ n, f (f n) = 16 * n := by
  intro f hf0 hf n
  have h : ∀ m, f m = 4 * m := ?_
  rw [h, h]
  omega
  intro m
  induction m with | zero => ?_ | succ m ih => ?_
  simp [hf0]
  rw [hf, ih]
  omega

theorem multiples_of_value : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 9) → ∀ m n, f (m * n) = m * f n := by
  intro f hf0 hf m n
  have h : ∀ k, f k = 9 * k := ?_
  rw [h, h]
  grind
  intro k
  induction k with | zero => ?_ | succ k ih => ?_
  simp [hf0]
  rw [hf, ih]
  omega

theorem closed_form_and_bound : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = f n + (2 * n + 3)) → (∀ n, f n = (n + 1) * (n + 1)) ∧ ∀ n, f n ≤ f (n + 1) := by
  intro f hf0 hf
  constructor
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind
  intro n
  rw [hf]
  omega

theorem two_closed_forms : ∀ (f g : Nat → Nat), f 0 = 0 → g 0 = 2 → (∀ n, f (n + 1) = f n + (n + 1)) → (∀ n, g (n + 1) = 3 * g n) → (∀ n, 2 * f n = n * (n + 1)) ∧ ∀ n, g n = 2 * 3 ^ n := by
  intro f g hf0 hg0 hf hg
  constructor
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hg0]
  rw [hg, ih, Nat.pow_succ]
  omega

theorem powers_and_residues : (∀ n : Nat, 12 ^ n % 11 = 1) ∧ ∀ n : Nat, 2 ∣ n * n + 7 * n := by
  constructor
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  rfl
  rw [Nat.pow_succ]
  omega
  intro n
  apply Nat.dvd_of_mod_eq_zero
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  simp [Nat.add_mod, Nat.mul_mod, h]
  simp [Nat.add_mod, Nat.mul_mod, h]

theorem maximum_of_appended : ∀ (f : List Nat → Nat), f [] = 0 → (∀ x xs, f (x :: xs) = max x (f xs)) → ∀ xs ys, f xs ≤ f (xs ++ ys) ∧ f ys ≤ f (xs ++ ys) := by
  intro f hf0 hf xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0]
  simp [hf]
  omega

theorem mapped_sum : ∀ (f : List Nat → Nat) (g : List Nat → List Nat), f [] = 0 → g [] = [] → (∀ x xs, f (x :: xs) = x + f xs) → (∀ x xs, g (x :: xs) = (x + 4) :: g xs) → ∀ xs, f (g xs) = f xs + 4 * xs.length := by
  intro f g hf0 hg0 hf hg xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0, hg0]
  simp [hf, hg, ih]
  omega

theorem factorial_divisible : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = (n + 1) * f n) → ∀ n, 6 ∣ f (n + 3) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf, hf0]
  rw [Nat.add_right_comm, hf]
  exact Nat.dvd_mul_left_of_dvd ih _

theorem growth_of_growth : ∀ (f g : Nat → Nat), f 0 = 1 → g 0 = 1 → (∀ n, f (n + 1) = 2 * f n + 1) → (∀ n, g (n + 1) = g n + f n) → ∀ n, g n ≤ f n ∧ n < f n := by
  intro f g hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg]
  omega

theorem quotients_of_products : ∀ a b : Nat, (∃ k, a = 6 * k) → (∃ k, b = 2 * k + 1) → (∃ k, a * b = 6 * k) ∧ ∃ k, a + b = 2 * k + 1 := by
  intro a b h1 h2
  obtain ⟨k, rfl⟩ := h1
  obtain ⟨m, rfl⟩ := h2
  constructor
  refine ⟨k * (2 * m + 1), ?_⟩
  grind
  refine ⟨3 * k + m, ?_⟩
  omega

theorem sum_of_squares_of_three : ∀ a b c : Int, 2 * (a * b) + 2 * (b * c) ≤ a * a + 2 * (b * b) + c * c := by
  intro a b c
  have h : ∀ x : Int, 0 ≤ x * x := ?_
  have h1 := h (a - b)
  have h2 := h (b - c)
  grind
  intro x
  rcases Int.le_total 0 x with h | h
  exact Int.mul_nonneg h h
  exact Int.mul_nonneg_of_nonpos_of_nonpos h h
