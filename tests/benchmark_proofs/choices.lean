-- Maxima, if-then-else, pairs, options.

theorem min_square : ∀ a b : Nat, min (a * a) (b * b) = min a b * min a b := by
  intro a b
  rcases Nat.le_total a b with h | h
  have h1 := Nat.mul_le_mul h h
  grind
  have h1 := Nat.mul_le_mul h h
  grind

theorem product_below_max : ∀ a b c : Nat, a * b + c ≤ max a b * max a b + c := by
  intro a b c
  have h1 : a ≤ max a b := by omega
  have h2 : b ≤ max a b := by omega
  have h3 := Nat.mul_le_mul h1 h2
  omega

theorem chosen_product : ∀ a b : Nat, (if a ≤ b then a * a else b * b) ≤ a * b := by
  intro a b
  split
  rename_i h
  exact Nat.mul_le_mul (Nat.le_refl a) h
  rename_i h
  exact Nat.mul_le_mul (by omega) (Nat.le_refl b)

theorem chosen_parity : ∀ n : Nat, (if n % 2 = 0 then n * n else n * n + 3) % 2 = 0 := by
  intro n
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  simp [h, Nat.mul_mod]
  simp [h, Nat.add_mod, Nat.mul_mod]

theorem pair_counter : ∀ (f : Nat → Nat × Nat), f 0 = (0, 2) → (∀ n, f (n + 1) = ((f n).1 + 1, (f n).2 + 3)) → ∀ n, (f n).2 = 3 * n + 2 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  simp [hf, ih]
  omega

theorem pair_fibonacci : ∀ (f : Nat → Nat × Nat), f 0 = (1, 1) → (∀ n, f (n + 1) = ((f n).2, (f n).1 + (f n).2)) → ∀ n, 0 < (f n).1 ∧ 0 < (f n).2 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  simp [hf]
  omega

theorem option_counter : ∀ (f : Nat → Option Nat), f 0 = some 3 → (∀ n, f (n + 1) = (f n).map (fun a => a + 2)) → ∀ n, f n = some (2 * n + 3) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  simp [hf, ih]
  omega

theorem option_cases : ∀ o : Option Nat, o.isSome = true ∨ o.isNone = true := by
  intro o
  cases o with | none => ?_ | some a => ?_
  simp
  simp
