-- Functions given by recursion: closed forms, bounds, residues, related functions.

theorem sum_cubes : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + (n + 1) * (n + 1) * (n + 1)) → ∀ n, 4 * f n = n * n * ((n + 1) * (n + 1)) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem sum_products : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + n * (n + 2)) → ∀ n, 6 * f n + 5 * n = 2 * n * n * n + 3 * n * n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  grind

theorem affine_five : ∀ (f : Nat → Nat), f 0 = 2 → (∀ n, f (n + 1) = 5 * f n + 4) → ∀ n, f n = 3 * 5 ^ n - 1 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  have h : 0 < 5 ^ n := Nat.pow_pos (by omega)
  omega

theorem affine_divides : ∀ (f : Nat → Nat), f 0 = 14 → (∀ n, f (n + 1) = 6 * f n + 21) → ∀ n, 7 ∣ f n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem affine_power_and_residue : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = 4 * f n + 3) → (∀ n, f n + 1 = 2 * 4 ^ n) ∧ (∀ n, f n % 3 = 1 ∨ f n % 3 = 0) := by
  intro f hf0 hf
  constructor
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ]
  omega
  intro n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem factorial_above : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = (n + 1) * f n) → ∀ n, n ≤ f n := by
  intro f hf0 hf n
  have h : 0 < f n ∧ n ≤ f n := ?_
  exact h.2
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  obtain ⟨h1, h2⟩ := ih
  refine ⟨Nat.mul_pos (by omega) h1, ?_⟩
  exact Nat.le_mul_of_pos_right (n + 1) h1

theorem factorial_powers : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = (n + 2) * f n) → ∀ n, 2 ^ n ≤ f n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, Nat.pow_succ, Nat.mul_comm]
  exact Nat.mul_le_mul (by omega) ih

theorem lucas_bound : ∀ (f : Nat → Nat), f 0 = 2 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → ∀ n, f n < 2 ^ (n + 2) := by
  intro f hf0 hf1 hf n
  have h : f n < 2 ^ (n + 2) ∧ f (n + 1) < 2 ^ (n + 3) := ?_
  exact h.1
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  rw [hf]
  grind

theorem pell_parity : ∀ (f : Nat → Nat), f 0 = 1 → f 1 = 3 → (∀ n, f (n + 2) = 2 * f (n + 1) + f n) → ∀ n, f n % 2 = 1 := by
  intro f hf0 hf1 hf n
  have h : f n % 2 = 1 ∧ f (n + 1) % 2 = 1 := ?_
  exact h.1
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  rw [hf]
  omega

theorem two_roots : ∀ (f : Nat → Nat), f 0 = 2 → f 1 = 5 → (∀ n, f (n + 2) + 6 * f n = 5 * f (n + 1)) → ∀ n, f n = 2 ^ n + 3 ^ n := by
  intro f hf0 hf1 hf n
  have h : f n = 2 ^ n + 3 ^ n ∧ f (n + 1) = 2 ^ (n + 1) + 3 ^ (n + 1) := ?_
  exact h.1
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  have h1 := hf n
  grind

theorem fibonacci_every_third : ∀ (f : Nat → Nat), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → ∀ n, 2 ∣ f (3 * n) := by
  intro f hf0 hf1 hf n
  have h : f (3 * n) % 2 = 0 ∧ f (3 * n + 1) % 2 = 1 := ?_
  omega
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hf1]
  have h1 := hf (3 * n)
  have h2 := hf (3 * n + 1)
  have h3 := hf (3 * n + 2)
  grind

theorem pair_power : ∀ (f g : Nat → Nat), f 0 = 1 → g 0 = 1 → (∀ n, f (n + 1) = f n + 2 * g n) → (∀ n, g (n + 1) = 2 * f n + g n) → ∀ n, f n + g n = 2 * 3 ^ n := by
  intro f g hf0 hg0 hf hg n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg, Nat.pow_succ]
  omega

theorem sum_of_powers : ∀ (f g : Nat → Nat), f 0 = 1 → g 0 = 0 → (∀ n, f (n + 1) = 2 * f n) → (∀ n, g (n + 1) = g n + f n) → ∀ n, g n + 1 = 2 ^ n := by
  intro f g hf0 hg0 hf hg n
  have h : f n = 2 ^ n ∧ g n + 1 = 2 ^ n := ?_
  exact h.2
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0, hg0]
  rw [hf, hg, Nat.pow_succ]
  omega

theorem additive : ∀ (f : Nat → Nat), f 0 = 2 → (∀ n, f (n + 1) = f n + 7) → ∀ m n, f (m + n) + 2 = f m + f n := by
  intro f hf0 hf m n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [← Nat.add_assoc, hf, hf]
  omega

theorem multiplicative : ∀ (f : Nat → Nat) (a : Nat), f 0 = 1 → (∀ n, f (n + 1) = a * f n) → ∀ m n, f m * f n = f (m + n) := by
  intro f a hf0 hf m n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [← Nat.add_assoc, hf, hf, ← ih]
  grind

theorem accumulator_square : ∀ (f : Nat → Nat → Nat), (∀ a, f 0 a = a) → (∀ n a, f (n + 1) a = f n (a + 4 * n)) → ∀ n a, f n a + 2 * n = 2 * n * n + a := by
  intro f hf0 hf n a
  induction n generalizing a with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  have h := ih (a + 4 * n)
  grind

theorem step_by_parity : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = if n % 2 = 0 then f n + 3 else f n + 1) → ∀ n, f n ≤ 3 * n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  split
  omega
  omega

theorem step_maximum : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = max (f n) (3 * n)) → ∀ n, f n ≤ 3 * n := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf]
  omega

theorem step_monotone : ∀ (f : Nat → Nat), (∀ n, f n ≤ f (n + 1)) → ∀ m n, m ≤ n → f m ≤ f n := by
  intro f hf m n h
  induction h with | refl => ?_ | step h ih => ?_
  exact Nat.le_refl (f m)
  exact Nat.le_trans ih (hf _)

theorem step_multiplied : ∀ (f : Nat → Nat), f 0 ≤ 7 → (∀ n, f (n + 1) ≤ 2 * f n) → ∀ n, f n ≤ 7 * 2 ^ n := by
  intro f h hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [h]
  have h1 := hf n
  rw [Nat.pow_succ]
  omega

theorem from_four_on : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = 2 * f n) → ∀ n, 4 ≤ n → 3 * n + 4 ≤ f n := by
  intro f hf0 hf n h
  obtain ⟨k, rfl⟩ := Nat.exists_eq_add_of_le h
  induction k with | zero => ?_ | succ k ih => ?_
  grind
  have h1 := hf (4 + k)
  grind
